/* Real transforms (ORDER.md 14.5): pairs of numbers f and n - f, and results. */
#ifndef WEFT_CUDA_REAL_PARTS_CUH
#define WEFT_CUDA_REAL_PARTS_CUH

#include "cuda/fft/complex.cuh"
#include "cuda/fft/fft_params.h"

/* Returns the number times `scale`, with canonical NaNs. */
template <typename T> static __device__ __forceinline__ number<T> finished(number<T> v, T scale) {
    return number<T>{canonical_result(v.re * scale), canonical_result(v.im * scale)};
}

/* Makes numbers results. Those of an inverse transform are swapped and scaled; the scale of others is 1. */
template <int COUNT, typename T> static __device__ __forceinline__ void finish(const fft_params &j, number<T> *v) {
    if (j.swap_out) {
        const T scale = (T)j.scale;
        asm volatile(""); /* keeps the branch (swap_parts) */
#pragma unroll
        for (int i = 0; i < COUNT; i++) v[i] = number<T>{v[i].im * scale, v[i].re * scale};
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        v[i] = COUNT > 1 ? number<T>{canonical_result(v[i].re), canonical_result(v[i].im)}
                         : number<T>{canonical(v[i].re), canonical(v[i].im)}; /* a transform of one value */
}

/* Returns k with its lowest `digits` bits in reverse order. */
static __device__ __forceinline__ uint64_t mirrored(uint64_t k, int digits) {
    return digits ? __brevll(k) >> (64 - digits) : 0;
}

/* Returns the number of the block of which an array is a part. */
static __device__ __forceinline__ uint32_t block_above(const fft_params &j, uint32_t array) {
    return __brev(j.row + array) >> 1 >> (31 - j.row_digits);
}

/* Returns log2 of a power of two. */
static __device__ __forceinline__ int log2_of(uint64_t power) { return 63 - __clzll(power); }

/* Computes e' and o" of ORDER.md 14.5. w: the scale and the slope; half: 4 f >= n, so that Q = 2. */
template <typename T>
static __device__ __forceinline__ void part(number<T> &f, number<T> &g, number<T> w, bool half, bool inverse) {
    const number<T> e = {f.re + g.re, f.im - g.im}, o = {f.re - g.re, f.im + g.im};
    const factor<T> ahead = factor_of(w, true, half), v = inverse ? conjugate(ahead) : ahead;
    const number<T> z = turned_by(v, o);
    f = number<T>{fma(v.re, z.re, e.re), fma(v.im, z.im, e.im)};
    g = number<T>{fma(-v.re, z.re, e.re), fma(v.im, z.im, -e.im)};
}

/* Computes the pair f, n - f, 1 <= f <= n/2, from its numbers. */
template <typename T, bool INVERSE>
static __device__ __forceinline__ void part_pair(const fft_params &j, uint64_t f, number<T> &a, number<T> &b) {
    const T factor = INVERSE ? (T)1 : (T)0.5;
    const uint32_t k = (uint32_t)mirrored(f, log2_of(j.n));
    number<T> w;
    load_twiddles<1>((const number<T> *)j.table, k / 2, &w);
    part(a, b, w, 4 * f >= j.n, INVERSE);
    a = finished(a, factor);
    b = finished(b, factor);
}

/* Computes number 0 of an inverse transform, or number 0 and, in b, number n of the result of a forward one, from two
 * real values. */
template <typename T, bool INVERSE>
static __device__ __forceinline__ void part_first(T first, T second, number<T> &a, number<T> &b) {
    a.re = first + second;
    a.im = INVERSE ? first - second : (T)0;
    b.re = first - second;
    b.im = 0;
    a = finished(a, (T)1);
    b = finished(b, (T)1);
}

#endif
