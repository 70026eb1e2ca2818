/* The definition of weft_sort_axis and weft_argsort_axis (ORDER.md 32). */
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

static weft_status sort_vector(const void *call, const void *x, void *y, weft_error *error) {
    const sort_axis_call *c = call;
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
    const ref_vectors v = {c->vectors,
                           c->outer_count,
                           c->inner,
                           c->outer,
                           c->x,
                           c->y,
                           weft_dtype_size(c->dtype),
                           weft_dtype_size(c->result)};
    (void)state;
    return ref_for_each_vector(&v, sort_vector, c, error);
}
