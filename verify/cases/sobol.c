/* weft_sobol. The parameter is the scrambling. Dimensions, first point, seed and stream vary with match_case.turn.
 * There are as many points as n coordinates allow. The inputs are not read. */
#include "core/types.h"
#include "verify/match.h"

#include <stdio.h>

enum { PARAMETERS = WEFT_OWEN + 1 };

typedef struct variant {
    uint64_t seed, stream, first;
    size_t dimensions, n;
} variant;

/* Returns the number of dimensions: one or several points per strip, powers of two and one more or less, and the
 * maximum. */
static size_t dimensions_of(uint64_t r) {
    static const size_t some[] = {1, 2, 3, 5, 8, 13, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1110, 1111};
    return some[r % (sizeof some / sizeof *some)];
}

/* Returns the first point: around boundaries of strips, where the highest bit of a point's number changes, and at
 * the end of a sequence. */
static uint64_t first_of(uint64_t r, size_t n) {
    const uint64_t end = UINT64_C(1) << 63, half = UINT64_C(1) << 32;
    const uint64_t some[] = {0, 0, 1, 2, 255, 1000, half - 1, half / 2 - 3, half + 12345, end / 2 - 1, end - n};
    const uint64_t i = r % (sizeof some / sizeof *some + 1);
    return i < sizeof some / sizeof *some ? some[i] : r >> 24;
}

static variant variant_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, 91 + (uint64_t)c->parameter);
    variant v = {.seed = r % 3 ? input_random(c->turn, 1) : 0,
                 .stream = r / 3 % 3 ? r % 7 : input_random(c->turn, 2)};
    v.dimensions = dimensions_of(r >> 8);
    v.n = c->n / v.dimensions;
    v.first = first_of(r >> 16, v.n);
    return v;
}

static size_t values(const match_case *c) {
    const variant v = variant_of(c);
    return v.dimensions * v.n;
}

static size_t out_bytes(const match_case *c) { return type_is_float(c->dtype) ? weft_dtype_size(c->dtype) : 0; }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    (void)inputs;
    return weft_sobol(ctx, (weft_scrambling)c->parameter, c->dtype, v.seed, v.stream, v.dimensions, v.first, v.n,
                      out);
}

static void tell(const match_case *c, char text[100]) {
    const variant v = variant_of(c);
    snprintf(text, 100, "seed 0x%llx, stream 0x%llx, first %llu, %zu dimensions", (unsigned long long)v.seed,
             (unsigned long long)v.stream, (unsigned long long)v.first, v.dimensions);
}

const match_shape match_sobol = {.inputs = 1,
                                 .parameters = PARAMETERS,
                                 .accumulates = 1,
                                 .values = values,
                                 .out_bytes = out_bytes,
                                 .call = call,
                                 .tell = tell};
