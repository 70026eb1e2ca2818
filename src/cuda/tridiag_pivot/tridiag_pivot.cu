/* weft_tridiag_pivot: choice of kernels, launches, workspace (ORDER.md 26). */
#include "cuda/tridiag/tridiag_call.h"
#include "cuda/tridiag_pivot/tridiag_pivot_params.h"

#include <string.h>

enum { INPUTS = 4, ALIGNMENT = 256 };

static size_t div_up(size_t n, size_t part) { return (n - 1) / part + 1; }

/* Parameters common to all launches of one call. */
typedef struct solver {
    gpu *g;
    bool f32, adjacent;
    size_t size; /* bytes per element */
} solver;

/* ---------------------------------------------------------------------------------- launches */

/* Returns the maximum number of runs of a block with a part of a system. */
static uint32_t part_runs(size_t size, bool adjacent) {
    const uint32_t threads = (uint32_t)TRIDIAG_PIVOT_THREADS(size);
    return adjacent ? threads : threads / TRIDIAG_PIVOT_SIDE;
}

/* Sets the numbers of blocks, and of the runs and systems of a block. */
static void shape(tridiag_pivot_params *j, uint32_t threads, uint32_t most) {
    const uint32_t fit = threads / (j->runs < most ? (uint32_t)j->runs : most);
    const bool whole = j->runs <= most;
    j->nodes = whole ? (uint32_t)j->runs : most;
    j->blocks = div_up(j->runs, j->nodes);
    j->rows.side = fit < j->rows.systems ? fit : (uint32_t)j->rows.systems;
}

static weft_status launch_stage(const solver *s, const tridiag_pivot_params *j, bool chunks, pivot_stage stage,
                                weft_error *error) {
    const uint32_t threads = (j->rows.side * j->nodes + 31) / 32 * 32;
    const bool tiles = chunks && s->adjacent;
    const void *kernel =
        chunks ? tridiag_pivot_chunks_kernel(s->f32, s->adjacent, stage) : tridiag_pivot_runs_kernel(s->f32, stage);
    const size_t elements = TRIDIAG_TREE_ELEMENTS(j->rows.side, j->nodes) +
                            (tiles ? INPUTS * TRIDIAG_TILE_ELEMENTS(j->rows.side, j->nodes) : 0);
    return tridiag_launch(s->g, "tridiag_pivot", kernel, j, &j->rows,
                          j->blocks * div_up(j->rows.systems, j->rows.side), threads, elements * s->size, error);
}

/* ---------------------------------------------------------------------------------- levels */

static size_t aligned(size_t bytes) { return div_up(bytes, ALIGNMENT) * ALIGNMENT; }

/* Returns the bytes of the runs and the pairs of a level with `runs` runs per system. */
static size_t level_bytes(size_t size, size_t systems, size_t runs, int values) {
    return aligned((size_t)values * systems * (values == TRIDIAG_PAIR_VALUES ? runs + 1 : runs) * size);
}

/* Solves the runs of a level, and computes their pairs. */
static weft_status solve_runs(const solver *s, tridiag_pivot_params *j, char *scratch, weft_error *error) {
    const uint32_t threads = (uint32_t)TRIDIAG_PIVOT_THREADS(s->size);
    shape(j, threads, threads);
    if (j->blocks == 1) return launch_stage(s, j, false, PIVOT_SOLVE, error);
    tridiag_pivot_params above = *j;
    j->out_runs = scratch;
    j->outer_pairs = scratch += level_bytes(s->size, j->rows.systems, j->blocks, TRIDIAG_RUN_VALUES);
    scratch += level_bytes(s->size, j->rows.systems, j->blocks, TRIDIAG_PAIR_VALUES);
    RETURN_IF_ERROR(launch_stage(s, j, false, PIVOT_REDUCE, error));
    above.in_runs = j->out_runs;
    above.pairs = (void *)j->outer_pairs;
    above.runs = j->blocks;
    above.chunks = j->chunks * j->nodes;
    RETURN_IF_ERROR(solve_runs(s, &above, scratch, error));
    return launch_stage(s, j, false, PIVOT_EXPAND, error);
}

/* Solves the systems of a call. */
static weft_status solve(const solver *s, tridiag_pivot_params *j, char *scratch, weft_error *error) {
    const uint32_t threads = (uint32_t)TRIDIAG_PIVOT_THREADS(s->size), most = part_runs(s->size, s->adjacent);
    shape(j, threads, most);
    if (j->blocks == 1) return launch_stage(s, j, true, PIVOT_SOLVE, error);
    tridiag_pivot_params above = *j;
    above.in_runs = j->out_runs = scratch;
    j->outer_pairs = above.pairs = scratch += level_bytes(s->size, j->rows.systems, j->blocks, TRIDIAG_RUN_VALUES);
    scratch += level_bytes(s->size, j->rows.systems, j->blocks, TRIDIAG_PAIR_VALUES);
    above.runs = j->blocks;
    above.chunks = j->nodes;
    RETURN_IF_ERROR(launch_stage(s, j, true, PIVOT_REDUCE, error));
    RETURN_IF_ERROR(solve_runs(s, &above, scratch, error));
    return launch_stage(s, j, true, PIVOT_EXPAND, error);
}

/* ---------------------------------------------------------------------------------- a call */

/* Returns the bytes of scratch memory for the faults and for the runs and pairs of all levels above the chunks. */
static size_t scratch_of(const tridiag_call *c) {
    size_t bytes = TRIDIAG_FAULT_BYTES;
    if (c->systems == 0 || c->n == 0) return bytes;
    const size_t size = cuda_type_bytes(c->dtype);
    const tridiag_params rows = tridiag_params_of(c);
    size_t most = part_runs(size, tridiag_all_adjacent(&rows)), runs = div_up(c->n, TRIDIAG_CHUNK);
    for (; runs > most; most = TRIDIAG_PIVOT_THREADS(size)) {
        runs = div_up(runs, most);
        bytes += level_bytes(size, c->systems, runs, TRIDIAG_RUN_VALUES) +
                 level_bytes(size, c->systems, runs, TRIDIAG_PAIR_VALUES);
    }
    return bytes;
}

static weft_status solve_call(gpu *g, const tridiag_call *c, void *scratch, weft_error *error) {
    uint64_t *const faults = (uint64_t *)scratch;
    CUDA_TRY(cudaMemsetAsync(faults, 0xff, sizeof *faults, g->stream), "tridiag_pivot");
    if (c->systems && c->n) {
        tridiag_pivot_params j;
        memset(&j, 0, sizeof j);
        j.rows = tridiag_params_of(c);
        j.rows.faults = faults;
        j.runs = j.rows.chunks = div_up(c->n, TRIDIAG_CHUNK);
        j.chunks = 1;
        const solver s = {g, c->dtype == WEFT_F32, tridiag_all_adjacent(&j.rows), cuda_type_bytes(c->dtype)};
        RETURN_IF_ERROR(solve(&s, &j, (char *)scratch + TRIDIAG_FAULT_BYTES, error));
    }
    return tridiag_report_first(g, "tridiag_pivot", faults, c->n, c->singular, error);
}

weft_status cuda_tridiag_pivot(void *state, const tridiag_call *c, weft_error *error) {
    return tridiag_run((gpu *)state, "tridiag_pivot", c, scratch_of(c), solve_call, error);
}
