/* weft_scan_axis: argument checks. */
#include "core/views.h"

#include <string.h>

static bool equal_views(const weft_view *x, const weft_view *y) {
    const size_t count = x->dimensions;
    return x->data == y->data && x->dtype == y->dtype && count == y->dimensions &&
           memcmp(x->shape, y->shape, count * sizeof *x->shape) == 0 &&
           memcmp(x->stride, y->stride, count * sizeof *x->stride) == 0;
}

static weft_status check_shape(const weft_view *x, const weft_view *y, weft_error *error) {
    bool equal = x->dimensions == y->dimensions;
    for (size_t k = 0; equal && k < x->dimensions; k++) equal = x->shape[k] == y->shape[k];
    RETURN_IF(!equal, WEFT_INVALID, "y has shape %s: expected that of x, %s",
              view_shape_text(y->dimensions, y->shape).text, view_shape_text(x->dimensions, x->shape).text);
    return WEFT_OK;
}

static weft_status scan_axis(weft_context *ctx, scan_axis_call *c, weft_dtype accumulate, const weft_view *x,
                             int axis, const weft_view *y, weft_error *error) {
    range from, to;
    size_t along;
    RETURN_IF((unsigned)c->kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)c->kind);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    c->dtype = x->dtype;
    RETURN_IF_ERROR(check_scan_type("scan", c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("y", y, c->result, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    RETURN_IF_ERROR(check_shape(x, y, error));
    if (!equal_views(x, y)) RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_host_value("init", c->init, error));
    if (view_elements(x) == 0) return WEFT_OK;
    for (size_t k = 0; k < x->dimensions; k++)
        if (k != along) c->outer[c->outer_count++] = (view_dimension){x->shape[k], x->stride[k], y->stride[k]};
    c->inner = (view_dimension){x->shape[along], x->stride[along], y->stride[along]};
    c->vectors = view_elements(x) / c->inner.n;
    c->x = x->data;
    c->y = y->data;
    c->outer_count = view_sort_and_merge(c->outer_count, c->outer, &c->x, &c->y);
    return ctx->backend->scan_axis(ctx->state, c, error);
}

weft_status weft_scan_axis(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                           const weft_view *x, int axis, const void *init, const weft_view *y) {
    scan_axis_call call = {.op = op, .kind = kind, .init = init};
    RETURN_GUARDED(ctx, scan_axis(ctx, &call, accumulate, x, axis, y, error));
}
