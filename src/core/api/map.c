/* weft_expr, weft_map, weft_map_reduce and weft_map_scan: argument checks. */
#include "core/bindings.h"
#include "core/exact_ops.h"
#include "core/part.h"
#include "core/types.h"
#include "formula/expr.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- formulas */

static weft_status compile(const char *formula, expr_names complex_names, weft_expr **expr, weft_error *error) {
    RETURN_IF(!expr, WEFT_INVALID, "expr is NULL");
    *expr = NULL;
    RETURN_IF(!formula, WEFT_INVALID, "formula is NULL");
    RETURN_IF(complex_names.count && !complex_names.list, WEFT_INVALID, "complex_names is NULL");
    for (size_t k = 0; k < complex_names.count; k++)
        RETURN_IF(!complex_names.list[k], WEFT_INVALID, "complex_names[%zu] is NULL", k);
    weft_expr *compiled = malloc(sizeof *compiled);
    RETURN_IF(!compiled, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *compiled);
    const weft_status status = expr_compile(formula, complex_names, compiled, error);
    if (status == WEFT_OK)
        *expr = compiled;
    else
        free(compiled);
    return status;
}

weft_status weft_expr_compile(weft_context *ctx, const char *formula, weft_expr **expr) {
    RETURN_GUARDED_SETUP(ctx, compile(formula, (expr_names){NULL, 0}, expr, error));
}

weft_status weft_expr_compile_complex(weft_context *ctx, const char *formula, const char *const *complex_names,
                                      size_t count, weft_expr **expr) {
    RETURN_GUARDED_SETUP(ctx, compile(formula, (expr_names){complex_names, count}, expr, error));
}

void weft_expr_free(weft_expr *expr) { free(expr); }

/* Returns true for one of the leaves of each variable. */
static bool names_variable(const expr_leaf *leaf) {
    return leaf->kind == EXPR_VARIABLE && leaf->part != EXPR_IMAGINARY;
}

size_t weft_expr_variable_count(const weft_expr *expr) {
    size_t count = 0;
    for (size_t i = 0; expr && i < expr->leaf_count; i++) count += names_variable(&expr->leaves[i]);
    return count;
}

const char *weft_expr_variable(const weft_expr *expr, size_t index) {
    for (size_t i = 0; expr && i < expr->leaf_count; i++)
        if (names_variable(&expr->leaves[i]) && index-- == 0) return expr->leaves[i].text;
    return NULL;
}

int weft_expr_is_complex(const weft_expr *expr) { return expr && expr->is_complex; }

/* --------------------------------------------------------------------------------- the calls */

/* Checks that the output overlaps no array of the formula. With `in_place`, it may be equal to an array of the type
 * of the values. */
static weft_status check_output(const formula_request *r, const range *out, bool in_place, weft_error *error) {
    for (size_t i = 0; i < r->expr->leaf_count; i++) {
        const map_leaf *leaf = &r->leaves[i];
        if (leaf->kind != LEAF_ARRAY || (in_place && leaf->p == out->p && leaf->dtype == r->call.result)) continue;
        RETURN_IF_ERROR(check_apart(out, &r->memory[i], error));
    }
    return WEFT_OK;
}

/* Sets the index of element 0. */
static void start_index(formula_request *r, uint64_t first) {
    for (size_t i = 0; i < r->expr->leaf_count; i++)
        if (r->leaves[i].kind == LEAF_INDEX) r->leaves[i].value.u64 = first;
}

static weft_status map(formula_request *r, uint64_t first, void *out, weft_error *error) {
    range to;
    RETURN_IF_ERROR(bind_formula(r, error));
    start_index(r, first);
    RETURN_IF_ERROR(check_array(r->ctx, "out", out, r->call.n, weft_dtype_size(r->call.result), &to, error));
    RETURN_IF_ERROR(check_output(r, &to, true, error));
    if (r->call.n == 0) return WEFT_OK;
    r->call.out = out;
    return r->ctx->backend->map(r->ctx->state, &r->call, error);
}

weft_status part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first, size_t n,
                     const weft_binding *bindings, size_t count, void *out) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .arrays = bindings,
                         .count = count,
                         .call = {.dtype = type_widened(dtype), .result = dtype, .n = n}};
    RETURN_GUARDED(ctx, map(&r, first, out, error));
}

weft_status weft_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, size_t n,
                     const weft_binding *bindings, size_t count, void *out) {
    return part_map(ctx, expr, dtype, 0, n, bindings, count, out);
}

static weft_status map_reduce(formula_request *r, weft_op op, weft_dtype accumulate, uint64_t first,
                              const double *squares, void *out, weft_error *error) {
    const size_t n = r->call.n;
    weft_dtype result;
    range to;
    RETURN_IF_ERROR(bind_formula(r, error));
    start_index(r, first);
    RETURN_IF_ERROR(check_whole_type(op, r->call.dtype, accumulate, &result, error));
    if (squares) result = WEFT_F64;
    RETURN_IF(n == 0 && check_needs_elements(op), WEFT_EMPTY, "%s of 0 elements is undefined", weft_op_name(op));
    RETURN_IF_ERROR(check_array(r->ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    RETURN_IF_ERROR(check_output(r, &to, false, error));
    if (squares) {
        const part_sum_call part = {
            .op = op, .dtype = r->call.dtype, .n = n, .map = &r->call, .squares = *squares, .sum = out};
        return r->ctx->backend->part_sum(r->ctx->state, &part, error);
    }
    if (accumulate == WEFT_EXACT_SUM && n > 0) {
        const exact_call exact = {.terms = exact_terms_of(op),
                                  .finish = exact_finish_of(op),
                                  .dtype = r->call.dtype,
                                  .n = n,
                                  .out = out,
                                  .map = &r->call};
        return r->ctx->backend->exact(r->ctx->state, &exact, error);
    }
    const reduce_call call = {
        .op = op, .dtype = r->call.dtype, .result = result, .n = n, .out = out, .map = &r->call};
    return r->ctx->backend->reduce(r->ctx->state, &call, error);
}

weft_status part_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                            weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings,
                            size_t count, const double *squares, void *out) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .arrays = bindings,
                         .count = count,
                         .call = {.dtype = dtype, .result = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_reduce(&r, op, accumulate, first, squares, out, error));
}

weft_status weft_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                            weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count, void *out) {
    return part_map_reduce(ctx, op, expr, dtype, accumulate, 0, n, bindings, count, NULL, out);
}

/* The arguments have been checked by a call of part_map for no elements, except the addresses of the arrays. */
static weft_status map_exact(formula_request *r, exact_terms terms, uint64_t first, int64_t *state,
                             weft_error *error) {
    const exact_call call = {.terms = terms, .dtype = r->call.dtype, .n = r->call.n, .map = &r->call, .state = state};
    RETURN_IF_ERROR(bind_formula(r, error));
    start_index(r, first);
    return r->ctx->backend->exact(r->ctx->state, &call, error);
}

weft_status part_map_exact(weft_context *ctx, exact_terms terms, const weft_expr *expr, weft_dtype dtype,
                           uint64_t first, size_t n, const weft_binding *bindings, size_t count, int64_t *state) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .arrays = bindings,
                         .count = count,
                         .call = {.dtype = dtype, .result = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_exact(&r, terms, first, state, error));
}

static weft_status map_scan(formula_request *r, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                            uint64_t first, const void *init, void *y, weft_error *error) {
    scan_call call = {.op = op, .kind = kind, .dtype = r->call.dtype, .n = r->call.n, .init = init, .y = y};
    range to;
    RETURN_IF_ERROR(bind_formula(r, error));
    start_index(r, first);
    RETURN_IF_ERROR(check_scan_type("map_scan", op, call.dtype, accumulate, &call.result, error));
    RETURN_IF((unsigned)kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)kind);
    RETURN_IF_ERROR(check_array(r->ctx, "y", y, call.n, weft_dtype_size(call.result), &to, error));
    RETURN_IF_ERROR(check_output(r, &to, call.result == call.dtype, error));
    RETURN_IF_ERROR(check_host_value("init", init, error));
    if (call.n == 0) return WEFT_OK;
    call.map = &r->call;
    return r->ctx->backend->scan(r->ctx->state, &call, error);
}

weft_status part_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr, weft_dtype dtype,
                          weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings, size_t count,
                          const void *init, void *y) {
    formula_request r = {.ctx = ctx,
                         .expr = expr,
                         .arrays = bindings,
                         .count = count,
                         .call = {.dtype = dtype, .result = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_scan(&r, op, kind, accumulate, first, init, y, error));
}

weft_status weft_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr, weft_dtype dtype,
                          weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count,
                          const void *init, void *y) {
    return part_map_scan(ctx, op, kind, expr, dtype, accumulate, 0, n, bindings, count, init, y);
}
