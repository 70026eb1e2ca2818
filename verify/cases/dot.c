/* weft_dot. With parameter 1 both arguments are the first array. */
#include "verify/match.h"

static size_t out_bytes(const match_case *c) {
    const bool is_float = c->dtype == WEFT_F32 || c->dtype == WEFT_F64;
    if (c->accumulate == WEFT_EXACT_SUM) return is_float ? weft_dtype_size(c->dtype) : 0;
    if (c->accumulate != WEFT_DEFAULT && c->dtype != WEFT_F32) return 0;
    return c->dtype == WEFT_F32 && c->accumulate == WEFT_DEFAULT ? sizeof(float) : sizeof(uint64_t);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return weft_dot(ctx, c->dtype, c->accumulate, c->n, inputs[0], inputs[c->parameter ? 0 : 1], out);
}

const match_shape match_dot = {.inputs = 2, .parameters = 2, .accumulates = 3, .out_bytes = out_bytes, .call = call};
