/* weft_scan_axis: argument checks. */
#include "core/views.h"

#include <string.h>

static weft_status scan_axis(weft_context *ctx, scan_axis_call *c, weft_dtype accumulate, const weft_view *x,
                             int axis, const weft_view *y, weft_error *error) {
    range from, to;
    size_t along;
    RETURN_IF((unsigned)c->kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)c->kind);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    c->dtype = x->dtype;
    RETURN_IF_ERROR(check_array_scan_type("scan", c->op, c->dtype, accumulate, &c->result, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("y", y, c->result, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    RETURN_IF_ERROR(check_view_shape("y", y, x, error));
    if (!view_equal(x, y)) RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_host_value("init", c->init, error));
    if (view_elements(x) == 0) return WEFT_OK;
    const view_vectors v = view_vectors_of(x, along, y);
    c->vectors = v.vectors;
    c->inner = v.inner;
    c->outer_count = v.outer_count;
    memcpy(c->outer, v.outer, sizeof c->outer);
    c->x = v.x;
    c->y = v.y;
    return ctx->backend->scan_axis(ctx->state, c, error);
}

weft_status weft_scan_axis(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                           const weft_view *x, int axis, const void *init, const weft_view *y) {
    scan_axis_call call = {.op = op, .kind = kind, .init = init};
    RETURN_GUARDED(ctx, scan_axis(ctx, &call, accumulate, x, axis, y, error));
}
