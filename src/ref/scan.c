/* The definition of weft_scan (ORDER.md 6). */
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the address of the result for the first i elements: y[i] of an exclusive scan, y[i - 1] of an inclusive
 * one. */
static void *result_at(const scan_call *c, size_t i) {
    const size_t index = c->kind == WEFT_EXCLUSIVE ? i : i - 1;
    return (char *)c->y + index * weft_dtype_size(c->result);
}

static size_t first_prefix(const scan_call *c) { return c->kind == WEFT_EXCLUSIVE ? 0 : 1; }

/* ----------------------------------------------------------- sum and product of floats */

#define REAL float
#define LEVELS levels_f32
#define ADD add_f32
#define MUL mul_f32
#define GROUP group_f32
#define PREFIX prefix_f32
#define TOTALS totals_f32
#define SCAN scan_f32
#include "ref/bodies/scan_body.h"

#define REAL double
#define LEVELS levels_f64
#define ADD add_f64
#define MUL mul_f64
#define GROUP group_f64
#define PREFIX prefix_f64
#define TOTALS totals_f64
#define SCAN scan_f64
#include "ref/bodies/scan_body.h"

/* -------------------------------------------- operators for which any order is the same */

/* Scans floats for their minimum or maximum. The initial value is an infinity unless c->init is set. */
static void extremes_of_reals(const scan_call *c, array x) {
    const bool least = c->op == WEFT_MIN;
    double best = least ? INFINITY : -INFINITY;
    if (c->init) best = ref_real((array){c->result, c->init}, 0);
    for (size_t i = 0; i < c->n; i++) {
        const double v = ref_real(x, i);
        if (c->kind == WEFT_EXCLUSIVE) ref_store_real(c->result, best, result_at(c, i));
        const bool equal_but_sign = v == best && signbit(v) != signbit(best) && (signbit(v) != 0) == least;
        if (isnan(v) || (least ? v < best : v > best) || equal_but_sign) best = isnan(best) ? best : v;
        if (c->kind == WEFT_INCLUSIVE) ref_store_real(c->result, best, result_at(c, i + 1));
    }
}

static uint64_t identity(const scan_call *c) {
    const unsigned bits = 8 * (unsigned)weft_dtype_size(c->dtype);
    const uint64_t ones = UINT64_MAX >> (64 - bits);
    const bool is_signed = type_is_signed(c->dtype);
    switch (c->op) {
    case WEFT_PROD: return 1;
    case WEFT_AND: return UINT64_MAX;
    case WEFT_MIN: return is_signed ? ones >> 1 : ones;
    case WEFT_MAX: return is_signed ? ~(ones >> 1) : 0;
    default: return 0;
    }
}

static uint64_t combine_integers(const scan_call *c, uint64_t a, uint64_t b) {
    const bool less = type_is_signed(c->dtype) ? (int64_t)b < (int64_t)a : b < a;
    switch (c->op) {
    case WEFT_SUM: return a + b;
    case WEFT_PROD: return a * b;
    case WEFT_MIN: return less ? b : a;
    case WEFT_MAX: return less ? a : b;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    default: return a ^ b;
    }
}

static void scan_integers(const scan_call *c, array x) {
    uint64_t value = c->init ? ref_integer((array){c->result, c->init}, 0) : identity(c);
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t v = ref_integer(x, i);
        if (c->kind == WEFT_EXCLUSIVE) ref_store_integer(c->result, value, result_at(c, i));
        value = combine_integers(c, value, v);
        if (c->kind == WEFT_INCLUSIVE) ref_store_integer(c->result, value, result_at(c, i + 1));
    }
}

weft_status ref_scan(void *state, const scan_call *c, weft_error *error) {
    const array x = {c->dtype, c->x};
    if (c->map) return ref_map_scan(state, c, error);
    if (!type_is_real(c->dtype)) {
        scan_integers(c, x);
    } else if (c->op == WEFT_MIN || c->op == WEFT_MAX) {
        extremes_of_reals(c, x);
    } else {
        return c->result == WEFT_F64 ? scan_f64(c, x, error) : scan_f32(c, x, error);
    }
    return WEFT_OK;
}
