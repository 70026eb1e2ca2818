/* The definition of weft_reduce_axes, weft_variance_axes and weft_dot_axes (ORDER.md 32). */
#include "core/exact_ops.h"
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

/* Reduces an array with the elements of one vector; `factor` has those of the second operand of a dot product. */
static weft_status reduce_vector(const reduce_axes_call *c, const void *x, const void *factor, void *out,
                                 weft_error *error) {
    const exact_call exact = {.terms = c->dot        ? EXACT_PRODUCTS
                                       : c->variance ? EXACT_VALUES
                                                     : exact_terms_of(c->op),
                              .finish = c->variance ? EXACT_VARIANCE : exact_finish_of(c->op),
                              .dtype = c->dtype,
                              .n = c->n,
                              .ddof = c->ddof,
                              .x = x,
                              .y = factor,
                              .out = out};
    if (c->exact) return ref_exact(NULL, &exact, error);
    if (c->dot) return ref_dot(NULL, &(dot_call){c->dtype, c->result, c->n, x, factor, out}, error);
    if (c->variance) return ref_variance(NULL, &(variance_call){c->dtype, c->result, c->n, c->ddof, x, out}, error);
    return ref_reduce(NULL, &(reduce_call){c->op, c->dtype, c->result, c->n, x, out, NULL}, error);
}

/* Returns the type that the result of f16 or bf16 elements has before it is rounded to their type (ORDER.md 1.7). */
static weft_dtype unrounded_type(const reduce_axes_call *c) {
    const bool in_f64 = c->variance || c->op == WEFT_MEAN || c->op == WEFT_NORM1 || c->op == WEFT_NORM2;
    return !type_is_half(c->result) ? c->result : in_f64 ? WEFT_F64 : WEFT_F32;
}

/* reduce_vector for f16 or bf16 elements that have been converted to f32. */
static weft_status reduce_converted(const reduce_axes_call *c, const void *x, const void *factor, void *out,
                                    weft_error *error) {
    reduce_axes_call of_f32 = *c;
    uint64_t value;
    of_f32.dtype = WEFT_F32;
    of_f32.result = unrounded_type(c);
    RETURN_IF_ERROR(reduce_vector(&of_f32, x, factor, &value, error));
    if (type_is_half(c->result))
        ref_store_real(c->result, ref_real((array){of_f32.result, &value}, 0), out);
    else
        memcpy(out, &value, weft_dtype_size(c->result));
    return WEFT_OK;
}

/* Copies the elements of a vector, from x on, to an array. Converts f16 and bf16 to f32. */
static void copy_vector(const reduce_axes_call *c, const view_dimension *inner, const char *x, char *to) {
    const bool half = type_is_half(c->dtype);
    const size_t size = half ? sizeof(float) : weft_dtype_size(c->dtype);
    for (size_t i = 0; i < c->n; i++) {
        const void *const element = x + ref_offset_x(c->inner_count, inner, i);
        const float value = half ? (float)ref_real((array){c->dtype, element}, 0) : 0;
        memcpy(to + i * size, half ? &value : element, size);
    }
}

/* Copies vector number v to x and, of a dot product, that of the second operand to factor. */
static void copy_operands(const reduce_axes_call *c, size_t v, char *x, char *factor) {
    view_dimension inner[WEFT_DIMENSIONS_MAX], outer[WEFT_DIMENSIONS_MAX];
    copy_vector(c, c->inner, (const char *)c->x + ref_offset_x(c->outer_count, c->outer, v), x);
    if (!c->dot) return;
    for (size_t k = 0; k < c->inner_count; k++) inner[k] = (view_dimension){c->inner[k].n, c->factor.inner[k], 0};
    for (size_t k = 0; k < c->outer_count; k++) outer[k] = (view_dimension){c->outer[k].n, c->factor.outer[k], 0};
    copy_vector(c, inner, (const char *)c->factor.p + ref_offset_x(c->outer_count, outer, v), factor);
}

weft_status ref_reduce_axes(void *state, const reduce_axes_call *c, weft_error *error) {
    const size_t size = type_is_half(c->dtype) ? sizeof(float) : weft_dtype_size(c->dtype);
    weft_status status = WEFT_OK;
    (void)state;
    char *const vector = c->n < SIZE_MAX / 2 / size ? malloc(2 * c->n * size + 1) : NULL;
    RETURN_IF(!vector, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", c->n);
    char *const factor = vector + c->n * size;
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        char *const out = (char *)c->y + ref_offset_y(c->outer_count, c->outer, v);
        copy_operands(c, v, vector, factor);
        status = (type_is_half(c->dtype) ? reduce_converted : reduce_vector)(c, vector, factor, out, error);
    }
    free(vector);
    return status;
}
