/* weft_laplace on the CPU (ORDER.md 7).
 *
 * Several sweeps are combined in one pass over memory. A thread takes a block of rows and planes and advances through
 * pairs of its planes. At step r it computes row r of a pair of planes after sweep 1, row r - 1 of the pair one plane
 * below after sweep 2, row r - 2 of the pair two planes below after sweep 3, and so on. A sweep reads four planes.
 * The upper two were computed a few rows before and are in the L1 cache. The lower two are the pair before. For each
 * sweep but the last, the rings of the thread contain the rows that are still to be read: those of two planes and a
 * few more. They fit in its L2 cache. A block also computes as many rows and planes outside itself as sweeps follow,
 * so blocks are independent. The block sizes and the number of combined sweeps do not change the results. */
#include "arith/finish.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SWEEPS = 8, /* per pass */
    LINE = 64,       /* bytes of a cache line */
    ROWS_AHEAD = 2,  /* distance of prefetching, in rows */
    RING_MARGIN = 3, /* slots of a ring in addition to those of one pair: row j reads rows j - 1 to j + 1 */
    LEAST_ROWS = 8,
    LONGEST_ROW = 1 << 18, /* bytes of a row above which sweeps are not combined */
    BLOCKS_PER_THREAD = 2, /* desired minimum */
    CACHED_BYTES = 1 << 20 /* grids up to this size are not prefetched */
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
    stencil_pair_row *pair;
    bool prefetches;
    ptrdiff_t rows, planes;        /* per block; an even number of planes */
    char *rings;                   /* ring_bytes per thread */
    size_t ring_bytes, row_stride; /* row_stride: bytes from one row of a ring to the next */
} pass;

/* Indices [begin, end). */
typedef struct extent {
    ptrdiff_t begin, end;
} extent;

/* The part of a sweep that a block computes, and its ring. A slot of the ring contains a row of each plane of a pair.
 * The rows of consecutive pairs take consecutive slots, modulo the number of slots. */
typedef struct stage {
    extent rows, planes;
    extent lines; /* cache lines of each prefetched row that this sweep prefetches */
    char *ring;
    ptrdiff_t slots, current, previous; /* current, previous: slot of the first row of the latest two pairs */
} stage;

/* A block: stage s is sweep s of the pass. */
typedef struct block {
    const pass *pass;
    stage stages[MOST_SWEEPS + 1];
} block;

/* ----------------------------------------------------------------------------------- a block */

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static bool contains(extent e, ptrdiff_t i) { return i >= e.begin && i < e.end; }

/* Returns the indices of e and `margin` more at both ends, as far as they are less than n. */
static extent widened(extent e, ptrdiff_t margin, size_t n) {
    return (extent){most(0, e.begin - margin), least((ptrdiff_t)n, e.end + margin)};
}

static ptrdiff_t slots_of(extent rows) { return rows.end - rows.begin + RING_MARGIN; }

static char *ring_row(const pass *p, const stage *s, ptrdiff_t pair, ptrdiff_t j, ptrdiff_t plane_of_pair) {
    const ptrdiff_t slot = pair + j - s->rows.begin, wrapped = slot < s->slots ? slot : slot - s->slots;
    return s->ring + (size_t)(2 * wrapped + plane_of_pair) * p->row_stride;
}

static size_t offset_of(const pass *p, ptrdiff_t j, ptrdiff_t k) {
    return ((size_t)k * p->ny + (size_t)j) * p->row_bytes;
}

/* Returns the address of row j of plane k + d, -1 <= d <= 2, before a sweep that computes planes k and k + 1. */
static const char *source_row(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k, ptrdiff_t d) {
    const pass *p = b->pass;
    const stage *s = &b->stages[sweep - 1];
    if (sweep == 1) return p->from + offset_of(p, j, k + d);
    return d < 1 ? ring_row(p, s, s->previous, j, d + 1) : ring_row(p, s, s->current, j, d - 1);
}

static char *target_row(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k, ptrdiff_t d) {
    const pass *p = b->pass;
    const stage *s = &b->stages[sweep];
    return sweep == p->sweeps ? p->to + offset_of(p, j, k + d) : ring_row(p, s, s->current, j, d);
}

static bool is_face(const pass *p, ptrdiff_t j, ptrdiff_t k) {
    return j == 0 || j + 1 == (ptrdiff_t)p->ny || k == 0 || k + 1 == (ptrdiff_t)p->nz || p->nx < 3;
}

/* Computes row j of plane k + d, where k is the first plane of a pair. */
static void make_row(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k, ptrdiff_t d) {
    const pass *p = b->pass;
    const char *middle = source_row(b, sweep, j, k, d);
    char *to = target_row(b, sweep, j, k, d);
    if (is_face(p, j, k + d))
        memcpy(to, middle, p->row_bytes);
    else
        p->row(p->nx, middle, source_row(b, sweep, j - 1, k, d), source_row(b, sweep, j + 1, k, d),
               source_row(b, sweep, j, k, d - 1), source_row(b, sweep, j, k, d + 1), to);
}

/* Computes row j of planes k and k + 1, as far as the block needs them. */
static void make_rows(const block *b, int sweep, ptrdiff_t j, ptrdiff_t k) {
    const pass *p = b->pass;
    const extent planes = b->stages[sweep].planes;
    const bool first = contains(planes, k), second = contains(planes, k + 1);
    if (first && second && !is_face(p, j, k) && !is_face(p, j, k + 1)) {
        const stencil_pair rows = {
            .middle = {source_row(b, sweep, j, k, 0), source_row(b, sweep, j, k, 1)},
            .south = {source_row(b, sweep, j - 1, k, 0), source_row(b, sweep, j - 1, k, 1)},
            .north = {source_row(b, sweep, j + 1, k, 0), source_row(b, sweep, j + 1, k, 1)},
            .below = source_row(b, sweep, j, k, -1),
            .above = source_row(b, sweep, j, k, 2),
            .to = {target_row(b, sweep, j, k, 0), target_row(b, sweep, j, k, 1)},
            .stored = sweep == p->sweeps,
        };
        p->pair(p->nx, &rows);
        return;
    }
    if (first) make_row(b, sweep, j, k, 0);
    if (second) make_row(b, sweep, j, k, 1);
}

/* Prefetches the part of row j of plane k of a grid that belongs to a sweep: each sweep of a step prefetches a part
 * of the same rows. Inlined, because GCC removes calls of functions that only prefetch. */
static inline __attribute__((always_inline)) void prefetch_part(const block *b, int sweep, const char *grid,
                                                                ptrdiff_t j, ptrdiff_t k, bool write) {
    const pass *p = b->pass;
    const extent lines = b->stages[sweep].lines;
    if (k < 0 || k >= (ptrdiff_t)p->nz || j >= (ptrdiff_t)p->ny) return;
    const char *row = grid + offset_of(p, j, k);
    for (ptrdiff_t i = lines.begin; i < lines.end; i++) {
        if (write)
            __builtin_prefetch(row + i * LINE, 1, 2);
        else
            __builtin_prefetch(row + i * LINE, 0, 2);
    }
}

/* Prefetches what step r + ROWS_AHEAD of a front reads from and writes to memory. k: first plane of the pair of
 * sweep 1. After the last row follows the first row of the next pair. */
static inline __attribute__((always_inline)) void prefetch_rows(const block *b, int sweep, ptrdiff_t r, ptrdiff_t k) {
    const pass *p = b->pass;
    const extent rows = b->stages[1].rows, written = b->stages[p->sweeps].rows;
    const ptrdiff_t to = r + ROWS_AHEAD - (p->sweeps - 1), to_plane = k - (p->sweeps - 1);
    ptrdiff_t from = r + ROWS_AHEAD;
    if (contains(written, to) && contains(b->stages[p->sweeps].planes, to_plane)) {
        prefetch_part(b, sweep, p->to, to, to_plane, true);
        prefetch_part(b, sweep, p->to, to, to_plane + 1, true);
    }
    if (from >= rows.end) {
        from -= rows.end - rows.begin;
        k += 2;
    }
    prefetch_part(b, sweep, p->from, from + 1, k + 1, false);
    prefetch_part(b, sweep, p->from, from, k + 2, false);
}

/* Computes the next pair of planes of every sweep; k: first plane of the pair of sweep 1. */
static void make_front(block *b, ptrdiff_t k) {
    const int sweeps = b->pass->sweeps;
    for (stage *s = b->stages + 1; s < b->stages + sweeps; s++) {
        const ptrdiff_t next = s->current + s->rows.end - s->rows.begin;
        s->previous = s->current;
        s->current = next < s->slots ? next : next - s->slots;
    }
    for (ptrdiff_t r = b->stages[1].rows.begin; r < b->stages[sweeps].rows.end + sweeps - 1; r++)
        for (int sweep = 1; sweep <= sweeps; sweep++) {
            if (b->pass->prefetches) prefetch_rows(b, sweep, r, k);
            if (contains(b->stages[sweep].rows, r - (sweep - 1)))
                make_rows(b, sweep, r - (sweep - 1), k - (sweep - 1));
        }
}

/* ------------------------------------------------------------------------------------ a pass */

static size_t blocks_along(size_t n, ptrdiff_t length) { return (n - 1) / (size_t)length + 1; }

static void take_block(void *self, size_t i) {
    const pass *p = self;
    const size_t along_y = blocks_along(p->ny, p->rows);
    const ptrdiff_t j = (ptrdiff_t)(i % along_y) * p->rows, k = (ptrdiff_t)(i / along_y) * p->planes;
    const extent rows = {j, j + p->rows}, planes = {k, k + p->planes};
    char *ring = p->rings + (size_t)cpu_thread_number() * p->ring_bytes + (uintptr_t)p->to % LINE;
    block b = {.pass = p};
    for (int sweep = 1; sweep <= p->sweeps; sweep++) {
        const int after = p->sweeps - sweep;
        const ptrdiff_t lines = (ptrdiff_t)p->row_bytes / LINE + 1;
        stage *s = &b.stages[sweep];
        *s = (stage){.rows = widened(rows, after, p->ny), .planes = widened(planes, after, p->nz), .ring = ring};
        s->slots = slots_of(s->rows);
        s->lines = (extent){lines * (sweep - 1) / p->sweeps, lines * sweep / p->sweeps};
        ring += 2 * (size_t)s->slots * p->row_stride;
    }
    for (ptrdiff_t pair = 0; pair < p->planes / 2 + p->sweeps - 1; pair++)
        make_front(&b, k - (p->sweeps - 1) + 2 * pair);
}

static void run_pass(pass *p, int threads) {
    const size_t blocks = blocks_along(p->ny, p->rows) * blocks_along(p->nz, p->planes);
    cpu_parallel_for(threads, blocks, PARALLEL_RANGES, take_block, p);
}

/* Returns the length of the parts if n is divided into as many parts as parts of length `longest` need. */
static ptrdiff_t even_length(size_t n, ptrdiff_t longest) { return (ptrdiff_t)ceil_div(n, blocks_along(n, longest)); }

/* Chooses blocks whose rings fit in a core's cache, with enough blocks for all threads. */
static void cut_in_blocks(pass *p, int threads) {
    p->rows = even_length(p->ny, most(LEAST_ROWS, p->variant->part_bytes / (ptrdiff_t)p->row_bytes));
    const size_t along_y = blocks_along(p->ny, p->rows);
    const size_t balanced = threads == 1 ? p->nz : p->nz * along_y / (size_t)(BLOCKS_PER_THREAD * threads);
    const ptrdiff_t planes = even_length(p->nz, least(p->variant->planes, most(2, (ptrdiff_t)balanced)));
    p->planes = (ptrdiff_t)round_up((size_t)planes, 2);
    p->row_stride = round_up(p->row_bytes, LINE);
    const ptrdiff_t slots = slots_of((extent){0, p->rows + 2 * (p->sweeps - 1)});
    p->ring_bytes = 2 * (size_t)((p->sweeps - 1) * slots) * p->row_stride + LINE;
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
    plan p = {.measured = c->change && c->sweeps};
    const size_t together = row_bytes > LONGEST_ROW ? 1 : (size_t)v->together;
    p.threads = cpu_threads_for(ctx->threads, row_bytes * c->ny * c->nz);
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
    p.pair = c->dtype == WEFT_F32 ? kernels->laplace_pair_f32 : kernels->laplace_pair_f64;
    p.prefetches = grid_bytes > CACHED_BYTES;
    if (c->change) *c->change = 0;
    if (c->sweeps == 0) {
        if (c->u != c->v) memcpy(c->v, c->u, grid_bytes);
        return WEFT_OK;
    }
    cut_in_blocks(&p, plan.threads);
    const size_t rings = row_bytes > LONGEST_ROW ? 0 : p.ring_bytes * (size_t)plan.threads;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(ctx, rings + (plan.scratch ? LINE + grid_bytes : 0), &workspace, error));
    p.rings = workspace;
    run_passes(ctx, c, &p, &plan, p.rings + rings + (uintptr_t)c->v % LINE, grid_bytes);
    return WEFT_OK;
}
