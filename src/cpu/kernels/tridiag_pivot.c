/* Kernels of weft_tridiag_pivot (ORDER.md 26); compiled once per instruction set level. */
#include "cpu/common/tridiag_pivot_kernel.h"
#include "cpu/kernels/vectors.h"

#define REAL float
#define LANE uint32_t
#define FUSED fma_f32
#define NOT_A_NUMBER WEFT_NAN_F32
#define INFINITE UINT32_C(0x7f800000)
#define OF(name) tridiag_##name##_f32
#include "cpu/kernels/bodies/tridiag_pivot_kernel_body.h"

#define REAL double
#define LANE uint64_t
#define FUSED fma_f64
#define NOT_A_NUMBER WEFT_NAN_F64
#define INFINITE UINT64_C(0x7ff0000000000000)
#define OF(name) tridiag_##name##_f64
#include "cpu/kernels/bodies/tridiag_pivot_kernel_body.h"

const tridiag_pivot_kernels LEVELED(cpu_pivots) = {
    .f32 = {tridiag_width_f32, tridiag_reduce_f32, tridiag_combine_f32, tridiag_solve_f32, tridiag_substitute_f32,
            tridiag_expand_f32, tridiag_solve_row_f32},
    .f64 = {tridiag_width_f64, tridiag_reduce_f64, tridiag_combine_f64, tridiag_solve_f64, tridiag_substitute_f64,
            tridiag_expand_f64, tridiag_solve_row_f64},
};
