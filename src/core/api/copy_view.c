/* weft_copy_view: argument checks. */
#include "core/views.h"

/* Fills the dimensions of the copy: those of y, and the strides of x broadcast to them. */
static weft_status broadcast(const weft_view *x, const weft_view *y, copy_view_call *c, weft_error *error) {
    const size_t missing = y->dimensions - x->dimensions;
    for (size_t k = 0; k < y->dimensions; k++) {
        const bool repeats = k < missing || (x->shape[k - missing] == 1 && y->shape[k] != 1);
        RETURN_IF(!repeats && x->shape[k - missing] != y->shape[k], WEFT_INVALID,
                  "x of shape %s cannot be broadcast to y of shape %s", view_shape_text(x->dimensions, x->shape).text,
                  view_shape_text(y->dimensions, y->shape).text);
        c->dimensions[k] = (view_dimension){y->shape[k], repeats ? 0 : x->stride[k - missing], y->stride[k]};
    }
    c->count = y->dimensions;
    return WEFT_OK;
}

static weft_status copy_view(weft_context *ctx, const weft_view *x, const weft_view *y, weft_error *error) {
    range from, to;
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("x", x, y->dtype, error));
    RETURN_IF(x->dimensions > y->dimensions, WEFT_INVALID, "x has %zu dimensions, more than y, which has %zu",
              x->dimensions, y->dimensions);
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    copy_view_call c = {.element = weft_dtype_size(x->dtype), .x = x->data, .y = y->data};
    RETURN_IF_ERROR(broadcast(x, y, &c, error));
    if (view_elements(y) == 0) return WEFT_OK;
    c.count = view_sort_and_merge(c.count, c.dimensions, &c.x, &c.y);
    return ctx->backend->copy_view(ctx->state, &c, error);
}

weft_status weft_copy_view(weft_context *ctx, const weft_view *x, const weft_view *y) {
    RETURN_GUARDED(ctx, copy_view(ctx, x, y, error));
}
