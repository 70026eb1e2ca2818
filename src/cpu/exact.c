/* Exact sums (ORDER.md 30): every thread adds terms to its own states. States are merged by adding their words. */
#include "arith/exact_variance.h"
#include "core/types.h"
#include "cpu/common/reduce_kernel.h"
#include "cpu/runtime/parallel.h"

enum {
    CHUNK = 1 << 16,  /* terms that a thread takes at a time */
    VALUES = 1 << 15, /* values of a formula that a thread computes at a time */
    SUMS = 2          /* most sums of a call: the variance has two */
};

/* Parameters of one call, shared by its threads. */
typedef struct params {
    const cpu_context *ctx;
    const exact_call *call;
    int sums;
    exact_kernel *add[SUMS];
    int64_t (*states)[WEFT_EXACT_WORDS]; /* the sums of the states of threads that are done */
} params;

static void add_chunk(const params *j, size_t first, size_t n, int64_t (*states)[WEFT_EXACT_WORDS]) {
    const size_t at = first * weft_dtype_size(j->call->dtype);
    const char *const x = j->call->x, *const y = j->call->y;
    for (int k = 0; k < j->sums; k++) j->add[k](x + at, y ? y + at : NULL, n, states[k]);
}

/* Adds the values of a formula. */
static void add_values(const params *j, const map_values *v, size_t first, size_t n, int64_t *state) {
    for (size_t at = 0; at < n; at += VALUES) {
        const size_t count = (size_t)min_u64(VALUES, n - at);
        j->add[0](cpu_map_evaluate(v, first + at, count), NULL, count, state);
    }
}

static void add_chunks(void *self, parallel *p) {
    const params *j = self;
    map_values values = {0};
    int64_t states[SUMS][WEFT_EXACT_WORDS] = {{0}};
    if (j->call->map) values = cpu_map_values(j->ctx, j->call->map, VALUES);
    for (size_t i; parallel_next(p, &i);) {
        const size_t n = (size_t)min_u64(CHUNK, j->call->n - i * CHUNK);
        if (j->call->map)
            add_values(j, &values, i * CHUNK, n, states[0]);
        else
            add_chunk(j, i * CHUNK, n, states);
    }
    for (int k = 0; k < j->sums; k++)
        for (int i = 0; i < WEFT_EXACT_WORDS; i++)
            if (states[k][i]) __atomic_fetch_add(&j->states[k][i], states[k][i], __ATOMIC_RELAXED);
}

void cpu_exact_finish(const exact_call *call, int64_t (*states)[WEFT_EXACT_WORDS]) {
    const bool narrow = call->dtype == WEFT_F32;
    states[0][EXACT_COUNT] = (int64_t)call->n;
    if (!call->out)
        memcpy(call->state, states[0], sizeof states[0]);
    else if (call->finish == EXACT_VARIANCE)
        weft_exact_store_variance(states[0], states[1], call->ddof, narrow, call->out);
    else
        weft_exact_store(states[0], call->finish, narrow, call->out);
}

weft_status cpu_exact(void *context, const exact_call *call, weft_error *error) {
    cpu_context *ctx = context;
    const exact_kernels *kernels = ctx->level->exact;
    int64_t states[SUMS][WEFT_EXACT_WORDS] = {{0}};
    params j = {ctx,
                call,
                call->finish == EXACT_VARIANCE ? 2 : 1,
                {kernels->add[call->terms][call->dtype], kernels->add[EXACT_SQUARES][call->dtype]},
                states};
    if (call->map) RETURN_IF_ERROR(cpu_map_hold_values(ctx, call->map, VALUES, error));
    const size_t bytes = saturated_product(call->n, weft_dtype_size(call->dtype));
    const int threads = cpu_threads_for(ctx->threads, bytes / 2);
    cpu_plan_regions(1);
    if (threads == 1 && call->n <= CHUNK && !call->map)
        add_chunk(&j, 0, call->n, states);
    else
        cpu_parallel(threads, ceil_div(call->n, CHUNK), PARALLEL_RANGES, add_chunks, &j);
    cpu_exact_finish(call, states);
    return WEFT_OK;
}
