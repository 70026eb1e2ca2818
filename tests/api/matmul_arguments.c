/* Tests every argument that weft_matmul rejects: the error message, and that nothing was written. The argument is the
 * device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>

enum { N = 64 };
static const double POISON = 77;
static weft_context *ctx;
static double a[N], b[N], c[N], m[100];

#define NO WEFT_NO_TRANSPOSE
#define YES WEFT_TRANSPOSE
#define ROWS WEFT_ROW_MAJOR
#define COLUMNS WEFT_COLUMN_MAJOR

/* Row-major f64 without transposes. */
#define PLAIN(m, n, k, a, lda, b, ldb, c, ldc) \
    weft_matmul(ctx, ROWS, NO, NO, WEFT_F64, WEFT_DEFAULT, m, n, k, NULL, a, lda, b, ldb, NULL, c, ldc)
#define REFUSED(call, status, words) EXPECT_ERROR(ctx, call, status, words)
#define TAKEN(call) EXPECT_STATUS(ctx, call, WEFT_OK)

static void types(void) {
#define TYPED(dtype, accumulate) \
    weft_matmul(ctx, ROWS, NO, NO, dtype, accumulate, 2, 2, 2, NULL, a, 2, b, 2, NULL, c, 2)
    REFUSED(TYPED(WEFT_I32, WEFT_DEFAULT), WEFT_UNSUPPORTED, "requires f32 or f64 elements, not i32");
    REFUSED(TYPED((weft_dtype)11, WEFT_DEFAULT), WEFT_INVALID, "invalid dtype 11");
    REFUSED(TYPED(WEFT_DEFAULT, WEFT_DEFAULT), WEFT_INVALID, "invalid dtype 0");
    REFUSED(TYPED(WEFT_F16, WEFT_I64), WEFT_UNSUPPORTED, "matmul of f16 can accumulate only in f32 or exact");
    REFUSED(TYPED(WEFT_BF16, WEFT_F64), WEFT_UNSUPPORTED, "matmul of bf16 can accumulate only in f32 or exact");
    REFUSED(TYPED(WEFT_I16, WEFT_EXACT_SUM), WEFT_UNSUPPORTED, "matmul requires f32 or f64 elements, not i16");
    REFUSED(TYPED(WEFT_F64, WEFT_F32), WEFT_UNSUPPORTED, "matmul of f64 cannot accumulate in f32");
    REFUSED(TYPED(WEFT_F32, (weft_dtype)77), WEFT_UNSUPPORTED, "cannot accumulate in unknown");
#undef TYPED
#define WORDED(layout, ta, tb) \
    weft_matmul(ctx, layout, ta, tb, WEFT_F64, WEFT_DEFAULT, 2, 2, 2, NULL, a, 2, b, 2, NULL, c, 2)
    REFUSED(WORDED((weft_layout)2, NO, NO), WEFT_INVALID, "invalid layout 2");
    REFUSED(WORDED(ROWS, (weft_transpose)-1, NO), WEFT_INVALID, "invalid transpose -1 of A");
    REFUSED(WORDED(ROWS, NO, (weft_transpose)3), WEFT_INVALID, "invalid transpose 3 of B");
#undef WORDED
    EXPECT_ERROR(NULL, weft_matmul(NULL, ROWS, NO, NO, WEFT_F64, WEFT_DEFAULT, 1, 1, 1, NULL, a, 1, b, 1, NULL, c, 1),
                 WEFT_INVALID, "ctx is NULL");
}

static void memory(void) {
    REFUSED(PLAIN(2, 2, 2, NULL, 2, b, 2, c, 2), WEFT_INVALID, "A is NULL");
    REFUSED(PLAIN(2, 2, 2, a, 2, NULL, 2, c, 2), WEFT_INVALID, "B is NULL");
    REFUSED(PLAIN(2, 2, 2, a, 2, b, 2, NULL, 2), WEFT_INVALID, "C is NULL");
    REFUSED(PLAIN(2, 2, 2, (char *)a + 4, 2, b, 2, c, 2), WEFT_INVALID, "A is at");
    REFUSED(PLAIN(2, 2, 2, a, 2, b, 2, (char *)c + 1, 2), WEFT_INVALID, "not aligned to its 8-byte elements");
    REFUSED(PLAIN(3, 4, 5, a, 4, b, 4, c, 4), WEFT_INVALID,
            "invalid leading dimension 4 of A: it must be at least the row length 5");
    REFUSED(PLAIN(3, 4, 5, a, 5, b, 3, c, 4), WEFT_INVALID,
            "invalid leading dimension 3 of B: it must be at least the row length 4");
    REFUSED(PLAIN(3, 4, 5, a, 5, b, 4, c, 3), WEFT_INVALID,
            "invalid leading dimension 3 of C: it must be at least the row length 4");
    REFUSED(weft_matmul(ctx, COLUMNS, NO, NO, WEFT_F64, WEFT_DEFAULT, 3, 4, 5, NULL, a, 2, b, 5, NULL, c, 3),
            WEFT_INVALID, "invalid leading dimension 2 of A: it must be at least the row length 3");
    REFUSED(weft_matmul(ctx, ROWS, YES, NO, WEFT_F64, WEFT_DEFAULT, 3, 4, 5, NULL, a, 2, b, 4, NULL, c, 4),
            WEFT_INVALID, "invalid leading dimension 2 of A: it must be at least the row length 3");
    REFUSED(PLAIN(SIZE_MAX / 4, 2, 2, a, 2, b, 2, c, 2), WEFT_INVALID, "do not fit in memory");
    REFUSED(PLAIN(2, 2, SIZE_MAX / 2, a, SIZE_MAX / 2, b, 2, c, 2), WEFT_INVALID, "do not fit in memory");
    REFUSED(PLAIN(SIZE_MAX / 2, 2, 2, a, 3, b, 2, c, 2), WEFT_INVALID, "A: 1 matrices of");
}

static void overlap(void) {
    REFUSED(PLAIN(2, 2, 2, a, 2, b, 2, a, 2), WEFT_INVALID, "C (32 bytes at");
    REFUSED(PLAIN(2, 2, 2, a, 2, b, 2, b + 3, 2), WEFT_INVALID, "overlaps B");
    REFUSED(PLAIN(2, 2, 2, a + 1, 4, b, 2, a + 2, 4), WEFT_INVALID,
            "overlaps A"); /* A has columns 1, 2 and C has columns 2, 3 */
    REFUSED(PLAIN(2, 2, 2, a, 4, b, 2, a + 2, 5), WEFT_INVALID, "overlaps A"); /* C has other rows */
    /* A, B and C are columns 0, 1 and 2, 3 and 4, 5 of one matrix of ten columns */
    for (int i = 0; i < 100; i++) m[i] = i % 10 == 0 || i % 10 == 2 ? 1 : 0;
    TAKEN(PLAIN(3, 2, 2, m, 10, m + 2, 10, m + 4, 10));
    EXPECT(m[4] == 1 && m[5] == 0 && m[14] == 1 && m[24] == 1 && m[34] == 0 && m[6] == 0, "%g %g %g", m[4], m[5],
           m[34]);
    REFUSED(PLAIN(3, 2, 2, m, 10, m + 2, 10, m + 13, 10), WEFT_INVALID, "overlaps B");
    TAKEN(PLAIN(2, 2, 2, m + 60, 10, m + 60, 10, c, 2)); /* A and B are one matrix */
    TAKEN(PLAIN(2, 2, 2, a, 2, a + 2, 2, a + 6, 2));     /* adjacent matrices */
}

static void batches(void) {
#define BATCH(stride_a, stride_b, ldc, stride_c, batch)                                                           \
    weft_matmul_batched(ctx, ROWS, NO, NO, WEFT_F64, WEFT_DEFAULT, 2, 2, 2, NULL, a, 2, stride_a, b, 2, stride_b, \
                        NULL, c, ldc, stride_c, batch)
    REFUSED(BATCH(4, 4, 2, 3, 2), WEFT_INVALID, "the matrices of C overlap: their stride is 3 elements");
    REFUSED(BATCH(4, 4, 2, 0, 2), WEFT_INVALID, "the matrices of C overlap: their stride is 0");
    REFUSED(BATCH(4, 4, 5, 2, 3), WEFT_INVALID, "the matrices of C overlap: their stride is 2");
    REFUSED(BATCH(SIZE_MAX / 2, 4, 2, 4, 3), WEFT_INVALID, "A: 3 matrices of 2 rows");
    TAKEN(BATCH(4, 4, 2, 4, 2));
    TAKEN(BATCH(0, 0, 6, 2, 3)); /* matrices next to each other in rows of one matrix */
    TAKEN(BATCH(0, 0, 2, 0, 1));
    TAKEN(BATCH(0, 0, 2, 0, 0));
#undef BATCH
}

/* Tests empty products, and those that only need alpha and beta. */
static void nothing(void) {
    const double nan = NAN, two = 2, one = 1, zero = 0;
    double at[4] = {1, NAN, 3, 4};
#define SCALED(k, alpha, beta) \
    weft_matmul(ctx, ROWS, NO, NO, WEFT_F64, WEFT_DEFAULT, 2, 1, k, alpha, a, 8, b, 1, beta, at, 2)
    TAKEN(PLAIN(0, 5, 5, NULL, 5, NULL, 5, NULL, 5));
    TAKEN(PLAIN(5, 0, 5, NULL, 5, NULL, 0, NULL, 0));
    a[0] = nan;
    TAKEN(SCALED(0, NULL, &two));
    EXPECT(at[0] == 2 && isnan(at[1]) && at[2] == 6 && at[3] == 4, "%g %g %g %g", at[0], at[1], at[2], at[3]);
    TAKEN(SCALED(3, &zero, &one));
    EXPECT(at[0] == 2 && at[2] == 6, "beta = 1: %g %g", at[0], at[2]);
    at[0] = nan;
    TAKEN(SCALED(3, &zero, NULL));
    EXPECT(at[0] == 0 && at[2] == 0 && isnan(at[1]) && at[3] == 4, "%g %g %g %g", at[0], at[1], at[2], at[3]);
#undef SCALED
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (int i = 0; i < N; i++) a[i] = b[i] = i, c[i] = POISON;
    types();
    memory();
    for (int i = 0; i < N; i++) EXPECT(c[i] == POISON, "a call that failed wrote value %d of C", i);
    overlap();
    batches();
    nothing();
    weft_close(ctx);
    return expect_end();
}
