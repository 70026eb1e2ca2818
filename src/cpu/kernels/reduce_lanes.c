/* Reduction of rows of lanes (ORDER.md 3.4); compiled once per instruction set level. */
#include "cpu/common/lane_rows.h"
#include "cpu/kernels/vectors.h"

/* 2^CACHE_LEVEL rows at a time are reduced in registers, or 2^MEMORY_LEVEL if they are in memory, which is faster the
 * more its addresses ascend. Short rows are left to the hardware's prefetcher; of others, the rows AHEAD bytes after
 * the next ones are prefetched. */
enum { CACHE_LEVEL = 4, MEMORY_LEVEL = 2, PREFETCHED_ROW = 512, AHEAD = 8192 };

INLINE void prefetch(const char *x, size_t bytes) {
    enum { LINE = 64 };
#pragma GCC unroll 16
    for (size_t i = 0; i < bytes; i += LINE) __builtin_prefetch(x + i);
}

#define REAL float
#define VECTOR vector_f32
#define OWN_TYPE WEFT_F32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/reduce_lanes_body.h"

#define REAL double
#define VECTOR vector_f64
#define OWN_TYPE WEFT_F64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/reduce_lanes_body.h"

static void sum_f32(const lane_rows *p) { rows_f32(false, WEFT_F32, p); }
static void sum_f32_in_f64(const lane_rows *p) { rows_f64(false, WEFT_F32, p); }
static void sum_f64(const lane_rows *p) { rows_f64(false, WEFT_F64, p); }
static void prod_f32(const lane_rows *p) { rows_f32(true, WEFT_F32, p); }
static void prod_f32_in_f64(const lane_rows *p) { rows_f64(true, WEFT_F32, p); }
static void prod_f64(const lane_rows *p) { rows_f64(true, WEFT_F64, p); }

const lane_kernels LEVELED(cpu_lanes) = {
    .sum_f32 = sum_f32,
    .prod_f32 = prod_f32,
    .sum_f64 = {[WEFT_F32] = sum_f32_in_f64, [WEFT_F64] = sum_f64},
    .prod_f64 = {[WEFT_F32] = prod_f32_in_f64, [WEFT_F64] = prod_f64},
};
