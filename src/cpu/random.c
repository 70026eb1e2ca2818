/* weft_random and weft_random_integers on the CPU (ORDER.md 19): generates the words of a group of Philox blocks
 * that fits in the L1 cache, then converts them to samples. */
#include "core/order.h"
#include "cpu/runtime/parallel.h"

enum {
    BLOCKS = 256,          /* Philox blocks per group */
    PART_SAMPLES = 1 << 16 /* samples per work item */
};

typedef struct plan {
    const random_call *call;
    const sample_kernels *kernels;
    sampler *sampler;
    size_t size, per_block; /* bytes of a sample; samples per Philox block */
} plan;

static sampler *find_sampler(const sample_kernels *k, const random_call *c) {
    if (c->integers) return weft_dtype_size(c->dtype) == 8 ? k->integers_64 : k->integers_32;
    switch (c->distribution) {
    case WEFT_BERNOULLI: return k->bernoulli;
    case WEFT_NORMAL_FAST: return k->normal_fast;
    case WEFT_LOGNORMAL_FAST: return k->lognormal_fast;
    default: break;
    }
    return c->dtype == WEFT_F32 ? k->f32[c->distribution] : k->f64[c->distribution];
}

/* Generates samples [from, end) of the call, counted from 0. */
static void make_part(const plan *p, size_t from, size_t end) {
    const random_call *c = p->call;
    uint32_t words[BLOCKS * WEFT_BLOCK_WORDS];
    for (size_t n; from < end; from += n) {
        const uint64_t first = c->first + from;
        const size_t skipped = first % p->per_block, workspace = BLOCKS * p->per_block - skipped;
        n = end - from < workspace ? end - from : workspace;
        p->kernels->words(c, first / p->per_block, (skipped + n - 1) / p->per_block + 1, words);
        p->sampler(c, words + skipped * (WEFT_BLOCK_WORDS / p->per_block), first, n, (char *)c->out + from * p->size);
    }
}

static void make_item(void *self, size_t part) {
    const plan *p = self;
    const size_t n = p->call->n, from = part * PART_SAMPLES;
    make_part(p, from, n - from < PART_SAMPLES ? n : from + PART_SAMPLES);
}

weft_status cpu_random(void *state, const random_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    const size_t size = weft_dtype_size(c->dtype);
    plan p = {.call = c,
              .kernels = ctx->level->samples,
              .sampler = find_sampler(ctx->level->samples, c),
              .size = size,
              .per_block = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(size)};
    const int threads = cpu_threads_for(ctx->threads, c->n * size);
    (void)error;
    cpu_plan_regions(1);
    cpu_parallel_for(threads, (c->n - 1) / PART_SAMPLES + 1, PARALLEL_RANGES, make_item, &p);
    return WEFT_OK;
}
