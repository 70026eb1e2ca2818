/* Tests every argument that selections and runs reject: the error message, and that nothing was written. The argument
 * is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 100, POISON = 0x5a };
static weft_context *ctx;
static double x[N];
static uint8_t flags[N];
static union {
    double real[N];
    uint64_t whole[N];
    unsigned char bytes[N * sizeof(uint64_t)];
} y, lengths;
static uint64_t count;

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void by_flags(void) {
#define REFUSED(dtype, n, x, flags, y, count, words)                                        \
    EXPECT_ERROR(ctx, weft_select(ctx, dtype, n, x, flags, y, count), WEFT_INVALID, words); \
    EXPECT_ERROR(ctx, weft_partition(ctx, dtype, n, x, flags, y, count), WEFT_INVALID, words)
    REFUSED((weft_dtype)11, N, x, flags, &y, &count, "invalid dtype 11");
    REFUSED(WEFT_DEFAULT, N, x, flags, &y, &count, "invalid dtype 0");
    REFUSED(WEFT_F64, N, NULL, flags, &y, &count, "x is NULL");
    REFUSED(WEFT_F64, N, x, NULL, &y, &count, "flags is NULL");
    REFUSED(WEFT_F64, N, x, flags, NULL, &count, "y is NULL");
    REFUSED(WEFT_F64, N, x, flags, &y, NULL, "count is NULL");
    REFUSED(WEFT_F64, 0, NULL, NULL, NULL, NULL, "count is NULL");
    REFUSED(WEFT_F64, 5, shifted(x, 4), flags, &y, &count, "x is at");
    REFUSED(WEFT_F64, 5, x, flags, shifted(&y, 2), &count, "not aligned to its 8-byte elements");
    REFUSED(WEFT_F64, 5, x, flags, &y, shifted(&lengths, 4), "count is at");
    REFUSED(WEFT_F64, 5, x, flags, x, &count, "y (40 bytes at");
    REFUSED(WEFT_F64, 5, x, flags, x + 4, &count, "overlaps x (40 bytes at");
    REFUSED(WEFT_U8, 5, x, flags, flags + 4, &count, "overlaps flags (5 bytes at");
    REFUSED(WEFT_F64, 5, x, flags, &y, &y.whole[4], "count (8 bytes at");
    REFUSED(WEFT_F64, 5, &y, flags, &lengths, &y.whole[4], "overlaps x");
    REFUSED(WEFT_F64, 64, x, &y.bytes[0], &lengths, &y.whole[1], "overlaps flags");
    REFUSED(WEFT_F64, SIZE_MAX / 4, x, flags, &y, &count, "do not fit in memory");
    REFUSED(WEFT_U8, SIZE_MAX, x, flags, &y, &count, "do not fit in memory");
#undef REFUSED
#define REFUSED(n, flags, y, count, words) \
    EXPECT_ERROR(ctx, weft_select_indices(ctx, n, flags, y, count), WEFT_INVALID, words)
    REFUSED(N, NULL, y.whole, &count, "flags is NULL");
    REFUSED(N, flags, NULL, &count, "y is NULL");
    REFUSED(5, flags, shifted(&y, 4), &count, "y is at");
    REFUSED(20, &y.bytes[8], y.whole, &count, "overlaps flags (20 bytes at");
    REFUSED(SIZE_MAX / 4, flags, y.whole, &count, "do not fit in memory");
#undef REFUSED
}

static void by_comparison(void) {
    const double v = 1;
#define REFUSED(comparison, dtype, n, x, value, y, count, words)                                                     \
    EXPECT_ERROR(ctx, weft_select_if(ctx, comparison, dtype, n, x, value, y, count), WEFT_INVALID, words);           \
    EXPECT_ERROR(ctx, weft_partition_if(ctx, comparison, dtype, n, x, value, y, count), WEFT_INVALID, words);        \
    EXPECT_ERROR(ctx, weft_select_indices_if(ctx, comparison, dtype, n, x, value, (void *)(y), count), WEFT_INVALID, \
                 words)
    REFUSED((weft_comparison)6, WEFT_F64, N, x, &v, &y, &count, "invalid comparison 6");
    REFUSED((weft_comparison)-1, WEFT_F64, N, x, &v, &y, &count, "invalid comparison -1");
    REFUSED(WEFT_LT, (weft_dtype)14, N, x, &v, &y, &count, "invalid dtype 14");
    REFUSED(WEFT_LT, WEFT_F64, N, NULL, &v, &y, &count, "x is NULL");
    REFUSED(WEFT_LT, WEFT_F64, N, x, NULL, &y, &count, "value is NULL");
    REFUSED(WEFT_LT, WEFT_F64, N, x, &v, NULL, &count, "y is NULL");
    REFUSED(WEFT_LT, WEFT_F64, N, x, &v, &y, NULL, "count is NULL");
    REFUSED(WEFT_LT, WEFT_F64, 5, x, &v, x, &count, "overlaps x");
    REFUSED(WEFT_LT, WEFT_F64, 5, shifted(x, 1), &v, &y, &count, "x is at");
    REFUSED(WEFT_LT, WEFT_F64, SIZE_MAX / 4, x, &v, &y, &count, "do not fit in memory");
#undef REFUSED
    EXPECT_ERROR(ctx, weft_select_indices_if(ctx, WEFT_LT, WEFT_U8, 5, x, &v, shifted(&y, 1), &count), WEFT_INVALID,
                 "not aligned to its 8-byte elements");
    EXPECT(strcmp(weft_comparison_name(WEFT_GE), "ge") == 0, "%s", weft_comparison_name(WEFT_GE));
    EXPECT(strcmp(weft_comparison_name((weft_comparison)6), "unknown") == 0, "6 is a comparison");
}

static void runs(void) {
#define REFUSED(dtype, n, x, y, lengths, count, words) \
    EXPECT_ERROR(ctx, weft_run_length(ctx, dtype, n, x, y, lengths, count), WEFT_INVALID, words)
    REFUSED((weft_dtype)11, N, x, &y, lengths.whole, &count, "invalid dtype 11");
    REFUSED(WEFT_F64, N, NULL, &y, lengths.whole, &count, "x is NULL");
    REFUSED(WEFT_F64, N, x, NULL, lengths.whole, &count, "values is NULL");
    REFUSED(WEFT_F64, N, x, &y, NULL, &count, "lengths is NULL");
    REFUSED(WEFT_F64, N, x, &y, lengths.whole, NULL, "count is NULL");
    REFUSED(WEFT_F64, 5, x, &y, shifted(&lengths, 4), &count, "lengths is at");
    REFUSED(WEFT_F64, 5, x, x + 1, lengths.whole, &count, "values (40 bytes at");
    REFUSED(WEFT_F64, 5, x, &y, (uint64_t *)(void *)x, &count, "lengths (40 bytes at");
    REFUSED(WEFT_F64, 5, x, &y, y.whole, &count, "overlaps");
    REFUSED(WEFT_F64, 5, x, &y, lengths.whole, y.whole, "count (8 bytes at");
    REFUSED(WEFT_F64, 5, x, &y, lengths.whole, lengths.whole, "count (8 bytes at");
    REFUSED(WEFT_U8, SIZE_MAX / 4, x, &y, lengths.whole, &count, "do not fit in memory");
#undef REFUSED
    EXPECT_ERROR(ctx, weft_unique(ctx, WEFT_F64, N, NULL, &y, &count), WEFT_INVALID, "x is NULL");
    EXPECT_ERROR(ctx, weft_unique(ctx, WEFT_F64, N, x, NULL, &count), WEFT_INVALID, "y is NULL");
    EXPECT_ERROR(ctx, weft_unique(ctx, WEFT_F64, N, x, x, &count), WEFT_INVALID, "y (800 bytes at");
    EXPECT_ERROR(ctx, weft_unique(ctx, WEFT_F64, N, x, &y, NULL), WEFT_INVALID, "count is NULL");
    EXPECT_ERROR(ctx, weft_unique(ctx, (weft_dtype)-1, N, x, &y, &count), WEFT_INVALID, "invalid dtype -1");
}

static void no_context(void) {
    static const char *const words = "ctx is NULL";
    EXPECT_ERROR(NULL, weft_select(NULL, WEFT_F64, N, x, flags, &y, &count), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_select_if(NULL, WEFT_LT, WEFT_F64, N, x, x, &y, &count), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_unique(NULL, WEFT_F64, N, x, &y, &count), WEFT_INVALID, words);
    EXPECT_ERROR(NULL, weft_run_length(NULL, WEFT_F64, N, x, &y, lengths.whole, &count), WEFT_INVALID, words);
}

static void taken(void) {
    const double v = 49.5;
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_GT, WEFT_F64, N, x, &v, &y, &count), WEFT_OK);
    EXPECT(count == 50 && y.real[0] == 50 && y.real[49] == 99, "%d above 49.5", (int)count);
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_GT, WEFT_F64, 50, x, x + 40, x + 50, &count),
                  WEFT_OK); /* adjacent arrays */
    EXPECT(count == 9 && x[50] == 41, "%d above 40", (int)count);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) x[i] = (double)i;
    memset(&y, POISON, sizeof y);
    memset(&lengths, POISON, sizeof lengths);
    memset(&count, POISON, sizeof count);
    no_context();
    by_flags();
    by_comparison();
    runs();
    for (size_t i = 0; i < sizeof y.bytes; i++)
        EXPECT(y.bytes[i] == POISON && lengths.bytes[i] == POISON, "a call that failed wrote byte %zu", i);
    EXPECT(count == UINT64_C(0x5a5a5a5a5a5a5a5a), "a call that failed wrote the count");
    taken();
    weft_close(ctx);
    return expect_end();
}
