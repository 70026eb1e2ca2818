/* weft_dot: argument checks. */
#include "core/check.h"

static weft_status dot(weft_context *ctx, dot_call *c, weft_dtype accumulate, weft_error *error) {
    range from_x, from_y, to;
    FORWARD(check_result("dot", WIDE, c->dtype, accumulate, &c->result, error));
    FORWARD(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from_x, error));
    FORWARD(check_array(ctx, "y", c->y, c->n, weft_dtype_size(c->dtype), &from_y, error));
    FORWARD(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    FORWARD(check_apart(&to, &from_x, error));
    FORWARD(check_apart(&to, &from_y, error));
    return ctx->backend->dot(ctx->state, c, error);
}

weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                     const void *y, void *out) {
    dot_call call = {.dtype = dtype, .n = n, .x = x, .y = y, .out = out};
    GUARDED(ctx, dot(ctx, &call, accumulate, error));
}
