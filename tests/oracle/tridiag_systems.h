/* Systems of equations, and checks of their solutions, for the oracles of weft_tridiag and weft_tridiag_pivot. The
 * includer defines TESTED, the function that is tested. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 20557, CAPACITY = 4 * N };
static weft_context *ctx;
static double f64[5][CAPACITY]; /* a, b, c, d, x */
static float f32[5][CAPACITY];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void *array(weft_dtype dtype, int i) { return dtype == WEFT_F32 ? (void *)f32[i] : f64[i]; }
static weft_lines lines(weft_dtype dtype, int i) { return (weft_lines){array(dtype, i), 1, N}; }
static double real(weft_dtype dtype, int k, size_t i) { return dtype == WEFT_F32 ? (double)f32[k][i] : f64[k][i]; }

static uint64_t solve(weft_dtype dtype, weft_boundary boundary, size_t n) {
    uint64_t singular = 7;
    EXPECT_STATUS(ctx,
                  TESTED(ctx, boundary, dtype, 1, n, lines(dtype, 0), lines(dtype, 1), lines(dtype, 2),
                         lines(dtype, 3), array(dtype, 4), &singular),
                  WEFT_OK);
    return singular;
}

/* Returns a random number in [-1, 1]. */
static double draw(uint64_t seed, size_t i) {
    double value;
    input_fill(INPUT_UNIFORM, WEFT_F64, seed * N + i, 1, &value);
    return 2 * value - 1;
}

/* Returns the largest |a x[i-1] + b x[i] + c x[i+1] - d| / ((largest |a| + |b| + |c|) (largest |x|)). */
static double residual(weft_dtype dtype, bool periodic, size_t n) {
    wide rest = 0, matrix = 0, solution = 0;
    for (size_t i = 0; i < n; i++) {
        const wide a = periodic || i ? real(dtype, 0, i) : 0, c = periodic || i + 1 < n ? real(dtype, 2, i) : 0;
        const wide b = real(dtype, 1, i), x = real(dtype, 4, i);
        const wide r = a * (wide)real(dtype, 4, i ? i - 1 : n - 1) + b * x +
                       c * (wide)real(dtype, 4, i + 1 < n ? i + 1 : 0) - (wide)real(dtype, 3, i);
        const wide row = oracle_magnitude(a) + oracle_magnitude(b) + oracle_magnitude(c);
        if (oracle_magnitude(r) > rest || r != r) rest = oracle_magnitude(r);
        if (row > matrix) matrix = row;
        if (oracle_magnitude(x) > solution) solution = oracle_magnitude(x);
    }
    return (double)(rest / (matrix * solution));
}

static void plain(size_t n) {
    for (size_t i = 0; i < n; i++) {
        f64[0][i] = f64[2][i] = -1, f64[1][i] = 4;
        f64[3][i] = (double)(i % 7);
    }
}

/* Checks that the ends of an open system are not read, and that other values that are not finite are reported at the
 * first x that shows them. */
static void odd_values(void) {
    static const size_t sizes[] = {1, 2, 32, 33, 530, 9000};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        plain(n);
        f64[0][0] = NAN, f64[2][n - 1] = INFINITY;
        EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, n) == UINT64_MAX, "n = %zu: the ends are used", n);
        plain(n);
        f64[3][n / 2] = NAN;
        const uint64_t found = solve(WEFT_F64, WEFT_OPEN_ENDS, n);
        EXPECT(found < n && isnan(f64[4][found]), "n = %zu: a NaN in d, reported %" PRIu64, n, found);
        for (size_t i = 0; i < found && i < n; i++) EXPECT(isfinite(f64[4][i]), "x[%zu] = %g", i, f64[4][i]);
    }
    uint64_t none = 7;
    EXPECT_STATUS(ctx,
                  TESTED(ctx, WEFT_OPEN_ENDS, WEFT_F64, 0, 9, lines(WEFT_F64, 0), lines(WEFT_F64, 1),
                         lines(WEFT_F64, 2), lines(WEFT_F64, 3), f64[4], &none),
                  WEFT_OK);
    EXPECT(none == UINT64_MAX, "no systems: row %" PRIu64, none);
}

/* Solves the systems in the arrays contiguous and interleaved, and some alone. The bits must be the same. */
static void compare_layouts(weft_dtype dtype, size_t systems, size_t n) {
    const size_t size = weft_dtype_size(dtype), all = systems * n;
    const weft_lines contiguous[] = {{array(dtype, 0), 1, n}, {array(dtype, 1), 1, n}, {array(dtype, 2), 1, n}};
    char *other[4], *x = malloc(all * size), *y = malloc(all * size);
    uint64_t first, second, alone;
    for (int k = 0; k < 4; k++) {
        other[k] = malloc(all * size);
        for (size_t i = 0; i < all; i++)
            memcpy(other[k] + (i % n * systems + i / n) * size, (char *)array(dtype, k) + i * size, size);
    }
    TESTED(ctx, WEFT_OPEN_ENDS, dtype, systems, n, contiguous[0], contiguous[1], contiguous[2],
           (weft_lines){array(dtype, 3), 1, n}, x, &first);
    TESTED(ctx, WEFT_OPEN_ENDS, dtype, systems, n, (weft_lines){other[0], systems, 1},
           (weft_lines){other[1], systems, 1}, (weft_lines){other[2], systems, 1}, (weft_lines){other[3], systems, 1},
           y, &second);
    EXPECT(first == second, "%zu systems of %zu: %" PRIu64 " and %" PRIu64, systems, n, first, second);
    for (size_t i = 0; i < all; i++)
        if (memcmp(x + i * size, y + (i % n * systems + i / n) * size, size) != 0) {
            EXPECT(false, "%zu systems of %zu differ interleaved in system %zu, row %zu", systems, n, i / n, i % n);
            break;
        }
    for (size_t s = 0; s < systems; s += 5) {
        const weft_lines d = {(char *)array(dtype, 3) + s * n * size, 1, n};
        TESTED(ctx, WEFT_OPEN_ENDS, dtype, 1, n, (weft_lines){(char *)array(dtype, 0) + s * n * size, 1, 0},
               (weft_lines){(char *)array(dtype, 1) + s * n * size, 1, 0},
               (weft_lines){(char *)array(dtype, 2) + s * n * size, 1, 0}, d, y, &alone);
        EXPECT(memcmp(x + s * n * size, y, n * size) == 0, "system %zu of %zu of %zu differs alone", s, systems, n);
    }
    for (int k = 0; k < 4; k++) free(other[k]);
    free(x);
    free(y);
}
