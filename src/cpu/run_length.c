/* weft_unique and weft_run_length on the CPU. A thread takes the next part, marks and counts the first elements of
 * its runs, and waits for its turn. Then it reads how many runs are in the parts before and where the last of them
 * begins, and writes its own runs. The length of a part's last run is written by the next part in which a run
 * begins. */
#include "cpu/common/selection_parts.h"
#include "cpu/runtime/relay.h"

typedef struct runs {
    const run_length_call *call;
    const selection_kernels *kernels;
    size_t part; /* elements per part, except the last */
    /* Totals over the parts before the one whose turn it is: */
    size_t count; /* number of runs */
    size_t begin; /* start of the last run */
} runs;

/* Return the position of the first and of the last mark. There must be at least one. */
static size_t first_mark(const uint64_t *bits) {
    size_t w = 0;
    while (!bits[w]) w++;
    return w * 64 + (size_t)__builtin_ctzll(bits[w]);
}

static size_t last_mark(const uint64_t *bits, size_t words) {
    while (!bits[words - 1]) words--;
    return words * 64 - 1 - (size_t)__builtin_clzll(bits[words - 1]);
}

static void runs_of_part(void *state, size_t i, relay *turns) {
    runs *j = state;
    const run_length_call *c = j->call;
    const size_t size = weft_dtype_size(c->dtype), first = i * j->part, left = c->n - first;
    const size_t n = left < j->part ? left : j->part, words = selection_words(n);
    const weft_dtype type = cpu_selection_type(c->dtype);
    const char *x = (const char *)c->x + first * size;
    uint64_t bits[SELECTION_WORDS];
    j->kernels->heads[type](x, n, i == 0, bits);
    const size_t marked = j->kernels->count(bits, words);
    const size_t begin = marked ? first + last_mark(bits, words) : 0;
    relay_wait(turns, i);
    const runs before = *j;
    j->count += marked;
    if (marked) j->begin = begin;
    relay_pass(turns, i);
    if (!marked) return;
    j->kernels->compact[type](x, bits, marked, (char *)c->values + before.count * size);
    if (!c->lengths) return;
    if (before.count > 0) c->lengths[before.count - 1] = first + first_mark(bits) - before.begin;
    j->kernels->distances(bits, words, c->lengths + before.count);
}

weft_status cpu_run_length(void *state, const run_length_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    const selection_parts parts = cpu_selection_parts(ctx, c->n, weft_dtype_size(c->dtype));
    runs j = {.call = c, .kernels = ctx->level->selections, .part = parts.elements};
    (void)error;
    cpu_plan_regions(1);
    relay_run(parts.threads, parts.count, runs_of_part, &j);
    if (c->lengths && j.count > 0) c->lengths[j.count - 1] = c->n - j.begin;
    *c->count = j.count;
    return WEFT_OK;
}
