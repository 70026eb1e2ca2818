/* weft_reduce: argument checks. */
#include "core/check.h"
#include "core/part.h"

/* Runs a reduction that accumulates exactly. */
static weft_status reduce_exactly(weft_context *ctx, const reduce_call *c, weft_error *error) {
    exact_call call = {.dtype = c->dtype, .n = c->n, .x = c->x, .out = c->out};
    call.terms = part_exact_terms(c->op);
    call.finish = c->op == WEFT_MEAN ? EXACT_MEAN : c->op == WEFT_NORM2 ? EXACT_ROOT : EXACT_TOTAL;
    return ctx->backend->exact(ctx->state, &call, error);
}

static weft_status reduce(weft_context *ctx, reduce_call *c, weft_dtype accumulate, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_whole_type(c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF(c->n == 0 && check_needs_elements(c->op), WEFT_EMPTY, "%s of 0 elements is undefined",
              weft_op_name(c->op));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (accumulate == WEFT_EXACT_SUM && c->n > 0) return reduce_exactly(ctx, c, error);
    return ctx->backend->reduce(ctx->state, c, error);
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    reduce_call call = {.op = op, .dtype = dtype, .n = n, .x = x, .out = out};
    RETURN_GUARDED(ctx, reduce(ctx, &call, accumulate, error));
}

exact_terms part_exact_terms(weft_op op) {
    if (op == WEFT_NORM1) return EXACT_MAGNITUDES;
    return op == WEFT_NORM2 ? EXACT_SQUARES : EXACT_VALUES;
}

weft_status part_exact(weft_context *ctx, exact_terms terms, weft_dtype dtype, size_t n, const void *x, const void *y,
                       int64_t *state) {
    const exact_call call = {.terms = terms, .dtype = dtype, .n = n, .x = x, .y = y, .state = state};
    RETURN_GUARDED(ctx, ctx->backend->exact(ctx->state, &call, error));
}

weft_status part_sum(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, double squares,
                     double *sum) {
    const part_sum_call call = {.op = op, .dtype = dtype, .n = n, .x = x, .squares = squares, .sum = sum};
    RETURN_GUARDED(ctx, ctx->backend->part_sum(ctx->state, &call, error));
}
