/* Sums, products and sums of magnitudes by the canonical tree (docs/ORDER.md 3.1, 3.3). */
#include "cuda/kernels.h"
#include "cuda/tree.cuh"

template <class T, class A> struct total : summing<A> {
    typedef T element;
    __device__ explicit total(const job &) {}
    __device__ A step(A lane, T x, T) const { return lane + (A)x; }
};

template <class T, class A> struct product : plain_operator {
    typedef T element;
    typedef A value;
    __device__ explicit product(const job &) {}
    __device__ A identity() const { return 1; }
    __device__ A step(A lane, T x, T) const { return lane * (A)x; }
    __device__ A join(A a, A b) const { return a * b; }
};

template <class T> struct magnitudes : summing<double> {
    typedef T element;
    __device__ explicit magnitudes(const job &) {}
    __device__ double step(double lane, T x, T) const { return lane + fabs((double)x); }
};

kernel cuda_sum_kernel(weft_dtype dtype, weft_dtype result) {
    static const void *const in_f64[] = {
        NULL,
#define TYPE(ID, name, ctype, kind, npy) (const void *)tree_kernel<total<ctype, double>>,
#include "core/types.def"
    };
    if (result == WEFT_F32) return kernel{(const void *)tree_kernel<total<float, float>>, false};
    return kernel{in_f64[dtype], false};
}

kernel cuda_product_kernel(weft_dtype dtype, weft_dtype result) {
    if (result == WEFT_F32) return kernel{(const void *)tree_kernel<product<float, float>>, false};
    if (dtype == WEFT_F32) return kernel{(const void *)tree_kernel<product<float, double>>, false};
    return kernel{(const void *)tree_kernel<product<double, double>>, false};
}

kernel cuda_magnitudes_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return kernel{(const void *)tree_kernel<magnitudes<int8_t>>, false};
    case WEFT_I16: return kernel{(const void *)tree_kernel<magnitudes<int16_t>>, false};
    case WEFT_I32: return kernel{(const void *)tree_kernel<magnitudes<int32_t>>, false};
    case WEFT_I64: return kernel{(const void *)tree_kernel<magnitudes<int64_t>>, false};
    case WEFT_F32: return kernel{(const void *)tree_kernel<magnitudes<float>>, false};
    case WEFT_F64: return kernel{(const void *)tree_kernel<magnitudes<double>>, false};
    default: return cuda_sum_kernel(dtype, WEFT_F64); /* |x| is x */
    }
}
