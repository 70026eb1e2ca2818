/* The order of keys, as the definition has it. */
#ifndef WEFT_REF_SORT_ORDER_H
#define WEFT_REF_SORT_ORDER_H

#include "ref/array.h"

typedef struct sort_order {
    array keys;
    bool descending;
    unsigned first_bit, bits; /* of integers: those that count */
} sort_order;

/* The indices of n keys in sorted order, for free(); NULL without memory. */
size_t *ref_order_of(const sort_order *o, size_t n);

#endif
