/* States of exact sums (core/order.h, ORDER.md 30): the digits of one term, and the value of a sum. Integer
 * arithmetic. */
#ifndef WEFT_ARITH_EXACT_H
#define WEFT_ARITH_EXACT_H

#include "arith/formats.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 weft_u128;

/* Digits of a product. digit[i] of a term is added to word first + i of a state. */
#define WEFT_EXACT_TERM_DIGITS 5

typedef struct weft_exact_term {
    int counter; /* EXACT_NANS, EXACT_PLUS or EXACT_MINUS, to which 1 is added, if the term is no number; else -1 */
    bool other;  /* the term is not -0.0 */
    int first;
    int64_t digit[WEFT_EXACT_TERM_DIGITS];
} weft_exact_term;

/* Returns the significand of a finite number, and the exponent of its lowest bit. */
WEFT_ARITH uint64_t weft_exact_significand(uint64_t bits, int *exponent) {
    const int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = (biased > 0 ? biased : 1) - 1075;
    return (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(biased > 0) << 52;
}

/* Cuts m 2^exponent, or its negative, into digits. m < 2^128 if its lowest bit is that of a digit, else m < 2^112. */
WEFT_ARITH void weft_exact_cut(weft_exact_term *t, weft_u128 m, bool negative, int exponent) {
    const int at = exponent + WEFT_EXACT_POINT, shift = at % 32;
    weft_u128 upper = m >> 32 << shift;
    const uint64_t lowest = (uint64_t)(uint32_t)m << shift;
    upper += lowest >> 32;
    t->first = at / 32;
    t->digit[0] = (int64_t)(uint32_t)lowest;
    for (int i = 1; i < WEFT_EXACT_TERM_DIGITS; i++, upper >>= 32) t->digit[i] = (int64_t)(uint32_t)upper;
    for (int i = 0; negative && i < WEFT_EXACT_TERM_DIGITS; i++) t->digit[i] = -t->digit[i];
}

/* Returns the term x y. With y = 1 the term is x. */
WEFT_ARITH weft_exact_term weft_exact_product(double x, double y) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000), mask = UINT64_C(0x7fffffffffffffff);
    const uint64_t bits_x = weft_bits_f64(x), bits_y = weft_bits_f64(y);
    const uint64_t size_x = bits_x & mask, size_y = bits_y & mask;
    const bool negative = (bits_x ^ bits_y) >> 63;
    weft_exact_term t = {-1, true, 0, {0}};
    if (size_x >= infinity || size_y >= infinity) {
        const bool nan = size_x > infinity || size_y > infinity || size_x == 0 || size_y == 0;
        t.counter = nan ? EXACT_NANS : negative ? EXACT_MINUS : EXACT_PLUS;
        return t;
    }
    int at_x, at_y;
    const uint64_t a = weft_exact_significand(bits_x, &at_x), b = weft_exact_significand(bits_y, &at_y);
    t.other = (a != 0 && b != 0) || !negative;
    weft_exact_cut(&t, (weft_u128)a * b, negative, at_x + at_y);
    return t;
}

/* Propagates the carries. Every word but the last is then in [0, 2^32), and the last has the sign of the sum. The
 * words must be less than 2^62. */
WEFT_ARITH void weft_exact_carry(int64_t *state) {
    int64_t carry = 0;
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++) {
        const int64_t v = state[i] + carry;
        carry = i < WEFT_EXACT_DIGITS - 1 ? v >> 32 : 0;
        state[i] = i < WEFT_EXACT_DIGITS - 1 ? v & 0xffffffff : v;
    }
}

/* Gives equal sums with equal counters equal words: propagates the carries, and EXACT_OTHERS becomes 0 or 1. */
WEFT_ARITH void weft_exact_tidy(int64_t *state) {
    weft_exact_carry(state);
    state[EXACT_OTHERS] = state[EXACT_OTHERS] || state[EXACT_NANS] || state[EXACT_PLUS] || state[EXACT_MINUS];
}

/* The number (m + d) 2^exponent, m >= 2^127, d = 0 if `exact`, else 0 < d < 1. */
typedef struct weft_exact_top {
    weft_u128 m;
    int exponent;
    bool exact;
} weft_exact_top;

WEFT_ARITH weft_exact_top weft_exact_shifted(weft_exact_top v) {
    for (; !(v.m >> 127); v.exponent--) v.m <<= 1;
    return v;
}

/* Returns the first bits of a sum greater than zero, whose carries are propagated. */
WEFT_ARITH weft_exact_top weft_exact_leading(const int64_t *state) {
    int highest = WEFT_EXACT_DIGITS - 1, i;
    weft_u128 digits = 0;
    weft_exact_top v;
    while (state[highest] == 0) highest--;
    for (i = highest; i > highest - 4; i--) digits = digits << 32 | (i < 0 ? 0 : (uint64_t)state[i]);
    v.exponent = 32 * (highest - 3) - WEFT_EXACT_POINT;
    v.m = digits;
    v.exact = true;
    const int exponent = v.exponent;
    v = weft_exact_shifted(v);
    const int shift = exponent - v.exponent;
    const uint64_t next = i < 0 ? 0 : (uint64_t)state[i];
    v.m |= next << shift >> 32;
    v.exact = (uint32_t)(next << shift) == 0;
    for (i--; i >= 0 && v.exact; i--) v.exact = state[i] == 0;
    return v;
}

WEFT_ARITH weft_exact_top weft_exact_divided(weft_exact_top v, uint64_t n) {
    const weft_u128 quotient = v.m / n;
    v.exact = v.exact && v.m % n == 0;
    v.m = quotient;
    return weft_exact_shifted(v);
}

/* Returns the square root, digit by digit. */
WEFT_ARITH weft_exact_top weft_exact_root(weft_exact_top v) {
    weft_u128 rest = 0, root = 0;
    if (v.exponent % 2 != 0) {
        v.exact = v.exact && !(v.m & 1);
        v.m >>= 1;
        v.exponent++;
    }
    for (int i = 0; i < 64; i++, v.m <<= 2) {
        const weft_u128 trial = root << 2 | 1;
        rest = rest << 2 | v.m >> 126;
        root <<= 1;
        if (rest < trial) continue;
        rest -= trial;
        root |= 1;
    }
    v.exact = v.exact && rest == 0;
    v.m = root;
    v.exponent /= 2;
    return weft_exact_shifted(v);
}

/* Returns the bits of the nearest f32 if `narrow`, else of the nearest f64. */
WEFT_ARITH uint64_t weft_exact_rounded(weft_exact_top v, bool narrow) {
    const bool more = !v.exact || (uint64_t)v.m != 0;
    return weft_exact_round((uint64_t)(v.m >> 64), more, v.exponent + 64, narrow ? 24 : 53);
}

/* Replaces a sum by its magnitude, with propagated carries. Returns true if it was negative. */
WEFT_ARITH bool weft_exact_absolute(int64_t *state) {
    weft_exact_carry(state);
    const bool negative = state[WEFT_EXACT_DIGITS - 1] < 0;
    for (int i = 0; negative && i < WEFT_EXACT_DIGITS; i++) state[i] = -state[i];
    if (negative) weft_exact_carry(state);
    return negative;
}

WEFT_ARITH bool weft_exact_is_zero(const int64_t *state) {
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++)
        if (state[i] != 0) return false;
    return true;
}

/* Returns the bits of the result of a sum, an f32 if `narrow`, else an f64. Changes the state. */
WEFT_ARITH uint64_t weft_exact_finish(int64_t *state, exact_finish finish, bool narrow) {
    const uint64_t sign = narrow ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t infinity = narrow ? UINT64_C(0x7f800000) : UINT64_C(0x7ff0000000000000);
    if (state[EXACT_NANS] || (state[EXACT_PLUS] && state[EXACT_MINUS])) return narrow ? WEFT_NAN_F32 : WEFT_NAN_F64;
    if (state[EXACT_PLUS] || state[EXACT_MINUS]) return state[EXACT_MINUS] ? infinity | sign : infinity;
    const bool negative = weft_exact_absolute(state);
    if (weft_exact_is_zero(state)) return state[EXACT_OTHERS] || !state[EXACT_COUNT] ? 0 : sign;
    weft_exact_top v = weft_exact_leading(state);
    if (finish == EXACT_MEAN) v = weft_exact_divided(v, (uint64_t)state[EXACT_COUNT]);
    if (finish == EXACT_ROOT) v = weft_exact_root(v);
    return weft_exact_rounded(v, narrow) | (negative ? sign : 0);
}

/* Stores a number that has these bits, an f32 if `narrow`, else an f64. */
WEFT_ARITH void weft_exact_store_bits(uint64_t bits, bool narrow, void *out) {
    if (narrow)
        *(float *)out = weft_from_bits_f32((uint32_t)bits);
    else
        *(double *)out = weft_from_bits_f64(bits);
}

/* Stores the result of a sum, an f32 if `narrow`, else an f64. Changes the state. */
WEFT_ARITH void weft_exact_store(int64_t *state, exact_finish finish, bool narrow, void *out) {
    weft_exact_store_bits(weft_exact_finish(state, finish, narrow), narrow, out);
}

#endif
