/* Kernels of weft_fft for transforms whose values fit in the registers (ORDER.md 14.3); compiled once per instruction
 * set level. */
#include "cpu/kernels/fft_registers.h"

enum { MOST_IN_REGISTERS = VECTOR_BYTES == 64 ? REGISTER_VECTORS_V4 : REGISTER_VECTORS };

#if VECTOR_BYTES >= 32

#define REAL float
#define REAL_BYTES 4
#define LANE uint32_t
#define FUSED fma_f32
#define FUSED_LANES fma_lanes_f32
#define CANONICAL weft_canonical_f32
#define NAN_BITS WEFT_NAN_F32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/registers_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#define REAL double
#define REAL_BYTES 8
#define LANE uint64_t
#define FUSED fma_f64
#define FUSED_LANES fma_lanes_f64
#define CANONICAL weft_canonical_f64
#define NAN_BITS WEFT_NAN_F64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/registers_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#endif

#if VECTOR_BYTES == 64

/* Transforms of f32 that are too short for whole vectors are computed in halves. */
#undef VECTOR_BYTES
#define VECTOR_BYTES 32
typedef float half_vector __attribute__((vector_size(VECTOR_BYTES)));

INLINE half_vector fma_lanes_half(half_vector x, half_vector y, half_vector z) {
#if defined(__clang__)
    LANE_LOOP
    for (size_t l = 0; l < VECTOR_BYTES / sizeof(float); l++) z[l] = fma_f32(x[l], y[l], z[l]);
    return z;
#else
    return __builtin_ia32_vfmaddps256(x, y, z);
#endif
}

#define REAL float
#define REAL_BYTES 4
#define LANE uint32_t
#define FUSED fma_f32
#define FUSED_LANES fma_lanes_half
#define CANONICAL weft_canonical_f32
#define NAN_BITS WEFT_NAN_F32
#define OF(name) name##_half
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/registers_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#endif

#if defined(__AVX__)
void LEVELED(cpu_registers_f32)(const transform_pass *p) {
#if defined(__AVX512F__)
    if (p->plan->lanes == VECTOR_BYTES / (2 * sizeof(float))) {
        registers_half(p);
        return;
    }
#endif
    registers_f32(p);
}

void LEVELED(cpu_registers_f64)(const transform_pass *p) { registers_f64(p); }
#endif
