/* Conversion of the floats of 16 bits, f16 and bf16, from and to f32. */
#ifndef WEFT_ARITH_HALVES_H
#define WEFT_ARITH_HALVES_H

#include "arith/bits.h"

/* A GPU converts f16 by one instruction. Emulated GPUs (tests/emulated) have no assembly. */
#if defined __CUDA_ARCH__ && (defined __NVCC__ || defined __CUDACC_RTC__)
#define WEFT_CONVERTS_F16
#endif

/* Return the value with these bits; a NaN remains a NaN. No operand is a subnormal f32, which would be slow. */
WEFT_ARITH float weft_from_bits_bf16(uint16_t bits) { return weft_from_bits_f32((uint32_t)bits << 16); }

WEFT_ARITH float weft_from_bits_f16(uint16_t bits) {
#ifdef WEFT_CONVERTS_F16
    float v;
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
#else
    const uint32_t magnitude = bits & 0x7fffu, sign = (uint32_t)(bits >> 15) << 31;
    const uint32_t subnormal = weft_bits_f32((float)(int32_t)magnitude * 0x1p-24f);
    const uint32_t bias = magnitude >= 0x7c00 ? UINT32_C(224) << 23 : UINT32_C(112) << 23;
    return weft_from_bits_f32((magnitude < 0x400 ? subnormal : (magnitude << 13) + bias) | sign);
#endif
}

/* Return the bits of v rounded to nearest even. NaN becomes the canonical NaN. A carry of the fraction increments the
 * exponent, up to that of infinity. */
WEFT_ARITH uint16_t weft_round_bf16(float v) {
    const uint32_t bits = weft_bits_f32(v), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(v != v ? WEFT_NAN_BF16 : rounded);
}

/* Below 2^-14, the least normal f16, adding 0.5 rounds to a multiple of 2^-24, the least f16, and the bits above
 * those of 0.5 are the multiple. */
WEFT_ARITH uint16_t weft_round_f16(float v) {
#ifdef WEFT_CONVERTS_F16
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(v));
    return (uint16_t)(v != v ? WEFT_NAN_F16 : bits);
#else
    const uint32_t bits = weft_bits_f32(v), magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000;
    const uint32_t subnormal = weft_bits_f32(weft_from_bits_f32(magnitude) + 0.5F) - weft_bits_f32(0.5F);
    const uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (UINT32_C(112) << 23)) >> 13;
    const uint32_t finite = magnitude < UINT32_C(113) << 23 ? subnormal : normal;
    const uint32_t rounded = (finite > 0x7c00 ? 0x7c00 : finite) | sign;
    return (uint16_t)(v != v ? WEFT_NAN_F16 : rounded);
#endif
}

/* Returns an integer that is in the order of the values: m for bits m without a sign, -1 - m with one. +0 is 0, -0 is
 * -1, and NaNs are beyond infinity. */
WEFT_ARITH int16_t weft_key_half(uint16_t bits) { return (int16_t)(bits ^ (0x7fff & -(bits >> 15))); }

#endif
