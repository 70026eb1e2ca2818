/* Unsigned keys in the total order of ORDER.md 12.1: by value, -0 < +0, all NaN equal and greatest. Keys of f16 and
 * bf16 have 16 bits. */
#ifndef WEFT_CUDA_TOTAL_KEY_CUH
#define WEFT_CUDA_TOTAL_KEY_CUH

#include "cuda/runtime/halves.cuh"

template <class T> __device__ __forceinline__ typename key_of<T>::type total_key(T x) {
    typedef typename key_of<T>::type key;
    const bool is_signed = (T)-1 < (T)0;
    const key sign = (key)1 << (8 * sizeof(T) - 1), ones = sign | (sign - 1);
    return (((key)x & ones) ^ (is_signed ? sign : 0));
}
template <> __device__ __forceinline__ uint32_t total_key<float>(float x) { return weft_max_key_f32(x); }
template <> __device__ __forceinline__ uint64_t total_key<double>(double x) { return weft_max_key_f64(x); }

static __device__ __forceinline__ uint32_t total_key_of_half(uint32_t bits, uint32_t infinity) {
    const uint32_t key = bits ^ (bits >> 15 ? 0xffff : 0x8000);
    return (bits & 0x7fff) > infinity ? 0xffff : key;
}
template <> __device__ __forceinline__ uint32_t total_key<f16>(f16 x) { return total_key_of_half(x.bits, 0x7c00); }
template <> __device__ __forceinline__ uint32_t total_key<bf16>(bf16 x) { return total_key_of_half(x.bits, 0x7f80); }

#endif
