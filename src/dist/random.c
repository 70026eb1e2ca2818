/* weft_dist_random, weft_dist_random_integers: each rank computes the samples of its slice from their numbers. */
#include "core/byte_order.h"
#include "dist/dist.h"

#include <string.h>

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t value_of(weft_dtype dtype, const void *p) { return p ? bits_load(p, weft_dtype_size(dtype)) : 0; }

/* Fails if the numbers of the array's samples exceed the stream's. Accesses no memory. */
static weft_status check_numbers(weft_dist *d, uint64_t first) {
    weft_error *error = &d->error;
    RETURN_IF(first > WEFT_SAMPLES_MAX || dist_total(d) > WEFT_SAMPLES_MAX - first, WEFT_INVALID,
              "samples %llu to %llu are out of range: a stream has 2^63 samples", (unsigned long long)first,
              (unsigned long long)(first + dist_total(d)));
    return WEFT_OK;
}

weft_status weft_dist_random(weft_dist *d, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                             uint64_t stream, uint64_t first, weft_slice slice, double a, double b, void *out) {
    if (!d) return WEFT_INVALID;
    const agreed list[] = {{"the distribution", AS_NUMBER, distribution},
                           {"dtype", AS_TYPE, dtype},
                           {"the seed", AS_NUMBER, seed},
                           {"the stream", AS_NUMBER, stream},
                           {"the first number", AS_NUMBER, first},
                           {"a", AS_BITS, bits_of(a)},
                           {"b", AS_BITS, bits_of(b)}};
    weft_status status = dist_took(d, weft_random(d->ctx, distribution, dtype, seed, stream, 0, 0, a, b, NULL));
    if (status == WEFT_OK) status = dist_check_array(d, "out", out, slice.count, weft_dtype_size(dtype));
    RETURN_IF_ERROR(dist_begin(d, "random", list, 7, slice, status));
    RETURN_IF_ERROR(check_numbers(d, first));
    return dist_finish(d, dist_took(d, weft_random(d->ctx, distribution, dtype, seed, stream, first + dist_first(d),
                                                   slice.count, a, b, out)));
}

weft_status weft_dist_random_integers(weft_dist *d, weft_dtype dtype, uint64_t seed, uint64_t stream, uint64_t first,
                                      weft_slice slice, const void *lower, const void *upper, void *out) {
    if (!d) return WEFT_INVALID;
    const agreed list[] = {
        {"dtype", AS_TYPE, dtype},
        {"the seed", AS_NUMBER, seed},
        {"the stream", AS_NUMBER, stream},
        {"the first number", AS_NUMBER, first},
        {"the number of bounds", AS_NUMBER, (uint64_t)(lower != NULL) + 2 * (uint64_t)(upper != NULL)},
        {"lower", AS_BITS, value_of(dtype, lower)},
        {"upper", AS_BITS, value_of(dtype, upper)}};
    weft_status status = dist_took(d, weft_random_integers(d->ctx, dtype, seed, stream, 0, 0, lower, upper, NULL));
    if (status == WEFT_OK) status = dist_check_array(d, "out", out, slice.count, weft_dtype_size(dtype));
    RETURN_IF_ERROR(dist_begin(d, "random_integers", list, 7, slice, status));
    RETURN_IF_ERROR(check_numbers(d, first));
    return dist_finish(d, dist_took(d, weft_random_integers(d->ctx, dtype, seed, stream, first + dist_first(d),
                                                            slice.count, lower, upper, out)));
}
