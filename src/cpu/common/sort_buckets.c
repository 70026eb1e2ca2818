/* Vectorized samplesort of keys without values (W. D. Frazer and A. C. McKellar, Samplesort, 1970). Blocks of keys
 * that fit in a core's cache are partitioned by splitters. Then the parts of each bucket are concatenated and
 * sorted. Memory is read and written three times for any number of keys. Blocks and splitters do not change the
 * result. NaNs, which have no rank, are in a bucket of their own, in which their order is preserved. */
#include "core/types.h"
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    BLOCK_BYTES =
        1 << 18, /* bytes of keys that are partitioned at a time; as many bytes are used for the second buffer */
    BUCKET_BYTES = 1 << 17,  /* average bytes of a bucket */
    BUCKETS_OF_A_CHUNK = 16, /* minimum buckets per chunk, for load balance */
    BUCKETS_MAX = 512,
    WORKSPACE_BYTES = 2 * BLOCK_BYTES /* maximum workspace of a thread */
};

typedef struct plan {
    const sort_params *params;
    size_t block, blocks,
        buckets;            /* keys per block; number of blocks; number of buckets including that of the NaNs */
    size_t workspace_bytes; /* workspace of a thread */
    /* For each block, the start of each of its buckets in `spare`, and the start of the next block. */
    size_t *starts;
    size_t *begins; /* start of each bucket in the result, and the end of the result */
    void *splitters;
    char *workspaces;
} plan;

/* A sort on one thread may be an item of a region, in which the thread has another number. */
static char *own_workspace(const plan *p) {
    return p->workspaces + (p->params->chunks == 1 ? 0 : (size_t)cpu_thread_number() * p->workspace_bytes);
}

static size_t *starts_of(const plan *p, size_t block) { return p->starts + block * (p->buckets + 1); }

/* --------------------------------------------------------------------------------- blocks */

static void part_block(void *self, size_t block) {
    const plan *const p = self;
    const sort_params *const params = p->params;
    const size_t first = block * p->block, n = min_u64(params->n - first, p->block), bytes = params->keys.bytes;
    char *const ranks = own_workspace(p), *const to = (char *)params->keys.spare + first * bytes;
    size_t *const starts = starts_of(p, block), nans = p->buckets - 1;
    const size_t numbers =
        params->vectors->rank(&params->rule, (const char *)params->keys.from + first * bytes, n, ranks);
    params->vectors->part(ranks, numbers, to, nans - 1, p->splitters, starts + 1);
    memcpy(to + numbers * bytes, ranks + numbers * bytes, (n - numbers) * bytes);
    starts[0] = first;
    starts[nans + 1] = n - numbers;
    for (size_t b = 0; b < p->buckets; b++) starts[b + 1] += starts[b];
}

static void start_buckets(const plan *p) {
    memset(p->begins, 0, (p->buckets + 1) * sizeof *p->begins);
    for (size_t i = 0; i < p->blocks; i++)
        for (size_t b = 0; b < p->buckets; b++) p->begins[b + 1] += starts_of(p, i)[b + 1] - starts_of(p, i)[b];
    for (size_t b = 0; b < p->buckets; b++) p->begins[b + 1] += p->begins[b];
}

/* -------------------------------------------------------------------------------- buckets */

static size_t bytes_of(const plan *p, size_t b) { return (p->begins[b + 1] - p->begins[b]) * p->params->keys.bytes; }

static void gather_bucket(const plan *p, size_t b) {
    const size_t bytes = p->params->keys.bytes;
    char *to = (char *)p->params->keys.to + p->begins[b] * bytes;
    for (size_t i = 0; i < p->blocks; i++) {
        const size_t start = starts_of(p, i)[b], size = (starts_of(p, i)[b + 1] - start) * bytes;
        memcpy(to, (const char *)p->params->keys.spare + start * bytes, size);
        to += size;
    }
}

static void finish_bucket(const plan *p, size_t b, void *other) {
    char *const ranks = (char *)p->params->keys.to + p->begins[b] * p->params->keys.bytes;
    p->params->vectors->finish(&p->params->rule, ranks, p->begins[b + 1] - p->begins[b], other);
}

/* Concatenates a bucket and sorts it if its second buffer fits in the thread's workspace. Larger buckets, which
 * occur if many keys are equal, are sorted later with `spare` as the second buffer, when `spare` is not needed any
 * more. */
static void sort_small_bucket(void *self, size_t b) {
    const plan *p = self;
    gather_bucket(p, b);
    if (b + 1 < p->buckets && bytes_of(p, b) <= p->workspace_bytes) finish_bucket(p, b, own_workspace(p));
}

static void sort_large_bucket(void *self, size_t b) {
    const plan *p = self;
    if (bytes_of(p, b) > p->workspace_bytes)
        finish_bucket(p, b, (char *)p->params->keys.spare + p->begins[b] * p->params->keys.bytes);
}

/* Sorts keys that are one bucket, besides that of the NaNs. */
static void sort_whole(const plan *p) {
    const sort_params *const params = p->params;
    const sort_lane *const keys = &params->keys;
    void *const ranks = keys->from == keys->to ? keys->spare : keys->to;
    const size_t numbers = params->vectors->rank(&params->rule, keys->from, params->n, ranks);
    params->vectors->finish(&params->rule, ranks, numbers, p->workspaces);
    if (ranks != keys->to) memcpy(keys->to, ranks, params->n * keys->bytes);
}

static void run(plan *p) {
    const int threads = (int)p->params->chunks;
    cpu_plan_regions(3);
    cpu_parallel_for(threads, p->blocks, PARALLEL_IN_ORDER, part_block, p);
    if (cpu_cancelled()) return;
    start_buckets(p);
    cpu_parallel_for(threads, p->buckets, PARALLEL_IN_ORDER, sort_small_bucket, p);
    cpu_parallel_for(threads, p->buckets - 1, PARALLEL_IN_ORDER, sort_large_bucket, p);
}

/* -------------------------------------------------------------------------------- the call */

/* Chooses blocks and buckets. Few keys are one block, with one bucket and that of the NaNs. */
static plan plan_buckets(const sort_params *params) {
    plan p = {.params = params};
    const size_t n = params->n, bytes = params->keys.bytes, chunks = params->chunks;
    const size_t fit = n * bytes / BUCKET_BYTES, balanced = chunks > 1 ? BUCKETS_OF_A_CHUNK * chunks : 1;
    p.block = min_u64(n, BLOCK_BYTES / bytes);
    p.blocks = (n - 1) / p.block + 1;
    p.buckets = 1 + min_u64(fit > balanced ? fit : balanced, BUCKETS_MAX);
    p.workspace_bytes = in_lines(min_u64(n * bytes, WORKSPACE_BYTES));
    return p;
}

static size_t keys_bytes(const plan *p) { return in_lines(p->params->n * p->params->keys.bytes); }
static size_t starts_bytes(const plan *p) { return in_lines(p->blocks * (p->buckets + 1) * sizeof *p->starts); }
static size_t begins_bytes(const plan *p) { return in_lines((p->buckets + 1) * sizeof *p->begins); }

static size_t splitters_bytes(const plan *p) { return in_lines(p->buckets * p->params->keys.bytes); }

size_t cpu_sort_buckets_bytes(const sort_params *params) {
    const plan p = plan_buckets(params);
    return keys_bytes(&p) + starts_bytes(&p) + begins_bytes(&p) + splitters_bytes(&p) +
           params->chunks * p.workspace_bytes;
}

void cpu_sort_buckets(sort_params *params, void *workspace) {
    plan p = plan_buckets(params);
    params->keys.spare = workspace;
    p.starts = (void *)((char *)workspace + keys_bytes(&p));
    p.begins = (void *)((char *)p.starts + starts_bytes(&p));
    p.splitters = (char *)p.begins + begins_bytes(&p);
    p.workspaces = (char *)p.splitters + splitters_bytes(&p);
    if (p.buckets == 2 && p.blocks == 1) {
        sort_whole(&p);
        return;
    }
    if (p.buckets > 2)
        params->vectors->choose(&params->rule, params->keys.from, params->n, workspace, p.buckets - 2, p.splitters);
    run(&p);
}
