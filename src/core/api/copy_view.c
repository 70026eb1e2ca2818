/* weft_copy_view: argument checks. */
#include "core/views.h"

weft_status view_copy(weft_context *ctx, const weft_view *x, const weft_view *y, weft_error *error) {
    copy_view_call c = {.element = weft_dtype_size(x->dtype), .count = y->dimensions, .x = x->data, .y = y->data};
    for (size_t k = 0; k < c.count; k++) c.dimensions[k] = (view_dimension){y->shape[k], x->stride[k], y->stride[k]};
    view_order_copy(&c, c.count);
    return ctx->backend->copy_view(ctx->state, &c, error);
}

static weft_status copy_view(weft_context *ctx, const weft_view *x, const weft_view *y, weft_error *error) {
    range from, to;
    weft_view broadcast = {0};
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("x", x, y->dtype, error));
    RETURN_IF_ERROR(view_broadcast("x", x, "y", y, y->dimensions, broadcast.stride, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (view_elements(y) == 0) return WEFT_OK;
    broadcast.dtype = x->dtype;
    broadcast.data = x->data;
    return view_copy(ctx, &broadcast, y, error);
}

weft_status weft_copy_view(weft_context *ctx, const weft_view *x, const weft_view *y) {
    RETURN_GUARDED(ctx, copy_view(ctx, x, y, error));
}
