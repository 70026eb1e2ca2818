/* Rows of stencils; compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

typedef int32_t vector_lanes_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t vector_lanes_f64 __attribute__((vector_size(VECTOR_BYTES)));

#define REAL float
#define NOT_A_NUMBER weft_from_bits_f32(WEFT_NAN_F32)
#define VECTOR vector_f32
#define LANES vector_lanes_f32
#define OF(name) laplace_##name##_f32
#include "cpu/kernels/bodies/stencils_body.h"

#define REAL double
#define NOT_A_NUMBER weft_from_bits_f64(WEFT_NAN_F64)
#define VECTOR vector_f64
#define LANES vector_lanes_f64
#define OF(name) laplace_##name##_f64
#include "cpu/kernels/bodies/stencils_body.h"

#define REAL float
#define FUSED fma_f32
#define OF(name) heat_##name##_f32
#include "cpu/kernels/bodies/heat_rows_body.h"

#define REAL double
#define FUSED fma_f64
#define OF(name) heat_##name##_f64
#include "cpu/kernels/bodies/heat_rows_body.h"

const stencil_kernels LEVELED(cpu_stencils) = {.laplace_f32 = laplace_row_f32,
                                               .laplace_f64 = laplace_row_f64,
                                               .laplace_pair_f32 = laplace_pair_f32,
                                               .laplace_pair_f64 = laplace_pair_f64,
                                               .heat_f32 = {heat_scale_f32, heat_side_f32},
                                               .heat_f64 = {heat_scale_f64, heat_side_f64}};
