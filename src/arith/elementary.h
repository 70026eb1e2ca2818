/* exp, log, pow, erf, the inverse normal distribution function, sin and cos (ORDER.md 18) in f64; in f32 the f64
 * value is rounded. There are no branches, except in sin and cos beyond WEFT_NEAR. Therefore compilers vectorize
 * loops over elements, and the threads of a warp do not diverge. */
#ifndef WEFT_ARITH_ELEMENTARY_H
#define WEFT_ARITH_ELEMENTARY_H

#include "arith/bits.h"
#include "core/elementary.h"

#include <math.h>
#include <stdbool.h>

/* Evaluates sum x^n + c[0] x^(n-1) + ... + c[n-1] by Horner's rule. GCC unrolls up to 16 steps, which it requires to
 * vectorize. */
WEFT_ARITH double weft_horner_on(double sum, const double *c, int n, double x) {
    for (int i = 0; i < n; i++) sum = fma(sum, x, c[i]);
    return sum;
}

/* Evaluates c[0] x^(n-1) + ... + c[n-1]. */
WEFT_ARITH double weft_horner(const double *c, int n, double x) { return weft_horner_on(c[0], c + 1, n - 1, x); }

WEFT_ARITH double weft_nan_f64(void) { return weft_from_bits_f64(WEFT_NAN_F64); }

/* Returns -x if `sign` is 1, and x if it is 0. */
WEFT_ARITH double weft_turn_sign(double x, uint64_t sign) {
    return weft_from_bits_f64(weft_bits_f64(x) ^ sign << 63);
}

/* ---------------------------------------------------------------------------- exponential */

/* Returns exp(a + low) for WEFT_EXP_LEAST <= a <= WEFT_EXP_GREATEST and |low| less than an ulp of a. The factor 2^n
 * is applied as two factors, so that only the last product can round, overflow or become subnormal. */
WEFT_ARITH double weft_exp_sum(double a, double low) {
    const double q[] = {WEFT_EXP_Q};
    const double shifted = fma(a, WEFT_LOG2_E, WEFT_ROUNDER), n = shifted - WEFT_ROUNDER;
    const double high = fma(n, -WEFT_LN2_HIGH, a), small = fma(n, -WEFT_LN2_LOW, low);
    const double r = high + small, rest = (high - r) + small;
    const double sum = 1 + r, dropped = (1 - sum) + r;
    const double y = sum + (dropped + fma(rest, sum, r * r * weft_horner(q, 11, r)));
    const uint64_t exponent = weft_bits_f64(shifted) - weft_bits_f64(WEFT_ROUNDER) + 2 * 1023, half = exponent >> 1;
    return y * weft_from_bits_f64(half << 52) * weft_from_bits_f64((exponent - half) << 52);
}

WEFT_ARITH double weft_exp_clamp(double x) {
    const double a = x < WEFT_EXP_LEAST ? WEFT_EXP_LEAST : x;
    return a > WEFT_EXP_GREATEST ? WEFT_EXP_GREATEST : a;
}

WEFT_ARITH double weft_exp_f64(double x) { return weft_canonical_f64(weft_exp_sum(weft_exp_clamp(x), 0)); }

/* ------------------------------------------------------------------------------ logarithm */

/* x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt 2, for x positive and finite. */
typedef struct weft_split {
    double n, f;
} weft_split;

WEFT_ARITH weft_split weft_split_of(double x) {
    const bool small = x < 0x1p-1022;
    const uint64_t bits = weft_bits_f64(small ? x * 0x1p54 : x) + WEFT_SQRT_HALF_TO_1;
    const double biased = weft_from_bits_f64(bits >> 52 | UINT64_C(0x4330000000000000)); /* 2^52 + n + 1023 */
    weft_split y;
    y.n = biased - (small ? 0x1p52 + 1077 : 0x1p52 + 1023);
    y.f = weft_from_bits_f64((bits & UINT64_C(0x000fffffffffffff)) + WEFT_SQRT_HALF_BITS) - 1;
    return y;
}

/* Computes log(1 + f) = f - (f^2/2 - s (f^2/2 + z q(z))) with s = f / (2 + f), as in K. Ng's log of FreeBSD's
 * msun. */
WEFT_ARITH double weft_log_f64(double x) {
    const double q[] = {WEFT_LOG_Q};
    const weft_split v = weft_split_of(x);
    const double f = v.f, half = 0.5 * f, s = f / (2 + f), z = s * s;
    const double high = v.n * WEFT_LN2_HIGH, sum = high + f, dropped = (high - sum) + f;
    const double low = fma(s, fma(z, weft_horner(q, 7, z), half * f), fma(v.n, WEFT_LN2_LOW, dropped));
    const double number = sum + fma(-half, f, low);
    const double y = x > 0 ? (x < INFINITY ? number : x) : weft_nan_f64();
    return x == 0 ? -INFINITY : y;
}

/* ----------------------------------------------------------------------------------- power */

typedef struct weft_sum {
    double high, low;
} weft_sum;

/* Returns log x with a relative error of 2^-65. x must be positive and finite. */
WEFT_ARITH weft_sum weft_log_sum(double x) {
    const double q[] = {WEFT_POW_Q};
    const weft_split v = weft_split_of(x);
    const double f = v.f, below = 2 + f, below_low = (2 - below) + f, inverse = 1 / below;
    const double s = f * inverse, s_low = fma(-s, below_low, fma(-s, below, f)) * inverse;
    const double z = s * s, z_low = fma(2 * s, s_low, fma(s, s, -z));
    const double p = z * weft_horner(q, 8, z), w = WEFT_POW_TWO_THIRDS_HIGH + p;
    const double w_low = ((WEFT_POW_TWO_THIRDS_HIGH - w) + p) + WEFT_POW_TWO_THIRDS_LOW;
    const double t = z * w, t_low = fma(z, w, -t) + fma(z, w_low, z_low * w);
    const double u = 2 + t, u_low = ((2 - u) + t) + t_low;
    const double l = s * u, l_low = fma(s, u, -l) + fma(s, u_low, s_low * u);
    const double high = v.n * WEFT_LN2_HIGH, sum = high + l, dropped = (high - sum) + l;
    const double low = dropped + fma(v.n, WEFT_LN2_LOW, l_low);
    weft_sum y;
    y.high = sum + low;
    y.low = (sum - y.high) + low;
    return y;
}

/* Returns true if y is a whole number. y must be >= 0 and may be infinite. */
WEFT_ARITH bool weft_is_whole(double y) { return (y + 0x1p52) - 0x1p52 == y || y >= 0x1p52; }

WEFT_ARITH double weft_pow_f64(double x, double y) {
    const double size = fabs(x), bounded = y > WEFT_POW_GREATEST ? WEFT_POW_GREATEST : y;
    const double power = bounded < -WEFT_POW_GREATEST ? -WEFT_POW_GREATEST : bounded;
    const weft_sum l = weft_log_sum(size);
    const double product = power * l.high, low = fma(power, l.low, fma(power, l.high, -product));
    const double clamped = weft_exp_clamp(product);
    const double number = weft_exp_sum(clamped, clamped == product ? low : 0);
    const double extreme = (size == 0) == (y < 0) ? INFINITY : 0;
    const double unsigned_power = size == 0 || size == INFINITY ? extreme : number;
    const bool whole = weft_is_whole(fabs(y)), odd = whole && !weft_is_whole(0.5 * fabs(y));
    const double signed_power = weft_turn_sign(unsigned_power, weft_bits_f64(x) >> 63 & (uint64_t)odd);
    const double real = x < 0 && size < INFINITY && !whole ? weft_nan_f64() : signed_power;
    const double defined = x != x || y != y ? weft_nan_f64() : real;
    return x == 1 || y == 0 ? 1 : defined;
}

/* ------------------------------------------------------------- error function, normal quantile */

WEFT_ARITH double weft_erf_f64(double x) {
    const double p[] = {WEFT_ERF_P}, g[] = {WEFT_ERF_G};
    const double size = fabs(x), bounded = size > WEFT_ERF_GREATEST ? WEFT_ERF_GREATEST : size;
    const double near = fma(size, weft_horner(p, 13, size * size), size);
    const double t = bounded - 1, far = 1 - weft_exp_sum(weft_horner_on(weft_horner(g, 10, t), g + 10, 9, t), 0);
    return weft_canonical_f64(weft_turn_sign(size < 1 ? near : far, weft_bits_f64(x) >> 63));
}

WEFT_ARITH double weft_probit_f64(double p) {
    const double a[] = {WEFT_PROBIT_A}, b[] = {WEFT_PROBIT_B}, c[] = {WEFT_PROBIT_C};
    const double d[] = {WEFT_PROBIT_D}, e[] = {WEFT_PROBIT_E}, f[] = {WEFT_PROBIT_F};
    const double size = fabs(p - 0.5), tail = p < 0.5 ? p : 1 - p, root = sqrt(-weft_log_f64(tail));
    const double z = size * size, t = WEFT_PROBIT_MIDDLE * WEFT_PROBIT_MIDDLE - z, near = root - 1.6, far = root - 5;
    const bool middle = size <= WEFT_PROBIT_MIDDLE, is_near = root <= 5;
    const double above = middle ? weft_horner(a, 8, t) : is_near ? weft_horner(c, 8, near) : weft_horner(e, 8, far);
    const double below = middle ? weft_horner(b, 8, t) : is_near ? weft_horner(d, 8, near) : weft_horner(f, 8, far);
    const double ratio = above / below;
    const double in_middle = fma(size, WEFT_SQRT_2PI_HIGH, size * fma(z, ratio, WEFT_SQRT_2PI_LOW));
    const double in_tail = tail == 0 ? INFINITY : fma(root, WEFT_SQRT_2, -ratio);
    const double y = middle ? in_middle : in_tail;
    return tail >= 0 ? (p < 0.5 ? -y : y) : weft_nan_f64();
}

/* ------------------------------------------------------------------------------ sine, cosine */

/* |x| = quadrant pi/2 + r + rest, with |r| <= pi/4 except for rounding. Only the last two bits of `quadrant` are
 * significant. */
typedef struct weft_angle {
    double r, rest;
    uint64_t quadrant;
} weft_angle;

/* Reduces the argument for 0 <= x <= WEFT_NEAR (W. Cody, W. Waite, 1980, with fma). */
WEFT_ARITH weft_angle weft_angle_near(double x) {
    const double shifted = fma(x, WEFT_TWO_OVER_PI, WEFT_ROUNDER), n = shifted - WEFT_ROUNDER;
    const double first = fma(-n, WEFT_HALF_PI_1, x), part = n * WEFT_HALF_PI_2, sum = first - part;
    const double low = fma(-n, WEFT_HALF_PI_3, ((first - sum) - part) - fma(n, WEFT_HALF_PI_2, -part));
    weft_angle y;
    y.r = sum + low;
    y.rest = (sum - y.r) + low;
    y.quadrant = weft_bits_f64(shifted);
    return y;
}

/* Returns the upper 64 bits of the product a b. */
WEFT_ARITH uint64_t weft_multiply_high(uint64_t a, uint64_t b) {
    const uint64_t low = UINT32_MAX, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* Returns 64 binary digits of 2/pi, the first of which has the weight 2^-(first - 63). */
WEFT_ARITH uint64_t weft_two_over_pi(uint64_t first) {
    static const uint64_t digits[] = {WEFT_TWO_OVER_PI_DIGITS};
    const uint64_t word = first >> 6, shift = first & 63;
    return digits[word] << shift | digits[word + 1] >> 1 >> (63 - shift);
}

/* Reduces the argument for finite x > WEFT_NEAR (M. Payne, R. Hanek, SIGNUM Newsletter 18, 1983). x is m 2^e with an
 * integer m. Uses 192 digits of 2/pi, from weight 2^(1 - e) on, because the digits before them contribute whole
 * turns. The first two bits of the product are the quadrant. The next 126 bits are the position in it. */
WEFT_ARITH weft_angle weft_angle_far(double x) {
    const uint64_t bits = weft_bits_f64(x), m = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    const uint64_t first = (bits >> 52) - 1075 + 62, middle = weft_two_over_pi(first + 64);
    const uint64_t low = m * middle + weft_multiply_high(m, weft_two_over_pi(first + 128));
    const uint64_t high = m * weft_two_over_pi(first) + weft_multiply_high(m, middle) + (low < m * middle);
    const uint64_t position = high << 2 | low >> 62, beyond = position >> 63, turn = 0 - beyond;
    /* in the upper half of the quadrant: the distance from the next quadrant, 2^128 - position */
    const uint64_t p1 = (position ^ turn) + (beyond & (low << 2 == 0)), p0 = (low << 2 ^ turn) + beyond;
    const double a = (double)(uint32_t)(p1 >> 32) * 0x1p-32, b = (double)(uint32_t)p1 * 0x1p-64;
    const double c = (double)(uint32_t)(p0 >> 32) * 0x1p-96, d = (double)(uint32_t)p0 * 0x1p-128;
    const double ab = a + b, cd = c + d, sum = ab + cd;
    const double rest = ((ab - sum) + cd) + (((a - ab) + b) + ((c - cd) + d));
    const double r = sum * WEFT_HALF_PI_HIGH;
    const double low_part = fma(sum, WEFT_HALF_PI_HIGH, -r) + fma(sum, WEFT_HALF_PI_LOW, rest * WEFT_HALF_PI_HIGH);
    weft_angle y;
    y.r = weft_turn_sign(r + low_part, beyond);
    y.rest = weft_turn_sign((r - (r + low_part)) + low_part, beyond);
    y.quadrant = (high >> 62) + beyond;
    return y;
}

/* Returns the sine of the angle v.r + v.rest if `quadrant` is even, the cosine if it is odd. The sign is negative if
 * bit 1 of `quadrant` is set. */
WEFT_ARITH double weft_sine_of(weft_angle v, uint64_t quadrant) {
    const double s[] = {WEFT_SIN_S}, c[] = {WEFT_COS_C};
    const double r = v.r, z = r * r, half = 0.5 * z;
    const double sine = r + fma(r * z, weft_horner(s, 7, z), fma(-half, v.rest, v.rest));
    const double sum = 1 - half, dropped = (1 - sum) - half;
    const double cosine = sum + (dropped + fma(z * z, weft_horner(c, 6, z), -(r * v.rest)));
    return weft_turn_sign(quadrant & 1 ? cosine : sine, quadrant >> 1 & 1);
}

WEFT_ARITH double weft_sin_of(double x, weft_angle v) {
    return weft_canonical_f64(weft_turn_sign(weft_sine_of(v, v.quadrant), weft_bits_f64(x) >> 63));
}

WEFT_ARITH double weft_cos_of(weft_angle v) { return weft_canonical_f64(weft_sine_of(v, v.quadrant + 1)); }

/* For |x| <= WEFT_NEAR. These functions have no branches. */
WEFT_ARITH double weft_sin_near_f64(double x) { return weft_sin_of(x, weft_angle_near(fabs(x))); }
WEFT_ARITH double weft_cos_near_f64(double x) { return weft_cos_of(weft_angle_near(fabs(x))); }

WEFT_ARITH bool weft_is_far(double x) { return fabs(x) > WEFT_NEAR && fabs(x) < INFINITY; }

WEFT_ARITH double weft_sin_f64(double x) {
    return weft_is_far(x) ? weft_sin_of(x, weft_angle_far(fabs(x))) : weft_sin_near_f64(x);
}

WEFT_ARITH double weft_cos_f64(double x) {
    return weft_is_far(x) ? weft_cos_of(weft_angle_far(fabs(x))) : weft_cos_near_f64(x);
}

/* ------------------------------------------------------------------------------------- f32 */

/* The result is made canonical again after the conversion to f32, which may change the bits of a NaN. */
WEFT_ARITH float weft_exp_f32(float x) { return weft_canonical_f32((float)weft_exp_f64(x)); }
WEFT_ARITH float weft_log_f32(float x) { return weft_canonical_f32((float)weft_log_f64(x)); }
WEFT_ARITH float weft_sin_f32(float x) { return weft_canonical_f32((float)weft_sin_f64(x)); }
WEFT_ARITH float weft_cos_f32(float x) { return weft_canonical_f32((float)weft_cos_f64(x)); }
WEFT_ARITH float weft_pow_f32(float x, float y) { return weft_canonical_f32((float)weft_pow_f64(x, y)); }
WEFT_ARITH float weft_erf_f32(float x) { return weft_canonical_f32((float)weft_erf_f64(x)); }
WEFT_ARITH float weft_probit_f32(float p) { return weft_canonical_f32((float)weft_probit_f64(p)); }

#endif
