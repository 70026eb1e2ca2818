/* Tests block-tridiagonal and pentadiagonal systems: the residual in 113-bit precision for matrices whose elimination
 * is stable, solutions in closed form, and the rules of ORDER.md 27 and 28 on lost pivots. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 9001, MAX = 4, BLOCK = MAX * MAX };
static weft_context *ctx;

/* A system with blocks of k rows: block i of a matrix begins at i * k * k. */
static struct {
    size_t k, n;
    bool periodic;
    double a[N * BLOCK], b[N * BLOCK], c[N * BLOCK], d[N * MAX], x[N * MAX];
} s;

/* Diagonals of a pentadiagonal system. */
static double diagonals[5][2 * N], right[2 * N], found[2 * N];

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------------------- solving */

/* Rounds the system to f32, and solves it in f32. */
static uint64_t solve_f32(void) {
    static float a[N * BLOCK], b[N * BLOCK], c[N * BLOCK], d[N * MAX];
    const size_t matrix = s.n * s.k * s.k, vector = s.n * s.k;
    uint64_t singular = 7;
    for (size_t i = 0; i < matrix; i++) {
        s.a[i] = (double)(a[i] = (float)s.a[i]);
        s.b[i] = (double)(b[i] = (float)s.b[i]);
        s.c[i] = (double)(c[i] = (float)s.c[i]);
    }
    for (size_t i = 0; i < vector; i++) s.d[i] = (double)(d[i] = (float)s.d[i]);
    EXPECT_STATUS(ctx,
                  weft_block_tridiag(ctx, s.periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, WEFT_F32, s.k, 1, s.n,
                                     (weft_lines){a, 1, 0}, (weft_lines){b, 1, 0}, (weft_lines){c, 1, 0},
                                     (weft_lines){d, 1, 0}, d, &singular),
                  WEFT_OK);
    for (size_t i = 0; i < vector; i++) s.x[i] = (double)d[i];
    return singular;
}

static uint64_t solve_f64(void) {
    uint64_t singular = 7;
    EXPECT_STATUS(ctx,
                  weft_block_tridiag(ctx, s.periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, WEFT_F64, s.k, 1, s.n,
                                     (weft_lines){s.a, 1, 0}, (weft_lines){s.b, 1, 0}, (weft_lines){s.c, 1, 0},
                                     (weft_lines){s.d, 1, 0}, s.x, &singular),
                  WEFT_OK);
    return singular;
}

static uint64_t solve_pentadiagonal(bool periodic, size_t n) {
    uint64_t singular = 7;
    weft_lines l[5];
    for (int j = 0; j < 5; j++) l[j] = (weft_lines){diagonals[j], 1, 0};
    EXPECT_STATUS(ctx,
                  weft_pentadiag(ctx, periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, WEFT_F64, 1, n, l[0], l[1], l[2],
                                 l[3], l[4], (weft_lines){right, 1, 0}, found, &singular),
                  WEFT_OK);
    return singular;
}

/* Returns max |A x - d| / (max_i sum_j |A[i][j]| max |x| + max |d|). */
static double residual(void) {
    const size_t k = s.k;
    wide rest = 0, matrix = 0, solution = 0, most = 0;
    for (size_t i = 0; i < s.n * k; i++) {
        const size_t row = i / k, up = (row ? row : s.n) - 1, down = row + 1 < s.n ? row + 1 : 0;
        wide sum = -(wide)s.d[i], size = 0;
        for (size_t j = 0; j < k; j++) {
            const wide a = s.periodic || row ? s.a[i * k + j] : 0, b = s.b[i * k + j];
            const wide c = s.periodic || row + 1 < s.n ? s.c[i * k + j] : 0;
            sum += a * (wide)s.x[up * k + j] + b * (wide)s.x[row * k + j] + c * (wide)s.x[down * k + j];
            size += oracle_magnitude(a) + oracle_magnitude(b) + oracle_magnitude(c);
        }
        if (oracle_magnitude(sum) > rest || sum != sum) rest = oracle_magnitude(sum);
        if (size > matrix) matrix = size;
        if (oracle_magnitude((wide)s.x[i]) > solution) solution = oracle_magnitude((wide)s.x[i]);
        if (oracle_magnitude((wide)s.d[i]) > most) most = oracle_magnitude((wide)s.d[i]);
    }
    return (double)(rest / (matrix * solution + most));
}

/* ------------------------------------------------------------------------------- accuracy */

static uint64_t drawn;

/* Returns a random number in [-1, 1]. */
static double draw(void) {
    double value;
    input_fill(INPUT_UNIFORM, WEFT_F64, ++drawn, 1, &value);
    return 2 * value - 1;
}

static double row_norm(const double *m, size_t k) {
    double most = 0;
    for (size_t i = 0; i < k; i++) {
        double sum = 0;
        for (size_t j = 0; j < k; j++) sum += fabs(m[i * k + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* Fills diagonal blocks that require pivoting: a permutation of the identity plus a small matrix. The other blocks of
 * a row have norms that sum to 1 / norm(b^-1), up to the small matrix. */
static void fill_dominant(void) {
    const size_t k = s.k, kk = k * k;
    for (size_t i = 0; i < s.n; i++) {
        double *a = s.a + i * kk, *b = s.b + i * kk, *c = s.c + i * kk;
        for (size_t j = 0; j < kk; j++) a[j] = draw(), b[j] = 0.05 * draw() / (double)k, c[j] = draw();
        for (size_t j = 0; j < k; j++) b[j * k + (j + i) % k] += 1;
        const double sum = (row_norm(a, k) + row_norm(c, k)) / 0.94;
        for (size_t j = 0; j < kk; j++) a[j] /= sum, c[j] /= sum;
    }
}

/* Fills a matrix L D L^T: L has unit blocks on its diagonal and random blocks below, D = M M^T + `least` I. */
static void fill_definite(double least) {
    const size_t k = s.k, kk = k * k;
    double before[BLOCK] = {0};
    for (size_t i = 0; i < s.n; i++) {
        double m[BLOCK], d[BLOCK], l[BLOCK], *a = s.a + i * kk, *b = s.b + i * kk;
        for (size_t j = 0; j < kk; j++) m[j] = draw(), l[j] = draw();
        for (size_t r = 0; r < k; r++)
            for (size_t q = 0; q < k; q++) {
                double sum = r == q ? least : 0, left = 0;
                for (size_t j = 0; j < k; j++)
                    sum += m[r * k + j] * m[q * k + j], left += l[r * k + j] * before[j * k + q];
                d[r * k + q] = sum;
                a[r * k + q] = left;
                if (i > 0) s.c[(i - 1) * kk + q * k + r] = left;
            }
        for (size_t r = 0; r < k; r++)
            for (size_t q = 0; q < k; q++) {
                double sum = d[r * k + q];
                for (size_t j = 0; j < k; j++) sum += a[r * k + j] * l[q * k + j];
                b[r * k + q] = sum;
            }
        memcpy(before, d, sizeof before);
    }
}

/* Fills the pairs of rows of a biharmonic operator with the diagonal 6 + h: the condition number is up to 16 / h. */
static void fill_biharmonic(double h) {
    const double a[] = {1, -4, 0, 1}, b[] = {6 + h, -4, -4, 6 + h}, c[] = {1, 0, -4, 1};
    for (size_t i = 0; i < s.n * 4; i++) s.a[i] = a[i % 4], s.b[i] = b[i % 4], s.c[i] = c[i % 4];
}

static void check_residual(bool single, const char *what) {
    for (size_t i = 0; i < s.n * s.k; i++) s.d[i] = draw();
    const uint64_t singular = single ? solve_f32() : solve_f64();
    const double error = residual() / (single ? (double)FLT_EPSILON : DBL_EPSILON);
    EXPECT(singular == UINT64_MAX && error <= 16, "%s, %s, %s, k = %zu, n = %zu: residual %.3g eps, row %" PRIu64,
           what, single ? "f32" : "f64", s.periodic ? "periodic" : "open", s.k, s.n, error, singular);
}

/* Checks that the residual is a few eps of the norms. */
static void accuracy(void) {
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 40, 41, 64, 257, 1000, N};
    static const double shifts[] = {1, 1e-4, 1e-8, 1e-12};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int kind = 0; kind < 4; kind++) {
            s.n = sizes[i], s.periodic = kind & 1;
            for (s.k = 2; s.k <= MAX; s.k++) {
                fill_dominant();
                check_residual(kind & 2, "dominant");
                for (int l = 0; l < 2 && !s.periodic; l++) {
                    fill_definite(l ? 0.001 : 1);
                    check_residual(kind & 2, "L D L^T");
                }
            }
            s.k = 2;
            for (size_t h = 0; h < (kind & 2 ? 2 : COUNT(shifts)); h++) {
                if (s.periodic && s.n < 3) continue; /* opposite entries add up */
                fill_biharmonic(shifts[h]);
                check_residual(kind & 2, "biharmonic");
            }
        }
}

/* ------------------------------------------------------------------------- pentadiagonal systems */

/* Checks a pentadiagonal system against the same system of blocks. Odd lengths end with a row x = 0. */
static void pairs(void) {
    static const size_t sizes[] = {1,  2,  3,  4,  5,  15, 16,  17,        18,       63,
                                   64, 65, 66, 79, 80, 81, 529, 2 * N - 2, 2 * N - 3};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (int periodic = 0; periodic < 2; periodic++) {
            const size_t n = sizes[i];
            if (periodic && n % 2) continue;
            s.k = 2, s.n = (n + 1) / 2, s.periodic = periodic;
            for (size_t r = 0; r < n; r++) {
                for (int j = 0; j < 5; j++) {
                    const bool inside = periodic || (r + (size_t)j >= 2 && r + (size_t)j < n + 2);
                    diagonals[j][r] = inside ? draw() + 5 * (j == 2) : NAN;
                }
                right[r] = draw();
            }
            for (size_t r = 0; r < 2 * s.n; r++) {
                double v[5] = {0, 0, 1, 0, 0};
                for (int j = 0; j < 5 && r < n; j++) v[j] = isnan(diagonals[j][r]) ? 0 : diagonals[j][r];
                double *const a = s.a + 2 * r, *const b = s.b + 2 * r, *const c = s.c + 2 * r;
                const bool low = r % 2;
                a[0] = low ? 0 : v[0], a[1] = low ? v[0] : v[1];
                b[0] = low ? v[1] : v[2], b[1] = low ? v[2] : v[3];
                c[0] = low ? v[3] : v[4], c[1] = low ? v[4] : 0;
                s.d[r] = r < n ? right[r] : 0;
            }
            const uint64_t rows = solve_pentadiagonal(periodic, n), blocks = solve_f64();
            EXPECT(rows == UINT64_MAX && blocks == UINT64_MAX, "n = %zu: rows %" PRIu64 ", %" PRIu64, n, rows,
                   blocks);
            EXPECT(memcmp(found, s.x, n * sizeof *found) == 0, "n = %zu: not the bits of the blocks", n);
        }
}

/* Checks a wave, a mode of the periodic biharmonic operator: it is multiplied by 1 / (1 + (2 - 2 cos(2 pi / n))^2).
 */
static void modes(void) {
    static const size_t sizes[] = {4, 6, 16, 64, 66, 500, 1024, 9000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const size_t n = sizes[i];
        const double angle = 2 * acos(-1) / (double)n, second = 2 - 2 * cos(angle),
                     shrink = 1 / (1 + second * second);
        static const double stencil[] = {1, -4, 7, -4, 1};
        double error = 0;
        for (size_t r = 0; r < n; r++) {
            for (int j = 0; j < 5; j++) diagonals[j][r] = stencil[j];
            right[r] = cos(angle * (double)r);
        }
        EXPECT(solve_pentadiagonal(true, n) == UINT64_MAX, "n = %zu is singular", n);
        for (size_t r = 0; r < n; r++) error = fmax(error, fabs(found[r] - shrink * right[r]));
        EXPECT(error < 32 * DBL_EPSILON, "a wave of %zu rows is off by %g", n, error);
    }
}

/* ---------------------------------------------------------------------------------- lost pivots */

static void plain(size_t k, size_t n) {
    s.k = k, s.n = n, s.periodic = false;
    for (size_t i = 0; i < n * k * k; i++) {
        const bool diagonal = i % (k * k) % (k + 1) == 0;
        s.a[i] = s.c[i] = -diagonal, s.b[i] = diagonal ? 4 : 0.125;
    }
    for (size_t i = 0; i < n * k; i++) s.d[i] = (double)(i % 7);
}

/* Checks block rows that lose their pivot: two equal rows in a block, at each position of a chunk, and separators. */
static void singular_blocks(void) {
    static const size_t sizes[] = {1, 2, 8, 32, 33, 64, 257, 9000},
                        rows[] = {0, 1, 6, 7, 8, 31, 32, 63, 64, 255, 8999};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t j = 0; j < COUNT(rows) && rows[j] < sizes[i]; j++)
            for (size_t k = 2; k <= MAX; k++) {
                const size_t n = sizes[i], row = rows[j], kk = k * k;
                plain(k, n); /* the row is coupled to no other */
                for (size_t e = 0; e < kk; e++) {
                    s.a[row * kk + e] = s.c[row * kk + e] = 0;
                    s.b[row * kk + e] = e < k || e >= kk - k ? 0.1 * (double)(e % k + 1) : s.b[row * kk + e];
                    if (row > 0) s.c[(row - 1) * kk + e] = 0;
                    if (row + 1 < n) s.a[(row + 1) * kk + e] = 0;
                }
                const uint64_t reported = solve_f64();
                EXPECT(reported == row, "k = %zu, n = %zu: row %zu is singular, reported %" PRIu64, k, n, row,
                       reported);
                EXPECT(isnan(s.x[row * k]), "k = %zu, n = %zu: x[%zu] = %g without a pivot", k, n, row, s.x[row * k]);
            }
}

/* Checks that a block with a zero on its diagonal is solved, that tiny pivots of tiny rows are accepted, and that a
 * pivot that keeps one digit is not lost. */
static void pivots(void) {
    plain(2, 40);
    for (size_t i = 0; i < 40; i++) s.b[4 * i] = s.b[4 * i + 3] = 0, s.b[4 * i + 1] = s.b[4 * i + 2] = 4;
    EXPECT(solve_f64() == UINT64_MAX && residual() < 4 * DBL_EPSILON, "a permuted block is singular");
    plain(3, 40);
    for (size_t i = 0; i < 40 * 3; i++) {
        const double scale = i % 3 ? 1e-300 : 1e300;
        for (size_t j = 0; j < 3; j++) s.a[3 * i + j] *= scale, s.b[3 * i + j] *= scale, s.c[3 * i + j] *= scale;
        s.d[i] *= scale;
    }
    EXPECT(solve_f64() == UINT64_MAX, "scaled rows are singular");
    plain(2, 1);
    s.b[0] = s.b[1] = s.b[2] = 1;
    s.b[3] = 1 + 4 * DBL_EPSILON;
    EXPECT(solve_f64() == UINT64_MAX, "the rows of a block are almost the same");
    s.b[3] = 1;
    EXPECT(solve_f64() == 0, "the rows of a block are the same");
    for (size_t i = 0; i < 9; i++)
        for (int j = 0; j < 5; j++) diagonals[j][i] = j == 2 && i != 5, right[i] = 1;
    EXPECT(solve_pentadiagonal(false, 9) == 4, "row 5 is in the pair of row 4");
}

/* Checks that the ends of an open system are not read, and that other values that are not finite are reported at the
 * first x that shows them. */
static void odd_values(void) {
    static const size_t sizes[] = {1, 2, 32, 33, 300, 9000};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 2; k <= MAX; k++) {
            const size_t n = sizes[i];
            plain(k, n);
            for (size_t j = 0; j < k * k; j++) s.a[j] = NAN, s.c[(n - 1) * k * k + j] = INFINITY;
            EXPECT(solve_f64() == UINT64_MAX, "k = %zu, n = %zu: the ends are used", k, n);
            plain(k, n);
            s.d[n / 2 * k + 1] = NAN;
            const uint64_t row = solve_f64();
            EXPECT(row < n, "k = %zu, n = %zu: a NaN in d, reported %" PRIu64, k, n, row);
            bool finite = false;
            for (size_t j = 0; j < n * k && row < n; j++) {
                finite = j % k == 0 || finite ? isfinite(s.x[j]) : false;
                if (j % k == k - 1 && j / k <= row)
                    EXPECT(finite == (j / k < row), "k = %zu, n = %zu: x of row %zu", k, n, j / k);
            }
        }
}

/* --------------------------------------------------------------------------------------- layouts */

/* Checks many different systems, contiguous and interleaved, two of which fail: all layouts have the bits of each
 * system alone. */
static void layouts(size_t k, size_t systems, size_t n) {
    const size_t kk = k * k, all = systems * n, last = systems - 1;
    double *const arrays[] = {s.a, s.b, s.c, s.d};
    double *other[4], *x = malloc(all * k * sizeof *x), *y = malloc(all * k * sizeof *y);
    uint64_t first, second, alone;
    s.k = k, s.n = all;
    fill_dominant();
    for (size_t i = 0; i < all * k; i++) s.d[i] = draw();
    for (size_t f = last / 2; f < systems; f += (last + 1) / 2)
        memset(s.b + (f * n + n / 3) * kk, 0, kk * sizeof *s.b);
    for (int j = 0; j < 4; j++) {
        const size_t values = j < 3 ? kk : k;
        other[j] = malloc(all * values * sizeof *other[j]);
        for (size_t i = 0; i < all; i++)
            memcpy(other[j] + (i % n * systems + i / n) * values, arrays[j] + i * values, values * sizeof *other[j]);
    }
    weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, k, systems, n, (weft_lines){s.a, 1, n}, (weft_lines){s.b, 1, n},
                       (weft_lines){s.c, 1, n}, (weft_lines){s.d, 1, n}, x, &first);
    weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, k, systems, n, (weft_lines){other[0], systems, 1},
                       (weft_lines){other[1], systems, 1}, (weft_lines){other[2], systems, 1},
                       (weft_lines){other[3], systems, 1}, y, &second);
    EXPECT(first == second, "%zu systems of %zu: %" PRIu64 " and %" PRIu64, systems, n, first, second);
    for (size_t i = 0; i < all; i++)
        if (memcmp(x + i * k, y + (i % n * systems + i / n) * k, k * sizeof *x) != 0) {
            EXPECT(false, "%zu systems of %zu differ interleaved in system %zu, row %zu", systems, n, i / n, i % n);
            break;
        }
    for (size_t i = 0; i < systems; i += 5) {
        weft_lines l[4];
        for (int j = 0; j < 4; j++) l[j] = (weft_lines){arrays[j] + i * n * (j < 3 ? kk : k), 1, 0};
        weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, k, 1, n, l[0], l[1], l[2], l[3], y, &alone);
        EXPECT(memcmp(x + i * n * k, y, n * k * sizeof *x) == 0, "system %zu of %zu of %zu differs alone", i, systems,
               n);
    }
    for (int j = 0; j < 4; j++) free(other[j]);
    free(x);
    free(y);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    accuracy();
    pairs();
    modes();
    singular_blocks();
    pivots();
    odd_values();
    for (size_t k = 2; k <= MAX; k++) {
        layouts(k, 37, 64);
        layouts(k, 40, 17);
        layouts(k, 3, 1000);
        layouts(k, 20, 300);
    }
    weft_close(ctx);
    return expect_end();
}
