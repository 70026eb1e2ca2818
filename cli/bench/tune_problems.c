#include "cli/bench/tune.h"

#include "cli/bench/measure.h"
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 12, HASHED_BYTES = 1 << 24, FILLED_VALUES = 1 << 20 };

/* Properties of an operation's problem: it is measured on a cube or on square matrices. */
typedef struct problem_kind {
    const char *operation, *unit;
    int dimensions;
    size_t cpu_edge, gpu_edge;
    void (*describe)(tune_problem *p);
    weft_status (*run)(const tune_problem *p);
} problem_kind;

/* ---------------------------------------------------------------------------- the operations */

static void describe_laplace(tune_problem *p) {
    snprintf(p->text, sizeof p->text, "%zu x %zu x %zu points, %d sweeps", p->edge, p->edge, p->edge, (int)SWEEPS);
    p->work = 1e-9 * SWEEPS * (double)p->edge * (double)p->edge * (double)p->edge;
}

static weft_status run_laplace(const tune_problem *p) {
    return weft_laplace(p->ctx, p->tunable.dtype, p->edge, p->edge, p->edge, SWEEPS, p->in, p->out, NULL);
}

static void describe_matmul(tune_problem *p) {
    snprintf(p->text, sizeof p->text, "%zu x %zu by %zu x %zu", p->edge, p->edge, p->edge, p->edge);
    p->work = 2e-9 * (double)p->edge * (double)p->edge * (double)p->edge;
}

/* Uses one matrix for both factors. */
static weft_status run_matmul(const tune_problem *p) {
    const weft_dtype sums = p->tunable.accumulate == p->tunable.dtype ? WEFT_DEFAULT : p->tunable.accumulate;
    return weft_matmul(p->ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, p->tunable.dtype, sums, p->edge,
                       p->edge, p->edge, NULL, p->in, p->edge, p->in, p->edge, NULL, p->out, p->edge);
}

static const problem_kind KINDS[] = {
    {"laplace", "Gpoint/s", 3, 256, 512, describe_laplace, run_laplace},
    {"matmul", "GFLOP/s", 2, 1536, 8192, describe_matmul, run_matmul},
};

static const problem_kind *find_kind(const char *operation) {
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(KINDS[i].operation, operation) == 0) return &KINDS[i];
    return NULL;
}

bool tune_can(const char *operation) { return find_kind(operation) != NULL; }

/* ------------------------------------------------------------------------------- the problem */

/* Returns n values in [-1, 1). Reports progress after every FILLED_VALUES of them. */
static void *make_values(weft_dtype dtype, size_t n) {
    void *x = malloc(n * weft_dtype_size(dtype));
    uint64_t state = 1;
    for (size_t i = 0; x && i < n; i++) {
        if (i % FILLED_VALUES == 0) progress_at((double)i, (double)n);
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double value = (double)(state >> 40) * 0x1p-23 - 1;
        if (dtype == WEFT_F64)
            ((double *)x)[i] = value;
        else
            ((float *)x)[i] = (float)value;
    }
    return x;
}

weft_status tune_problem_open(tune_problem *p, weft_context *ctx, const weft_tunable *tunable, size_t edge) {
    const problem_kind *kind = find_kind(tunable->operation);
    *p = (tune_problem){.ctx = ctx, .tunable = *tunable, .unit = kind->unit};
    p->edge = edge ? edge : measure_is_gpu(ctx) ? kind->gpu_edge : kind->cpu_edge;
    const size_t n = kind->dimensions == 3 ? p->edge * p->edge * p->edge : p->edge * p->edge;
    p->bytes = n * weft_dtype_size(tunable->dtype);
    kind->describe(p);
    void *values = make_values(tunable->dtype, n);
    weft_status status = values ? measure_upload(ctx, p->bytes, values, &p->in) : WEFT_OUT_OF_MEMORY;
    free(values);
    return status == WEFT_OK ? weft_alloc(ctx, WEFT_DEVICE, p->bytes, &p->out) : status;
}

weft_status tune_problem_run(void *problem) {
    const tune_problem *p = problem;
    const weft_status status = find_kind(p->tunable.operation)->run(p);
    return status == WEFT_OK ? weft_synchronize(p->ctx) : status;
}

weft_status tune_problem_hash(const tune_problem *p, uint64_t *hash) {
    uint32_t *chunk = malloc(HASHED_BYTES);
    weft_status status = chunk ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    *hash = 0;
    for (size_t at = 0; at < p->bytes && status == WEFT_OK; at += HASHED_BYTES) {
        const size_t bytes = p->bytes - at < HASHED_BYTES ? p->bytes - at : HASHED_BYTES;
        status = weft_copy(p->ctx, bytes, (const char *)p->out + at, chunk);
        for (size_t i = 0; i < bytes / sizeof *chunk; i++) *hash = (*hash ^ chunk[i]) * 1099511628211u;
    }
    free(chunk);
    return status;
}

void tune_problem_close(tune_problem *p) {
    weft_free(p->ctx, WEFT_DEVICE, p->in);
    weft_free(p->ctx, WEFT_DEVICE, p->out);
}
