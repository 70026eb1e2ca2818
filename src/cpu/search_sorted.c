/* weft_search_sorted on the CPU: the queries are cut in parts, which threads take. */
#include "core/fpmode.h"
#include "cpu/cpu.h"

enum {
    ALONE = 1 << 14, /* so few queries are found sooner by the calling thread than by waking others */
    PART = 1 << 12   /* queries that a thread takes at a time */
};

weft_status cpu_search_sorted(void *state, const search_sorted_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    const size_t size = weft_dtype_size(c->dtype), parts = (c->m - 1) / PART + 1;
    const int threads = c->m <= ALONE || !cpu_may_use_threads() ? 1 : ctx->threads;
    (void)error, (void)threads; /* unless compiled with OpenMP */
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const weft_fpmode mode = weft_fpmode_enter();
#pragma omp for schedule(static)
        for (size_t i = 0; i < parts; i++) {
            const size_t first = i * PART, m = c->m - first < PART ? c->m - first : PART;
            ctx->level->searches->search[c->dtype](c->side, c->sorted, c->n, (const char *)c->queries + first * size,
                                                   m, c->positions + first);
        }
        weft_fpmode_leave(mode);
    }
    return WEFT_OK;
}
