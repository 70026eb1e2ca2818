/* The definition of weft_top_k_axis (ORDER.md 32). */
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

/* Stores the results of vector v. `values` and `indices` contain k of each. */
static void store(const top_k_axis_call *c, size_t v, const char *values, const uint64_t *indices) {
    const size_t size = weft_dtype_size(c->dtype);
    char *const to = (char *)c->values.y + ref_offset_y(c->outer_count, c->values.outer, v);
    for (size_t i = 0; i < c->k; i++) memcpy(to + (ptrdiff_t)i * c->values.stride, values + i * size, size);
    if (!c->indices.y) return;
    char *const at = (char *)c->indices.y + ref_offset_y(c->outer_count, c->indices.outer, v);
    for (size_t i = 0; i < c->k; i++) {
        const uint32_t narrow = (uint32_t)indices[i];
        char *const index = at + (ptrdiff_t)i * c->indices.stride;
        if (c->index == WEFT_U32)
            memcpy(index, &narrow, sizeof narrow);
        else
            memcpy(index, &indices[i], sizeof indices[i]);
    }
}

weft_status ref_top_k_axis(void *state, const top_k_axis_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    (void)state;
    uint64_t *const indices = calloc(3 * c->n, sizeof *indices); /* with a vector and its values */
    RETURN_IF(!indices, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", c->n);
    char *const x = (char *)(indices + c->n), *const values = (char *)(indices + 2 * c->n);
    const top_k_call vector = {c->dtype, c->extreme, c->n, x, c->k, values, indices};
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const from = (const char *)c->x + ref_offset_x(c->outer_count, c->values.outer, v);
        for (size_t i = 0; i < c->n; i++) memcpy(x + i * size, from + (ptrdiff_t)i * c->x_stride, size);
        status = ref_top_k(NULL, &vector, error);
        if (status == WEFT_OK) store(c, v, values, indices);
    }
    free(indices);
    return status;
}
