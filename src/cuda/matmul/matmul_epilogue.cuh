/* Epilogue: from the sums of a product to elements of C (ORDER.md 13.3). */
#ifndef WEFT_CUDA_MATMUL_EPILOGUE_CUH
#define WEFT_CUDA_MATMUL_EPILOGUE_CUH

#include "arith/bits.h"
#include "cuda/matmul/matmul_params.h"

/* The elements of one 16-byte load. */
template <class T> struct __align__(16) vector16 { T at[16 / sizeof(T)]; };

static __device__ __forceinline__ float matmul_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static __device__ __forceinline__ double matmul_fma(double a, double b, double c) { return __fma_rn(a, b, c); }

static __device__ __forceinline__ float matmul_rounded(float, float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ float matmul_rounded(float, double v) { return weft_canonical_f32((float)v); }
static __device__ __forceinline__ double matmul_rounded(double, double v) { return weft_canonical_f64(v); }

/* Returns alpha sum + beta c, rounded to E. *c is read only if beta is not 0. */
template <class E, class R> __device__ __forceinline__ E matmul_epilogue(const matmul_params &j, R sum, const E *c) {
    const R alpha = (R)j.alpha, beta = (R)j.beta;
    if (beta == 0) return matmul_rounded(E(), alpha * sum);
    return matmul_rounded(E(), matmul_fma(alpha, sum, beta * (R)*c));
}

#endif
