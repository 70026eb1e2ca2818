/* Evaluation of formulas (ORDER.md 20); compiled once per instruction set level. A block of elements passes through
 * one step after another, each a plain loop over its lanes, and stays in the L1 cache. */
#include "arith/map.h"
#include "cpu/kernels/stream.h"

#include <string.h>

/* Returns a value in the type of the evaluation; integers are truncated to its width. */
INLINE float leaf_value_f32(const map_leaf *leaf) { return leaf->value.f32; }
INLINE double leaf_value_f64(const map_leaf *leaf) { return leaf->value.f64; }
INLINE int32_t leaf_value_i32(const map_leaf *leaf) { return (int32_t)leaf->value.u64; }
INLINE int64_t leaf_value_i64(const map_leaf *leaf) { return (int64_t)leaf->value.u64; }
INLINE uint32_t leaf_value_u32(const map_leaf *leaf) { return (uint32_t)leaf->value.u64; }
INLINE uint64_t leaf_value_u64(const map_leaf *leaf) { return leaf->value.u64; }

/* ------------------------------------------------------------------------------------ views */

/* Position of an element of a call on views: its indices, and the distances of its value and its leaves from those of
 * the first element, in the units of map_dimension. */
typedef struct map_position {
    size_t index[WEFT_DIMENSIONS_MAX];
    ptrdiff_t out, x[MAP_LEAVES];
} map_position;

/* Adds `steps` to index k. */
static void map_move(const map_views_call *v, map_position *p, size_t k, size_t steps) {
    const map_dimension *const d = &v->dimensions[k];
    p->index[k] += steps;
    p->out += (ptrdiff_t)steps * d->out;
    for (size_t i = 0; i < v->map->leaf_count; i++) p->x[i] += (ptrdiff_t)steps * d->x[i];
}

/* Sets the position to element number `first`. */
static void map_seek(const map_views_call *v, size_t first, map_position *p) {
    memset(p, 0, sizeof *p);
    for (size_t k = v->count; k-- > 0; first /= v->dimensions[k].n) map_move(v, p, k, first % v->dimensions[k].n);
}

/* Returns the number of elements up to the end of the row, at most n. */
INLINE size_t map_segment(const map_views_call *v, const map_position *p, size_t n) {
    const size_t left = v->dimensions[v->count - 1].n - p->index[v->count - 1];
    return left < n ? left : n;
}

/* Moves the position by n elements, which do not pass the end of the row. */
static void map_advance(const map_views_call *v, map_position *p, size_t n) {
    size_t k = v->count - 1;
    for (map_move(v, p, k, n); k > 0 && p->index[k] == v->dimensions[k].n; k--) {
        map_move(v, p, k, 0 - p->index[k]);
        map_move(v, p, k - 1, 1);
    }
}

/* ------------------------------------------------------------------------------------ types */

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
            [WEFT_I32] = {begin_i32, evaluate_i32, evaluate_views_i32},
            [WEFT_I64] = {begin_i64, evaluate_i64, evaluate_views_i64},
            [WEFT_U32] = {begin_u32, evaluate_u32, evaluate_views_u32},
            [WEFT_U64] = {begin_u64, evaluate_u64, evaluate_views_u64},
            [WEFT_F32] = {begin_f32, evaluate_f32, evaluate_views_f32},
            [WEFT_F64] = {begin_f64, evaluate_f64, evaluate_views_f64},
        },
};
