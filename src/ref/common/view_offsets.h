/* Offsets of the elements of views, and calls for their vectors. */
#ifndef WEFT_REF_VIEW_OFFSETS_H
#define WEFT_REF_VIEW_OFFSETS_H

#include "core/backend.h"

/* Return the distance in bytes, in the array that is read or written, of the element with number `index` from the
 * first one. The last dimension varies fastest. */
ptrdiff_t ref_offset_x(size_t count, const view_dimension *d, size_t index);
ptrdiff_t ref_offset_y(size_t count, const view_dimension *d, size_t index);

/* The vectors of a call: one along `inner` for each combination of indices of `outer`. */
typedef struct ref_vectors {
    size_t vectors, outer_count;
    view_dimension inner;
    const view_dimension *outer;
    const void *x;
    void *y;
    size_t x_bytes, y_bytes; /* of an element */
} ref_vectors;

/* Calls run(call, x, y) for each vector, with contiguous copies of the vector and of its result, which it stores.
 * Stops at the first failure. */
weft_status ref_for_each_vector(const ref_vectors *s,
                                weft_status (*run)(const void *call, const void *x, void *y, weft_error *error),
                                const void *call, weft_error *error);

#endif
