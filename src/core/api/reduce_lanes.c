/* weft_reduce_lanes: argument checks. */
#include "core/check.h"
#include "core/order.h"

static weft_status reduce_lanes(weft_context *ctx, reduce_lanes_call *c, weft_dtype accumulate, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_float("a reduction by lanes", c->dtype, error));
    RETURN_IF_ERROR(check_reduce_type(c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF(c->op != WEFT_SUM && c->op != WEFT_PROD, WEFT_UNSUPPORTED,
              "%s by lanes is not defined: expected sum or prod", weft_op_name(c->op));
    RETURN_IF(c->lanes == 0 || c->lanes > WEFT_REDUCE_LANES_MAX, WEFT_INVALID,
              "invalid number of lanes %zu: expected 1 to %d", c->lanes, WEFT_REDUCE_LANES_MAX);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    return ctx->backend->reduce_lanes(ctx->state, c, error);
}

weft_status weft_reduce_lanes(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                              size_t lanes, const void *x, void *out) {
    reduce_lanes_call call = {.op = op, .dtype = dtype, .n = n, .lanes = lanes, .x = x, .out = out};
    RETURN_GUARDED(ctx, reduce_lanes(ctx, &call, accumulate, error));
}
