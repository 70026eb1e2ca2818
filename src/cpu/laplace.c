/* weft_laplace on the CPU (ORDER.md 7).
 *
 * Several sweeps are combined in one pass over memory. A thread takes a block of rows and planes and advances
 * through its planes: after sweep 1 has computed plane q + 1, sweep 2 can compute plane q, sweep 3 plane q - 1, and
 * so on. Three planes of each sweep but the last are kept in the thread's rings, which fit in its caches. A block
 * also computes as many rows and planes outside itself as sweeps follow, so blocks are independent. The block sizes
 * and the number of combined sweeps do not change the results. */
#include "arith/finish.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RING_PLANES = 3, /* planes per sweep */
    LEAST_ROWS = 8,
    LONGEST_ROW = 1 << 18, /* bytes of a row above which sweeps are not combined */
    ALONE_BYTES = 1 << 17  /* below this size, starting threads costs more than it gains */
};

/* Block sizes (laplace.def). */
typedef struct variant {
    ptrdiff_t part_bytes, planes; /* per block: bytes of its part of a plane; planes */
    int together;                 /* maximum sweeps per pass */
} variant;

static const variant VARIANTS[] = {
#define VARIANT(kilobytes, planes, sweeps) {(kilobytes)*1024, planes, sweeps},
#include "cpu/laplace.def"
};

/* One pass over memory: `sweeps` sweeps from one grid to another. */
typedef struct pass {
    size_t nx, ny, nz, row_bytes;
    int sweeps;
    const variant *variant;
    const char *from;
    char *to;
    stencil_row *row;
    ptrdiff_t rows, planes; /* per block */
    char *rings;            /* ring_bytes per thread */
    size_t ring_bytes;
} pass;

/* A block: rows [j0, j1) of planes [k0, k1), and the rings of its thread. */
typedef struct block {
    const pass *pass;
    ptrdiff_t j0, j1, k0, k1;
    char *rings;
} block;

/* ----------------------------------------------------------------------------------- a block */

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static ptrdiff_t ring_rows(const pass *p) { return p->rows + 2 * (p->sweeps - 1); }

/* Returns the address of row j of plane k after `sweep` sweeps of this pass: in the source, in a ring, or in the
 * target. */
static char *row_at(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k) {
    const pass *p = b->pass;
    const size_t offset = ((size_t)k * p->ny + (size_t)j) * p->row_bytes;
    if (sweep == 0) return (char *)p->from + offset;
    if (sweep == p->sweeps) return p->to + offset;
    const ptrdiff_t plane = (sweep - 1) * RING_PLANES + k % RING_PLANES;
    return b->rings + (size_t)(plane * ring_rows(p) + j - b->j0 + p->sweeps - 1) * p->row_bytes;
}

static void make_row(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k) {
    const pass *p = b->pass;
    const bool face = j == 0 || j + 1 == (ptrdiff_t)p->ny || k == 0 || k + 1 == (ptrdiff_t)p->nz || p->nx < 3;
    const char *middle = row_at(b, sweep - 1, j, k);
    char *to = row_at(b, sweep, j, k);
    if (face)
        memcpy(to, middle, p->row_bytes);
    else
        p->row(p->nx, middle, row_at(b, sweep - 1, j - 1, k), row_at(b, sweep - 1, j + 1, k),
               row_at(b, sweep - 1, j, k - 1), row_at(b, sweep - 1, j, k + 1), to);
}

/* Computes plane k of a sweep, as far as the block needs it. */
static void make_plane(const block *b, int sweep, ptrdiff_t k) {
    const pass *p = b->pass;
    const int after = p->sweeps - sweep;
    if (k < most(0, b->k0 - after) || k >= least((ptrdiff_t)p->nz, b->k1 + after)) return;
    for (ptrdiff_t j = most(0, b->j0 - after); j < least((ptrdiff_t)p->ny, b->j1 + after); j++)
        make_row(b, sweep, j, k);
}

static void make_block(const block *b) {
    const int sweeps = b->pass->sweeps;
    for (ptrdiff_t front = most(0, b->k0 - sweeps); front < b->k1 + 2 * sweeps; front++)
        for (int sweep = 1; sweep <= sweeps; sweep++) make_plane(b, sweep, front - (sweep - 1));
}

/* ------------------------------------------------------------------------------------ a pass */

static size_t blocks_along(size_t n, ptrdiff_t length) { return (n - 1) / (size_t)length + 1; }

static void take_block(void *self, size_t i) {
    const pass *p = self;
    const size_t along_y = blocks_along(p->ny, p->rows);
    block b = {.pass = p, .rings = p->rings + (size_t)cpu_thread_number() * p->ring_bytes};
    b.j0 = (ptrdiff_t)(i % along_y) * p->rows;
    b.k0 = (ptrdiff_t)(i / along_y) * p->planes;
    b.j1 = least((ptrdiff_t)p->ny, b.j0 + p->rows);
    b.k1 = least((ptrdiff_t)p->nz, b.k0 + p->planes);
    make_block(&b);
}

static void run_pass(pass *p, int threads) {
    const size_t blocks = blocks_along(p->ny, p->rows) * blocks_along(p->nz, p->planes);
    cpu_parallel_for(threads, blocks, PARALLEL_IN_ORDER, take_block, p);
}

/* Chooses blocks whose three planes of every sweep fit in a core's cache, with enough blocks for all threads. */
static void cut_in_blocks(pass *p, int threads) {
    p->rows = most(LEAST_ROWS, p->variant->part_bytes / (ptrdiff_t)p->row_bytes);
    p->rows = least(p->rows, (ptrdiff_t)p->ny);
    p->planes = least(p->variant->planes, most(1, (ptrdiff_t)p->nz / (2 * threads)));
    p->ring_bytes = (size_t)((p->sweeps - 1) * RING_PLANES * ring_rows(p)) * p->row_bytes;
}

/* ------------------------------------------------------------------------------------ a call */

/* Distribution of the sweeps over passes. The last pass writes v, the one before it the scratch grid, and so on
 * alternately. */
typedef struct plan {
    int threads;
    size_t sweeps, passes; /* without the measured sweep */
    bool measured;         /* the last sweep is a pass of its own, so that its input and output grids both exist */
    bool scratch, copied;  /* a scratch grid is needed; u is copied to it first */
} plan;

static plan make_plan(const cpu_context *ctx, const laplace_call *c, const variant *v, size_t row_bytes) {
    plan p = {.threads = ctx->threads, .measured = c->change && c->sweeps};
    const size_t together = row_bytes > LONGEST_ROW ? 1 : (size_t)v->together;
    if (row_bytes * c->ny * c->nz < ALONE_BYTES) p.threads = 1;
    p.sweeps = c->sweeps - p.measured;
    p.passes = ceil_div(p.sweeps, together);
    const size_t all = p.passes + p.measured;
    p.copied = c->u == c->v && all % 2 == 1;
    p.scratch = all > 1 || p.copied;
    return p;
}

/* Runs a pass of `sweeps` sweeps, after which `left` passes remain. Returns the grid that it wrote. */
static const char *run_one(const laplace_call *c, pass *p, const plan *plan, size_t left, int sweeps,
                           const char *from, char *scratch) {
    p->sweeps = sweeps;
    p->from = from;
    p->to = left % 2 ? scratch : c->v;
    cut_in_blocks(p, plan->threads);
    run_pass(p, plan->threads);
    return p->to;
}

static void run_passes(cpu_context *ctx, const laplace_call *c, pass *p, const plan *plan, char *scratch,
                       size_t grid_bytes) {
    const char *from = c->u;
    size_t left = plan->passes + plan->measured, sweeps = plan->sweeps;
    cpu_plan_regions(plan->passes + 2 * (size_t)plan->measured);
    if (plan->copied) from = memcpy(scratch, c->u, grid_bytes);
    for (size_t i = plan->passes; i > 0 && !cpu_cancelled(); i--) {
        const size_t now = ceil_div(sweeps, i);
        from = run_one(c, p, plan, --left, (int)now, from, scratch);
        sweeps -= now;
    }
    if (!plan->measured) return;
    run_one(c, p, plan, 0, 1, from, scratch);
    const size_t points = c->nx * c->ny * c->nz;
    const reduce_chunk both = {.x = c->v, .y = from, .n = points};
    partial squares;
    cpu_run(ctx, c->dtype, ctx->level->products->differences_f64[c->dtype], cpu_add_f64, &both, &squares);
    *c->change = weft_canonical_f64(sqrt(weft_finish_mean(squares.f64, points)));
}

weft_status cpu_laplace(void *state, const laplace_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const stencil_kernels *kernels = ctx->level->stencils;
    const size_t row_bytes = c->nx * weft_dtype_size(c->dtype), grid_bytes = row_bytes * c->ny * c->nz;
    const variant *v = &VARIANTS[ctx->chosen[c->dtype == WEFT_F32 ? TUNE_LAPLACE_F32 : TUNE_LAPLACE_F64]];
    const plan plan = make_plan(ctx, c, v, row_bytes);
    pass p = {.nx = c->nx, .ny = c->ny, .nz = c->nz, .row_bytes = row_bytes, .sweeps = v->together, .variant = v};
    p.row = c->dtype == WEFT_F32 ? kernels->laplace_f32 : kernels->laplace_f64;
    if (c->change) *c->change = 0;
    if (c->sweeps == 0) {
        if (c->u != c->v) memcpy(c->v, c->u, grid_bytes);
        return WEFT_OK;
    }
    cut_in_blocks(&p, plan.threads);
    const size_t rings = row_bytes > LONGEST_ROW ? 0 : p.ring_bytes * (size_t)plan.threads;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(ctx, rings + (plan.scratch ? grid_bytes : 0), &workspace, error));
    p.rings = workspace;
    run_passes(ctx, c, &p, &plan, p.rings + rings, grid_bytes);
    return WEFT_OK;
}
