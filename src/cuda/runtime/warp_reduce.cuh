/* Reductions of one integer per lane over a full warp; the result is in every lane. sm_80 and later have an
 * instruction for them. */
#ifndef WEFT_CUDA_WARP_REDUCE_CUH
#define WEFT_CUDA_WARP_REDUCE_CUH

#include <stdint.h>

static __device__ __forceinline__ uint32_t warp_sum(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffffu, v);
#else
    for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(0xffffffffu, v, distance);
    return v;
#endif
}

static __device__ __forceinline__ uint32_t warp_max(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffffu, v);
#else
    for (int distance = 16; distance > 0; distance /= 2) {
        const uint32_t other = __shfl_xor_sync(0xffffffffu, v, distance);
        if (other > v) v = other;
    }
    return v;
#endif
}

#endif
