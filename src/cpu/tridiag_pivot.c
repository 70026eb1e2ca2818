/* weft_tridiag_pivot on the CPU (ORDER.md 26): assignment of systems and chunks to vector lanes, workspace, threads.
 *
 * A vector has one system per lane, or one chunk of the same system per lane. A work item is a block of chunks, with
 * one tree of runs. Systems of one block are solved at once. The blocks of longer systems are reduced to one run
 * each. A tree of these runs is solved, and the blocks are reduced a second time to compute their x. */
#include "core/types.h"
#include "cpu/common/tridiag_items.h"
#include "cpu/common/tridiag_pivot_kernel.h"

#include <string.h>

enum {
    ARRAYS = 5,         /* a, b, c, d and x */
    BLOCK_CHUNKS = 256, /* chunks of a block of one system */
    LANE_CHUNKS = 32,   /* chunks of a block with one system per lane */
    ALIGNMENT = 64
};

/* Values that are constant in a call. A unit is one system, or the systems of all lanes. */
typedef struct solver {
    const tridiag_pivot_kernel *kernel;
    const tridiag_call *call;
    size_t size;                  /* bytes of an element */
    size_t lanes;                 /* 1, or the width of a vector with one system per lane */
    size_t units, blocks, chunks; /* blocks per unit; chunks per block */
    char *trees;                  /* one tree of blocks per unit */
    char *workspaces;             /* one tree of chunks per thread */
    _Atomic uint64_t faults;
} solver;

/* ------------------------------------------------------------------------------------- trees */

/* Returns the elements between the values of a tree. */
static size_t stride_of(const solver *s, size_t runs) {
    const size_t line = ALIGNMENT / s->size;
    return ceil_div((runs + 1) * s->lanes + 2 * s->kernel->width, line) * line;
}

static size_t tree_bytes(const solver *s, size_t runs) {
    return (TRIDIAG_RUN_VALUES + TRIDIAG_BORDER_VALUES + 2 * TRIDIAG_PAIR_VALUES) * stride_of(s, runs) * s->size;
}

/* Returns a tree of runs of a unit, of `chunks` chunks each. `capacity`: runs for which `memory` has space. */
static tridiag_tree tree_of(solver *s, size_t unit, size_t first_chunk, size_t runs, size_t chunks, size_t capacity,
                            char *memory) {
    const size_t stride = stride_of(s, capacity), first = s->lanes * unit;
    tridiag_tree t = {.runs = runs,
                      .lanes = s->lanes,
                      .stride = stride,
                      .first_chunk = first_chunk,
                      .chunks = chunks,
                      .n = s->call->n,
                      .first_system = first,
                      .systems = min_u64(s->lanes, s->call->systems - first),
                      .faults = &s->faults};
    void **const arrays[] = {&t.run, &t.border, &t.pairs[0], &t.pairs[1]};
    static const size_t values[] = {TRIDIAG_RUN_VALUES, TRIDIAG_BORDER_VALUES, TRIDIAG_PAIR_VALUES,
                                    TRIDIAG_PAIR_VALUES};
    for (int i = 0; i < 4; memory += values[i++] * stride * s->size) *arrays[i] = memory;
    return t;
}

static tridiag_tree tree_of_unit(solver *s, size_t unit) {
    return tree_of(s, unit, 0, s->blocks, s->chunks, s->blocks, s->trees + unit * tree_bytes(s, s->blocks));
}

/* Returns the tree of chunks of a block, in the workspace of the calling thread. */
static tridiag_tree tree_of_block(solver *s, size_t unit, size_t block) {
    const size_t first = block * s->chunks, all = ceil_div(s->call->n, WEFT_TRIDIAG_PIVOT_CHUNK);
    return tree_of(s, unit, first, min_u64(s->chunks, all - first), 1, s->chunks,
                   s->workspaces + (size_t)cpu_thread_number() * tree_bytes(s, s->chunks));
}

/* Copies `values` values, from index `i` of an array of one tree to index `k` of another one. */
static void copy_values(const solver *s, int values, const tridiag_tree *to, void *array, size_t k,
                        const tridiag_tree *from, const void *source, size_t i) {
    for (size_t v = 0; v < (size_t)values; v++)
        memcpy(tridiag_at(array, v * to->stride + k * s->lanes, s->size),
               tridiag_at(source, v * from->stride + i * s->lanes, s->size), s->lanes * s->size);
}

/* ------------------------------------------------------------------------------------ blocks */

static tridiag_block block_of(const solver *s, size_t unit, size_t block) {
    const tridiag_call *c = s->call;
    const size_t first = tridiag_pivot_first_row(c->n, block * s->chunks), system = unit * s->lanes;
    const size_t end = block + 1 < s->blocks ? tridiag_pivot_first_row(c->n, (block + 1) * s->chunks) : c->n;
    const weft_lines lines[ARRAYS] = {c->a, c->b, c->c, c->d, {c->x, c->d.step, c->d.line}};
    weft_lines moved[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        moved[i] = (weft_lines){tridiag_at(lines[i].p, system * lines[i].line + first * lines[i].step, s->size),
                                lines[i].step, lines[i].line};
    return (tridiag_block){.a = moved[0],
                           .b = moved[1],
                           .c = moved[2],
                           .d = moved[3],
                           .x = (void *)moved[4].p,
                           .first_row = first,
                           .rows = end - first,
                           .begins = block == 0 && !c->periodic,
                           .ends = block + 1 == s->blocks && !c->periodic};
}

/* Solves the systems of a unit, which have one block. */
static void solve_item(void *self, size_t unit) {
    solver *s = self;
    const tridiag_block in = block_of(s, unit, 0);
    const tridiag_tree t = tree_of_block(s, unit, 0);
    if (s->call->n == 1) {
        s->kernel->solve_row(&in, &t);
        return;
    }
    s->kernel->reduce(&in, &t);
    s->kernel->solve(&t, s->call->periodic);
    s->kernel->expand(&in, &t);
}

static void reduce_item(void *self, size_t item) {
    solver *s = self;
    const size_t unit = item / s->blocks, block = item % s->blocks;
    const tridiag_block in = block_of(s, unit, block);
    const tridiag_tree t = tree_of_block(s, unit, block), above = tree_of_unit(s, unit);
    s->kernel->reduce(&in, &t);
    copy_values(s, TRIDIAG_RUN_VALUES, &above, above.run, block, &t, t.run, 0);
}

static void solve_unit(void *self, size_t unit) {
    solver *s = self;
    const tridiag_tree t = tree_of_unit(s, unit);
    s->kernel->combine(&t);
    s->kernel->solve(&t, s->call->periodic);
    s->kernel->substitute(&t);
}

static void expand_item(void *self, size_t item) {
    solver *s = self;
    const size_t unit = item / s->blocks, block = item % s->blocks;
    const tridiag_block in = block_of(s, unit, block);
    const tridiag_tree t = tree_of_block(s, unit, block), above = tree_of_unit(s, unit);
    s->kernel->reduce(&in, &t);
    void *const last_level = tridiag_pairs(&t, tridiag_tree_levels(t.runs));
    for (size_t i = 0; i < 2; i++)
        copy_values(s, TRIDIAG_PAIR_VALUES, &t, last_level, i, &above, tridiag_pairs(&above, 0), block + i);
    s->kernel->expand(&in, &t);
}

/* ------------------------------------------------------------------------------------ a call */

static solver solver_of(const cpu_context *ctx, const tridiag_call *c) {
    const tridiag_pivot_kernels *kernels = ctx->level->pivots;
    const tridiag_pivot_kernel *kernel = c->dtype == WEFT_F32 ? &kernels->f32 : &kernels->f64;
    const bool is_short = c->n <= (size_t)LANE_CHUNKS * WEFT_TRIDIAG_PIVOT_CHUNK;
    const bool by_systems = c->n == 1 || (c->systems >= kernel->width && (is_short || c->d.line == 1));
    const size_t chunks = by_systems ? LANE_CHUNKS : BLOCK_CHUNKS, lanes = by_systems ? kernel->width : 1;
    return (solver){.kernel = kernel,
                    .call = c,
                    .size = weft_dtype_size(c->dtype),
                    .lanes = lanes,
                    .units = ceil_div(c->systems, lanes),
                    .blocks = ceil_div(ceil_div(c->n, WEFT_TRIDIAG_PIVOT_CHUNK), chunks),
                    .chunks = chunks,
                    .faults = UINT64_MAX};
}

weft_status cpu_tridiag_pivot(void *state, const tridiag_call *c, weft_error *error) {
    cpu_context *ctx = state;
    *c->singular = UINT64_MAX;
    if (c->systems * c->n == 0) return WEFT_OK;
    solver s = solver_of(ctx, c);
    const int threads = cpu_threads_for(ctx->threads, saturated_product(c->systems * c->n, 2 * s.size * ARRAYS));
    const size_t above = s.blocks > 1 ? s.units * tree_bytes(&s, s.blocks) : 0;
    void *scratch;
    RETURN_IF_ERROR(cpu_workspace(ctx, above + (size_t)threads * tree_bytes(&s, s.chunks), &scratch, error));
    s.trees = scratch;
    s.workspaces = s.trees + above;
    if (s.blocks == 1) {
        cpu_parallel_for(threads, s.units, PARALLEL_RANGES, solve_item, &s);
    } else {
        cpu_plan_regions(3);
        cpu_parallel_for(threads, s.units * s.blocks, PARALLEL_RANGES, reduce_item, &s);
        cpu_parallel_for(threads, s.units, PARALLEL_RANGES, solve_unit, &s);
        cpu_parallel_for(threads, s.units * s.blocks, PARALLEL_RANGES, expand_item, &s);
    }
    *c->singular = tridiag_singular(atomic_load(&s.faults), c->n);
    return WEFT_OK;
}
