/* weft_histogram and weft_histogram_even: argument checks. */
#include "core/edges.h"
#include "core/histogram_checks.h"
#include "core/order.h"

#include <math.h>

weft_status check_bins(const histogram_call *c, weft_error *error) {
    RETURN_IF_ERROR(check_type(c->dtype, error));
    RETURN_IF(c->bins == 0 || c->bins > WEFT_BINS_MAX, WEFT_INVALID,
              "invalid number of bins %zu: expected 1 to %" PRIu32, c->bins, WEFT_BINS_MAX);
    return WEFT_OK;
}

/* Checks the arguments that both functions have. Fills *counts. */
static weft_status check_counts(weft_context *ctx, const histogram_call *c, range *counts, weft_error *error) {
    range x;
    RETURN_IF_ERROR(check_bins(c, error));
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &x, error));
    RETURN_IF_ERROR(check_array(ctx, "counts", c->counts, c->bins, sizeof *c->counts, counts, error));
    return check_apart(counts, &x, error);
}

/* ----------------------------------------------------------------------------------- edges */

weft_status check_edges_memory(const weft_context *ctx, const histogram_call *c, const range *counts,
                               weft_error *error) {
    range edges;
    const size_t size = weft_dtype_size(type_widened(c->dtype));
    RETURN_IF_ERROR(check_array(ctx, "edges", c->edges, c->bins + 1, size, &edges, error));
    return check_apart(counts, &edges, error);
}

weft_status check_edges_values(const weft_context *ctx, const histogram_call *c, weft_error *error) {
    if (ctx->backend->device_only) return WEFT_OK;
    const weft_dtype dtype = type_widened(c->dtype);
    return weft_check_edges(dtype, weft_dtype_size(dtype), 0, c->bins, c->edges, error);
}

static weft_status histogram(weft_context *ctx, const histogram_call *c, weft_error *error) {
    range counts;
    RETURN_IF_ERROR(check_counts(ctx, c, &counts, error));
    RETURN_IF_ERROR(check_edges_memory(ctx, c, &counts, error));
    RETURN_IF_ERROR(check_edges_values(ctx, c, error));
    return ctx->backend->histogram(ctx->state, c, error);
}

weft_status weft_histogram(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                           const void *edges, uint64_t *counts) {
    const histogram_call call = {
        .dtype = dtype, .rows = 1, .n = n, .x = x, .bins = bins, .edges = edges, .counts = counts};
    RETURN_GUARDED(ctx, histogram(ctx, &call, error));
}

/* ------------------------------------------------------------------------------ even bins */

/* Reads a bound of even bins: as f64 for floats, extended to 64 bits for integers. */
static void read_bound(weft_dtype dtype, const void *p, double *real, uint64_t *integer) {
    enum { SIGNED_TO_64 = 1, UNSIGNED_TO_64 = 1, FLOAT_TO_64 = 0 };
    switch (dtype) {
#define TYPE(ID, name, ctype, kind, npy)           \
    case WEFT_##ID: {                              \
        ctype v;                                   \
        memcpy(&v, p, sizeof v);                   \
        *real = (double)v;                         \
        *integer = kind##_TO_64 ? (uint64_t)v : 0; \
        break;                                     \
    }
#include "core/types.def"
    default: break;
    }
}

static bool bounds_ascend(const histogram_call *c, type_kind kind) {
    switch (kind) {
    case KIND_SIGNED: return (int64_t)c->lower_integer < (int64_t)c->upper_integer;
    case KIND_UNSIGNED: return c->lower_integer < c->upper_integer;
    default: return c->lower_real < c->upper_real;
    }
}

static weft_status check_range(histogram_call *c, const void *lower, const void *upper, weft_error *error) {
    type_kind kind;
    const weft_dtype dtype = type_widened(c->dtype);
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    read_bound(dtype, lower, &c->lower_real, &c->lower_integer);
    read_bound(dtype, upper, &c->upper_real, &c->upper_integer);
    const weft_element_text low = weft_describe_element(dtype, lower), high = weft_describe_element(dtype, upper);
    RETURN_IF(!bounds_ascend(c, kind), WEFT_INVALID, "lower = %s is not less than upper = %s", low.text, high.text);
    if (kind != KIND_FLOAT) return WEFT_OK;
    const double width = c->upper_real - c->lower_real;
    RETURN_IF(!isfinite(c->lower_real) || !isfinite(c->upper_real), WEFT_INVALID,
              "lower = %s, upper = %s: both must be finite", low.text, high.text);
    RETURN_IF(!isfinite(width) || !isfinite((double)c->bins / width), WEFT_INVALID,
              "lower = %s, upper = %s, %zu bins: upper - lower or bins / (upper - lower) overflows", low.text,
              high.text, c->bins);
    return WEFT_OK;
}

weft_status check_even_bounds(const weft_context *ctx, histogram_call *c, const void *lower, const void *upper,
                              weft_error *error) {
    range bound;
    const size_t size = weft_dtype_size(type_widened(c->dtype));
    RETURN_IF_ERROR(check_array(ctx, "lower", lower, 1, size, &bound, error));
    RETURN_IF_ERROR(check_host_value("lower", lower, error));
    RETURN_IF_ERROR(check_array(ctx, "upper", upper, 1, size, &bound, error));
    RETURN_IF_ERROR(check_host_value("upper", upper, error));
    return check_range(c, lower, upper, error);
}

static weft_status histogram_even(weft_context *ctx, histogram_call *c, const void *lower, const void *upper,
                                  weft_error *error) {
    range counts;
    RETURN_IF_ERROR(check_counts(ctx, c, &counts, error));
    RETURN_IF_ERROR(check_even_bounds(ctx, c, lower, upper, error));
    return ctx->backend->histogram(ctx->state, c, error);
}

weft_status weft_histogram_even(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                                const void *lower, const void *upper, uint64_t *counts) {
    histogram_call call = {.dtype = dtype, .rows = 1, .n = n, .x = x, .bins = bins, .counts = counts};
    RETURN_GUARDED(ctx, histogram_even(ctx, &call, lower, upper, error));
}
