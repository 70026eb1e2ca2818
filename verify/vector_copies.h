/* Copies of views in memory of their own, with which the definitions of verify/composed.def pass one vector at a time
 * to the operation of vectors. */
#ifndef WEFT_VERIFY_VECTOR_COPIES_H
#define WEFT_VERIFY_VECTOR_COPIES_H

#include "weft.h"

#include <stdbool.h>

typedef struct vectors {
    weft_view view;      /* of the copy: the vectors along an axis, one after another */
    size_t count, bytes; /* number of vectors, and bytes of one */
} vectors;

/* Allocates vectors along an axis of a view of this shape and type. The parts of complex numbers are its last axis.
 */
weft_status vectors_new(const weft_view *shape, size_t axis, bool is_complex, vectors *v);
/* Allocates such vectors and copies x to them, broadcast to the shape. */
weft_status vectors_of(weft_context *ref, const weft_view *x, const weft_view *shape, size_t axis, bool is_complex,
                       vectors *v);
/* Copies the vectors to y, unless `status` is a failure, and frees them. Returns the first failure. */
weft_status vectors_store(weft_context *ref, weft_status status, vectors *v, const weft_view *y);
void vectors_free(vectors *v);

/* Returns the address of vector number i. */
static inline void *vectors_at(const vectors *v, size_t i) { return (char *)v->view.data + i * v->bytes; }

#endif
