/* weft_laplace_solve on the CPU (ORDER.md 7.3 to 7.8): red-black over-relaxation sweeps on the caller's grid or on
 * each grid of a multigrid cycle.
 *
 * A sweep reads memory once: the black points of a plane are updated after the red points of the next plane. Each
 * thread has a range of planes. The red points of its first and last plane are updated before all others: the
 * adjacent ranges read them, and they must be computed from black points that are not updated yet. The division
 * into ranges does not change the results. */
#include "arith/finish.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <math.h>
#include <string.h>

enum {
    ALIGNMENT = 64,
    LEAST_PLANES = 4,  /* minimum planes per thread */
    COMBINED_ROWS = 4, /* combined rows per thread, for restriction and interpolation */
    RED = 0,
    BLACK = 1
};

/* A grid of a cycle. On the first grid, e is the caller's grid, and right-hand side and weights are not used. */
typedef struct grid {
    weft_axis x, y, z;
    size_t row_bytes;
    char *e, *right;
    void *before, *after; /* weights along x of the previous and the next point */
    bool first;
    int threads;
} grid;

typedef struct solve {
    const relaxation_kernel *rows;
    weft_dtype dtype;
    size_t size; /* bytes of an element */
    double omega;
    int threads, count;
    grid grids[WEFT_MULTIGRID_GRIDS];
    char *residual; /* residual of the current grid */
    char *combined; /* COMBINED_ROWS rows with the length of the first grid per thread */
} solve;

/* ------------------------------------------------------------------------------- the grids */

static size_t aligned(size_t bytes) { return round_up(bytes, ALIGNMENT); }
static size_t grid_bytes(const grid *g) { return g->row_bytes * g->y.n * g->z.n; }
static bool has_inside(const grid *g) { return g->x.n >= 3 && g->y.n >= 3 && g->z.n >= 3; }

static bool is_last(const grid *g) {
    return !weft_axis_is_halved(g->x) && !weft_axis_is_halved(g->y) && !weft_axis_is_halved(g->z);
}

static void make_grids(solve *s, const laplace_solve_call *c) {
    grid *g = s->grids;
    *g = (grid){.x = {c->nx, 1, 1},
                .y = {c->ny, 1, 1},
                .z = {c->nz, 1, 1},
                .row_bytes = c->nx * s->size,
                .e = c->v,
                .first = true};
    s->count = 1;
    if (c->method != WEFT_MULTIGRID || !has_inside(g)) return;
    for (; !is_last(g); g++, s->count++) {
        g[1] = (grid){.x = weft_axis_next(g->x), .y = weft_axis_next(g->y), .z = weft_axis_next(g->z)};
        g[1].row_bytes = g[1].x.n * s->size;
    }
}

/* Allocates `bytes` bytes at offset *at of the workspace and advances *at. With workspace = NULL it only advances
 * *at. */
static void *take(char *workspace, size_t *at, size_t bytes) {
    void *const taken = workspace ? workspace + *at : NULL;
    *at += aligned(bytes);
    return taken;
}

/* Assigns the parts of the workspace; returns its bytes. With workspace = NULL it only computes them. */
static size_t lay_out(solve *s, bool measured, char *workspace) {
    size_t at = 0;
    s->residual = take(workspace, &at, measured || s->count > 1 ? grid_bytes(s->grids) : 0);
    for (grid *g = s->grids + 1; g < s->grids + s->count; g++) {
        g->e = take(workspace, &at, grid_bytes(g));
        g->right = take(workspace, &at, grid_bytes(g));
        g->before = take(workspace, &at, g->row_bytes);
        g->after = take(workspace, &at, g->row_bytes);
    }
    const size_t rows = s->count > 1 ? COMBINED_ROWS * (size_t)s->threads : 0;
    s->combined = take(workspace, &at, rows * aligned(s->grids->row_bytes));
    return at;
}

static void store(weft_dtype dtype, void *row, size_t i, double v) {
    if (dtype == WEFT_F32)
        ((float *)row)[i] = (float)v;
    else
        ((double *)row)[i] = v;
}

static void fill_weights(const solve *s, const grid *g) {
    for (size_t i = 0; i < g->x.n; i++) {
        store(s->dtype, g->before, i, weft_axis_before(g->x, i));
        store(s->dtype, g->after, i, weft_axis_after(g->x, i));
    }
}

static char *row_at(const grid *g, char *points, size_t j, size_t k) {
    return points + (k * g->y.n + j) * g->row_bytes;
}

/* Returns the rows adjacent to row j of plane k. Fills *w on all grids but the first. */
static stencil_rows rows_round(const grid *g, size_t j, size_t k, stencil_weights *w) {
    stencil_rows rows = {g->x.n,
                         row_at(g, g->e, j - 1, k),
                         row_at(g, g->e, j + 1, k),
                         row_at(g, g->e, j, k - 1),
                         row_at(g, g->e, j, k + 1),
                         NULL,
                         w};
    if (g->first) return rows;
    rows.right = row_at(g, g->right, j, k);
    *w = (stencil_weights){g->before,
                           g->after,
                           weft_axis_before(g->y, j),
                           weft_axis_after(g->y, j),
                           weft_axis_before(g->z, k),
                           weft_axis_after(g->z, k)};
    return rows;
}

/* -------------------------------------------------------------------------------- threads */

/* Processes part `part` of a grid on thread number `thread`. */
typedef void work(const solve *s, const grid *g, size_t part, int thread);

typedef struct parts {
    const solve *s;
    const grid *g;
    work *run;
} parts;

static void run_part(void *self, size_t part) {
    const parts *w = self;
    w->run(w->s, w->g, part, cpu_thread_number());
}

static void on_threads(const solve *s, const grid *g, work *run, size_t count) {
    cpu_parallel_for(g->threads, count, PARALLEL_RANGES, run_part, &(parts){s, g, run});
}

/* ---------------------------------------------------------------------------------- sweeps */

static void relax_plane(const solve *s, const grid *g, size_t k, size_t colour) {
    for (size_t j = 1; j + 1 < g->y.n; j++) {
        stencil_weights w = {.before = NULL};
        const stencil_rows rows = rows_round(g, j, k, &w);
        (g->first ? s->rows->relax : s->rows->relax_weighted)(&rows, 1 + (1 + j + k + colour) % 2, s->omega,
                                                              row_at(g, g->e, j, k));
    }
}

/* Interior planes [begin, end) of a grid. */
typedef struct plane_range {
    size_t begin, end;
} plane_range;

static size_t range_count(const grid *g) {
    const size_t most = (g->z.n - 2) / LEAST_PLANES, threads = (size_t)g->threads;
    return most < 1 ? 1 : most < threads ? most : threads;
}

static plane_range plane_range_of(const grid *g, size_t part) {
    const size_t planes = g->z.n - 2, count = range_count(g), least = planes / count, longer = planes % count;
    const size_t begin = 1 + part * least + (part < longer ? part : longer);
    return (plane_range){begin, begin + least + (part < longer)};
}

static void relax_ends(const solve *s, const grid *g, size_t part, int thread) {
    const plane_range own = plane_range_of(g, part);
    (void)thread;
    relax_plane(s, g, own.begin, RED);
    if (own.end - own.begin > 1) relax_plane(s, g, own.end - 1, RED);
}

static void relax_range(const solve *s, const grid *g, size_t part, int thread) {
    const plane_range own = plane_range_of(g, part);
    (void)thread;
    for (size_t k = own.begin; k < own.end; k++) {
        if (k + 2 < own.end) relax_plane(s, g, k + 1, RED);
        relax_plane(s, g, k, BLACK);
    }
}

static void relax(const solve *s, const grid *g) {
    if (!has_inside(g)) return;
    on_threads(s, g, relax_ends, range_count(g));
    on_threads(s, g, relax_range, range_count(g));
}

/* ------------------------------------------------------------------------------- residuals */

static void find_plane_residual(const solve *s, const grid *g, size_t k, int thread) {
    (void)thread;
    for (size_t j = 0; j < g->y.n; j++) {
        char *const to = row_at(g, s->residual, j, k);
        if (k == 0 || k + 1 == g->z.n || j == 0 || j + 1 == g->y.n || g->x.n < 3) {
            memset(to, 0, g->row_bytes);
            continue;
        }
        stencil_weights w = {.before = NULL};
        const stencil_rows rows = rows_round(g, j, k, &w);
        (g->first ? s->rows->find_residual : s->rows->find_residual_weighted)(&rows, row_at(g, g->e, j, k), to);
    }
}

static void find_residual(const solve *s, const grid *g) { on_threads(s, g, find_plane_residual, g->z.n); }

/* ----------------------------------------------------------------------- between the grids */

static char *combined_row(const solve *s, int thread, int row) {
    return s->combined + ((size_t)thread * COMBINED_ROWS + (size_t)row) * aligned(s->grids->row_bytes);
}

/* Computes row j of plane k of the right-hand side of the grid after g, by restriction of the residual. */
static void restrict_row(const solve *s, const grid *g, size_t j, size_t k, int thread) {
    const grid *next = g + 1;
    const weft_parts along_y = weft_axis_parts(g->y, j), along_z = weft_axis_parts(g->z, k);
    const size_t cj = weft_axis_is_halved(g->y) ? 2 * j : j, ck = weft_axis_is_halved(g->z) ? 2 * k : k;
    const void *planes[3];
    char *const row = combined_row(s, thread, 3);
    for (int p = 0; p < 3; p++) {
        const size_t at = ck + (size_t)p - 1;
        const void *const from[3] = {row_at(g, s->residual, cj - 1, at), row_at(g, s->residual, cj, at),
                                     row_at(g, s->residual, cj + 1, at)};
        char *const to = combined_row(s, thread, p);
        s->rows->combine_three(g->x.n, &along_y, from, to);
        planes[p] = to;
    }
    s->rows->combine_three(g->x.n, &along_z, planes, row);
    s->rows->narrow(g->x, g->first ? 24 : 4, row, row_at(next, next->right, j, k));
}

static void restrict_plane(const solve *s, const grid *g, size_t part, int thread) {
    for (size_t j = 1; j + 1 < g[1].y.n; j++) restrict_row(s, g, j, part + 1, thread);
}

/* Interpolates between two rows of the next grid if row i of this grid is between them; otherwise returns the row
 * at the same position. */
static const void *between(const solve *s, const grid *next, weft_axis a, size_t i, const void *const from[2],
                           char *to) {
    if (!weft_axis_is_halved(a) || i % 2 == 0) return from[0];
    const weft_shares shares = weft_axis_shares(a, i);
    s->rows->combine_two(next->x.n, &shares, from, to);
    return to;
}

static void correct_row(const solve *s, const grid *g, size_t j, size_t k, int thread) {
    const grid *next = g + 1;
    const size_t nj = weft_axis_is_halved(g->y) ? j / 2 : j, nk = weft_axis_is_halved(g->z) ? k / 2 : k;
    const size_t count = weft_axis_is_halved(g->z) && k % 2 ? 2 : 1;
    const void *planes[2] = {NULL, NULL};
    for (size_t p = 0; p < count; p++) {
        const void *const from[2] = {row_at(next, next->e, nj, nk + p), row_at(next, next->e, nj + 1, nk + p)};
        planes[p] = between(s, next, g->y, j, from, combined_row(s, thread, (int)p));
    }
    s->rows->widen(g->x, between(s, next, g->z, k, planes, combined_row(s, thread, 2)), row_at(g, g->e, j, k));
}

static void correct_plane(const solve *s, const grid *g, size_t part, int thread) {
    for (size_t j = 1; j + 1 < g->y.n; j++) correct_row(s, g, j, part + 1, thread);
}

/* --------------------------------------------------------------------------------- a call */

static void cycle(const solve *s, const grid *g) {
    const grid *next = g + 1;
    relax(s, g);
    if (next < s->grids + s->count) {
        find_residual(s, g);
        on_threads(s, g, restrict_plane, next->z.n - 2);
        memset(next->e, 0, grid_bytes(next));
        cycle(s, next);
        on_threads(s, g, correct_plane, g->z.n - 2);
    }
    relax(s, g);
}

static double measure(cpu_context *ctx, const solve *s) {
    const grid *g = s->grids;
    const size_t points = g->x.n * g->y.n * g->z.n;
    const reduce_chunk squared = {.x = s->residual, .y = s->residual, .n = points};
    partial squares;
    find_residual(s, g);
    cpu_run(ctx, s->dtype, ctx->level->products->dot_f64[s->dtype], cpu_add_f64, &squared, &squares);
    return weft_canonical_f64(sqrt(weft_finish_mean(squares.f64, points)));
}

weft_status cpu_laplace_solve(void *state, const laplace_solve_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const relaxation_kernels *rows = ctx->level->relaxations;
    solve s = {.rows = c->dtype == WEFT_F32 ? &rows->f32 : &rows->f64,
               .dtype = c->dtype,
               .size = weft_dtype_size(c->dtype),
               .omega = c->omega,
               .threads = ctx->threads};
    void *workspace;
    make_grids(&s, c);
    RETURN_IF_ERROR(cpu_workspace(ctx, lay_out(&s, c->residual, NULL), &workspace, error));
    lay_out(&s, c->residual, workspace);
    for (grid *g = s.grids; g < s.grids + s.count; g++) g->threads = cpu_threads_for(s.threads, grid_bytes(g));
    for (const grid *g = s.grids + 1; g < s.grids + s.count; g++) fill_weights(&s, g);
    if (c->u != c->v) memcpy(c->v, c->u, grid_bytes(s.grids));
    if (c->method == WEFT_SOR) cpu_plan_regions(2 * c->sweeps + (c->residual ? 2 : 0));
    for (size_t i = 0; i < c->sweeps && !cpu_cancelled(); i++)
        (c->method == WEFT_MULTIGRID ? cycle : relax)(&s, s.grids);
    if (c->residual) *c->residual = measure(ctx, &s);
    return WEFT_OK;
}
