/* A comparison in the form of data. `less`, `equal` and `greater` name the relations that satisfy it; with
 * `others`, all elements for which no named relation holds satisfy it instead. For two integers, or two floats that
 * are not NaN, exactly one relation holds; with a NaN, none. */
#ifndef WEFT_CORE_COMPARE_H
#define WEFT_CORE_COMPARE_H

#include "core/types.h"
#include "weft.h"

#include <stdbool.h>
#include <string.h>

typedef struct comparator {
    bool less, equal, greater, others;
    uint64_t value; /* bit pattern to compare with */
    /* XOR mask for unsigned elements, so that they compare as signed ones; already applied to `value`. */
    uint64_t xor_mask;
} comparator;

static inline comparator weft_comparator(weft_comparison comparison, weft_dtype dtype, size_t size,
                                         const void *value) {
    comparator c;
    const bool is_unsigned = type_is_unsigned(dtype);
    c.less = comparison == WEFT_LT || comparison == WEFT_LE;
    c.equal = comparison != WEFT_LT && comparison != WEFT_GT;
    c.greater = comparison == WEFT_GT || comparison == WEFT_GE;
    c.others = comparison == WEFT_NE;
    c.xor_mask = is_unsigned ? (uint64_t)1 << (8 * size - 1) : 0;
    c.value = 0;
    memcpy(&c.value, value, size);
    c.value ^= c.xor_mask;
    return c;
}

#endif
