/* Compares matrix products with products in 113-bit precision, and tests the rules of ORDER.md 13 as literal
 * expectations, and that layout, transposes, leading dimensions and batches do not change the result. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static weft_context *ctx;

static void call(weft_dtype dtype, weft_dtype accumulate, size_t m, size_t n, size_t k, const void *a, const void *b,
                 void *c) {
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, m, n, k,
                              NULL, a, k, b, n, NULL, c, n),
                  WEFT_OK);
}

/* ------------------------------------------------------------------------------- accuracy */

/* Checks |c - exact| <= K eps/2 sum |a b|, where K is the number of roundings of a chain and of the combination of
 * parts (docs/ops/matmul.md). If f32 is accumulated in f64, c is rounded once more. */
static void check_bound(weft_dtype dtype, weft_dtype accumulate, input_kind kind, size_t m, size_t n, size_t k) {
    const size_t size = weft_dtype_size(dtype);
    void *a = malloc(m * k * size), *b = malloc(k * n * size), *c = malloc(m * n * size);
    const bool narrow = dtype == WEFT_F32 && accumulate == WEFT_DEFAULT;
    const double unit = (narrow ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    const double last = dtype == WEFT_F32 && !narrow ? (double)FLT_EPSILON / 2 : 0;
    const double steps = (double)k + 22;
    input_fill(kind, dtype, 3, m * k, a);
    input_fill(kind, dtype, 4, k * n, b);
    call(dtype, accumulate, m, n, k, a, b, c);
    for (size_t e = 0; e < m * n; e++) {
        wide sum = 0, magnitudes = 0;
        for (size_t l = 0; l < k; l++) {
            const wide term = oracle_element(dtype, a, e / n * k + l) * oracle_element(dtype, b, l * n + e % n);
            sum += term;
            magnitudes += oracle_magnitude(term);
        }
        const wide found = oracle_element(dtype, c, e);
        const wide bound = steps * unit * magnitudes + last * oracle_magnitude(sum) * 1.000001;
        if (oracle_magnitude(found - sum) <= bound) continue;
        EXPECT(false, "%s, %zu x %zu x %zu, input %s: value %zu is %a, exact %a, bound %g", weft_dtype_name(dtype), m,
               n, k, input_name(kind), e, (double)found, (double)sum, (double)bound);
        break;
    }
    EXPECT(m * n > 0, "nothing was checked");
    free(a);
    free(b);
    free(c);
}

static void accuracy(void) {
    static const size_t shapes[][3] = {{1, 1, 1},     {3, 5, 7},    {17, 33, 65},
                                       {40, 50, 129}, {2, 3, 5000}, {1, 40, 3000}};
    static const input_kind kinds[] = {INPUT_MIXED, INPUT_UNIFORM, INPUT_CANCEL, INPUT_NEAR_ONE};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            const size_t *d = shapes[s];
            check_bound(WEFT_F32, WEFT_DEFAULT, kinds[i], d[0], d[1], d[2]);
            check_bound(WEFT_F32, WEFT_F64, kinds[i], d[0], d[1], d[2]);
            check_bound(WEFT_F64, WEFT_DEFAULT, kinds[i], d[0], d[1], d[2]);
        }
}

/* Checks that f32 accumulated in f64 gives, for uniform values, the f32 nearest to the exact sum or an adjacent one.
 */
static void nearly_exact(void) {
    enum { SIDE = 30, K = 700 };
    static float a[SIDE * K], b[K * SIDE], c[SIDE * SIDE];
    size_t nearest = 0;
    input_fill(INPUT_UNIFORM, WEFT_F32, 1, SIDE * K, a);
    input_fill(INPUT_UNIFORM, WEFT_F32, 2, SIDE * K, b);
    call(WEFT_F32, WEFT_F64, SIDE, SIDE, K, a, b, c);
    for (size_t e = 0; e < SIDE * SIDE; e++) {
        wide sum = 0;
        for (size_t l = 0; l < K; l++) sum += (wide)a[e / SIDE * K + l] * (wide)b[l * SIDE + e % SIDE];
        const float best = (float)sum;
        EXPECT(fabsf(c[e] - best) <= nextafterf(best, INFINITY) - best, "value %zu: %a for %a", e, (double)c[e],
               (double)best);
        nearest += c[e] == best;
    }
    EXPECT(nearest >= SIDE * SIDE - 2, "%zu of %d are the nearest", nearest, SIDE * SIDE);
}

/* ---------------------------------------------------------------------- layouts and batches */

/* Checks that products in column-major order, transposed, with padding and in a batch have the bits of the plain
 * product. */
static void check_layouts(weft_dtype dtype, weft_dtype accumulate, size_t m, size_t n, size_t k) {
    const size_t size = weft_dtype_size(dtype), lda = k + 3, ldb = n + 5, ldc = m + 2;
    char *a = malloc(m * lda * size), *b = malloc(k * ldb * size), *at = malloc(lda * m * size);
    char *plain = malloc(m * n * size), *c = malloc(2 * n * ldc * size);
    input_fill(INPUT_MIXED, dtype, 1, m * lda, a);
    input_fill(INPUT_MIXED, dtype, 2, k * ldb, b);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) memcpy(at + (l * m + i) * size, a + (i * lda + l) * size, size);
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, m, n, k,
                              NULL, a, lda, b, ldb, NULL, plain, n),
                  WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, m, n, k,
                              NULL, at, m, b, ldb, NULL, c, n),
                  WEFT_OK);
    EXPECT(memcmp(plain, c, m * n * size) == 0, "%zu x %zu x %zu of %s: A transposed", m, n, k,
           weft_dtype_name(dtype));
    /* column-major: at is m x k with lda m, the rows of b are its columns; two matrices */
    memset(c, 0x5a, 2 * n * ldc * size);
    EXPECT_STATUS(ctx,
                  weft_matmul_batched(ctx, WEFT_COLUMN_MAJOR, WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, dtype, accumulate, m,
                                      n, k, NULL, at, m, 0, b, ldb, 0, NULL, c, ldc, n * ldc, 2),
                  WEFT_OK);
    for (size_t item = 0; item < 2; item++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < n; j++)
                if (memcmp(plain + (i * n + j) * size, c + (item * n * ldc + j * ldc + i) * size, size) != 0) {
                    EXPECT(false, "%zu x %zu x %zu of %s: by columns, [%zu, %zu]", m, n, k, weft_dtype_name(dtype), i,
                           j);
                    i = m;
                    break;
                }
    for (size_t j = 0; j < 2 * n; j++)
        for (size_t p = m * size; p < ldc * size; p++)
            EXPECT((unsigned char)c[j * ldc * size + p] == 0x5a, "padding of column %zu was written", j);
    free(a), free(b), free(at), free(plain), free(c);
}

static void layouts(void) {
    static const size_t shapes[][3] = {{1, 1, 1}, {1, 9, 30}, {9, 1, 2000}, {7, 11, 13}, {33, 50, 17}, {4, 3, 4100}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        check_layouts(WEFT_F32, WEFT_DEFAULT, shapes[s][0], shapes[s][1], shapes[s][2]);
        check_layouts(WEFT_F32, WEFT_F64, shapes[s][0], shapes[s][1], shapes[s][2]);
        check_layouts(WEFT_F64, WEFT_DEFAULT, shapes[s][0], shapes[s][1], shapes[s][2]);
    }
}

/* --------------------------------------------------------------------------------- literals */

static double product_of(const double *a, const double *b, size_t m, size_t n, size_t k) {
    double *c = malloc(m * n * sizeof *c);
    call(WEFT_F64, WEFT_DEFAULT, m, n, k, a, b, c);
    const double first = c[0];
    free(c);
    return first;
}

static double scaled(double alpha, const double *a, const double *b, double beta, double c, size_t k) {
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F64, WEFT_DEFAULT, 1, 1,
                              k, &alpha, a, k ? k : 1, b, 1, &beta, &c, 1),
                  WEFT_OK);
    return c;
}

static bool is(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* ORDER.md 13.1: fused, from +0, in the order of k. ORDER.md 13.3: alpha and beta. */
static void rules(void) {
    const double h = 0x1p-53, one[] = {1, 1, 1}, big[] = {1, h, h}, small[] = {h, h, 1};
    const double u[] = {-1, 1 + 0x1p-30}, v[] = {1 + 0x1p-29, 1 + 0x1p-30};
    const double zero[] = {-0.0, 0.0}, minus[] = {-0.0, -0.0}, nan[] = {NAN, NAN};
    EXPECT(is(product_of(big, one, 1, 1, 3), 1), "k is taken upwards");
    EXPECT(is(product_of(small, one, 1, 1, 3), 1 + 2 * h), "k is taken upwards");
    EXPECT(is(product_of(u, v, 1, 1, 2), 0x1p-60), "products are fused");
    EXPECT(is(product_of(minus, one, 1, 1, 2), 0.0), "a chain starts from +0");
    EXPECT(is(scaled(1, zero, nan, 0, 5, 0), 0.0) && is(scaled(0, nan, nan, 0, NAN, 2), 0.0), "nothing gives +0");
    EXPECT(is(scaled(0, nan, nan, -2, 3, 2), -6) && is(scaled(7, nan, nan, 0.5, -0.0, 0), -0.0), "beta c alone");
    EXPECT(is(scaled(0, nan, nan, 1, -0.0, 2), -0.0), "beta = 1 leaves C");
    EXPECT(is(scaled(1, one, one, 0, NAN, 3), 3), "beta = 0 does not read C");
    EXPECT(is(scaled(-1, minus, one, 0, 1, 2), -0.0), "alpha s keeps its sign");
    EXPECT(is(scaled(1 + 0x1p-30, v + 1, one, -1, 1 + 0x1p-29, 1), 0x1p-60), "alpha s is fused to beta c");
    EXPECT(is(scaled(1, one, nan, 1, 1, 1), NAN) && !signbit(scaled(1, one, nan, 1, 1, 1)), "a NaN is canonical");
}

/* ORDER.md 13.2: checks where parts begin. Small terms at the start of a later part are added up separately, so they
 * are not lost. */
static void check_parts(size_t m, size_t n, size_t k, size_t part) {
    double *a = calloc(m * k, sizeof *a), *b = calloc(k * n, sizeof *b);
    const double h = 0x1p-53;
    for (size_t l = 0; l < k; l++) b[l * n] = 1;
    a[0] = 1;
    a[part - 1] = h; /* lost when added to the 1 of the first part */
    if (part + 1 < k) a[part] = a[part + 1] = h;
    const double wanted = part + 1 < k ? 1 + 2 * h : 1;
    const double found = product_of(a, b, m, n, k);
    EXPECT(is(found, wanted), "%zu x %zu x %zu, parts of %zu: %a, wanted %a", m, n, k, part, found, wanted);
    free(a);
    free(b);
}

static void parts(void) {
    check_parts(2, 2, 1024, 1024);
    check_parts(2, 2, 1026, 1024);
    check_parts(2, 3, 5000, 1024);
    check_parts(1, 1, 258, 256);
    check_parts(1, 5, 3000, 256);
    check_parts(300, 1, 300000, 512);    /* 586 parts of 512, 1172 of 256; the limit is 2^18 / 300 = 873 */
    check_parts(1024, 1024, 5120, 2048); /* 3 parts of 2048, 5 of 1024; the limit is 4 */
    check_parts(2048, 2049, 1100, 1100); /* more than 2^22 values: one part */
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    accuracy();
    nearly_exact();
    layouts();
    rules();
    if (argc > 1 && strcmp(argv[1], "ref") != 0) parts(); /* the specification would take minutes */
    weft_close(ctx);
    return expect_end();
}
