/* Tests every argument that weft_scatter_reduce and weft_scatter_count reject: the error message, and that nothing
 * was written. The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>
#include <string.h>

enum { N = 4, M = 3 };
static weft_context *ctx;
static float x[N] = {1, 2, 3, 4}, start[M];
static int32_t at[N] = {0, 2, 2, 0};
static unsigned char out_bytes[64] __attribute__((aligned(16)));
#define OUT ((void *)out_bytes)

static void *shifted(const void *p, size_t bytes) { return (char *)p + bytes; }

static void indices(void) {
    static const int32_t negative[] = {0, -1, 3, 1}, past[] = {0, 1, 3, -5};
    static const int64_t wide[] = {0, 1, 2, INT64_C(1) << 40}, low[] = {INT64_MIN, 0, 0, 0};
    static const uint32_t high[] = {0, 0, UINT32_MAX, 9};
    static const uint64_t highest[] = {0, UINT64_MAX, 3, 3};
#define REFUSED(type, m, index, words)                                                                          \
    EXPECT_ERROR(ctx,                                                                                           \
                 weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, type, N, 1, m, x, \
                                     index, NULL, OUT),                                                         \
                 WEFT_INVALID, words);                                                                          \
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, type, N, m, index, OUT), WEFT_INVALID, words)
    REFUSED(WEFT_I32, M, negative, "index[1] is -1: expected 0 to 2");
    REFUSED(WEFT_I32, M, past, "index[2] is 3: expected 0 to 2");
    REFUSED(WEFT_I64, M, wide, "index[3] is 1099511627776: expected 0 to 2");
    REFUSED(WEFT_I64, M, low, "index[0] is -9223372036854775808: expected 0 to 2");
    REFUSED(WEFT_U32, M, high, "index[2] is 4294967295: expected 0 to 2");
    REFUSED(WEFT_U64, M, highest, "index[1] is 18446744073709551615: expected 0 to 2");
    REFUSED(WEFT_I32, 0, at, "index[0] is 0, but there are no targets");
    REFUSED(WEFT_I32, M, NULL, "index is NULL");
    REFUSED(WEFT_I64, M, shifted(at, 4), "index is at");
#undef REFUSED
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_I16, N, M, at, OUT), WEFT_UNSUPPORTED,
                 "requires i32, i64, u32 or u64 indices, not i16");
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_F64, N, M, OUT, OUT), WEFT_UNSUPPORTED,
                 "not f64");
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, (weft_range)2, WEFT_I32, N, M, at, OUT), WEFT_INVALID,
                 "invalid range 2");
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_I32, N, M, at, NULL), WEFT_INVALID,
                 "counts is NULL");
    EXPECT_ERROR(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_I32, N, M, OUT, OUT), WEFT_INVALID,
                 "overlaps index");
    EXPECT_ERROR(NULL, weft_scatter_count(NULL, WEFT_RANGE_ERROR, WEFT_I32, N, M, at, OUT), WEFT_INVALID, "NULL");
}

static void reduce(void) {
#define REFUSED(op, range, dtype, accumulate, columns, m, x, init, out, status, words)                              \
    EXPECT_ERROR(ctx,                                                                                               \
                 weft_scatter_reduce(ctx, op, range, dtype, accumulate, WEFT_I32, N, columns, m, x, at, init, out), \
                 status, words)
    const weft_range error = WEFT_RANGE_ERROR;
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, NULL, NULL, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, shifted(x, 2), NULL, OUT, WEFT_INVALID, "x is at");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_F64, 1, M, x, NULL, shifted(OUT, 4), WEFT_INVALID, "out is at");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, shifted(start, 1), OUT, WEFT_INVALID, "init is at");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, x + 3, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, (void *)(at + 1), WEFT_INVALID, "overlaps index");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, shifted(OUT, 4), OUT, WEFT_INVALID, "overlaps init");
    REFUSED(WEFT_SUM, (weft_range)-1, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_INVALID, "invalid range -1");
    REFUSED((weft_op)16, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_ARGMIN, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_UNSUPPORTED,
            "scatter_reduce: invalid operator argmin");
    REFUSED(WEFT_NORM2, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_UNSUPPORTED,
            "invalid operator norm2");
    REFUSED(WEFT_MEAN, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, start, OUT, WEFT_UNSUPPORTED, "mean cannot have init");
    REFUSED(WEFT_XOR, error, WEFT_F32, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_UNSUPPORTED,
            "requires integer elements");
    REFUSED(WEFT_MAX, error, WEFT_F32, WEFT_F64, 1, M, x, NULL, OUT, WEFT_UNSUPPORTED, "cannot accumulate in f64");
    REFUSED(WEFT_SUM, error, (weft_dtype)11, WEFT_DEFAULT, 1, M, x, NULL, OUT, WEFT_INVALID, "invalid dtype 11");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, SIZE_MAX / 2, M, x, NULL, OUT, WEFT_INVALID,
            "do not fit in memory");
    REFUSED(WEFT_SUM, error, WEFT_F32, WEFT_DEFAULT, 1, SIZE_MAX / 2, x, NULL, OUT, WEFT_INVALID,
            "do not fit in memory");
#undef REFUSED
}

/* Tests calls that have nothing to do, and the smallest that have. */
static void nothing(void) {
    float out[M] = {5, 5, 5};
    uint64_t counts[M] = {5, 5, 5};
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_I32, 0, 1, 0,
                                      NULL, NULL, NULL, NULL),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_I32, N, 1, 0, x,
                                      at, NULL, NULL),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_I32, N, 0, M,
                                      NULL, at, NULL, NULL),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_I32, 0, 1, M,
                                      NULL, NULL, NULL, out),
                  WEFT_OK);
    EXPECT(out[0] == 0 && out[M - 1] == 0, "sums of nothing: %g, %g", (double)out[0], (double)out[M - 1]);
    EXPECT_STATUS(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_I32, 0, M, NULL, counts), WEFT_OK);
    EXPECT(counts[0] == 0 && counts[M - 1] == 0, "a count of nothing is %llu", (unsigned long long)counts[0]);
    EXPECT_STATUS(ctx, weft_scatter_count(ctx, WEFT_RANGE_ERROR, WEFT_I32, N, M, at, counts), WEFT_OK);
    EXPECT(counts[0] == 2 && counts[1] == 0 && counts[2] == 2, "counts[2] is %llu", (unsigned long long)counts[2]);
}

/* Tests an index out of range long after the first that is less than the one before it. */
static void late(void) {
    enum { LONG = 200000, TARGETS = 1000 };
    static uint32_t index[LONG];
    static float ones[LONG], sums[TARGETS];
    for (uint32_t i = 0; i < LONG; i++) {
        index[i] = i * 7 % TARGETS;
        ones[i] = 1;
    }
    index[LONG - 1] = TARGETS;
    EXPECT_ERROR(ctx,
                 weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_U32, LONG, 1,
                                     TARGETS, ones, index, NULL, sums),
                 WEFT_INVALID, "index[199999] is 1000: expected 0 to 999");
    EXPECT(sums[0] == 0, "a call that failed wrote %g", (double)sums[0]);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_U32, LONG, 1,
                                      TARGETS, ones, index, NULL, sums),
                  WEFT_OK);
    EXPECT(sums[0] == 200 && sums[993] == 199, "sums[993] is %g", (double)sums[993]);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memset(out_bytes, 0x5a, sizeof out_bytes);
    indices();
    reduce();
    for (size_t i = 0; i < sizeof out_bytes; i++)
        EXPECT(out_bytes[i] == 0x5a, "a call that failed wrote byte %zu", i);
    nothing();
    late();
    weft_close(ctx);
    return expect_end();
}
