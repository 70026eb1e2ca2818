#include "cpu/common/top_k_list.h"

#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    SLACK = 4096, /* capacity of a list beyond 2 k candidates */
    DIGITS = 256,
    SHORT = 64,                     /* longest list that is sorted by insertion */
    BOUNDED_K = FILTER_COLUMNS / 2, /* greatest k for which a first bound is computed */
    BOUND_FROM = 4096,              /* elements from which it is computed */
    FILTERED_AT_ONCE = 1 << 24      /* elements between two checks for cancellation */
};

/* ----------------------------------------------------------------- the first k of a list */

static unsigned digit(uint64_t key, unsigned shift) { return (unsigned)(key >> shift) % DIGITS; }

static unsigned bits_of(const top_k_params *p) { return 8 * (unsigned)p->size; }

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

/* Keeps the first k of more than SHORT candidates, in array order. Returns the least of their keys. */
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

/* Sorts the first k of a list by descending key, stably. Leaves the others in any order. */
static void sort_short(candidate *list, size_t count, size_t k) {
    for (size_t i = 1; i < count; i++) {
        const candidate moved = list[i];
        size_t to = i;
        if (i >= k) to = k - 1;
        if (i >= k && list[to].key >= moved.key) continue;
        for (; to > 0 && list[to - 1].key < moved.key; to--) list[to] = list[to - 1];
        list[to] = moved;
    }
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

candidate *cpu_top_k_first(const top_k_params *p, candidate *list, candidate *other, size_t count) {
    if (count > SHORT) {
        keep_first(list, count, p->k, bits_of(p));
        count = p->k;
    }
    if (count > SHORT) return sort_list(list, other, count, bits_of(p));
    sort_short(list, count, p->k);
    return list;
}

void cpu_top_k_store(const top_k_params *p, const void *x, const candidate *list, void *values, uint64_t *indices) {
    for (size_t i = 0; i < p->k; i++) {
        memcpy((char *)values + i * p->size, (const char *)x + list[i].index * p->size, p->size);
        if (indices) indices[i] = list[i].index;
    }
}

/* ------------------------------------------------------------------------------------- lists */

top_k_params cpu_top_k_params(const cpu_context *ctx, weft_dtype dtype, weft_extreme extreme, size_t k, size_t most) {
    const filter_kernels *kernels = ctx->level->filters;
    return (top_k_params){
        .filter = kernels->filter[dtype],
        .bound = kernels->bound[dtype],
        .size = weft_dtype_size(dtype),
        .k = k,
        .xor_mask = extreme == WEFT_SMALLEST ? UINT64_MAX : 0,
        .capacity = (size_t)min_u64(most, k > most / 2 ? most : 2 * k + SLACK) + FILTER_BLOCK,
    };
}

/* Returns a key that at least k of n elements reach. 0 if that takes longer than it saves. */
static uint64_t first_bound(const top_k_params *p, const void *x, size_t n) {
    if (p->k > BOUNDED_K || n < 2 * FILTER_COLUMNS) return 0;
    return p->bound(x, (size_t)min_u64(n, BOUND_FROM), p->xor_mask, p->k);
}

size_t cpu_top_k_list(const top_k_params *p, const void *x, size_t first, size_t end, candidate *list) {
    const uint64_t greatest = UINT64_MAX >> (64 - bits_of(p));
    size_t count = 0;
    uint64_t least = first_bound(p, (const char *)x + first * p->size, end - first);
    while (first < end && !cpu_cancelled()) {
        const size_t n = (size_t)min_u64(end - first, FILTERED_AT_ONCE);
        const size_t looked_at =
            p->filter((const char *)x + first * p->size, n, first, p->xor_mask, least, list, &count, p->capacity);
        first += looked_at;
        if (looked_at == n && first < end) continue;
        if (first >= end) break;
        const uint64_t last = keep_first(list, count, p->k, bits_of(p));
        count = p->k;
        if (last == greatest) break; /* no later element can precede the k candidates */
        least = last + 1;
    }
    return count;
}
