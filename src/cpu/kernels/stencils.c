/* Rows of stencils; compiled once per instruction set level. Plain loops, which compilers vectorize. */
#include "cpu/kernels/vectors.h"

#define REAL float
#define NOT_A_NUMBER weft_from_bits_f32(WEFT_NAN_F32)
#define ROW laplace_row_f32
#include "cpu/kernels/bodies/stencils_body.h"

#define REAL double
#define NOT_A_NUMBER weft_from_bits_f64(WEFT_NAN_F64)
#define ROW laplace_row_f64
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
                                               .heat_f32 = {heat_scale_f32, heat_side_f32},
                                               .heat_f64 = {heat_scale_f64, heat_side_f64}};
