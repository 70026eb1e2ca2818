/* Exact sums (ORDER.md 30): every thread adds terms to a state of its own. States are merged by adding their words.
 */
#include "arith/exact.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

enum {
    ALONE_BYTES = 1 << 18, /* below this size, starting threads costs more than it gains */
    CHUNK = 1 << 16        /* terms that a thread takes at a time */
};

/* Parameters of one call, shared by its threads. */
typedef struct params {
    const exact_call *call;
    exact_kernel *add;
    int64_t *state; /* the sum of the states of threads that are done */
} params;

static void add_chunk(const params *j, size_t first, size_t n, int64_t *state) {
    const size_t at = first * weft_dtype_size(j->call->dtype);
    const char *const x = j->call->x, *const y = j->call->y;
    j->add(x + at, y ? y + at : NULL, n, state);
}

static void add_chunks(void *self, parallel *p) {
    const params *j = self;
    int64_t state[WEFT_EXACT_WORDS] = {0};
    for (size_t i; parallel_next(p, &i);)
        add_chunk(j, i * CHUNK, (size_t)min_u64(CHUNK, j->call->n - i * CHUNK), state);
    for (int i = 0; i < WEFT_EXACT_WORDS; i++)
        if (state[i]) __atomic_fetch_add(&j->state[i], state[i], __ATOMIC_RELAXED);
}

weft_status cpu_exact(void *context, const exact_call *call, weft_error *error) {
    cpu_context *ctx = context;
    int64_t state[WEFT_EXACT_WORDS] = {0};
    params j = {call, ctx->level->exact->add[call->terms][call->dtype], state};
    (void)error;
    cpu_plan_regions(1);
    if (call->n < ALONE_BYTES / weft_dtype_size(call->dtype))
        add_chunk(&j, 0, call->n, state);
    else
        cpu_parallel(ctx->threads, ceil_div(call->n, CHUNK), PARALLEL_RANGES, add_chunks, &j);
    state[EXACT_COUNT] = (int64_t)call->n;
    if (call->out)
        weft_exact_store(state, call->finish, call->dtype == WEFT_F32, call->out);
    else
        memcpy(call->state, state, sizeof state);
    return WEFT_OK;
}
