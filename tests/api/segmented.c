/* Tests every argument that the segmented functions reject: the error message, and that nothing was written. The
 * argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 100 };
static weft_context *ctx;
static float x[N];
static int32_t whole[N];
static uint8_t heads[N];
static unsigned char out_bytes[16] __attribute__((aligned(16))), count_bytes[8] __attribute__((aligned(8)));
#define OUT ((void *)out_bytes)
#define COUNT ((uint64_t *)(void *)count_bytes)
static const uint64_t GOOD[] = {0, 1, 2};

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void offsets(void) {
    static const uint64_t falls[] = {0, 7, 3, 9}, past[] = {0, 50, 101}, starts_past[] = {101, 101, 101},
                          falls_late[] = {0, 0, 5, 5, 4};
#define REFUSED(segments, offsets, status, words)                                                                    \
    EXPECT_ERROR(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, segments, offsets, OUT),    \
                 status, words);                                                                                     \
    EXPECT_ERROR(                                                                                                    \
        ctx, weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, x, segments, offsets, x), \
        status, words)
    REFUSED(3, falls, WEFT_INVALID, "offsets[1] is 7 and offsets[2] is 3: offsets must not decrease");
    REFUSED(4, falls_late, WEFT_INVALID, "offsets[3] is 5 and offsets[4] is 4");
    REFUSED(2, past, WEFT_INVALID, "offsets[2] is 101, but x has only 100 elements");
    REFUSED(2, starts_past, WEFT_INVALID, "offsets[1] is 101, but x has only 100");
    REFUSED(2, NULL, WEFT_INVALID, "offsets is NULL");
    REFUSED(1, (const uint64_t *)shifted((void *)falls, 4), WEFT_INVALID, "not aligned to its 8-byte elements");
    REFUSED(SIZE_MAX, GOOD, WEFT_INVALID, "do not fit in memory");
    REFUSED(SIZE_MAX / 4, GOOD, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
}

static void reduce(void) {
#define REFUSED(op, dtype, accumulate, n, x, offsets, out, status, words) \
    EXPECT_ERROR(ctx, weft_segmented_reduce(ctx, op, dtype, accumulate, n, x, 2, offsets, out), status, words)
    REFUSED(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, NULL, GOOD, OUT, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, x + 3, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, (void *)(GOOD + 2), WEFT_INVALID, "overlaps offsets");
    REFUSED(WEFT_SUM, WEFT_F32, WEFT_F64, N, x, GOOD, shifted(OUT, 4), WEFT_INVALID, "out is at");
    REFUSED(WEFT_MEAN, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, OUT, WEFT_UNSUPPORTED,
            "segmented_reduce: invalid operator mean: expected sum, prod, min, max, and, or, xor");
    REFUSED((weft_op)16, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, OUT, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_AND, WEFT_F32, WEFT_DEFAULT, N, x, GOOD, OUT, WEFT_UNSUPPORTED, "requires integer elements");
    REFUSED(WEFT_MIN, WEFT_F32, WEFT_F64, N, x, GOOD, OUT, WEFT_UNSUPPORTED, "cannot accumulate in f64");
    REFUSED(WEFT_SUM, (weft_dtype)11, WEFT_DEFAULT, N, x, GOOD, OUT, WEFT_INVALID, "invalid dtype 11");
    REFUSED(WEFT_MAX, WEFT_F32, WEFT_EXACT_SUM, N, x, GOOD, OUT, WEFT_UNSUPPORTED,
            "max of f32 cannot accumulate in exact");
#undef REFUSED
#define REFUSED(n, x, heads, out, count, words)                                                                    \
    EXPECT_ERROR(ctx, weft_segmented_reduce_heads(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, heads, out, count), \
                 WEFT_INVALID, words)
    REFUSED(2, x, NULL, OUT, COUNT, "heads is NULL");
    REFUSED(2, x, heads, OUT, NULL, "count is NULL");
    REFUSED(0, NULL, NULL, NULL, NULL, "count is NULL");
    REFUSED(2, x, heads, OUT, (uint64_t *)shifted(OUT, 4), "count is at");
    REFUSED(2, x, heads, OUT, (uint64_t *)OUT, "count (8 bytes at");
    REFUSED(8, x, (uint8_t *)OUT, OUT, COUNT, "overlaps heads");
    REFUSED(SIZE_MAX / 2, x, heads, OUT, COUNT, "do not fit in memory");
#undef REFUSED
}

static void scan(void) {
#define REFUSED(op, kind, dtype, accumulate, x, y, status, words) \
    EXPECT_ERROR(ctx, weft_segmented_scan(ctx, op, kind, dtype, accumulate, 4, x, 2, GOOD, y), status, words)
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, x, x + 1, WEFT_INVALID, "y (16 bytes at");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_F64, x, x, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, (weft_scan_kind)2, WEFT_F32, WEFT_DEFAULT, x, OUT, WEFT_INVALID, "invalid scan kind 2");
    REFUSED(WEFT_ARGMAX, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, x, OUT, WEFT_UNSUPPORTED,
            "segmented_scan: invalid operator argmax: expected sum");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_I32, WEFT_F64, whole, OUT, WEFT_UNSUPPORTED,
            "segmented_scan with sum of i32 cannot accumulate in f64");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_EXACT_SUM, x, OUT, WEFT_UNSUPPORTED,
            "segmented_scan with sum of f32 cannot accumulate in exact");
#undef REFUSED
    EXPECT_ERROR(ctx, weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, 4, x, NULL, x),
                 WEFT_INVALID, "heads is NULL");
}

static void by_key(void) {
#define REFUSED(key_dtype, keys, x, unique, out, count, status, words)                                             \
    EXPECT_ERROR(                                                                                                  \
        ctx, weft_reduce_by_key(ctx, WEFT_SUM, key_dtype, WEFT_F32, WEFT_DEFAULT, 2, keys, x, unique, out, count), \
        status, words)
    void *const unique = shifted(OUT, 8);
    REFUSED(WEFT_I32, NULL, x, unique, OUT, COUNT, WEFT_INVALID, "keys is NULL");
    REFUSED(WEFT_I32, whole, x, NULL, OUT, COUNT, WEFT_INVALID, "unique_keys is NULL");
    REFUSED(WEFT_I32, whole, x, OUT, OUT, COUNT, WEFT_INVALID, "overlaps");
    REFUSED(WEFT_I32, whole, x, whole, OUT, COUNT, WEFT_INVALID, "unique_keys (8 bytes at");
    REFUSED(WEFT_I32, whole, x, unique, whole + 1, COUNT, WEFT_INVALID, "overlaps keys");
    REFUSED((weft_dtype)0, whole, x, unique, OUT, COUNT, WEFT_INVALID, "invalid dtype 0");
    REFUSED(WEFT_I64, shifted(whole, 4), x, unique, OUT, COUNT, WEFT_INVALID, "keys is at");
#undef REFUSED
}

/* The exact sum of the first segment is just above the middle of two f32. */
static void exact(void) {
    const float values[] = {0x1p-24f, 0x1p-100f, 1, 2, -2};
    const uint64_t ends[] = {0, 3, 5};
    float sums[2];
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_EXACT_SUM, 5, values, 2, ends, sums),
                  WEFT_OK);
    EXPECT(sums[0] == 1 + 0x1p-23f && sums[1] == 0, "exact sums %a, %a", (double)sums[0], (double)sums[1]);
}

static void nothing(void) {
    uint64_t count = 5;
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_MIN, WEFT_F32, WEFT_DEFAULT, 0, NULL, 0, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_MIN, WEFT_F32, WEFT_DEFAULT, N, x, 0, NULL, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_F32, N, x, 0, NULL, x),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_segmented_scan_heads(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_F32, 0, NULL, NULL, NULL),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_segmented_reduce_heads(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 0, NULL, NULL, NULL, &count),
                  WEFT_OK);
    EXPECT(count == 0, "%llu segments of nothing", (unsigned long long)count);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memset(out_bytes, 0x5a, sizeof out_bytes);
    memset(count_bytes, 0x5a, sizeof count_bytes);
    for (int i = 0; i < N; i++) x[i] = (float)(i + 1);
    offsets();
    reduce();
    scan();
    by_key();
    for (size_t i = 0; i < sizeof out_bytes; i++)
        EXPECT(out_bytes[i] == 0x5a && count_bytes[i % 8] == 0x5a, "a call that failed wrote byte %zu", i);
    for (int i = 0; i < N; i++) EXPECT(x[i] == (float)(i + 1), "a call that failed wrote x[%d]", i);
    nothing();
    exact();
    weft_close(ctx);
    return expect_end();
}
