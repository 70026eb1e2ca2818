/* weft_convolve and weft_correlate. The parameter selects the mode, and real or complex values. The number of taps,
 * the side they are on, and correlation or convolution vary with match_case.turn. */
#include "core/order.h"
#include "core/types.h"
#include "verify/match.h"

enum { MODES = 3, PARAMETERS = 2 * MODES };

typedef struct variant {
    size_t n, m;
    bool is_complex, correlate;
    weft_convolve_mode mode;
} variant;

/* Returns the number of taps: values around the limits of ORDER.md 15, and fractions of the array. */
static size_t taps(uint64_t r, size_t n) {
    static const size_t some[] = {1,   2,   3,   11,  16,  33,  63,  64,   65,   66,
                                  100, 127, 256, 257, 300, 511, 513, 1000, 2049, 5000};
    enum { SOME = sizeof some / sizeof *some };
    const size_t i = r % (SOME + 3);
    const size_t m = i < SOME ? some[i] : i == SOME ? n : i == SOME + 1 ? n / 2 : n / 3;
    return m == 0 ? 1 : m < n ? m : n;
}

static variant variant_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    variant v = {.is_complex = c->parameter >= MODES,
                 .correlate = r >> 20 & 1,
                 .mode = (weft_convolve_mode)(c->parameter % MODES)};
    v.n = v.is_complex ? c->n / 2 : c->n;
    v.m = v.n ? taps(r >> 24, v.n) : 0;
    if ((r >> 21) % 4 == 0) {
        const size_t n = v.n;
        v.n = v.m;
        v.m = n;
    }
    return v;
}

static size_t values(const match_case *c) {
    const variant v = variant_of(c);
    const size_t longer = v.n < v.m ? v.m : v.n, shorter = v.n < v.m ? v.n : v.m;
    if (shorter == 0) return 0;
    const size_t count = v.mode == WEFT_FULL   ? longer + shorter - 1
                         : v.mode == WEFT_SAME ? longer
                                               : longer - shorter + 1;
    return v.is_complex ? 2 * count : count;
}

static size_t out_bytes(const match_case *c) {
    const bool is_float = type_is_float(c->dtype);
    return is_float && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    const weft_field field = v.is_complex ? WEFT_COMPLEX : WEFT_REAL;
    return (v.correlate ? weft_correlate : weft_convolve)(ctx, v.mode, c->dtype, field, v.n, inputs[0], v.m,
                                                          inputs[1], out);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const modes[MODES] = {"full", "same", "valid"};
    const variant v = variant_of(c);
    snprintf(text, 100, "%s %s of %zu and %zu %s values", modes[v.mode], v.correlate ? "correlation" : "convolution",
             v.n, v.m, v.is_complex ? "complex" : "real");
}

const match_shape match_convolve = {.inputs = 2,
                                    .parameters = PARAMETERS,
                                    .accumulates = 1,
                                    .values = values,
                                    .out_bytes = out_bytes,
                                    .call = call,
                                    .tell = tell};
