/* The definition of weft_recurrence (ORDER.md 9). */
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL float
#define DTYPE WEFT_F32
#define FMA fmaf
#define OF(name) name##_f32
#include "ref/bodies/recurrence_body.h"

#define REAL double
#define DTYPE WEFT_F64
#define FMA fma
#define OF(name) name##_f64
#include "ref/bodies/recurrence_body.h"

weft_status ref_recurrence(void *state, const recurrence_call *c, weft_error *error) {
    (void)state;
    return c->dtype == WEFT_F32 ? all_rows_f32(c, error) : all_rows_f64(c, error);
}
