/* weft_top_k: argument checks. */
#include "core/check.h"

static weft_status top_k(weft_context *ctx, const top_k_call *c, weft_error *error) {
    range x, values, indices;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    RETURN_IF((unsigned)c->extreme > WEFT_SMALLEST, WEFT_INVALID, "invalid extreme %d", (int)c->extreme);
    RETURN_IF(c->k > c->n, WEFT_INVALID, "k = %zu is greater than the number of elements %zu", c->k, c->n);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &x, error));
    RETURN_IF_ERROR(check_array(ctx, "values", c->values, c->k, weft_dtype_size(c->dtype), &values, error));
    RETURN_IF_ERROR(
        check_array(ctx, "indices", c->indices, c->indices ? c->k : 0, sizeof *c->indices, &indices, error));
    RETURN_IF_ERROR(check_apart(&values, &x, error));
    RETURN_IF_ERROR(check_apart(&indices, &x, error));
    RETURN_IF_ERROR(check_apart(&indices, &values, error));
    return c->k ? ctx->backend->top_k(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_top_k(weft_context *ctx, weft_extreme extreme, weft_dtype dtype, size_t n, const void *x, size_t k,
                       void *values, uint64_t *indices) {
    const top_k_call call = {
        .dtype = dtype, .extreme = extreme, .n = n, .x = x, .k = k, .values = values, .indices = indices};
    RETURN_GUARDED(ctx, top_k(ctx, &call, error));
}
