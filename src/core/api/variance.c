/* weft_variance: argument checks. */
#include "core/check.h"
#include "core/half_arrays.h"
#include "core/part.h"
#include "core/views.h"

static weft_status variance(weft_context *ctx, variance_call *c, weft_dtype accumulate, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_variance_type(c->dtype, accumulate, &c->result, error));
    RETURN_IF(c->ddof >= c->n, WEFT_EMPTY,
              "variance of %zu elements is undefined with ddof %zu: ddof must be less than the number of elements",
              c->n, c->ddof);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from, error));
    RETURN_IF_ERROR(check_array(ctx, "out", c->out, 1, weft_dtype_size(c->result), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (type_is_half(c->dtype)) {
        reduce_axes_call axes = view_reduction_of(c->dtype, c->result, c->n, c->x, c->out);
        axes.variance = true;
        axes.op = WEFT_MEAN;
        axes.ddof = c->ddof;
        return ctx->backend->reduce_axes(ctx->state, &axes, error);
    }
    if (accumulate != WEFT_EXACT_SUM) return ctx->backend->variance(ctx->state, c, error);
    const exact_call call = {.terms = EXACT_VALUES,
                             .finish = EXACT_VARIANCE,
                             .dtype = c->dtype,
                             .n = c->n,
                             .ddof = c->ddof,
                             .x = c->x,
                             .out = c->out};
    return ctx->backend->exact(ctx->state, &call, error);
}

weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                          const void *x, void *out) {
    variance_call call = {.dtype = dtype, .n = n, .ddof = ddof, .x = x, .out = out};
    RETURN_GUARDED(ctx, variance(ctx, &call, accumulate, error));
}

weft_status part_deviations(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, double mean, double *sum) {
    const part_deviations_call call = {.dtype = dtype, .n = n, .x = x, .mean = mean, .sum = sum};
    RETURN_GUARDED(ctx, type_is_half(dtype) ? half_part_deviations(ctx, &call, error)
                                            : ctx->backend->part_deviations(ctx->state, &call, error));
}
