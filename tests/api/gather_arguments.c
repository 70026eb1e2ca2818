/* Tests every argument that weft_gather and weft_scatter reject: the error message, and that nothing was written. The
 * argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>
#include <string.h>

enum { N = 4, M = 3 };
static weft_context *ctx;
static float x[N] = {1, 2, 3, 4};
static int32_t at[4 * N] = {0, 2, 1, 0}, different[N] = {3, 0, 2, 1};
static unsigned char out_bytes[64] __attribute__((aligned(16)));
#define OUT ((void *)out_bytes)
#define EACH_REFUSED(range, dtype, index_dtype, n, columns, m, x, index, out, status, words)                     \
    EXPECT_ERROR(ctx, weft_gather(ctx, range, dtype, index_dtype, n, columns, m, x, index, out), status, words); \
    EXPECT_ERROR(ctx, weft_scatter(ctx, range, dtype, index_dtype, n, columns, m, x, index, out), status, words)

static void *shifted(const void *p, size_t bytes) { return (char *)p + bytes; }

static void indices(void) {
    static const int32_t negative[] = {0, -1, 3, 1}, past[] = {0, 1, 3, -5};
    static const int64_t wide[] = {0, 1, 2, INT64_C(1) << 40}, low[] = {INT64_MIN, 0, 0, 0};
    static const uint32_t high[] = {0, 0, UINT32_MAX, 9};
    static const uint64_t highest[] = {0, UINT64_MAX, 3, 3};
#define REFUSED(type, m, index, words) \
    EACH_REFUSED(WEFT_RANGE_ERROR, WEFT_F32, type, N, 1, m, x, index, OUT, WEFT_INVALID, words)
    REFUSED(WEFT_I32, M, negative, "index[1] is -1: expected 0 to 2");
    REFUSED(WEFT_I32, M, past, "index[2] is 3: expected 0 to 2");
    REFUSED(WEFT_I64, M, wide, "index[3] is 1099511627776: expected 0 to 2");
    REFUSED(WEFT_I64, M, low, "index[0] is -9223372036854775808: expected 0 to 2");
    REFUSED(WEFT_U32, M, high, "index[2] is 4294967295: expected 0 to 2");
    REFUSED(WEFT_U64, M, highest, "index[1] is 18446744073709551615: expected 0 to 2");
    REFUSED(WEFT_I32, M, NULL, "index is NULL");
    REFUSED(WEFT_I64, M, shifted(at, 4), "index is at");
#undef REFUSED
    EXPECT_ERROR(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 1, 0, NULL, at, OUT), WEFT_INVALID,
                 "index[0] is 0, but there are no targets");
    EXPECT_ERROR(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 0, M, NULL, at, NULL), WEFT_INVALID,
                 "index[0] and index[3] are 0: scatter requires different indices");
    EXPECT_ERROR(ctx, weft_scatter(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_I32, N, 1, M, x, at, OUT), WEFT_INVALID,
                 "index[0] and index[3] are 0: scatter requires different indices");
    EXPECT_ERROR(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 0, 1, NULL, at, NULL), WEFT_INVALID,
                 "index[1] is 2: expected 0 to 0");
}

static void arguments(void) {
    const weft_range error = WEFT_RANGE_ERROR;
    EXPECT_ERROR(ctx, weft_gather(ctx, error, WEFT_F32, WEFT_I16, N, 1, M, x, at, OUT), WEFT_UNSUPPORTED,
                 "gather requires i32, i64, u32 or u64 indices, not i16");
    EXPECT_ERROR(ctx, weft_scatter(ctx, error, WEFT_F32, WEFT_F64, N, 1, M, x, at, OUT), WEFT_UNSUPPORTED,
                 "scatter requires i32, i64, u32 or u64 indices, not f64");
    EACH_REFUSED(error, WEFT_F32, (weft_dtype)0, N, 1, M, x, at, OUT, WEFT_INVALID, "invalid dtype 0");
    EACH_REFUSED((weft_range)2, WEFT_F32, WEFT_I32, N, 1, M, x, at, OUT, WEFT_INVALID, "invalid range 2");
    EACH_REFUSED(error, (weft_dtype)11, WEFT_I32, N, 1, M, x, at, OUT, WEFT_INVALID, "invalid dtype 11");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, NULL, at, OUT, WEFT_INVALID, "x is NULL");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, x, at, NULL, WEFT_INVALID, "out is NULL");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, shifted(x, 2), at, OUT, WEFT_INVALID, "x is at");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, x, at, shifted(OUT, 1), WEFT_INVALID, "out is at");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, x, at, x + 1, WEFT_INVALID, "overlaps x");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, x, at, x, WEFT_INVALID, "overlaps x");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 1, M, x, at, (void *)(at + 1), WEFT_INVALID, "overlaps index");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, SIZE_MAX / 2, M, x, at, OUT, WEFT_INVALID, "do not fit in memory");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, 1, SIZE_MAX / 2, 0, x, at, OUT, WEFT_INVALID, "do not fit in memory");
    EACH_REFUSED(error, WEFT_F32, WEFT_I32, N, 2, SIZE_MAX / 4, x, at, OUT, WEFT_INVALID, "do not fit in memory");
    EXPECT_ERROR(NULL, weft_gather(NULL, error, WEFT_F32, WEFT_I32, N, 1, M, x, at, OUT), WEFT_INVALID, "NULL");
    EXPECT_ERROR(NULL, weft_scatter(NULL, error, WEFT_F32, WEFT_I32, N, 1, M, x, at, OUT), WEFT_INVALID, "NULL");
}

/* Tests calls that have nothing to do, and small ones that have. */
static void nothing(void) {
    float y[N] = {5, 5, 5, 5};
    const int32_t outside[] = {-1, 4, 2, 9};
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, 0, 1, M, x, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, 0, 1, N, NULL, NULL, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 0, M, NULL, at, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_I32, N, 1, 0, x, at, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_I32, N, 1, 0, NULL, at, y), WEFT_OK);
    EXPECT(y[0] == 5 && y[3] == 5, "a call without work has written %g, %g", (double)y[0], (double)y[3]);
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 1, M, x, at, y), WEFT_OK);
    EXPECT(y[0] == 1 && y[1] == 3 && y[2] == 2 && y[3] == 1, "gather: %g, %g, ...", (double)y[0], (double)y[1]);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_I32, N, 1, N, x, different, y), WEFT_OK);
    EXPECT(y[0] == 2 && y[1] == 4 && y[2] == 3 && y[3] == 1, "scatter: %g, %g, ...", (double)y[0], (double)y[1]);
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_I32, N, 1, N, x, outside, y), WEFT_OK);
    EXPECT(y[0] == 2 && y[1] == 4 && y[2] == 3 && y[3] == 1, "gather with skip: %g, %g, ...", (double)y[0],
           (double)y[1]);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_SKIP, WEFT_F32, WEFT_I32, N, 1, N, x, outside, y), WEFT_OK);
    EXPECT(y[0] == 2 && y[2] == 3 && y[3] == 1, "scatter with skip: %g, %g, ...", (double)y[0], (double)y[2]);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memset(out_bytes, 0x5a, sizeof out_bytes);
    indices();
    arguments();
    for (size_t i = 0; i < sizeof out_bytes; i++)
        EXPECT(out_bytes[i] == 0x5a, "a call that failed wrote byte %zu", i);
    nothing();
    weft_close(ctx);
    return expect_end();
}
