/* weft_variance. The parameter is ddof. */
#include "verify/match.h"

static size_t out_bytes(const match_case *c) {
    if (c->accumulate != WEFT_DEFAULT && c->dtype != WEFT_F32) return 0;
    return c->dtype == WEFT_F32 && c->accumulate == WEFT_DEFAULT ? sizeof(float) : sizeof(double);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return weft_variance(ctx, c->dtype, c->accumulate, c->n, (size_t)c->parameter, inputs[0], out);
}

const match_shape match_variance = {
    .inputs = 1, .parameters = 2, .accumulates = 2, .out_bytes = out_bytes, .call = call};
