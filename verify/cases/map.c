/* weft_map, weft_map_reduce and weft_map_scan. The parameter selects a group of formulas. The formula of the group,
 * the type of the values, the operator, and in place or not vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

enum { PARAMETERS = 7, VARIANTS = 6 };

/* Every operation, with all kinds of operands. For integers, other formulas replace the functions of real
 * numbers. */
static const char *const REALS[PARAMETERS][VARIANTS] = {
    {"x + y", "x - y", "x*y", "x/y", "-x", "y"},
    {"a*x^2 + b*x + c", "(a*x + b)*x + c", "x^7 - y^-3", "x^0.5 + 2^y", "x^16*(c - x)^1", "-x^2 + 2^-1^2"},
    {"min(x, y)", "max(x, y)", "x < y ? x : y", "x >= y ? -x : abs(y)", "x != y && !(x > 1)", "x <= y || x == c"},
    {"fma(x, y, c)", "sqrt(abs(x)) + floor(y)", "fma(x, x, -y)*i", "floor(x/3)*i", "sqrt(x)", "fma(x, -1, x)"},
    {"i", "0.1", "i/3 + x*0", "b - i*(x > y)", "(x - c)*((x + c)*((y - a)*((y + a)*(x - y))))", "x ? y ? a : b : c"},
    {"exp(x)", "log(x)", "exp(-x^2/2) + x", "log(abs(x) + 1e-3)*y", "erf(x)", "pow(x, y)"},
    {"sin(x)", "cos(x)", "sin(x)^2 + cos(y)^2", "pow(abs(x), 1/3)", "erf(x/c) - exp(y)", "pow(x, floor(y/2))"},
};
static const char *const INTEGERS[PARAMETERS][VARIANTS] = {
    {"x + y", "x - y", "x*y", "x/y", "-x", "y"},
    {"a*x^2 + b*x + a", "(a*x + b)*x - 7", "x^7 - y^3", "x^0 + 2*y", "x^16*(b - x)^1", "-x^2 + 2*-1"},
    {"min(x, y)", "max(x, y)", "x < y ? x : y", "x >= y ? -x : abs(y)", "x != y && !(x > 1)", "x <= y || x == a"},
    {"x/(y - 3)", "x/-1", "x/(y*0)", "floor(x/3)*i", "abs(x)", "x^-1"},
    {"i", "1000000007", "i/3 + x*0", "b - i*(x > y)", "(x - a)*((x + a)*((y - b)*((y + b)*(x - y))))",
     "x ? y ? a : b : 9"},
    {"x*x*x*x", "x/7*7 - x", "x^2/(abs(y) + 1)", "!x + !y*2", "i*i - x", "(x > y) - (x < y)"},
    {"x*i + y", "-(x/y)", "x^31", "min(max(x, a), b)", "a", "x == y"},
};

static uint64_t draw(const match_case *c, uint64_t what) {
    return input_random(c->turn, 8 * (uint64_t)c->parameter + what);
}

static weft_dtype evaluation_type(const match_case *c) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    return types[draw(c, 0) % (type_is_float(c->dtype) || type_is_half(c->dtype) ? 2 : 6)];
}

/* Returns the type of the values that weft_map stores. Half of those of f16 and bf16 arrays are f16 or bf16. */
static weft_dtype map_type(const match_case *c) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_F16, WEFT_BF16};
    return type_is_half(c->dtype) ? types[draw(c, 0) % 4] : evaluation_type(c);
}

static const char *formula_of(const match_case *c) {
    const size_t variant = draw(c, 1) % VARIANTS;
    return type_is_float(evaluation_type(c)) ? REALS[c->parameter][variant] : INTEGERS[c->parameter][variant];
}

/* ----------------------------------------------------------------------------------- bindings */

enum { NAMES = 5 };
static const float C = 0.3F;
static const int8_t A = -3;
static const uint16_t C_F16 = 0x34cd, C_BF16 = 0x3e9a;
static const uint64_t B = UINT64_C(9007199254740993); /* 2^53 + 1, which no float can represent */

/* Binds the variables of the formula. Returns their number. */
static size_t bind(const match_case *c, const weft_expr *expr, const void *const *inputs, weft_binding *bindings) {
    const bool is_half = type_is_half(c->dtype);
    const uint16_t *const half = c->dtype == WEFT_F16 ? &C_F16 : &C_BF16;
    const weft_binding all[NAMES] = {{"x", c->dtype, inputs[0], NULL},
                                     {"y", c->dtype, inputs[1], NULL},
                                     {"a", WEFT_I8, NULL, &A},
                                     {"b", WEFT_U64, NULL, &B},
                                     {"c", is_half ? c->dtype : WEFT_F32, NULL, is_half ? half : (const void *)&C}};
    size_t count = 0;
    const char *name;
    for (size_t v = 0; (name = weft_expr_variable(expr, v)); v++)
        for (size_t i = 0; i < NAMES; i++)
            if (strcmp(all[i].name, name) == 0) bindings[count++] = all[i];
    return count;
}

static size_t map_bytes(const match_case *c) {
    return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(map_type(c)) : 0;
}

/* Runs weft_map. In place, the elements are first copied to the output, since the inputs are used again. */
static weft_status run_map(const match_case *c, weft_context *ctx, const weft_expr *expr, const void *const *inputs,
                           void *out) {
    const bool in_place = c->dtype == map_type(c) && draw(c, 2) % 3 == 0;
    const void *const moved[] = {in_place ? out : inputs[0], inputs[1]};
    weft_binding bindings[NAMES];
    if (in_place) {
        const weft_status status = weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    const size_t count = bind(c, expr, moved, bindings);
    return weft_map(ctx, expr, map_type(c), c->n, bindings, count, out);
}

static weft_status call_map(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    weft_expr *expr;
    weft_status status = weft_expr_compile(ctx, formula_of(c), &expr);
    if (status != WEFT_OK) return status;
    status = run_map(c, ctx, expr, inputs, out);
    weft_expr_free(expr);
    return status;
}

static void tell_map(const match_case *c, char text[100]) {
    snprintf(text, 100, "%s in %s", formula_of(c), weft_dtype_name(map_type(c)));
}

const match_shape match_map = {.inputs = 2,
                               .parameters = PARAMETERS,
                               .accumulates = 1,
                               .halves = true,
                               .values = match_each,
                               .out_bytes = map_bytes,
                               .call = call_map,
                               .tell = tell_map};

/* --------------------------------------------------------------------------------- map_reduce */

static weft_op operator_of(const match_case *c) {
    static const weft_op floats[] = {WEFT_SUM,    WEFT_PROD,  WEFT_MIN,    WEFT_MAX,           WEFT_ARGMIN,
                                     WEFT_ARGMAX, WEFT_ANY,   WEFT_ALL,    WEFT_COUNT_NONZERO, WEFT_MEAN,
                                     WEFT_NORM1,  WEFT_NORM2, WEFT_NORMINF};
    if (!type_is_float(evaluation_type(c))) return (weft_op)(draw(c, 3) % (WEFT_NORMINF + 1));
    return floats[draw(c, 3) % (sizeof floats / sizeof *floats)];
}

static size_t map_reduce_bytes(const match_case *c) {
    weft_dtype type;
    const weft_status status = weft_reduce_result(operator_of(c), evaluation_type(c), c->accumulate, &type);
    return status == WEFT_OK ? weft_dtype_size(type) : 0;
}

static weft_status call_map_reduce(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    weft_binding bindings[NAMES];
    weft_expr *expr;
    weft_status status = weft_expr_compile(ctx, formula_of(c), &expr);
    if (status != WEFT_OK) return status;
    const size_t count = bind(c, expr, inputs, bindings);
    status =
        weft_map_reduce(ctx, operator_of(c), expr, evaluation_type(c), c->accumulate, c->n, bindings, count, out);
    weft_expr_free(expr);
    return status;
}

static void tell_map_reduce(const match_case *c, char text[100]) {
    snprintf(text, 100, "%s of %s in %s", weft_op_name(operator_of(c)), formula_of(c),
             weft_dtype_name(evaluation_type(c)));
}

const match_shape match_map_reduce = {.inputs = 2,
                                      .parameters = PARAMETERS,
                                      .accumulates = 3,
                                      .halves = true,
                                      .out_bytes = map_reduce_bytes,
                                      .call = call_map_reduce,
                                      .tell = tell_map_reduce};

/* ----------------------------------------------------------------------------------- map_scan */

static weft_op scan_operator_of(const match_case *c) {
    static const weft_op some[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR};
    return some[draw(c, 4) % (type_is_float(evaluation_type(c)) ? 4 : 7)];
}

static weft_dtype scan_type_of(const match_case *c) {
    return c->accumulate == WEFT_DEFAULT ? evaluation_type(c) : c->accumulate;
}

/* Returns true if a sum or product of the formula's values can have the case's wider type. */
static bool widens(const match_case *c) {
    const weft_op op = scan_operator_of(c);
    if (op != WEFT_SUM && op != WEFT_PROD) return false;
    switch (c->accumulate) {
    case WEFT_F64: return evaluation_type(c) == WEFT_F32;
    case WEFT_I64: return evaluation_type(c) == WEFT_I32;
    case WEFT_EXACT_SUM: return false;
    default: return evaluation_type(c) == WEFT_U32;
    }
}

static size_t map_scan_bytes(const match_case *c) {
    return c->accumulate == WEFT_DEFAULT || widens(c) ? weft_dtype_size(scan_type_of(c)) : 0;
}

static weft_status run_map_scan(const match_case *c, weft_context *ctx, const weft_expr *expr,
                                const void *const *inputs, void *out) {
    const weft_dtype type = scan_type_of(c);
    const bool in_place = c->dtype == evaluation_type(c) && c->dtype == type && draw(c, 5) % 3 == 0;
    const weft_scan_kind kind = draw(c, 6) % 2 ? WEFT_EXCLUSIVE : WEFT_INCLUSIVE;
    const void *const moved[] = {in_place ? out : inputs[0], inputs[1]};
    weft_binding bindings[NAMES];
    uint64_t init;
    input_fill(INPUT_SMALL, type, draw(c, 7), 1, &init);
    if (in_place) {
        const weft_status status = weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    const size_t count = bind(c, expr, moved, bindings);
    return weft_map_scan(ctx, scan_operator_of(c), kind, expr, evaluation_type(c), c->accumulate, c->n, bindings,
                         count, draw(c, 6) / 2 % 2 ? &init : NULL, out);
}

static weft_status call_map_scan(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    weft_expr *expr;
    weft_status status = weft_expr_compile(ctx, formula_of(c), &expr);
    if (status != WEFT_OK) return status;
    status = run_map_scan(c, ctx, expr, inputs, out);
    weft_expr_free(expr);
    return status;
}

static void tell_map_scan(const match_case *c, char text[100]) {
    snprintf(text, 100, "%s of %s in %s", weft_op_name(scan_operator_of(c)), formula_of(c),
             weft_dtype_name(evaluation_type(c)));
}

const match_shape match_map_scan = {.inputs = 2,
                                    .parameters = PARAMETERS,
                                    .accumulates = 5,
                                    .halves = true,
                                    .values = match_each,
                                    .out_bytes = map_scan_bytes,
                                    .call = call_map_scan,
                                    .tell = tell_map_scan};
