/* The product of small matrices by the FP64 tensor cores. The executor that emulates a GPU in the tests has its own
 * version of this file (ladder/executor/cuda/runtime/tensor.cuh). */
#ifndef WEFT_CUDA_TENSOR_CUH
#define WEFT_CUDA_TENSOR_CUH

/* Computes d += a b for a 16 x 8 and b 8 x 8 in f64. Each sum is a chain in order of k. This is one instruction on
 * sm_90 and later, four from sm_80 on, and does nothing before sm_80. */
static __device__ __forceinline__ void mma_16x8x8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
    for (int t = 0; t < 2; t++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                : "+d"(d[2 * h]), "+d"(d[2 * h + 1])
                : "d"(a[h + 2 * t]), "d"(b[t]));
#endif
}

#endif
