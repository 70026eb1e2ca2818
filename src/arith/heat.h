/* The sweeps of weft_heat (ORDER.md 23): their constants, and the memory layout of the grids between them.
 *
 * For a sweep along x, points have the caller's layout. For a sweep along another axis, that axis becomes the
 * slowest one of the layout. All lines are then interleaved, and two strides describe them to the solver. Rows along
 * x stay contiguous. */
#ifndef WEFT_ARITH_HEAT_H
#define WEFT_ARITH_HEAT_H

#include "arith/arith.h"
#include "core/order.h"

#include <stdbool.h>

/* Strides along the axes, followed by the stride between grids. */
typedef struct weft_heat_layout {
    size_t step[WEFT_AXES_MAX + 1];
} weft_heat_layout;

/* Operation of a pass on the points of the grids. */
typedef enum weft_heat_use {
    WEFT_HEAT_COPY,  /* copies u */
    WEFT_HEAT_SCALE, /* centre u */
    WEFT_HEAT_SIDE   /* ratio fma(centre, u, before + after) */
} weft_heat_use;

/* A pass over the grids, from one layout to another. The constants are values of the grids' type. */
typedef struct weft_heat_pass {
    size_t n[WEFT_AXES_MAX], batch;
    weft_heat_layout from, to;
    weft_heat_use use;
    size_t neighbour_axis; /* axis of the adjacent points `before` and `after` */
    double centre, ratio;
} weft_heat_pass;

static inline size_t weft_heat_points(const size_t n[WEFT_AXES_MAX], size_t batch) {
    return n[0] * n[1] * n[2] * batch;
}

/* Returns the caller's layout, except that `axis` becomes the slowest axis, unless it is x. */
static inline weft_heat_layout weft_heat_layout_of(const size_t n[WEFT_AXES_MAX], size_t batch, size_t axis) {
    weft_heat_layout layout;
    size_t step = 1;
    for (size_t i = 0; i <= WEFT_AXES_MAX; i++) {
        layout.step[i] = step;
        if (i == 0 || i != axis) step *= i < WEFT_AXES_MAX ? n[i] : batch;
    }
    for (size_t i = 1; i < WEFT_AXES_MAX; i++)
        if (i == axis) layout.step[i] = step;
    return layout;
}

static inline bool weft_heat_same_layout(const weft_heat_layout *a, const weft_heat_layout *b) {
    return memcmp(a, b, sizeof *a) == 0;
}

/* Computed in f32 or f64. */
static inline double weft_heat_sum(bool f32, double x, double y) {
    return f32 ? (double)((float)x + (float)y) : x + y;
}
static inline double weft_heat_ratio(bool f32, double x, double y) {
    return f32 ? (double)((float)x / (float)y) : x / y;
}

/* Returns the diagonal of the systems along an axis. `doubled`: the method is Crank-Nicolson. */
static inline double weft_heat_diagonal(bool f32, bool doubled, double lambda) {
    return weft_heat_sum(f32, 2, doubled ? 2 * lambda : lambda);
}

/* Sets the operation of the pass that precedes solving the systems along `axis`, and its destination layout. Does
 * not set p->from. */
static inline void weft_heat_plan(weft_heat_pass *p, bool f32, bool doubled, size_t dimensions, const double *lambda,
                                  size_t axis) {
    p->neighbour_axis = doubled && dimensions == 2 ? 1 - axis : axis;
    p->use = doubled ? WEFT_HEAT_SIDE : WEFT_HEAT_SCALE;
    p->centre = doubled ? weft_heat_sum(f32, 2 * lambda[p->neighbour_axis], -2) : lambda[axis];
    p->ratio = weft_heat_ratio(f32, lambda[axis], lambda[p->neighbour_axis]);
    p->to = weft_heat_layout_of(p->n, p->batch, axis);
}

/* Row `row` of the grids: its offset in both layouts, and its position along the axes. */
typedef struct weft_heat_row {
    size_t from, to, position[WEFT_AXES_MAX];
} weft_heat_row;

WEFT_ARITH weft_heat_row weft_heat_find_row(const weft_heat_pass *p, size_t row) {
    const size_t y = row % p->n[1], z = row / p->n[1] % p->n[2], grid = row / p->n[1] / p->n[2];
    const size_t *from = p->from.step, *to = p->to.step;
    weft_heat_row r = {y * from[1] + z * from[2] + grid * from[3], y * to[1] + z * to[2] + grid * to[3], {0, y, z}};
    return r;
}

#endif
