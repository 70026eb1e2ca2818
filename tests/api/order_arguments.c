/* Tests arguments that weft_histogram, weft_histogram_even, weft_top_k, weft_merge and weft_search_sorted reject: the
 * error messages, and that nothing was written. The argument is the device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>

enum { N = 100 };
static const unsigned char POISON = 0x5a;
static weft_context *ctx;
static double x[N + 1], other[N];
static uint64_t out[2 * N + 1];

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void no_context(void) {
    static const char *const words = "ctx is NULL";
    EXPECT_ERROR(NULL, weft_histogram(NULL, WEFT_F64, N, x, 2, x, out), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_histogram_even(NULL, WEFT_F64, N, x, 2, x, x + 1, out), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_top_k(NULL, WEFT_LARGEST, WEFT_F64, N, x, 2, out, NULL), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_merge(NULL, WEFT_F64, N, x, N, other, out), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_search_sorted(NULL, WEFT_LEFT, WEFT_F64, N, x, N, other, out), WEFT_INVALID, words);
}

static void histogram(void) {
    double falls[] = {1, 3, 2.5}, nan[] = {0, NAN, 2};
    const int8_t twice[] = {-5, -5, 7};
    const uint64_t far[] = {0, UINT64_MAX, UINT64_MAX - 1};
#define REFUSED(dtype, n, x, bins, edges, counts, words) \
    EXPECT_ERROR(ctx, weft_histogram(ctx, dtype, n, x, bins, edges, counts), WEFT_INVALID, words)
    REFUSED((weft_dtype)14, N, x, 2, other, out, "invalid dtype 14");
    REFUSED(WEFT_F64, N, x, 0, other, out, "invalid number of bins 0: expected 1 to 4294967294");
    REFUSED(WEFT_F64, N, x, UINT32_MAX, other, out, "number of bins 4294967295");
    REFUSED(WEFT_F64, N, x, SIZE_MAX, other, out, "expected 1 to 4294967294");
    REFUSED(WEFT_F64, N, NULL, 2, other, out, "x is NULL");
    REFUSED(WEFT_F64, N, x, 2, NULL, out, "edges is NULL");
    REFUSED(WEFT_F64, N, x, 2, other, NULL, "counts is NULL");
    REFUSED(WEFT_F64, N, shifted(x, 4), 2, other, out, "x is at");
    REFUSED(WEFT_F64, N, x, 2, shifted(other, 2), out, "edges is at");
    REFUSED(WEFT_F64, N, x, 2, other, shifted(out, 4), "counts is at");
    REFUSED(WEFT_F64, SIZE_MAX / 4, x, 2, other, out, "do not fit in memory");
    REFUSED(WEFT_F64, N, x, 2, other, (uint64_t *)(x + N - 1), "counts (16 bytes at");
    REFUSED(WEFT_F64, N, x, 2, out + 1, out, "overlaps edges");
    REFUSED(WEFT_F64, N, x, 2, falls, out,
            "edges[1] = 3 is not less than edges[2] = 2.5: edges must be strictly ascending");
    REFUSED(WEFT_F64, 0, NULL, 2, falls, out, "edges[1] = 3");
    REFUSED(WEFT_F64, N, x, 2, nan, out, "edges[0] = 0 is not less than edges[1] = nan");
    REFUSED(WEFT_I8, N, x, 2, twice, out, "edges[0] = -5 is not less than edges[1] = -5");
    REFUSED(WEFT_U64, N, x, 2, far, out, "edges[1] = 18446744073709551615 is not less than edges[2]");
#undef REFUSED
    uint64_t counts[2] = {9, 9};
    EXPECT_STATUS(ctx, weft_histogram(ctx, WEFT_F64, 0, NULL, 2, x, counts), WEFT_OK);
    EXPECT(counts[0] == 0 && counts[1] == 0, "counts of nothing");
}

static void histogram_even(void) {
    const double low = -1, high = 1, huge = 1.7e308, minus_huge = -1.7e308, tiny = 5e-324, zero = 0;
    const double inf = INFINITY, nan = NAN;
    const uint8_t five = 5, three = 3;
#define REFUSED(dtype, n, x, bins, lower, upper, counts, words) \
    EXPECT_ERROR(ctx, weft_histogram_even(ctx, dtype, n, x, bins, lower, upper, counts), WEFT_INVALID, words)
    REFUSED((weft_dtype)0, N, x, 2, &low, &high, out, "invalid dtype 0");
    REFUSED(WEFT_F64, N, x, 0, &low, &high, out, "number of bins 0");
    REFUSED(WEFT_F64, N, NULL, 2, &low, &high, out, "x is NULL");
    REFUSED(WEFT_F64, N, x, 2, NULL, &high, out, "lower is NULL");
    REFUSED(WEFT_F64, N, x, 2, &low, NULL, out, "upper is NULL");
    REFUSED(WEFT_F64, N, x, 2, &low, &high, NULL, "counts is NULL");
    REFUSED(WEFT_F64, N, x, 2, &low, &high, (uint64_t *)x, "overlaps x");
    REFUSED(WEFT_F64, N, x, 2, &high, &low, out, "lower = 1 is not less than upper = -1");
    REFUSED(WEFT_F64, N, x, 2, &low, &low, out, "lower = -1 is not less than upper = -1");
    REFUSED(WEFT_F64, N, x, 2, &low, &nan, out, "is not less than upper = nan");
    REFUSED(WEFT_U8, N, x, 2, &five, &three, out, "lower = 5 is not less than upper = 3");
    REFUSED(WEFT_F64, N, x, 2, &low, &inf, out, "both must be finite");
    REFUSED(WEFT_F64, N, x, 2, &minus_huge, &huge, out, "overflows");
    REFUSED(WEFT_F64, N, x, 2, &zero, &tiny, out, "2 bins: upper - lower or bins / (upper - lower) overflows");
#undef REFUSED
    uint64_t count = 0;
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F64, N, x, 1, &low, &huge, &count), WEFT_OK);
    EXPECT(count == N, "%llu of %d are counted", (unsigned long long)count, N);
}

static void top_k(void) {
#define REFUSED(dtype, extreme, n, x, k, values, indices, words) \
    EXPECT_ERROR(ctx, weft_top_k(ctx, extreme, dtype, n, x, k, values, indices), WEFT_INVALID, words)
    REFUSED((weft_dtype)11, WEFT_LARGEST, N, x, 1, out, NULL, "invalid dtype 11");
    REFUSED(WEFT_F64, (weft_extreme)2, N, x, 1, out, NULL, "invalid extreme 2");
    REFUSED(WEFT_F64, (weft_extreme)-1, N, x, 1, out, NULL, "-1");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, N + 1, out, NULL, "k = 101 is greater than the number of elements 100");
    REFUSED(WEFT_F64, WEFT_LARGEST, 0, NULL, 1, out, NULL, "k = 1 is greater than the number of elements 0");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, NULL, 1, out, NULL, "x is NULL");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 1, NULL, NULL, "values is NULL");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, shifted(x, 4), 1, out, NULL, "x is at");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 1, shifted(out, 4), NULL, "values is at");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 1, out, shifted(out, 12), "indices is at");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 1, x + N - 1, NULL, "values (8 bytes at");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 1, out, (uint64_t *)x, "indices (8 bytes at");
    REFUSED(WEFT_F64, WEFT_LARGEST, N, x, 3, out, out + 2, "overlaps values");
#undef REFUSED
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F64, 0, NULL, 0, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F64, N, x, 0, NULL, NULL), WEFT_OK);
}

static void merge(void) {
#define REFUSED(dtype, na, a, nb, b, y, words) \
    EXPECT_ERROR(ctx, weft_merge(ctx, dtype, na, a, nb, b, y), WEFT_INVALID, words)
    REFUSED((weft_dtype)11, 1, x, 1, other, out, "invalid dtype 11");
    REFUSED(WEFT_F64, 1, NULL, 1, other, out, "a is NULL");
    REFUSED(WEFT_F64, 1, x, 1, NULL, out, "b is NULL");
    REFUSED(WEFT_F64, 1, x, 1, other, NULL, "y is NULL");
    REFUSED(WEFT_F64, 1, shifted(x, 1), 1, other, out, "a is at");
    REFUSED(WEFT_F64, 1, x, 1, shifted(other, 1), out, "b is at");
    REFUSED(WEFT_F64, 1, x, 1, other, shifted(out, 1), "y is at");
    REFUSED(WEFT_F64, N, x, 1, other, x + N - 1, "overlaps a");
    REFUSED(WEFT_F64, 0, NULL, N, other, other, "overlaps b");
    REFUSED(WEFT_U8, SIZE_MAX / 2, x, SIZE_MAX / 2 + 2, other, out, "do not fit in memory");
#undef REFUSED
    EXPECT_STATUS(ctx, weft_merge(ctx, WEFT_F64, 0, NULL, 0, NULL, NULL), WEFT_OK);
}

static void search_sorted(void) {
#define REFUSED(dtype, side, n, sorted, m, queries, positions, words) \
    EXPECT_ERROR(ctx, weft_search_sorted(ctx, side, dtype, n, sorted, m, queries, positions), WEFT_INVALID, words)
    REFUSED((weft_dtype)11, WEFT_LEFT, N, x, 1, other, out, "invalid dtype 11");
    REFUSED(WEFT_F64, (weft_side)2, N, x, 1, other, out, "invalid side 2");
    REFUSED(WEFT_F64, (weft_side)-1, N, x, 1, other, out, "-1");
    REFUSED(WEFT_F64, WEFT_LEFT, N, NULL, 1, other, out, "sorted is NULL");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 1, NULL, out, "queries is NULL");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 1, other, NULL, "positions is NULL");
    REFUSED(WEFT_F64, WEFT_LEFT, N, shifted(x, 4), 1, other, out, "sorted is at");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 1, shifted(other, 4), out, "queries is at");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 1, other, shifted(out, 4), "positions is at");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 1, other, (uint64_t *)(x + 1), "overlaps sorted");
    REFUSED(WEFT_F64, WEFT_LEFT, N, x, 2, other, (uint64_t *)(other + 1), "overlaps queries");
    REFUSED(WEFT_U8, WEFT_LEFT, N, x, SIZE_MAX / 4, other, out, "do not fit in memory");
#undef REFUSED
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, WEFT_F64, N, x, 0, NULL, NULL), WEFT_OK);
    uint64_t at = 9;
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, WEFT_F64, 0, NULL, 1, other, &at), WEFT_OK);
    EXPECT(at == 0, "in no elements: position %llu", (unsigned long long)at);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) x[i] = other[i] = (double)i;
    memset(out, POISON, sizeof out);
    no_context();
    histogram();
    histogram_even();
    top_k();
    merge();
    search_sorted();
    for (size_t i = 0; i < sizeof out; i++)
        EXPECT(((unsigned char *)out)[i] == POISON, "a call that failed wrote byte %zu of its output", i);
    weft_close(ctx);
    return expect_end();
}
