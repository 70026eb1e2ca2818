/* weft_quantile_axis: argument checks. */
#include "core/views.h"

#include <string.h>

static weft_status check_quantiles(const quantile_axis_call *c, weft_error *error) {
    RETURN_IF(c->count > 0 && !c->q, WEFT_INVALID, "q is NULL");
    RETURN_IF_ERROR(check_host_value("q", c->q, error));
    for (size_t k = 0; k < c->count; k++)
        RETURN_IF(!(c->q[k] >= 0 && c->q[k] <= 1), WEFT_INVALID, "q[%zu] is %.17g: expected a number from 0 to 1", k,
                  c->q[k]);
    return WEFT_OK;
}

/* Returns the type of the results: means of integers are f64. */
static weft_dtype result_type(weft_quantile_method method, weft_dtype dtype) {
    const bool is_mean = method == WEFT_LINEAR || method == WEFT_MIDPOINT;
    return is_mean && !type_is_real(dtype) ? WEFT_F64 : dtype;
}

static weft_status quantile_axis(weft_context *ctx, quantile_axis_call *c, const weft_view *x, int axis,
                                 const weft_view *y, weft_error *error) {
    range from, to;
    size_t along;
    RETURN_IF((unsigned)c->method > WEFT_MIDPOINT, WEFT_INVALID, "invalid quantile method %d", (int)c->method);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_type(x->dtype, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    RETURN_IF_ERROR(check_quantiles(c, error));
    c->dtype = x->dtype;
    c->result = result_type(c->method, x->dtype);
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("y", y, c->result, error));
    RETURN_IF_ERROR(check_view_length("y", y, x, along, c->count, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (view_elements(y) == 0) return WEFT_OK;
    RETURN_IF(x->shape[along] == 0, WEFT_EMPTY, "quantiles of 0 elements along axis %d", axis);
    const view_vectors v = view_vectors_of(x, along, y);
    c->vectors = v.vectors;
    c->inner = v.inner;
    c->outer_count = v.outer_count;
    memcpy(c->outer, v.outer, sizeof c->outer);
    c->x = v.x;
    c->y = v.y;
    return ctx->backend->quantile_axis(ctx->state, c, error);
}

weft_status weft_quantile_axis(weft_context *ctx, weft_quantile_method method, const weft_view *x, int axis,
                               size_t count, const double *q, const weft_view *y) {
    quantile_axis_call call = {.method = method, .count = count, .q = q};
    RETURN_GUARDED(ctx, quantile_axis(ctx, &call, x, axis, y, error));
}
