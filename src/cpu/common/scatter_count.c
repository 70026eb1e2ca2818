/* weft_scatter_count. */
#include "cpu/common/scatter.h"

#include <string.h>

enum { FEW = 1 << 16 }; /* up to this number of targets each thread has its own counts */

typedef struct counting {
    const scatter_keys *keys;
    uint64_t *to;
    uint64_t *counts; /* of each part; or NULL: atomic additions to the result */
    size_t parts;
} counting;

static inline __attribute__((always_inline)) void count_keys(const counting *k, size_t width, size_t part) {
    const scatter_keys *j = k->keys;
    const size_t m = j->m, end = (size_t)(((unsigned __int128)(part + 1) * j->n) / k->parts);
    uint64_t *const counts = k->counts ? k->counts + part * m : k->to;
    if (k->counts) memset(counts, 0, m * sizeof *counts);
    for (size_t i = (size_t)(((unsigned __int128)part * j->n) / k->parts); i < end && !cpu_cancelled();) {
        const size_t stop = scatter_end(i, SCATTER_AT_ONCE, end);
        for (; i < stop; i++) {
            const uint64_t key = scatter_key(width, j->keys, i);
            if (key > j->last) continue;
            if (k->counts)
                counts[key]++;
            else
                __atomic_fetch_add(&counts[key], 1, __ATOMIC_RELAXED);
        }
    }
}

static void count_part(void *self, size_t part) {
    const counting *k = self;
    if (k->keys->bytes == 4)
        count_keys(k, 4, part);
    else
        count_keys(k, 8, part);
}

/* Adds up the counts of the parts, or clears the result before atomic additions. */
static void add_counts(void *self, size_t range) {
    const counting *k = self;
    const size_t m = k->keys->m, end = scatter_end(range * SCATTER_AT_ONCE, SCATTER_AT_ONCE, m);
    uint64_t *const to = k->to;
    memset(to + range * SCATTER_AT_ONCE, 0, (end - range * SCATTER_AT_ONCE) * sizeof *to);
    for (size_t p = 0; k->counts && p < k->parts; p++)
        for (size_t i = range * SCATTER_AT_ONCE; i < end; i++) to[i] += k->counts[p * m + i];
}

weft_status scatter_count(cpu_context *ctx, const scatter_keys *keys, uint64_t *to, weft_error *error) {
    const size_t m = keys->m;
    counting k = {keys, to, NULL, (size_t)keys->threads};
    const bool own = m <= FEW || m <= keys->n / k.parts; /* the counts of all parts need at most 8 bytes per index */
    if (own) {
        void *workspace;
        RETURN_IF_ERROR(cpu_workspace(ctx, k.parts * m * sizeof *k.counts, &workspace, error));
        k.counts = workspace;
        cpu_parallel_for(keys->threads, k.parts, PARALLEL_RANGES, count_part, &k);
    }
    cpu_parallel_for(keys->threads, ceil_div(m, SCATTER_AT_ONCE), PARALLEL_RANGES, add_counts, &k);
    if (!own && !keys->none) {
        k.parts = ceil_div(keys->n, SCATTER_AT_ONCE);
        cpu_parallel_for(keys->threads, k.parts, PARALLEL_RANGES, count_part, &k);
    }
    return WEFT_OK;
}
