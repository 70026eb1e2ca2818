/* Evaluation of formulas (ORDER.md 20); compiled once per instruction set level. A block of elements passes through
 * one step after another, each a plain loop over its lanes, and stays in the L1 cache. */
#include "arith/map.h"
#include "cpu/kernels/half_blocks.h"
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

/* The last two dimensions of an area, and the distances of its first element from that of the call, in the units of
 * map_dimension. */
typedef struct map_walk {
    const map_dimension *inner, *outer;
    ptrdiff_t out, x[MAP_LEAVES];
} map_walk;

/* Elements that are evaluated at a time. Row and column count from the start of the area. */
typedef struct map_box {
    size_t row, column, rows, columns;
} map_box;

/* Elements that the block of a leaf contains: those of a box whose first element is at a distance. */
typedef struct map_filled {
    bool valid;
    ptrdiff_t first;
    size_t rows, columns;
} map_filled;

INLINE size_t map_lesser(size_t a, size_t b) { return a < b ? a : b; }

/* Returns true if a block begins with the elements of a box. */
INLINE bool map_is_filled(const map_filled *f, ptrdiff_t first, const map_box *b) {
    if (!f->valid || f->first != first) return false;
    return b->rows == 1 ? b->columns <= f->columns : b->columns == f->columns && b->rows <= f->rows;
}

static void map_move(const map_views_call *v, map_walk *w, const map_dimension *d, size_t steps) {
    w->out += (ptrdiff_t)steps * d->out;
    for (size_t k = 0; k < v->map->leaf_count; k++) w->x[k] += (ptrdiff_t)steps * d->x[k];
}

/* Moves to the start of an area. */
static void map_begin_walk(const map_views_call *v, const map_area *area, map_walk *w) {
    static const map_dimension none = {.n = 1};
    size_t rest = area->outer;
    memset(w, 0, sizeof *w);
    w->inner = &v->dimensions[v->count - 1];
    w->outer = v->count > 1 ? w->inner - 1 : &none;
    map_move(v, w, w->inner, area->column);
    map_move(v, w, w->outer, area->row);
    for (const map_dimension *d = w->outer; v->count > 2 && d > v->dimensions; rest /= d->n)
        d--, map_move(v, w, d, rest % d->n);
}

/* ------------------------------------------------------------------------------------ types */

#define T float
#define OF(name) name##_f32
#define FROM_FLOATS 1
#define TO_HALVES 1
#define STORED(v) weft_canonical_f32(v)
#include "cpu/kernels/bodies/map_body.h"

#define T double
#define OF(name) name##_f64
#define FROM_FLOATS 1
#define TO_HALVES 0
#define STORED(v) weft_canonical_f64(v)
#include "cpu/kernels/bodies/map_body.h"

#define T int32_t
#define OF(name) name##_i32
#define FROM_FLOATS 0
#define TO_HALVES 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T int64_t
#define OF(name) name##_i64
#define FROM_FLOATS 0
#define TO_HALVES 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T uint32_t
#define OF(name) name##_u32
#define FROM_FLOATS 0
#define TO_HALVES 0
#define STORED(v) (v)
#include "cpu/kernels/bodies/map_body.h"

#define T uint64_t
#define OF(name) name##_u64
#define FROM_FLOATS 0
#define TO_HALVES 0
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
