/* Scans by sum and product (docs/ORDER.md 6.4). Integers of one width share a kernel, since both kinds
 * wrap alike; only widening tells them apart. */
#include "arith/bits.h"
#include "cuda/scan.cuh"
#include "cuda/scan_kernels.h"

static __device__ __forceinline__ float stored(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double stored(double v) { return weft_canonical_f64(v); }
static __device__ __forceinline__ uint32_t stored(uint32_t v) { return v; }
static __device__ __forceinline__ uint64_t stored(uint64_t v) { return v; }

template <class T, class A, class R> struct adding {
    typedef T element;
    typedef A value;
    typedef R result;
    __device__ explicit adding(const scan_job &) {}
    __device__ A load(T x) const { return (A)x; }
    __device__ A enter(R init) const { return (A)init; }
    __device__ A join(A a, A b) const { return a + b; }
    __device__ A identity() const { return (A)-0.0; }
    __device__ R store(A v) const { return (R)stored(v); }
    __device__ R empty() const { return 0; }
};

template <class T, class A, class R> struct multiplying : adding<T, A, R> {
    __device__ explicit multiplying(const scan_job &j) : adding<T, A, R>(j) {}
    __device__ A join(A a, A b) const { return a * b; }
    __device__ A identity() const { return 1; }
    __device__ R empty() const { return 1; }
};

template <template <class, class, class> class Op> static scan_launch widening(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return scan_of<Op<int8_t, uint64_t, uint64_t>>();
    case WEFT_I16: return scan_of<Op<int16_t, uint64_t, uint64_t>>();
    case WEFT_I32: return scan_of<Op<int32_t, uint64_t, uint64_t>>();
    case WEFT_U8: return scan_of<Op<uint8_t, uint64_t, uint64_t>>();
    case WEFT_U16: return scan_of<Op<uint16_t, uint64_t, uint64_t>>();
    case WEFT_U32: return scan_of<Op<uint32_t, uint64_t, uint64_t>>();
    default: return scan_of<Op<float, double, double>>();
    }
}

template <template <class, class, class> class Op> static scan_launch same(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
    case WEFT_U8: return scan_of<Op<uint8_t, uint32_t, uint8_t>>();
    case WEFT_I16:
    case WEFT_U16: return scan_of<Op<uint16_t, uint32_t, uint16_t>>();
    case WEFT_I32:
    case WEFT_U32: return scan_of<Op<uint32_t, uint32_t, uint32_t>>();
    case WEFT_F32: return scan_of<Op<float, float, float>>();
    case WEFT_F64: return scan_of<Op<double, double, double>>();
    default: return scan_of<Op<uint64_t, uint64_t, uint64_t>>();
    }
}

scan_launch cuda_scan_sum_kernel(weft_dtype dtype, weft_dtype result) {
    return dtype == result ? same<adding>(dtype) : widening<adding>(dtype);
}

scan_launch cuda_scan_product_kernel(weft_dtype dtype, weft_dtype result) {
    return dtype == result ? same<multiplying>(dtype) : widening<multiplying>(dtype);
}
