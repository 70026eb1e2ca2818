/* A comparison as data: which of "less", "equal" and "greater" keep an element, and whether those that it names are
 * kept or all others. Two integers, or two numbers, are exactly one of the three; a NaN and anything are none. */
#ifndef WEFT_CORE_COMPARE_H
#define WEFT_CORE_COMPARE_H

#include "weft.h"

#include <stdbool.h>
#include <string.h>

typedef struct comparator {
    bool less, equal, greater, others;
    uint64_t value; /* the bits that elements are compared with */
    uint64_t flip;  /* turned in an unsigned element, and here in value, to compare it as a signed one */
} comparator;

static inline comparator weft_comparator(weft_comparison comparison, weft_dtype dtype, size_t size,
                                         const void *value) {
    comparator c;
    const bool is_unsigned = dtype >= WEFT_U8 && dtype <= WEFT_U64;
    c.less = comparison == WEFT_LT || comparison == WEFT_LE;
    c.equal = comparison != WEFT_LT && comparison != WEFT_GT;
    c.greater = comparison == WEFT_GT || comparison == WEFT_GE;
    c.others = comparison == WEFT_NE;
    c.flip = is_unsigned ? (uint64_t)1 << (8 * size - 1) : 0;
    c.value = 0;
    memcpy(&c.value, value, size);
    c.value ^= c.flip;
    return c;
}

#endif
