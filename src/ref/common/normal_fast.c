/* The definition of normal_fast and of its exponential (ORDER.md 19.4). */
#include "ref/common/normal_fast.h"
#include "core/elementary.h"

#include <math.h>
#include <stdbool.h>

static const float LOG[] = {WEFT_FAST_LOG}, SIN[] = {WEFT_FAST_SIN}, COS[] = {WEFT_FAST_COS}, EXP[] = {WEFT_FAST_EXP};

static float horner(const float *c, size_t count, float x) {
    float y = c[0];
    for (size_t k = 1; k < count; k++) y = fmaf(y, x, c[k]);
    return y;
}
#define POLYNOMIAL(list, x) horner(list, sizeof(list) / sizeof *(list), x)

static float radius(uint32_t v) {
    int exponent;
    const float u = fmaf((float)v, WEFT_FAST_SHRINK, 0x1p-33f), h = frexpf(u, &exponent) - 1;
    const double d = 0x1p23 * (-exponent - 2 * (double)h);
    return sqrtf(fmaf(h, POLYNOMIAL(LOG, h), (float)d));
}

float ref_normal_fast(const uint32_t words[4], size_t j) {
    const uint32_t v = words[j < 2 ? 0 : 2], w = words[j < 2 ? 1 : 3];
    const int32_t low = (int32_t)(w & 0x3fffffff), signed_low = low < 0x20000000 ? low : low - 0x40000000;
    const float x = fmaf((float)signed_low, 0x1p-30f, 0x1p-31f), t = x * x;
    const bool exchanged = w >> 30 & 1, negative = w >> 31 & 1, second = j % 2 != 0;
    const float factor = second != exchanged ? x * POLYNOMIAL(SIN, t) : POLYNOMIAL(COS, t);
    const float z = radius(v) * factor;
    return negative ? -z : z;
}

float ref_exp_fast(float y) {
    if (y < WEFT_FAST_EXP_LEAST) y = WEFT_FAST_EXP_LEAST;
    if (y > WEFT_FAST_EXP_GREATEST) y = WEFT_FAST_EXP_GREATEST;
    const float m = fmaf(y, WEFT_FAST_LOG2_E, WEFT_FAST_ROUNDER) - WEFT_FAST_ROUNDER;
    const float f = fmaf(m, -WEFT_FAST_LN2_LOW, fmaf(m, -WEFT_FAST_LN2_HIGH, y));
    return ldexpf(POLYNOMIAL(EXP, f), (int)m);
}
