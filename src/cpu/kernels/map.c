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
    bool parts[MAP_LEAVES]; /* map_has_parts, if the leaf has the type of the evaluation */
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

/* Returns true if leaves k and k + 1 are the adjacent parts of complex numbers, and those of a row are adjacent. */
static bool map_has_parts(const map_views_call *v, const map_walk *w, size_t k) {
    const map_leaf *const re = &v->map->leaves[k], *const im = re + 1;
    if (k + 1 >= v->map->leaf_count || re->kind != LEAF_ARRAY || im->kind != LEAF_ARRAY) return false;
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(re->dtype);
    return re->dtype == im->dtype && w->inner->x[k] == 2 * size && w->inner->x[k + 1] == 2 * size &&
           w->outer->x[k] == w->outer->x[k + 1] &&
           (const char *)im->p + w->x[k + 1] == (const char *)re->p + w->x[k] + size;
}

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
    for (size_t k = 0; k < v->map->leaf_count; k++)
        w->parts[k] = v->map->leaves[k].dtype == v->map->dtype && map_has_parts(v, w, k);
}

/* ------------------------------------------------------------------------------- complex numbers */

/* Formulas of one operation on complex numbers, z + w, z - w or z*w, are evaluated in one pass over their rows. */
typedef enum complex_op { COMPLEX_ADD, COMPLEX_SUBTRACT, COMPLEX_MULTIPLY } complex_op;

typedef struct complex_operation {
    complex_op op;
    size_t x, y; /* leaves of the real parts of the operands */
} complex_operation;

/* Returns true if the call has exactly these steps, and these registers of the parts. */
static bool map_has_steps(const map_call *c, size_t count, const map_step *steps, uint8_t re, uint8_t im) {
    return c->step_count == count && c->results[0] == re && c->results[1] == im &&
           memcmp(c->steps, steps, count * sizeof *steps) == 0;
}

/* Returns true if the steps are those of one operation (formula/complex_steps.c). */
static bool map_find_operation(const map_call *c, complex_operation *o) {
    const map_step *const re = c->step_count == 5 ? &c->steps[2] : c->steps;
    const uint8_t x = re->a, y = re->b, x_im = (uint8_t)(x + 1), y_im = (uint8_t)(y + 1);
    const map_step sum[] = {{re->op, 0, x, y, x}, {re->op, 1, x_im, y_im, x_im}};
    const map_step product[] = {{MAP_MULTIPLY, 0, x_im, y_im, x_im},
                                {MAP_NEGATE, 1, 0, 0, 0},
                                {MAP_FMA, 0, x, y, 1},
                                {MAP_MULTIPLY, 1, x, y_im, x},
                                {MAP_FMA, 2, x_im, y, 1}};
    if (!c->is_complex || x < MAP_REGISTERS || y < MAP_REGISTERS) return false;
    o->x = x - MAP_REGISTERS;
    o->y = y - MAP_REGISTERS;
    o->op = c->step_count == 5 ? COMPLEX_MULTIPLY : re->op == MAP_ADD ? COMPLEX_ADD : COMPLEX_SUBTRACT;
    if (o->op == COMPLEX_MULTIPLY) return map_has_steps(c, 5, product, 0, 2);
    return (re->op == MAP_ADD || re->op == MAP_SUBTRACT) && map_has_steps(c, 2, sum, 0, 1);
}

/* Returns true if an area is that of an operation on rows of adjacent numbers, whose values are adjacent too. */
static bool map_is_operation(const map_views_call *v, const map_walk *w, complex_operation *o) {
    const map_call *const c = v->map;
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(c->dtype);
    return map_find_operation(c, o) && w->parts[o->x] && w->parts[o->y] && c->result == c->dtype &&
           c->imaginary == size && w->inner->out == 2 * size;
}

#define REAL float
#define REAL_BYTES 4
#define LANE uint32_t
#define FUSED fma_f32
#define FUSED_LANES fma_lanes_f32
#define CANONICAL weft_canonical_f32
#define NAN_BITS WEFT_NAN_F32
#define OF(name) name##_of_f32
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/complex_rows_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

#define REAL double
#define REAL_BYTES 8
#define LANE uint64_t
#define FUSED fma_f64
#define FUSED_LANES fma_lanes_f64
#define CANONICAL weft_canonical_f64
#define NAN_BITS WEFT_NAN_F64
#define OF(name) name##_of_f64
#include "cpu/kernels/bodies/complex_body.h"

#include "cpu/kernels/bodies/complex_rows_body.h"

#include "cpu/kernels/bodies/end_of_complex.h"

/* ------------------------------------------------------------------------------------ types */

#define T float
#define OF(name) name##_f32
#define FROM_FLOATS 1
#define TO_HALVES 1
#define STORED(v) weft_canonical_f32(v)
#define OPERATE_ROW operate_row_of_f32
#include "cpu/kernels/bodies/map_body.h"

#define T double
#define OF(name) name##_f64
#define FROM_FLOATS 1
#define TO_HALVES 0
#define STORED(v) weft_canonical_f64(v)
#define OPERATE_ROW operate_row_of_f64
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
