/* Conversion of blocks of f16 and bf16 to f32. */
#ifndef WEFT_CPU_HALVES_H
#define WEFT_CPU_HALVES_H

#include "arith/formats.h"
#include "cpu/kernels/vectors.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

/* The instructions of F16C return the bits of weft_from_bits_f16, except those of a NaN. They are 8 times as fast. */
INLINE void widen_f16(size_t n, const uint16_t *x, float *y) {
    size_t i = 0;
#if defined(__F16C__) && defined(__AVX512F__)
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(y + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(x + i))));
#elif defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(x + i))));
#endif
    for (; i < n; i++) y[i] = weft_from_bits_f16(x[i]);
}

INLINE void widen_bf16(size_t n, const uint16_t *x, float *y) {
    for (size_t i = 0; i < n; i++) y[i] = weft_from_bits_bf16(x[i]);
}

#endif
