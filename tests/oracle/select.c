/* Compares selections and runs with brute force over elements as 113-bit floats, and tests their rules as literal
 * expectations. Memory after the reported count must not be written. */
#include "tests/oracle/oracle.h"

#include <math.h>

enum { N = 70001, POISON = 0x5a };
static weft_context *ctx;
static uint64_t x[N + 1], y[N + 1], wanted[N + 1], lengths[N + 1], wanted_lengths[N + 1]; /* capacity for any type */
static uint8_t flags[N];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const weft_dtype DTYPES[] = {WEFT_I8,  WEFT_I16, WEFT_I32, WEFT_I64, WEFT_U8,
                                    WEFT_U16, WEFT_U32, WEFT_U64, WEFT_F32, WEFT_F64};
static const weft_comparison COMPARISONS[] = {WEFT_LT, WEFT_LE, WEFT_EQ, WEFT_NE, WEFT_GE, WEFT_GT};

static const char *element(weft_dtype dtype, const void *v, size_t i) {
    return (const char *)v + i * weft_dtype_size(dtype);
}

static bool holds(weft_comparison comparison, wide a, wide b) {
    switch (comparison) {
    case WEFT_LT: return a < b;
    case WEFT_LE: return a <= b;
    case WEFT_EQ: return a == b;
    case WEFT_NE: return a != b;
    case WEFT_GE: return a >= b;
    default: return a > b;
    }
}

/* Returns true if the first `bytes` bytes of y are as expected and the rest is poison. */
static bool as_wanted(const void *found, const void *right, size_t bytes) {
    const unsigned char *p = found;
    if (memcmp(found, right, bytes) != 0) return false;
    for (size_t i = bytes; i < sizeof y; i++)
        if (p[i] != POISON) return false;
    return true;
}

/* ----------------------------------------------------------------------------- selections */

/* Checks that the selected elements of x are those of `keep`: elements, indices, and both sides of a partition. */
static void check_selection(weft_dtype dtype, size_t n, const bool *keep, bool by_flags, weft_comparison comparison,
                            const void *value) {
    const size_t size = weft_dtype_size(dtype);
    size_t kept = 0, all = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i]) memcpy((char *)wanted + all++ * size, element(dtype, x, i), size);
    kept = all;
    for (size_t i = 0; i < n; i++)
        if (!keep[i]) memcpy((char *)wanted + all++ * size, element(dtype, x, i), size);

    memset(y, POISON, sizeof y);
    EXPECT_STATUS(ctx,
                  by_flags ? weft_select(ctx, dtype, n, x, flags, y, &count)
                           : weft_select_if(ctx, comparison, dtype, n, x, value, y, &count),
                  WEFT_OK);
    EXPECT(count == kept && as_wanted(y, wanted, kept * size), "select, %s, n %zu, %s: count %zu, wanted %zu",
           weft_dtype_name(dtype), n, by_flags ? "flags" : weft_comparison_name(comparison), (size_t)count, kept);
    memset(y, POISON, sizeof y);
    EXPECT_STATUS(ctx,
                  by_flags ? weft_partition(ctx, dtype, n, x, flags, y, &count)
                           : weft_partition_if(ctx, comparison, dtype, n, x, value, y, &count),
                  WEFT_OK);
    EXPECT(count == kept && as_wanted(y, wanted, n * size), "partition, %s, n %zu, %s: count %zu, wanted %zu",
           weft_dtype_name(dtype), n, by_flags ? "flags" : weft_comparison_name(comparison), (size_t)count, kept);
    all = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i]) wanted[all++] = i;
    memset(y, POISON, sizeof y);
    EXPECT_STATUS(ctx,
                  by_flags ? weft_select_indices(ctx, n, flags, y, &count)
                           : weft_select_indices_if(ctx, comparison, dtype, n, x, value, y, &count),
                  WEFT_OK);
    EXPECT(count == kept && as_wanted(y, wanted, kept * sizeof *y), "indices, %s, n %zu: count %zu, wanted %zu",
           weft_dtype_name(dtype), n, (size_t)count, kept);
}

/* Compares with an element, so that some elements are equal to the value. */
static void comparisons(weft_dtype dtype, input_kind kind, size_t n, uint64_t seed) {
    static bool keep[N];
    uint64_t value = 0;
    if (!input_fits(kind, dtype)) return;
    input_fill(kind, dtype, seed, n, x);
    memcpy(&value, element(dtype, x, n / 3), weft_dtype_size(dtype));
    const wide v = oracle_element(dtype, &value, 0);
    for (size_t k = 0; k < COUNT(COMPARISONS); k++) {
        for (size_t i = 0; i < n; i++) keep[i] = holds(COMPARISONS[k], oracle_element(dtype, x, i), v);
        check_selection(dtype, n, keep, false, COMPARISONS[k], &value);
    }
}

/* Sets one flag in `one_in`, to random non-zero bytes, in runs of `length` flags. */
static void by_flags(weft_dtype dtype, size_t n, uint64_t one_in, size_t length) {
    static bool keep[N];
    input_fill(INPUT_PATTERNS, dtype, n, n, x);
    for (size_t i = 0; i < n; i++) {
        keep[i] = input_random(one_in, i / length) % one_in == 0;
        flags[i] = keep[i] ? (uint8_t)(1 + input_random(n, i) % 255) : 0;
    }
    check_selection(dtype, n, keep, true, WEFT_EQ, NULL);
}

static void selections(void) {
    static const input_kind kinds[] = {INPUT_PATTERNS, INPUT_TIES,      INPUT_EXTREMES, INPUT_SIGNED_ZEROS,
                                       INPUT_NAN_MANY, INPUT_NAN_FIRST, INPUT_INF_BOTH};
    static const size_t sizes[] = {1, 63, 64, 65, 4096, 4097, N};
    static const uint64_t one_in[] = {1, 2, 3, 10, 1000};
    for (size_t d = 0; d < COUNT(DTYPES); d++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            for (size_t k = 0; k < COUNT(kinds); k++) comparisons(DTYPES[d], kinds[k], sizes[s], d + s);
            for (size_t k = 0; k < COUNT(one_in); k++) by_flags(DTYPES[d], sizes[s], one_in[k], 1 + 40 * (k % 2));
        }
}

/* ----------------------------------------------------------------------------------- runs */

static bool equal(weft_dtype dtype, size_t i, size_t k) {
    const wide a = oracle_element(dtype, x, i), b = oracle_element(dtype, x, k);
    return a == b || (a != a && b != b);
}

static void check_runs(weft_dtype dtype, size_t n, const char *what) {
    const size_t size = weft_dtype_size(dtype);
    size_t runs = 0, length = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < n; i += length) {
        for (length = 1; i + length < n && equal(dtype, i, i + length); length++) continue;
        memcpy((char *)wanted + runs * size, element(dtype, x, i), size);
        wanted_lengths[runs++] = length;
    }
    memset(y, POISON, sizeof y);
    EXPECT_STATUS(ctx, weft_unique(ctx, dtype, n, x, y, &count), WEFT_OK);
    EXPECT(count == runs && as_wanted(y, wanted, runs * size), "unique, %s, n %zu, %s: count %zu, wanted %zu",
           weft_dtype_name(dtype), n, what, (size_t)count, runs);
    memset(y, POISON, sizeof y);
    memset(lengths, POISON, sizeof lengths);
    EXPECT_STATUS(ctx, weft_run_length(ctx, dtype, n, x, y, lengths, &count), WEFT_OK);
    EXPECT(count == runs && as_wanted(y, wanted, runs * size), "run_length, %s, n %zu, %s: count %zu, wanted %zu",
           weft_dtype_name(dtype), n, what, (size_t)count, runs);
    EXPECT(as_wanted(lengths, wanted_lengths, runs * sizeof *lengths), "run_length, %s, n %zu, %s: lengths",
           weft_dtype_name(dtype), n, what);
}

/* Creates runs of about `length` elements, each with one value of the given kind. */
static void make_runs(weft_dtype dtype, input_kind kind, size_t n, size_t length) {
    const size_t size = weft_dtype_size(dtype);
    input_fill(kind, dtype, length, n, wanted);
    for (size_t i = 0, run = 0; i < n; i++) {
        if (input_random(length, i) % length == 0) run = i;
        memcpy((char *)x + i * size, element(dtype, wanted, run), size);
    }
    check_runs(dtype, n, input_name(kind));
}

static void runs(void) {
    static const input_kind kinds[] = {INPUT_PATTERNS, INPUT_TIES, INPUT_SIGNED_ZEROS, INPUT_NAN_MANY, INPUT_ZEROS};
    static const size_t sizes[] = {1, 2, 64, 65, 4096, 8193, N}, lengths_of[] = {1, 3, 100, 30000};
    for (size_t d = 0; d < COUNT(DTYPES); d++)
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (size_t s = 0; s < COUNT(sizes) && input_fits(kinds[k], DTYPES[d]); s++)
                for (size_t l = 0; l < COUNT(lengths_of); l++)
                    make_runs(DTYPES[d], kinds[k], sizes[s], lengths_of[l]);
}

/* ---------------------------------------------------------------------------- literal rules */

static void rules(void) {
    const float numbers[] = {-0.0F, 0.0F, NAN, -NAN, 1, 1, -0.0F, INFINITY, NAN};
    const float zero = 0, nan = NAN;
    float found[COUNT(numbers)];
    uint64_t count = 7, runs_of[COUNT(numbers)];
    const size_t n = COUNT(numbers);
    EXPECT_STATUS(ctx, weft_run_length(ctx, WEFT_F32, n, numbers, found, runs_of, &count), WEFT_OK);
    EXPECT(count == 6 && runs_of[0] == 2 && runs_of[1] == 2 && runs_of[2] == 2 && runs_of[5] == 1,
           "%zu runs, the first of %zu", (size_t)count, (size_t)runs_of[0]);
    EXPECT(memcmp(&found[0], &numbers[0], 4) == 0 && memcmp(&found[1], &numbers[2], 4) == 0,
           "the first element of a run, not another that equals it");
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_EQ, WEFT_F32, n, numbers, &zero, found, &count), WEFT_OK);
    EXPECT(count == 3 && memcmp(&found[0], &numbers[0], 4) == 0, "%zu zeros of either sign", (size_t)count);
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_EQ, WEFT_F32, n, numbers, &nan, found, &count), WEFT_OK);
    EXPECT(count == 0, "%zu elements equal NaN", (size_t)count);
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_NE, WEFT_F32, n, numbers, &nan, found, &count), WEFT_OK);
    EXPECT(count == n && memcmp(found, numbers, sizeof numbers) == 0, "%zu elements differ from NaN", (size_t)count);
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_GE, WEFT_F32, n, numbers, &zero, found, &count), WEFT_OK);
    EXPECT(count == 6, "%zu elements >= 0", (size_t)count);
    count = 7;
    EXPECT_STATUS(ctx, weft_unique(ctx, WEFT_F32, 0, NULL, NULL, &count), WEFT_OK);
    EXPECT(count == 0, "%zu runs of nothing", (size_t)count);
    count = 7;
    EXPECT_STATUS(ctx, weft_select(ctx, WEFT_F32, 0, NULL, NULL, NULL, &count), WEFT_OK);
    EXPECT(count == 0, "%zu of nothing", (size_t)count);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    rules();
    selections();
    runs();
    weft_close(ctx);
    return expect_end();
}
