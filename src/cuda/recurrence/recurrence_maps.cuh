/* Code shared by the kernels of recurrences (ORDER.md 9): maps, and elements in chunks of 16 bytes. */
#ifndef WEFT_CUDA_RECURRENCE_MAPS_CUH
#define WEFT_CUDA_RECURRENCE_MAPS_CUH

#include "arith/bits.h"
#include "cuda/recurrence/recurrence_params.h"
#include "cuda/scan/scan_look_back.cuh"

/* The map w -> s w + u. */
template <class T> struct affine { T s, u; };

template <class T> static __device__ __forceinline__ affine<T> shuffle(affine<T> m, int lane) {
    return affine<T>{shuffle(m.s, lane), shuffle(m.u, lane)};
}
template <class T> static __device__ __forceinline__ affine<T> shuffle_up(affine<T> m, int distance, int width) {
    return affine<T>{shuffle_up(m.s, distance, width), shuffle_up(m.u, distance, width)};
}

static __device__ __forceinline__ float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
static __device__ __forceinline__ double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
static __device__ __forceinline__ float canonical(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double canonical(double v) { return weft_canonical_f64(v); }

template <class T> static __device__ __forceinline__ T zero_if_nan(T s) { return s == s ? s : T(0); }

template <class T> struct recurring {
    typedef affine<T> value;
    typedef T carried;
    __device__ T apply(value m, T w) const { return w == 0 && isinf(m.s) ? m.u : fused(m.s, w, m.u); }
    __device__ value combine(value a, value b) const { return value{zero_if_nan(a.s * b.s), apply(b, a.u)}; }
};

/* The elements of a 16-byte chunk, in the direction of the recurrence. */
template <class T, bool REVERSE> struct chunk_of {
    static constexpr int COUNT = 16 / sizeof(T);
    T element[COUNT];
    __device__ chunk_of() {}
    __device__ explicit chunk_of(const uint4 &bits) { memcpy(element, &bits, sizeof bits); }
    __device__ T &operator[](int e) { return element[REVERSE ? COUNT - 1 - e : e]; }
    __device__ uint4 bits() const {
        uint4 b;
        memcpy(&b, element, sizeof b);
        return b;
    }
};

/* Extends the map m by the elements of a chunk. m.s may become NaN, which zero_if_nan replaces at the group's end. */
template <class T, bool REVERSE>
static __device__ __forceinline__ void extend_map(affine<T> &m, const uint4 &s, const uint4 &u) {
    chunk_of<T, REVERSE> factors(s), terms(u);
#pragma unroll
    for (int e = 0; e < factors.COUNT; e++) {
        m.s *= factors[e];
        m.u = fused(factors[e], m.u, terms[e]);
    }
}

template <class T> static __device__ __forceinline__ T init_of(const recurrence_params &a, uint64_t row) {
    T value;
    memcpy(&value, &a.init_value, sizeof value);
    return a.init ? ((const T *)a.init)[row] : value;
}

#endif
