/* Complex numbers on the unit circle, as pairs of f64 whose sum is accurate to about 100 bits (T. Dekker, Numer.
 * Math. 18, 1971), and their rounding to f32 and f64. The twiddles of ORDER.md 14.1 are computed from them. */
#ifndef WEFT_ARITH_TURNS_H
#define WEFT_ARITH_TURNS_H

#include "arith/bits.h"

#include <math.h>
#include <stdbool.h>

/* hi + lo, where hi is the sum rounded to f64. */
typedef struct weft_pair {
    double hi, lo;
} weft_pair;

typedef struct weft_turn {
    weft_pair re, im;
} weft_turn;

WEFT_ARITH weft_pair weft_pair_of(double hi, double lo) {
    weft_pair p;
    p.hi = hi;
    p.lo = lo;
    return p;
}

WEFT_ARITH weft_pair weft_pair_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return weft_pair_of(s, (a - (s - t)) + (b - t));
}

WEFT_ARITH weft_pair weft_pair_add(weft_pair a, weft_pair b) {
    const weft_pair s = weft_pair_sum(a.hi, b.hi), t = weft_pair_sum(a.lo, b.lo);
    const weft_pair u = weft_pair_sum(s.hi, s.lo + t.hi);
    return weft_pair_sum(u.hi, u.lo + t.lo);
}

WEFT_ARITH weft_pair weft_pair_multiply(weft_pair a, weft_pair b) {
    const double p = a.hi * b.hi;
    return weft_pair_sum(p, fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
}

WEFT_ARITH weft_pair weft_pair_negate(weft_pair a) { return weft_pair_of(-a.hi, -a.lo); }

/* Returns the product of a and b. */
WEFT_ARITH weft_turn weft_turn_combine(weft_turn a, weft_turn b) {
    weft_turn t;
    t.re = weft_pair_add(weft_pair_multiply(a.re, b.re), weft_pair_negate(weft_pair_multiply(a.im, b.im)));
    t.im = weft_pair_add(weft_pair_multiply(a.re, b.im), weft_pair_multiply(a.im, b.re));
    return t;
}

/* Returns the nearest f32. Rounding hi alone would round twice, so hi is first rounded to odd: if lo is not 0 and
 * the last bit of hi is even, the adjacent number in the direction of lo is used (see emulated_fmaf in
 * cpu/kernels/vectors.h). */
WEFT_ARITH float weft_pair_f32(weft_pair p) {
    const uint64_t bits = weft_bits_f64(p.hi);
    const uint64_t one = (p.lo != 0) & ~bits & 1;
    const bool outward = (p.lo > 0) == (p.hi > 0);
    return (float)weft_from_bits_f64(outward ? bits + one : bits - one);
}

/* ------------------------------------------------------------------------- tables, on a host */

/* Returns exp(-i pi / 2^(q+1)) from t = exp(-i pi / 2^q), q >= 1, by half-angle formulas. */
static inline weft_turn weft_turn_half(weft_turn t) {
    const weft_pair c = weft_pair_add(t.re, weft_pair_of(1, 0)), square = weft_pair_of(c.hi / 2, c.lo / 2);
    const double root = sqrt(square.hi);
    const weft_pair re = weft_pair_sum(root, (fma(-root, root, square.hi) + square.lo) / (2 * root));
    const double quotient = t.im.hi / (2 * re.hi);
    const double rest = (fma(-quotient, 2 * re.hi, t.im.hi) + t.im.lo) - quotient * (2 * re.lo);
    weft_turn half;
    half.re = re;
    half.im = weft_pair_sum(quotient, rest / (2 * re.hi));
    return half;
}

/* Sets table[k] = exp(-i pi v(k) / 2^shift) for k < 2^count_log, with v as in ORDER.md 14.1. */
static inline void weft_turn_table(int shift, int count_log, weft_turn *table) {
    weft_turn step;
    step.re = weft_pair_of(0, 0);
    step.im = weft_pair_of(-1, 0);
    table[0].re = weft_pair_of(1, 0);
    table[0].im = weft_pair_of(0, 0);
    for (int i = 0; i < shift; i++) step = weft_turn_half(step);
    for (int i = 0; i < count_log; i++, step = weft_turn_half(step))
        for (uint64_t k = 0; k < (uint64_t)1 << i; k++)
            table[((uint64_t)1 << i) + k] = weft_turn_combine(table[k], step);
}

#endif
