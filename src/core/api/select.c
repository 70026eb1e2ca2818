/* Selections by flags or by comparison, of values, indices, or both sides: argument checks. */
#include "core/check.h"

enum { COMPARISONS = WEFT_GT + 1 };

const char *weft_comparison_name(weft_comparison comparison) {
    static const char *const names[COMPARISONS] = {"lt", "le", "eq", "ne", "ge", "gt"};
    return (unsigned)comparison < COMPARISONS ? names[comparison] : "unknown";
}

/* Checks the flags or the comparison. */
static weft_status check_condition(const weft_context *ctx, const select_call *c, range *flags, weft_error *error) {
    if (c->by_flags) return check_array(ctx, "flags", c->flags, c->n, sizeof *c->flags, flags, error);
    *flags = (range){"flags", NULL, 0};
    RETURN_IF((unsigned)c->comparison >= COMPARISONS, WEFT_INVALID, "invalid comparison %d", (int)c->comparison);
    RETURN_IF(!c->value, WEFT_INVALID, "value is NULL");
    return check_host_value("value", c->value, error);
}

static weft_status check_outputs_apart(const range *inputs, const range *y, const range *count, weft_error *error) {
    for (int i = 0; i < 2; i++) {
        RETURN_IF_ERROR(check_apart(y, &inputs[i], error));
        RETURN_IF_ERROR(check_apart(count, &inputs[i], error));
    }
    return check_apart(count, y, error);
}

static weft_status select_elements(weft_context *ctx, const select_call *c, weft_error *error) {
    range inputs[2] = {{"x", NULL, 0}, {"flags", NULL, 0}}, y, count;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    const size_t size = weft_dtype_size(c->dtype), out_size = c->kind == SELECT_INDICES ? sizeof(uint64_t) : size;
    RETURN_IF_ERROR(check_condition(ctx, c, &inputs[1], error));
    if (!c->by_flags || c->kind != SELECT_INDICES)
        RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, size, &inputs[0], error));
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, c->n, out_size, &y, error));
    RETURN_IF_ERROR(check_array(ctx, "count", c->count, 1, sizeof *c->count, &count, error));
    RETURN_IF_ERROR(check_outputs_apart(inputs, &y, &count, error));
    return ctx->backend->select(ctx->state, c, error);
}

static weft_status by_flags(weft_context *ctx, select_kind kind, weft_dtype dtype, size_t n, const void *x,
                            const uint8_t *flags, void *y, uint64_t *count) {
    const select_call c = {
        .kind = kind, .by_flags = true, .dtype = dtype, .n = n, .x = x, .flags = flags, .y = y, .count = count};
    RETURN_GUARDED(ctx, select_elements(ctx, &c, error));
}

static weft_status by_comparison(weft_context *ctx, select_kind kind, weft_comparison comparison, weft_dtype dtype,
                                 size_t n, const void *x, const void *value, void *y, uint64_t *count) {
    const select_call c = {.kind = kind,
                           .dtype = dtype,
                           .n = n,
                           .x = x,
                           .comparison = comparison,
                           .value = value,
                           .y = y,
                           .count = count};
    RETURN_GUARDED(ctx, select_elements(ctx, &c, error));
}

weft_status weft_select(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const uint8_t *flags, void *y,
                        uint64_t *count) {
    return by_flags(ctx, SELECT_VALUES, dtype, n, x, flags, y, count);
}

weft_status weft_select_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n, const void *x,
                           const void *value, void *y, uint64_t *count) {
    return by_comparison(ctx, SELECT_VALUES, comparison, dtype, n, x, value, y, count);
}

weft_status weft_select_indices(weft_context *ctx, size_t n, const uint8_t *flags, uint64_t *y, uint64_t *count) {
    return by_flags(ctx, SELECT_INDICES, WEFT_U8, n, NULL, flags, y, count);
}

weft_status weft_select_indices_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                   const void *x, const void *value, uint64_t *y, uint64_t *count) {
    return by_comparison(ctx, SELECT_INDICES, comparison, dtype, n, x, value, y, count);
}

weft_status weft_partition(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const uint8_t *flags,
                           void *y, uint64_t *count) {
    return by_flags(ctx, SELECT_PARTITION, dtype, n, x, flags, y, count);
}

weft_status weft_partition_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                              const void *x, const void *value, void *y, uint64_t *count) {
    return by_comparison(ctx, SELECT_PARTITION, comparison, dtype, n, x, value, y, count);
}
