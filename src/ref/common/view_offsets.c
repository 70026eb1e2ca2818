#include "ref/common/view_offsets.h"

#include <stdlib.h>
#include <string.h>

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

weft_status ref_for_each_vector(const ref_vectors *s,
                                weft_status (*run)(const void *call, const void *x, void *y, weft_error *error),
                                const void *call, weft_error *error) {
    const size_t n = s->inner.n, larger = s->x_bytes > s->y_bytes ? s->x_bytes : s->y_bytes; /* aligns y */
    weft_status status = WEFT_OK;
    char *const x = n <= SIZE_MAX / 16 ? malloc(2 * n * larger) : NULL;
    RETURN_IF(!x, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", n);
    char *const y = x + n * larger;
    for (size_t v = 0; v < s->vectors && status == WEFT_OK; v++) {
        const char *const from = (const char *)s->x + ref_offset_x(s->outer_count, s->outer, v);
        char *const to = (char *)s->y + ref_offset_y(s->outer_count, s->outer, v);
        for (size_t i = 0; i < n; i++) memcpy(x + i * s->x_bytes, from + (ptrdiff_t)i * s->inner.x, s->x_bytes);
        status = run(call, x, y, error);
        for (size_t i = 0; i < n; i++) memcpy(to + (ptrdiff_t)i * s->inner.y, y + i * s->y_bytes, s->y_bytes);
    }
    free(x);
    return status;
}
