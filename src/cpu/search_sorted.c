/* weft_search_sorted on the CPU: the queries are split into parts, which threads take. */
#include "core/types.h"
#include "cpu/runtime/parallel.h"

enum { PART = 1 << 12 }; /* queries per work item */

typedef struct plan {
    const cpu_context *ctx;
    const search_sorted_call *call;
} plan;

static void search_part(void *self, size_t i) {
    const plan *p = self;
    const search_sorted_call *c = p->call;
    const size_t first = i * PART, m = c->m - first < PART ? c->m - first : PART;
    const char *queries = (const char *)c->queries + first * weft_dtype_size(c->dtype);
    p->ctx->level->searches->search[c->dtype](c->side, c->sorted, c->n, queries, m, c->positions + first);
}

weft_status cpu_search_sorted(void *state, const search_sorted_call *c, weft_error *error) {
    plan p = {.ctx = state, .call = c};
    (void)error;
    cpu_plan_regions(1);
    const int threads = cpu_threads_for(p.ctx->threads, saturated_product(c->m, 8));
    cpu_parallel_for(threads, (c->m - 1) / PART + 1, PARALLEL_RANGES, search_part, &p);
    return WEFT_OK;
}
