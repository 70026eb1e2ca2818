/* Binary search without branches, several keys at a time, so that their cache misses overlap. */
#include "cpu/kernels/key_body.h"

/* All ones where an element stands before the position that is looked for. */
INLINE size_t OF(before)(const void *sorted, bool of_keys, size_t i, bool right, U key) {
    const U element = of_keys ? ((const U *)sorted)[i] : OF(key_at)(sorted, i);
    return -(size_t)(right ? element <= key : element < key);
}

/* For each key the number of sorted[0..n) that are less, or (right) not greater; sorted are elements, or keys. The
 * position is in [at, at + left] at every step. */
INLINE void OF(search_group)(const void *sorted, bool of_keys, size_t n, bool right, const U *key, size_t *at) {
    for (size_t g = 0; g < SEARCH_GROUP; g++) at[g] = 0;
    for (size_t left = n; left > 1;) {
        const size_t half = left / 2;
        for (size_t g = 0; g < SEARCH_GROUP; g++)
            at[g] += half & OF(before)(sorted, of_keys, at[g] + half - 1, right, key[g]);
        left -= half;
    }
    for (size_t g = 0; g < SEARCH_GROUP && n > 0; g++) at[g] += 1 & OF(before)(sorted, of_keys, at[g], right, key[g]);
}
