/* Conversion of blocks of f16 and bf16 to f32, and back with one rounding. The instructions of F16C return the bits
 * of arith/halves.h, except those of a NaN, and are about 8 times as fast. */
#ifndef WEFT_CPU_HALF_BLOCKS_H
#define WEFT_CPU_HALF_BLOCKS_H

#include "arith/halves.h"
#include "cpu/kernels/vectors.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

/* Eight or sixteen elements. */
#if defined(__F16C__) && defined(__AVX512F__)
enum { F16C_LANES = 16 };
INLINE void widen_lanes(const uint16_t *x, float *y) {
    _mm512_storeu_ps(y, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)x)));
}
INLINE void narrow_lanes(const float *x, uint16_t *y) {
    const __m512 v = _mm512_loadu_ps(x);
    const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
    const __m512 canonical = _mm512_mask_mov_ps(v, nan, _mm512_castsi512_ps(_mm512_set1_epi32(WEFT_NAN_F32)));
    _mm256_storeu_si256((__m256i *)(void *)y,
                        _mm512_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
#elif defined(__F16C__)
enum { F16C_LANES = 8 };
INLINE void widen_lanes(const uint16_t *x, float *y) {
    _mm256_storeu_ps(y, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)x)));
}
INLINE void narrow_lanes(const float *x, uint16_t *y) {
    const __m256 v = _mm256_loadu_ps(x), nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
    const __m256 canonical = _mm256_blendv_ps(v, _mm256_castsi256_ps(_mm256_set1_epi32(WEFT_NAN_F32)), nan);
    _mm_storeu_si128((__m128i *)(void *)y, _mm256_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT));
}
#endif

/* Convert n elements. */
INLINE void widen_f16(size_t n, const uint16_t *restrict x, float *restrict y) {
    size_t i = 0;
#ifdef __F16C__
    for (; i + F16C_LANES <= n; i += F16C_LANES) widen_lanes(x + i, y + i);
#endif
    for (; i < n; i++) y[i] = weft_from_bits_f16(x[i]);
}
INLINE void narrow_f16(size_t n, const float *restrict x, uint16_t *restrict y) {
    size_t i = 0;
#ifdef __F16C__
    for (; i + F16C_LANES <= n; i += F16C_LANES) narrow_lanes(x + i, y + i);
#endif
    for (; i < n; i++) y[i] = weft_round_f16(x[i]);
}
INLINE void widen_bf16(size_t n, const uint16_t *restrict x, float *restrict y) {
    for (size_t i = 0; i < n; i++) y[i] = weft_from_bits_bf16(x[i]);
}
INLINE void narrow_bf16(size_t n, const float *restrict x, uint16_t *restrict y) {
    for (size_t i = 0; i < n; i++) y[i] = weft_round_bf16(x[i]);
}

#endif
