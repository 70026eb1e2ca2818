/* weft_merge. The parameter selects the lengths of a and b. The sorted inputs are copied to the output after y.
 * There they are in memory of the target, and writing to them would be detected. */
#include "verify/sorted.h"

enum { HALVES, WHOLES, TENTH, LONE, NONE, PARAMETERS };

static size_t first_count(const match_case *c) {
    switch (c->parameter) {
    case HALVES: return c->n / 2;
    case TENTH: return c->n / 10;
    case NONE: return c->turn % 2 ? 0 : c->n;
    default: return c->n;
    }
}

static size_t second_count(const match_case *c) {
    switch (c->parameter) {
    case HALVES: return c->n - c->n / 2;
    case LONE: return c->n ? 1 : 0;
    case NONE: return c->turn % 2 ? c->n : 0;
    default: return c->n;
    }
}

static size_t out_bytes(const match_case *c) { return weft_dtype_size(c->dtype); }
static size_t values(const match_case *c) { return 2 * (first_count(c) + second_count(c)); }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const size_t na = first_count(c), nb = second_count(c), size = weft_dtype_size(c->dtype);
    const void *first = sorted_input(c, 0, na), *second = sorted_input(c, 1, nb);
    char *const a = (char *)out + (na + nb) * size, *const b = a + na * size;
    (void)inputs;
    if (!first || !second) return WEFT_OUT_OF_MEMORY;
    weft_status status = weft_copy(ctx, na * size, first, a);
    if (status == WEFT_OK) status = weft_copy(ctx, nb * size, second, b);
    return status == WEFT_OK ? weft_merge(ctx, c->dtype, na, a, nb, b, out) : status;
}

static void tell(const match_case *c, char text[100]) {
    snprintf(text, 100, "%zu and %zu elements", first_count(c), second_count(c));
}

const match_shape match_merge = {.inputs = 2,
                                 .parameters = PARAMETERS,
                                 .accumulates = 1,
                                 .halves = true,
                                 .values = values,
                                 .out_bytes = out_bytes,
                                 .call = call,
                                 .tell = tell};
