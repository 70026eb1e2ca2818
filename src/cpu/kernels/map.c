/* Evaluation of formulas (ORDER.md 20); compiled once per instruction set level. A block of elements passes through
 * one step after another, each a plain loop over its lanes, and stays in the L1 cache. */
#include "arith/map.h"
#include "cpu/kernels/stream.h"

/* Returns a value in the type of the evaluation; integers are truncated to its width. */
INLINE float leaf_value_f32(const map_leaf *leaf) { return leaf->value.f32; }
INLINE double leaf_value_f64(const map_leaf *leaf) { return leaf->value.f64; }
INLINE int32_t leaf_value_i32(const map_leaf *leaf) { return (int32_t)leaf->value.u64; }
INLINE int64_t leaf_value_i64(const map_leaf *leaf) { return (int64_t)leaf->value.u64; }
INLINE uint32_t leaf_value_u32(const map_leaf *leaf) { return (uint32_t)leaf->value.u64; }
INLINE uint64_t leaf_value_u64(const map_leaf *leaf) { return leaf->value.u64; }

#define T float
#define OF(name) name##_f32
#define FROM_FLOATS 1
#define STORED(v) weft_canonical_f32(v)
#include "cpu/kernels/bodies/map_body.h"

#define T double
#define OF(name) name##_f64
#define FROM_FLOATS 1
#define STORED(v) weft_canonical_f64(v)
#include "cpu/kernels/bodies/map_body.h"

#define T int32_t
#define OF(name) name##_i32
#define FROM_FLOATS 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T int64_t
#define OF(name) name##_i64
#define FROM_FLOATS 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T uint32_t
#define OF(name) name##_u32
#define FROM_FLOATS 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T uint64_t
#define OF(name) name##_u64
#define FROM_FLOATS 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

const map_kernels LEVELED(cpu_maps) = {
    .of =
        {
            [WEFT_I32] = {begin_i32, evaluate_i32},
            [WEFT_I64] = {begin_i64, evaluate_i64},
            [WEFT_U32] = {begin_u32, evaluate_u32},
            [WEFT_U64] = {begin_u64, evaluate_u64},
            [WEFT_F32] = {begin_f32, evaluate_f32},
            [WEFT_F64] = {begin_f64, evaluate_f64},
        },
};
