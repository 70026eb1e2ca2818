/* Body of cpu/kernels/top_k.c for one type. */
#include "cpu/kernels/bodies/key_body.h"

/* Returns the rank of element i: greater ranks come first. A NaN has rank 0 for every `xor_mask`. */
INLINE U OF(rank_at)(const void *x, size_t i, U xor_mask) {
    const U key = OF(key_at)(x, i);
    const U kept = IS_FLOAT ? (U)((U)0 - (U)(key != (U)-1)) : (U)-1; /* bits of the rank that remain */
    return (U)(key ^ xor_mask) & kept;
}

/* Returns true if one of elements i to end - 1 has at least the rank `least`. */
INLINE bool OF(any_reaches)(const void *x, size_t i, size_t end, U xor_mask, U least) {
    U any = 0;
    for (; i < end; i++) any |= (U)(OF(rank_at)(x, i, xor_mask) >= least);
    return any;
}

static size_t OF(filter)(const void *x, size_t n, size_t first, uint64_t flip_bits, uint64_t least_key,
                         candidate *list, size_t *count, size_t capacity) {
    const U xor_mask = (U)flip_bits, least = (U)least_key;
    size_t i = 0, at = *count;
    while (i < n && at + FILTER_BLOCK <= capacity) {
        const size_t end = n - i < FILTER_BLOCK ? n : i + FILTER_BLOCK;
        const bool any = OF(any_reaches)(x, i, end, xor_mask, least);
        for (; i < end && any; i += FILTER_GROUP) {
            const size_t group_end = end - i < FILTER_GROUP ? end : i + FILTER_GROUP;
            if (!OF(any_reaches)(x, i, group_end, xor_mask, least)) continue;
            for (size_t j = i; j < group_end; j++) {
                const U key = OF(rank_at)(x, j, xor_mask);
                list[at] = (candidate){key, first + j};
                at += key >= least;
            }
        }
        i = end;
    }
    *count = at;
    return i;
}

static uint64_t OF(bound)(const void *x, size_t n, uint64_t flip_bits, size_t k) {
    const U xor_mask = (U)flip_bits;
    U most[FILTER_COLUMNS] = {0}, bound = 0;
    for (size_t i = 0; i + FILTER_COLUMNS <= n; i += FILTER_COLUMNS)
        for (size_t j = 0; j < FILTER_COLUMNS; j++) {
            const U rank = OF(rank_at)(x, i + j, xor_mask);
            most[j] = rank > most[j] ? rank : most[j];
        }
    for (size_t i = 0; i < FILTER_COLUMNS; i++) {
        U reaching = 0; /* columns */
        for (size_t j = 0; j < FILTER_COLUMNS; j++) reaching += most[j] >= most[i];
        if (reaching >= k && most[i] > bound) bound = most[i];
    }
    return bound;
}
