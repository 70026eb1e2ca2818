/* The definition of weft_laplace (ORDER.md 7). */
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_face(const laplace_call *c, size_t i, size_t j, size_t k) {
    return i == 0 || i + 1 == c->nx || j == 0 || j + 1 == c->ny || k == 0 || k + 1 == c->nz;
}

#define REAL float
#define SWEEP sweep_f32
#include "ref/bodies/laplace_body.h"

#define REAL double
#define SWEEP sweep_f64
#include "ref/bodies/laplace_body.h"

static double add(double a, double b) { return a + b; }

static double step_change(const terms_f64 *t, double lane, size_t i) {
    const double change = ref_real(t->x, i) - ref_real(t->y, i);
    return fma(change, change, lane);
}

static double change_between(const laplace_call *c, const void *u, const void *v) {
    const size_t points = c->nx * c->ny * c->nz;
    const terms_f64 squares = {-0.0, step_change, add, {c->dtype, v}, {c->dtype, u}, 0};
    return sqrt(tree_f64(&squares, points) / (double)points);
}

weft_status ref_laplace(void *state, const laplace_call *c, weft_error *error) {
    const size_t bytes = c->nx * c->ny * c->nz * weft_dtype_size(c->dtype);
    void *const before = malloc(bytes);
    double change = 0;
    (void)state;
    RETURN_IF(!before, WEFT_OUT_OF_MEMORY, "cannot allocate a second grid of %zu bytes", bytes);
    memmove(c->v, c->u, bytes);
    for (size_t sweep = 0; sweep < c->sweeps; sweep++) {
        memcpy(before, c->v, bytes);
        if (c->dtype == WEFT_F32)
            sweep_f32(c, before, c->v);
        else
            sweep_f64(c, before, c->v);
    }
    if (c->sweeps && c->change) change = change_between(c, before, c->v);
    if (c->change) ref_store_real(WEFT_F64, change, c->change);
    free(before);
    return WEFT_OK;
}
