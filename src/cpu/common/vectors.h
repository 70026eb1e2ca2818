/* Offsets of the elements of views. */
#ifndef WEFT_CPU_VECTORS_H
#define WEFT_CPU_VECTORS_H

#include "cpu/runtime/cpu.h"

/* Return the distance in bytes, in the array that is read or written, of the element with number `index` from the
 * first one. The last dimension varies fastest. */
static inline ptrdiff_t vectors_x(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].x;
    return offset;
}
static inline ptrdiff_t vectors_y(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].y;
    return offset;
}

#endif
