/* Complex numbers on the GPU, and the butterflies of ORDER.md 14.2 and 15.3 on the numbers that a thread holds in
 * registers. T is float or double. */
#ifndef WEFT_CUDA_COMPLEX_CUH
#define WEFT_CUDA_COMPLEX_CUH

#include "arith/bits.h"

#include <cuda_runtime.h>

template <typename T> struct __align__(2 * sizeof(T)) number { T re, im; };

/* ------------------------------------------------------------------------------- memory */

/* Accesses by instructions for global memory. Without them the compiler must assume that the address may be in shared
 * memory, and keeps loads and stores in order. Other blocks may have just written the values, so they are cached in
 * L2 only. */
static __device__ __forceinline__ number<float> load_aligned(const float *x, uint64_t i) {
    const float2 v = __ldcg((const float2 *)x + i);
    return number<float>{v.x, v.y};
}
static __device__ __forceinline__ number<double> load_aligned(const double *x, uint64_t i) {
    const double2 v = __ldcg((const double2 *)x + i);
    return number<double>{v.x, v.y};
}
static __device__ __forceinline__ void store_aligned(float *y, uint64_t i, number<float> v) {
    __stcg((float2 *)y + i, make_float2(v.re, v.im));
}
static __device__ __forceinline__ void store_aligned(double *y, uint64_t i, number<double> v) {
    __stcg((double2 *)y + i, make_double2(v.re, v.im));
}

/* Access numbers that are not accessed again soon: the cache evicts them before others. */
static __device__ __forceinline__ number<float> load_once(const float *x) {
    const float2 v = __ldcs((const float2 *)x);
    return number<float>{v.x, v.y};
}
static __device__ __forceinline__ number<double> load_once(const double *x) {
    const double2 v = __ldcs((const double2 *)x);
    return number<double>{v.x, v.y};
}
static __device__ __forceinline__ void store_once(float *y, number<float> v) {
    __stcs((float2 *)y, make_float2(v.re, v.im));
}
static __device__ __forceinline__ void store_once(double *y, number<double> v) {
    __stcs((double2 *)y, make_double2(v.re, v.im));
}

/* Access a number whose parts are aligned, but not the number. */
template <typename T> static __device__ __forceinline__ number<T> load_parts(const T *x, uint64_t i) {
    number<T> v;
    v.re = __ldcg(x + 2 * i);
    v.im = __ldcg(x + 2 * i + 1);
    return v;
}
template <typename T> static __device__ __forceinline__ void store_parts(T *y, uint64_t i, number<T> v) {
    __stcg(y + 2 * i, v.re);
    __stcg(y + 2 * i + 1, v.im);
}

/* Access number i of an array. `aligned`: the array is aligned to full complex numbers; otherwise only to their
 * parts. */
template <typename T> static __device__ __forceinline__ number<T> load_number(const T *x, uint64_t i, bool aligned) {
    return aligned ? load_aligned(x, i) : load_parts(x, i);
}
template <typename T>
static __device__ __forceinline__ void store_number(T *y, uint64_t i, bool aligned, number<T> v) {
    if (aligned)
        store_aligned(y, i, v);
    else
        store_parts(y, i, v);
}

/* Return the address `count` steps after x. A step of 32 bits and a constant count take one instruction. */
template <typename T>
static __device__ __forceinline__ const T *stepped(const T *x, uint32_t step_bytes, uint32_t count) {
    return (const T *)((const char *)x + (uint64_t)step_bytes * count);
}
template <typename T> static __device__ __forceinline__ T *stepped(T *x, uint32_t step_bytes, uint32_t count) {
    return (T *)((char *)x + (uint64_t)step_bytes * count);
}

/* Access the numbers at address(0) to address(COUNT - 1), with one branch for all. `once`: they are not accessed
 * again soon. */
template <int COUNT, typename T, typename Address>
static __device__ __forceinline__ void load_numbers(number<T> *v, bool aligned, bool once, Address address) {
    if (aligned && once) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) v[i] = load_once(address(i));
    } else if (aligned) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) v[i] = load_aligned(address(i), 0);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++) v[i] = load_parts(address(i), 0);
    }
}
template <int COUNT, typename T, typename Address>
static __device__ __forceinline__ void store_numbers(const number<T> *v, bool aligned, bool once, Address address) {
    if (aligned && once) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) store_once(address(i), v[i]);
    } else if (aligned) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) store_aligned(address(i), 0, v[i]);
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++) store_parts(address(i), 0, v[i]);
    }
}

static __device__ __forceinline__ float canonical(float x) { return weft_canonical_f32(x); }
static __device__ __forceinline__ double canonical(double x) { return weft_canonical_f64(x); }

/* As canonical, for results of additions, multiplications and fused operations. A GPU's NaNs of f32 are 0x7fffffff:
 * the smaller integer is the canonical one, which takes one instruction in place of two. */
static __device__ __forceinline__ float canonical_result(float x) {
#ifdef __NVCC__
    return __int_as_float(min(__float_as_int(x), (int)WEFT_NAN_F32));
#else
    return canonical(x);
#endif
}
static __device__ __forceinline__ double canonical_result(double x) { return canonical(x); }

template <typename T> static __device__ __forceinline__ number<T> swapped(number<T> v) {
    return number<T>{v.im, v.re};
}

/* Exchanges real and imaginary parts if `swap`. The empty statement keeps the branch: without it the compiler selects
 * each part, which takes instructions in both cases. */
template <int COUNT, typename T> static __device__ __forceinline__ void swap_parts(number<T> *v, bool swap) {
    if (!swap) return;
    asm volatile("");
#pragma unroll
    for (int i = 0; i < COUNT; i++) v[i] = swapped(v[i]);
}

/* ---------------------------------------------------------------------------- arithmetic */

/* A factor of ORDER.md 14.2: its slope, its scale for each part of the result, with the signs of Q quarter turns, and
 * whether Q is odd, so that the parts of the number are exchanged first. */
template <typename T> struct factor {
    T slope, re, im;
    bool exchanged;
};

/* Returns T[k] for a k whose lowest bits are b1 b0. w: its scale and slope. */
template <typename T> static __device__ __forceinline__ factor<T> factor_of(number<T> w, bool b1, bool b0) {
    const bool exchanged = b1 != b0; /* Q = b1 + b0 */
    return {exchanged ? -w.im : w.im, b1 && b0 ? -w.re : w.re, b1 || b0 ? -w.re : w.re, exchanged};
}

/* Returns the conjugate factor: re and im are equal if Q is even, and have opposite signs if it is odd. */
template <typename T> static __device__ __forceinline__ factor<T> conjugate(const factor<T> &w) {
    return {-w.slope, w.im, w.re, w.exchanged};
}

/* Returns b (1 + i slope), with its parts exchanged if Q is odd. */
template <typename T> static __device__ __forceinline__ number<T> turned_by(const factor<T> &w, number<T> b) {
    if (w.exchanged) b = swapped(b);
    return number<T>{fma(-w.slope, b.im, b.re), fma(w.slope, b.re, b.im)};
}

template <typename T>
static __device__ __forceinline__ void butterfly(number<T> &a, number<T> &b, const factor<T> &w) {
    const number<T> z = turned_by(w, b);
    b = number<T>{fma(-w.re, z.re, a.re), fma(-w.im, z.im, a.im)};
    a = number<T>{fma(w.re, z.re, a.re), fma(w.im, z.im, a.im)};
}

/* Undoes a butterfly, up to a factor 2 (ORDER.md 15.3). */
template <typename T>
static __device__ __forceinline__ void undo_butterfly(number<T> &a, number<T> &b, const factor<T> &w) {
    const factor<T> v = conjugate(w);
    const number<T> z = turned_by(v, number<T>{a.re - b.re, a.im - b.im});
    a = number<T>{a.re + b.re, a.im + b.im};
    b = number<T>{v.re * z.re, v.im * z.im};
}

/* Returns the product P of ORDER.md 15.3. */
template <typename T> static __device__ __forceinline__ number<T> multiply(number<T> z, number<T> h) {
    number<T> p;
    p.re = fma(z.re, h.re, -(z.im * h.im));
    p.im = fma(z.im, h.re, z.re * h.im);
    return p;
}

/* ----------------------------------------------------------------------------- twiddles */

/* Sets w to the scales (re) and slopes (im) of T[2k], T[2(k + 1)], ..., T[2(k + COUNT - 1)], which are adjacent in
 * the table; those of T[2k + 1] are those of T[2k]. k must be a multiple of COUNT, a power of two, so that one access
 * loads two numbers of f32. A 32-bit index is sufficient for the twiddles of 2^33 values. */
template <int COUNT>
static __device__ __forceinline__ void load_twiddles(const number<float> *table, uint32_t k, number<float> *w) {
    if constexpr (COUNT == 1) {
        const float2 v = __ldg((const float2 *)(table + k));
        w[0] = number<float>{v.x, v.y};
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2) {
            const float4 v = __ldg((const float4 *)(table + k) + i / 2);
            w[i] = number<float>{v.x, v.y};
            w[i + 1] = number<float>{v.z, v.w};
        }
    }
}
template <int COUNT>
static __device__ __forceinline__ void load_twiddles(const number<double> *table, uint32_t k, number<double> *w) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const double2 v = __ldg((const double2 *)(table + k) + i);
        w[i] = number<double>{v.x, v.y};
    }
}

/* Applies stage S of BITS stages to 2^BITS numbers, which are block k of the first of these stages. Blocks 2b and 2b
 * + 1 share a scale and a slope. From the third stage on the two lowest bits of a block's number are constants. */
template <int BITS, int S, typename T, typename Butterfly>
static __device__ __forceinline__ void one_stage(number<T> *v, const number<T> *table, uint32_t k, Butterfly apply) {
    constexpr int HALF = 1 << (BITS - S - 1), PAIRS = S == 0 ? 1 : 1 << (S - 1);
    number<T> twiddles[PAIRS];
    load_twiddles<PAIRS>(table, S == 0 ? k / 2 : k << (S == 0 ? 0 : S - 1), twiddles);
#pragma unroll
    for (int b = 0; b < 1 << S; b++) {
        const bool b1 = (S == 0 ? k / 2 : S == 1 ? k : b / 2) % 2 != 0, b0 = (S == 0 ? k : b) % 2 != 0;
        const factor<T> w = factor_of(twiddles[b / 2], b1, b0);
#pragma unroll
        for (int j = 0; j < HALF; j++) apply(v[2 * HALF * b + j], v[2 * HALF * b + j + HALF], w);
    }
}

struct forward {
    template <typename T>
    __device__ __forceinline__ void operator()(number<T> &a, number<T> &b, const factor<T> &w) const {
        butterfly(a, b, w);
    }
};
struct backward {
    template <typename T>
    __device__ __forceinline__ void operator()(number<T> &a, number<T> &b, const factor<T> &w) const {
        undo_butterfly(a, b, w);
    }
};

/* Apply all BITS stages in order, or undo them in reverse order. */
template <int BITS, int S = 0, typename T>
static __device__ __forceinline__ void stages(number<T> *v, const number<T> *table, uint32_t k) {
    if constexpr (S < BITS) {
        one_stage<BITS, S>(v, table, k, forward());
        stages<BITS, S + 1>(v, table, k);
    }
}

template <int BITS, int S = 0, typename T>
static __device__ __forceinline__ void stages_back(number<T> *v, const number<T> *table, uint32_t k) {
    if constexpr (S < BITS) {
        stages_back<BITS, S + 1>(v, table, k);
        one_stage<BITS, S>(v, table, k, backward());
    }
}

#endif
