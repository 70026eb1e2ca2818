/* The definition of weft_laplace_solve (ORDER.md 7.3 to 7.9). */
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One direction of a grid: n points at equal distances, except that the distance of the last two is `end` times as
 * large. `stiff` is the square of the ratio of the other directions' distances to this one's, if they have been
 * coarsened further. */
typedef struct axis {
    size_t n;
    double end, stiff;
    bool halved; /* coarsened on the next grid */
} axis;

/* A grid of a cycle. It is solved for e with the right-hand side g; r is the residual. On the first grid e is the
 * caller's grid. */
typedef struct grid {
    axis of[3];
    void *e, *g, *r;
} grid;

/* ----------------------------------------------------------------------------- the weights */

/* Return the weight of the point before point i, and of the point after it. */
static double weight_before(const axis *a, size_t i) {
    return i + 2 == a->n ? a->stiff * (2 / (1 + a->end)) : a->stiff;
}

static double weight_after(const axis *a, size_t i) {
    return i + 2 == a->n ? a->stiff * (2 / (a->end * (1 + a->end))) : a->stiff;
}

/* Returns the weight with which a point of odd number interpolates from the adjacent points of the next grid: the
 * one before it (side 0) or after it (side 1). */
static double share(const axis *a, size_t i, int side) {
    if (i + 2 < a->n) return 0.5;
    return side == 0 ? a->end / (1 + a->end) : 1 / (1 + a->end);
}

/* Returns the weight with which point i of the next grid restricts the residual before its position (side 0), at it
 * (1) and after it (2). */
static double part(const axis *a, const axis *next, size_t i, int side) {
    static const double uniform[] = {0.25, 0.5, 0.25};
    const double e = a->end;
    if (!a->halved) return side == 1;
    if (i + 2 < next->n) return uniform[side];
    if (a->n % 2 == 0) return side == 0 ? 1 / (2 + e) : side == 1 ? (1 + e) / (2 + e) : 0;
    return (side == 0 ? 1 : side == 1 ? 2 : e) / (3 + e);
}

/* ------------------------------------------------------------------------------- the grids */

static size_t points(const grid *g) { return g->of[0].n * g->of[1].n * g->of[2].n; }
static size_t index_of(const grid *g, size_t i, size_t j, size_t k) { return i + g->of[0].n * (j + g->of[1].n * k); }

/* Sets *next to the direction on the next grid. Returns false if it is not coarsened. */
static bool halve(axis *a, axis *next) {
    a->halved = a->n > 3;
    if (!a->halved) {
        *next = (axis){a->n, a->end, 4 * a->stiff, false};
        return false;
    }
    *next = (axis){WEFT_MULTIGRID_HALVED(a->n), a->n % 2 == 0 ? a->end / 2 : (1 + a->end) / 2, a->stiff, false};
    return true;
}

static bool has_inside(const laplace_solve_call *c) { return c->nx >= 3 && c->ny >= 3 && c->nz >= 3; }

/* Creates the grids. Returns their number. */
static int make_grids(const laplace_solve_call *c, grid *g) {
    const size_t n[3] = {c->nx, c->ny, c->nz};
    int count = 1;
    for (int d = 0; d < 3; d++) g[0].of[d] = (axis){n[d], 1, 1, false};
    for (; c->method == WEFT_MULTIGRID && has_inside(c); count++) {
        bool any = false;
        for (int d = 0; d < 3; d++) any |= halve(&g[count - 1].of[d], &g[count].of[d]);
        if (!any) break;
    }
    return count;
}

static void drop_grids(grid *g, int count) {
    for (int l = 0; l < count; l++) {
        if (l > 0) free(g[l].e);
        free(g[l].g);
        free(g[l].r);
    }
}

/* Allocates the grids, filled with zeros. */
static bool hold_grids(grid *g, int count, size_t size) {
    for (int l = 0; l < count; l++) {
        if (l > 0) g[l].e = calloc(points(&g[l]), size);
        g[l].g = l > 0 ? calloc(points(&g[l]), size) : NULL;
        g[l].r = calloc(points(&g[l]), size);
        if (!g[l].e || !g[l].r || (l > 0 && !g[l].g)) return false;
    }
    return true;
}

#define REAL float
#define OF(name) name##_f32
#include "ref/bodies/laplace_solve_body.h"

#define REAL double
#define OF(name) name##_f64
#include "ref/bodies/laplace_solve_body.h"

/* ------------------------------------------------------------------------------- the call */

static double add(double a, double b) { return a + b; }

static double step_square(const terms_f64 *t, double lane, size_t i) {
    const double r = ref_real(t->x, i);
    return fma(r, r, lane);
}

static double residual(const laplace_solve_call *c, const grid *g) {
    const terms_f64 squares = {-0.0, step_square, add, {c->dtype, g->r}, {c->dtype, g->r}, 0};
    return sqrt(tree_f64(&squares, points(g)) / (double)points(g));
}

static void sweeps(const laplace_solve_call *c, grid *g, int count) {
    for (size_t sweep = 0; sweep < c->sweeps; sweep++) {
        if (c->method == WEFT_MULTIGRID && c->dtype == WEFT_F32)
            cycle_f32(g, count, 0, (float)c->omega);
        else if (c->method == WEFT_MULTIGRID)
            cycle_f64(g, count, 0, c->omega);
        else if (c->dtype == WEFT_F32)
            relax_f32(g, 0, (float)c->omega);
        else
            relax_f64(g, 0, c->omega);
    }
    if (!c->residual) return;
    if (c->dtype == WEFT_F32)
        find_residual_f32(g, 0);
    else
        find_residual_f64(g, 0);
    ref_store_real(WEFT_F64, residual(c, g), c->residual);
}

weft_status ref_laplace_solve(void *state, const laplace_solve_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    grid g[WEFT_MULTIGRID_GRIDS] = {{.e = c->v}};
    const int count = make_grids(c, g);
    const bool held = hold_grids(g, count, size);
    (void)state;
    if (held) {
        memmove(c->v, c->u, points(g) * size);
        sweeps(c, g, count);
    }
    drop_grids(g, count);
    RETURN_IF(!held, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the coarse grids of a grid of %zu points",
              points(g));
    return WEFT_OK;
}
