/* weft_histogram_even (parameters 0 to 3) and weft_histogram. The parameter selects the number of bins. The position
 * of the bins varies with match_case.turn. Edges are in host memory, or after the counts in the output. */
#include "core/byte_order.h"
#include "core/types.h"
#include "verify/bins.h"
#include "verify/sorted.h"

#include <string.h>

enum { EVEN = 4, PARAMETERS = 7, EDGES_MAX = 5001 };
static const size_t COUNTS[PARAMETERS] = {1, 10, 257, 3001, 2, 100, EDGES_MAX}; /* bins, or edges at most */

/* Returns the number of bins. One case in 16 of the largest even parameter has so many that another algorithm counts
 * them. */
static size_t count_of(const match_case *c) {
    if (c->parameter != EVEN - 1 || c->turn % 16 != 0) return COUNTS[c->parameter];
    return c->turn % 128 == 0 ? 600011 : 40003;
}

/* ---------------------------------------------------------------------------------- edges */

/* Edges, and the case that they belong to. */
typedef struct made_edges {
    uint64_t elements[EDGES_MAX + 2];
    size_t count; /* 0: not made yet */
    match_case of;
} made_edges;

/* Sets *edges to elements of an array of the case's kind: sorted, distinct, and without NaN. They are kept from call
 * to call. Returns their number, or 0 without memory. */
static size_t edges_of(const match_case *c, const void **edges) {
    made_edges *const made = sorted_scratch(sizeof *made);
    *edges = made ? made->elements : NULL;
    if (!made) return 0;
    if (made->count && made->of.dtype == c->dtype && made->of.kind == c->kind && made->of.seed == c->seed &&
        made->of.turn == c->turn && made->of.parameter == c->parameter)
        return made->count;
    made->count = bins_edges(c, COUNTS[c->parameter], made->elements);
    made->of = *c;
    return made->count;
}

/* ----------------------------------------------------------------------------------- cases */

static size_t bins_of(const match_case *c) {
    const void *edges;
    return c->parameter < EVEN ? count_of(c) : edges_of(c, &edges) - 1;
}

static bool edges_follow(const match_case *c) { return c->parameter >= EVEN && c->turn / 2 % 2; }

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

static size_t values(const match_case *c) {
    const size_t bins = bins_of(c),
                 edge_bytes = edges_follow(c) ? (bins + 1) * weft_dtype_size(type_widened(c->dtype)) : 0;
    return bins + (edge_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const size_t bins = bins_of(c), edges = edges_follow(c) ? bins + 1 : 0;
    (void)out;
    parts[0] = (match_part){0, sizeof(uint64_t), bins};
    parts[1] = (match_part){bins * sizeof(uint64_t), weft_dtype_size(type_widened(c->dtype)), edges};
    return 2;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const bin_bounds b = bins_bounds(c, count_of(c));
    const size_t bins = bins_of(c);
    uint64_t *const counts = out;
    const void *edges;
    if (c->parameter < EVEN)
        return weft_histogram_even(ctx, c->dtype, c->n, inputs[0], bins, &b.lower, &b.upper, counts);
    edges_of(c, &edges);
    if (!edges_follow(c)) return weft_histogram(ctx, c->dtype, c->n, inputs[0], bins, edges, counts);
    const weft_status status =
        weft_copy(ctx, (bins + 1) * weft_dtype_size(type_widened(c->dtype)), edges, counts + bins);
    return status == WEFT_OK ? weft_histogram(ctx, c->dtype, c->n, inputs[0], bins, counts + bins, counts) : status;
}

static void tell(const match_case *c, char text[100]) {
    const bin_bounds b = bins_bounds(c, count_of(c));
    const size_t size = weft_dtype_size(type_widened(c->dtype));
    snprintf(text, 100, "%zu bins", bins_of(c));
    if (c->parameter < EVEN)
        snprintf(text + strlen(text), 60, " from 0x%llx to 0x%llx", (unsigned long long)bits_load(&b.lower, size),
                 (unsigned long long)bits_load(&b.upper, size));
}

const match_shape match_histogram = {.inputs = 1,
                                     .parameters = PARAMETERS,
                                     .accumulates = 1,
                                     .halves = true,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .parts = parts,
                                     .call = call,
                                     .tell = tell};
