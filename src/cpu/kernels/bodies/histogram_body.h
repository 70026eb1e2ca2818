/* Body of cpu/kernels/histogram.c for one type. */
#include "cpu/kernels/bodies/search_body.h"

/* Returns the key after replacing -0 by +0, which it equals. */
INLINE U OF(key_by_value)(T x) {
    x += 0;
    return OF(key_at)(&x, 0);
}

static void OF(keys)(const void *edges, size_t n, void *keys) {
    for (size_t i = 0; i < n; i++) ((U *)keys)[i] = OF(key_by_value)(((const T *)edges)[i]);
}

/* Returns the bin of a search position. A position after all edges is in the last bin if the key equals the last
 * edge. */
INLINE uint32_t OF(bin_at)(const bin_map *map, size_t position, U key) {
    const size_t bins = map->even.bins;
    if (position > bins) return (uint32_t)(key == ((const U *)map->edges)[bins] ? bins - 1 : bins);
    return (uint32_t)(position ? position - 1 : bins);
}

INLINE void OF(bins_of_group)(const bin_map *map, const T *x, uint32_t *bin) {
    U key[SEARCH_GROUP];
    size_t at[SEARCH_GROUP];
    for (size_t g = 0; g < SEARCH_GROUP; g++) key[g] = OF(key_by_value)(x[g]);
    OF(search_group)(map->edges, true, map->even.bins + 1, true, key, at);
    for (size_t g = 0; g < SEARCH_GROUP; g++) bin[g] = OF(bin_at)(map, at[g], key[g]);
}

static void OF(bins_by_edges)(const bin_map *map, const T *x, size_t n, uint32_t *bin) {
    size_t i = 0;
    T rest[SEARCH_GROUP] = {0};
    uint32_t bin_of_rest[SEARCH_GROUP];
    for (; i + SEARCH_GROUP <= n; i += SEARCH_GROUP) OF(bins_of_group)(map, x + i, bin + i);
    if (i == n) return;
    memcpy(rest, x + i, (n - i) * sizeof *x);
    OF(bins_of_group)(map, rest, bin_of_rest);
    memcpy(bin + i, bin_of_rest, (n - i) * sizeof *bin);
}

/* Returns the bin of x among even bins, or their number. For floats they must be at most SMALL_BINS, so that all
 * instruction set levels can convert vectors of bins to integers. */
INLINE size_t OF(even_bin)(const weft_even_bins *even, T x) {
#if IS_FLOAT
    const double v = (double)x, last = (double)even->bins - 1, position = (v - even->lower) * even->scale;
    const double bin = position < last ? position : last;
    return (size_t)(truncated)(((v >= even->lower) & (v <= even->upper)) ? bin : (double)even->bins);
#else
    return (size_t)(sizeof(T) == 8 ? weft_even_bin_of_wide(even, (uint64_t)x)
                                   : weft_even_bin_of_narrow(even, (uint32_t)x));
#endif
}

static void OF(even_bins)(const bin_map *map, const T *x, size_t n, uint32_t *bin) {
    const weft_even_bins even = map->even;
    if (IS_FLOAT && even.bins > SMALL_BINS)
        for (size_t i = 0; i < n; i++) bin[i] = (uint32_t)weft_even_bin_of_real(&even, (double)x[i]);
    else
        for (size_t i = 0; i < n; i++) bin[i] = (uint32_t)OF(even_bin)(&even, x[i]);
}

static void OF(bins)(const bin_map *map, const void *x, size_t n, uint32_t *bin) {
    if (map->table && sizeof(T) <= 2)
        for (size_t i = 0; i < n; i++) bin[i] = map->table[(U)((const T *)x)[i]];
    else if (map->edges)
        OF(bins_by_edges)(map, x, n, bin);
    else
        OF(even_bins)(map, x, n, bin);
}

/* Counts elements in even bins. Alternates between the bins of some elements and the increments for elements LAG
 * before them: the increments, one per cycle, overlap with the arithmetic. Stores the addresses of counters instead
 * of the bins: an increment of memory at an indexed address is more operations than one at an address in a
 * register, at least on CPUs from Intel. */
static void OF(count_even)(const weft_even_bins *bins, const void *x, size_t n, uint32_t *counters, size_t stride) {
    const weft_even_bins even = *bins;
    const T *from = x;
    uint32_t *ring[2][LAG], *table[COUNTED];
    size_t i = 0;
    for (size_t k = 0; k < COUNTED; k++) table[k] = counters + k % TABLES * stride;
    for (size_t j = 0; j < LAG; j++) ring[1][j] = counters + even.bins;
    for (; i + LAG <= n; i += LAG) {
        uint32_t **const counter = ring[i / LAG % 2], *const *const before = ring[1 - i / LAG % 2];
        for (size_t j = 0; j < LAG; j += COUNTED) {
            prefetch_after((const char *)(from + i + j), COUNTED * sizeof(T));
            for (size_t k = 0; k < COUNTED; k++) counter[j + k] = table[k] + OF(even_bin)(&even, from[i + j + k]);
            count_at(before + j);
        }
    }
    for (size_t j = 0; j < LAG; j += COUNTED) count_at(ring[1 - i / LAG % 2] + j);
    for (; i < n; i++) counters[OF(even_bin)(&even, from[i])]++;
}
