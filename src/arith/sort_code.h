/* Order of keys in sorts (ORDER.md 17): a key has a code, an unsigned number of its width, and keys are sorted by
 * ascending code. A rank is the code before all NaNs get one code. It can be converted back to the key. */
#ifndef WEFT_ARITH_SORT_CODE_H
#define WEFT_ARITH_SORT_CODE_H

#include "arith/arith.h"

#include <stdbool.h>

/* rank = (key ^ (fold, if the key's highest bit is set) ^ xor_mask) + add
 * code = rank, or all ones if the rank is above `greatest`: the key is a NaN */
typedef struct weft_sort_rule {
    uint64_t fold, xor_mask, add, greatest;
} weft_sort_rule;

/* Returns the rule for keys of `bits` bits. `infinity` has the bits of +Inf if they are floats, and is 0 otherwise.
 * For floats, the bits of negative numbers are inverted, and ranks begin at the first number in sort order. NaNs of
 * both signs then follow the last number. */
static inline weft_sort_rule weft_sort_rule_of(unsigned bits, uint64_t infinity, bool is_signed, bool descending) {
    const uint64_t ones = UINT64_MAX >> (64 - bits), sign = (ones >> 1) + 1;
    weft_sort_rule rule = {0, (is_signed ? sign : 0) ^ (descending ? ones : 0), 0, ones};
    if (infinity) {
        const uint64_t first = sign - 1 - infinity; /* -Inf, folded and flipped */
        rule.fold = sign - 1;
        rule.greatest = 2 * infinity + 1;
        rule.xor_mask = descending ? ones ^ sign : sign;
        rule.add = descending ? rule.greatest + first + 1 : -first; /* descending: greatest - rank */
    }
    return rule;
}

WEFT_ARITH uint16_t weft_sort_rank_16(uint16_t fold, uint16_t xor_mask, uint16_t add, uint16_t key) {
    return (uint16_t)((key ^ ((0U - (key >> 15)) & fold) ^ xor_mask) + add);
}

WEFT_ARITH uint32_t weft_sort_rank_32(uint32_t fold, uint32_t xor_mask, uint32_t add, uint32_t key) {
    return (key ^ ((0 - (key >> 31)) & fold) ^ xor_mask) + add;
}

WEFT_ARITH uint64_t weft_sort_rank_64(uint64_t fold, uint64_t xor_mask, uint64_t add, uint64_t key) {
    return (key ^ ((0 - (key >> 63)) & fold) ^ xor_mask) + add;
}

/* Return the key of a rank. Folding leaves the highest bit unchanged. */
WEFT_ARITH uint32_t weft_sort_key_32(uint32_t fold, uint32_t xor_mask, uint32_t add, uint32_t rank) {
    const uint32_t folded = (rank - add) ^ xor_mask;
    return folded ^ ((0 - (folded >> 31)) & fold);
}

WEFT_ARITH uint64_t weft_sort_key_64(uint64_t fold, uint64_t xor_mask, uint64_t add, uint64_t rank) {
    const uint64_t folded = (rank - add) ^ xor_mask;
    return folded ^ ((0 - (folded >> 63)) & fold);
}

#endif
