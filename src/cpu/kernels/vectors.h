/* Definitions that the kernels of all instruction set levels share: level name, vector width, fused multiply-add.
 * No intrinsics: GCC's and Clang's vector extensions. */
#ifndef WEFT_CPU_VECTORS_H
#define WEFT_CPU_VECTORS_H

#include "arith/bits.h"
#include "core/order.h"
#include "cpu/runtime/cpu.h"

#include <string.h>

/* LEVELED(cpu_sums) is cpu_sums_v3 when this file is compiled for level v3 (-DWEFT_LEVEL=v3). */
#define PASTE_LEVEL(name, level) name##_##level
#define EXPAND_LEVEL(name, level) PASTE_LEVEL(name, level)
#define LEVELED(name) EXPAND_LEVEL(name, WEFT_LEVEL)

/* Bytes per vector register. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

/* 1 if fma() is an instruction, 0 if it is a slow function of the C library. */
#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
#define FMA_INSTRUCTION 1
#else
#define FMA_INSTRUCTION 0
#endif

/* Vectors kept in registers at a time: enough to hide the latency of an addition or a fused multiply-add, and half
 * of the registers of x86-64 before AVX-512. */
#define COLUMN_VECTORS 8

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

/* Precedes a loop over the lanes of a vector that is one instruction, such as fma(). GCC unrolls loops over four
 * lanes (f64, AVX2) and makes scalar code of them. Clang must unroll the loop: otherwise it keeps the vectors of
 * every inlined copy on the stack. It warns if the loops around it are not unrolled, as with sanitizers. */
#if defined(__clang__) && FMA_INSTRUCTION
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANE_LOOP _Pragma("clang loop unroll(full)")
#elif FMA_INSTRUCTION && VECTOR_BYTES == 32
#define LANE_LOOP _Pragma("GCC unroll 1")
#else
#define LANE_LOOP
#endif

/* A function that rearranges a square of vectors. Clang keeps the square of every inlined copy on the stack. */
#ifdef __clang__
#define SQUARE_INLINE static __attribute__((noinline))
#else
#define SQUARE_INLINE INLINE
#endif

/* Returns weft_dtype_size(dtype), as a constant if dtype is one. */
INLINE size_t element_bytes(weft_dtype dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return sizeof(ctype);
#define HALF(ID, name, npy) \
    if (dtype == WEFT_##ID) return sizeof(uint16_t);
#include "core/halves.def"
#include "core/types.def"
    return 0;
}

/* Prefetches the `bytes` bytes that are PREFETCH_DISTANCE after x. Hardware prefetchers stop at the end of a page,
 * which costs more the shorter the time between two pages is. */
INLINE void prefetch_after(const char *x, size_t bytes) {
    enum { PREFETCH_DISTANCE = 4096, LINE = 64 };
#pragma GCC unroll 16
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(x + PREFETCH_DISTANCE + i);
}

/* Hides the origin of a vector from the compiler. Otherwise GCC computes the lanes of a transposed vector one by one,
 * from the elements in memory. */
#if defined(__x86_64__)
#define KEEP_IN_REGISTER(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define KEEP_IN_REGISTER(v) __asm__("" : "+w"(v))
#else
#define KEEP_IN_REGISTER(v) __asm__("" : "+m"(v))
#endif

typedef float vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double vector_f64 __attribute__((vector_size(VECTOR_BYTES)));

/* Returns the f32 at x as f64. GCC 12 converts a vector that is written as a list of elements with one instruction,
 * and other forms with several. */
INLINE vector_f64 widened_f32(const void *x) {
    float v[VECTOR_BYTES / 8];
    memcpy(v, x, sizeof v);
#if VECTOR_BYTES == 64
    return (vector_f64){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
#elif VECTOR_BYTES == 32
    return (vector_f64){v[0], v[1], v[2], v[3]};
#else
    return (vector_f64){v[0], v[1]};
#endif
}

/* Computes fmaf(x, y, z) in f64, without the instruction. The product of two f32 is exact in f64: it has 48 bits,
 * and its exponent fits. So `sum` is x y + z rounded once, and `rest` is what that rounding dropped (D. Knuth's
 * TwoSum; it is exact, because nothing can overflow here). Rounding `sum` to f32 as well could round a tie the
 * wrong way. Therefore it is first rounded to odd: if something was dropped and the last bit of `sum` is even, the
 * adjacent value in the direction of `rest` is used, which is odd. Since f64 has more than two bits more than f32,
 * rounding that value to f32 gives x y + z rounded once (S. Boldo, G. Melquiond, IEEE Transactions on Computers 57,
 * 2008). If `sum` is Inf or NaN, `rest` is NaN, which is neither above nor below zero. */
INLINE float emulated_fmaf(float x, float y, float z) {
    const double product = (double)x * y, addend = z;
    const double sum = product + addend;
    const double part = sum - product;
    const double rest = (product - (sum - part)) + (addend - part);
    const uint64_t bits = weft_bits_f64(sum);
    const uint64_t one = ((rest > 0) | (rest < 0)) & ~bits & 1;
    const bool outward = (rest > 0) == (sum > 0);
    return (float)weft_from_bits_f64(outward ? bits + one : bits - one);
}

#if FMA_INSTRUCTION
#define FUSED_INLINE INLINE
#else
#define FUSED_INLINE NOINLINE
#endif

INLINE float fma_f32(float x, float y, float z) {
    return FMA_INSTRUCTION ? __builtin_fmaf(x, y, z) : emulated_fmaf(x, y, z);
}

INLINE double fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }

/* Fused multiply-add of each lane. GCC leaves a loop over the lanes of vectors in registers scalar in large
 * functions, so it needs its built-in. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
INLINE vector_f32 fma_lanes_f32(vector_f32 x, vector_f32 y, vector_f32 z) {
    return __builtin_ia32_vfmaddps512_mask(x, y, z, (unsigned short)-1, 4);
}

INLINE vector_f64 fma_lanes_f64(vector_f64 x, vector_f64 y, vector_f64 z) {
    return __builtin_ia32_vfmaddpd512_mask(x, y, z, (unsigned char)-1, 4);
}
#elif defined(__GNUC__) && !defined(__clang__) && defined(__AVX__) && defined(__FMA__)
INLINE vector_f32 fma_lanes_f32(vector_f32 x, vector_f32 y, vector_f32 z) {
    return __builtin_ia32_vfmaddps256(x, y, z);
}

INLINE vector_f64 fma_lanes_f64(vector_f64 x, vector_f64 y, vector_f64 z) {
    return __builtin_ia32_vfmaddpd256(x, y, z);
}
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
INLINE vector_f32 fma_lanes_f32(vector_f32 x, vector_f32 y, vector_f32 z) {
    return __builtin_aarch64_fmav4sf(x, y, z);
}
INLINE vector_f64 fma_lanes_f64(vector_f64 x, vector_f64 y, vector_f64 z) {
    return __builtin_aarch64_fmav2df(x, y, z);
}
#else
INLINE vector_f32 fma_lanes_f32(vector_f32 x, vector_f32 y, vector_f32 z) {
    LANE_LOOP
    for (size_t l = 0; l < VECTOR_BYTES / sizeof(float); l++) z[l] = fma_f32(x[l], y[l], z[l]);
    return z;
}

INLINE vector_f64 fma_lanes_f64(vector_f64 x, vector_f64 y, vector_f64 z) {
    LANE_LOOP
    for (size_t l = 0; l < VECTOR_BYTES / sizeof(double); l++) z[l] = fma_f64(x[l], y[l], z[l]);
    return z;
}
#endif

#endif
