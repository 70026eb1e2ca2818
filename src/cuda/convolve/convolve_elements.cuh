/* Elements of direct convolutions (ORDER.md 15.2), which are float, double or number<T>, and vectors of 16 bytes. */
#ifndef WEFT_CUDA_CONVOLVE_ELEMENTS_CUH
#define WEFT_CUDA_CONVOLVE_ELEMENTS_CUH

#include "cuda/fft/complex.cuh"

static __device__ __forceinline__ float zero(float) { return 0; }
static __device__ __forceinline__ double zero(double) { return 0; }
template <typename T> static __device__ __forceinline__ number<T> zero(number<T>) { return number<T>{0, 0}; }

static __device__ __forceinline__ float enter(float x, float h, float c) { return fma(x, h, c); }
static __device__ __forceinline__ double enter(double x, double h, double c) { return fma(x, h, c); }
template <typename T> static __device__ __forceinline__ number<T> enter(number<T> x, number<T> h, number<T> c) {
    number<T> d;
    d.re = fma(-x.im, h.im, fma(x.re, h.re, c.re));
    d.im = fma(x.re, h.im, fma(x.im, h.re, c.im));
    return d;
}

template <typename T> static __device__ __forceinline__ number<T> canonical(number<T> v) {
    v.re = canonical(v.re);
    v.im = canonical(v.im);
    return v;
}

/* Loads element i of an array that may be aligned only to the parts of a complex number. */
static __device__ __forceinline__ float element(const float *x, int64_t i, bool) { return __ldg(x + i); }
static __device__ __forceinline__ double element(const double *x, int64_t i, bool) { return __ldg(x + i); }
template <typename T>
static __device__ __forceinline__ number<T> element(const number<T> *x, int64_t i, bool aligned) {
    return load_number((const T *)x, (uint64_t)i, aligned);
}

static __device__ __forceinline__ void put(float *y, uint64_t i, bool, float v) { __stcg(y + i, v); }
static __device__ __forceinline__ void put(double *y, uint64_t i, bool, double v) { __stcg(y + i, v); }
template <typename T>
static __device__ __forceinline__ void put(number<T> *y, uint64_t i, bool aligned, number<T> v) {
    store_number((T *)y, i, aligned, v);
}

/* ----------------------------------------------------------------------------------- vectors */

template <typename E> struct __align__(16) vector {
    static constexpr int LENGTH = 16 / sizeof(E);
    E e[LENGTH];
};

template <typename E> static __device__ __forceinline__ void put_vector(E *y, const vector<E> &v) {
    __stcg((uint4 *)y, *(const uint4 *)&v);
}

/* Applies the first `count` taps of a vector, at most all. */
template <typename E>
static __device__ __forceinline__ void add_first_taps(const vector<E> &upper, const vector<E> &lower,
                                                      const vector<E> &h, int count, vector<E> &c) {
    constexpr int VECTOR = vector<E>::LENGTH;
#pragma unroll
    for (int k = 0; k < VECTOR; k++)
        if (k < count) {
#pragma unroll
            for (int r = 0; r < VECTOR; r++)
                c.e[r] = enter(r >= k ? upper.e[r - k] : lower.e[r - k + VECTOR], h.e[k], c.e[r]);
        }
}

/* Applies the first `count` taps of a vector, or all if there are more. upper: the values of the array at the
 * results, lower: those before. */
template <typename E>
static __device__ __forceinline__ void add_taps(const vector<E> &upper, const vector<E> &lower, const vector<E> &h,
                                                int count, vector<E> &c) {
    if (count >= vector<E>::LENGTH)
        add_first_taps(upper, lower, h, vector<E>::LENGTH, c);
    else
        add_first_taps(upper, lower, h, count, c);
}

#endif
