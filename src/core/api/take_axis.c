/* weft_take_axis: argument checks, and the dimensions of the result. */
#include "core/views.h"

/* ----------------------------------------------------------------------------- dimensions */

/* Sorts and merges the dimensions of the call. */
static void sort_dimensions(take_axis_call *c, size_t count) {
    ptrdiff_t moved[3];
    c->count = view_sort_dimensions(count, c->dimensions, sizeof *c->dimensions, 3, 2, moved);
    if (moved[0] != 0) c->x = (const char *)c->x + moved[0]; /* without elements x may be NULL */
    c->index = (const char *)c->index + moved[1];
    c->y = (char *)c->y + moved[2];
}

/* Fills the call for arrays that have been checked. strides: of the index, broadcast to y, which has elements. */
static void set_call(take_axis_call *c, const weft_view *x, size_t along, const weft_view *index,
                     const ptrdiff_t *strides, const weft_view *y) {
    c->index_dtype = index->dtype;
    c->element = weft_dtype_size(x->dtype);
    c->m = x->shape[along];
    c->stride = c->m > 1 ? x->stride[along] : 0;
    c->x = x->data;
    c->index = c->first_index = index->data;
    c->y = y->data;
    for (size_t k = 0; k < y->dimensions; k++) {
        const ptrdiff_t in_x = k == along || c->m == 0 ? 0 : x->stride[k];
        c->dimensions[k] = (take_dimension){y->shape[k], in_x, strides[k], y->stride[k]};
    }
    sort_dimensions(c, y->dimensions);
    for (size_t k = 0; k < index->dimensions; k++)
        c->indices[k] = (view_dimension){index->shape[k], index->stride[k], 0};
    c->indices_count = view_merge(index->dimensions, c->indices);
}

/* -------------------------------------------------------------------------------------- call */

static weft_status take_axis(weft_context *ctx, weft_range rule, const weft_view *x, int axis, const weft_view *index,
                             const weft_view *y, weft_error *error) {
    range from, by, to;
    size_t along;
    ptrdiff_t strides[WEFT_DIMENSIONS_MAX];
    take_axis_call c = {.range = rule};
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    RETURN_IF_ERROR(check_view(ctx, "index", index, &by, error));
    RETURN_IF_ERROR(check_index_type("take_axis", rule, index->dtype, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("y", y, x->dtype, error));
    const size_t n = along < y->dimensions ? y->shape[along] : x->shape[along];
    RETURN_IF_ERROR(check_view_length("y", y, x, along, n, error));
    RETURN_IF_ERROR(view_broadcast("index", index, "y", y, y->dimensions, strides, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_apart(&to, &by, error));
    if (view_elements(y) == 0 || (rule == WEFT_RANGE_SKIP && x->shape[along] == 0)) return WEFT_OK;
    set_call(&c, x, along, index, strides, y);
    return ctx->backend->take_axis(ctx->state, &c, error);
}

weft_status weft_take_axis(weft_context *ctx, weft_range range, const weft_view *x, int axis, const weft_view *index,
                           const weft_view *y) {
    RETURN_GUARDED(ctx, take_axis(ctx, range, x, axis, index, y, error));
}
