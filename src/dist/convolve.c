/* weft_dist_convolve and weft_dist_correlate. Results are distributed like the values. A rank computes most of its
 * results directly from its slice. For results near the slice's ends it fetches the values around them into host
 * memory, from as many ranks as have them.
 *
 * Results are computed in items, which begin at multiples of `step` of the whole array. An item is one result if the
 * filter is short. Otherwise it is a block of ORDER.md 15.3, or the pair of blocks that are computed together if
 * values are real. If a slice border is inside an item, both ranks compute the item, and each keeps its own results.
 *
 *     items    |       |       |       |       |       |
 *     rank 1        |--===================---|               -- from fetched values, == from its own values only */
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

#include <stdlib.h>

typedef struct convolving {
    weft_dist *d;
    bool correlate;
    weft_dtype dtype;
    weft_field field;
    weft_convolve_mode mode;
    size_t size; /* bytes of a value */
    size_t m;
    const char *x;
    const void *h;
    char *y;
    uint64_t step;   /* results of an item */
    uint64_t before; /* values required before the first result of an item: one item, or m - 1 */
    char *around[2]; /* host memory: the values around the first results, and around the last results */
} convolving;

/* ----------------------------------------------------------------------------------- offsets */

static size_t count_of(extent e) { return e.first < e.end ? (size_t)(e.end - e.first) : 0; }

/* Returns the results of a rank, numbered as in the full convolution. Result i belongs to the rank of value i.
 * Results after the last value belong to the last rank. */
static extent results_of(const convolving *c, int rank) {
    const weft_dist *const d = c->d;
    const uint64_t n = dist_total(d), m = c->m;
    const uint64_t first = c->mode == WEFT_FULL ? 0 : c->mode == WEFT_SAME ? (m - 1) / 2 : m - 1;
    const uint64_t count = c->mode == WEFT_FULL ? n + m - 1 : c->mode == WEFT_SAME ? n : n - m + 1;
    const uint64_t end = rank + 1 == d->size ? count : min_u64(d->begin[rank + 1], count);
    return (extent){first + min_u64(d->begin[rank], count), first + end};
}

/* Returns the values required by `results`, from the start of an item on. They are at least m, so that the filter is
 * the shorter array here too. If they are not all values, their full convolution is longer than half a block, so
 * that ORDER.md 15.3 selects the same block size as for the whole array. */
static extent values_of(const convolving *c, extent results) {
    const uint64_t n = dist_total(c->d), item = results.first / c->step * c->step;
    uint64_t first = item > c->before ? item - c->before : 0;
    if (results.first >= results.end) return (extent){0, 0};
    if (first + c->m > n) first = (n - c->m) / c->step * c->step;
    return (extent){first, min_u64(max_u64(round_up(results.end, c->step), first + c->m), n)};
}

/* Returns the results of a rank that require only values of its slice; an empty range if the slice is too short. */
static extent results_inside(const convolving *c, int rank) {
    const extent all = results_of(c, rank);
    const uint64_t end = c->d->begin[rank + 1], start = round_up(c->d->begin[rank], c->step);
    const uint64_t first = max_u64(all.first, start ? start + c->before : 0);
    const uint64_t last = end == dist_total(c->d) ? all.end : min_u64(all.end, end / c->step * c->step);
    return first < last && start + c->m <= end ? (extent){first, last} : (extent){all.end, all.end};
}

/* Returns the results of a rank before (which = 0) or after (which = 1) those of results_inside. */
static extent results_at_end(const convolving *c, int rank, int which) {
    const extent all = results_of(c, rank), inside = results_inside(c, rank);
    return which == 0 ? (extent){all.first, inside.first} : (extent){inside.end, all.end};
}

static extent around_first(const weft_dist *d, int rank, size_t size) {
    (void)size;
    return values_of(d->call, results_at_end(d->call, rank, 0));
}

static extent around_last(const weft_dist *d, int rank, size_t size) {
    (void)size;
    return values_of(d->call, results_at_end(d->call, rank, 1));
}

/* ---------------------------------------------------------------------------------- running */

/* Computes `results` of this rank. x contains the values from number `first` on. */
static weft_status compute(const convolving *c, extent results, const char *x, uint64_t first) {
    weft_dist *const d = c->d;
    const extent values = values_of(c, results);
    if (count_of(results) == 0) return WEFT_OK;
    return dist_took(d, weft_part_convolve(d->ctx, c->dtype, c->field, c->correlate, count_of(values),
                                           x + (size_t)(values.first - first) * c->size, c->m, c->h,
                                           (size_t)(results.first - values.first), count_of(results),
                                           c->y + (size_t)(results.first - results_of(c, d->rank).first) * c->size));
}

static weft_status compute_all(const convolving *c) {
    weft_dist *const d = c->d;
    RETURN_IF_ERROR(compute(c, results_inside(c, d->rank), c->x, dist_first(d)));
    for (int which = 0; which < 2; which++) {
        const extent results = results_at_end(c, d->rank, which);
        RETURN_IF_ERROR(compute(c, results, c->around[which], values_of(c, results).first));
    }
    return WEFT_OK;
}

static weft_status run_convolution(convolving *c) {
    weft_dist *const d = c->d;
    weft_error *error = &d->error;
    const size_t values[] = {count_of(around_first(d, d->rank, c->size)), count_of(around_last(d, d->rank, c->size))};
    weft_status status = WEFT_OK;
    for (int which = 0; which < 2; which++) {
        c->around[which] = malloc(values[which] ? values[which] * c->size : 1);
        if (!c->around[which])
            status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu values around a border",
                               values[which]);
    }
    RETURN_IF_ERROR(dist_agree(d, status));
    RETURN_IF_ERROR(dist_fetch(d, c->size, around_first, c->x, c->around[0]));
    RETURN_IF_ERROR(dist_fetch(d, c->size, around_last, c->x, c->around[1]));
    return dist_finish(d, compute_all(c));
}

/* --------------------------------------------------------------------------------- the call */

/* Performs the checks that do not depend on the slices of other ranks. */
static weft_status check_convolution(const convolving *c, size_t n) {
    weft_dist *const d = c->d;
    const size_t parts = c->field == WEFT_COMPLEX ? 2 : 1, size = weft_dtype_size(c->dtype);
    const weft_status status = c->correlate
                                   ? weft_correlate(d->ctx, c->mode, c->dtype, c->field, 0, NULL, 0, NULL, NULL)
                                   : weft_convolve(d->ctx, c->mode, c->dtype, c->field, 0, NULL, 0, NULL, NULL);
    weft_error *error = &d->error;
    if (status != WEFT_EMPTY) RETURN_IF_ERROR(dist_took(d, status));
    RETURN_IF(n > SIZE_MAX / 16 || c->m > SIZE_MAX / 16, WEFT_INVALID, "%zu and %zu values do not fit in memory", n,
              c->m);
    RETURN_IF_ERROR(dist_check_array(d, "x", c->x, parts * n, size));
    RETURN_IF_ERROR(dist_check_array(d, "h", c->h, parts * c->m, size));
    return dist_check_host(d, "h", c->h);
}

/* Performs the checks that depend on all ranks' slices. */
static weft_status check_results(const convolving *c) {
    weft_dist *const d = c->d;
    const size_t n = (size_t)(d->begin[d->rank + 1] - dist_first(d)), count = count_of(results_of(c, d->rank));
    const size_t parts = c->field == WEFT_COMPLEX ? 2 : 1;
    RETURN_IF_ERROR(dist_check_array(d, "y", c->y, parts * count, c->size / parts));
    RETURN_IF_ERROR(dist_check_apart(d, "y", c->y, count * c->size, "x", c->x, n * c->size));
    return dist_check_apart(d, "y", c->y, count * c->size, "h", c->h, c->m * c->size);
}

static void find_items(convolving *c) {
    const size_t outputs = (size_t)dist_total(c->d) + c->m - 1;
    const size_t block = weft_convolve_block(outputs, c->m, weft_dtype_size(c->dtype));
    const bool direct = c->m <= WEFT_CONVOLVE_DIRECT;
    c->step = direct ? 1 : (block - c->m + 1) * (c->field == WEFT_COMPLEX ? 1 : 2);
    c->before = direct ? c->m - 1 : c->step;
}

static weft_status convolve(convolving *c, const char *name, weft_slice slice) {
    weft_dist *const d = c->d;
    weft_error *error = &d->error;
    c->size = weft_dtype_size(c->dtype) * (c->field == WEFT_COMPLEX ? 2 : 1);
    const weft_status checked = check_convolution(c, slice.count);
    const agreed list[] = {
        {"dtype", AS_TYPE, c->dtype},
        {"the field", AS_NUMBER, c->field},
        {"the mode", AS_NUMBER, c->mode},
        {"the number of taps", AS_NUMBER, c->m},
        {"the filter's hash", AS_BITS, checked == WEFT_OK ? dist_hash(DIST_HASH, c->h, c->m * c->size) : 0}};
    RETURN_IF_ERROR(dist_begin(d, name, list, 5, slice, checked));
    const size_t n = (size_t)dist_total(d);
    RETURN_IF(n == 0 || c->m == 0, WEFT_EMPTY, "%s of %zu and %zu values is undefined", name, n, c->m);
    RETURN_IF(n < c->m, WEFT_UNSUPPORTED,
              "%s: %zu taps exceed the %zu values: the distributed array must be the longer one", name, c->m, n);
    d->call = c;
    find_items(c);
    RETURN_IF_ERROR(dist_agree(d, check_results(c)));
    const weft_status status = run_convolution(c);
    free(c->around[0]);
    free(c->around[1]);
    return status;
}

weft_status weft_dist_convolve(weft_dist *d, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                               weft_slice slice, const void *x, size_t m, const void *h, void *y) {
    if (!d) return WEFT_INVALID;
    convolving c = {.d = d, .dtype = dtype, .field = field, .mode = mode, .m = m, .x = x, .h = h, .y = y};
    return convolve(&c, "convolve", slice);
}

weft_status weft_dist_correlate(weft_dist *d, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                                weft_slice slice, const void *x, size_t m, const void *h, void *y) {
    if (!d) return WEFT_INVALID;
    convolving c = {.d = d, .dtype = dtype, .field = field, .mode = mode, .m = m, .x = x, .h = h, .y = y};
    c.correlate = true;
    return convolve(&c, "correlate", slice);
}
