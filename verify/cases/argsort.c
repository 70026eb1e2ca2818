/* weft_argsort. The parameter selects the order and the type of the indices. */
#include "verify/match.h"

enum { PARAMETERS = 4 };

static weft_dtype index_of(const match_case *c) { return c->parameter < 2 ? WEFT_U32 : WEFT_U64; }

static size_t out_bytes(const match_case *c) { return weft_dtype_size(index_of(c)); }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const weft_order_of_sort order = c->parameter % 2 ? WEFT_DESCENDING : WEFT_ASCENDING;
    return weft_argsort(ctx, order, c->dtype, index_of(c), c->n, inputs[0], out);
}

const match_shape match_argsort = {.inputs = 1,
                                   .parameters = PARAMETERS,
                                   .accumulates = 1,
                                   .halves = true,
                                   .values = match_each,
                                   .out_bytes = out_bytes,
                                   .call = call};
