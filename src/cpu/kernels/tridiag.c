/* Kernels of weft_tridiag (ORDER.md 16); compiled once per instruction set level. */
#include "cpu/common/tridiag_kernel.h"
#include "cpu/kernels/stream.h"
#include "cpu/kernels/vectors.h"

#define REAL float
#define LANE uint32_t
#define FUSED fma_f32
#define EPSILON WEFT_TRIDIAG_EPSILON_F32
#define LEAST WEFT_TRIDIAG_LEAST_F32
#define GREATEST WEFT_TRIDIAG_GREATEST_F32
#define NOT_A_NUMBER WEFT_NAN_F32
#define INFINITE UINT32_C(0x7f800000)
#define OF(name) tridiag_##name##_f32
#include "cpu/kernels/bodies/tridiag_kernel_body.h"

#define REAL double
#define LANE uint64_t
#define FUSED fma_f64
#define EPSILON WEFT_TRIDIAG_EPSILON_F64
#define LEAST WEFT_TRIDIAG_LEAST_F64
#define GREATEST WEFT_TRIDIAG_GREATEST_F64
#define NOT_A_NUMBER WEFT_NAN_F64
#define INFINITE UINT64_C(0x7ff0000000000000)
#define OF(name) tridiag_##name##_f64
#include "cpu/kernels/bodies/tridiag_kernel_body.h"

const tridiag_kernels LEVELED(cpu_tridiags) = {
    .f32 = {tridiag_width_f32, tridiag_solve_f32, tridiag_factor_f32, tridiag_solve_factored_f32,
            tridiag_make_steps_f32, tridiag_reduce_f32, tridiag_link_f32, tridiag_expand_f32},
    .f64 = {tridiag_width_f64, tridiag_solve_f64, tridiag_factor_f64, tridiag_solve_factored_f64,
            tridiag_make_steps_f64, tridiag_reduce_f64, tridiag_link_f64, tridiag_expand_f64},
};
