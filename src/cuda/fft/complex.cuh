/* Complex numbers on the GPU, and the butterflies of ORDER.md 14.2 and 9.3 on the numbers that a thread holds in
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

/* Returns -i w. */
template <typename T> static __device__ __forceinline__ number<T> rotated(number<T> w) {
    number<T> v;
    v.re = w.im;
    v.im = -w.re;
    return v;
}

template <typename T>
static __device__ __forceinline__ void butterfly(number<T> &a, number<T> &b, const number<T> w) {
    number<T> t;
    t.re = fma(b.re, w.re, fma(-b.im, w.im, a.re));
    t.im = fma(b.im, w.re, fma(b.re, w.im, a.im));
    b.re = fma((T)2, a.re, -t.re);
    b.im = fma((T)2, a.im, -t.im);
    a = t;
}

template <typename T>
static __device__ __forceinline__ void undo_butterfly(number<T> &a, number<T> &b, const number<T> w) {
    number<T> d;
    d.re = a.re - b.re;
    d.im = a.im - b.im;
    a.re = a.re + b.re;
    a.im = a.im + b.im;
    b.re = fma(d.re, w.re, d.im * w.im);
    b.im = fma(d.im, w.re, -(d.re * w.im));
}

/* Returns the product P of ORDER.md 15.3. */
template <typename T> static __device__ __forceinline__ number<T> multiply(number<T> z, number<T> h) {
    number<T> p;
    p.re = fma(z.re, h.re, -(z.im * h.im));
    p.im = fma(z.im, h.re, z.re * h.im);
    return p;
}

/* ----------------------------------------------------------------------------- twiddles */

/* Sets w to T[2k], T[2(k + 1)], ..., T[2(k + COUNT - 1)], which are adjacent in the table; T[2k + 1] is -i T[2k]. k
 * must be a multiple of COUNT, a power of two, so that one access loads two numbers of f32. A 32-bit index is
 * sufficient for the twiddles of 2^33 values. */
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

template <typename T> static __device__ __forceinline__ number<T> any_twiddle(const number<T> *table, uint32_t k) {
    number<T> w, v;
    load_twiddles<1>(table, k / 2, &w);
    v.re = k % 2 ? w.im : w.re;
    v.im = k % 2 ? -w.re : w.im;
    return v;
}

/* Applies stage S of BITS stages to 2^BITS numbers, which are block k of the first of these stages. Blocks 2b and 2b
 * + 1 share a twiddle. */
template <int BITS, int S, typename T, typename Butterfly>
static __device__ __forceinline__ void one_stage(number<T> *v, const number<T> *table, uint32_t k, Butterfly apply) {
    constexpr int HALF = 1 << (BITS - S - 1), PAIRS = S == 0 ? 1 : 1 << (S - 1), OF_PAIR = S == 0 ? 1 : 2;
    number<T> twiddles[PAIRS];
    if constexpr (S == 0)
        twiddles[0] = any_twiddle(table, k);
    else
        load_twiddles<PAIRS>(table, k << (S - 1), twiddles);
#pragma unroll
    for (int b = 0; b < PAIRS; b++) {
        const number<T> w = twiddles[b];
#pragma unroll
        for (int j = 0; j < HALF * OF_PAIR; j++) {
            const int at = (OF_PAIR * b + j / HALF) * 2 * HALF + j % HALF;
            apply(v[at], v[at + HALF], j / HALF ? rotated(w) : w);
        }
    }
}

struct forward {
    template <typename T> __device__ __forceinline__ void operator()(number<T> &a, number<T> &b, number<T> w) const {
        butterfly(a, b, w);
    }
};
struct backward {
    template <typename T> __device__ __forceinline__ void operator()(number<T> &a, number<T> &b, number<T> w) const {
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
