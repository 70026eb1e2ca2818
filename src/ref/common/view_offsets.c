#include "ref/common/view_offsets.h"

ptrdiff_t ref_offset_x(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].x;
    return offset;
}

ptrdiff_t ref_offset_y(size_t count, const view_dimension *d, size_t index) {
    ptrdiff_t offset = 0;
    for (; count-- > 0; index /= d[count].n) offset += (ptrdiff_t)(index % d[count].n) * d[count].y;
    return offset;
}
