/* Kernels of weft_recurrence (ORDER.md 9); compiled once per instruction set level. */
#include "cpu/common/recurrence_state.h"
#include "cpu/kernels/stream.h"
#include "cpu/kernels/vectors.h"

typedef int32_t recurrence_lanes_f32 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t recurrence_lanes_f64 __attribute__((vector_size(VECTOR_BYTES)));

#define A float
#define VECTOR vector_f32
#define LANES recurrence_lanes_f32
#define LANE int32_t
#define FUSED fma_f32
#define FUSED_LANES fma_lanes_f32
#define INFINITE __builtin_inff()
#define CANONICAL weft_canonical_f32
#define MEMBER f32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/recurrence_kernel_body.h"

#define A double
#define VECTOR vector_f64
#define LANES recurrence_lanes_f64
#define LANE int64_t
#define FUSED fma_f64
#define FUSED_LANES fma_lanes_f64
#define INFINITE __builtin_inf()
#define CANONICAL weft_canonical_f64
#define MEMBER f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/recurrence_kernel_body.h"

#define KERNEL(direction, type)                                                                            \
    {                                                                                                      \
        begin_##type, recurrence_maps_##direction##_##type, recurrence_pass_##type, recurrence_map_##type, \
            recurrence_run_##direction##_##type, stream_fence,                                             \
            FMA_INSTRUCTION ? recurrence_rows_##direction##_##type : NULL                                  \
    }

const recurrence_kernels LEVELED(cpu_recurrences) = {
    .f32 = {KERNEL(forward, f32), KERNEL(reverse, f32)},
    .f64 = {KERNEL(forward, f64), KERNEL(reverse, f64)},
};
