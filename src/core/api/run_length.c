/* weft_unique and weft_run_length: argument checks. */
#include "core/check.h"

static weft_status find_runs(weft_context *ctx, const char *values_name, bool lengths_wanted,
                             const run_length_call *c, weft_error *error) {
    type_kind kind;
    range x, outputs[3] = {{"lengths", NULL, 0}};
    RETURN_IF_ERROR(check_kind(c->dtype, &kind, error));
    const size_t size = weft_dtype_size(c->dtype);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, size, &x, error));
    RETURN_IF_ERROR(check_array(ctx, values_name, c->values, c->n, size, &outputs[1], error));
    if (lengths_wanted)
        RETURN_IF_ERROR(check_array(ctx, "lengths", c->lengths, c->n, sizeof *c->lengths, &outputs[0], error));
    RETURN_IF_ERROR(check_array(ctx, "count", c->count, 1, sizeof *c->count, &outputs[2], error));
    for (int i = 0; i < 3; i++) {
        RETURN_IF_ERROR(check_apart(&outputs[i], &x, error));
        for (int k = 0; k < i; k++) RETURN_IF_ERROR(check_apart(&outputs[i], &outputs[k], error));
    }
    return ctx->backend->run_length(ctx->state, c, error);
}

weft_status weft_unique(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *y, uint64_t *count) {
    const run_length_call call = {.dtype = dtype, .n = n, .x = x, .values = y, .count = count};
    RETURN_GUARDED(ctx, find_runs(ctx, "y", false, &call, error));
}

weft_status weft_run_length(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *values,
                            uint64_t *lengths, uint64_t *count) {
    const run_length_call call = {
        .dtype = dtype, .n = n, .x = x, .values = values, .lengths = lengths, .count = count};
    RETURN_GUARDED(ctx, find_runs(ctx, "values", true, &call, error));
}
