/* Body of cpu/kernels/filters.c for one type. */
#include "cpu/kernels/key_body.h"

/* Returns the rank of element i: greater ranks come first. A NaN has rank 0 for every `flip`. */
INLINE U OF(rank_at)(const void *x, size_t i, U flip) {
    const U key = OF(key_at)(x, i);
    return IS_FLOAT && key == (U)-1 ? 0 : (U)(key ^ flip);
}

static size_t OF(filter)(const void *x, size_t n, size_t first, uint64_t flip_bits, uint64_t least_key,
                         candidate *list, size_t *count, size_t capacity) {
    const U flip = (U)flip_bits, least = (U)least_key;
    size_t i = 0, at = *count;
    while (i < n && at + FILTER_BLOCK <= capacity) {
        const size_t end = n - i < FILTER_BLOCK ? n : i + FILTER_BLOCK;
        U any = 0;
        for (size_t j = i; j < end; j++) any |= (U)(OF(rank_at)(x, j, flip) >= least);
        for (size_t j = i; j < end && any; j++) {
            const U key = OF(rank_at)(x, j, flip);
            list[at] = (candidate){key, first + j};
            at += key >= least;
        }
        i = end;
    }
    *count = at;
    return i;
}
