/* weft_take_axis: argument checks, and the dimensions of the result. */
#include "core/views.h"

/* ----------------------------------------------------------------------------- dimensions */

/* Makes the distance of a dimension in y positive: moves the first element to its other end. */
static void turn(take_axis_call *c, take_dimension *d) {
    const ptrdiff_t last = (ptrdiff_t)d->n - 1;
    if (d->y >= 0) return;
    if (d->x != 0) c->x = (const char *)c->x + last * d->x; /* without elements x may be NULL */
    c->index = (const char *)c->index + last * d->index;
    c->y = (char *)c->y + last * d->y;
    *d = (take_dimension){d->n, -d->x, -d->index, -d->y};
}

/* Adds a dimension to those of the call, which stay sorted by y, the largest first. */
static void insert(take_axis_call *c, take_dimension d) {
    size_t to = c->count;
    if (d.n == 1) return;
    turn(c, &d);
    for (; to > 0 && c->dimensions[to - 1].y < d.y; to--) c->dimensions[to] = c->dimensions[to - 1];
    c->dimensions[to] = d;
    c->count++;
}

/* Returns true if two dimensions are one in memory. */
static bool are_one(const take_dimension *outer, const take_dimension *inner) {
    return (size_t)outer->x == inner->n * (size_t)inner->x && (size_t)outer->y == inner->n * (size_t)inner->y &&
           (size_t)outer->index == inner->n * (size_t)inner->index;
}

/* Merges each dimension with the next one if both are one in memory. */
static void merge(take_axis_call *c) {
    size_t left = 0;
    for (size_t k = 0; k < c->count; k++) {
        const take_dimension inner = c->dimensions[k];
        take_dimension *const outer = left > 0 ? &c->dimensions[left - 1] : NULL;
        if (outer && are_one(outer, &inner))
            *outer = (take_dimension){outer->n * inner.n, inner.x, inner.index, inner.y};
        else
            c->dimensions[left++] = inner;
    }
    c->count = left;
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
        insert(c, (take_dimension){y->shape[k], in_x, strides[k], y->stride[k]});
    }
    merge(c);
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
