/* Unsigned keys in the total order of ORDER.md 12.1: by value, -0 < +0, all NaN equal and greatest. */
#ifndef WEFT_CUDA_TOTAL_KEY_CUH
#define WEFT_CUDA_TOTAL_KEY_CUH

#include "cuda/runtime/keys.cuh"

template <class T> __device__ __forceinline__ typename key_of<T>::type total_key(T x) {
    typedef typename key_of<T>::type key;
    const bool is_signed = (T)-1 < (T)0;
    const key sign = (key)1 << (8 * sizeof(T) - 1), ones = sign | (sign - 1);
    return (((key)x & ones) ^ (is_signed ? sign : 0));
}
template <> __device__ __forceinline__ uint32_t total_key<float>(float x) { return weft_max_key_f32(x); }
template <> __device__ __forceinline__ uint64_t total_key<double>(double x) { return weft_max_key_f64(x); }

#endif
