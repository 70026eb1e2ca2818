/* weft_fft, weft_convolve and weft_correlate: argument checks. */
#include "core/check.h"
#include "core/parts.h"

static weft_status check_real_type(const char *what, weft_dtype dtype, weft_error *error) {
    type_kind kind;
    FORWARD(check_kind(dtype, &kind, error));
    RETURN_IF(kind != KIND_FLOAT, WEFT_UNSUPPORTED, "%s requires f32 or f64 elements, not %s", what,
              weft_dtype_name(dtype));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ fft */

/* Computes the number of reals in `batch` arrays of `values` values with `parts` reals each. */
static weft_status count_reals(size_t batch, size_t values, size_t parts, size_t *reals, weft_error *error) {
    RETURN_IF(__builtin_mul_overflow(batch, values, reals) || __builtin_mul_overflow(*reals, parts, reals),
              WEFT_INVALID, "fft: %zu arrays of %zu values do not fit in memory", batch, values);
    return WEFT_OK;
}

static weft_status fft(weft_context *ctx, weft_dtype dtype, weft_fft_kind kind, size_t batch, size_t n, const void *x,
                       void *y, weft_error *error) {
    range from, to;
    size_t in, out;
    FORWARD(check_real_type("fft", dtype, error));
    RETURN_IF((unsigned)kind > WEFT_C2R, WEFT_INVALID, "invalid fft kind %d", (int)kind);
    RETURN_IF(n == 0 || (n & (n - 1)) != 0, WEFT_INVALID, "fft of %zu values: the length must be a power of two", n);
    FORWARD(count_reals(batch, kind == WEFT_C2R ? n / 2 + 1 : n, kind == WEFT_R2C ? 1 : 2, &in, error));
    FORWARD(count_reals(batch, kind == WEFT_R2C ? n / 2 + 1 : n, kind == WEFT_C2R ? 1 : 2, &out, error));
    FORWARD(check_array(ctx, "x", x, in, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "y", y, out, weft_dtype_size(dtype), &to, error));
    if (x != y || kind > WEFT_C2C_INVERSE) FORWARD(check_apart(&to, &from, error));
    if (batch == 0) return WEFT_OK;
    return ctx->backend->fft(ctx->state, &(fft_call){dtype, kind, batch, n, x, y}, error);
}

weft_status weft_fft(weft_context *ctx, weft_dtype dtype, weft_fft_kind kind, size_t batch, size_t n, const void *x,
                     void *y) {
    GUARDED(ctx, fft(ctx, dtype, kind, batch, n, x, y, error));
}

/* ------------------------------------------------------------------------------- convolve */

/* Finds the slice of the full convolution that a mode returns. For a correlation with n < m, NumPy swaps the
 * arguments and reverses the result: if the shorter array has an even length, WEFT_SAME then starts one value
 * later. */
static void find_slice(weft_convolve_mode mode, size_t n, size_t m, bool correlate, size_t *first, size_t *count) {
    const size_t shorter = n < m ? n : m, longer = n < m ? m : n;
    const bool turned = correlate && n < m;
    *first = mode == WEFT_FULL ? 0 : mode == WEFT_VALID ? shorter - 1 : turned ? shorter / 2 : (shorter - 1) / 2;
    *count = mode == WEFT_FULL ? longer + shorter - 1 : mode == WEFT_VALID ? longer - shorter + 1 : longer;
}

/* Arguments of weft_convolve and weft_correlate. */
typedef struct request {
    const char *name;
    bool correlate;
    weft_dtype dtype;
    weft_field field;
    weft_convolve_mode mode;
    size_t n, m;
    const void *x, *h;
    void *y;
} request;

static weft_status convolve(weft_context *ctx, const request *r, weft_error *error) {
    range from_x, from_h, to;
    size_t first, count;
    FORWARD(check_real_type(r->name, r->dtype, error));
    RETURN_IF((unsigned)r->field > WEFT_COMPLEX, WEFT_INVALID, "invalid field %d", (int)r->field);
    RETURN_IF((unsigned)r->mode > WEFT_VALID, WEFT_INVALID, "invalid convolution mode %d", (int)r->mode);
    RETURN_IF(r->n == 0 || r->m == 0, WEFT_EMPTY, "%s of %zu and %zu values is undefined", r->name, r->n, r->m);
    const size_t size = weft_dtype_size(r->dtype), parts = r->field == WEFT_COMPLEX ? 2 : 1;
    RETURN_IF(r->n > SIZE_MAX / 16 || r->m > SIZE_MAX / 16, WEFT_INVALID,
              "%s: %zu and %zu values do not fit in memory", r->name, r->n, r->m);
    find_slice(r->mode, r->n, r->m, r->correlate, &first, &count);
    FORWARD(check_array(ctx, "x", r->x, parts * r->n, size, &from_x, error));
    FORWARD(check_array(ctx, "h", r->h, parts * r->m, size, &from_h, error));
    FORWARD(check_array(ctx, "y", r->y, parts * count, size, &to, error));
    FORWARD(check_apart(&to, &from_x, error));
    FORWARD(check_apart(&to, &from_h, error));
    const convolve_call call = {r->dtype, parts == 2, r->correlate, r->n, r->x, r->m, r->h, first, count, r->y};
    return ctx->backend->convolve(ctx->state, &call, error);
}

weft_status weft_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, weft_convolve_mode mode, size_t n,
                          const void *x, size_t m, const void *h, void *y) {
    const request r = {"convolution", false, dtype, field, mode, n, m, x, h, y};
    GUARDED(ctx, convolve(ctx, &r, error));
}

weft_status weft_correlate(weft_context *ctx, weft_dtype dtype, weft_field field, weft_convolve_mode mode, size_t n,
                           const void *x, size_t m, const void *h, void *y) {
    const request r = {"correlation", true, dtype, field, mode, n, m, x, h, y};
    GUARDED(ctx, convolve(ctx, &r, error));
}

weft_status weft_part_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, int correlate, size_t n,
                               const void *x, size_t m, const void *h, size_t first, size_t count, void *y) {
    const convolve_call call = {dtype, field == WEFT_COMPLEX, correlate != 0, n, x, m, h, first, count, y};
    GUARDED(ctx, ctx->backend->convolve(ctx->state, &call, error));
}
