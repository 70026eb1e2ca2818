/* The definition of weft_convolve and weft_correlate (ORDER.md 15). */
#include "ref/common/array.h"
#include "ref/common/twiddle.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

#define REAL float
#define FMA fmaf
#define DTYPE WEFT_F32
#define OF(name) name##_f32
#include "ref/bodies/butterflies_body.h"

#include "ref/bodies/convolve_body.h"
#undef REAL
#undef FMA
#undef DTYPE
#undef OF

#define REAL double
#define FMA fma
#define DTYPE WEFT_F64
#define OF(name) name##_f64
#include "ref/bodies/butterflies_body.h"

#include "ref/bodies/convolve_body.h"

weft_status ref_convolve(void *state, const convolve_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype) * (c->is_complex ? 2 : 1);
    (void)state;
    for (size_t row = 0; row < c->rows; row++) {
        convolve_call one = *c;
        one.x = (const char *)c->x + row * c->n * size;
        one.h = (const char *)c->h + (c->filters > 1 ? row * c->m * size : 0);
        one.y = (char *)c->y + row * c->count * size;
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? convolve_f32(&one, error) : convolve_f64(&one, error));
    }
    return WEFT_OK;
}
