/* weft_reduce_axes, weft_variance_axes and weft_dot_axes: argument checks. */
#include "core/views.h"

/* Arguments of the caller. */
typedef struct request {
    weft_dtype accumulate;
    const weft_view *x, *y, *out; /* y: second operand of a dot product, of the shape of x; else NULL */
    size_t count;
    const int *axes;
} request;

/* Fails unless the shape of out is that of x without the axes, or with length 1 for each of them. */
static weft_status check_shape(const request *r, const bool reduced[WEFT_DIMENSIONS_MAX], weft_error *error) {
    const weft_view *const x = r->x, *const out = r->out;
    const bool keeps = out->dimensions == x->dimensions;
    size_t expected[WEFT_DIMENSIONS_MAX], dimensions = 0;
    bool equal = true;
    for (size_t k = 0; k < x->dimensions; k++)
        if (!reduced[k] || keeps) expected[dimensions++] = reduced[k] ? 1 : x->shape[k];
    for (size_t k = 0; k < dimensions; k++) equal = equal && k < out->dimensions && out->shape[k] == expected[k];
    RETURN_IF(!equal || out->dimensions != dimensions, WEFT_INVALID, "out has shape %s: expected %s",
              view_shape_text(out->dimensions, out->shape).text, view_shape_text(dimensions, expected).text);
    return WEFT_OK;
}

/* Divides the dimensions of x into those of a vector and the others. */
static void divide(const request *r, const size_t *axes, const bool reduced[WEFT_DIMENSIONS_MAX],
                   reduce_axes_call *c) {
    const weft_view *const x = r->x, *const out = r->out;
    const bool keeps = out->dimensions == x->dimensions;
    for (size_t a = 0; a < r->count; a++) {
        c->inner[a] = (view_dimension){x->shape[axes[a]], x->stride[axes[a]], 0};
        if (r->y) c->factor.inner[a] = r->y->stride[axes[a]];
    }
    for (size_t k = 0, of_out = 0; k < x->dimensions; k++) {
        if (!reduced[k]) {
            if (r->y) c->factor.outer[c->outer_count] = r->y->stride[k];
            c->outer[c->outer_count++] = (view_dimension){x->shape[k], x->stride[k], out->stride[of_out]};
        }
        if (!reduced[k] || keeps) of_out++;
    }
    c->n = 1;
    for (size_t a = 0; a < r->count; a++) c->n *= c->inner[a].n;
    c->vectors = view_elements(out);
}

/* Fails if the vectors have too few elements. */
static weft_status check_count(const reduce_axes_call *c, weft_error *error) {
    RETURN_IF(c->variance && c->ddof >= c->n, WEFT_EMPTY, "variance of %zu elements with ddof %zu is undefined", c->n,
              c->ddof);
    RETURN_IF(!c->variance && c->n == 0 && check_needs_elements(c->op), WEFT_EMPTY, "%s of 0 elements is undefined",
              weft_op_name(c->op));
    return WEFT_OK;
}

/* Calls the backend. The types and the shape of out have been checked. */
static weft_status run(weft_context *ctx, const request *r, const size_t *axes,
                       const bool reduced[WEFT_DIMENSIONS_MAX], reduce_axes_call *c, weft_error *error) {
    divide(r, axes, reduced, c);
    RETURN_IF_ERROR(check_count(c, error));
    if (c->vectors == 0) return WEFT_OK;
    c->exact = r->accumulate == WEFT_EXACT_SUM && c->n > 0;
    c->x = r->x->data;
    c->y = r->out->data;
    if (r->y) c->factor.p = r->y->data;
    c->inner_count = c->n == 0 ? 0 : view_merge_with(r->count, c->inner, r->y ? c->factor.inner : NULL);
    c->outer_count =
        view_sort_and_merge_with(c->outer_count, c->outer, r->y ? c->factor.outer : NULL, &c->x, &c->factor.p, &c->y);
    return ctx->backend->reduce_axes(ctx->state, c, error);
}

/* Checks out and the axes. Fills *to with the memory of out, `axes` and `reduced` as check_reduced_axes does. */
static weft_status check_reduced(const weft_context *ctx, const request *r, weft_dtype result, range *to,
                                 size_t *axes, bool reduced[WEFT_DIMENSIONS_MAX], weft_error *error) {
    RETURN_IF_ERROR(check_output_view(ctx, "out", r->out, to, error));
    RETURN_IF_ERROR(check_view_type("out", r->out, result, error));
    RETURN_IF_ERROR(check_reduced_axes(r->x, r->count, r->axes, axes, reduced, error));
    return check_shape(r, reduced, error);
}

/* Checks out and the axes, and calls the backend. `from`: the memory that x spans, and that y spans if there is one.
 */
static weft_status reduce_view(weft_context *ctx, const request *r, const range *from, reduce_axes_call *c,
                               weft_error *error) {
    range to;
    size_t axes[WEFT_DIMENSIONS_MAX];
    bool reduced[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_reduced(ctx, r, c->result, &to, axes, reduced, error));
    RETURN_IF_ERROR(check_apart(&to, &from[0], error));
    if (r->y) RETURN_IF_ERROR(check_apart(&to, &from[1], error));
    return run(ctx, r, axes, reduced, c, error);
}

static request request_of(const view_reduction *v, const weft_view *x, const weft_view *out) {
    return (request){.accumulate = v->accumulate, .x = x, .out = out, .count = v->count, .axes = v->axes};
}

weft_status check_view_reduction(const weft_context *ctx, const view_reduction *v, const weft_view *x,
                                 const weft_view *out, range *to, weft_error *error) {
    const request r = request_of(v, x, out);
    reduce_axes_call c = {.op = v->op};
    size_t axes[WEFT_DIMENSIONS_MAX];
    bool reduced[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_reduction_type(v->op, x->dtype, v->accumulate, &c.result, error));
    RETURN_IF_ERROR(check_reduced(ctx, &r, c.result, to, axes, reduced, error));
    divide(&r, axes, reduced, &c);
    return check_count(&c, error);
}

weft_status run_view_reduction(weft_context *ctx, const view_reduction *v, const weft_view *x, const weft_view *out,
                               weft_error *error) {
    const request r = request_of(v, x, out);
    reduce_axes_call c = {.op = v->op, .dtype = x->dtype, .result = out->dtype};
    size_t axes[WEFT_DIMENSIONS_MAX];
    bool reduced[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_reduced_axes(x, v->count, v->axes, axes, reduced, error));
    return run(ctx, &r, axes, reduced, &c, error);
}

static weft_status reduce_axes(weft_context *ctx, const request *r, reduce_axes_call *c, weft_error *error) {
    range from;
    RETURN_IF_ERROR(check_view(ctx, "x", r->x, &from, error));
    c->dtype = r->x->dtype;
    RETURN_IF_ERROR(c->variance ? check_variance_type(c->dtype, r->accumulate, &c->result, error)
                                : check_reduction_type(c->op, c->dtype, r->accumulate, &c->result, error));
    return reduce_view(ctx, r, &from, c, error);
}

static weft_status dot_axes(weft_context *ctx, const request *r, reduce_axes_call *c, weft_error *error) {
    range from[2];
    weft_view x, y;
    RETURN_IF_ERROR(check_view(ctx, "x", r->x, &from[0], error));
    RETURN_IF_ERROR(check_view(ctx, "y", r->y, &from[1], error));
    RETURN_IF_ERROR(check_view_type("y", r->y, r->x->dtype, error));
    c->dtype = r->x->dtype;
    RETURN_IF_ERROR(check_dot_type(c->dtype, r->accumulate, &c->result, error));
    RETURN_IF_ERROR(view_broadcast_both(r->x, r->y, &x, &y, error));
    const bool turn =
        view_elements(r->x) < view_elements(r->y); /* the products are the same: x repeats fewer elements */
    request both = *r;
    both.x = turn ? &y : &x;
    both.y = turn ? &x : &y;
    return reduce_view(ctx, &both, from, c, error);
}

weft_status weft_reduce_axes(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_view *x, size_t count,
                             const int *axes, const weft_view *out) {
    const request r = {.accumulate = accumulate, .x = x, .out = out, .count = count, .axes = axes};
    reduce_axes_call call = {.op = op};
    RETURN_GUARDED(ctx, reduce_axes(ctx, &r, &call, error));
}

weft_status weft_variance_axes(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_view *x,
                               size_t count, const int *axes, const weft_view *out) {
    const request r = {.accumulate = accumulate, .x = x, .out = out, .count = count, .axes = axes};
    reduce_axes_call call = {.variance = true, .op = WEFT_MEAN, .ddof = ddof};
    RETURN_GUARDED(ctx, reduce_axes(ctx, &r, &call, error));
}

weft_status weft_dot_axes(weft_context *ctx, weft_dtype accumulate, const weft_view *x, const weft_view *y,
                          size_t count, const int *axes, const weft_view *out) {
    const request r = {.accumulate = accumulate, .x = x, .y = y, .out = out, .count = count, .axes = axes};
    reduce_axes_call call = {.dot = true, .op = WEFT_SUM};
    RETURN_GUARDED(ctx, dot_axes(ctx, &r, &call, error));
}
