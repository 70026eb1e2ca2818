/* Kernels of weft_block_tridiag and weft_pentadiag (ORDER.md 27, 28); compiled once per instruction set level. */
#include "cpu/common/block_tridiag_kernel.h"
#include "cpu/kernels/vectors.h"

enum { CHUNK = WEFT_BLOCK_TRIDIAG_CHUNK, BASE = WEFT_BLOCK_TRIDIAG_BASE };

#define REAL float
#define LANE uint32_t
#define FUSED fma_f32
#define EPSILON WEFT_TRIDIAG_EPSILON_F32
#define LEAST WEFT_TRIDIAG_LEAST_F32
#define GREATEST WEFT_TRIDIAG_GREATEST_F32
#define NOT_A_NUMBER WEFT_NAN_F32
#define INFINITE UINT32_C(0x7f800000)
#define OF(name) block_##name##_f32
#include "cpu/kernels/bodies/block_tridiag_lines_body.h"
#include "cpu/kernels/bodies/tridiag_lanes_end.h"

#define REAL double
#define LANE uint64_t
#define FUSED fma_f64
#define EPSILON WEFT_TRIDIAG_EPSILON_F64
#define LEAST WEFT_TRIDIAG_LEAST_F64
#define GREATEST WEFT_TRIDIAG_GREATEST_F64
#define NOT_A_NUMBER WEFT_NAN_F64
#define INFINITE UINT64_C(0x7ff0000000000000)
#define OF(name) block_##name##_f64
#include "cpu/kernels/bodies/block_tridiag_lines_body.h"
#include "cpu/kernels/bodies/tridiag_lanes_end.h"

const block_kernels LEVELED(cpu_block_tridiags) = {
    .f32 = {{block_width_f32, block_solve_2_f32, block_reduce_2_f32, block_link_2_f32, block_expand_2_f32},
            {block_width_f32, block_solve_3_f32, block_reduce_3_f32, block_link_3_f32, block_expand_3_f32},
            {block_width_f32, block_solve_4_f32, block_reduce_4_f32, block_link_4_f32, block_expand_4_f32}},
    .f64 = {{block_width_f64, block_solve_2_f64, block_reduce_2_f64, block_link_2_f64, block_expand_2_f64},
            {block_width_f64, block_solve_3_f64, block_reduce_3_f64, block_link_3_f64, block_expand_3_f64},
            {block_width_f64, block_solve_4_f64, block_reduce_4_f64, block_link_4_f64, block_expand_4_f64}},
};
