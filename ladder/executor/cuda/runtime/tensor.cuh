/* Replaces src/cuda/runtime/tensor.cuh for the executor, which has no tensor cores. */
#ifndef WEFT_EXECUTOR_CUDA_TENSOR_CUH
#define WEFT_EXECUTOR_CUDA_TENSOR_CUH

#include "cuda_runtime.h"

/* Computes d += a b for a 16 x 8 and b 8 x 8 in f64, as an instruction does. A lane has a's rows group and group + 8
 * of terms quad and quad + 4, b's column `group` of these terms, and two adjacent columns of d in each of its rows.
 * The lanes exchange elements by votes, which do not order their memory accesses, as the instruction does not. */
static __attribute__((noinline, no_sanitize("thread"))) void mma_16x8x8(double (&d)[4], const double (&a)[4],
                                                                        const double (&b)[2]) {
    enum { MOST_WARPS = 32 };
    static double left[MOST_WARPS][16][8], above[MOST_WARPS][8][8];
    const int warp = (int)threadIdx.x / warpSize, group = emulated::lane() / 4, quad = emulated::lane() % 4;
    for (int i = 0; i < 4; i++) left[warp][group + i % 2 * 8][quad + i / 2 * 4] = a[i];
    for (int i = 0; i < 2; i++) above[warp][quad + i * 4][group] = b[i];
    __ballot_sync(0xffffffffu, 1);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 8; k++)
            d[i] = fma(left[warp][group + i / 2 * 8][k], above[warp][k][2 * quad + i % 2], d[i]);
    __ballot_sync(0xffffffffu, 1);
}

#endif
