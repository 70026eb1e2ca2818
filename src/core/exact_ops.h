/* The terms of an exact sum, and its last step, of the operators of weft_reduce that have one (ORDER.md 30). */
#ifndef WEFT_CORE_EXACT_OPS_H
#define WEFT_CORE_EXACT_OPS_H

#include "core/order.h"
#include "weft.h"

static inline exact_terms exact_terms_of(weft_op op) {
    if (op == WEFT_NORM1) return EXACT_MAGNITUDES;
    return op == WEFT_NORM2 ? EXACT_SQUARES : EXACT_VALUES;
}

static inline exact_finish exact_finish_of(weft_op op) {
    if (op == WEFT_MEAN) return EXACT_MEAN;
    return op == WEFT_NORM2 ? EXACT_ROOT : EXACT_TOTAL;
}

#endif
