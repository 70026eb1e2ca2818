/* weft_search_sorted. The parameter selects the side, and n or at most 6 elements. Queries are elements of the
 * array, or of another one, depending on match_case.turn. The array is copied to the output after the positions, as
 * in verify/cases/merge.c. */
#include "verify/sorted.h"

enum { PARAMETERS = 4 };

static weft_side side_of(const match_case *c) { return c->parameter % 2 ? WEFT_RIGHT : WEFT_LEFT; }

static size_t sorted_count(const match_case *c) {
    const size_t few = c->turn % 7;
    return c->parameter < 2 || c->n < few ? c->n : few;
}

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

static size_t values(const match_case *c) {
    return c->n + (sorted_count(c) * weft_dtype_size(c->dtype) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    (void)out;
    parts[0] = (match_part){0, sizeof(uint64_t), c->n};
    parts[1] = (match_part){c->n * sizeof(uint64_t), weft_dtype_size(c->dtype), sorted_count(c)};
    return 2;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const size_t n = sorted_count(c);
    uint64_t *const positions = out;
    void *const sorted = positions + c->n;
    const void *from = sorted_input(c, 0, n);
    if (!from) return WEFT_OUT_OF_MEMORY;
    const weft_status status = weft_copy(ctx, n * weft_dtype_size(c->dtype), from, sorted);
    if (status != WEFT_OK) return status;
    return weft_search_sorted(ctx, side_of(c), c->dtype, n, sorted, c->n, inputs[c->turn % 2], positions);
}

static void tell(const match_case *c, char text[100]) {
    snprintf(text, 100, "%s, %zu elements, queries of input %d", side_of(c) == WEFT_LEFT ? "left" : "right",
             sorted_count(c), (int)(c->turn % 2));
}

const match_shape match_search_sorted = {.inputs = 2,
                                         .parameters = PARAMETERS,
                                         .accumulates = 1,
                                         .halves = true,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .parts = parts,
                                         .call = call,
                                         .tell = tell};
