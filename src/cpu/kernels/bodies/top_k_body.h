/* Body of cpu/kernels/top_k.c for one type. */
#include "cpu/kernels/bodies/key_body.h"

/* Returns the rank of element i: greater ranks come first. A NaN has rank 0 for every `xor_mask`. */
INLINE U OF(rank_at)(const void *x, size_t i, U xor_mask) {
    const U key = OF(key_at)(x, i);
    return IS_FLOAT && key == (U)-1 ? 0 : (U)(key ^ xor_mask);
}

static size_t OF(filter)(const void *x, size_t n, size_t first, uint64_t flip_bits, uint64_t least_key,
                         candidate *list, size_t *count, size_t capacity) {
    const U xor_mask = (U)flip_bits, least = (U)least_key;
    size_t i = 0, at = *count;
    while (i < n && at + FILTER_BLOCK <= capacity) {
        const size_t end = n - i < FILTER_BLOCK ? n : i + FILTER_BLOCK;
        U any = 0;
        for (size_t j = i; j < end; j++) any |= (U)(OF(rank_at)(x, j, xor_mask) >= least);
        for (size_t j = i; j < end && any; j++) {
            const U key = OF(rank_at)(x, j, xor_mask);
            list[at] = (candidate){key, first + j};
            at += key >= least;
        }
        i = end;
    }
    *count = at;
    return i;
}
