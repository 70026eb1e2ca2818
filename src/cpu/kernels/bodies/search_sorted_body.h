/* Body of cpu/kernels/search_sorted.c for one type. */
#include "cpu/kernels/bodies/search_body.h"

/* Searches m queries; m >= SEARCH_GROUP. */
INLINE void OF(search_all)(bool right, const void *sorted, size_t n, const T *queries, size_t m,
                           uint64_t *positions) {
    for (size_t i = 0; i < m; i += SEARCH_GROUP) {
        const size_t first =
            m - i < SEARCH_GROUP ? m - SEARCH_GROUP : i; /* the last group may repeat queries of the one before */
        U key[SEARCH_GROUP];
        size_t at[SEARCH_GROUP];
        for (size_t g = 0; g < SEARCH_GROUP; g++) key[g] = OF(key_at)(queries, first + g);
        OF(search_group)(sorted, false, n, right, key, at);
        for (size_t g = 0; g < SEARCH_GROUP; g++) positions[first + g] = at[g];
    }
}

INLINE void OF(search_few)(bool right, const void *sorted, size_t n, const T *queries, size_t m,
                           uint64_t *positions) {
    T some[SEARCH_GROUP] = {0};
    uint64_t found[SEARCH_GROUP];
    memcpy(some, queries, m * sizeof *queries);
    OF(search_all)(right, sorted, n, some, SEARCH_GROUP, found);
    memcpy(positions, found, m * sizeof *found);
}

static void OF(search)(weft_side side, const void *sorted, size_t n, const void *queries, size_t m,
                       uint64_t *positions) {
    if (m < SEARCH_GROUP)
        OF(search_few)(side == WEFT_RIGHT, sorted, n, queries, m, positions);
    else if (side == WEFT_RIGHT)
        OF(search_all)(true, sorted, n, queries, m, positions);
    else
        OF(search_all)(false, sorted, n, queries, m, positions);
}
