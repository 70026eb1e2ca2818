/* Bit patterns of floats, the canonical NaN, and keys whose unsigned order is the total order of ORDER.md 1.4: -Inf
 * < ... < -0 < +0 < ... < +Inf. A NaN is the least key for a minimum, and the greatest key for a maximum. */
#ifndef WEFT_ARITH_BITS_H
#define WEFT_ARITH_BITS_H

#include "arith/arith.h"
#include "core/order.h"

WEFT_ARITH uint32_t weft_bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

WEFT_ARITH uint64_t weft_bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

WEFT_ARITH float weft_from_bits_f32(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

WEFT_ARITH double weft_from_bits_f64(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Return x, or the canonical quiet NaN if x is a NaN. All float results are stored in this form. */
WEFT_ARITH float weft_canonical_f32(float x) { return x != x ? weft_from_bits_f32(WEFT_NAN_F32) : x; }
WEFT_ARITH double weft_canonical_f64(double x) { return x != x ? weft_from_bits_f64(WEFT_NAN_F64) : x; }

/* Return the key of x. All bits of a negative number are inverted, and only the sign bit of other numbers. */
WEFT_ARITH uint32_t weft_key_f32(float x) {
    const uint32_t bits = weft_bits_f32(x);
    return bits ^ ((uint32_t) - (int32_t)(bits >> 31) | UINT32_C(0x80000000));
}

WEFT_ARITH uint64_t weft_key_f64(double x) {
    const uint64_t bits = weft_bits_f64(x);
    return bits ^ ((uint64_t) - (int64_t)(bits >> 63) | UINT64_C(0x8000000000000000));
}

WEFT_ARITH uint32_t weft_min_key_f32(float x) { return x != x ? 0 : weft_key_f32(x); }
WEFT_ARITH uint64_t weft_min_key_f64(double x) { return x != x ? 0 : weft_key_f64(x); }
WEFT_ARITH uint32_t weft_max_key_f32(float x) { return x != x ? UINT32_MAX : weft_key_f32(x); }
WEFT_ARITH uint64_t weft_max_key_f64(double x) { return x != x ? UINT64_MAX : weft_key_f64(x); }

/* Return the number of a key. Either NaN key gives the canonical NaN. */
WEFT_ARITH float weft_from_key_f32(uint32_t key) {
    return weft_canonical_f32(
        weft_from_bits_f32(key ^ ((key >> 31 ? 0 : UINT32_C(0x7fffffff)) | UINT32_C(0x80000000))));
}

WEFT_ARITH double weft_from_key_f64(uint64_t key) {
    return weft_canonical_f64(
        weft_from_bits_f64(key ^ ((key >> 63 ? 0 : UINT64_C(0x7fffffffffffffff)) | UINT64_C(0x8000000000000000))));
}

#endif
