/* weft_top_k on the CPU. A thread reads its part of the array once and lists the candidates for the first k.
 * Whenever its list is full, only the first k of it are kept; from then on, only elements greater than the last of
 * these are added. The lists of all threads form one list in array order, whose first k are sorted. For the k
 * smallest elements, the bits of the keys are inverted. */
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    SLACK = 4096, /* capacity of a list beyond 2 k candidates */
    DIGITS = 256,
    FILTERED_AT_ONCE = 1 << 24 /* elements between two checks for cancellation */
};

/* ----------------------------------------------------------------- the first k of a list */

static unsigned digit(uint64_t key, unsigned shift) { return (unsigned)(key >> shift) % DIGITS; }

/* Returns the k-th greatest key by radix select, starting at the highest digit. *equals receives the number of keys
 * equal to it among the first k. */
static uint64_t kth_key(const candidate *list, size_t count, size_t k, unsigned bits, size_t *equals) {
    uint64_t prefix = 0; /* the digits found so far */
    for (unsigned shift = bits; shift > 0;) {
        size_t counts[DIGITS] = {0};
        const unsigned above = shift;
        shift -= 8;
        for (size_t i = 0; i < count; i++)
            if (above == bits || list[i].key >> above == prefix) counts[digit(list[i].key, shift)]++;
        unsigned d = DIGITS - 1;
        for (; counts[d] < k; d--) k -= counts[d];
        prefix = prefix << 8 | d;
    }
    *equals = k;
    return prefix;
}

/* Keeps the first k candidates, in array order. Returns the least of their keys. */
static uint64_t keep_first(candidate *list, size_t count, size_t k, unsigned bits) {
    size_t equals, kept = 0;
    const uint64_t least = kth_key(list, count, k, bits, &equals);
    for (size_t i = 0; i < count && kept < k; i++) {
        const bool equal = list[i].key == least;
        list[kept] = list[i];
        kept += list[i].key > least || (equal && equals > 0);
        equals -= equal && equals > 0;
    }
    return least;
}

/* Sorts by descending key with a stable LSD radix sort. `other` is a buffer for `count` candidates. Returns the
 * array that contains the result: list or other. */
static candidate *sort_list(candidate *list, candidate *other, size_t count, unsigned bits) {
    for (unsigned shift = 0; shift < bits; shift += 8) {
        size_t counts[DIGITS] = {0}, start = 0;
        for (size_t i = 0; i < count; i++) counts[digit(list[i].key, shift)]++;
        if (counts[digit(list[0].key, shift)] == count) continue;
        for (unsigned d = DIGITS; d-- > 0;) {
            const size_t here = counts[d];
            counts[d] = start;
            start += here;
        }
        for (size_t i = 0; i < count; i++) other[counts[digit(list[i].key, shift)]++] = list[i];
        candidate *const sorted = other;
        other = list;
        list = sorted;
    }
    return list;
}

/* ------------------------------------------------------------------------------- the parts */

typedef struct plan {
    const top_k_call *call;
    filter *filter;
    uint64_t xor_mask;
    unsigned bits;         /* bits of a key */
    size_t part, capacity; /* elements per thread; capacity of its list */
    int threads;
} plan;

/* Lists the candidates of part t; returns their number. */
static size_t list_part(const plan *p, size_t t, candidate *list) {
    const uint64_t greatest = UINT64_MAX >> (64 - p->bits);
    const size_t size = weft_dtype_size(p->call->dtype), end = min_u64(p->call->n, (t + 1) * p->part);
    size_t count = 0;
    uint64_t least = 0;
    for (size_t first = t * p->part; first < end && !cpu_cancelled();) {
        const char *x = (const char *)p->call->x + first * size;
        const size_t n = min_u64(end - first, FILTERED_AT_ONCE);
        const size_t looked_at = p->filter(x, n, first, p->xor_mask, least, list, &count, p->capacity);
        first += looked_at;
        if (looked_at == n && first < end) continue;
        if (first >= end) break;
        const uint64_t last = keep_first(list, count, p->call->k, p->bits);
        count = p->call->k;
        if (last == greatest) break; /* no later element can precede the k candidates */
        least = last + 1;
    }
    return count;
}

/* The lists of all parts and their lengths. */
typedef struct lists {
    const plan *plan;
    candidate *all;
    size_t *counts;
} lists;

static void list_numbered(void *self, size_t t) {
    const lists *l = self;
    l->counts[t] = list_part(l->plan, t, l->all + t * l->plan->capacity);
}

/* Returns the first k candidates, sorted, or NULL if the call is cancelled. `counts` is a workspace with one entry
 * per part. */
static candidate *list_all(const plan *p, candidate *all, size_t *counts) {
    lists l = {p, all, counts};
    size_t total = 0;
    cpu_plan_regions(1);
    cpu_parallel_for(p->threads, (size_t)p->threads, PARALLEL_RANGES, list_numbered, &l);
    if (cpu_cancelled()) return NULL;
    for (int t = 0; t < p->threads; total += counts[t++])
        memmove(all + total, all + (size_t)t * p->capacity, counts[t] * sizeof *all);
    keep_first(all, total, p->call->k, p->bits);
    return sort_list(all, all + (size_t)p->threads * p->capacity, p->call->k, p->bits);
}

static void store(const top_k_call *c, const candidate *list) {
    const size_t size = weft_dtype_size(c->dtype);
    for (size_t i = 0; i < c->k; i++) {
        memcpy((char *)c->values + i * size, (const char *)c->x + list[i].index * size, size);
        if (c->indices) c->indices[i] = list[i].index;
    }
}

weft_status cpu_top_k(void *state, const top_k_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t size = weft_dtype_size(c->dtype);
    void *workspace;
    plan p = {.call = c,
              .filter = ctx->level->filters->filter[c->dtype],
              .xor_mask = c->extreme == WEFT_SMALLEST ? UINT64_MAX : 0,
              .bits = 8 * (unsigned)size,
              .threads = cpu_threads_for(ctx->threads, c->n * size / 2)};
    p.part = (c->n - 1) / (size_t)p.threads + 1;
    p.capacity = min_u64(p.part, c->k > p.part / 2 ? p.part : 2 * c->k + SLACK) + FILTER_BLOCK;
    RETURN_IF(p.capacity > SIZE_MAX / sizeof(candidate) / ((size_t)p.threads + 1), WEFT_OUT_OF_MEMORY,
              "cannot allocate host memory for the %zu largest of %zu elements", c->k, c->n);
    const size_t candidates = (size_t)p.threads * p.capacity + c->k;
    RETURN_IF_ERROR(
        cpu_workspace(ctx, candidates * sizeof(candidate) + (size_t)p.threads * sizeof(size_t), &workspace, error));
    const candidate *const first = list_all(&p, workspace, (size_t *)((candidate *)workspace + candidates));
    if (first) store(c, first);
    return WEFT_OK;
}
