/* Tests operations on f16 and bf16 whose results are, by definition, those of the elements converted to f32: each is
 * compared with the same operation on f32, rounded to the type. Counts are equal.
 * Usage: api_half_elements DEVICE. */
#include "arith/halves.h"
#include "tests/expect.h"
#include "verify/inputs.h"

#include <math.h>

enum { MANY = 1 << 19, BINS = 300 };

static weft_context *ctx;
static uint16_t x[MANY];
static float values[MANY]; /* of x */
static uint64_t found[MANY], expected[MANY];

static const weft_dtype FORMATS[] = {WEFT_F16, WEFT_BF16};
static const size_t LENGTHS[] = {0, 1, 7, 130, 1000, 4097, 20000};
enum { LENGTH_COUNT = sizeof LENGTHS / sizeof *LENGTHS };

static float value_of(weft_dtype dtype, uint16_t bits) {
    return dtype == WEFT_F16 ? weft_from_bits_f16(bits) : weft_from_bits_bf16(bits);
}

static void fill(weft_dtype dtype, input_kind kind, size_t n) {
    input_fill(kind, dtype, n, n, x);
    for (size_t i = 0; i < n; i++) values[i] = value_of(dtype, x[i]);
}

/* ------------------------------------------------------------------------------------- histogram */

static void expect_counts(weft_dtype dtype, const char *what, size_t n, size_t bins) {
    for (size_t i = 0; i < bins; i++)
        if (!EXPECT(found[i] == expected[i], "%s of %zu %s: %llu in bin %zu, expected %llu", what, n,
                    weft_dtype_name(dtype), (unsigned long long)found[i], i, (unsigned long long)expected[i]))
            return;
}

/* Bins whose edges are elements, between elements, and beyond them. */
static void count_elements(weft_dtype dtype, size_t n) {
    const float limits[] = {-INFINITY, -2, -0.75F, -0x1p-140F, 0x1p-140F, 0.1F, 0.5F, 1, 1 + 0x1p-12F, 3e38F};
    const float lower = -0.3F, upper = 0.9F;
    const size_t bins = sizeof limits / sizeof *limits - 1;
    EXPECT_STATUS(ctx, weft_histogram(ctx, dtype, n, x, bins, limits, found), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram(ctx, WEFT_F32, n, values, bins, limits, expected), WEFT_OK);
    expect_counts(dtype, "histogram", n, bins);
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, dtype, n, x, BINS, &lower, &upper, found), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F32, n, values, BINS, &lower, &upper, expected), WEFT_OK);
    expect_counts(dtype, "even histogram", n, BINS);
}

/* Each row of an array is counted. */
static void count_rows(weft_dtype dtype) {
    enum { ROWS = 5, WIDTH = 700 };
    const size_t shape[] = {ROWS, WIDTH}, counts_shape[] = {ROWS, 4};
    const float limits[] = {-1, 0.25F, 0.5F, 0.5F + 0x1p-13F, 2}, lower = -1, upper = 1;
    weft_view halves, floats, to, wanted;
    fill(dtype, INPUT_UNIFORM, ROWS * WIDTH);
    EXPECT_STATUS(NULL, weft_view_of(dtype, 2, shape, x, &halves), WEFT_OK);
    EXPECT_STATUS(NULL, weft_view_of(WEFT_F32, 2, shape, values, &floats), WEFT_OK);
    EXPECT_STATUS(NULL, weft_view_of(WEFT_U64, 2, counts_shape, found, &to), WEFT_OK);
    EXPECT_STATUS(NULL, weft_view_of(WEFT_U64, 2, counts_shape, expected, &wanted), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_axis(ctx, &halves, 1, 4, limits, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_axis(ctx, &floats, 1, 4, limits, &wanted), WEFT_OK);
    expect_counts(dtype, "histogram_axis", ROWS * WIDTH, ROWS * 4);
    EXPECT_STATUS(ctx, weft_histogram_even_axis(ctx, &halves, 1, 4, &lower, &upper, &to), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_even_axis(ctx, &floats, 1, 4, &lower, &upper, &wanted), WEFT_OK);
    expect_counts(dtype, "even histogram_axis", ROWS * WIDTH, ROWS * 4);
}

static void histograms(weft_dtype dtype) {
    const float falling[] = {0, 2, 1}, above = 2;
    for (size_t i = 0; i < LENGTH_COUNT; i++)
        for (int kind = INPUT_MIXED; kind < INPUT_COUNT; kind++) {
            if (!input_fits((input_kind)kind, dtype)) continue;
            fill(dtype, (input_kind)kind, LENGTHS[i]);
            count_elements(dtype, LENGTHS[i]);
        }
    fill(dtype, INPUT_UNIFORM, MANY);
    count_elements(dtype, MANY);
    count_rows(dtype);
    EXPECT_ERROR(ctx, weft_histogram(ctx, dtype, 1, x, 2, falling, found), WEFT_INVALID,
                 "edges[1] = 2 is not less than edges[2] = 1");
    EXPECT_ERROR(ctx, weft_histogram_even(ctx, dtype, 1, x, 2, &above, falling, found), WEFT_INVALID,
                 "lower = 2 is not less than upper = 0");
    EXPECT_ERROR(ctx, weft_histogram(ctx, dtype, 1, x, 2, (const char *)falling + 2, found), WEFT_INVALID,
                 "not aligned to its 4-byte elements");
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return 1;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) histograms(FORMATS[i]);
    weft_close(ctx);
    return expect_end();
}
