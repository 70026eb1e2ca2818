/* weft_reduce_lanes. The operator and the number of lanes vary with match_case.turn. Parameter 0: powers of two,
 * 1: other numbers of lanes. */
#include "verify/match.h"

enum { COUNT = 10 };
static const size_t LANES[2][COUNT] = {{1, 2, 4, 8, 16, 32, 64, 128, 256, 1024},
                                       {3, 5, 7, 12, 24, 33, 100, 200, 1000, 1023}};

static size_t lanes_of(const match_case *c) { return LANES[c->parameter][c->turn % COUNT]; }

static weft_op op_of(const match_case *c) { return c->turn / COUNT % 2 ? WEFT_PROD : WEFT_SUM; }

static size_t out_bytes(const match_case *c) {
    if (c->dtype != WEFT_F32 && c->dtype != WEFT_F64) return 0;
    return c->dtype == WEFT_F64 || c->accumulate == WEFT_F64 ? 8 : 4;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return weft_reduce_lanes(ctx, op_of(c), c->dtype, c->accumulate, c->n, lanes_of(c), inputs[0], out);
}

static void tell(const match_case *c, char text[100]) {
    snprintf(text, 100, "%s, %zu lanes", weft_op_name(op_of(c)), lanes_of(c));
}

const match_shape match_reduce_lanes = {
    .inputs = 1, .parameters = 2, .accumulates = 2, .out_bytes = out_bytes, .call = call, .tell = tell};
