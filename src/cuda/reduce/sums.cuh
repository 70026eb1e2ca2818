/* Operators of the canonical tree: sums, products and sums of magnitudes (ORDER.md 3.1, 3.3). */
#ifndef WEFT_CUDA_SUMS_CUH
#define WEFT_CUDA_SUMS_CUH

#include "cuda/reduce/tree.cuh"

template <class T, class A> struct total : sum_operator<A> {
    typedef T element;
    __device__ explicit total(const reduce_params &) {}
    __device__ A step(A lane, T x, T) const { return lane + (A)x; }
};

template <class T, class A> struct product : plain_operator {
    typedef T element;
    typedef A value;
    __device__ explicit product(const reduce_params &) {}
    __device__ A identity() const { return 1; }
    __device__ A step(A lane, T x, T) const { return lane * (A)x; }
    __device__ A combine(A a, A b) const { return a * b; }
};

template <class T> struct magnitudes : sum_operator<double> {
    typedef T element;
    __device__ explicit magnitudes(const reduce_params &) {}
    __device__ double step(double lane, T x, T) const { return lane + fabs((double)x); }
};

#endif
