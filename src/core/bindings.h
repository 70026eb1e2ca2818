/* The arguments of a call with a formula: names are resolved, and numbers and scalars converted, so that a backend
 * only processes steps and leaves. */
#ifndef WEFT_CORE_BINDINGS_H
#define WEFT_CORE_BINDINGS_H

#include "core/check.h"

/* A call under preparation. The caller sets ctx, expr, one of the lists of bindings, count, takes_complex, and the
 * types and the number of elements of `call`. */
typedef struct formula_request {
    weft_context *ctx;
    const weft_expr *expr;
    const weft_binding *arrays;
    const weft_view_binding *views;
    size_t count;
    bool takes_complex; /* the function evaluates formulas of complex numbers, which requires views */
    map_leaf leaves[MAP_LEAVES];
    const weft_view *bound[MAP_LEAVES]; /* the view of a leaf, with both parts if it is complex, or NULL */
    range memory[MAP_LEAVES];           /* that of an array or view */
    map_call call;
} formula_request;

/* Fails for types that formulas are not evaluated in. */
weft_status check_evaluation_type(weft_dtype dtype, weft_error *error);
/* Checks the formula and its bindings, and fills the other members except the output. */
weft_status bind_formula(formula_request *r, weft_error *error);

/* Writes the dimensions of the values of a formula of views: the axes of `out`, to whose shape its views are
 * broadcast. `name`: what messages call `out`. */
weft_status formula_dimensions(const formula_request *r, const char *name, const weft_view *out, map_dimension *d,
                               weft_error *error);
/* Evaluates the formula for the elements of `count` dimensions, none of which is empty, and writes the values to
 * `out`; the imaginary parts of complex values, `imaginary` bytes after the real ones. Changes r->leaves and d, which
 * has WEFT_DIMENSIONS_MAX members. */
weft_status formula_evaluate(formula_request *r, size_t count, map_dimension *d, void *out, ptrdiff_t imaginary,
                             weft_error *error);

#endif
