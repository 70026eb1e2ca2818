/* weft_reduce: argument checks. */
#include "core/check.h"
#include "core/exact_ops.h"
#include "core/half_arrays.h"
#include "core/part.h"
#include "core/views.h"

/* Runs a reduction that accumulates exactly. */
static weft_status reduce_exactly(weft_context *ctx, const reduce_call *c, weft_error *error) {
    const exact_call call = {.terms = exact_terms_of(c->op),
                             .finish = exact_finish_of(c->op),
                             .dtype = c->dtype,
                             .n = c->n,
                             .x = c->x,
                             .out = c->out};
    return ctx->backend->exact(ctx->state, &call, error);
}

static weft_status reduce(weft_context *ctx, reduce_call *c, weft_dtype accumulate, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_reduction_type(c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF(c->n == 0 && check_needs_elements(c->op), WEFT_EMPTY, "%s of 0 elements is undefined",
              weft_op_name(c->op));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (accumulate == WEFT_EXACT_SUM && c->n > 0) return reduce_exactly(ctx, c, error);
    if (type_is_half(c->dtype)) {
        reduce_axes_call axes = view_reduction_of(c->dtype, c->result, c->n, c->x, c->out);
        axes.op = c->op;
        return ctx->backend->reduce_axes(ctx->state, &axes, error);
    }
    return ctx->backend->reduce(ctx->state, c, error);
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    reduce_call call = {.op = op, .dtype = dtype, .n = n, .x = x, .out = out};
    RETURN_GUARDED(ctx, reduce(ctx, &call, accumulate, error));
}

weft_status part_exact(weft_context *ctx, exact_terms terms, weft_dtype dtype, size_t n, const void *x, const void *y,
                       int64_t *state) {
    const exact_call call = {.terms = terms, .dtype = dtype, .n = n, .x = x, .y = y, .state = state};
    RETURN_GUARDED(ctx, ctx->backend->exact(ctx->state, &call, error));
}

weft_status part_sum(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, double squares,
                     double *sum) {
    const part_sum_call call = {.op = op, .dtype = dtype, .n = n, .x = x, .squares = squares, .sum = sum};
    RETURN_GUARDED(ctx, type_is_half(dtype) ? half_part_sum(ctx, &call, error)
                                            : ctx->backend->part_sum(ctx->state, &call, error));
}
