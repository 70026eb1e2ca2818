/* weft_heat. The parameter plus 1 is the number of dimensions. The shape, the number of grids, the method, the
 * lambdas, the number of steps, and in place or not vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

/* Lengths of axes: around the ends of chunks and levels of the systems, and rows that do not fill vectors. */
static const size_t LENGTHS[] = {128, 16, 33, 1, 5, 32, 2, 17, 64, 513, 3, 31, 100, 1000, 40, 9};
static const double LAMBDAS[] = {1, 0.25, 3, 1e-3, 0.1, 40};
static const size_t STEPS[] = {2, 1, 3, 1, 1, 0, 2, 4};

typedef struct variant {
    weft_heat_method method;
    size_t dimensions, shape[3], batch, steps;
    double lambda[3];
    bool in_place;
} variant;

static variant variant_of(const match_case *c) {
    const uint64_t draw = input_random(c->turn, 23 + (uint64_t)c->parameter);
    variant v = {.method = draw & 1 ? WEFT_CRANK_NICOLSON : WEFT_BACKWARD_EULER,
                 .dimensions = (size_t)c->parameter + 1,
                 .steps = STEPS[(draw >> 1) % 8],
                 .in_place = draw >> 4 & 1};
    /* more sweeps use fewer points, to limit the work */
    size_t left = c->n ? (c->n - 1) / (v.dimensions * (v.steps + 1)) + 1 : 0;
    for (size_t i = 0; i < v.dimensions; i++) {
        const bool all = draw >> 5 & 1 && i + 1 == v.dimensions; /* all points on the last axis, or more grids */
        v.shape[i] = all ? left : min_u64(LENGTHS[(draw >> (8 + 4 * i)) % 16], left);
        v.lambda[i] = LAMBDAS[(draw >> (32 + 4 * i)) % 6];
        left = v.shape[i] ? left / v.shape[i] : 0;
    }
    v.batch = left;
    return v;
}

static size_t values(const match_case *c) {
    const variant v = variant_of(c);
    size_t points = v.batch;
    for (size_t i = 0; i < v.dimensions; i++) points *= v.shape[i];
    return points;
}

static size_t out_bytes(const match_case *c) { return type_is_float(c->dtype) ? weft_dtype_size(c->dtype) : 0; }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    if (v.in_place) {
        const weft_status status = weft_copy(ctx, values(c) * weft_dtype_size(c->dtype), inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    return weft_heat(ctx, v.method, c->dtype, v.dimensions, v.shape, v.batch, v.lambda, v.steps,
                     v.in_place ? out : inputs[0], out);
}

static void tell(const match_case *c, char text[100]) {
    const variant v = variant_of(c);
    snprintf(text, 100, "%zu of %zu x %zu x %zu, %zu steps by %s%s", v.batch, v.shape[0], v.shape[1], v.shape[2],
             v.steps, v.method == WEFT_CRANK_NICOLSON ? "Crank-Nicolson" : "backward Euler",
             v.in_place ? ", in place" : "");
}

const match_shape match_heat = {.inputs = 1,
                                .parameters = 3,
                                .accumulates = 1,
                                .values = values,
                                .out_bytes = out_bytes,
                                .call = call,
                                .tell = tell};
