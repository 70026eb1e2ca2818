/* The definition of weft_reduce_axes and weft_variance_axes (ORDER.md 32). */
#include "core/exact_ops.h"
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

/* Reduces an array with the elements of one vector. */
static weft_status reduce_vector(const reduce_axes_call *c, const void *x, void *out, weft_error *error) {
    const exact_call exact = {.terms = c->variance ? EXACT_VALUES : exact_terms_of(c->op),
                              .finish = c->variance ? EXACT_VARIANCE : exact_finish_of(c->op),
                              .dtype = c->dtype,
                              .n = c->n,
                              .ddof = c->ddof,
                              .x = x,
                              .out = out};
    if (c->exact) return ref_exact(NULL, &exact, error);
    if (c->variance) return ref_variance(NULL, &(variance_call){c->dtype, c->result, c->n, c->ddof, x, out}, error);
    return ref_reduce(NULL, &(reduce_call){c->op, c->dtype, c->result, c->n, x, out, NULL}, error);
}

weft_status ref_reduce_axes(void *state, const reduce_axes_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    (void)state;
    char *const vector = c->n < SIZE_MAX / size ? malloc(c->n * size + 1) : NULL;
    RETURN_IF(!vector, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", c->n);
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const x = (const char *)c->x + ref_offset_x(c->outer_count, c->outer, v);
        for (size_t i = 0; i < c->n; i++)
            memcpy(vector + i * size, x + ref_offset_x(c->inner_count, c->inner, i), size);
        status = reduce_vector(c, vector, (char *)c->y + ref_offset_y(c->outer_count, c->outer, v), error);
    }
    free(vector);
    return status;
}
