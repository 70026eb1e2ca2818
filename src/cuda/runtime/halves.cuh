/* Elements of 16 bits: types whose values are those of f16 and bf16. A float is rounded to them once, and a NaN
 * becomes the canonical NaN. */
#ifndef WEFT_CUDA_HALVES_CUH
#define WEFT_CUDA_HALVES_CUH

#include "arith/formats.h"
#include "cuda/runtime/keys.cuh"

struct f16 {
    uint16_t bits;
    f16() = default;
    __device__ __forceinline__ explicit f16(float v) : bits(weft_round_f16(v)) {}
    __device__ __forceinline__ operator float() const { return weft_from_bits_f16(bits); }
};

struct bf16 {
    uint16_t bits;
    bf16() = default;
    __device__ __forceinline__ explicit bf16(float v) : bits(weft_round_bf16(v)) {}
    __device__ __forceinline__ operator float() const { return weft_from_bits_bf16(bits); }
};

/* The keys are those of f32. */
template <> inline __device__ uint32_t keys<f16>::of(f16 x) const { return keys<float>(mask, xor_mask).of(x); }
template <> inline __device__ uint32_t keys<bf16>::of(bf16 x) const { return keys<float>(mask, xor_mask).of(x); }
template <> inline __device__ f16 keys<f16>::losing() const { return f16(keys<float>(mask, xor_mask).losing()); }
template <> inline __device__ bf16 keys<bf16>::losing() const { return bf16(keys<float>(mask, xor_mask).losing()); }
template <> inline __device__ f16 keys<f16>::element(uint32_t k) const {
    return f16(keys<float>(mask, xor_mask).element(k));
}
template <> inline __device__ bf16 keys<bf16>::element(uint32_t k) const {
    return bf16(keys<float>(mask, xor_mask).element(k));
}

#endif
