/* The definition of weft_tridiag_pivot (ORDER.md 26). */
#include "ref/tridiag_system.h"

static size_t chunks_of(size_t n) { return (n - 1) / WEFT_TRIDIAG_PIVOT_CHUNK + 1; }

/* A last chunk of one row takes one from the chunk before it. */
static size_t first_row(size_t n, size_t chunk) {
    const size_t first = chunk * WEFT_TRIDIAG_PIVOT_CHUNK;
    return first + 1 == n ? first - 1 : first;
}

static size_t last_row(size_t n, size_t chunk) {
    return (chunk + 1 < chunks_of(n) ? first_row(n, chunk + 1) : n) - 1;
}

/* Returns the largest power of two below count. */
static size_t half_of(size_t count) {
    size_t half = 1;
    while (2 * half < count) half *= 2;
    return half;
}

#define REAL float
#define FMA fmaf
#define OF(name) name##_f32
#include "ref/bodies/tridiag_pivot_body.h"

#define REAL double
#define FMA fma
#define OF(name) name##_f64
#include "ref/bodies/tridiag_pivot_body.h"

weft_status ref_tridiag_pivot(void *state, const tridiag_call *c, weft_error *error) {
    (void)state;
    return solve_systems(c, solve_f32, solve_f64, error);
}
