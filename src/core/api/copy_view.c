/* weft_copy_view: argument checks. */
#include "core/views.h"

static weft_status copy_view(weft_context *ctx, const weft_view *x, const weft_view *y, weft_error *error) {
    range from, to;
    ptrdiff_t strides[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("x", x, y->dtype, error));
    RETURN_IF_ERROR(view_broadcast("x", x, "y", y, y->dimensions, strides, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (view_elements(y) == 0) return WEFT_OK;
    copy_view_call c = {.element = weft_dtype_size(x->dtype), .count = y->dimensions, .x = x->data, .y = y->data};
    for (size_t k = 0; k < c.count; k++) c.dimensions[k] = (view_dimension){y->shape[k], strides[k], y->stride[k]};
    view_order_copy(&c, c.count);
    return ctx->backend->copy_view(ctx->state, &c, error);
}

weft_status weft_copy_view(weft_context *ctx, const weft_view *x, const weft_view *y) {
    RETURN_GUARDED(ctx, copy_view(ctx, x, y, error));
}
