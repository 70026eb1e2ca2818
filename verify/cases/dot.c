/* weft_dot. With parameter 1 both arguments are the first array. */
#include "verify/match.h"

static size_t out_bytes(const match_case *c) {
    weft_dtype result;
    return weft_reduce_result(WEFT_SUM, c->dtype, c->accumulate, &result) == WEFT_OK ? weft_dtype_size(result) : 0;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return weft_dot(ctx, c->dtype, c->accumulate, c->n, inputs[0], inputs[c->parameter ? 0 : 1], out);
}

const match_shape match_dot = {
    .inputs = 2, .parameters = 2, .accumulates = 3, .halves = true, .out_bytes = out_bytes, .call = call};
