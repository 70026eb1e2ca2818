/* weft_top_k. The parameter selects k, and largest or smallest. One case in four has no indices. */
#include "verify/match.h"

static const struct {
    size_t k; /* limited to n; 0: n / 2 */
    weft_extreme extreme;
} PARAMETERS[] = {
    {1, WEFT_LARGEST}, {10, WEFT_SMALLEST}, {3000, WEFT_LARGEST}, {0, WEFT_SMALLEST}, {SIZE_MAX, WEFT_LARGEST}};
enum { PARAMETER_COUNT = sizeof PARAMETERS / sizeof *PARAMETERS };

static size_t k_of(const match_case *c) {
    const size_t k = PARAMETERS[c->parameter].k ? PARAMETERS[c->parameter].k : c->n / 2;
    return k < c->n ? k : c->n;
}

static bool has_indices(const match_case *c) { return (c->turn / 4 + (uint64_t)c->parameter) % 4 != 0; }

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

/* Returns the number of 8-byte words of the elements, which the indices follow. */
static size_t words(const match_case *c) {
    return (k_of(c) * weft_dtype_size(c->dtype) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static size_t values(const match_case *c) { return words(c) + (has_indices(c) ? k_of(c) : 0); }

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    (void)out;
    parts[0] = (match_part){0, weft_dtype_size(c->dtype), k_of(c)};
    parts[1] = (match_part){words(c) * sizeof(uint64_t), sizeof(uint64_t), has_indices(c) ? k_of(c) : 0};
    return 2;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    uint64_t *const indices = (uint64_t *)out + words(c);
    return weft_top_k(ctx, PARAMETERS[c->parameter].extreme, c->dtype, c->n, inputs[0], k_of(c), out,
                      has_indices(c) ? indices : NULL);
}

static void tell(const match_case *c, char text[100]) {
    snprintf(text, 100, "the %zu %s%s", k_of(c),
             PARAMETERS[c->parameter].extreme == WEFT_LARGEST ? "largest" : "smallest",
             has_indices(c) ? "" : " without indices");
}

const match_shape match_top_k = {.inputs = 1,
                                 .parameters = PARAMETER_COUNT,
                                 .accumulates = 1,
                                 .halves = true,
                                 .values = values,
                                 .out_bytes = out_bytes,
                                 .parts = parts,
                                 .call = call,
                                 .tell = tell};
