/* The definition of weft_reduce_axes and weft_variance_axes (ORDER.md 32). */
#include "core/exact_ops.h"
#include "core/types.h"
#include "ref/common/array.h"
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

/* Returns the type that the result of f16 or bf16 elements has before it is rounded to their type (ORDER.md 1.7). */
static weft_dtype unrounded_type(const reduce_axes_call *c) {
    const bool in_f64 = c->variance || c->op == WEFT_MEAN || c->op == WEFT_NORM1 || c->op == WEFT_NORM2;
    return !type_is_half(c->result) ? c->result : in_f64 ? WEFT_F64 : WEFT_F32;
}

/* Reduces an array with the f16 or bf16 elements of one vector, converted to f32. */
static weft_status reduce_converted(const reduce_axes_call *c, const float *x, void *out, weft_error *error) {
    reduce_axes_call of_f32 = *c;
    uint64_t value;
    of_f32.dtype = WEFT_F32;
    of_f32.result = unrounded_type(c);
    RETURN_IF_ERROR(reduce_vector(&of_f32, x, &value, error));
    if (type_is_half(c->result))
        ref_store_real(c->result, ref_real((array){of_f32.result, &value}, 0), out);
    else
        memcpy(out, &value, weft_dtype_size(c->result));
    return WEFT_OK;
}

weft_status ref_reduce_axes(void *state, const reduce_axes_call *c, weft_error *error) {
    const bool half = type_is_half(c->dtype);
    const size_t size = half ? sizeof(float) : weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    (void)state;
    char *const vector = c->n < SIZE_MAX / size ? malloc(c->n * size + 1) : NULL;
    RETURN_IF(!vector, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", c->n);
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const x = (const char *)c->x + ref_offset_x(c->outer_count, c->outer, v);
        char *const out = (char *)c->y + ref_offset_y(c->outer_count, c->outer, v);
        for (size_t i = 0; i < c->n; i++) {
            const void *const element = x + ref_offset_x(c->inner_count, c->inner, i);
            const float value = half ? (float)ref_real((array){c->dtype, element}, 0) : 0;
            memcpy(vector + i * size, half ? &value : element, size);
        }
        status = half ? reduce_converted(c, (const float *)(void *)vector, out, error)
                      : reduce_vector(c, vector, out, error);
    }
    free(vector);
    return status;
}
