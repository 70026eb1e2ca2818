/* The definition of weft_convolve2d and weft_correlate2d (ORDER.md 15.4 to 15.6). */
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the index in an array of n elements of element i of the extended array, or n for the fill value. */
static size_t inside(weft_border border, ptrdiff_t i, size_t n) {
    const ptrdiff_t length = (ptrdiff_t)n;
    if (i >= 0 && i < length) return (size_t)i;
    if (border == WEFT_BORDER_FILL) return n;
    if (border == WEFT_BORDER_WRAP) return (size_t)((i % length + length) % length);
    const ptrdiff_t r = (i % (2 * length) + 2 * length) % (2 * length);
    return (size_t)(r < length ? r : 2 * length - 1 - r);
}

#define REAL float
#define FMA fmaf
#define DTYPE WEFT_F32
#define OF(name) name##_f32
#include "ref/bodies/image_body.h"
#undef REAL
#undef FMA
#undef DTYPE
#undef OF

#define REAL double
#define FMA fma
#define DTYPE WEFT_F64
#define OF(name) name##_f64
#include "ref/bodies/image_body.h"

weft_status ref_convolve2d(void *state, const convolve2d_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype) * (c->is_complex ? 2 : 1);
    for (size_t matrix = 0; matrix < c->matrices; matrix++) {
        convolve2d_call one = *c;
        one.x = (const char *)c->x + matrix * c->x_matrix * size;
        one.y = (char *)c->y + matrix * c->count[0] * c->count[1] * size;
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? convolve2d_f32(state, &one, error)
                                             : convolve2d_f64(state, &one, error));
    }
    return WEFT_OK;
}
