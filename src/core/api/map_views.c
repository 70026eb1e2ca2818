/* weft_map_views: argument checks, and the dimensions of the values of formulas of views. */
#include "core/bindings.h"
#include "core/views.h"

/* --------------------------------------------------------------------------------- checks */

/* Sets the distances of leaf `number` along the axes of `out`. */
static weft_status set_distances(const formula_request *r, size_t number, const char *name, const weft_view *out,
                                 map_dimension *d, weft_error *error) {
    ptrdiff_t strides[WEFT_DIMENSIONS_MAX] = {0};
    const weft_view *const view = r->bound[number];
    if (view)
        RETURN_IF_ERROR(view_broadcast(r->memory[number].name, view, name, out, out->dimensions, strides, error));
    size_t elements = 1;
    for (size_t k = out->dimensions; k-- > 0; elements *= out->shape[k])
        d[k].x[number] = r->leaves[number].kind == LEAF_INDEX ? (ptrdiff_t)elements : strides[k];
    return WEFT_OK;
}

weft_status formula_dimensions(const formula_request *r, const char *name, const weft_view *out, map_dimension *d,
                               weft_error *error) {
    for (size_t k = 0; k < out->dimensions; k++) d[k].n = out->shape[k], d[k].out = out->stride[k];
    for (size_t i = 0; i < r->call.leaf_count; i++) RETURN_IF_ERROR(set_distances(r, i, name, out, d, error));
    return WEFT_OK;
}

/* Checks that the output overlaps no view of the formula that is not equal to it. */
static weft_status check_output(const formula_request *r, const weft_view *out, const range *to, weft_error *error) {
    for (size_t i = 0; i < r->call.leaf_count; i++)
        if (r->bound[i] && !view_equal(r->bound[i], out)) RETURN_IF_ERROR(check_apart(to, &r->memory[i], error));
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------- dimensions */

/* Sorts the dimensions, the largest distance of the values first, and merges those that are one in memory. Returns
 * the number of dimensions left. */
static size_t sort_dimensions(formula_request *r, size_t count, map_dimension *d) {
    ptrdiff_t moved[1 + MAP_LEAVES];
    const size_t leaves = r->call.leaf_count, left = view_sort_dimensions(count, d, sizeof *d, 1 + leaves, 0, moved);
    r->call.out = (char *)r->call.out + moved[0];
    for (size_t i = 0; i < leaves; i++) {
        map_leaf *const leaf = &r->leaves[i];
        if (leaf->kind == LEAF_ARRAY) leaf->p = (const char *)leaf->p + moved[1 + i];
        if (leaf->kind == LEAF_INDEX) leaf->value.u64 += (uint64_t)moved[1 + i];
    }
    return left;
}

/* Returns true if the call is one of weft_map: all arrays have adjacent elements. */
static bool is_plain(const formula_request *r, size_t count, const map_dimension *d) {
    bool plain = count == 0 || (count == 1 && d->out == (ptrdiff_t)weft_dtype_size(r->call.result));
    for (size_t i = 0; i < r->call.leaf_count && count == 1 && plain; i++) {
        const map_leaf *leaf = &r->leaves[i];
        const size_t adjacent = leaf->kind == LEAF_ARRAY ? weft_dtype_size(leaf->dtype) : leaf->kind == LEAF_INDEX;
        plain = d->x[i] == (ptrdiff_t)adjacent;
    }
    return plain;
}

weft_status formula_evaluate(formula_request *r, size_t count, map_dimension *d, void *out, weft_error *error) {
    r->call.n = 1;
    r->call.leaves = r->leaves;
    r->call.out = out;
    for (size_t k = 0; k < count; k++) r->call.n *= d[k].n;
    count = sort_dimensions(r, count, d);
    if (is_plain(r, count, d)) return r->ctx->backend->map(r->ctx->state, &r->call, error);
    const map_views_call call = {.map = &r->call, .count = count, .dimensions = d};
    return r->ctx->backend->map_views(r->ctx->state, &call, error);
}

/* --------------------------------------------------------------------------------------- call */

static weft_status map_views(formula_request *r, const weft_view *out, weft_error *error) {
    map_dimension dimensions[WEFT_DIMENSIONS_MAX];
    range to;
    RETURN_IF_ERROR(bind_formula(r, error));
    RETURN_IF_ERROR(check_output_view(r->ctx, "out", out, &to, error));
    RETURN_IF_ERROR(check_view_type("out", out, r->call.result, error));
    RETURN_IF_ERROR(formula_dimensions(r, "out", out, dimensions, error));
    RETURN_IF_ERROR(check_output(r, out, &to, error));
    if (view_elements(out) == 0) return WEFT_OK;
    return formula_evaluate(r, out->dimensions, dimensions, out->data, error);
}

weft_status weft_map_views(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                           const weft_view_binding *bindings, size_t count, const weft_view *out) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .views = bindings,
                         .count = count,
                         .call = {.dtype = evaluation_type(dtype), .result = dtype}};
    RETURN_GUARDED(ctx, map_views(&r, out, error));
}
