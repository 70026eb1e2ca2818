/* Quantiles of sorted elements (ORDER.md 32.4): positions, and means of two elements. */
#ifndef WEFT_ARITH_QUANTILE_H
#define WEFT_ARITH_QUANTILE_H

#include "arith/bits.h"

#include <stdbool.h>

/* The methods, in the order of weft_quantile_method. */
typedef enum weft_quantile_rule {
    WEFT_QUANTILE_LINEAR,
    WEFT_QUANTILE_LOWER,
    WEFT_QUANTILE_HIGHER,
    WEFT_QUANTILE_NEAREST,
    WEFT_QUANTILE_MIDPOINT
} weft_quantile_rule;

/* A quantile: element `index` if w is 0, else the mean of it and of the next element, which has the weight w. */
typedef struct weft_quantile {
    uint64_t index;
    double w;
} weft_quantile;

/* Returns the quantile q of n >= 1 elements. */
WEFT_ARITH weft_quantile weft_quantile_of(weft_quantile_rule rule, double q, uint64_t n) {
    const double position = q * (double)(int64_t)(n - 1);
    const int64_t whole = (int64_t)position;
    const double g = position - (double)whole;
    const uint64_t lower = (uint64_t)whole < n ? (uint64_t)whole : n - 1; /* n - 1 above 2^53 may be rounded up */
    const bool takes_upper = rule == WEFT_QUANTILE_HIGHER
                                 ? g > 0
                                 : rule == WEFT_QUANTILE_NEAREST && (g > 0.5 || (g == 0.5 && lower % 2 == 1));
    const double weight = rule == WEFT_QUANTILE_LINEAR ? g : rule == WEFT_QUANTILE_MIDPOINT && g > 0 ? 0.5 : 0;
    const weft_quantile found = {takes_upper ? lower + 1 : lower, weight};
    return found;
}

WEFT_ARITH bool weft_quantile_is_infinite(double v) {
    return (weft_bits_f64(v) << 1) == UINT64_C(0x7ff0000000000000) << 1;
}

/* Returns the mean of the finite numbers a < b, where b has the weight w. */
WEFT_ARITH double weft_quantile_between(double a, double b, double w) {
    const double d = b - a, from_a = d * w, from_b = d * (1 - w);
    return w < 0.5 ? a + from_a : b - from_b;
}

/* Returns the mean of a <= b, where b has the weight w > 0. The result may be any NaN. */
WEFT_ARITH double weft_quantile_mean(double a, double b, double w) {
    const bool a_infinite = weft_quantile_is_infinite(a), b_infinite = weft_quantile_is_infinite(b);
    if (a == b) return a;
    if (a_infinite || b_infinite) return a_infinite && b_infinite ? a + b : a_infinite ? a : b;
    if (weft_quantile_is_infinite(b - a)) return 2 * weft_quantile_between(a / 2, b / 2, w);
    return weft_quantile_between(a, b, w);
}

#endif
