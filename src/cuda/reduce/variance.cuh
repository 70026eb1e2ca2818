/* Operators of the canonical tree: sums of squared deviations (ORDER.md 3.3 norm2, 4). */
#ifndef WEFT_CUDA_VARIANCE_CUH
#define WEFT_CUDA_VARIANCE_CUH

#include "cuda/reduce/tree.cuh"

/* Adds (x - m)^2. Without a reference m is 0, and x - 0 is x. */
template <class T> struct deviations : sum_operator<double> {
    typedef T element;
    double m;
    __device__ explicit deviations(const reduce_params &j) : m(j.reference ? *j.reference : 0.0) {}
    __device__ double step(double lane, T x, T) const {
        const double d = (double)x - m;
        return fma(d, d, lane);
    }
};

struct rescaled_squares : sum_operator<double> {
    typedef double element;
    double scale;
    __device__ explicit rescaled_squares(const reduce_params &j) : scale(weft_norm2_scale(*j.reference)) {}
    __device__ bool idle() const { return scale == 1.0; }
    __device__ double step(double lane, double x, double) const {
        const double s = x * scale;
        return fma(s, s, lane);
    }
};

#endif
