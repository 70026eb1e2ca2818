/* The variance from two exact sums (ORDER.md 30.3): S1 of the elements and S2 of their squares. Integer arithmetic.
 */
#ifndef WEFT_ARITH_EXACT_VARIANCE_H
#define WEFT_ARITH_EXACT_VARIANCE_H

#include "arith/exact.h"

__extension__ typedef __int128 weft_i128;

/* Replaces S2 by n S2 - S1^2. The carries of both are propagated, and S1 is not negative. Digits i and j of S1 have a
 * product at digit i + j - POINT. The lowest digit of S1 that is not 0 has a number of at least POINT / 2. */
WEFT_ARITH void weft_exact_spread(const int64_t *s1, int64_t *s2, uint64_t n) {
    enum { POINT = WEFT_EXACT_POINT / 32 };
    int low = 0, high = WEFT_EXACT_DIGITS - 1;
    weft_i128 carry = 0;
    while (low < high && s1[low] == 0) low++;
    while (low < high && s1[high] == 0) high--;
    for (int k = 0; k < WEFT_EXACT_DIGITS; k++) {
        const int both = k + POINT, first = both - high > low ? both - high : low;
        carry += (weft_i128)((weft_u128)n * (uint64_t)s2[k]);
        for (int i = first; i <= high && i <= both - low; i++) carry -= (uint64_t)s1[i] * (uint64_t)s1[both - i];
        s2[k] = (int64_t)(carry & 0xffffffff);
        carry >>= 32;
    }
}

/* Returns the first bits of a sum, divided by `divisor`. The sum is greater than zero, with propagated carries. */
WEFT_ARITH weft_exact_top weft_exact_quotient(const int64_t *state, weft_u128 divisor) {
    int bit = 32 * WEFT_EXACT_DIGITS - 1;
    weft_u128 rest = 0;
    weft_exact_top v = {0, 0, false};
    while (state[bit / 32] == 0) bit -= 32;
    for (; !(v.m >> 127); bit--) {
        const bool beyond = rest >> 127;
        rest = rest << 1 | (bit < 0 ? 0 : (uint64_t)state[bit / 32] >> bit % 32 & 1);
        v.m <<= 1;
        if (!beyond && rest < divisor) continue;
        rest -= divisor;
        v.m |= 1;
    }
    v.exponent = bit + 1 - WEFT_EXACT_POINT;
    v.exact = rest == 0 && (bit < 0 || !((uint64_t)state[bit / 32] & ((UINT64_C(2) << bit % 32) - 1)));
    for (int i = bit / 32 - 1; i >= 0 && v.exact; i--) v.exact = state[i] == 0;
    return v;
}

/* Stores the variance, an f32 if `narrow`, else an f64. Changes the states. The number of terms of S1 is set, and
 * greater than ddof. */
WEFT_ARITH void weft_exact_store_variance(int64_t *s1, int64_t *s2, uint64_t ddof, bool narrow, void *out) {
    const uint64_t n = (uint64_t)s1[EXACT_COUNT];
    uint64_t bits = narrow ? WEFT_NAN_F32 : WEFT_NAN_F64;
    if (!s1[EXACT_NANS] && !s1[EXACT_PLUS] && !s1[EXACT_MINUS]) {
        (void)weft_exact_absolute(s1);
        weft_exact_carry(s2);
        weft_exact_spread(s1, s2, n);
        bits = weft_exact_is_zero(s2)
                   ? 0
                   : weft_exact_rounded(weft_exact_quotient(s2, (weft_u128)n * (n - ddof)), narrow);
    }
    weft_exact_store_bits(bits, narrow, out);
}

#endif
