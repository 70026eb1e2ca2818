/* Values of floats in memory of which f32 or f64 is computed. */
#ifndef WEFT_CORE_REALS_H
#define WEFT_CORE_REALS_H

#include "arith/formats.h"
#include "weft.h"

#include <string.h>

/* Returns the f16 or bf16 at x. */
static inline float load_half(weft_dtype dtype, const void *x) {
    uint16_t bits;
    memcpy(&bits, x, sizeof bits);
    return dtype == WEFT_F16 ? weft_from_bits_f16(bits) : weft_from_bits_bf16(bits);
}

/* Stores v, rounded once to a float type; NaN becomes the canonical NaN. */
static inline void store_real(weft_dtype dtype, double v, void *out) {
    const float narrow = weft_canonical_f32((float)v);
    const double wide = weft_canonical_f64(v);
    if (dtype == WEFT_F32) {
        memcpy(out, &narrow, sizeof narrow);
    } else if (dtype == WEFT_F64) {
        memcpy(out, &wide, sizeof wide);
    } else {
        const uint16_t half = weft_half_bits(v, dtype == WEFT_F16 ? 11 : 8);
        memcpy(out, &half, sizeof half);
    }
}

#endif
