/* weft_convolve and weft_correlate: argument checks. */
#include "core/check.h"
#include "core/parts.h"
#include "core/types.h"

/* Finds the slice of the full convolution that a mode returns. For a correlation with n < m, NumPy swaps the
 * arguments and reverses the result: if the shorter array has an even length, WEFT_SAME then starts one value
 * later. */
static void find_slice(weft_convolve_mode mode, convolve_call *c) {
    const size_t shorter = min_u64(c->n, c->m), longer = max_u64(c->n, c->m);
    const bool swapped = c->correlate && c->n < c->m;
    c->first = mode == WEFT_FULL ? 0 : mode == WEFT_VALID ? shorter - 1 : swapped ? shorter / 2 : (shorter - 1) / 2;
    c->count = mode == WEFT_FULL ? longer + shorter - 1 : mode == WEFT_VALID ? longer - shorter + 1 : longer;
}

weft_status check_convolution(convolve_call *c, weft_field field, weft_convolve_mode mode, weft_error *error) {
    const char *const name = c->correlate ? "correlation" : "convolution";
    RETURN_IF_ERROR(check_float(name, c->dtype, error));
    RETURN_IF((unsigned)field > WEFT_COMPLEX, WEFT_INVALID, "invalid field %d", (int)field);
    RETURN_IF((unsigned)mode > WEFT_VALID, WEFT_INVALID, "invalid convolution mode %d", (int)mode);
    RETURN_IF(c->n == 0 || c->m == 0, WEFT_EMPTY, "%s of %zu and %zu values is undefined", name, c->n, c->m);
    RETURN_IF(c->n > SIZE_MAX / 16 || c->m > SIZE_MAX / 16, WEFT_INVALID,
              "%s: %zu and %zu values do not fit in memory", name, c->n, c->m);
    c->is_complex = field == WEFT_COMPLEX;
    find_slice(mode, c);
    return WEFT_OK;
}

static weft_status convolve(weft_context *ctx, convolve_call *c, weft_field field, weft_convolve_mode mode,
                            weft_error *error) {
    range from_x, from_h, to;
    RETURN_IF_ERROR(check_convolution(c, field, mode, error));
    const size_t size = weft_dtype_size(c->dtype), parts = c->is_complex ? 2 : 1;
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, parts * c->n, size, &from_x, error));
    RETURN_IF_ERROR(check_array(ctx, "h", c->h, parts * c->m, size, &from_h, error));
    RETURN_IF_ERROR(check_array(ctx, "y", c->y, parts * c->count, size, &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from_x, error));
    RETURN_IF_ERROR(check_apart(&to, &from_h, error));
    return ctx->backend->convolve(ctx->state, c, error);
}

/* Returns the call for one row. */
static convolve_call call_of(bool correlate, weft_dtype dtype, size_t n, const void *x, size_t m, const void *h,
                             void *y) {
    return (convolve_call){
        .dtype = dtype, .correlate = correlate, .rows = 1, .filters = 1, .n = n, .x = x, .m = m, .h = h, .y = y};
}

weft_status weft_convolve(weft_context *ctx, weft_convolve_mode mode, weft_dtype dtype, weft_field field, size_t n,
                          const void *x, size_t m, const void *h, void *y) {
    convolve_call call = call_of(false, dtype, n, x, m, h, y);
    RETURN_GUARDED(ctx, convolve(ctx, &call, field, mode, error));
}

weft_status weft_correlate(weft_context *ctx, weft_convolve_mode mode, weft_dtype dtype, weft_field field, size_t n,
                           const void *x, size_t m, const void *h, void *y) {
    convolve_call call = call_of(true, dtype, n, x, m, h, y);
    RETURN_GUARDED(ctx, convolve(ctx, &call, field, mode, error));
}

weft_status weft_part_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, int correlate, size_t n,
                               const void *x, size_t m, const void *h, size_t first, size_t count, void *y) {
    convolve_call call = call_of(correlate != 0, dtype, n, x, m, h, y);
    call.is_complex = field == WEFT_COMPLEX;
    call.first = first;
    call.count = count;
    RETURN_GUARDED(ctx, ctx->backend->convolve(ctx->state, &call, error));
}
