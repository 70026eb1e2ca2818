/* Formats of floats, which their digits identify: 53 (f64), 24 (f32), 11 (f16), 8 (bf16), and rounding to them. */
#ifndef WEFT_ARITH_FORMATS_H
#define WEFT_ARITH_FORMATS_H

#include "arith/halves.h"

#include <stdbool.h>

/* Returns the number of bits of v: the least n with v < 2^n. */
WEFT_ARITH int weft_bit_length(uint64_t v) {
#ifdef __CUDA_ARCH__
    return 64 - __clzll((long long)v);
#else
    return v ? 64 - __builtin_clzll(v) : 0;
#endif
}

/* Return the number of the sign bit, the exponent of the least subnormal number, and the exponent field of infinities
 * and NaN. */
WEFT_ARITH int weft_sign_bit(int digits) { return digits == 53 ? 63 : digits == 24 ? 31 : 15; }
WEFT_ARITH int weft_least_exponent(int digits) {
    return digits == 53 ? -1074 : digits == 24 ? -149 : digits == 11 ? -24 : -133;
}
WEFT_ARITH int weft_last_field(int digits) { return digits == 53 ? 2047 : digits == 11 ? 31 : 255; }

/* Returns the bits of the magnitude top * 2^exponent, rounded to nearest even; top must have its highest bit set.
 * `more`: the value is between top and top + 1. */
WEFT_ARITH uint64_t weft_exact_round(uint64_t top, bool more, int exponent, int digits) {
    const int least = weft_least_exponent(digits), fields = weft_last_field(digits);
    int drop = 64 - digits;
    if (exponent + drop < least) drop = least - exponent;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    const uint64_t rest = drop == 64 ? top : top << (64 - drop), half = UINT64_C(1) << 63;
    if (rest > half || (rest == half && (more || (kept & 1) != 0))) kept++;
    const int field =
        exponent + drop - least + 1; /* of a normal number; a subnormal number has kept < 2^(digits - 1) */
    const uint64_t infinity = (uint64_t)fields << (digits - 1);
    if (field >= fields) return infinity;
    return ((uint64_t)field << (digits - 1)) + kept - (UINT64_C(1) << (digits - 1));
}

/* Returns a + b, and what its rounding dropped (D. Knuth's TwoSum). The rest is NaN if the sum is not finite. */
WEFT_ARITH double weft_two_sum(double a, double b, double *rest) {
    const double sum = a + b, part = sum - a;
    *rest = (a - (sum - part)) + (b - part);
    return sum;
}

/* Returns a + b rounded to odd: if the sum is not exact, that of its two neighbours whose last bit is 1. A second
 * rounding, to at most 51 digits, then gives the nearest number (S. Boldo, G. Melquiond, IEEE Transactions on
 * Computers 57, 2008). */
WEFT_ARITH double weft_sum_to_odd(double a, double b) {
    double rest;
    const double sum = weft_two_sum(a, b, &rest);
    const uint64_t bits = weft_bits_f64(sum), one = ((rest > 0) | (rest < 0)) & ~bits & 1;
    return weft_from_bits_f64((rest > 0) == (sum > 0) ? bits + one : bits - one);
}

/* Returns the bits of v rounded to 11 or 8 digits. NaN becomes the canonical NaN. */
WEFT_ARITH uint16_t weft_half_bits(double v, int digits) {
    const uint64_t bits = weft_bits_f64(v), fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int field = (int)(bits >> 52 & 2047);
    const uint64_t infinity = (uint64_t)weft_last_field(digits) << (digits - 1);
    uint64_t magnitude = 0; /* subnormal f64 are rounded to zero */
    if (v != v) return digits == 11 ? WEFT_NAN_F16 : WEFT_NAN_BF16;
    if (field == 2047) magnitude = infinity;
    if (field > 0 && field < 2047)
        magnitude = weft_exact_round((fraction | UINT64_C(1) << 52) << 11, false, field - 1086, digits);
    return (uint16_t)(magnitude | (bits >> 48 & 0x8000));
}

/* Returns the bits of v, which the format has or which is a NaN. NaN becomes the canonical NaN. */
WEFT_ARITH uint64_t weft_bits_of(double v, int digits) {
    if (digits == 53) return weft_bits_f64(weft_canonical_f64(v));
    return digits == 24 ? weft_bits_f32(weft_canonical_f32((float)v)) : weft_half_bits(v, digits);
}

#endif
