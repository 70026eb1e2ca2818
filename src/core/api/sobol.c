/* weft_sobol: argument checks. */
#include "core/check.h"
#include "core/order.h"

#include <inttypes.h>

static weft_status check_points(const weft_context *ctx, const sobol_call *c, weft_error *error) {
    range out;
    RETURN_IF(c->dimensions == 0 || c->dimensions > WEFT_SOBOL_DIMENSIONS, WEFT_INVALID,
              "invalid number of dimensions %zu: expected 1 to %d", c->dimensions, WEFT_SOBOL_DIMENSIONS);
    RETURN_IF(c->first > WEFT_SAMPLES_MAX || c->n > WEFT_SAMPLES_MAX - c->first, WEFT_INVALID,
              "first = %" PRIu64 ", n = %zu: the range exceeds the points of a sequence, 0 to %" PRIu64, c->first,
              c->n, WEFT_SAMPLES_MAX - 1);
    RETURN_IF(c->n > SIZE_MAX / c->dimensions, WEFT_INVALID,
              "out: %zu points of %zu dimension%s do not fit in memory", c->n, c->dimensions,
              c->dimensions == 1 ? "" : "s");
    return check_array(ctx, "out", c->out, c->n * c->dimensions, weft_dtype_size(c->dtype), &out, error);
}

static weft_status sobol(weft_context *ctx, const sobol_call *c, weft_error *error) {
    type_kind kind;
    RETURN_IF((unsigned)c->scrambling > WEFT_OWEN, WEFT_INVALID, "invalid scrambling %d", (int)c->scrambling);
    RETURN_IF_ERROR(check_kind(c->dtype, &kind, error));
    RETURN_IF(kind != KIND_FLOAT, WEFT_UNSUPPORTED, "Sobol points must have type f32 or f64, not %s",
              weft_dtype_name(c->dtype));
    RETURN_IF_ERROR(check_points(ctx, c, error));
    return c->n ? ctx->backend->sobol(ctx->state, c, error) : WEFT_OK;
}

weft_status weft_sobol(weft_context *ctx, weft_scrambling scrambling, weft_dtype dtype, uint64_t seed,
                       uint64_t stream, size_t dimensions, uint64_t first, size_t n, void *out) {
    const sobol_call c = {.scrambling = scrambling,
                          .dtype = dtype,
                          .seed = seed,
                          .stream = stream,
                          .first = first,
                          .dimensions = dimensions,
                          .n = n,
                          .out = out};
    RETURN_GUARDED(ctx, sobol(ctx, &c, error));
}
