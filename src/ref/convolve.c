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
    (void)state;
    return c->dtype == WEFT_F32 ? convolve_f32(c, error) : convolve_f64(c, error);
}
