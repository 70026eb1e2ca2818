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
#define INFINITE __builtin_inf()
#define CANONICAL weft_canonical_f64
#define MEMBER f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/recurrence_kernel_body.h"

const recurrence_kernels LEVELED(cpu_recurrences) = {
    .f32 = {{begin_f32, recurrence_maps_forward_f32, recurrence_pass_f32, recurrence_map_f32,
             recurrence_run_forward_f32, stream_fence},
            {begin_f32, recurrence_maps_reverse_f32, recurrence_pass_f32, recurrence_map_f32,
             recurrence_run_reverse_f32, stream_fence}},
    .f64 = {{begin_f64, recurrence_maps_forward_f64, recurrence_pass_f64, recurrence_map_f64,
             recurrence_run_forward_f64, stream_fence},
            {begin_f64, recurrence_maps_reverse_f64, recurrence_pass_f64, recurrence_map_f64,
             recurrence_run_reverse_f64, stream_fence}},
};
