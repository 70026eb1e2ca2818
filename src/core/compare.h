/* A comparison in the form of data. `less`, `equal` and `greater` name the relations that satisfy it; with
 * `others`, all elements for which no named relation holds satisfy it instead. For two integers, or two floats that
 * are not NaN, exactly one relation holds; with a NaN, none. */
#ifndef WEFT_CORE_COMPARE_H
#define WEFT_CORE_COMPARE_H

#include "core/byte_order.h"
#include "core/types.h"
#include "weft.h"

#include <stdbool.h>

typedef struct comparator {
    bool less, equal, greater, others;
    uint64_t value; /* bit pattern to compare with */
    /* XOR mask for unsigned elements, so that they compare as signed ones; already applied to `value`. */
    uint64_t xor_mask;
    /* f16 and bf16: the least and the greatest key (weft_key_half) for which a named relation holds. */
    int16_t first_key, last_key;
} comparator;

/* Sets the range of keys, which is empty if the value is a NaN. Both zeros have the same relations to all values. */
static inline void weft_compare_halves(comparator *c, weft_dtype dtype) {
    const int infinity = (int)type_infinity(dtype), magnitude = (int)c->value & 0x7fff;
    const int key = c->value >> 15 ? -1 - magnitude : magnitude;
    const int low = magnitude ? key : -1, high = magnitude ? key : 0;
    c->first_key = (int16_t)(c->less ? -1 - infinity : c->equal ? low : high + 1);
    c->last_key = (int16_t)(c->greater ? infinity : c->equal ? high : low - 1);
    if (magnitude > infinity) c->first_key = 0, c->last_key = -1;
}

static inline comparator weft_comparator(weft_comparison comparison, weft_dtype dtype, size_t size,
                                         const void *value) {
    comparator c;
    const bool is_unsigned = type_is_unsigned(dtype);
    c.less = comparison == WEFT_LT || comparison == WEFT_LE;
    c.equal = comparison != WEFT_LT && comparison != WEFT_GT;
    c.greater = comparison == WEFT_GT || comparison == WEFT_GE;
    c.others = comparison == WEFT_NE;
    c.xor_mask = is_unsigned ? (uint64_t)1 << (8 * size - 1) : 0;
    c.value = bits_load(value, size) ^ c.xor_mask;
    c.first_key = c.last_key = 0;
    if (type_is_half(dtype)) weft_compare_halves(&c, dtype);
    return c;
}

#endif
