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

/* A source of these elements is counted in chunks. */
static void count_source(weft_dtype dtype) {
    const float limits[] = {-1, 0.25F, 0.5F, 0.5F + 0x1p-13F, 2}, lower = 0, upper = 1;
    weft_channel channel;
    fill(dtype, INPUT_UNIFORM, MANY);
    weft_source source = weft_source_memory(&channel, dtype, MANY, x);
    EXPECT_STATUS(ctx, weft_histogram(ctx, WEFT_F32, MANY, values, 4, limits, expected), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_source(ctx, &source, 4, limits, found), WEFT_OK);
    expect_counts(dtype, "histogram_source", MANY, 4);
    source = weft_source_memory(&channel, dtype, MANY, x);
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F32, MANY, values, BINS, &lower, &upper, expected), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram_even_source(ctx, &source, BINS, &lower, &upper, found), WEFT_OK);
    expect_counts(dtype, "histogram_even_source", MANY, BINS);
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
    count_source(dtype);
    EXPECT_ERROR(ctx, weft_histogram(ctx, dtype, 1, x, 2, falling, found), WEFT_INVALID,
                 "edges[1] = 2 is not less than edges[2] = 1");
    EXPECT_ERROR(ctx, weft_histogram_even(ctx, dtype, 1, x, 2, &above, falling, found), WEFT_INVALID,
                 "lower = 2 is not less than upper = 0");
    EXPECT_ERROR(ctx, weft_histogram(ctx, dtype, 1, x, 2, (const char *)falling + 2, found), WEFT_INVALID,
                 "not aligned to its 4-byte elements");
}

/* -------------------------------------------------------------------------------------- segments */

enum { N = 4097, SEGMENTS = 7 };
static const uint64_t OFFSETS[SEGMENTS + 1] = {3, 3, 10, 200, 1500, 1500, 1501, 4000};
static const weft_op OPS[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX};
static const weft_dtype TYPES[] = {WEFT_DEFAULT, WEFT_F32, WEFT_F64};
static const input_kind KINDS[] = {INPUT_MIXED,   INPUT_NEAR_ONE,  INPUT_PATTERNS,      INPUT_NAN_ONE,
                                   INPUT_LARGEST, INPUT_SUBNORMAL, INPUT_NEGATIVE_ZEROS};
static const unsigned char POISON = 0xa5;

/* One operator, and the type that it accumulates in. */
typedef struct way {
    weft_dtype dtype, accumulate, result;
    weft_op op;
} way;

/* Calls `check` for each operator and type that are offered, on each kind of elements. */
static void each_way(weft_dtype dtype, size_t n, void (*check)(const way *w)) {
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        fill(dtype, KINDS[k], n);
        for (size_t o = 0; o < sizeof OPS / sizeof *OPS; o++)
            for (size_t a = 0; a < sizeof TYPES / sizeof *TYPES; a++) {
                way w = {.dtype = dtype, .accumulate = TYPES[a], .op = OPS[o]};
                if (weft_reduce_result(w.op, dtype, w.accumulate, &w.result) == WEFT_OK) check(&w);
            }
    }
}

static void poison(void) {
    memset(found, POISON, N * sizeof *found);
    memset(expected, POISON, N * sizeof *expected);
}

static char *expected_at(const way *w, size_t i) { return (char *)expected + i * weft_dtype_size(w->result); }

static void expect_equal(const way *w, const char *what) {
    EXPECT(memcmp(found, expected, N * sizeof *found) == 0, "%s with %s of %s in %s", what, weft_op_name(w->op),
           weft_dtype_name(w->dtype), weft_dtype_name(w->result));
}

/* Each segment has the reduction of its elements; an empty one has the neutral value, computed in f32. */
static void reduce_segments(const way *w) {
    uint8_t heads[N] = {0};
    uint64_t count = 0;
    poison();
    for (size_t i = 0; i < SEGMENTS; i++) {
        const size_t n = (size_t)(OFFSETS[i + 1] - OFFSETS[i]);
        float nothing;
        if (n > 0 || w->op == WEFT_SUM || w->op == WEFT_PROD) {
            EXPECT_STATUS(ctx, weft_reduce(ctx, w->op, w->dtype, w->accumulate, n, x + OFFSETS[i], expected_at(w, i)),
                          WEFT_OK);
            continue;
        }
        EXPECT_STATUS(
            ctx, weft_segmented_reduce(ctx, w->op, WEFT_F32, WEFT_DEFAULT, 0, NULL, 1, (uint64_t[]){0, 0}, &nothing),
            WEFT_OK);
        const uint16_t bits = w->dtype == WEFT_F16 ? weft_round_f16(nothing) : weft_round_bf16(nothing);
        memcpy(expected_at(w, i), &bits, sizeof bits);
    }
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, w->op, w->dtype, w->accumulate, N, x, SEGMENTS, OFFSETS, found),
                  WEFT_OK);
    expect_equal(w, "segmented_reduce");
    poison();
    for (size_t i = 0; i < N; i += 1000) {
        heads[i] = 1;
        EXPECT_STATUS(ctx,
                      weft_reduce(ctx, w->op, w->dtype, w->accumulate, N - i < 1000 ? N - i : 1000, x + i,
                                  expected_at(w, i / 1000)),
                      WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_segmented_reduce_heads(ctx, w->op, w->dtype, w->accumulate, N, x, heads, found, &count),
                  WEFT_OK);
    EXPECT(count == 5, "%llu segments", (unsigned long long)count);
    expect_equal(w, "segmented_reduce_heads");
}

/* Elements in no segment are not written, also in place. */
static void scan_segments(const way *w) {
    const bool in_place = w->result == w->dtype;
    for (int kind = WEFT_INCLUSIVE; kind <= WEFT_EXCLUSIVE; kind++) {
        poison();
        if (in_place) {
            memcpy(found, x, N * sizeof *x);
            memcpy(expected, x, N * sizeof *x);
        }
        for (size_t i = 0; i < SEGMENTS; i++)
            EXPECT_STATUS(ctx,
                          weft_scan(ctx, w->op, (weft_scan_kind)kind, w->dtype, w->accumulate,
                                    (size_t)(OFFSETS[i + 1] - OFFSETS[i]), x + OFFSETS[i], NULL,
                                    expected_at(w, (size_t)OFFSETS[i])),
                          WEFT_OK);
        EXPECT_STATUS(ctx,
                      weft_segmented_scan(ctx, w->op, (weft_scan_kind)kind, w->dtype, w->accumulate, N,
                                          in_place ? (const void *)found : x, SEGMENTS, OFFSETS, found),
                      WEFT_OK);
        expect_equal(w, "segmented_scan");
    }
}

static void segments(weft_dtype dtype) {
    const uint64_t falling[] = {0, 5, 4};
    each_way(dtype, N, reduce_segments);
    each_way(dtype, N, scan_segments);
#define REFUSED(call, status, words) EXPECT_ERROR(ctx, call, status, words)
    poison();
    REFUSED(weft_segmented_reduce(ctx, WEFT_SUM, dtype, WEFT_DEFAULT, N, x, 2, falling, found), WEFT_INVALID,
            "offsets[1] is 5 and offsets[2] is 4");
    REFUSED(weft_segmented_reduce(ctx, WEFT_SUM, dtype, WEFT_EXACT_SUM, N, x, 1, OFFSETS, found), WEFT_UNSUPPORTED,
            "cannot accumulate in exact");
    REFUSED(weft_segmented_scan(ctx, WEFT_XOR, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, N, x, 1, OFFSETS, found),
            WEFT_UNSUPPORTED, "xor requires integer elements");
    REFUSED(weft_segmented_scan(ctx, WEFT_MAX, WEFT_INCLUSIVE, dtype, WEFT_F32, N, x, 1, OFFSETS, found),
            WEFT_UNSUPPORTED, "segmented_scan with max of");
    EXPECT(memcmp(found, expected, sizeof found) == 0, "a call that failed wrote its result");
}

/* -------------------------------------------------------------------------------- scatter_reduce */

/* Results with and without initial values, which are elements too. No element has the last index. */
static void scatter(const way *w) {
    enum { TARGETS = 9, COLUMNS = 3, ROWS = N / COLUMNS, RESULTS = TARGETS * COLUMNS };
    static int32_t index[ROWS];
    static uint64_t wide[RESULTS], init[RESULTS];
    const weft_dtype accumulate = w->accumulate == WEFT_F64 ? WEFT_F64 : WEFT_DEFAULT;
    for (size_t i = 0; i < ROWS; i++) index[i] = (int32_t)(i * i % (TARGETS - 1));
    for (int given = 0; given < 2; given++) {
        poison();
        for (size_t i = 0; i < RESULTS; i++) {
            const double value = (double)values[i];
            if (w->accumulate == WEFT_F64)
                memcpy((char *)init + 8 * i, &value, 8);
            else
                memcpy((char *)init + 4 * i, values + i, 4);
        }
        EXPECT_STATUS(ctx,
                      weft_scatter_reduce(ctx, w->op, WEFT_RANGE_ERROR, WEFT_F32, accumulate, WEFT_I32, ROWS, COLUMNS,
                                          TARGETS, values, index, given ? init : NULL, wide),
                      WEFT_OK);
        for (size_t i = 0; i < RESULTS; i++) {
            float value;
            memcpy(&value, (char *)wide + 4 * i, 4);
            const uint16_t bits = w->dtype == WEFT_F16 ? weft_round_f16(value) : weft_round_bf16(value);
            if (w->result == w->dtype)
                memcpy(expected_at(w, i), &bits, 2);
            else
                memcpy(expected_at(w, i), (char *)wide + i * weft_dtype_size(w->result), weft_dtype_size(w->result));
        }
        const void *const initial = w->result == w->dtype ? (const void *)x : init;
        EXPECT_STATUS(ctx,
                      weft_scatter_reduce(ctx, w->op, WEFT_RANGE_ERROR, w->dtype, w->accumulate, WEFT_I32, ROWS,
                                          COLUMNS, TARGETS, x, index, given ? initial : NULL, found),
                      WEFT_OK);
        expect_equal(w, given ? "scatter_reduce with init" : "scatter_reduce");
    }
}

static void scatters(weft_dtype dtype) {
    const uint32_t index[] = {0, 2, 2};
    const double mean = (double)(value_of(dtype, 0x3f01) + value_of(dtype, 0x3f05)) / 2;
    double means[3];
    each_way(dtype, N, scatter);
    x[0] = 7, x[1] = 0x3f01, x[2] = 0x3f05;
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_MEAN, WEFT_RANGE_ERROR, dtype, WEFT_F64, WEFT_U32, 3, 1, 3, x, index,
                                      NULL, means),
                  WEFT_OK);
    EXPECT(means[2] == mean && isnan(means[1]), "means %g and %g", means[1], means[2]);
    poison();
    REFUSED(weft_scatter_reduce(ctx, WEFT_MEAN, WEFT_RANGE_ERROR, dtype, WEFT_DEFAULT, WEFT_U32, 3, 1, 3, x, index,
                                NULL, found),
            WEFT_UNSUPPORTED, "16 must accumulate in f32 or f64");
    REFUSED(weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, dtype, WEFT_DEFAULT, WEFT_U32, 3, 1, 2, x, index,
                                NULL, found),
            WEFT_INVALID, "index[1] is 2");
    EXPECT(memcmp(found, expected, sizeof found) == 0, "a call that failed wrote its result");
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return 1;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        histograms(FORMATS[i]);
        segments(FORMATS[i]);
        scatters(FORMATS[i]);
    }
    weft_close(ctx);
    return expect_end();
}
