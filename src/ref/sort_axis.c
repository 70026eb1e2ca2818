/* The definition of weft_sort_axis and weft_argsort_axis (ORDER.md 32). */
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

static weft_status sort_vector(const sort_axis_call *c, const void *x, void *y, weft_error *error) {
    const argsort_call indices = {c->dtype, c->order, c->result, c->inner.n, x, y};
    const sort_call keys = {.dtype = c->dtype,
                            .order = c->order,
                            .bits = 8 * (unsigned)weft_dtype_size(c->dtype),
                            .n = c->inner.n,
                            .keys = x,
                            .sorted_keys = y};
    return c->indices ? ref_argsort(NULL, &indices, error) : ref_sort(NULL, &keys, error);
}

weft_status ref_sort_axis(void *state, const sort_axis_call *c, weft_error *error) {
    const size_t n = c->inner.n, size = weft_dtype_size(c->dtype), result_size = weft_dtype_size(c->result);
    weft_status status = WEFT_OK;
    const size_t larger = size > result_size ? size : result_size; /* so that both arrays are aligned */
    char *const x = n <= SIZE_MAX / 16 ? malloc(2 * n * larger) : NULL;
    (void)state;
    RETURN_IF(!x, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", n);
    char *const y = x + n * larger;
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const from = (const char *)c->x + ref_offset_x(c->outer_count, c->outer, v);
        char *const to = (char *)c->y + ref_offset_y(c->outer_count, c->outer, v);
        for (size_t i = 0; i < n; i++) memcpy(x + i * size, from + (ptrdiff_t)i * c->inner.x, size);
        status = sort_vector(c, x, y, error);
        for (size_t i = 0; i < n; i++) memcpy(to + (ptrdiff_t)i * c->inner.y, y + i * result_size, result_size);
    }
    free(x);
    return status;
}
