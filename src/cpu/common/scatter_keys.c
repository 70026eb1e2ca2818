/* Survey of the indices of weft_scatter_reduce. */
#include "cpu/common/scatter.h"

#include <string.h>

enum { BLOCK = 1 << 11 }; /* indices that stay in the first cache */

static void for_parts(const scatter_keys *k, void (*body)(void *self, size_t part), void *self) {
    cpu_parallel_for(k->threads, ceil_div(k->n, SCATTER_AT_ONCE), PARALLEL_RANGES, body, self);
}

/* Finds the first index out of range in a block that has one. */
static void note_bad(scatter_keys *k, size_t i) {
    while (scatter_key(k->bytes, k->keys, i) <= k->last && !k->none) i++;
    size_t known = atomic_load(&k->bad);
    while (i < known && !atomic_compare_exchange_weak(&k->bad, &known, i)) {
    }
}

/* Stops if the indices do not ascend, unless all are to be checked. */
static void survey_part(void *self, size_t part) {
    scatter_keys *k = self;
    const scatter_kernel *kernel = k->ctx->level->scatters->width[k->bytes == 4 ? 1 : 2];
    const size_t end = scatter_end(part * SCATTER_AT_ONCE, SCATTER_AT_ONCE, k->n);
    bool bad = false;
    for (size_t i = part * SCATTER_AT_ONCE; i < end && (k->surveyed || !k->falls); i += BLOCK) {
        const unsigned found = kernel->survey(k->keys, i, scatter_end(i, BLOCK, end), k->last);
        if ((found & 1) && !bad) note_bad(k, i);
        bad |= found & 1;
        if (found & 2) k->falls = true;
    }
}

void scatter_survey(scatter_keys *k, bool all) {
    k->surveyed = all || k->none;
    if (k->none && k->n) note_bad(k, 0);
    if (!k->none) for_parts(k, survey_part, k);
    k->surveyed |= !k->falls;
}

/* ---------------------------------------------------------------------------------- normalized */

typedef struct copy {
    const scatter_keys *from;
    size_t bytes;
    void *to;
} copy;

static inline __attribute__((always_inline)) void normalize(const copy *j, size_t bytes, size_t to_bytes,
                                                            size_t first, size_t end) {
    const scatter_keys *k = j->from;
    for (size_t i = first; i < end; i++) {
        const uint64_t index = scatter_key(bytes, k->keys, i), key = index > k->last ? k->m : index;
        if (to_bytes == 4)
            ((uint32_t *)j->to)[i] = (uint32_t)key;
        else
            ((uint64_t *)j->to)[i] = key;
    }
}

static void normalize_part(void *self, size_t part) {
    const copy *j = self;
    const size_t first = part * SCATTER_AT_ONCE, end = scatter_end(first, SCATTER_AT_ONCE, j->from->n);
    if (j->from->bytes == 4)
        normalize(j, 4, 4, first, end);
    else if (j->bytes == 4)
        normalize(j, 8, 4, first, end);
    else
        normalize(j, 8, 8, first, end);
}

void scatter_normalize(scatter_keys *k, size_t bytes, void *to) {
    for_parts(k, normalize_part, &(copy){k, bytes, to});
    k->keys = to;
    k->bytes = bytes;
    k->last = UINT64_MAX >> (64 - 8 * bytes);
    k->none = false;
    k->falls = false;
    scatter_survey(k, false);
}

/* ------------------------------------------------------------------------------------- offsets */

typedef struct search {
    const scatter_keys *k;
    uint64_t *offsets;
} search;

/* Writes the offsets of the targets whose first key is in the part, and of targets without keys before them. */
static void find_part(void *self, size_t part) {
    const search *j = self;
    const scatter_keys *k = j->k;
    const size_t first = part * SCATTER_AT_ONCE, end = scatter_end(first, SCATTER_AT_ONCE, k->n);
    uint64_t target = first ? scatter_key(k->bytes, k->keys, first - 1) + 1 : 0;
    for (size_t i = first; i < end; i++) {
        const uint64_t key = scatter_key(k->bytes, k->keys, i);
        while (target <= key && target <= k->m) j->offsets[target++] = i;
    }
    if (end == k->n)
        while (target <= k->m) j->offsets[target++] = k->n;
}

void scatter_find_offsets(const scatter_keys *k, uint64_t *offsets) {
    if (k->n)
        for_parts(k, find_part, &(search){k, offsets});
    else
        memset(offsets, 0, (k->m + 1) * sizeof *offsets);
}
