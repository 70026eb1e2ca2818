/* Arithmetic of exact matrix products (ORDER.md 31): exponents of lines, and the result from an integer. */
#ifndef WEFT_ARITH_EXACT_PRODUCT_H
#define WEFT_ARITH_EXACT_PRODUCT_H

#include "arith/formats.h"

/* Exponent of a line (a row of op(A), a column of op(B)) that contains an infinity or a NaN. */
#define WEFT_EXACT_SPECIAL INT32_MAX

/* Return the exponent of a line whose greatest magnitude has the given bits: the least e with |x| < 2^e for all
 * elements. 0 if all elements are zero. Magnitudes of infinities and NaN are greater than all others as integers. */
WEFT_ARITH int weft_exact_exponent_f32(uint32_t bits) {
    const int field = (int)(bits >> 23);
    if (field == 255) return WEFT_EXACT_SPECIAL;
    if (field > 0) return field - 126;
    return bits ? weft_bit_length(bits) - 149 : 0;
}

WEFT_ARITH int weft_exact_exponent_f64(uint64_t bits) {
    const int field = (int)(bits >> 52);
    if (field == 2047) return WEFT_EXACT_SPECIAL;
    if (field > 0) return field - 1022;
    return bits ? weft_bit_length(bits) - 1074 : 0;
}

WEFT_ARITH int weft_exact_exponent_f16(uint32_t bits) {
    const int field = (int)(bits >> 10);
    if (field == 31) return WEFT_EXACT_SPECIAL;
    if (field > 0) return field - 14;
    return bits ? weft_bit_length(bits) - 24 : 0;
}

WEFT_ARITH int weft_exact_exponent_bf16(uint32_t bits) { return weft_exact_exponent_f32(bits << 16); }

/* Returns 2^exponent; it must be a normal f64. */
WEFT_ARITH double weft_power_of_two(int exponent) { return weft_from_bits_f64((uint64_t)(exponent + 1023) << 52); }

/* ------------------------------------------------------------------------------ rounding an integer */

/* A real number: w * 2^exponent, lowest word first. */
enum { WEFT_PRODUCT_WORDS = 6 };
typedef struct weft_exact {
    bool negative;
    int exponent;
    uint64_t w[WEFT_PRODUCT_WORDS];
} weft_exact;

/* Returns the number of bits of the magnitude. */
WEFT_ARITH int weft_exact_length(const weft_exact *x) {
    for (int i = WEFT_PRODUCT_WORDS - 1; i >= 0; i--)
        if (x->w[i]) return 64 * i + weft_bit_length(x->w[i]);
    return 0;
}

/* Returns word i of the magnitude divided by 2^shift; shift may be negative. */
WEFT_ARITH uint64_t weft_exact_word(const weft_exact *x, int i, int shift) {
    const int words = shift >= 0 ? shift / 64 : -((63 - shift) / 64), bits = shift - 64 * words, at = i + words;
    const uint64_t low = at >= 0 && at < WEFT_PRODUCT_WORDS ? x->w[at] : 0;
    const uint64_t high = at + 1 >= 0 && at + 1 < WEFT_PRODUCT_WORDS ? x->w[at + 1] : 0;
    return bits == 0 ? low : low >> bits | high << (64 - bits);
}

/* Returns true if one of the lowest `bits` bits is set. */
WEFT_ARITH bool weft_exact_any(const weft_exact *x, int bits) {
    bool any = false;
    for (int i = 0; i < WEFT_PRODUCT_WORDS; i++) {
        const int here = bits - 64 * i;
        if (here >= 64) any = any || x->w[i] != 0;
        if (here > 0 && here < 64) any = any || x->w[i] << (64 - here) != 0;
    }
    return any;
}

/* Returns the bits of x, rounded. Zero is +0. */
WEFT_ARITH uint64_t weft_exact_bits(const weft_exact *x, int digits) {
    const int length = weft_exact_length(x), shift = length - 64;
    if (length == 0) return 0;
    const uint64_t bits =
        weft_exact_round(weft_exact_word(x, 0, shift), weft_exact_any(x, shift), x->exponent + shift, digits);
    return bits | (uint64_t)x->negative << weft_sign_bit(digits);
}

/* Shifts x to the given exponent. Bits below are combined into the lowest one. */
WEFT_ARITH weft_exact weft_exact_shifted(const weft_exact *x, int exponent) {
    const int shift = exponent - x->exponent;
    weft_exact y;
    y.negative = x->negative;
    y.exponent = exponent;
    for (int i = 0; i < WEFT_PRODUCT_WORDS; i++)
        y.w[i] = shift < 64 * WEFT_PRODUCT_WORDS ? weft_exact_word(x, i, shift) : 0;
    y.w[0] |= (uint64_t)weft_exact_any(x, shift);
    return y;
}

/* Returns x + y. Both have at most 256 bits of the 384. Bits are only combined if the highest bits are at least 127
 * bits apart. Then the lowest 127 bits of the greater number are 0, so that the combined bit, which is far below the
 * digits that remain after rounding, only decides between up and down. */
WEFT_ARITH weft_exact weft_exact_sum(const weft_exact *x, const weft_exact *y) {
    const int length_x = weft_exact_length(x), length_y = weft_exact_length(y);
    if (length_x == 0) return *y;
    if (length_y == 0) return *x;
    const int top_x = x->exponent + length_x, top_y = y->exponent + length_y;
    const int exponent = (top_x > top_y ? top_x : top_y) - (64 * WEFT_PRODUCT_WORDS - 2);
    weft_exact a = weft_exact_shifted(x, exponent);
    const weft_exact b = weft_exact_shifted(y, exponent);
    const uint64_t flip = a.negative != b.negative ? ~UINT64_C(0) : 0;
    uint64_t carry = flip & 1;
    for (int i = 0; i < WEFT_PRODUCT_WORDS; i++) {
        const uint64_t part = a.w[i] + carry, sum = part + (b.w[i] ^ flip);
        carry = (uint64_t)(part < carry) + (uint64_t)(sum < part);
        a.w[i] = sum;
    }
    if (flip == 0 || carry != 0) return a;
    carry = 1; /* |y| > |x|: the magnitude is the negated difference */
    for (int i = 0; i < WEFT_PRODUCT_WORDS; i++) {
        a.w[i] = ~a.w[i] + carry;
        carry = (uint64_t)(carry != 0 && a.w[i] == 0);
    }
    a.negative = !a.negative;
    return a;
}

/* ------------------------------------------------------------------------------------- the end */

/* Multiplies the magnitude, at most 192 bits, by a finite f64 (ORDER.md 31.3). */
WEFT_ARITH void weft_exact_scale(weft_exact *x, double factor) {
    const uint64_t bits = weft_bits_f64(factor), fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int field = (int)(bits >> 52 & 2047);
    const uint64_t digits = field ? fraction | UINT64_C(1) << 52 : fraction;
    const uint64_t low = digits & UINT32_MAX, high = digits >> 32;
    uint64_t carry = 0; /* below 2^54 */
    for (int i = 0; i < 4; i++) {
        const uint64_t u = x->w[i] & UINT32_MAX, v = x->w[i] >> 32;
        const uint64_t first = u * low + (carry & UINT32_MAX);
        const uint64_t middle = (first >> 32) + (u * high & UINT32_MAX) + (v * low & UINT32_MAX) + (carry >> 32);
        carry = (u * high >> 32) + (v * low >> 32) + v * high + (middle >> 32);
        x->w[i] = middle << 32 | (first & UINT32_MAX);
    }
    x->exponent += (field ? field : 1) - 1075;
    x->negative = x->negative != (bits >> 63 != 0);
}

/* Returns the bits of alpha * s + beta * c, or of alpha * s if beta = 0; alpha, beta and c must be finite. s must
 * have at most 192 bits. */
WEFT_ARITH uint64_t weft_exact_end(const weft_exact *s, double alpha, double beta, double c, int digits) {
    weft_exact x = *s;
    weft_exact_scale(&x, alpha);
    if (beta == 0) return weft_exact_bits(&x, digits);
    weft_exact y;
    y.negative = false;
    y.exponent = 0;
    for (int i = 0; i < WEFT_PRODUCT_WORDS; i++) y.w[i] = i == 0;
    weft_exact_scale(&y, beta);
    weft_exact_scale(&y, c);
    x = weft_exact_sum(&x, &y);
    return weft_exact_bits(&x, digits);
}

WEFT_ARITH bool weft_is_finite(double v) { return v - v == 0; }

/* Returns NaN, an infinity or a zero unchanged, and 1 with the sign of v for any other v. */
WEFT_ARITH double weft_exact_class(double v) {
    const bool other = weft_is_finite(v) && v != 0;
    return other ? (v < 0 ? -1 : 1) : v;
}

/* Returns the result if alpha, s, beta or c is not finite (ORDER.md 31.4). It may be any NaN. */
WEFT_ARITH double weft_exact_not_finite(double alpha, double s, double beta, double c) {
    const double product = weft_exact_class(alpha) * weft_exact_class(s);
    return beta == 0 ? product : product + weft_exact_class(beta) * weft_exact_class(c);
}

#endif
