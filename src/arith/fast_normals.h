/* normal_fast and lognormal_fast (ORDER.md 19.4): two normals made of two words by Box and Muller's method, in f32.
 * There are no loops and no branches, so that loops over pairs can be vectorized. Of two words v and w, v gives the
 * radius and w the direction. */
#ifndef WEFT_ARITH_FAST_NORMALS_H
#define WEFT_ARITH_FAST_NORMALS_H

#include "arith/bits.h"
#include "core/elementary.h"

#include <math.h>
#include <stdbool.h>

/* The two samples of a pair, or their factors. */
typedef struct weft_pair {
    float first, second;
} weft_pair;

/* Evaluates c[0] x^(n-1) + ... + c[n-1] by Horner's rule. */
WEFT_ARITH float weft_horner_f32(const float *c, int n, float x) {
    float sum = c[0];
    for (int i = 1; i < n; i++) sum = fmaf(sum, x, c[i]);
    return sum;
}

/* Returns the square of the radius in units of WEFT_FAST_UNIT^2: -log2(u) 2^23 for a number u in (0, 1). With
 * u = 2^-n (1 + h), -1/2 <= h < 0, the bits of 1 and those of u, as integers, differ by 2^23 (n - 2h). */
WEFT_ARITH float weft_fast_square(uint32_t v) {
    const float c[] = {WEFT_FAST_LOG};
    const uint32_t bits = weft_bits_f32(fmaf((float)v, WEFT_FAST_SHRINK, 0x1p-33f));
    const float h = weft_from_bits_f32((bits & UINT32_C(0x007fffff)) | UINT32_C(0x3f000000)) - 1;
    const float linear = (float)(int32_t)(UINT32_C(0x3f800000) - bits);
    return fmaf(h, weft_horner_f32(c, WEFT_FAST_LOG_TERMS, h), linear);
}

/* Returns the cosine and the sine of the direction, times WEFT_FAST_UNIT. The low 30 bits of w are a signed fraction
 * of a quarter turn; bit 30 exchanges sine and cosine. */
WEFT_ARITH weft_pair weft_fast_direction(uint32_t w) {
    const float even[] = {WEFT_FAST_COS}, odd[] = {WEFT_FAST_SIN};
    const float x = fmaf((float)(int32_t)(w << 2), 0x1p-32f, 0x1p-31f), t = x * x;
    const float c = weft_horner_f32(even, 4, t), s = x * weft_horner_f32(odd, 4, t);
    const bool exchanged = (w & UINT32_C(0x40000000)) != 0;
    const weft_pair p = {exchanged ? s : c, exchanged ? c : s};
    return p;
}

/* Returns the normals of a pair. `root` is the square root of weft_fast_square(v); its sign is bit 31 of w. */
WEFT_ARITH weft_pair weft_fast_normals(float root, uint32_t w) {
    const float radius = weft_from_bits_f32(weft_bits_f32(root) ^ (w & UINT32_C(0x80000000)));
    const weft_pair d = weft_fast_direction(w), z = {radius * d.first, radius * d.second};
    return z;
}

/* Returns the normals of words v and w. */
WEFT_ARITH weft_pair weft_fast_pair(uint32_t v, uint32_t w) {
    return weft_fast_normals(sqrtf(weft_fast_square(v)), w);
}

/* Returns exp(y). The factor 2^n is applied as two factors, so that only the last product can round, overflow or
 * become subnormal. */
WEFT_ARITH float weft_fast_exp(float y) {
    const float q[] = {WEFT_FAST_EXP};
    const float above = y < WEFT_FAST_EXP_LEAST ? WEFT_FAST_EXP_LEAST : y;
    const float a = above > WEFT_FAST_EXP_GREATEST ? WEFT_FAST_EXP_GREATEST : above;
    const float shifted = fmaf(a, WEFT_FAST_LOG2_E, WEFT_FAST_ROUNDER), n = shifted - WEFT_FAST_ROUNDER;
    const float r = fmaf(n, -WEFT_FAST_LN2_LOW, fmaf(n, -WEFT_FAST_LN2_HIGH, a));
    const float e = weft_horner_f32(q, WEFT_FAST_EXP_TERMS, r);
    const uint32_t exponent = weft_bits_f32(shifted) - weft_bits_f32(WEFT_FAST_ROUNDER) + 2 * 127;
    const uint32_t half = exponent >> 1;
    return e * weft_from_bits_f32(half << 23) * weft_from_bits_f32((exponent - half) << 23);
}

#endif
