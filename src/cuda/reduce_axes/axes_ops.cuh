/* Operators of the kernels that reduce many vectors. They all use the tree of ORDER.md 2, also those whose results do
 * not depend on the order. An operator has:
 *
 *   - element, value: types of the input and of lanes
 *   - INPUTS: 2 for products of two operands: step(lane, x, y) then has an element of each. Else 1
 *   - REFERENCE: each vector has a parameter, made by `prepare` from its reference
 *   - identity(): value of a lane without elements
 *   - step(lane, x, i, m): adds element number i of a vector with the parameter m
 *   - combine(a, b): combines two lanes
 *   - idle(m): the vector has nothing to do */
#ifndef WEFT_CUDA_AXES_OPS_CUH
#define WEFT_CUDA_AXES_OPS_CUH

#include "cuda/reduce/finish.cuh"
#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/halves.cuh"

template <class T, class A> struct axes_operator {
    typedef T element;
    typedef A value;
    static constexpr int INPUTS = 1;
    static constexpr bool REFERENCE = false;
    __device__ double prepare(double reference) const { return reference; }
    __device__ bool idle(double) const { return false; }
};

/* ------------------------------------------------------------------------------ sums of floats */

template <class T, class A> struct axes_sum : axes_operator<T, A> {
    __device__ explicit axes_sum(const reduce_params &) {}
    __device__ A identity() const { return (A)-0.0; }
    __device__ A combine(A a, A b) const { return a + b; }
    __device__ A step(A lane, T x, uint64_t, double) const { return lane + (A)x; }
};

template <class T, class A> struct axes_product : axes_operator<T, A> {
    __device__ explicit axes_product(const reduce_params &) {}
    __device__ A identity() const { return 1; }
    __device__ A combine(A a, A b) const { return a * b; }
    __device__ A step(A lane, T x, uint64_t, double) const { return lane * (A)x; }
};

/* Adds x y. The conversion to A sign-extends signed integers to 64 bits. */
template <class T, class A> struct axes_dot : axes_operator<T, A> {
    static constexpr int INPUTS = 2;
    __device__ explicit axes_dot(const reduce_params &) {}
    __device__ A identity() const { return (A)-0.0; }
    __device__ A combine(A a, A b) const { return a + b; }
    __device__ A step(A lane, T x, T y) const { return fused((A)x, (A)y, lane); }
};

template <class T> struct axes_magnitudes : axes_sum<T, double> {
    __device__ explicit axes_magnitudes(const reduce_params &j) : axes_sum<T, double>(j) {}
    __device__ double step(double lane, T x, uint64_t, double) const { return lane + fabs((double)x); }
};

/* Adds (x - m)^2. Without a reference m is 0, and x - 0 is x. */
template <class T> struct axes_deviations : axes_sum<T, double> {
    static constexpr bool REFERENCE = true;
    __device__ explicit axes_deviations(const reduce_params &j) : axes_sum<T, double>(j) {}
    __device__ double step(double lane, T x, uint64_t, double m) const {
        const double d = (double)x - m;
        return fma(d, d, lane);
    }
};

struct axes_rescaled_squares : axes_sum<double, double> {
    static constexpr bool REFERENCE = true;
    __device__ explicit axes_rescaled_squares(const reduce_params &j) : axes_sum<double, double>(j) {}
    __device__ double prepare(double squares) const { return weft_norm2_scale(squares); }
    __device__ bool idle(double scale) const { return scale == 1.0; }
    __device__ double step(double lane, double x, uint64_t, double scale) const {
        const double s = x * scale;
        return fma(s, s, lane);
    }
};

/* ------------------------------------------- operators whose results do not depend on order */

template <class T> struct axes_integer_sum : axes_operator<T, uint64_t> {
    __device__ explicit axes_integer_sum(const reduce_params &) {}
    __device__ uint64_t identity() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a + b; }
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const { return lane + (uint64_t)(int64_t)x; }
};

template <class T> struct axes_integer_product : axes_operator<T, uint64_t> {
    __device__ explicit axes_integer_product(const reduce_params &) {}
    __device__ uint64_t identity() const { return 1; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a * b; }
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const { return lane * (uint64_t)(int64_t)x; }
};

template <class T> struct axes_count : axes_integer_sum<T> {
    __device__ explicit axes_count(const reduce_params &j) : axes_integer_sum<T>(j) {}
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const { return lane + (x != 0); }
};

template <class T> struct axes_or : axes_operator<T, uint64_t> {
    uint64_t xor_mask;
    __device__ explicit axes_or(const reduce_params &j) : xor_mask(j.xor_mask) {}
    __device__ uint64_t identity() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a | b; }
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const { return lane | ((uint64_t)x ^ xor_mask); }
};

template <class T> struct axes_xor : axes_operator<T, uint64_t> {
    __device__ explicit axes_xor(const reduce_params &) {}
    __device__ uint64_t identity() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a ^ b; }
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const { return lane ^ (uint64_t)x; }
};

template <class T> struct axes_extreme : axes_operator<T, typename keys<T>::key> {
    typedef typename keys<T>::key value;
    keys<T> order;
    __device__ explicit axes_extreme(const reduce_params &j) : order(j.mask, j.xor_mask) {}
    __device__ value identity() const { return (value)-1; }
    __device__ value combine(value a, value b) const { return min(a, b); }
    __device__ value step(value lane, T x, uint64_t, double) const { return min(lane, order.of(x)); }
};

/* The index of the identity is greater than any other. */
template <class T> struct axes_extreme_index : axes_operator<T, located> {
    keys<T> order;
    __device__ explicit axes_extreme_index(const reduce_params &j) : order(j.mask, j.xor_mask) {}
    __device__ located identity() const { return located{UINT64_MAX, UINT64_MAX}; }
    __device__ located combine(located a, located b) const {
        return b.key < a.key || (b.key == a.key && b.where < a.where) ? b : a;
    }
    __device__ located step(located lane, T x, uint64_t i, double) const {
        return combine(lane, located{order.of(x), i});
    }
};

/* Largest |x| of signed integers, stored as its complement. */
template <class T> struct axes_largest_magnitude : axes_operator<T, uint64_t> {
    __device__ explicit axes_largest_magnitude(const reduce_params &) {}
    __device__ uint64_t identity() const { return UINT64_MAX; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a < b ? a : b; }
    __device__ uint64_t step(uint64_t lane, T x, uint64_t, double) const {
        const uint64_t wide = (uint64_t)(int64_t)x;
        return combine(lane, ~(x < 0 ? 0 - wide : wide));
    }
};

/* Largest |x| of f16 and bf16, stored as the complement of its bits as f32. */
template <class T> struct axes_largest_half : axes_operator<T, uint32_t> {
    __device__ explicit axes_largest_half(const reduce_params &) {}
    __device__ uint32_t identity() const { return UINT32_MAX; }
    __device__ uint32_t combine(uint32_t a, uint32_t b) const { return min(a, b); }
    __device__ uint32_t step(uint32_t lane, T x, uint64_t, double) const {
        return min(lane, ~(weft_bits_f32(x) & UINT32_MAX >> 1));
    }
};

#endif
