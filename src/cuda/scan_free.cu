/* Scans whose order is free: minimum, maximum, and, or, xor (docs/ORDER.md 6.4). A mirror image shares its
 * operator's kernel: a maximum is the minimum of turned keys, `and` the `or` of turned bits. */
#include "cuda/keys.cuh"
#include "cuda/scan.cuh"
#include "cuda/scan_kernels.h"

/* Unsigned bits that values travel in: 4 or 8 bytes. */
template <class T> struct wide { typedef uint32_t type; };
template <> struct wide<uint64_t> { typedef uint64_t type; };

/* The least key, as in extremes.cu. */
template <class T> struct least_of {
    typedef T element;
    typedef typename keys<T>::key value;
    typedef T result;
    keys<T> order;
    __device__ explicit least_of(const scan_job &j) : order(UINT64_MAX, j.flip) {}
    __device__ value load(T x) const { return order.of(x); }
    __device__ value enter(T init) const { return order.of(init); }
    __device__ value join(value a, value b) const { return min(a, b); }
    __device__ value identity() const { return order.of(order.losing()); }
    __device__ T store(value key) const { return order.element(key); }
    __device__ T empty() const { return order.losing(); }
};

template <class T> struct oring {
    typedef T element;
    typedef typename wide<T>::type value;
    typedef T result;
    value flip;
    __device__ explicit oring(const scan_job &j) : flip((value)j.flip) {}
    __device__ value load(T x) const { return x ^ flip; }
    __device__ value enter(T init) const { return init ^ flip; }
    __device__ value join(value a, value b) const { return a | b; }
    __device__ value identity() const { return 0; }
    __device__ T store(value v) const { return (T)(v ^ flip); }
    __device__ T empty() const { return (T)flip; }
};

template <class T> struct xoring : oring<T> {
    typedef typename wide<T>::type value;
    __device__ explicit xoring(const scan_job &j) : oring<T>(j) {}
    __device__ value join(value a, value b) const { return a ^ b; }
};

template <template <class> class Op> static scan_launch of_integers(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
    case WEFT_U8: return scan_of<Op<uint8_t>>();
    case WEFT_I16:
    case WEFT_U16: return scan_of<Op<uint16_t>>();
    case WEFT_I32:
    case WEFT_U32: return scan_of<Op<uint32_t>>();
    default: return scan_of<Op<uint64_t>>();
    }
}

scan_launch cuda_scan_extreme_kernel(weft_dtype dtype) {
    if (dtype == WEFT_F32) return scan_of<least_of<float>>();
    if (dtype == WEFT_F64) return scan_of<least_of<double>>();
    return of_integers<least_of>(dtype);
}

scan_launch cuda_scan_or_kernel(weft_dtype dtype) { return of_integers<oring>(dtype); }
scan_launch cuda_scan_xor_kernel(weft_dtype dtype) { return of_integers<xoring>(dtype); }
