/* Elements of 16 bits: types whose values are those of f16 and bf16. */
#ifndef WEFT_CUDA_HALVES_CUH
#define WEFT_CUDA_HALVES_CUH

#include "arith/formats.h"
#include "cuda/runtime/keys.cuh"

struct f16 {
    uint16_t bits;
    __device__ __forceinline__ operator float() const { return weft_from_bits_f16(bits); }
};

struct bf16 {
    uint16_t bits;
    __device__ __forceinline__ operator float() const { return weft_from_bits_bf16(bits); }
};

/* The keys are those of f32. */
template <> inline __device__ uint32_t keys<f16>::of(f16 x) const { return keys<float>(mask, xor_mask).of(x); }
template <> inline __device__ uint32_t keys<bf16>::of(bf16 x) const { return keys<float>(mask, xor_mask).of(x); }

#endif
