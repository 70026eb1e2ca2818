/* weft_expr, weft_map, weft_map_reduce and weft_map_scan: argument checks. Names are resolved and numbers and
 * scalars are converted here, so that a backend only processes steps and leaves. */
#include "core/check.h"
#include "core/exact_ops.h"
#include "core/part.h"
#include "core/types.h"
#include "formula/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- formulas */

static weft_status compile(const char *formula, weft_expr **expr, weft_error *error) {
    RETURN_IF(!expr, WEFT_INVALID, "expr is NULL");
    *expr = NULL;
    RETURN_IF(!formula, WEFT_INVALID, "formula is NULL");
    weft_expr *compiled = malloc(sizeof *compiled);
    RETURN_IF(!compiled, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *compiled);
    const weft_status status = expr_compile(formula, compiled, error);
    if (status == WEFT_OK)
        *expr = compiled;
    else
        free(compiled);
    return status;
}

weft_status weft_expr_compile(weft_context *ctx, const char *formula, weft_expr **expr) {
    RETURN_GUARDED_SETUP(ctx, compile(formula, expr, error));
}

void weft_expr_free(weft_expr *expr) { free(expr); }

size_t weft_expr_variable_count(const weft_expr *expr) {
    size_t count = 0;
    for (size_t i = 0; expr && i < expr->leaf_count; i++) count += expr->leaves[i].kind == EXPR_VARIABLE;
    return count;
}

const char *weft_expr_variable(const weft_expr *expr, size_t index) {
    for (size_t i = 0; expr && i < expr->leaf_count; i++)
        if (expr->leaves[i].kind == EXPR_VARIABLE && index-- == 0) return expr->leaves[i].text;
    return NULL;
}

/* ----------------------------------------------------------------------------------- types */

/* Checks the type of the evaluation: it must have at least 32 bits, and integers do not support real functions. */
static weft_status check_evaluation(const weft_expr *expr, weft_dtype dtype, weft_error *error) {
    type_kind kind;
    RETURN_IF(!expr, WEFT_INVALID, "expr is NULL");
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    RETURN_IF(weft_dtype_size(dtype) < 4, WEFT_UNSUPPORTED,
              "formulas are evaluated in f32, f64, i32, i64, u32 or u64, not in %s", weft_dtype_name(dtype));
    for (size_t s = 0; s < expr->step_count && kind != KIND_FLOAT; s++) {
        const map_op op = (map_op)expr->steps[s].op;
        if (!expr_op_is_real(op)) continue;
        weft_fail(error, WEFT_UNSUPPORTED, "%s is not defined for %s", expr_op_name(op), weft_dtype_name(dtype));
        return expr_point(expr->formula, expr->offsets[s], WEFT_UNSUPPORTED, error);
    }
    return WEFT_OK;
}

/* Returns the largest integer of a type that formulas are evaluated in. */
static uint64_t largest_integer(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I32: return INT32_MAX;
    case WEFT_I64: return INT64_MAX;
    case WEFT_U32: return UINT32_MAX;
    default: return UINT64_MAX;
    }
}

/* Converts a number of the formula to the type of the evaluation. */
static weft_status bind_number(const weft_expr *expr, const expr_leaf *number, weft_dtype dtype, map_leaf *leaf,
                               weft_error *error) {
    const char *name = weft_dtype_name(dtype);
    if (dtype == WEFT_F64) {
        leaf->value.f64 = number->f64;
        return WEFT_OK;
    }
    if (dtype == WEFT_F32 && !isinf(number->f32)) {
        leaf->value.f32 = number->f32;
        return WEFT_OK;
    }
    const uint64_t most = largest_integer(dtype) + (number->negative && (dtype == WEFT_I32 || dtype == WEFT_I64));
    if (dtype == WEFT_F32)
        weft_fail(error, WEFT_INVALID, "%s is greater than the largest f32", number->text);
    else if (!number->whole)
        weft_fail(error, WEFT_INVALID, "%s is not an integer, but the formula is evaluated in %s", number->text,
                  name);
    else if (number->large || number->integer > most)
        weft_fail(error, WEFT_INVALID, "%s is out of range for %s", number->text, name);
    else {
        leaf->value.u64 = number->negative ? 0 - number->integer : number->integer;
        return WEFT_OK;
    }
    return expr_point(expr->formula, number->offset, WEFT_INVALID, error);
}

/* Converts a scalar of any type to the type of the evaluation. A float scalar must not be used in an integer
 * evaluation. */
static void bind_scalar(const weft_binding *b, weft_dtype dtype, map_leaf *leaf) {
    enum { SIGNED_IS_FLOAT = 0, UNSIGNED_IS_FLOAT = 0, FLOAT_IS_FLOAT = 1 };
    switch (b->dtype) {
#define TYPE(ID, name, ctype, kind, npy)                         \
    case WEFT_##ID: {                                            \
        ctype v;                                                 \
        memcpy(&v, b->scalar, sizeof v);                         \
        if (dtype == WEFT_F32)                                   \
            leaf->value.f32 = (float)v;                          \
        else if (dtype == WEFT_F64)                              \
            leaf->value.f64 = (double)v;                         \
        else                                                     \
            leaf->value.u64 = kind##_IS_FLOAT ? 0 : (uint64_t)v; \
        break;                                                   \
    }
#include "core/types.def"
    default: break;
    }
}

/* -------------------------------------------------------------------------------- bindings */

/* A call under preparation. */
typedef struct request {
    weft_context *ctx;
    const weft_expr *expr;
    const weft_binding *bindings;
    size_t count;
    map_leaf leaves[MAP_LEAVES];
    range arrays[MAP_LEAVES];
    map_call call;
} request;

/* Finds the binding of a name; there must be exactly one. */
static weft_status find_binding(const request *r, const char *name, const weft_binding **found, weft_error *error) {
    *found = NULL;
    for (const weft_binding *b = r->bindings; b < r->bindings + r->count; b++) {
        if (strcmp(b->name, name) != 0) continue;
        RETURN_IF(*found, WEFT_INVALID, "the variable %s is bound twice", name);
        *found = b;
    }
    RETURN_IF(!*found, WEFT_INVALID, "the variable %s of the formula is not bound", name);
    return WEFT_OK;
}

/* Checks that every binding has a name that occurs in the formula. */
static weft_status check_names(const request *r, weft_error *error) {
    RETURN_IF(r->count && !r->bindings, WEFT_INVALID, "bindings is NULL");
    for (size_t i = 0; i < r->count; i++) {
        RETURN_IF(!r->bindings[i].name, WEFT_INVALID, "the name of binding %zu is NULL", i);
        const char *name = NULL;
        for (size_t v = 0; (name = weft_expr_variable(r->expr, v)); v++)
            if (strcmp(name, r->bindings[i].name) == 0) break;
        RETURN_IF(!name, WEFT_INVALID, "%.64s is bound, but the formula has no variable of this name",
                  r->bindings[i].name);
    }
    return WEFT_OK;
}

static weft_status bind_variable(request *r, const expr_leaf *variable, map_leaf *leaf, range *array,
                                 weft_error *error) {
    const weft_binding *b;
    const char *name = variable->text;
    range value;
    RETURN_IF_ERROR(find_binding(r, name, &b, error));
    RETURN_IF(weft_dtype_size(b->dtype) == 0, WEFT_INVALID, "%s: invalid dtype %d", name, (int)b->dtype);
    RETURN_IF(type_is_half(b->dtype), WEFT_UNSUPPORTED, "%s: formulas of %s elements are not supported", name,
              weft_dtype_name(b->dtype));
    RETURN_IF(type_is_float(b->dtype) && !type_is_float(r->call.dtype), WEFT_UNSUPPORTED,
              "%s is %s, which cannot be evaluated in %s", name, weft_dtype_name(b->dtype),
              weft_dtype_name(r->call.dtype));
    RETURN_IF(b->array && b->scalar, WEFT_INVALID, "the variable %s is bound to both an array and a scalar", name);
    if (!b->scalar) {
        *leaf = (map_leaf){.kind = LEAF_ARRAY, .dtype = b->dtype, .p = b->array};
        return check_array(r->ctx, name, b->array, r->call.n, weft_dtype_size(b->dtype), array, error);
    }
    RETURN_IF_ERROR(check_host_value(name, b->scalar, error));
    RETURN_IF_ERROR(check_array(r->ctx, name, b->scalar, 1, weft_dtype_size(b->dtype), &value, error));
    leaf->kind = LEAF_VALUE;
    bind_scalar(b, r->call.dtype, leaf);
    return WEFT_OK;
}

/* Fills r->call except its output. */
static weft_status bind(request *r, weft_error *error) {
    const weft_expr *e = r->expr;
    RETURN_IF_ERROR(check_evaluation(e, r->call.dtype, error));
    RETURN_IF_ERROR(check_names(r, error));
    for (size_t i = 0; i < e->leaf_count; i++) {
        r->leaves[i] = (map_leaf){.kind = e->leaves[i].kind == EXPR_INDEX ? LEAF_INDEX : LEAF_VALUE};
        if (e->leaves[i].kind == EXPR_NUMBER)
            RETURN_IF_ERROR(bind_number(e, &e->leaves[i], r->call.dtype, &r->leaves[i], error));
        if (e->leaves[i].kind == EXPR_VARIABLE)
            RETURN_IF_ERROR(bind_variable(r, &e->leaves[i], &r->leaves[i], &r->arrays[i], error));
    }
    r->call.steps = e->steps;
    r->call.step_count = e->step_count;
    r->call.register_count = e->register_count;
    r->call.leaf_count = e->leaf_count;
    r->call.leaves = r->leaves;
    return WEFT_OK;
}

/* Checks that the output overlaps no array of the formula. With `in_place`, it may be equal to an array of the type
 * of the evaluation. */
static weft_status check_output(const request *r, const range *out, bool in_place, weft_error *error) {
    for (size_t i = 0; i < r->expr->leaf_count; i++) {
        const map_leaf *leaf = &r->leaves[i];
        if (leaf->kind != LEAF_ARRAY || (in_place && leaf->p == out->p && leaf->dtype == r->call.dtype)) continue;
        RETURN_IF_ERROR(check_apart(out, &r->arrays[i], error));
    }
    return WEFT_OK;
}

/* Sets the index of element 0. */
static void start_index(request *r, uint64_t first) {
    for (size_t i = 0; i < r->expr->leaf_count; i++)
        if (r->leaves[i].kind == LEAF_INDEX) r->leaves[i].value.u64 = first;
}

/* --------------------------------------------------------------------------------- the calls */

static weft_status map(request *r, uint64_t first, void *out, weft_error *error) {
    range to;
    RETURN_IF_ERROR(bind(r, error));
    start_index(r, first);
    RETURN_IF_ERROR(check_array(r->ctx, "out", out, r->call.n, weft_dtype_size(r->call.dtype), &to, error));
    RETURN_IF_ERROR(check_output(r, &to, true, error));
    if (r->call.n == 0) return WEFT_OK;
    r->call.out = out;
    return r->ctx->backend->map(r->ctx->state, &r->call, error);
}

weft_status part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first, size_t n,
                     const weft_binding *bindings, size_t count, void *out) {
    request r = {.ctx = ctx, .expr = expr, .bindings = bindings, .count = count, .call = {.dtype = dtype, .n = n}};
    RETURN_GUARDED(ctx, map(&r, first, out, error));
}

weft_status weft_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, size_t n,
                     const weft_binding *bindings, size_t count, void *out) {
    return part_map(ctx, expr, dtype, 0, n, bindings, count, out);
}

static weft_status map_reduce(request *r, weft_op op, weft_dtype accumulate, uint64_t first, const double *squares,
                              void *out, weft_error *error) {
    const size_t n = r->call.n;
    weft_dtype result;
    range to;
    RETURN_IF_ERROR(bind(r, error));
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
    request r = {.ctx = ctx, .expr = expr, .bindings = bindings, .count = count, .call = {.dtype = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_reduce(&r, op, accumulate, first, squares, out, error));
}

weft_status weft_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                            weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count, void *out) {
    return part_map_reduce(ctx, op, expr, dtype, accumulate, 0, n, bindings, count, NULL, out);
}

/* The arguments have been checked by a call of part_map for no elements, except the addresses of the arrays. */
static weft_status map_exact(request *r, exact_terms terms, uint64_t first, int64_t *state, weft_error *error) {
    const exact_call call = {.terms = terms, .dtype = r->call.dtype, .n = r->call.n, .map = &r->call, .state = state};
    RETURN_IF_ERROR(bind(r, error));
    start_index(r, first);
    return r->ctx->backend->exact(r->ctx->state, &call, error);
}

weft_status part_map_exact(weft_context *ctx, exact_terms terms, const weft_expr *expr, weft_dtype dtype,
                           uint64_t first, size_t n, const weft_binding *bindings, size_t count, int64_t *state) {
    request r = {.ctx = ctx, .expr = expr, .bindings = bindings, .count = count, .call = {.dtype = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_exact(&r, terms, first, state, error));
}

static weft_status map_scan(request *r, weft_op op, weft_scan_kind kind, weft_dtype accumulate, uint64_t first,
                            const void *init, void *y, weft_error *error) {
    scan_call call = {.op = op, .kind = kind, .dtype = r->call.dtype, .n = r->call.n, .init = init, .y = y};
    range to;
    RETURN_IF_ERROR(bind(r, error));
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
    request r = {.ctx = ctx, .expr = expr, .bindings = bindings, .count = count, .call = {.dtype = dtype, .n = n}};
    RETURN_GUARDED(ctx, map_scan(&r, op, kind, accumulate, first, init, y, error));
}

weft_status weft_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr, weft_dtype dtype,
                          weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count,
                          const void *init, void *y) {
    return part_map_scan(ctx, op, kind, expr, dtype, accumulate, 0, n, bindings, count, init, y);
}
