/* weft_map_views: argument checks, and the dimensions of the values of formulas of views. */
#include "core/bindings.h"
#include "core/views.h"
#include "formula/expr.h"

#include <string.h>

/* --------------------------------------------------------------------------------- checks */

/* Sets the distances of leaf `number` along the axes of `out`. */
static weft_status set_distances(const formula_request *r, size_t number, const char *name, const weft_view *out,
                                 map_dimension *d, weft_error *error) {
    ptrdiff_t strides[WEFT_DIMENSIONS_MAX] = {0};
    const weft_view *view = r->bound[number];
    weft_view of_part;
    if (view && r->expr->leaves[number].part != EXPR_WHOLE) {
        of_part = view_part(view, 0);
        view = &of_part;
    }
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

/* Checks that the output overlaps no view of the formula that is not equal to it. Views of complex numbers are only
 * equal to an output of complex numbers. */
static weft_status check_output(const formula_request *r, const weft_view *out, const range *to, weft_error *error) {
    for (size_t i = 0; i < r->call.leaf_count; i++) {
        const bool is_complex = r->expr->leaves[i].part != EXPR_WHOLE;
        if (r->bound[i] && (is_complex != r->expr->is_complex || !view_equal(r->bound[i], out)))
            RETURN_IF_ERROR(check_apart(to, &r->memory[i], error));
    }
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
    if (r->call.is_complex) return false;
    for (size_t i = 0; i < r->call.leaf_count && count == 1 && plain; i++) {
        const map_leaf *leaf = &r->leaves[i];
        const size_t adjacent = leaf->kind == LEAF_ARRAY ? weft_dtype_size(leaf->dtype) : leaf->kind == LEAF_INDEX;
        plain = d->x[i] == (ptrdiff_t)adjacent;
    }
    return plain;
}

/* Replaces the parts of complex numbers that the steps do not read by values, so that they are not loaded. */
static void drop_unread(formula_request *r, size_t count, map_dimension *d) {
    bool read[MAP_REGISTERS + MAP_LEAVES] = {false};
    for (size_t s = 0; s < r->call.step_count; s++) {
        const map_step *const step = &r->call.steps[s];
        read[step->a] = read[step->b] = read[step->c] = true;
    }
    for (size_t i = 0; i < r->call.leaf_count; i++) {
        if (read[MAP_REGISTERS + i] || r->expr->leaves[i].part == EXPR_WHOLE) continue;
        r->leaves[i] = (map_leaf){.kind = LEAF_VALUE};
        for (size_t k = 0; k < count; k++) d[k].x[i] = 0;
    }
}

weft_status formula_evaluate(formula_request *r, size_t count, map_dimension *d, void *out, ptrdiff_t imaginary,
                             weft_error *error) {
    r->call.n = 1;
    r->call.leaves = r->leaves;
    r->call.out = out;
    r->call.imaginary = imaginary;
    for (size_t k = 0; k < count; k++) r->call.n *= d[k].n;
    if (r->expr->has_complex) drop_unread(r, count, d);
    count = sort_dimensions(r, count, d);
    if (count == 0 && r->call.is_complex) d[count++] = (map_dimension){.n = 1, .out = 1};
    if (is_plain(r, count, d)) return r->ctx->backend->map(r->ctx->state, &r->call, error);
    const map_views_call call = {.map = &r->call, .count = count, .dimensions = d};
    return r->ctx->backend->map_views(r->ctx->state, &call, error);
}

/* --------------------------------------------------------------------------------------- call */

static weft_status map_views(formula_request *r, const weft_view *out, weft_error *error) {
    map_dimension dimensions[WEFT_DIMENSIONS_MAX];
    weft_view numbers;
    range to;
    RETURN_IF_ERROR(bind_formula(r, error));
    RETURN_IF_ERROR(check_output_view(r->ctx, "out", out, &to, error));
    RETURN_IF_ERROR(check_view_type("out", out, r->call.result, error));
    if (r->expr->is_complex) RETURN_IF_ERROR(check_view_parts("out", out, error));
    numbers = r->expr->is_complex ? view_part(out, 0) : *out;
    RETURN_IF_ERROR(formula_dimensions(r, "out", &numbers, dimensions, error));
    RETURN_IF_ERROR(check_output(r, out, &to, error));
    if (view_elements(out) == 0) return WEFT_OK;
    const ptrdiff_t imaginary = r->expr->is_complex ? out->stride[numbers.dimensions] : 0;
    return formula_evaluate(r, numbers.dimensions, dimensions, numbers.data, imaginary, error);
}

weft_status weft_map_views(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                           const weft_view_binding *bindings, size_t count, const weft_view *out) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .views = bindings,
                         .count = count,
                         .takes_complex = true,
                         .call = {.dtype = type_widened(dtype), .result = dtype}};
    RETURN_GUARDED(ctx, map_views(&r, out, error));
}
