/* weft_merge: argument checks. */
#include "core/check.h"

static weft_status merge(weft_context *ctx, const merge_call *c, weft_error *error) {
    range a, b, y;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    const size_t size = weft_dtype_size(c->dtype);
    RETURN_IF_ERROR(check_array(ctx, "a", c->a, c->na, size, &a, error));
    RETURN_IF_ERROR(check_array(ctx, "b", c->b, c->nb, size, &b, error));
    RETURN_IF(c->na > SIZE_MAX - c->nb, WEFT_INVALID, "y: %zu + %zu elements do not fit in memory", c->na, c->nb);
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, c->na + c->nb, size, &y, error));
    RETURN_IF_ERROR(check_apart(&y, &a, error));
    RETURN_IF_ERROR(check_apart(&y, &b, error));
    return c->na + c->nb ? ctx->backend->merge(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_merge(weft_context *ctx, weft_dtype dtype, size_t na, const void *a, size_t nb, const void *b,
                       void *y) {
    const merge_call call = {.dtype = dtype, .na = na, .a = a, .nb = nb, .b = b, .y = y};
    RETURN_GUARDED(ctx, merge(ctx, &call, error));
}
