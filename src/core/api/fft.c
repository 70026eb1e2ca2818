/* weft_fft: argument checks. */
#include "core/check.h"
#include "core/fft_lengths.h"
#include "core/parts.h"

/* Computes the number of reals in `batch` arrays of `values` values with `parts` reals each. */
static weft_status count_reals(size_t batch, size_t values, size_t parts, size_t *reals, weft_error *error) {
    RETURN_IF(__builtin_mul_overflow(batch, values, reals) || __builtin_mul_overflow(*reals, parts, reals),
              WEFT_INVALID, "fft: %zu arrays of %zu values do not fit in memory", batch, values);
    return WEFT_OK;
}

static weft_status fft(weft_context *ctx, const fft_call *c, weft_error *error) {
    const size_t half = c->n / 2 + 1;
    const bool from_real = c->kind == WEFT_R2C, to_real = c->kind == WEFT_C2R;
    range from, to;
    size_t in, out;
    RETURN_IF_ERROR(check_float("fft", c->dtype, error));
    const size_t size = weft_dtype_size(c->dtype);
    RETURN_IF((unsigned)c->kind > WEFT_C2R, WEFT_INVALID, "invalid fft kind %d", (int)c->kind);
    RETURN_IF(c->n == 0, WEFT_INVALID, "fft of 0 values: at least 1 is required");
    RETURN_IF_ERROR(count_reals(c->batch, to_real ? half : c->n, from_real ? 1 : 2, &in, error));
    RETURN_IF_ERROR(count_reals(c->batch, from_real ? half : c->n, to_real ? 1 : 2, &out, error));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, in, size, &from, error));
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, out, size, &to, error));
    if (c->x != c->y || c->kind > WEFT_C2C_INVERSE) RETURN_IF_ERROR(check_apart(&to, &from, error));
    return c->batch ? fft_run(ctx, c, error) : WEFT_OK;
}

weft_status weft_fft(weft_context *ctx, weft_fft_kind kind, weft_dtype dtype, size_t batch, size_t n, const void *x,
                     void *y) {
    const fft_call call = {.dtype = dtype, .kind = kind, .batch = batch, .n = n, .x = x, .y = y};
    RETURN_GUARDED(ctx, fft(ctx, &call, error));
}

weft_status weft_part_fft_blocks(weft_context *ctx, weft_dtype dtype, int inverse, size_t blocks, size_t n,
                                 size_t first, size_t count, void *x, void *y) {
    const fft_blocks_call call = {
        .dtype = dtype, .inverse = inverse, .blocks = blocks, .n = n, .first = first, .count = count, .x = x, .y = y};
    RETURN_GUARDED(ctx, ctx->backend->fft_blocks(ctx->state, &call, error));
}
