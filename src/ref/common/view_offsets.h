/* Offsets of the elements of views. */
#ifndef WEFT_REF_VIEW_OFFSETS_H
#define WEFT_REF_VIEW_OFFSETS_H

#include "core/backend.h"

/* Return the distance in bytes, in the array that is read or written, of the element with number `index` from the
 * first one. The last dimension varies fastest. */
ptrdiff_t ref_offset_x(size_t count, const view_dimension *d, size_t index);
ptrdiff_t ref_offset_y(size_t count, const view_dimension *d, size_t index);

#endif
