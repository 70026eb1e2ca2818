/* Dimensions of views that are one in memory. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_VIEW_DIMENSIONS_H
#define WEFT_CORE_VIEW_DIMENSIONS_H

#include "core/backend.h"

/* Removes dimensions of length 1 and merges each dimension with the next one if both are one in memory. Keeps the
 * order of the elements. Returns the number of dimensions that are left. */
static inline size_t view_merge(size_t count, view_dimension *d) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        view_dimension *const outer = left > 0 ? &d[left - 1] : NULL;
        const size_t n = d[k].n, span_x = n * (size_t)d[k].x, span_y = n * (size_t)d[k].y; /* modulo 2^64 */
        if (n == 1) continue;
        if (outer && (size_t)outer->x == span_x && (size_t)outer->y == span_y) {
            outer->n *= n;
            outer->x = d[k].x;
            outer->y = d[k].y;
        } else {
            d[left++] = d[k];
        }
    }
    return left;
}

#endif
