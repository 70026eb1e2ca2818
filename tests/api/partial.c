/* Tests the internal entry points for libweft_dist (src/core/parts.h): a device's parts equal those of the
 * specification and combine to the complete result. Usage: api_partial DEVICE. */
#include "core/order.h"
#include "core/parts.h"
#include "tests/expect.h"

#include <math.h>

enum { N = 3 * WEFT_TILE(4) + 77 };

static unsigned char bytes[8 * N];

static uint64_t draw(void) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 11;
}

/* Fills with numbers of widely different magnitudes, in the type. */
static void fill(weft_dtype dtype) {
    for (size_t i = 0; i < N; i++) {
        const double v = ((double)draw() * 0x1p-52 - 1) * (double)(1 << draw() % 20);
        const float narrow = (float)v;
        const uint64_t whole = draw();
        if (dtype == WEFT_F64)
            memcpy(bytes + 8 * i, &v, sizeof v);
        else if (dtype == WEFT_F32)
            memcpy(bytes + 4 * i, &narrow, sizeof narrow);
        else
            memcpy(bytes + weft_dtype_size(dtype) * i, &whole, weft_dtype_size(dtype));
    }
}

static void check_tree(weft_context *ctx, weft_context *ref, tree_kind kind, weft_dtype dtype, double parameter) {
    double own = 1, wanted = 2;
    EXPECT_STATUS(ctx, weft_part_tree(ctx, kind, dtype, N, bytes, parameter, &own), WEFT_OK);
    EXPECT_STATUS(ref, weft_part_tree(ref, kind, dtype, N, bytes, parameter, &wanted), WEFT_OK);
    EXPECT(memcmp(&own, &wanted, sizeof own) == 0, "tree %d of %s: %a, specified %a", (int)kind,
           weft_dtype_name(dtype), own, wanted);
}

/* Checks that the mean is the sum divided by the number of elements. */
static void check_mean(weft_context *ctx, weft_dtype dtype) {
    double sum = 0, mean = 1;
    EXPECT_STATUS(ctx, weft_part_tree(ctx, TREE_SUM, dtype, N, bytes, 0, &sum), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_reduce(ctx, WEFT_MEAN, dtype, dtype == WEFT_F32 ? WEFT_F64 : WEFT_DEFAULT, N, bytes, &mean),
                  WEFT_OK);
    EXPECT(mean == sum / N, "%s: %a and %a", weft_dtype_name(dtype), mean, sum / N);
}

/* Checks that a part of a formula's values uses indices of the whole array. */
static void check_map(weft_context *ctx, weft_dtype dtype) {
    static double whole[N], part[N];
    const size_t size = weft_dtype_size(dtype), first = N / 3;
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "i * i + 3", &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, N, NULL, 0, whole), WEFT_OK);
    EXPECT_STATUS(ctx, weft_part_map(ctx, expr, dtype, first, N - first, NULL, 0, part), WEFT_OK);
    EXPECT(memcmp(part, (char *)whole + first * size, (N - first) * size) == 0, "%s", weft_dtype_name(dtype));
    EXPECT_STATUS(ctx, weft_part_map(ctx, expr, dtype, UINT64_C(1) << 40, 1, NULL, 0, part), WEFT_OK);
    if (dtype == WEFT_F64) EXPECT(part[0] == 0x1p80 + 3, "%g", part[0]);
    weft_expr_free(expr);
}

/* Checks the last stages of some blocks of a transform of blocks x n values. */
static void check_blocks(weft_context *ctx, weft_context *ref, weft_dtype dtype, size_t blocks, size_t n,
                         size_t first, size_t count) {
    static double x[N], own[N], wanted[N];
    const size_t used = count * n * 2 * weft_dtype_size(dtype);
    for (int inverse = 0; inverse < 2; inverse++) {
        memset(own, 1, sizeof own);
        memset(wanted, 1, sizeof wanted);
        memcpy(x, bytes, used);
        EXPECT_STATUS(ctx, weft_part_fft_blocks(ctx, dtype, inverse, blocks, n, first, count, x, own), WEFT_OK);
        memcpy(x, bytes, used);
        EXPECT_STATUS(ref, weft_part_fft_blocks(ref, dtype, inverse, blocks, n, first, count, x, wanted), WEFT_OK);
        EXPECT(memcmp(own, wanted, sizeof own) == 0, "%s, inverse %d: %zu blocks of %zu of %zu values from %zu on",
               weft_dtype_name(dtype), inverse, count, blocks, n, first);
    }
}

/* Checks that transforms along the columns of a matrix and then all blocks are the complete transform. */
static void check_all_blocks(weft_context *ctx, weft_dtype dtype) {
    enum { SIDE = 64 };
    static double x[2 * SIDE * SIDE], parts[2 * SIDE * SIDE], whole[2 * SIDE * SIDE];
    weft_view v;
    memcpy(x, bytes, sizeof x);
    EXPECT_STATUS(ctx, weft_fft(ctx, WEFT_C2C, dtype, 1, (size_t)SIDE * SIDE, x, whole), WEFT_OK);
    EXPECT_STATUS(NULL, weft_view_of(dtype, 3, (const size_t[]){SIDE, SIDE, 2}, x, &v), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft_axes(ctx, WEFT_C2C, &v, 1, (const int[]){0}, &v), WEFT_OK);
    EXPECT_STATUS(ctx, weft_part_fft_blocks(ctx, dtype, 0, SIDE, SIDE, 0, SIDE, x, parts), WEFT_OK);
    EXPECT(memcmp(parts, whole, (size_t)2 * SIDE * SIDE * weft_dtype_size(dtype)) == 0, "%s", weft_dtype_name(dtype));
}

static void check_transforms(weft_context *ctx, weft_context *ref, weft_dtype dtype) {
    fill(dtype);
    check_all_blocks(ctx, dtype);
    check_blocks(ctx, ref, dtype, 16, 16, 0, 16);
    check_blocks(ctx, ref, dtype, 64, 32, 5, 7);
    check_blocks(ctx, ref, dtype, 2, 64, 1, 1);
    check_blocks(ctx, ref, dtype, 1024, 512, 1000, 11);
    /* On a GPU these need several passes. */
    if (dtype == WEFT_F32)
        check_blocks(ctx, ref, dtype, 4, 8192, 3, 1);
    else
        check_blocks(ctx, ref, dtype, 8, 2048, 1, 3);
}

int main(int argc, char **argv) {
    static const weft_dtype types[] = {WEFT_F64, WEFT_F32, WEFT_I8, WEFT_U16, WEFT_I32, WEFT_I64};
    weft_context *ctx, *ref;
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return expect_end();
    EXPECT_STATUS(NULL, weft_open(&ref, "ref"), WEFT_OK);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        fill(types[t]);
        check_tree(ctx, ref, TREE_SUM, types[t], 0);
        check_tree(ctx, ref, TREE_MAGNITUDES, types[t], 0);
        check_tree(ctx, ref, TREE_DEVIATIONS, types[t], 0.3);
        check_mean(ctx, types[t]);
    }
    fill(WEFT_F64);
    check_tree(ctx, ref, TREE_RESCALED, WEFT_F64, 0);
    check_tree(ctx, ref, TREE_RESCALED, WEFT_F64, (double)INFINITY);
    check_map(ctx, WEFT_F32);
    check_map(ctx, WEFT_F64);
    check_map(ctx, WEFT_U32);
    check_transforms(ctx, ref, WEFT_F64);
    check_transforms(ctx, ref, WEFT_F32);
    weft_close(ctx);
    weft_close(ref);
    return expect_end();
}
