/* weft_dist_fft: each rank transforms its own arrays. */
#include "dist/dist.h"

/* Returns the number of reals of an array: n if `kind` is `real`, those of half a spectrum if `kind` is `half`,
 * otherwise those of n complex values. */
static size_t reals_of(weft_fft_kind kind, weft_fft_kind real, weft_fft_kind half, size_t n) {
    return kind == real ? n : 2 * (kind == half ? n / 2 + 1 : n);
}

static weft_status check_fft(weft_dist *d, weft_dtype dtype, weft_fft_kind kind, size_t batch, size_t n,
                             const void *x, const void *y) {
    weft_error *error = &d->error;
    const size_t size = weft_dtype_size(dtype);
    RETURN_IF_ERROR(dist_took(d, weft_fft(d->ctx, dtype, kind, 0, n, NULL, NULL)));
    RETURN_IF(batch > SIZE_MAX / 32 / n, WEFT_INVALID, "%zu arrays of %zu values do not fit in memory", batch, n);
    const size_t in = batch * reals_of(kind, WEFT_R2C, WEFT_C2R, n),
                 out = batch * reals_of(kind, WEFT_C2R, WEFT_R2C, n);
    RETURN_IF_ERROR(dist_check_array(d, "x", x, in, size));
    RETURN_IF_ERROR(dist_check_array(d, "y", y, out, size));
    return x == y && kind <= WEFT_C2C_INVERSE ? WEFT_OK : dist_check_apart(d, "y", y, out * size, "x", x, in * size);
}

weft_status weft_dist_fft(weft_dist *d, weft_dtype dtype, weft_fft_kind kind, weft_slice arrays, size_t n,
                          const void *x, void *y) {
    if (!d) return WEFT_INVALID;
    const agreed list[] = {
        {"dtype", AS_TYPE, dtype}, {"the kind", AS_NUMBER, kind}, {"the number of values", AS_NUMBER, n}};
    RETURN_IF_ERROR(dist_begin(d, "fft", list, 3, arrays, check_fft(d, dtype, kind, arrays.count, n, x, y)));
    return dist_finish(d, dist_took(d, weft_fft(d->ctx, dtype, kind, arrays.count, n, x, y)));
}
