/* The definition of weft_map, weft_map_reduce and weft_map_scan (ORDER.md 20), and of weft_map_views (32.5).
 * weft_map_reduce and weft_map_scan are weft_reduce and weft_scan of the values of weft_map.
 *
 * In f32 an operation is that of f64 on the same values, rounded to f32. For + - * / and sqrt this is the correctly
 * rounded f32 result, since f64 has more than twice as many digits (S. Figueroa, ACM SIGNUM Newsletter 30, 1995).
 * For the elementary functions it is their definition. Only fma requires a separate f32 operation. */
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/common/elementary.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

/* A value during the evaluation: a float, or an integer extended to 64 bits. */
typedef union item {
    double real;
    uint64_t integer;
} item;

/* ------------------------------------------------------------------------------------ floats */

static double lesser(double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static double greater(double a, double b) {
    if (isnan(a) || isnan(b)) return NAN;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static double step_of_reals(map_op op, bool narrow, double a, double b, double c) {
    switch (op) {
    case MAP_ADD: return a + b;
    case MAP_SUBTRACT: return a - b;
    case MAP_MULTIPLY: return a * b;
    case MAP_DIVIDE: return a / b;
    case MAP_NEGATE: return -a;
    case MAP_LESS: return a < b;
    case MAP_AT_MOST: return a <= b;
    case MAP_EQUAL: return a == b;
    case MAP_DIFFERENT: return a != b;
    case MAP_AND: return a != 0 && b != 0;
    case MAP_OR: return a != 0 || b != 0;
    case MAP_NOT: return a == 0;
    case MAP_SELECT: return a != 0 ? b : c;
    case MAP_ABS: return fabs(a);
    case MAP_MIN: return lesser(a, b);
    case MAP_MAX: return greater(a, b);
    case MAP_FLOOR: return floor(a);
    case MAP_SQRT: return sqrt(a);
    case MAP_FMA: return narrow ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
    case MAP_EXP: return ref_exp(a);
    case MAP_LOG: return ref_log(a);
    case MAP_SIN: return ref_sin(a);
    case MAP_COS: return ref_cos(a);
    case MAP_POW: return ref_pow(a, b);
    case MAP_ERF: return ref_erf(a);
    default: return a;
    }
}

static double rounded(bool narrow, double v) { return narrow ? (double)(float)v : v; }

/* ---------------------------------------------------------------------------------- integers */

/* Returns the low bits of v as a value of the type, extended to 64 bits. */
static uint64_t wrapped(weft_dtype dtype, uint64_t v) {
    if (dtype == WEFT_I32) return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
    return dtype == WEFT_U32 ? (uint32_t)v : v;
}

static bool is_less(bool is_signed, uint64_t a, uint64_t b) { return is_signed ? (int64_t)a < (int64_t)b : a < b; }

static uint64_t magnitude(bool is_signed, uint64_t a) { return is_signed && (int64_t)a < 0 ? 0 - a : a; }

/* Returns the quotient rounded towards zero, or 0 if b is 0. */
static uint64_t quotient(bool is_signed, uint64_t a, uint64_t b) {
    if (b == 0) return 0;
    const uint64_t q = magnitude(is_signed, a) / magnitude(is_signed, b);
    return is_less(is_signed, a, 0) != is_less(is_signed, b, 0) ? 0 - q : q;
}

static uint64_t step_of_integers(map_op op, bool is_signed, uint64_t a, uint64_t b, uint64_t c) {
    switch (op) {
    case MAP_ADD: return a + b;
    case MAP_SUBTRACT: return a - b;
    case MAP_MULTIPLY: return a * b;
    case MAP_DIVIDE: return quotient(is_signed, a, b);
    case MAP_NEGATE: return 0 - a;
    case MAP_LESS: return is_less(is_signed, a, b);
    case MAP_AT_MOST: return !is_less(is_signed, b, a);
    case MAP_EQUAL: return a == b;
    case MAP_DIFFERENT: return a != b;
    case MAP_AND: return a != 0 && b != 0;
    case MAP_OR: return a != 0 || b != 0;
    case MAP_NOT: return a == 0;
    case MAP_SELECT: return a != 0 ? b : c;
    case MAP_ABS: return magnitude(is_signed, a);
    case MAP_MIN: return is_less(is_signed, b, a) ? b : a;
    case MAP_MAX: return is_less(is_signed, a, b) ? b : a;
    default: return a;
    }
}

/* -------------------------------------------------------------------------------- the formula */

/* Converts an integer to a float, rounded once. */
static double real_of(bool narrow, bool is_signed, uint64_t v) {
    if (narrow) return is_signed ? (float)(int64_t)v : (float)v;
    return is_signed ? (double)(int64_t)v : (double)v;
}

static item leaf_item(const map_call *c, const map_leaf *leaf, size_t i) {
    const bool narrow = c->dtype == WEFT_F32;
    const array x = {leaf->dtype, leaf->p};
    if (!type_is_float(c->dtype)) {
        const uint64_t v = leaf->kind == LEAF_ARRAY   ? ref_integer(x, i)
                           : leaf->kind == LEAF_INDEX ? leaf->value.u64 + i
                                                      : leaf->value.u64;
        return (item){.integer = wrapped(c->dtype, v)};
    }
    if (leaf->kind == LEAF_INDEX) return (item){.real = real_of(narrow, false, leaf->value.u64 + i)};
    if (leaf->kind == LEAF_VALUE) return (item){.real = narrow ? (double)leaf->value.f32 : leaf->value.f64};
    if (type_is_float(x.dtype) || type_is_half(x.dtype)) return (item){.real = rounded(narrow, ref_real(x, i))};
    return (item){.real = real_of(narrow, type_is_signed(x.dtype), ref_integer(x, i))};
}

static item operand_item(const map_call *c, const item *registers, unsigned operand, size_t i) {
    return operand < MAP_REGISTERS ? registers[operand] : leaf_item(c, &c->leaves[operand - MAP_REGISTERS], i);
}

/* Computes value i: of complex values both parts. */
static void evaluate(const map_call *c, size_t i, item parts[2]) {
    const bool narrow = c->dtype == WEFT_F32, is_signed = type_is_signed(c->dtype);
    item registers[MAP_REGISTERS], last = {.integer = 0};
    for (const map_step *s = c->steps; s < c->steps + c->step_count; s++) {
        const map_op op = (map_op)s->op;
        const item x = operand_item(c, registers, s->a, i), y = operand_item(c, registers, s->b, i),
                   z = operand_item(c, registers, s->c, i);
        if (type_is_float(c->dtype))
            last.real = rounded(narrow, step_of_reals(op, narrow, x.real, y.real, z.real));
        else
            last.integer = wrapped(c->dtype, step_of_integers(op, is_signed, x.integer, y.integer, z.integer));
        registers[s->to] = last;
    }
    parts[0] = c->is_complex ? registers[c->results[0]] : last;
    parts[1] = c->is_complex ? registers[c->results[1]] : last;
}

weft_status ref_map(void *state, const map_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->result);
    (void)state, (void)error;
    for (size_t i = 0; i < c->n; i++) {
        char *const out = (char *)c->out + i * size;
        item parts[2];
        evaluate(c, i, parts);
        if (type_is_float(c->dtype))
            ref_store_real(c->result, parts[0].real, out);
        else
            ref_store_integer(c->dtype, parts[0].integer, out);
        if (c->is_complex) ref_store_real(c->result, parts[1].real, out + c->imaginary);
    }
    return WEFT_OK;
}

/* Each value is that of weft_map for one element. */
weft_status ref_map_views(void *state, const map_views_call *v, weft_error *error) {
    map_leaf leaves[MAP_LEAVES];
    map_call one = *v->map;
    one.n = 1;
    one.leaves = leaves;
    for (size_t i = 0; i < v->map->n; i++) {
        size_t rest = i;
        one.out = v->map->out;
        for (size_t l = 0; l < one.leaf_count; l++) leaves[l] = v->map->leaves[l];
        for (size_t k = v->count; k-- > 0; rest /= v->dimensions[k].n) {
            const map_dimension *d = &v->dimensions[k];
            const ptrdiff_t at = (ptrdiff_t)(rest % d->n);
            one.out = (char *)one.out + at * d->out;
            for (size_t l = 0; l < one.leaf_count; l++) {
                if (leaves[l].kind == LEAF_ARRAY) leaves[l].p = (const char *)leaves[l].p + at * d->x[l];
                if (leaves[l].kind == LEAF_INDEX) leaves[l].value.u64 += (uint64_t)(at * d->x[l]);
            }
        }
        RETURN_IF_ERROR(ref_map(state, &one, error));
    }
    return WEFT_OK;
}

weft_status ref_map_values(const map_call *c, void **values, weft_error *error) {
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    map_call map = *c;
    *values = map.out = malloc(bytes ? bytes : 1);
    RETURN_IF(!map.out, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
    return ref_map(NULL, &map, error);
}

weft_status ref_map_reduce(void *state, const reduce_call *call, weft_error *error) {
    reduce_call reduce = *call;
    void *values;
    RETURN_IF_ERROR(ref_map_values(call->map, &values, error));
    reduce.x = values;
    reduce.map = NULL;
    const weft_status status = ref_reduce(state, &reduce, error);
    free(values);
    return status;
}

weft_status ref_map_scan(void *state, const scan_call *call, weft_error *error) {
    scan_call scan = *call;
    void *values;
    RETURN_IF_ERROR(ref_map_values(call->map, &values, error));
    scan.x = values;
    scan.map = NULL;
    const weft_status status = ref_scan(state, &scan, error);
    free(values);
    return status;
}
