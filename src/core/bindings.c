#include "core/bindings.h"

#include "arith/halves.h"
#include "core/types.h"
#include "core/views.h"
#include "formula/expr.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- types */

weft_status check_evaluation_type(weft_dtype dtype, weft_error *error) {
    RETURN_IF(weft_dtype_size(dtype) == 0, WEFT_INVALID, "invalid dtype %d", (int)dtype);
    RETURN_IF(weft_dtype_size(dtype) < 4, WEFT_UNSUPPORTED,
              "formulas are evaluated in f32, f64, i32, i64, u32 or u64, not in %s", weft_dtype_name(dtype));
    return WEFT_OK;
}

/* Checks the formula and the type of its evaluation; integers do not support real functions. */
static weft_status check_evaluation(const weft_expr *expr, weft_dtype dtype, weft_error *error) {
    RETURN_IF(!expr, WEFT_INVALID, "expr is NULL");
    RETURN_IF_ERROR(check_evaluation_type(dtype, error));
    RETURN_IF(expr->has_complex && !type_is_float(dtype), WEFT_UNSUPPORTED,
              "formulas of complex numbers are evaluated in f32 or f64, not in %s", weft_dtype_name(dtype));
    const expr_program *const program = &expr->program;
    for (size_t s = 0; s < program->step_count && !type_is_float(dtype); s++) {
        const map_op op = (map_op)program->steps[s].op;
        if (!expr_op_is_real(op)) continue;
        weft_fail(error, WEFT_UNSUPPORTED, "%s is not defined for %s", expr_op_name(op), weft_dtype_name(dtype));
        return expr_point(expr->formula, program->offsets[s], WEFT_UNSUPPORTED, error);
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

/* Sets a leaf to the value of a float of 16 bits, which f32 and f64 have. */
static void set_half(float v, weft_dtype dtype, map_leaf *leaf) {
    if (dtype == WEFT_F32)
        leaf->value.f32 = v;
    else
        leaf->value.f64 = (double)v;
}

/* Converts a scalar of type `from` to the type of the evaluation. A float scalar must not be used in an integer
 * evaluation. */
static void convert_scalar(weft_dtype from, const void *scalar, weft_dtype dtype, map_leaf *leaf) {
    enum { SIGNED_IS_FLOAT = 0, UNSIGNED_IS_FLOAT = 0, FLOAT_IS_FLOAT = 1 };
    switch (from) {
#define TYPE(ID, name, ctype, kind, npy)                         \
    case WEFT_##ID: {                                            \
        ctype v;                                                 \
        memcpy(&v, scalar, sizeof v);                            \
        if (dtype == WEFT_F32)                                   \
            leaf->value.f32 = (float)v;                          \
        else if (dtype == WEFT_F64)                              \
            leaf->value.f64 = (double)v;                         \
        else                                                     \
            leaf->value.u64 = kind##_IS_FLOAT ? 0 : (uint64_t)v; \
        break;                                                   \
    }
#include "core/types.def"
#define HALF(ID, name, npy)                                 \
    case WEFT_##ID: {                                       \
        uint16_t bits;                                      \
        memcpy(&bits, scalar, sizeof bits);                 \
        set_half(weft_from_bits_##name(bits), dtype, leaf); \
        break;                                              \
    }
#include "core/halves.def"
    default: break;
    }
}

/* -------------------------------------------------------------------------------- bindings */

static const char *name_of(const formula_request *r, size_t number) {
    return r->views ? r->views[number].name : r->arrays[number].name;
}

/* Finds the number of the binding of a name; there must be exactly one. */
static weft_status find_binding(const formula_request *r, const char *name, size_t *found, weft_error *error) {
    *found = r->count;
    for (size_t b = 0; b < r->count; b++) {
        if (strcmp(name_of(r, b), name) != 0) continue;
        RETURN_IF(*found != r->count, WEFT_INVALID, "the variable %s is bound twice", name);
        *found = b;
    }
    RETURN_IF(*found == r->count, WEFT_INVALID, "the variable %s of the formula is not bound", name);
    return WEFT_OK;
}

/* Checks that every binding has a name that occurs in the formula. */
static weft_status check_names(const formula_request *r, weft_error *error) {
    RETURN_IF(r->count && !r->arrays && !r->views, WEFT_INVALID, "bindings is NULL");
    for (size_t b = 0; b < r->count; b++) {
        RETURN_IF(!name_of(r, b), WEFT_INVALID, "the name of binding %zu is NULL", b);
        const char *name = NULL;
        for (size_t v = 0; (name = weft_expr_variable(r->expr, v)); v++)
            if (strcmp(name, name_of(r, b)) == 0) break;
        RETURN_IF(!name, WEFT_INVALID, "%.64s is bound, but the formula has no variable of this name", name_of(r, b));
    }
    return WEFT_OK;
}

/* Checks the type of an operand. */
static weft_status check_operand(const formula_request *r, const char *name, weft_dtype dtype, weft_error *error) {
    RETURN_IF(weft_dtype_size(dtype) == 0, WEFT_INVALID, "%s: invalid dtype %d", name, (int)dtype);
    RETURN_IF((type_is_float(dtype) || type_is_half(dtype)) && !type_is_float(r->call.dtype), WEFT_UNSUPPORTED,
              "%s is %s, which cannot be evaluated in %s", name, weft_dtype_name(dtype),
              weft_dtype_name(r->call.dtype));
    return WEFT_OK;
}

/* Binds leaf `number` to a scalar, or to a part of the two numbers of a complex one. */
static weft_status bind_scalar(formula_request *r, const char *name, weft_dtype dtype, const void *scalar,
                               size_t number, weft_error *error) {
    const expr_part part = r->expr->leaves[number].part;
    const size_t size = weft_dtype_size(dtype);
    range value;
    RETURN_IF_ERROR(check_host_value(name, scalar, error));
    RETURN_IF_ERROR(check_array(r->ctx, name, scalar, part == EXPR_WHOLE ? 1 : 2, size, &value, error));
    r->leaves[number].kind = LEAF_VALUE;
    convert_scalar(dtype, (const char *)scalar + (part == EXPR_IMAGINARY ? size : 0), r->call.dtype,
                   &r->leaves[number]);
    return WEFT_OK;
}

static weft_status bind_array(formula_request *r, const char *name, const weft_binding *b, size_t number,
                              weft_error *error) {
    RETURN_IF_ERROR(check_operand(r, name, b->dtype, error));
    RETURN_IF(b->array && b->scalar, WEFT_INVALID, "the variable %s is bound to both an array and a scalar", name);
    if (b->scalar) return bind_scalar(r, name, b->dtype, b->scalar, number, error);
    r->leaves[number] = (map_leaf){.kind = LEAF_ARRAY, .dtype = b->dtype, .p = b->array};
    return check_array(r->ctx, name, b->array, r->call.n, weft_dtype_size(b->dtype), &r->memory[number], error);
}

static weft_status bind_view(formula_request *r, const char *name, const weft_view_binding *b, size_t number,
                             weft_error *error) {
    RETURN_IF(b->view && b->scalar, WEFT_INVALID, "the variable %s is bound to both a view and a scalar", name);
    if (!b->view) {
        RETURN_IF_ERROR(check_operand(r, name, b->dtype, error));
        return bind_scalar(r, name, b->dtype, b->scalar, number, error);
    }
    RETURN_IF_ERROR(check_view(r->ctx, name, b->view, &r->memory[number], error));
    RETURN_IF_ERROR(check_operand(r, name, b->view->dtype, error));
    if (r->expr->leaves[number].part != EXPR_WHOLE) RETURN_IF_ERROR(check_view_parts(name, b->view, error));
    r->leaves[number] = (map_leaf){.kind = LEAF_ARRAY, .dtype = b->view->dtype, .p = b->view->data};
    if (r->expr->leaves[number].part == EXPR_IMAGINARY) r->leaves[number].p = view_part(b->view, 1).data;
    r->bound[number] = b->view;
    return WEFT_OK;
}

static weft_status bind_variable(formula_request *r, size_t number, weft_error *error) {
    const char *name = r->expr->leaves[number].text;
    size_t b;
    RETURN_IF_ERROR(find_binding(r, name, &b, error));
    return r->views ? bind_view(r, name, &r->views[b], number, error)
                    : bind_array(r, name, &r->arrays[b], number, error);
}

weft_status bind_formula(formula_request *r, weft_error *error) {
    const weft_expr *e = r->expr;
    RETURN_IF_ERROR(check_evaluation(e, r->call.dtype, error));
    RETURN_IF(e->has_complex && !r->takes_complex, WEFT_UNSUPPORTED,
              "the formula has complex numbers: expected weft_map_views or weft_map_reduce_axes");
    RETURN_IF_ERROR(check_names(r, error));
    for (size_t i = 0; i < e->leaf_count; i++) {
        r->leaves[i] = (map_leaf){.kind = e->leaves[i].kind == EXPR_INDEX ? LEAF_INDEX : LEAF_VALUE};
        if (e->leaves[i].kind == EXPR_NUMBER)
            RETURN_IF_ERROR(bind_number(e, &e->leaves[i], r->call.dtype, &r->leaves[i], error));
        if (e->leaves[i].kind == EXPR_VARIABLE) RETURN_IF_ERROR(bind_variable(r, i, error));
    }
    r->call.leaf_count = e->leaf_count;
    r->call.leaves = r->leaves;
    r->call.steps = e->program.steps;
    r->call.step_count = e->program.step_count;
    r->call.register_count = e->program.register_count;
    r->call.is_complex = e->is_complex;
    memcpy(r->call.results, e->program.results, sizeof r->call.results);
    return WEFT_OK;
}
