/* weft_dot: argument checks. */
#include "core/check.h"
#include "core/views.h"

static weft_status dot(weft_context *ctx, dot_call *c, weft_dtype accumulate, weft_error *error) {
    range from_x, from_y, to;
    const bool exact = accumulate == WEFT_EXACT_SUM;
    RETURN_IF_ERROR(check_dot_type(c->dtype, accumulate, &c->result, error));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from_x, error));
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, c->n, weft_dtype_size(c->dtype), &from_y, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from_x, error));
    RETURN_IF_ERROR(check_apart(&to, &from_y, error));
    if (type_is_half(c->dtype)) {
        const reduce_axes_call axes = view_dot_of(c->dtype, c->result, c->n, c->x, c->y, c->out);
        return ctx->backend->reduce_axes(ctx->state, &axes, error);
    }
    if (!exact || c->n == 0) return ctx->backend->dot(ctx->state, c, error);
    const exact_call call = {
        .terms = EXACT_PRODUCTS, .dtype = c->dtype, .n = c->n, .x = c->x, .y = c->y, .out = c->out};
    return ctx->backend->exact(ctx->state, &call, error);
}

weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                     const void *y, void *out) {
    dot_call call = {.dtype = dtype, .n = n, .x = x, .y = y, .out = out};
    RETURN_GUARDED(ctx, dot(ctx, &call, accumulate, error));
}
