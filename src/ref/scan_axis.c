/* The definition of weft_scan_axis (ORDER.md 32). */
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

static weft_status scan_vector(const void *call, const void *x, void *y, weft_error *error) {
    const scan_axis_call *c = call;
    return ref_scan(NULL, &(scan_call){c->op, c->kind, c->dtype, c->result, c->inner.n, x, c->init, y, NULL}, error);
}

weft_status ref_scan_axis(void *state, const scan_axis_call *c, weft_error *error) {
    const ref_vectors v = {c->vectors,
                           c->outer_count,
                           c->inner,
                           c->outer,
                           c->x,
                           c->y,
                           weft_dtype_size(c->dtype),
                           weft_dtype_size(c->result)};
    (void)state;
    return ref_for_each_vector(&v, scan_vector, c, error);
}
