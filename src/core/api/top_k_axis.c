/* weft_top_k_axis: argument checks. */
#include "core/views.h"

/* --------------------------------------------------------------------------------- dimensions */

/* A dimension of the three arrays. */
typedef struct dimension {
    size_t n;
    ptrdiff_t x, values, indices;
} dimension;

static size_t magnitude(ptrdiff_t stride) { return stride < 0 ? -(size_t)stride : (size_t)stride; }

/* Returns true if a dimension and the next one are one in an array, given their strides in it. */
static bool is_one(ptrdiff_t outer, size_t n, ptrdiff_t inner) { return (size_t)outer == n * (size_t)inner; }

/* Inserts a dimension of more than one element after those with strides of x that are not less. */
static void insert(dimension *d, size_t count, dimension added) {
    for (; count > 0 && magnitude(d[count - 1].x) < magnitude(added.x); count--) d[count] = d[count - 1];
    d[count] = added;
}

/* Merges each dimension with the next one if they are one in all arrays. Returns the number that is left. */
static size_t merge(dimension *d, size_t count) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        dimension *const outer = left > 0 ? &d[left - 1] : NULL;
        if (outer && is_one(outer->x, d[k].n, d[k].x) && is_one(outer->values, d[k].n, d[k].values) &&
            is_one(outer->indices, d[k].n, d[k].indices))
            *outer = (dimension){outer->n * d[k].n, d[k].x, d[k].values, d[k].indices};
        else
            d[left++] = d[k];
    }
    return left;
}

/* Sets the members of the call that describe the vectors along axis number `along` of views that have elements. */
static void set_vectors(top_k_axis_call *c, const weft_view *x, size_t along, const weft_view *values,
                        const weft_view *indices) {
    dimension d[WEFT_DIMENSIONS_MAX];
    size_t count = 0;
    c->vectors = view_elements(x) / x->shape[along];
    for (size_t k = 0; k < x->dimensions; k++)
        if (k != along && x->shape[k] > 1)
            insert(
                d, count++,
                (dimension){x->shape[k], x->stride[k], values->stride[k], (indices ? indices : values)->stride[k]});
    c->outer_count = merge(d, count);
    for (size_t k = 0; k < c->outer_count; k++) {
        c->values.outer[k] = (view_dimension){d[k].n, d[k].x, d[k].values};
        c->indices.outer[k] = (view_dimension){d[k].n, d[k].x, d[k].indices};
    }
    c->x = x->data;
    c->x_stride = x->stride[along];
    c->values.y = values->data;
    c->values.stride = values->stride[along];
    c->indices.y = indices ? indices->data : NULL;
    c->indices.stride = indices ? indices->stride[along] : 0;
}

/* --------------------------------------------------------------------------------------- call */

static weft_status check_indices(weft_context *ctx, const top_k_axis_call *c, const weft_view *x, size_t along,
                                 const weft_view *indices, range *r, weft_error *error) {
    RETURN_IF_ERROR(check_output_view(ctx, "indices", indices, r, error));
    RETURN_IF(indices->dtype != WEFT_U32 && indices->dtype != WEFT_U64, WEFT_UNSUPPORTED,
              "indices must have type u32 or u64, not %s", weft_dtype_name(indices->dtype));
    RETURN_IF_ERROR(check_view_length("indices", indices, x, along, c->k, error));
    RETURN_IF(indices->dtype == WEFT_U32 && (uint64_t)c->n > (uint64_t)UINT32_MAX + 1, WEFT_INVALID,
              "the indices of %zu elements do not fit in u32", c->n);
    return WEFT_OK;
}

static weft_status top_k_axis(weft_context *ctx, top_k_axis_call *c, const weft_view *x, int axis,
                              const weft_view *values, const weft_view *indices, weft_error *error) {
    range from, to, indices_to = {"indices", NULL, 0};
    size_t along;
    RETURN_IF((unsigned)c->extreme > WEFT_SMALLEST, WEFT_INVALID, "invalid extreme %d", (int)c->extreme);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    c->dtype = x->dtype;
    RETURN_IF_ERROR(check_type(c->dtype, error));
    RETURN_IF_ERROR(check_axes(x, 1, &axis, &along, error));
    c->n = x->shape[along];
    RETURN_IF(c->k > c->n, WEFT_INVALID, "k = %zu is greater than %zu, the number of elements along axis %d", c->k,
              c->n, axis);
    RETURN_IF_ERROR(check_output_view(ctx, "values", values, &to, error));
    RETURN_IF_ERROR(check_view_type("values", values, c->dtype, error));
    RETURN_IF_ERROR(check_view_length("values", values, x, along, c->k, error));
    if (indices) RETURN_IF_ERROR(check_indices(ctx, c, x, along, indices, &indices_to, error));
    RETURN_IF_ERROR(check_apart(&to, &from, error));
    RETURN_IF_ERROR(check_apart(&indices_to, &from, error));
    RETURN_IF_ERROR(check_apart(&indices_to, &to, error));
    if (view_elements(values) == 0) return WEFT_OK;
    c->index = indices ? indices->dtype : WEFT_U64;
    set_vectors(c, x, along, values, indices);
    return ctx->backend->top_k_axis(ctx->state, c, error);
}

weft_status weft_top_k_axis(weft_context *ctx, weft_extreme extreme, const weft_view *x, int axis, size_t k,
                            const weft_view *values, const weft_view *indices) {
    top_k_axis_call call = {.extreme = extreme, .k = k};
    RETURN_GUARDED(ctx, top_k_axis(ctx, &call, x, axis, values, indices, error));
}
