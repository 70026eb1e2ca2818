/* weft_sort_axis and weft_argsort_axis: argument checks. */
#include "core/views.h"

#include <string.h>

/* `name` is that of the output. */
static weft_status sort_axis(weft_context *ctx, sort_axis_call *c, const weft_view *x, int axis, const char *name,
                             const weft_view *y, weft_error *error) {
    range from, to;
    size_t along;
    RETURN_IF((unsigned)c->order > WEFT_DESCENDING, WEFT_INVALID, "invalid sort order %d", (int)c->order);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    c->dtype = x->dtype;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    RETURN_IF_ERROR(check_output_view(ctx, name, y, &to, error));
    c->result = c->indices ? y->dtype : c->dtype;
    RETURN_IF(c->indices && c->result != WEFT_U32 && c->result != WEFT_U64, WEFT_UNSUPPORTED,
              "indices must have type u32 or u64, not %s", weft_dtype_name(c->result));
    RETURN_IF_ERROR(check_view_type(name, y, c->result, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    RETURN_IF_ERROR(check_view_shape(name, y, x, error));
    if (c->indices || !view_equal(x, y)) RETURN_IF_ERROR(check_apart(&to, &from, error));
    if (view_elements(x) == 0) return WEFT_OK;
    const view_vectors v = view_vectors_of(x, along, y);
    RETURN_IF(c->result == WEFT_U32 && c->indices && (uint64_t)v.inner.n > (uint64_t)UINT32_MAX + 1, WEFT_INVALID,
              "the indices of %zu keys do not fit in u32", v.inner.n);
    c->vectors = v.vectors;
    c->inner = v.inner;
    c->outer_count = v.outer_count;
    memcpy(c->outer, v.outer, sizeof c->outer);
    c->x = v.x;
    c->y = v.y;
    return ctx->backend->sort_axis(ctx->state, c, error);
}

weft_status weft_sort_axis(weft_context *ctx, weft_order_of_sort order, const weft_view *x, int axis,
                           const weft_view *y) {
    sort_axis_call call = {.order = order};
    RETURN_GUARDED(ctx, sort_axis(ctx, &call, x, axis, "y", y, error));
}

weft_status weft_argsort_axis(weft_context *ctx, weft_order_of_sort order, const weft_view *x, int axis,
                              const weft_view *indices) {
    sort_axis_call call = {.indices = true, .order = order};
    RETURN_GUARDED(ctx, sort_axis(ctx, &call, x, axis, "indices", indices, error));
}
