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

#if IS_FLOAT

/* Computes the bins of one vector of f64. It uses no conversions to integers, which some instruction set levels
 * lack: after the addition of 2^52 the low bits of a number are the nearest integer. */
INLINE void OF(even_bins_of_lanes)(const weft_even_bins *even, const T *x, uint32_t *bin) {
    const double ulp_is_one = 0x1p52;
    const vector_i64 last = splat_i64((int64_t)even->bins - 1), none = last + 1;
    T lanes __attribute__((vector_size(F64_LANES * sizeof(T))));
    memcpy(&lanes, x, sizeof lanes);
    const vector_f64 v = __builtin_convertvector(lanes, vector_f64);
    const vector_f64 position = (v - even->lower) * even->scale, raised = position + ulp_is_one;
    const vector_f64 nearest = raised - ulp_is_one;
    /* Unsigned, because lanes outside all bins may wrap. */
    typedef uint64_t vector_bits __attribute__((vector_size(sizeof(vector_i64))));
    vector_i64 floor =
        (vector_i64)((vector_bits)raised - (vector_bits)splat_f64(ulp_is_one) + (vector_bits)(nearest > position));
    const vector_i64 beyond = (vector_i64)(floor > last);
    floor = (beyond & last) | (~beyond & floor);
    const vector_i64 inside = (vector_i64)(v >= even->lower) & (vector_i64)(v <= even->upper);
    const vector_u32 result = __builtin_convertvector((inside & floor) | (~inside & none), vector_u32);
    memcpy(bin, &result, sizeof result);
}

static void OF(even_bins)(const bin_map *map, const T *x, size_t n, uint32_t *bin) {
    const weft_even_bins even = map->even;
    size_t i = 0;
    for (; i + F64_LANES <= n; i += F64_LANES) OF(even_bins_of_lanes)(&even, x + i, bin + i);
    for (; i < n; i++) bin[i] = (uint32_t)weft_even_bin_of_real(&even, (double)x[i]);
}

#else

static void OF(even_bins)(const bin_map *map, const T *x, size_t n, uint32_t *bin) {
    const weft_even_bins even = map->even;
    for (size_t i = 0; i < n; i++)
        bin[i] = (uint32_t)(sizeof(T) == 8 ? weft_even_bin_of_wide(&even, (uint64_t)x[i])
                                           : weft_even_bin_of_narrow(&even, (uint32_t)x[i]));
}

#endif

static void OF(bins)(const bin_map *map, const void *x, size_t n, uint32_t *bin) {
    if (map->table && sizeof(T) <= 2)
        for (size_t i = 0; i < n; i++) bin[i] = map->table[(U)((const T *)x)[i]];
    else if (map->edges)
        OF(bins_by_edges)(map, x, n, bin);
    else
        OF(even_bins)(map, x, n, bin);
}
