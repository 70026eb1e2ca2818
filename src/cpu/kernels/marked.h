/* Bit masks that mark elements, and compaction of marked elements. The vector extensions of the compilers do not
 * provide these operations, so this file uses x86-64 intrinsics. Other architectures use equivalent plain C. */
#ifndef WEFT_CPU_MARKED_H
#define WEFT_CPU_MARKED_H

#include "core/byte_order.h"
#include "cpu/kernels/vectors.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { WORD = 64 }; /* marks per word; the first element is in the lowest bit */

/* gather_bits converts 64 bytes of value 0 or 1 to a bit mask. */
#if defined(__AVX512BW__)

INLINE uint64_t gather_bits(const uint8_t truths[WORD]) {
    const __m512i v = _mm512_loadu_si512(truths);
    return _mm512_test_epi8_mask(v, v);
}

#elif defined(__SSE2__)

INLINE uint64_t gather_bits(const uint8_t truths[WORD]) {
    uint64_t bits = 0;
    for (int i = 0; i < WORD; i += 16) {
        const __m128i sixteen = _mm_loadu_si128((const __m128i *)(truths + i));
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(sixteen, 7)) << i;
    }
    return bits;
}

#else

/* Converts eight bytes at a time: the multiplication moves the bit of byte i to bit 56 + i, and its partial
 * products do not overlap. */
INLINE uint64_t gather_bits(const uint8_t truths[WORD]) {
    uint64_t bits = 0;
    for (int i = 0; i < WORD; i += 8) {
        const uint64_t eight = bytes_load(truths + i);
        bits |= (eight * UINT64_C(0x0102040810204080)) >> 56 << i;
    }
    return bits;
}

#endif

/* PRESS_LANES(size): number of elements that press_lanes compacts at a time; 1: no such instruction. Elements
 * narrower than 4 bytes are widened first. */
#if defined(__AVX512F__)

#define PRESS_LANES(size) ((size) == 8 ? 8 : 16)
typedef uint32_t press_u32 __attribute__((vector_size(64)));
typedef uint64_t press_u64 __attribute__((vector_size(64)));

INLINE press_u32 press_lanes_u32(press_u32 v, unsigned marks) {
    return (press_u32)_mm512_maskz_compress_epi32((__mmask16)marks, (__m512i)v);
}

INLINE press_u64 press_lanes_u64(press_u64 v, unsigned marks) {
    return (press_u64)_mm512_maskz_compress_epi64((__mmask8)marks, (__m512i)v);
}

#elif defined(__AVX2__)

#define PRESS_LANES(size) 4
typedef uint32_t press_u32 __attribute__((vector_size(16)));
typedef uint64_t press_u64 __attribute__((vector_size(32)));

/* For each mask of four lanes, the numbers of the marked lanes in ascending order, one per byte from the lowest
 * on. */
static const uint32_t MARKED_LANES[16] = {0,    0x00,   0x01,   0x0100,   0x02,   0x0200,   0x0201,   0x020100,
                                          0x03, 0x0300, 0x0301, 0x030100, 0x0302, 0x030200, 0x030201, 0x03020100};

INLINE press_u32 press_lanes_u32(press_u32 v, unsigned marks) {
    const __m128i lanes = _mm_cvtepu8_epi32(_mm_cvtsi32_si128((int)MARKED_LANES[marks]));
    return (press_u32)_mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps((__m128i)v), lanes));
}

/* Permutes 32-bit halves: those of lane i are 2 i and 2 i + 1. */
INLINE press_u64 press_lanes_u64(press_u64 v, unsigned marks) {
    const __m256i lanes = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)MARKED_LANES[marks]));
    const __m256i low = _mm256_slli_epi64(lanes, 1);
    const __m256i halves = _mm256_or_si256(low, _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32));
    return (press_u64)_mm256_permutevar8x32_epi32((__m256i)v, halves);
}

#else

#define PRESS_LANES(size) 1

#endif
#endif
