/* The definition of weft_block_tridiag and weft_pentadiag (ORDER.md 27, 28). */
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K = WEFT_BLOCK_TRIDIAG_MAX, CHUNK = WEFT_BLOCK_TRIDIAG_CHUNK };

/* First block row of a system that lost its pivot, and first one with an x that is not finite; SIZE_MAX if there is
 * none. */
typedef struct faults {
    size_t pivot, value;
} faults;

static void note(size_t *first, size_t row) {
    if (row < *first) *first = row;
}

static size_t chunks_of(size_t n) { return (n - 1) / CHUNK + 1; }
static size_t chunk_length(size_t n, size_t chunk) { return n - chunk * CHUNK < CHUNK ? n - chunk * CHUNK : CHUNK; }
static size_t last_row(size_t n, size_t chunk) { return chunk * CHUNK + chunk_length(n, chunk) - 1; }

#define REAL float
#define TYPE WEFT_F32
#define FMA fmaf
#define EPSILON WEFT_TRIDIAG_EPSILON_F32
#define LEAST WEFT_TRIDIAG_LEAST_F32
#define GREATEST WEFT_TRIDIAG_GREATEST_F32
#define OF(name) name##_f32
#include "ref/bodies/block_tridiag_body.h"

#define REAL double
#define TYPE WEFT_F64
#define FMA fma
#define EPSILON WEFT_TRIDIAG_EPSILON_F64
#define LEAST WEFT_TRIDIAG_LEAST_F64
#define GREATEST WEFT_TRIDIAG_GREATEST_F64
#define OF(name) name##_f64
#include "ref/bodies/block_tridiag_body.h"

weft_status ref_block_tridiag(void *state, const block_tridiag_call *c, weft_error *error) {
    (void)state;
    uint64_t singular = UINT64_MAX;
    for (size_t s = 0; s < c->systems && c->n > 0; s++) {
        faults f = {SIZE_MAX, SIZE_MAX};
        RETURN_IF_ERROR((c->dtype == WEFT_F32 ? solve_system_f32 : solve_system_f64)(c, s, &f, error));
        const size_t row = f.pivot < SIZE_MAX ? f.pivot : f.value;
        if (row < SIZE_MAX && singular == UINT64_MAX) singular = s * c->n + row * (c->pentadiagonal ? 2 : 1);
    }
    memcpy(c->singular, &singular, sizeof singular);
    return WEFT_OK;
}
