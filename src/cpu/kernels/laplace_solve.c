/* Rows of weft_laplace_solve; compiled once per instruction set level. Plain loops, which compilers vectorize. */
#include "cpu/kernels/vectors.h"

#define REAL float
#define NOT_A_NUMBER weft_from_bits_f32(WEFT_NAN_F32)
#define OF(name) name##_f32
#include "cpu/kernels/bodies/laplace_solve_body.h"

#define REAL double
#define NOT_A_NUMBER weft_from_bits_f64(WEFT_NAN_F64)
#define OF(name) name##_f64
#include "cpu/kernels/bodies/laplace_solve_body.h"

#define KERNELS(type)                                                                             \
    {                                                                                             \
        relax_##type, find_residual_##type, relax_weighted_##type, find_residual_weighted_##type, \
            combine_three_##type, combine_two_##type, narrow_##type, widen_##type                 \
    }
const relaxation_kernels LEVELED(cpu_relaxations) = {.f32 = KERNELS(f32), .f64 = KERNELS(f64)};
