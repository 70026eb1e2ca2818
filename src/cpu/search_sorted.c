/* weft_search_sorted on the CPU: the queries are split into parts, which threads take. */
#include "cpu/runtime/parallel.h"

enum {
    ALONE = 1 << 14, /* below this number of queries, starting threads costs more than it gains */
    PART = 1 << 12   /* queries per work item */
};

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
    cpu_parallel_for(c->m <= ALONE ? 1 : p.ctx->threads, (c->m - 1) / PART + 1, PARALLEL_RANGES, search_part, &p);
    return WEFT_OK;
}
