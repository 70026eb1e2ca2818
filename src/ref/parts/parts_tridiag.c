/* Stages of a tridiagonal system whose rows are distributed over calls (tridiag_stage). */
#include "ref/tridiag_levels.h"

/* Returns the number in the whole system of row i of the part. */
static size_t number_of(const tridiag_part *p, size_t i) {
    const uint64_t end = (p->first + i + 1) * p->scale;
    return (size_t)(end < p->whole ? end : p->whole) - 1;
}

#define REAL float
#define OF(name) name##_f32
#include "ref/bodies/parts_tridiag_body.h"

#define REAL double
#define OF(name) name##_f64
#include "ref/bodies/parts_tridiag_body.h"

weft_status ref_tridiag_stage(void *state, const tridiag_stage_call *call, weft_error *error) {
    const tridiag_call *c = &call->rows;
    const tridiag_part *p = &call->part;
    faults f = {SIZE_MAX, SIZE_MAX};
    (void)state;
    RETURN_IF_ERROR(c->dtype == WEFT_F32 ? system_f32(c, 0, run_stage_f32, p, &f, error)
                                         : system_f64(c, 0, run_stage_f64, p, &f, error));
    *p->fault = f.pivot < SIZE_MAX ? f.pivot : f.value < SIZE_MAX ? p->whole + f.value : UINT64_MAX;
    return WEFT_OK;
}
