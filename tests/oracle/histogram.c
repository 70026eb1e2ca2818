/* Compares the bins of floats with 113-bit arithmetic, those of integers with 128-bit integers, and bins between
 * edges with a plain search; and tests the rules of ORDER.md 11 as literal expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"
#include "verify/sorted.h"

#include <inttypes.h>
#include <math.h>

enum { N = 600, BINS_MAX = 5000 };
static weft_context *ctx;
static uint64_t x[N + 2], counts[BINS_MAX];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const void *at(weft_dtype dtype, const void *p, size_t i) {
    return (const char *)p + i * weft_dtype_size(dtype);
}

static bool is_nan(weft_dtype dtype, const void *p, size_t i) {
    return type_is_float(dtype) && sorted_key(dtype, p, i) == UINT64_MAX;
}

/* Returns the only bin that is not empty, or `bins` if all are empty. */
static size_t bin_counted(size_t bins) {
    size_t found = bins;
    uint64_t total = 0;
    for (size_t i = 0; i < bins; i++) {
        total += counts[i];
        if (counts[i]) found = i;
    }
    EXPECT(total == (found < bins), "one element is counted %" PRIu64 " times", total);
    return found;
}

/* ------------------------------------------------------------------------------ even bins */

static bool near_whole(wide position) {
    const wide whole = (wide)(uint64_t)(position + 0.5);
    return oracle_magnitude(position - whole) <= position * 0x1p-50;
}

/* Checks the bin of x[i] among even bins: that of 113-bit arithmetic, or an adjacent one if x[i] is almost on an
 * edge.
 */
static void check_even(weft_dtype dtype, size_t i, size_t bins, const void *lower, const void *upper) {
    const wide low = oracle_element(dtype, lower, 0), high = oracle_element(dtype, upper, 0);
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, dtype, 1, at(dtype, x, i), bins, lower, upper, counts), WEFT_OK);
    const size_t found = bin_counted(bins);
    if (is_nan(dtype, x, i) || oracle_element(dtype, x, i) < low || oracle_element(dtype, x, i) > high) {
        EXPECT(found == bins, "%s, input %zu: a value outside is in bin %zu of %zu", weft_dtype_name(dtype), i, found,
               bins);
        return;
    }
    const wide position = (oracle_element(dtype, x, i) - low) * (wide)bins / (high - low);
    size_t wanted = (size_t)position < bins ? (size_t)position : bins - 1;
    if (type_is_float(dtype) && near_whole(position) && (found + 1 == wanted || found == wanted + 1)) wanted = found;
    EXPECT(found == wanted, "%s, input %zu: bin %zu of %zu, wanted %zu", weft_dtype_name(dtype), i, found, bins,
           wanted);
}

/* Checks integers of 8 bytes with 128-bit arithmetic, since their products do not always fit in 113 bits. */
static void check_even_64(weft_dtype dtype, size_t i, size_t bins, uint64_t lower, uint64_t upper) {
    __extension__ typedef unsigned __int128 u128;
    const uint64_t flip = dtype == WEFT_I64 ? UINT64_C(1) << 63 : 0, key = x[i] ^ flip;
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, dtype, 1, &x[i], bins, &lower, &upper, counts), WEFT_OK);
    const bool inside = key >= (lower ^ flip) && key <= (upper ^ flip);
    const u128 position = (u128)(x[i] - lower) * bins / (upper - lower);
    const size_t wanted = !inside ? bins : position < bins ? (size_t)position : bins - 1, found = bin_counted(bins);
    EXPECT(found == wanted, "%s 0x%" PRIx64 ": bin %zu of %zu, wanted %zu", weft_dtype_name(dtype), x[i], found, bins,
           wanted);
}

static void even_bins(weft_dtype dtype, input_kind kind, uint64_t seed) {
    static const size_t bins[] = {1, 2, 3, 7, 10, 100, 255, 256, 1000, BINS_MAX};
    const size_t size = weft_dtype_size(dtype);
    input_fill(kind, dtype, seed, N, x);
    for (size_t i = 0; i + 2 < N; i++) {
        uint64_t pair[2] = {0};
        memcpy((char *)pair, at(dtype, x, i), 2 * size);
        const size_t first = sorted_key(dtype, pair, 0) < sorted_key(dtype, pair, 1) ? 0 : 1;
        const void *lower = at(dtype, pair, first), *upper = at(dtype, pair, 1 - first);
        const wide width = oracle_element(dtype, upper, 0) - oracle_element(dtype, lower, 0);
        const bool usable = !is_nan(dtype, pair, 0) && !is_nan(dtype, pair, 1) && width > 1e-290L && width < 1e300L;
        if (!usable) continue;
        if (size == 8 && !type_is_float(dtype))
            check_even_64(dtype, i + 2, bins[i % COUNT(bins)], pair[first], pair[1 - first]);
        else
            for (size_t k = 0; k < 3; k++) check_even(dtype, i + k, bins[i % COUNT(bins)], lower, upper);
    }
}

/* ---------------------------------------------------------------------------------- edges */

static void between_edges(weft_dtype dtype, input_kind kind, uint64_t seed) {
    enum { EDGES = 40 };
    uint64_t edges[EDGES];
    const size_t size = weft_dtype_size(dtype);
    size_t count = 0;
    input_fill(kind, dtype, seed, N, x);
    memcpy(edges, x, EDGES * size);
    EXPECT(sorted_sort(dtype, EDGES, edges), "no memory");
    for (size_t i = 0; i < EDGES; i++) {
        const bool same = count && oracle_element(dtype, edges, i) == oracle_element(dtype, edges, count - 1);
        if (!is_nan(dtype, edges, i) && !same) memmove((char *)edges + count++ * size, at(dtype, edges, i), size);
    }
    if (count < 2) return;
    for (size_t i = 0; i < N; i++) {
        const wide v = oracle_element(dtype, x, i);
        size_t wanted = count - 1;
        for (size_t b = 0; b + 1 < count; b++)
            if (v >= oracle_element(dtype, edges, b) &&
                (v < oracle_element(dtype, edges, b + 1) ||
                 (b + 2 == count && v == oracle_element(dtype, edges, b + 1))))
                wanted = b;
        EXPECT_STATUS(ctx, weft_histogram(ctx, dtype, 1, at(dtype, x, i), count - 1, edges, counts), WEFT_OK);
        const size_t found = bin_counted(count - 1);
        EXPECT(found == wanted, "%s, input %s, element %zu: bin %zu of %zu, wanted %zu", weft_dtype_name(dtype),
               input_name(kind), i, found, count - 1, wanted);
    }
}

/* -------------------------------------------------------------------------------- literals */

static void are(const uint64_t *wanted, size_t bins, const char *what) {
    for (size_t i = 0; i < bins; i++)
        EXPECT(counts[i] == wanted[i], "%s: counts[%zu] = %" PRIu64 ", wanted %" PRIu64, what, i, counts[i],
               wanted[i]);
}

static void literals(void) {
    const double tenths[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, -0.0, 1.5, -1e-300, NAN};
    const double zero = 0, one = 1;
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F64, COUNT(tenths), tenths, 10, &zero, &one, counts), WEFT_OK);
    are((const uint64_t[]){2, 1, 1, 1, 1, 1, 1, 1, 1, 2}, 10, "tenths");
    const double edges[] = {-INFINITY, -0.0, 1, INFINITY};
    const double some[] = {-INFINITY, -1, -0.0, 0.0, 0.5, 1, INFINITY, NAN};
    EXPECT_STATUS(ctx, weft_histogram(ctx, WEFT_F64, COUNT(some), some, 3, edges, counts), WEFT_OK);
    are((const uint64_t[]){2, 3, 2}, 3, "infinite edges");
    uint8_t bytes[256];
    const uint8_t least = 0, greatest = 255;
    for (size_t i = 0; i < 256; i++) bytes[i] = (uint8_t)i;
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_U8, 256, bytes, 256, &least, &greatest, counts), WEFT_OK);
    for (size_t i = 0; i < 256; i++) EXPECT(counts[i] == 1, "byte %zu is counted %" PRIu64 " times", i, counts[i]);
    const int64_t low = INT64_MIN, high = INT64_MAX, middle[] = {-1, 0, INT64_MAX, INT64_MIN, INT64_MAX - 1};
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_I64, COUNT(middle), middle, 2, &low, &high, counts), WEFT_OK);
    are((const uint64_t[]){2, 3}, 2, "halves of i64");
    counts[0] = 77;
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_I64, 0, NULL, 1, &low, &high, counts), WEFT_OK);
    are((const uint64_t[]){0}, 1, "nothing");
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int d = WEFT_I8; d <= WEFT_F64; d++)
        for (int k = 0; k < INPUT_COUNT; k++) {
            if (!input_fits((input_kind)k, (weft_dtype)d)) continue;
            even_bins((weft_dtype)d, (input_kind)k, 3);
            between_edges((weft_dtype)d, (input_kind)k, 4);
        }
    literals();
    weft_close(ctx);
    return expect_end();
}
