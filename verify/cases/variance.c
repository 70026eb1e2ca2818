/* weft_variance. The parameter is ddof. */
#include "verify/match.h"

static size_t out_bytes(const match_case *c) {
    weft_dtype result;
    const weft_status status = weft_reduce_result(WEFT_MEAN, c->dtype, c->accumulate, &result);
    return status == WEFT_OK ? weft_dtype_size(result) : 0;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return weft_variance(ctx, c->dtype, c->accumulate, c->n, (size_t)c->parameter, inputs[0], out);
}

const match_shape match_variance = {
    .inputs = 1, .parameters = 2, .accumulates = 3, .halves = true, .out_bytes = out_bytes, .call = call};
