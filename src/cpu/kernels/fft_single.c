/* Kernels of weft_fft for one transform of few values (ORDER.md 14.8); compiled once per instruction set level. With
 * AVX-512 they use vectors of 32 bytes too: the rows of short transforms fill no longer ones. */
#include "cpu/kernels/fft_single.h"

#if SINGLE_KERNELS

#undef VECTOR_BYTES
#define VECTOR_BYTES 32
typedef float single_vector_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef double single_vector_f64 __attribute__((vector_size(VECTOR_BYTES)));

INLINE single_vector_f32 fma_single_f32(single_vector_f32 x, single_vector_f32 y, single_vector_f32 z) {
#if defined(__clang__) || !defined(__x86_64__)
    LANE_LOOP
    for (size_t l = 0; l < VECTOR_BYTES / sizeof(float); l++) z[l] = fma_f32(x[l], y[l], z[l]);
    return z;
#else
    return __builtin_ia32_vfmaddps256(x, y, z);
#endif
}

INLINE single_vector_f64 fma_single_f64(single_vector_f64 x, single_vector_f64 y, single_vector_f64 z) {
#if defined(__clang__) || !defined(__x86_64__)
    LANE_LOOP
    for (size_t l = 0; l < VECTOR_BYTES / sizeof(double); l++) z[l] = fma_f64(x[l], y[l], z[l]);
    return z;
#else
    return __builtin_ia32_vfmaddpd256(x, y, z);
#endif
}

typedef double single_half __attribute__((vector_size(16)));

/* Returns the two halves of a vector as one. */
INLINE single_vector_f64 single_join(single_half low, single_half high) {
#if defined(__clang__) || !defined(__x86_64__)
    return (single_vector_f64){low[0], low[1], high[0], high[1]};
#else
    return __builtin_ia32_vinsertf128_pd256(__builtin_ia32_pd256_pd(low), high, 1);
#endif
}

#define REAL float
#define REAL_BYTES 4
#define LANE uint32_t
#define FUSED fma_f32
#define FUSED_LANES fma_single_f32
#define CANONICAL weft_canonical_f32
#define NAN_BITS WEFT_NAN_F32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/points_body.h"

#include "cpu/kernels/bodies/single_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#define REAL double
#define REAL_BYTES 8
#define LANE uint64_t
#define FUSED fma_f64
#define FUSED_LANES fma_single_f64
#define CANONICAL weft_canonical_f64
#define NAN_BITS WEFT_NAN_F64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/points_body.h"

#include "cpu/kernels/bodies/single_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

void LEVELED(cpu_single_f32)(const single_call *w) { single_f32(w); }
void LEVELED(cpu_single_f64)(const single_call *w) { single_f64(w); }

#endif
