/* normal_fast samples (ORDER.md 19.4) for GPU kernels: the bits of arith/fast_normals.h with the hardware's square
 * root. */
#ifndef WEFT_CUDA_FAST_NORMALS_CUH
#define WEFT_CUDA_FAST_NORMALS_CUH

#include "arith/fast_normals.h"

/* Returns the correctly rounded square root of x, for x from 1/2 to 2^29; weft_fast_square returns numbers from 0.7
 * to 33 2^23. This is the compiler's own sequence from the hardware's approximation on, without the branch for other
 * operands. tests/cuda/gpu_normals.cu checks every number of the interval. */
static __device__ __forceinline__ float fast_root(float x) {
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const float root = x * r, half = 0.5f * r;
    return fmaf(fmaf(-root, root, x), half, root);
}

/* Returns the normals that words v and w make. */
static __device__ __forceinline__ weft_pair fast_normals(uint32_t v, uint32_t w) {
    return weft_fast_normals(fast_root(weft_fast_square(v)), w);
}

#endif
