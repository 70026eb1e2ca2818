/* The map of a row (recurrence_map). */
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REAL float
#define FMA fmaf
#define OF(name) name##_f32
#include "ref/bodies/parts_recurrence_body.h"

#define REAL double
#define FMA fma
#define OF(name) name##_f64
#include "ref/bodies/parts_recurrence_body.h"

/* The map is computed first, because v may be s or u. */
weft_status ref_recurrence_map(void *state, const recurrence_map_call *c, weft_error *error) {
    const recurrence_call *row = &c->row;
    RETURN_IF_ERROR(row->dtype == WEFT_F32 ? find_map_f32(row, c->map, error) : find_map_f64(row, c->map, error));
    return ref_recurrence(state, row, error);
}
