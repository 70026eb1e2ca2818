#include "verify/vector_copies.h"

#include <stdlib.h>

weft_status vectors_new(const weft_view *shape, size_t axis, bool is_complex, vectors *v) {
    const size_t dimensions = shape->dimensions - is_complex;
    size_t step = weft_dtype_size(shape->dtype);
    *v = (vectors){.view = *shape, .count = 1};
    if (is_complex) {
        v->view.stride[dimensions] = (ptrdiff_t)step;
        step *= 2;
    }
    v->view.stride[axis] = (ptrdiff_t)step;
    v->bytes = step *= shape->shape[axis];
    for (size_t k = dimensions; k-- > 0;) {
        if (k == axis) continue;
        v->view.stride[k] = (ptrdiff_t)step;
        v->count *= shape->shape[k];
        step *= shape->shape[k];
    }
    v->view.data = malloc(step + 1);
    return v->view.data ? WEFT_OK : WEFT_OUT_OF_MEMORY;
}

weft_status vectors_of(weft_context *ref, const weft_view *x, const weft_view *shape, size_t axis, bool is_complex,
                       vectors *v) {
    weft_view typed = *shape;
    typed.dtype = x->dtype;
    const weft_status status = vectors_new(&typed, axis, is_complex, v);
    return status == WEFT_OK ? weft_copy_view(ref, x, &v->view) : status;
}

weft_status vectors_store(weft_context *ref, weft_status status, vectors *v, const weft_view *y) {
    if (status == WEFT_OK) status = weft_copy_view(ref, &v->view, y);
    vectors_free(v);
    return status;
}

void vectors_free(vectors *v) {
    free(v->view.data);
    v->view.data = NULL;
}
