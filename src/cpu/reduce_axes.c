/* weft_reduce_axes and weft_variance_axes on the CPU (ORDER.md 32). */
#include "core/exact_ops.h"
#include "cpu/common/vectors.h"

#include <stdlib.h>
#include <string.h>

static weft_status reduce_vector(cpu_context *ctx, const reduce_axes_call *c, const void *x, void *out,
                                 weft_error *error) {
    const exact_call exact = {.terms = c->variance ? EXACT_VALUES : exact_terms_of(c->op),
                              .finish = c->variance ? EXACT_VARIANCE : exact_finish_of(c->op),
                              .dtype = c->dtype,
                              .n = c->n,
                              .ddof = c->ddof,
                              .x = x,
                              .out = out};
    if (c->exact) return cpu_exact(ctx, &exact, error);
    if (c->variance) return cpu_variance(ctx, &(variance_call){c->dtype, c->result, c->n, c->ddof, x, out}, error);
    return cpu_reduce(ctx, &(reduce_call){c->op, c->dtype, c->result, c->n, x, out, NULL}, error);
}

weft_status cpu_reduce_axes(void *state, const reduce_axes_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    char *const vector = malloc(c->n * size + 1);
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const x = (const char *)c->x + vectors_x(c->outer_count, c->outer, v);
        for (size_t i = 0; i < c->n; i++) memcpy(vector + i * size, x + vectors_x(c->inner_count, c->inner, i), size);
        status = reduce_vector(state, c, vector, (char *)c->y + vectors_y(c->outer_count, c->outer, v), error);
    }
    free(vector);
    return status;
}
