/* The systems of a call of weft_tridiag or weft_tridiag_pivot, and the report of the first fault (ORDER.md 16.4). */
#ifndef WEFT_REF_TRIDIAG_SYSTEM_H
#define WEFT_REF_TRIDIAG_SYSTEM_H

#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the first lost pivot, and of the first element of x that is not finite, in a system; SIZE_MAX if there is
 * none. */
typedef struct faults {
    size_t pivot, value;
} faults;

typedef enum outcome { SOLVED, PARTLY, NO_MEMORY } outcome; /* PARTLY: a stage that does not compute x */

static void note(size_t *first, size_t row) {
    if (row < *first) *first = row;
}

#define REAL float
#define TYPE WEFT_F32
#define OF(name) name##_f32
#include "ref/bodies/tridiag_system_body.h"

#define REAL double
#define TYPE WEFT_F64
#define OF(name) name##_f64
#include "ref/bodies/tridiag_system_body.h"

/* Solves all systems of a call, and stores the first fault. */
static inline weft_status solve_systems(const tridiag_call *c, solver_f32 *run_f32, solver_f64 *run_f64,
                                        weft_error *error) {
    uint64_t singular = UINT64_MAX;
    for (size_t s = 0; s < c->systems && c->n > 0; s++) {
        faults f = {SIZE_MAX, SIZE_MAX};
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? system_f32(c, s, run_f32, NULL, &f, error)
                                             : system_f64(c, s, run_f64, NULL, &f, error));
        const size_t row = f.pivot < SIZE_MAX ? f.pivot : f.value;
        if (row < SIZE_MAX && singular == UINT64_MAX) singular = s * c->n + row;
    }
    memcpy(c->singular, &singular, sizeof singular);
    return WEFT_OK;
}

#endif
