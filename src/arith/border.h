/* Indices of arrays that are extended by a border (ORDER.md 15.4). */
#ifndef WEFT_ARITH_BORDER_H
#define WEFT_ARITH_BORDER_H

#include "arith/arith.h"

/* Returns the index of the element of an array of n elements that is element i of the extended array, or -1 if it is
 * the fill value. period: 0 for a fill value, n for a repeated array, 2n for a mirrored one. */
WEFT_ARITH int64_t weft_border_index(int64_t i, int64_t n, int64_t period) {
    if (i >= 0 && i < n) return i;
    if (period == 0) return -1;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : period - 1 - i;
}

#endif
