/* The operators of scans and of segmented reductions, and the choice of an instance by types. NAME is the operator's
 * name in the kernel of a formula (map_text.cu). Some operators share the kernels of another one through the XOR mask
 * params.xor_mask: a maximum is the minimum of inverted keys, `and` is the `or` of inverted bits. */
#ifndef WEFT_CUDA_SCAN_OPS_CUH
#define WEFT_CUDA_SCAN_OPS_CUH

#include "arith/bits.h"
#include "cuda/runtime/canonical.cuh"
#include "cuda/runtime/halves.cuh"
#include "cuda/scan/scan_params.h"

/* ------------------------------------------------------------------------ sums and products */

template <class T, class A, class R> struct scan_sum {
    static constexpr const char *NAME = "scan_sum";
    typedef T element;
    typedef A value;
    typedef R result;
    __device__ explicit scan_sum(const scan_params &) {}
    __device__ A load(T x) const { return (A)x; }
    __device__ A enter(R init) const { return (A)init; }
    __device__ A combine(A a, A b) const { return a + b; }
    __device__ A identity() const { return (A)-0.0; }
    __device__ R store(A v) const { return (R)canonical(v); }
    __device__ R empty() const { return R(0); }
};

template <class T, class A, class R> struct scan_product : scan_sum<T, A, R> {
    static constexpr const char *NAME = "scan_product";
    __device__ explicit scan_product(const scan_params &j) : scan_sum<T, A, R>(j) {}
    __device__ A combine(A a, A b) const { return a * b; }
    __device__ A identity() const { return 1; }
    __device__ R empty() const { return R(1); }
};

/* ------------------------------------------- operators whose results do not depend on order */

/* Unsigned integer type in which values are exchanged: 4 or 8 bytes. */
template <class T> struct wide { typedef uint32_t type; };
template <> struct wide<uint64_t> { typedef uint64_t type; };

/* The least key, as in extremes.cu. */
template <class T> struct scan_min {
    static constexpr const char *NAME = "scan_min";
    typedef T element;
    typedef typename keys<T>::key value;
    typedef T result;
    keys<T> order;
    __device__ explicit scan_min(const scan_params &j) : order(UINT64_MAX, j.xor_mask) {}
    __device__ value load(T x) const { return order.of(x); }
    __device__ value enter(T init) const { return order.of(init); }
    __device__ value combine(value a, value b) const { return min(a, b); }
    __device__ value identity() const { return order.of(order.losing()); }
    __device__ T store(value key) const { return order.element(key); }
    __device__ T empty() const { return order.losing(); }
};

template <class T> struct scan_or {
    static constexpr const char *NAME = "scan_or";
    typedef T element;
    typedef typename wide<T>::type value;
    typedef T result;
    value xor_mask;
    __device__ explicit scan_or(const scan_params &j) : xor_mask((value)j.xor_mask) {}
    __device__ value load(T x) const { return x ^ xor_mask; }
    __device__ value enter(T init) const { return init ^ xor_mask; }
    __device__ value combine(value a, value b) const { return a | b; }
    __device__ value identity() const { return 0; }
    __device__ T store(value v) const { return (T)(v ^ xor_mask); }
    __device__ T empty() const { return (T)xor_mask; }
};

template <class T> struct scan_xor : scan_or<T> {
    static constexpr const char *NAME = "scan_xor";
    typedef typename wide<T>::type value;
    __device__ explicit scan_xor(const scan_params &j) : scan_or<T>(j) {}
    __device__ value combine(value a, value b) const { return a ^ b; }
};

/* ------------------------------------------------------------------------- by types
 *
 * Launch is the type returned. Kernels<Op>::launch(types) creates it, where `types` is the text of Op's arguments.
 * Signed and unsigned integers of one width share kernels, because both wrap alike. Only widening distinguishes them.
 */

#define KERNELS(Op, ...) Kernels<Op<__VA_ARGS__>>::launch(#__VA_ARGS__)

template <class Launch, template <class> class Kernels, template <class, class, class> class Op>
static Launch for_sums_widening(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return KERNELS(Op, int8_t, uint64_t, uint64_t);
    case WEFT_I16: return KERNELS(Op, int16_t, uint64_t, uint64_t);
    case WEFT_I32: return KERNELS(Op, int32_t, uint64_t, uint64_t);
    case WEFT_U8: return KERNELS(Op, uint8_t, uint64_t, uint64_t);
    case WEFT_U16: return KERNELS(Op, uint16_t, uint64_t, uint64_t);
    case WEFT_U32: return KERNELS(Op, uint32_t, uint64_t, uint64_t);
    default: return KERNELS(Op, float, double, double);
    }
}

template <class Launch, template <class> class Kernels, template <class, class, class> class Op>
static Launch for_sums(weft_dtype dtype, weft_dtype result) {
    if (dtype != result) return for_sums_widening<Launch, Kernels, Op>(dtype);
    switch (dtype) {
    case WEFT_I8:
    case WEFT_U8: return KERNELS(Op, uint8_t, uint32_t, uint8_t);
    case WEFT_I16:
    case WEFT_U16: return KERNELS(Op, uint16_t, uint32_t, uint16_t);
    case WEFT_I32:
    case WEFT_U32: return KERNELS(Op, uint32_t, uint32_t, uint32_t);
    case WEFT_F32: return KERNELS(Op, float, float, float);
    case WEFT_F64: return KERNELS(Op, double, double, double);
    default: return KERNELS(Op, uint64_t, uint64_t, uint64_t);
    }
}

template <class Launch, template <class> class Kernels, template <class> class Op>
static Launch for_bits(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
    case WEFT_U8: return KERNELS(Op, uint8_t);
    case WEFT_I16:
    case WEFT_U16: return KERNELS(Op, uint16_t);
    case WEFT_I32:
    case WEFT_U32: return KERNELS(Op, uint32_t);
    default: return KERNELS(Op, uint64_t);
    }
}

template <class Launch, template <class> class Kernels> static Launch for_extremes(weft_dtype dtype) {
    if (dtype == WEFT_F32) return KERNELS(scan_min, float);
    if (dtype == WEFT_F64) return KERNELS(scan_min, double);
    return for_bits<Launch, Kernels, scan_min>(dtype);
}

/* The same for operations that also take f16 and bf16. Their sums are computed in f32, or in f64 for an f64 result.
 */
template <class Launch, template <class> class Kernels, template <class, class, class> class Op, class Half>
static Launch for_sums_of(weft_dtype result) {
    if (result == WEFT_F64) return KERNELS(Op, Half, double, double);
    if (result == WEFT_F32) return KERNELS(Op, Half, float, float);
    return KERNELS(Op, Half, float, Half);
}

template <class Launch, template <class> class Kernels, template <class, class, class> class Op>
static Launch for_all_sums(weft_dtype dtype, weft_dtype result) {
    if (dtype == WEFT_F16) return for_sums_of<Launch, Kernels, Op, f16>(result);
    if (dtype == WEFT_BF16) return for_sums_of<Launch, Kernels, Op, bf16>(result);
    return for_sums<Launch, Kernels, Op>(dtype, result);
}

template <class Launch, template <class> class Kernels> static Launch for_all_extremes(weft_dtype dtype) {
    if (dtype == WEFT_F16) return KERNELS(scan_min, f16);
    if (dtype == WEFT_BF16) return KERNELS(scan_min, bf16);
    return for_extremes<Launch, Kernels>(dtype);
}

#undef KERNELS

#endif
