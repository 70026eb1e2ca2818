/* Rows of stencils; compiled once for each level. Plain loops, which compilers turn into vector code. */
#include "cpu/vectors.h"

#define REAL float
#define NOT_A_NUMBER weft_from_bits_f32(WEFT_NAN_F32)
#define ROW laplace_row_f32
#include "cpu/stencils_body.h"

#define REAL double
#define NOT_A_NUMBER weft_from_bits_f64(WEFT_NAN_F64)
#define ROW laplace_row_f64
#include "cpu/stencils_body.h"

const stencil_kernels LEVELED(cpu_stencils) = {.laplace_f32 = laplace_row_f32, .laplace_f64 = laplace_row_f64};
