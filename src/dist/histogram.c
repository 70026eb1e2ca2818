/* weft_dist_histogram, weft_dist_histogram_even: adds the counts of all slices, which are integers. */
#include "core/byte_order.h"
#include "dist/dist.h"

#include <stdlib.h>

typedef struct histogram {
    weft_dist *d;
    weft_dtype dtype;
    size_t n, bins;
    const void *x, *edges, *lower, *upper;
    uint64_t *counts;
} histogram;

static weft_status count(const histogram *h, size_t n, const void *x, uint64_t *counts) {
    if (h->edges) return dist_took(h->d, weft_histogram(h->d->ctx, h->dtype, n, x, h->bins, h->edges, counts));
    return dist_took(h->d, weft_histogram_even(h->d->ctx, h->dtype, n, x, h->bins, h->lower, h->upper, counts));
}

static weft_status run_histogram(const histogram *h) {
    weft_error *error = &h->d->error;
    uint64_t *const own = malloc(h->bins * sizeof *own);
    weft_status status = WEFT_OK;
    if (!own)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the counts of %zu bins", h->bins);
    if (status == WEFT_OK) status = count(h, h->n, h->x, own);
    status = dist_agree(h->d, status);
    if (status == WEFT_OK) status = h->d->line.add(h->d, own, h->counts, h->bins, "adding counts");
    free(own);
    return status;
}

static weft_status check_histogram(const histogram *h) {
    weft_error *error = &h->d->error;
    const size_t size = weft_dtype_size(h->dtype);
    RETURN_IF(size == 0, WEFT_INVALID, "invalid dtype %d", (int)h->dtype);
    RETURN_IF(h->bins < 1 || h->bins > WEFT_BINS_MAX, WEFT_INVALID, "invalid number of bins %zu: expected 1 to %zu",
              h->bins, (size_t)WEFT_BINS_MAX);
    RETURN_IF_ERROR(dist_check_array(h->d, "x", h->x, h->n, size));
    RETURN_IF_ERROR(dist_check_host(h->d, "counts", h->counts));
    return dist_check_array(h->d, "counts", h->counts, h->bins, sizeof *h->counts);
}

static weft_status begin_and_run(const histogram *h, const char *name, weft_slice slice, uint64_t low, uint64_t high,
                                 weft_status status) {
    const agreed list[] = {{"dtype", AS_TYPE, h->dtype},
                           {"the number of bins", AS_NUMBER, h->bins},
                           {h->edges ? "the edges' hash" : "lower", AS_BITS, low},
                           {h->edges ? "the last edge" : "upper", AS_BITS, high}};
    RETURN_IF_ERROR(dist_begin(h->d, name, list, 4, slice, status));
    return run_histogram(h);
}

weft_status weft_dist_histogram(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x, size_t bins,
                                const void *edges, uint64_t *counts) {
    if (!d) return WEFT_INVALID;
    const histogram h = {
        .d = d, .dtype = dtype, .n = slice.count, .bins = bins, .x = x, .edges = edges, .counts = counts};
    weft_status status = check_histogram(&h);
    const size_t size = weft_dtype_size(type_widened(dtype));
    if (status == WEFT_OK) status = dist_check_array(d, "edges", edges, bins + 1, size);
    if (status == WEFT_OK) status = dist_check_host(d, "edges", edges);
    uint64_t hash = 0, last = 0;
    if (status == WEFT_OK) {
        hash = dist_hash(DIST_HASH, edges, bins * size);
        last = bits_load((const char *)edges + bins * size, size);
    }
    return begin_and_run(&h, "histogram", slice, hash, last, status);
}

weft_status weft_dist_histogram_even(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x, size_t bins,
                                     const void *lower, const void *upper, uint64_t *counts) {
    if (!d) return WEFT_INVALID;
    weft_error *error = &d->error;
    const histogram h = {.d = d,
                         .dtype = dtype,
                         .n = slice.count,
                         .bins = bins,
                         .x = x,
                         .lower = lower,
                         .upper = upper,
                         .counts = counts};
    weft_status status = check_histogram(&h);
    uint64_t low = 0, high = 0;
    if (status == WEFT_OK && lower && upper) {
        low = bits_load(lower, weft_dtype_size(type_widened(dtype)));
        high = bits_load(upper, weft_dtype_size(type_widened(dtype)));
    } else if (status == WEFT_OK) {
        status = weft_fail(error, WEFT_INVALID, "%s is NULL", lower ? "upper" : "lower");
    }
    return begin_and_run(&h, "histogram_even", slice, low, high, status);
}
