/* The order of keys, as defined by ORDER.md 17. */
#ifndef WEFT_REF_SORT_ORDER_H
#define WEFT_REF_SORT_ORDER_H

#include "ref/common/array.h"
#include <stdbool.h>

typedef struct sort_order {
    array keys;
    bool descending;
    unsigned first_bit, bits; /* significant bits of integer keys */
} sort_order;

/* Returns the indices of n keys in sorted order, which the caller must free, or NULL without memory. */
size_t *ref_order_of(const sort_order *o, size_t n);

#endif
