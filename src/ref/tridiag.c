/* The definition of weft_tridiag (ORDER.md 16). */
#include "ref/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of the first lost pivot, and of the first element of x that is not finite, in a system; SIZE_MAX if there is
 * none. */
typedef struct faults {
    size_t pivot, value;
} faults;

static void note(size_t *first, size_t row) {
    if (row < *first) *first = row;
}

static size_t chunk_length(size_t n, size_t chunk) {
    const size_t left = n - chunk * WEFT_TRIDIAG_CHUNK;
    return left < WEFT_TRIDIAG_CHUNK ? left : WEFT_TRIDIAG_CHUNK;
}

static size_t chunks_of(size_t n) { return (n - 1) / WEFT_TRIDIAG_CHUNK + 1; }
static size_t last_row(size_t n, size_t chunk) { return chunk * WEFT_TRIDIAG_CHUNK + chunk_length(n, chunk) - 1; }

/* Returns the number in the whole system of row i of the part. */
static size_t number_of(const tridiag_part *p, size_t i) {
    if (!p) return i;
    const uint64_t end = (p->first + i + 1) * p->scale;
    return (size_t)(end < p->whole ? end : p->whole) - 1;
}

#define REAL float
#define TYPE WEFT_F32
#define FMA fmaf
#define EPSILON WEFT_TRIDIAG_EPSILON_F32
#define LEAST WEFT_TRIDIAG_LEAST_F32
#define GREATEST WEFT_TRIDIAG_GREATEST_F32
#define OF(name) name##_f32
#include "ref/tridiag_body.h"

#define REAL double
#define TYPE WEFT_F64
#define FMA fma
#define EPSILON WEFT_TRIDIAG_EPSILON_F64
#define LEAST WEFT_TRIDIAG_LEAST_F64
#define GREATEST WEFT_TRIDIAG_GREATEST_F64
#define OF(name) name##_f64
#include "ref/tridiag_body.h"

/* Runs a stage. Stores the fault, and x or the separators. */
static weft_status run_stage(const tridiag_call *c, weft_error *error) {
    const tridiag_part *p = c->part;
    faults f = {SIZE_MAX, SIZE_MAX};
    RETURN_IF_ERROR(c->dtype == WEFT_F32 ? system_f32(c, 0, &f, error) : system_f64(c, 0, &f, error));
    *p->fault = f.pivot < SIZE_MAX ? f.pivot : f.value < SIZE_MAX ? p->whole + f.value : UINT64_MAX;
    return WEFT_OK;
}

weft_status ref_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    (void)state;
    if (c->part) return run_stage(c, error);
    uint64_t singular = UINT64_MAX;
    for (size_t s = 0; s < c->systems && c->n > 0; s++) {
        faults f = {SIZE_MAX, SIZE_MAX};
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? system_f32(c, s, &f, error) : system_f64(c, s, &f, error));
        const size_t row = f.pivot < SIZE_MAX ? f.pivot : f.value;
        if (row < SIZE_MAX && singular == UINT64_MAX) singular = s * c->n + row;
    }
    memcpy(c->singular, &singular, sizeof singular);
    return WEFT_OK;
}
