/* weft_take_axis and weft_put_axis: argument checks, and the dimensions of the elements. */
#include "core/views.h"

/* ----------------------------------------------------------------------------- dimensions */

/* Sorts and merges the dimensions of the call. */
static void sort_dimensions(take_axis_call *c, size_t count) {
    ptrdiff_t moved[3];
    c->count = view_sort_dimensions(count, c->dimensions, sizeof *c->dimensions, 3, 2, moved);
    if (moved[0] != 0) c->table = (char *)c->table + moved[0]; /* without elements it may be NULL */
    c->index = (const char *)c->index + moved[1];
    c->list = (char *)c->list + moved[2];
}

/* Sets the dimensions of all indices. `missing`: axes of the table that the index does not have. */
static void set_indices(take_axis_call *c, size_t along, const weft_view *index, size_t missing) {
    size_t vectors = 1;
    for (size_t k = index->dimensions; k-- > 0;) {
        const bool is_axis = k + missing == along;
        c->indices[k] = (view_dimension){index->shape[k], index->stride[k], 0};
        if (is_axis || !c->put) continue;
        c->indices[k].y = (ptrdiff_t)(vectors * c->m);
        vectors *= index->shape[k];
    }
    if (along >= missing && index->shape[along - missing] > 1 && c->put) c->slots = vectors * c->m;
    c->indices_count = view_merge(index->dimensions, c->indices);
}

/* Arrays of a call that have been checked, with the strides of the index and of the list, broadcast to `shape`. */
typedef struct arguments {
    const weft_view *table, *index, *list;
    size_t along;
    const size_t *shape; /* of the elements that are moved, of which there are some */
    ptrdiff_t index_stride[WEFT_DIMENSIONS_MAX], list_stride[WEFT_DIMENSIONS_MAX];
} arguments;

/* Fills the call, of which `put` and `range` are set. */
static void set_call(take_axis_call *c, const arguments *a) {
    const weft_view *const table = a->table;
    c->index_dtype = a->index->dtype;
    c->element = weft_dtype_size(table->dtype);
    c->m = table->shape[a->along];
    c->stride = c->m > 1 ? table->stride[a->along] : 0;
    c->table = table->data;
    c->index = c->first_index = a->index->data;
    c->list = a->list->data;
    for (size_t k = 0; k < table->dimensions; k++) {
        const ptrdiff_t in_table = k == a->along || c->m == 0 ? 0 : table->stride[k];
        c->dimensions[k] = (take_dimension){a->shape[k], in_table, a->index_stride[k], a->list_stride[k]};
    }
    sort_dimensions(c, table->dimensions);
    set_indices(c, a->along, a->index, table->dimensions - a->index->dimensions);
}

/* -------------------------------------------------------------------------------------- call */

static weft_status take_axis(weft_context *ctx, weft_range rule, const weft_view *x, int axis, const weft_view *index,
                             const weft_view *y, weft_error *error) {
    range from, by, to;
    arguments a = {.table = x, .index = index, .list = y};
    take_axis_call c = {.range = rule};
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &a.along, error));
    RETURN_IF_ERROR(check_view(ctx, "index", index, &by, error));
    RETURN_IF_ERROR(check_index_type("take_axis", rule, index->dtype, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_view_type("y", y, x->dtype, error));
    const size_t n = a.along < y->dimensions ? y->shape[a.along] : x->shape[a.along];
    RETURN_IF_ERROR(check_view_length("y", y, x, a.along, n, error));
    RETURN_IF_ERROR(view_broadcast("index", index, "y", y, y->dimensions, a.index_stride, error));
    RETURN_IF_ERROR(view_broadcast("y", y, "y", y, y->dimensions, a.list_stride, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_apart(&to, &by, error));
    if (view_elements(y) == 0 || (rule == WEFT_RANGE_SKIP && x->shape[a.along] == 0)) return WEFT_OK;
    a.shape = y->shape;
    set_call(&c, &a);
    return ctx->backend->take_axis(ctx->state, &c, error);
}

weft_status weft_take_axis(weft_context *ctx, weft_range range, const weft_view *x, int axis, const weft_view *index,
                           const weft_view *y) {
    RETURN_GUARDED(ctx, take_axis(ctx, range, x, axis, index, y, error));
}

/* Sets the shape of the targets: that of y, with the length of the index along the axis. */
static weft_status set_targets(const weft_view *y, size_t along, const weft_view *index, weft_view *targets,
                               weft_error *error) {
    const size_t missing = y->dimensions - index->dimensions; /* wraps if it is negative */
    size_t bytes = weft_dtype_size(y->dtype);
    *targets = *y;
    targets->shape[along] =
        index->dimensions <= y->dimensions && along >= missing ? index->shape[along - missing] : 1;
    for (size_t k = 0; k < y->dimensions; k++)
        RETURN_IF(targets->shape[k] > 0 && __builtin_mul_overflow(bytes, targets->shape[k], &bytes), WEFT_INVALID,
                  "targets of shape %s do not fit in memory", view_shape_text(y->dimensions, targets->shape).text);
    return WEFT_OK;
}

static weft_status put_axis(weft_context *ctx, weft_range rule, const weft_view *x, int axis, const weft_view *index,
                            const weft_view *y, weft_error *error) {
    range from, by, to;
    weft_view targets;
    arguments a = {.table = y, .index = index, .list = x};
    take_axis_call c = {.put = true, .range = rule};
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_view(ctx, "index", index, &by, error));
    RETURN_IF_ERROR(check_index_type("put_axis", rule, index->dtype, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_axes(y, 1, &axis, &a.along, error));
    RETURN_IF_ERROR(check_view_type("x", x, y->dtype, error));
    RETURN_IF_ERROR(set_targets(y, a.along, index, &targets, error));
    RETURN_IF_ERROR(view_broadcast("index", index, "targets", &targets, targets.dimensions, a.index_stride, error));
    RETURN_IF_ERROR(view_broadcast("x", x, "targets", &targets, targets.dimensions, a.list_stride, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_apart(&to, &by, error));
    if (view_elements(&targets) == 0 || (rule == WEFT_RANGE_SKIP && y->shape[a.along] == 0)) return WEFT_OK;
    a.shape = targets.shape;
    set_call(&c, &a);
    return ctx->backend->take_axis(ctx->state, &c, error);
}

weft_status weft_put_axis(weft_context *ctx, weft_range range, const weft_view *x, int axis, const weft_view *index,
                          const weft_view *y) {
    RETURN_GUARDED(ctx, put_axis(ctx, range, x, axis, index, y, error));
}
