/* Exact sums (ORDER.md 30) of few terms: a sum of two f64 that is exact, or known not to be. */
#ifndef WEFT_ARITH_EXACT_PAIR_H
#define WEFT_ARITH_EXACT_PAIR_H

#include "arith/exact.h"

/* The sum high + low. It is -0.0 + 0 without terms. `lost` is not 0 if an addition was not exact. */
typedef struct weft_exact_pair {
    double high, low;
    uint64_t lost;
} weft_exact_pair;

WEFT_ARITH uint64_t weft_exact_is_lost(double rest) { return weft_bits_f64(rest) << 1; }

/* Adds x. With `single`, low must remain 0. */
WEFT_ARITH void weft_exact_pair_add(weft_exact_pair *p, double x, bool single) {
    double rest, left;
    p->high = weft_two_sum(p->high, x, &rest);
    if (single) {
        p->lost |= weft_exact_is_lost(rest);
        return;
    }
    p->low = weft_two_sum(p->low, rest, &left);
    p->lost |= weft_exact_is_lost(left);
}

WEFT_ARITH void weft_exact_pair_merge(weft_exact_pair *p, weft_exact_pair q, bool single) {
    p->lost |= q.lost;
    weft_exact_pair_add(p, q.high, single);
    if (single) return;
    double left;
    p->low = weft_two_sum(p->low, q.low, &left);
    p->lost |= weft_exact_is_lost(left);
}

/* Returns the bits of the sum, rounded once. The rounding to f32 is preceded by one to odd. */
WEFT_ARITH uint64_t weft_exact_pair_sum(weft_exact_pair p, bool narrow) {
    if (narrow) return weft_bits_f32((float)(p.low == 0 ? p.high : weft_sum_to_odd(p.high, p.low)));
    return weft_bits_f64(p.low == 0 ? p.high : p.high + p.low); /* not -0.0 + 0 */
}

/* Stores the bits of the sum divided by n, rounded once. Returns false if the sum has too many bits for this. */
WEFT_ARITH bool weft_exact_pair_mean(weft_exact_pair p, uint64_t n, bool narrow, uint64_t *mean) {
    double rest;
    const double sum = weft_two_sum(p.high, p.low, &rest);
    const bool negative = weft_bits_f64(p.low == 0 ? p.high : sum) >> 63;
    const uint64_t sign = !negative ? 0 : narrow ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    int at, at_rest;
    const uint64_t significand = weft_exact_significand(weft_bits_f64(sum), &at);
    const uint64_t added = weft_exact_significand(weft_bits_f64(rest), &at_rest);
    const int shift = at_rest - (at - 64);
    *mean = sign;
    if (sum == 0) return true;
    if (sum - sum != 0 || (added && shift < 0)) return false;
    weft_exact_top v = {(weft_u128)significand << 64, at - 64, true};
    const weft_u128 term = added ? (weft_u128)added << shift : 0;
    v.m = (rest > 0) == (sum > 0) ? v.m + term : v.m - term;
    v = weft_exact_divided(weft_exact_shifted(v), n);
    *mean = weft_exact_rounded(v, narrow) | sign;
    return true;
}

/* Stores the bits of the sum, or of the mean of n terms. Returns false if they are not known. */
WEFT_ARITH bool weft_exact_pair_finish(weft_exact_pair p, bool mean, uint64_t n, bool narrow, uint64_t *bits) {
    if (p.lost) return false;
    if (mean) return weft_exact_pair_mean(p, n, narrow, bits);
    *bits = weft_exact_pair_sum(p, narrow);
    return true;
}

#endif
