/* Epilogue of a product: combines the sums of its parts (ORDER.md 13.2), and handles products without terms. */
#include "arith/formats.h"
#include "cuda/matmul/matmul_epilogue.cuh"
#include "cuda/matmul/matmul_kernels.h"

/* Combines the sums of MATMUL_COMBINED adjacent parts of one element per thread, starting at a multiple of
 * MATMUL_COMBINED: a subtree of the tree. */
template <class E, class R>
static __global__ void __launch_bounds__(256) combine_kernel(const matmul_params j, R *to) {
    const uint64_t values = j.m * j.n, groups = (j.parts + MATMUL_COMBINED - 1) / MATMUL_COMBINED;
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t element = i % values, group = i / values % groups, item = i / values / groups;
    if (item >= j.items) return;
    const uint32_t first = (uint32_t)group * MATMUL_COMBINED;
    const int count = j.parts - first < MATMUL_COMBINED ? (int)(j.parts - first) : MATMUL_COMBINED;
    const R *from = (const R *)j.sums + (item * j.parts + first) * values + element;
    R v[MATMUL_COMBINED];
#pragma unroll
    for (int p = 0; p < MATMUL_COMBINED; p++) v[p] = p < count ? from[p * values] : 0;
#pragma unroll
    for (int w = 1; w < MATMUL_COMBINED; w *= 2)
#pragma unroll
        for (int p = 0; p + w < MATMUL_COMBINED; p += 2 * w)
            if (p + w < count) v[p] += v[p + w];
    if (to) {
        to[(item * groups + group) * values + element] = v[0];
        return;
    }
    E *c = (E *)j.c + item * j.stride_c + element / j.n * j.ldc + element % j.n;
    *c = matmul_epilogue<E, R>(j, v[0], c);
}

template <class E, class R> static __global__ void __launch_bounds__(256) scale_kernel(const matmul_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, values = j.m * j.n;
    if (i / values >= j.items) return;
    E *c = (E *)j.c + i / values * j.stride_c + i % values / j.n * j.ldc + i % j.n;
    *c = j.beta == 0 ? (E)0 : matmul_rounded(E(), (R)j.beta * (R)*c);
}

/* Stores beta * c, which is exact in f64, in a type of 16 bits. */
template <int DIGITS> static __global__ void __launch_bounds__(256) scale_half_kernel(const matmul_params j) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, values = j.m * j.n;
    if (i / values >= j.items) return;
    uint16_t *c = (uint16_t *)j.c + i / values * j.stride_c + i % values / j.n * j.ldc + i % j.n;
    const float before = DIGITS == 11 ? weft_from_bits_f16(*c) : weft_from_bits_bf16(*c);
    *c = j.beta == 0 ? (uint16_t)0 : weft_half_bits(j.beta * (double)before, DIGITS);
}

const void *cuda_matmul_combine_kernel(weft_dtype dtype, weft_dtype accumulate) {
    if (dtype == WEFT_F64) return (const void *)combine_kernel<double, double>;
    return accumulate == WEFT_F64 ? (const void *)combine_kernel<float, double>
                                  : (const void *)combine_kernel<float, float>;
}

const void *cuda_matmul_scale_kernel(weft_dtype dtype, weft_dtype accumulate) {
    if (dtype == WEFT_F16) return (const void *)scale_half_kernel<11>;
    if (dtype == WEFT_BF16) return (const void *)scale_half_kernel<8>;
    if (dtype == WEFT_F64) return (const void *)scale_kernel<double, double>;
    return accumulate == WEFT_F64 ? (const void *)scale_kernel<float, double>
                                  : (const void *)scale_kernel<float, float>;
}
