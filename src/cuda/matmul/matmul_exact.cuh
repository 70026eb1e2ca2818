/* Elements of exact products (matmul_exact.h), and what the kernels share. */
#ifndef WEFT_CUDA_MATMUL_EXACT_CUH
#define WEFT_CUDA_MATMUL_EXACT_CUH

#include "arith/exact_product.h"
#include "cuda/matmul/matmul_exact.h"
#include "cuda/runtime/halves.cuh"

enum { WARP = 32, THREADS = 256 };
static uint64_t div_up(uint64_t n, uint64_t size) { return (n - 1) / size + 1; }

/* Returns true if a launch can have this number of blocks. */
static bool fits(uint64_t blocks) { return blocks <= 0x7fffffff; }

/* Bits of a magnitude; the type in which an element is scaled to an integer of at most BITS bits, and in which its
 * value is exact; the digits of the element. VECTOR elements are loaded at a time where they are adjacent, and
 * COLUMNS are stored by a thread. */
template <class E> struct exact_type;
template <> struct exact_type<f16> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_HALF, LIMBS = 2, BITS = 13, DIGITS = 11, VECTOR = 4, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f16(bits); }
};
template <> struct exact_type<bf16> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_HALF, LIMBS = 2, BITS = 13, DIGITS = 8, VECTOR = 4, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_bf16(bits); }
};
template <> struct exact_type<float> {
    typedef uint32_t word;
    typedef float real;
    enum { PLANES = EXACT_PLANES_F32, LIMBS = 2, BITS = 24, DIGITS = 24, VECTOR = 1, COLUMNS = 4 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f32(bits); }
};
template <> struct exact_type<double> {
    typedef uint64_t word;
    typedef double real;
    enum { PLANES = EXACT_PLANES_F64, LIMBS = 4, BITS = 53, DIGITS = 53, VECTOR = 1, COLUMNS = 2 };
    static __device__ __forceinline__ int exponent(word bits) { return weft_exact_exponent_f64(bits); }
};

static __device__ __forceinline__ uint32_t magnitude_of(f16 x) { return x.bits & 0x7fffu; }
static __device__ __forceinline__ uint32_t magnitude_of(bf16 x) { return x.bits & 0x7fffu; }
static __device__ __forceinline__ uint32_t magnitude_of(float x) { return weft_bits_f32(x) & 0x7fffffffu; }
static __device__ __forceinline__ uint64_t magnitude_of(double x) { return weft_bits_f64(x) & ~(UINT64_C(1) << 63); }

static __device__ __forceinline__ float value_of(f16 x) { return x; }
static __device__ __forceinline__ float value_of(bf16 x) { return x; }
static __device__ __forceinline__ float value_of(float x) { return x; }
static __device__ __forceinline__ double value_of(double x) { return x; }

/* N adjacent elements, which are aligned together. */
template <class E, int N> struct __align__(sizeof(E) * N) several { E at[N]; };

#define EXACT_LARGE 12582912.0f /* 1.5 * 2^23: the sum with |x| <= 2^22 is rounded to an integer */

/* Returns u modulo m, in [-m / 2 - 1, m / 2 + 1], for |u| <= 2^24: u / m has an error of at most 1 / m. */
static __device__ __forceinline__ float reduce(float u, float m, float inverse) {
    const float quotient = __fmaf_rn(u, inverse, EXACT_LARGE) - EXACT_LARGE;
    return __fmaf_rn(-quotient, m, u);
}

/* Calls a function for the type of the elements. */
#define BY_TYPE(function, ...)                           \
    (dtype == WEFT_F16    ? function<f16>(__VA_ARGS__)   \
     : dtype == WEFT_BF16 ? function<bf16>(__VA_ARGS__)  \
     : dtype == WEFT_F32  ? function<float>(__VA_ARGS__) \
                          : function<double>(__VA_ARGS__))

#endif
