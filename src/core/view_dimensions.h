/* Dimensions of views that are one in memory. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_VIEW_DIMENSIONS_H
#define WEFT_CORE_VIEW_DIMENSIONS_H

#include "core/backend.h"

/* Removes dimensions of length 1 and merges each dimension with the next one if both are one in memory. Keeps the
 * order of the elements. `factor`: distances in one more array that is read, or NULL. Returns the number of
 * dimensions that are left. */
static inline size_t view_merge_with(size_t count, view_dimension *d, ptrdiff_t *factor) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        view_dimension *const outer = left > 0 ? &d[left - 1] : NULL;
        const size_t n = d[k].n, span_x = n * (size_t)d[k].x, span_y = n * (size_t)d[k].y; /* modulo 2^64 */
        if (n == 1) continue;
        const bool one_factor = !factor || !outer || (size_t)factor[left - 1] == n * (size_t)factor[k];
        if (outer && (size_t)outer->x == span_x && (size_t)outer->y == span_y && one_factor) {
            outer->n *= n;
            outer->x = d[k].x;
            outer->y = d[k].y;
        } else {
            d[left++] = d[k];
        }
        if (factor) factor[left - 1] = factor[k];
    }
    return left;
}

static inline size_t view_merge(size_t count, view_dimension *d) { return view_merge_with(count, d, NULL); }

#endif
