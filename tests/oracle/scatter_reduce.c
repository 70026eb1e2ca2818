/* Compares weft_scatter_reduce with weft_reduce of the elements of each target, and integers with plain loops; and
 * tests the rules of ORDER.md 25 as literal expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>

enum { N = 20011, TARGETS = 300, COLUMNS = 3 };
static weft_context *ctx;
static uint64_t x[N], copy[N], y[TARGETS * COLUMNS]; /* capacity for any type */
static int32_t index32[N];
static int64_t index64[N];

static const weft_op OPS[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR, WEFT_MEAN};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Makes random indices below m; one in ten is out of range. Every seventh target has none. */
static void make_indices(uint64_t seed, size_t m, bool outside) {
    for (size_t i = 0; i < N; i++) {
        const uint64_t r = input_random(seed, i);
        index32[i] = (int32_t)((r >> 8) % m);
        if (m > 7) index32[i] -= index32[i] % 7 == 3;
        if (outside && r % 10 == 0) index32[i] = r % 20 ? -1 - (int32_t)(r >> 40) : (int32_t)(m + (r >> 50));
        index64[i] = index32[i];
    }
}

/* ----------------------------------------------------------------- equal to weft_reduce, alone */

static void check_target(weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t columns, size_t target,
                         size_t column) {
    const size_t size = weft_dtype_size(dtype);
    weft_dtype result;
    size_t n = 0;
    uint64_t alone = 0;
    for (size_t i = 0; i < N / columns; i++)
        if (index32[i] == (int32_t)target)
            memcpy((char *)copy + n++ * size, (char *)x + (i * columns + column) * size, size);
    if (n == 0) return;
    EXPECT_STATUS(ctx, weft_reduce_result(op, dtype, accumulate, &result), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, op, dtype, accumulate, n, copy, &alone), WEFT_OK);
    const char *const found = (char *)y + (target * columns + column) * weft_dtype_size(result);
    EXPECT(memcmp(found, &alone, weft_dtype_size(result)) == 0,
           "%s of %s, target %zu, column %zu of %zu: differs from weft_reduce of its %zu elements", weft_op_name(op),
           weft_dtype_name(dtype), target, column, columns, n);
}

static void equal_to_reduce(weft_dtype dtype) {
    for (size_t k = 0; k < COUNT(OPS); k++)
        for (int wide = 0; wide < 2; wide++) {
            const weft_op op = OPS[k];
            const weft_dtype accumulate = wide ? WEFT_F64 : WEFT_DEFAULT;
            const size_t columns = k % 2 ? COLUMNS : 1, m = k < 4 ? TARGETS : 5;
            weft_dtype result;
            if (weft_reduce_result(op, dtype, accumulate, &result) != WEFT_OK) continue;
            make_indices(k + 10 * (size_t)dtype, m, true);
            input_fill(op == WEFT_PROD && type_is_float(dtype) ? INPUT_NEAR_ONE : INPUT_PATTERNS, dtype, k, N, x);
            if (op == WEFT_SUM && type_is_float(dtype)) input_fill(INPUT_MIXED, dtype, k, N, x);
            EXPECT_STATUS(ctx,
                          weft_scatter_reduce(ctx, op, WEFT_RANGE_SKIP, dtype, accumulate,
                                              k % 3 ? WEFT_I32 : WEFT_I64, N / columns, columns, m, x,
                                              k % 3 ? (const void *)index32 : (const void *)index64, NULL, y),
                          WEFT_OK);
            for (size_t t = 0; t < m; t++)
                for (size_t column = 0; column < columns; column++)
                    check_target(op, dtype, accumulate, columns, t, column);
        }
}

/* ---------------------------------------------------------------------------- plain loops */

static void integers(void) {
    int64_t *const sums = (int64_t *)y, wanted[TARGETS];
    uint64_t counts[TARGETS], wanted_counts[TARGETS] = {0};
    int32_t *const v = (int32_t *)x;
    make_indices(99, TARGETS, true);
    input_fill(INPUT_PATTERNS, WEFT_I32, 5, N, x);
    for (size_t t = 0; t < TARGETS; t++) sums[t] = wanted[t] = (int64_t)t - 7;
    for (size_t i = 0; i < N; i++)
        if (index32[i] >= 0 && index32[i] < TARGETS) {
            wanted[index32[i]] += v[i];
            wanted_counts[index32[i]]++;
        }
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_I32, WEFT_DEFAULT, WEFT_I32, N, 1, TARGETS,
                                      x, index32, sums, sums),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_scatter_count(ctx, WEFT_RANGE_SKIP, WEFT_I64, N, TARGETS, index64, counts), WEFT_OK);
    for (size_t t = 0; t < TARGETS; t++) {
        EXPECT(sums[t] == wanted[t], "sum %zu is %" PRId64 ", not %" PRId64, t, sums[t], wanted[t]);
        EXPECT(counts[t] == wanted_counts[t], "count %zu is %" PRIu64 ", not %" PRIu64, t, counts[t],
               wanted_counts[t]);
    }
}

/* Sums of small multiples of 2^-10 are exact in f64 in any order. */
static void exact_sums(void) {
    static double values[N], sums[TARGETS * COLUMNS];
    static long double wanted[TARGETS * COLUMNS];
    make_indices(7, TARGETS, false);
    for (size_t i = 0; i < TARGETS * COLUMNS; i++) wanted[i] = 0;
    for (size_t i = 0; i < N; i++) values[i] = (double)((int64_t)(input_random(8, i) % 100001) - 50000) * 0x1p-10;
    const size_t rows = N / COLUMNS;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < COLUMNS; k++)
            wanted[(size_t)index32[i] * COLUMNS + k] += (long double)values[i * COLUMNS + k];
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F64, WEFT_DEFAULT, WEFT_I32, rows,
                                      COLUMNS, TARGETS, values, index32, NULL, sums),
                  WEFT_OK);
    for (size_t i = 0; i < TARGETS * COLUMNS; i++)
        EXPECT((long double)sums[i] == wanted[i], "exact sum %zu is %a", i, sums[i]);
}

/* ------------------------------------------------------------------------------------ rules */

/* The initial value is combined with the sum of the elements, not with the first element. */
static void order(void) {
    static float v[600], sums[2];
    static uint32_t at[600];
    const float h = 0x1p-24f; /* 1 + h is 1, and 1 + (h + h) is not */
    for (size_t i = 0; i < 600; i++) at[i] = 1 - i % 2;
    v[1] = v[257] = h; /* elements 0 and 128 of target 0 */
    v[0] = 1, v[2] = v[256] = h;
    float first[2] = {1, -0.0f};
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_U32, 600, 1, 2, v,
                                      at, first, sums),
                  WEFT_OK);
    EXPECT(sums[0] == 1 + 2 * h, "1 + (h + h) is %a", (double)sums[0]);
    EXPECT(sums[1] == 1, "(1 + h) + h is %a", (double)sums[1]);
    float few[] = {NAN, -0.0f, 5, -0.0f};
    const int64_t few_at[] = {0, 1, 9, 1};
    float results[4], starts[] = {3, -0.0f, -0.0f, 0};
    uint32_t payload = 0xffc12345;
    memcpy(&starts[3], &payload, sizeof payload);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_I64, 4, 1, 4, few,
                                      few_at, starts, results),
                  WEFT_OK);
    memcpy(&payload, &results[0], sizeof payload);
    EXPECT(payload == 0x7fc00000, "3 + NaN is 0x%" PRIx32, payload);
    EXPECT(results[1] == 0 && signbit(results[1]), "-0 + (-0 + -0) is %a", (double)results[1]);
    EXPECT(results[2] == 0 && signbit(results[2]), "-0 without elements is %a", (double)results[2]);
    memcpy(&payload, &results[3], sizeof payload);
    EXPECT(payload == 0xffc12345, "a NaN without elements is 0x%" PRIx32, payload);
}

/* Checks the results of no elements. */
static void empty(void) {
    float r[2];
    const int32_t at[] = {1};
    const float v[] = {2};
    static const struct {
        weft_op op;
        float nothing;
    } rules[] = {{WEFT_SUM, 0}, {WEFT_PROD, 1}, {WEFT_MIN, INFINITY}, {WEFT_MAX, -INFINITY}};
    for (size_t k = 0; k < COUNT(rules); k++) {
        EXPECT_STATUS(ctx,
                      weft_scatter_reduce(ctx, rules[k].op, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_I32, 1, 1,
                                          2, v, at, NULL, r),
                      WEFT_OK);
        EXPECT(r[0] == rules[k].nothing && !(r[0] == 0 && signbit(r[0])) && r[1] == 2, "%s of nothing is %a",
               weft_op_name(rules[k].op), (double)r[0]);
    }
    uint32_t bits = 0;
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_MEAN, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_I32, 1, 1, 2, v,
                                      at, NULL, r),
                  WEFT_OK);
    memcpy(&bits, r, sizeof bits);
    EXPECT(bits == 0x7fc00000 && r[1] == 2, "the mean of nothing is 0x%" PRIx32, bits);
    uint8_t all[2] = {0, 0};
    const uint8_t byte = 0x35;
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_AND, WEFT_RANGE_ERROR, WEFT_U8, WEFT_DEFAULT, WEFT_I32, 1, 1, 2,
                                      &byte, at, NULL, all),
                  WEFT_OK);
    EXPECT(all[0] == 0xff && all[1] == 0x35, "the conjunction of nothing is %d", all[0]);
    int8_t least[2];
    const int8_t seven = 7;
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_MIN, WEFT_RANGE_ERROR, WEFT_I8, WEFT_DEFAULT, WEFT_I32, 1, 1, 2,
                                      &seven, at, NULL, least),
                  WEFT_OK);
    EXPECT(least[0] == 127 && least[1] == 7, "the minimum of no i8 is %d", least[0]);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int dtype = WEFT_I8; dtype <= WEFT_F64; dtype++) equal_to_reduce((weft_dtype)dtype);
    integers();
    exact_sums();
    order();
    empty();
    weft_close(ctx);
    return expect_end();
}
