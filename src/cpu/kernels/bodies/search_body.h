/* Branch-free binary search of several keys at a time, so that their cache misses overlap. */
#include "cpu/kernels/bodies/key_body.h"

/* Returns all ones if element i is before the position of the key, else 0. */
INLINE size_t OF(before)(const void *sorted, bool of_keys, size_t i, bool right, U key) {
    const U element = of_keys ? ((const U *)sorted)[i] : OF(key_at)(sorted, i);
    return -(size_t)(right ? element <= key : element < key);
}

/* For each key, computes the number of elements of sorted[0..n) that are less than the key (`right`: not greater).
 * `sorted` contains elements, or keys if `of_keys`. The position is in [at, at + left] after every step. */
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
