/* The definition of weft_heat (ORDER.md 23). */
#include "core/order.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sweep along `axis`. The adjacent points in its right-hand side are along `neighbour_axis`. */
typedef struct sweep {
    const heat_call *call;
    size_t axis, neighbour_axis;
} sweep;

static size_t points_of(const heat_call *c) { return c->batch * c->n[0] * c->n[1] * c->n[2]; }

/* Returns the stride between adjacent points along an axis. */
static size_t distance(const heat_call *c, size_t axis) {
    size_t points = 1;
    for (size_t i = 0; i < axis; i++) points *= c->n[i];
    return points;
}

#define REAL float
#define FMA fmaf
#define OF(name) name##_f32
#include "ref/bodies/heat_body.h"

#define REAL double
#define FMA fma
#define OF(name) name##_f64
#include "ref/bodies/heat_body.h"

weft_status ref_heat(void *state, const heat_call *c, weft_error *error) {
    const size_t bytes = points_of(c) * weft_dtype_size(c->dtype);
    void *const d = malloc(bytes);
    weft_status status = WEFT_OK;
    (void)state;
    RETURN_IF(!d, WEFT_OUT_OF_MEMORY, "cannot allocate a right-hand side of %zu bytes", bytes);
    memmove(c->v, c->u, bytes);
    for (size_t step = 0; step < c->steps; step++)
        for (size_t axis = 0; axis < c->dimensions && status == WEFT_OK; axis++) {
            const bool alternates = c->method == WEFT_CRANK_NICOLSON && c->dimensions == 2;
            const sweep s = {c, axis, alternates ? 1 - axis : axis};
            status = c->dtype == WEFT_F32 ? sweep_f32(&s, c->v, d, error) : sweep_f64(&s, c->v, d, error);
        }
    free(d);
    return status;
}
