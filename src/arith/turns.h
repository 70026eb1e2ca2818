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

WEFT_ARITH weft_pair weft_pair_divide(weft_pair a, double d) {
    const double q = a.hi / d;
    return weft_pair_sum(q, (fma(-q, d, a.hi) + a.lo) / d);
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

/* Returns i w if `turned`, else w. */
WEFT_ARITH weft_turn weft_turn_upright(weft_turn w, bool turned) {
    weft_turn u;
    u.re = turned ? weft_pair_negate(w.im) : w.re;
    u.im = turned ? w.re : w.im;
    return u;
}

/* Compute the constants c and t of ORDER.md 14.1 from U. */
WEFT_ARITH void weft_slope_f32(weft_turn u, float *c, float *t) {
    *c = weft_pair_f32(u.re);
    *t = weft_pair_f32(weft_pair_divide(u.im, (double)*c));
}
WEFT_ARITH void weft_slope_f64(weft_turn u, double *c, double *t) {
    *c = u.re.hi;
    *t = weft_pair_divide(u.im, *c).hi;
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

/* ----------------------------------------------------------- any fraction of a turn, on a host */

/* Returns first - first x^2 / ((at + 1) (at + 2)) + ...: the sine for first = x, at = 1, the cosine for first = 1,
 * at = 0. x must be at most pi/4. */
static inline weft_pair weft_pair_series(weft_pair first, double at, weft_pair x) {
    const weft_pair square = weft_pair_multiply(x, x);
    weft_pair sum = weft_pair_of(0, 0), term = first;
    for (; fabs(term.hi) > 0x1p-120; at += 2) {
        sum = weft_pair_add(sum, term);
        term = weft_pair_divide(weft_pair_multiply(term, square), -(at + 1) * (at + 2));
    }
    return sum;
}

/* Returns exp(-i pi j / (2 n)), 0 <= 2 j <= n < 2^52. */
static inline weft_turn weft_turn_of(uint64_t j, uint64_t n) {
    const weft_pair half_pi = weft_pair_of(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    const weft_pair x = weft_pair_multiply(half_pi, weft_pair_divide(weft_pair_of((double)j, 0), (double)n));
    weft_turn t;
    t.re = weft_pair_series(weft_pair_of(1, 0), 0, x);
    t.im = weft_pair_negate(weft_pair_series(x, 1, x));
    return t;
}

/* Tables of a circle of n numbers: exp(-i pi j / (2 n)) = near[j % 2^near_log] far[j >> near_log], 2 j <= n. */
typedef struct weft_circle {
    uint64_t n;
    int near_log;
    weft_turn *near, *far;
} weft_circle;

/* Returns near_log of a circle of n numbers; near has 2^near_log entries and far n / 2 / 2^near_log + 1. */
static inline int weft_circle_near_log(uint64_t n) {
    int log = 0;
    while ((n / 2) >> (2 * log) > 0) log++;
    return log;
}

/* Fills the tables, whose memory the caller provides. */
static inline void weft_circle_fill(const weft_circle *c) {
    const uint64_t count = (uint64_t)1 << c->near_log, most = c->n / 2;
    for (uint64_t j = 0; j < count; j++) c->near[j] = weft_turn_of(j <= most ? j : most, c->n);
    for (uint64_t j = 0; j <= most >> c->near_log; j++) c->far[j] = weft_turn_of(j << c->near_log, c->n);
}

/* Returns exp(-2 pi i a / n), a < n: exactly (-i)^q exp(-pi i r / (2 n)), where 4 a = q n + r. Beyond the middle of
 * the quadrant the parts are exchanged. Exact zeros are +0. */
static inline weft_turn weft_circle_at(const weft_circle *c, uint64_t a) {
    const uint64_t q = 4 * a / c->n, r = 4 * a % c->n, j = 2 * r > c->n ? c->n - r : r;
    const weft_turn t = weft_turn_combine(c->near[j & (((uint64_t)1 << c->near_log) - 1)], c->far[j >> c->near_log]);
    const weft_pair sine = weft_pair_of(0 - t.im.hi, 0 - t.im.lo);
    const weft_pair x = j == r ? t.re : sine, y = j == r ? sine : t.re; /* cosine and sine of r */
    const weft_pair minus_x = weft_pair_of(0 - x.hi, 0 - x.lo), minus_y = weft_pair_of(0 - y.hi, 0 - y.lo);
    weft_turn w;
    w.re = q == 0 ? x : q == 1 ? minus_y : q == 2 ? minus_x : y;
    w.im = q == 0 ? minus_y : q == 1 ? minus_x : q == 2 ? y : x;
    return w;
}

#endif
