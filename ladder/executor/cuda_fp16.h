/* The type __half: values in 16 bits, computed in f32 and rounded. f32 has more than twice the bits, so each
 * operation is rounded as if it had been computed exactly. */
#ifndef WEFT_EXECUTOR_CUDA_FP16_H
#define WEFT_EXECUTOR_CUDA_FP16_H

#include "cuda_runtime.h"

struct __half {
    unsigned short bits;
    __half() = default;
    __half(float v);
    operator float() const;
};
typedef __half half;

/* Rounds to nearest, ties to even. */
static inline __half __float2half(float v) {
    const unsigned bits = from_bits<unsigned>(v), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    unsigned half;
    if (size > 0x7f800000) {
        half = 0x7fff;
    } else if (size >= 0x477ff000) { /* 65520 and more */
        half = 0x7c00;
    } else if (size < 0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition of 0.5 rounds to that */
        half = from_bits<unsigned>(from_bits<float>(size) + 0.5f) - 0x3f000000;
    } else {
        half = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    }
    __half h;
    h.bits = (unsigned short)(size > 0x7f800000 ? half : sign | half);
    return h;
}
static inline __half __float2half_rn(float v) { return __float2half(v); }
static inline float __half2float(__half h) {
    const unsigned sign = (unsigned)(h.bits & 0x8000) << 16, size = h.bits & 0x7fff;
    const float v = size >= 0x7c00 ? from_bits<float>(size << 13 | 0x70000000 | 0x0f800000)
                                   : from_bits<float>(size << 13) * 0x1p112f;
    return from_bits<float>(from_bits<unsigned>(v) | sign);
}
static inline __half __ushort_as_half(unsigned short bits) {
    __half h;
    h.bits = bits;
    return h;
}
inline __half::__half(float v) { *this = __float2half(v); }
inline __half::operator float() const { return __half2float(*this); }

static inline __half operator+(__half a, __half b) { return __float2half(__half2float(a) + __half2float(b)); }
static inline __half operator-(__half a, __half b) { return __float2half(__half2float(a) - __half2float(b)); }
static inline __half operator*(__half a, __half b) { return __float2half(__half2float(a) * __half2float(b)); }
static inline __half operator/(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
static inline __half operator-(__half a) { return __float2half(-__half2float(a)); }
static inline __half __hadd(__half a, __half b) { return a + b; }
static inline __half __hsub(__half a, __half b) { return a - b; }
static inline __half __hmul(__half a, __half b) { return a * b; }
static inline __half __hdiv(__half a, __half b) { return a / b; }

#endif
