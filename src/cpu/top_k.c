/* weft_top_k on the CPU. A thread reads its part of the array once and lists the candidates for the first k
 * (cpu/common/top_k_list.c). Whenever its list is full, only the first k of it are kept; from then on, only elements
 * greater than the last of these are added. The lists of all threads form one list in array order, whose first k are
 * sorted. For the k smallest elements, the bits of the keys are inverted. */
#include "core/types.h"
#include "cpu/common/top_k_list.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

typedef struct plan {
    const top_k_call *call;
    top_k_params params;
    int threads;
    size_t part; /* elements of a thread */
    /* The lists of all parts and their lengths. */
    candidate *all;
    size_t *counts;
} plan;

static plan plan_of(const cpu_context *ctx, int threads, const top_k_call *c) {
    plan p = {.call = c, .threads = threads, .part = (c->n - 1) / (size_t)threads + 1};
    p.params = cpu_top_k_params(ctx, c->dtype, c->extreme, c->k, p.part);
    return p;
}

static void list_numbered(void *self, size_t t) {
    const plan *p = self;
    const size_t first = (size_t)min_u64(p->call->n, t * p->part), end = (size_t)min_u64(p->call->n, first + p->part);
    p->counts[t] = cpu_top_k_list(&p->params, p->call->x, first, end, p->all + t * p->params.capacity);
}

/* Returns the number of candidates in the workspace: the lists, and a buffer for the sort. */
static size_t candidates(const plan *p) { return (size_t)p->threads * p->params.capacity + p->call->k; }

size_t cpu_top_k_bytes(const cpu_context *ctx, int threads, const top_k_call *c) {
    const plan p = plan_of(ctx, threads, c);
    if (p.params.capacity > SIZE_MAX / sizeof(candidate) / ((size_t)threads + 2)) return SIZE_MAX;
    return candidates(&p) * sizeof(candidate) + (size_t)threads * sizeof(size_t);
}

void cpu_top_k_run(const cpu_context *ctx, int threads, const top_k_call *c, void *workspace) {
    plan p = plan_of(ctx, threads, c);
    const size_t capacity = p.params.capacity;
    size_t total = 0;
    p.all = workspace;
    p.counts = (size_t *)(p.all + candidates(&p));
    cpu_parallel_for(threads, (size_t)threads, PARALLEL_RANGES, list_numbered, &p);
    if (cpu_cancelled()) return;
    for (int t = 0; t < threads; total += p.counts[t++])
        memmove(p.all + total, p.all + (size_t)t * capacity, p.counts[t] * sizeof *p.all);
    const candidate *const first = cpu_top_k_first(&p.params, p.all, p.all + (size_t)threads * capacity, total);
    cpu_top_k_store(&p.params, c->x, first, c->values, c->indices);
}

weft_status cpu_top_k(void *state, const top_k_call *c, weft_error *error) {
    cpu_context *ctx = state;
    void *workspace;
    const int threads = cpu_threads_for(ctx->threads, c->n * weft_dtype_size(c->dtype) / 2);
    const size_t bytes = cpu_top_k_bytes(ctx, threads, c);
    RETURN_IF(bytes == SIZE_MAX, WEFT_OUT_OF_MEMORY,
              "cannot allocate host memory for the %zu largest of %zu elements", c->k, c->n);
    RETURN_IF_ERROR(cpu_workspace(ctx, bytes, &workspace, error));
    cpu_plan_regions(1);
    cpu_top_k_run(ctx, threads, c, workspace);
    return WEFT_OK;
}
