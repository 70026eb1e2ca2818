/* Tests Laplace sweeps with eigenmodes of the discrete operator, exact probabilities of random walks, NaN and faces.
 */
#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 64 * 64 * 64 };
static weft_context *ctx;
static double u[MOST], v[MOST];

static size_t at(size_t n, size_t i, size_t j, size_t k) { return i + n * (j + n * k); }

/* ------------------------------------------------------------------------------- eigenmodes */

static double wave(size_t n, size_t mode, size_t i) {
    return sin(3.14159265358979323846 * (double)(mode * i) / (double)(n - 1));
}

/* Checks that a product of sines that is 0 on the faces is multiplied by the mean of three cosines in each sweep. */
static void eigenmode(size_t n, size_t p, size_t q, size_t r, size_t sweeps) {
    const double pi = 3.14159265358979323846, h = pi / (double)(n - 1);
    const double rate = (cos((double)p * h) + cos((double)q * h) + cos((double)r * h)) / 3;
    double worst = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                const bool face = !i || !j || !k || i + 1 == n || j + 1 == n || k + 1 == n;
                u[at(n, i, j, k)] = face ? 0 : wave(n, p, i) * wave(n, q, j) * wave(n, r, k);
            }
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, n, n, n, sweeps, u, v, NULL), WEFT_OK);
    for (size_t i = 0; i < n * n * n; i++) worst = fmax(worst, fabs(v[i] - pow(rate, (double)sweeps) * u[i]));
    EXPECT(worst < 1e-14, "mode %zu %zu %zu of %zu^3 after %zu sweeps: off by %g", p, q, r, n, sweeps, worst);
}

/* --------------------------------------------------------------------------- random walks */

/* Fills with 1 on the faces and 0 inside. After k sweeps, u is the probability that a random walk has reached a face
 * within k steps. */
static void walks(weft_dtype dtype, size_t n) {
    for (size_t i = 0; i < n * n * n; i++) {
        const size_t x = i % n, y = i / n % n, z = i / n / n;
        const bool face = !x || !y || !z || x + 1 == n || y + 1 == n || z + 1 == n;
        if (dtype == WEFT_F32)
            ((float *)u)[i] = face;
        else
            u[i] = face;
    }
}

static double value(weft_dtype dtype, const void *p, size_t i) {
    return dtype == WEFT_F32 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

/* Checks exact integer multiples of 6^-n. The changes are those of a run in f64. */
static void probabilities(weft_dtype dtype) {
    static const struct {
        size_t sweeps, i, j, k;
        double chance;
    } rows[] = {{10, 1, 1, 1, 0.936410465249},   {10, 1, 1, 32, 0.837609575310},  {10, 1, 32, 32, 0.593034823304},
                {10, 32, 2, 32, 0.285248036853}, {10, 32, 32, 4, 0.032518147005}, {20, 1, 1, 1, 0.974410307546},
                {20, 32, 32, 1, 0.702063706757}, {20, 3, 32, 32, 0.251170309564}};
    static const struct {
        size_t sweeps;
        double change;
    } changes[] = {{1, 0.051006113}, {10, 0.010784171}};
    const double slack = dtype == WEFT_F32 ? 3e-7 : 2e-12;
    wide sum = 0;
    double change;
    walks(dtype, 64);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        EXPECT_STATUS(ctx, weft_laplace(ctx, dtype, 64, 64, 64, rows[i].sweeps, u, v, NULL), WEFT_OK);
        const double got = value(dtype, v, at(64, rows[i].i, rows[i].j, rows[i].k));
        EXPECT(fabs(got - rows[i].chance) < slack, "row %zu: %.12f, exact %.12f", i, got, rows[i].chance);
    }
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        EXPECT_STATUS(ctx, weft_laplace(ctx, dtype, 64, 64, 64, changes[i].sweeps, u, v, &change), WEFT_OK);
        EXPECT(fabs(change / changes[i].change - 1) < 5e-6, "change of sweep %zu: %.9f", changes[i].sweeps, change);
    }
    for (size_t i = 0; i < MOST; i++) sum += value(dtype, v, i);
    const double off = (double)(sum * 60466176 / 2829743923392 - 1); /* 6^10 times the sum is an integer */
    EXPECT(fabs(off) < (dtype == WEFT_F32 ? 1e-7 : 1e-15), "the sum is off by %g", off);
    EXPECT(value(dtype, v, at(64, 20, 20, 20)) == 0, "no walk comes so far in 10 steps");
}

/* ---------------------------------------------------------------------------- NaN and faces */

static size_t distance(size_t a, size_t b) { return a < b ? b - a : a - b; }

/* Checks that a NaN spreads by one step per sweep, with canonical bits. From an inner point it reaches the points of
 * matching parity. On a face it keeps its own bits and stays. */
static void not_a_number(void) {
    const size_t n = 17, sweeps = 5;
    const uint64_t own = UINT64_C(0xfff8000000001234), canonical = UINT64_C(0x7ff8000000000000);
    for (size_t i = 0; i < n * n * n; i++) u[i] = 1;
    memcpy(&u[at(n, 8, 8, 8)], &own, sizeof own);
    memcpy(&u[at(n, 0, 8, 8)], &own, sizeof own);
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, n, n, n, sweeps, u, v, NULL), WEFT_OK);
    EXPECT(memcmp(&v[at(n, 0, 8, 8)], &own, sizeof own) == 0, "a face keeps its bits");
    for (size_t k = 1; k + 1 < n; k++)
        for (size_t j = 1; j + 1 < n; j++)
            for (size_t i = 5; i + 1 < n; i++) {
                const size_t steps = distance(i, 8) + distance(j, 8) + distance(k, 8);
                const bool from_face = i + distance(j, 8) + distance(k, 8) <= sweeps;
                const bool wanted = (steps <= sweeps && steps % 2 == sweeps % 2) || from_face;
                const bool found = memcmp(&v[at(n, i, j, k)], &canonical, sizeof canonical) == 0;
                EXPECT(found == wanted, "NaN at %zu %zu %zu: %d, wanted %d", i, j, k, found, wanted);
            }
}

/* Checks grids that consist of faces only, and the order of the sums: (big + 1) - big is 0 and not 1. */
static void small(void) {
    const double grid[27] = {[13] = 7, [12] = 0x1p60, [14] = 1, [10] = -0x1p60, [16] = 3, [4] = 2, [22] = 1};
    double change = 5, out[27];
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, 27, 1, 1, 3, grid, out, &change), WEFT_OK);
    EXPECT(memcmp(grid, out, sizeof grid) == 0 && change == 0, "a row of points is all faces");
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, 3, 3, 3, 0, grid, out, &change), WEFT_OK);
    EXPECT(memcmp(grid, out, sizeof grid) == 0 && change == 0, "no sweeps");
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F64, 3, 3, 3, 1, grid, out, &change), WEFT_OK);
    EXPECT(out[13] == 1, "the order of the six terms: %a", out[13]);
    EXPECT(change == sqrt(36.0 / 27), "change %a", change);
}

/* Checks rows that are too long for several sweeps at a time: near both ends they equal those of a short grid. */
static void long_rows(void) {
    enum { LONG = 140003, SHORT = 64, SWEEPS = 5, NEAR = SHORT / 2 - SWEEPS };
    static float wide[9 * LONG], narrow[9 * SHORT];
    for (size_t row = 0; row < 9; row++) {
        for (size_t i = 0; i < LONG; i++) wide[row * LONG + i] = 1.0f / (float)(row + 2);
        for (size_t i = 0; i < SHORT; i++) narrow[row * SHORT + i] = 1.0f / (float)(row + 2);
    }
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F32, LONG, 3, 3, SWEEPS, wide, wide, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_laplace(ctx, WEFT_F32, SHORT, 3, 3, SWEEPS, narrow, narrow, NULL), WEFT_OK);
    for (size_t row = 0; row < 9; row++) {
        const float *w = wide + row * LONG, *n = narrow + row * SHORT;
        EXPECT(memcmp(w, n, NEAR * sizeof *w) == 0, "row %zu differs at its beginning", row);
        EXPECT(memcmp(w + LONG - NEAR, n + SHORT - NEAR, NEAR * sizeof *w) == 0, "row %zu differs at its end", row);
    }
    EXPECT(narrow[4 * SHORT + 1] != narrow[4 * SHORT + SHORT / 2], "the ends show");
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    eigenmode(33, 1, 1, 1, 50);
    eigenmode(33, 2, 1, 5, 7);
    eigenmode(20, 1, 3, 2, 13);
    probabilities(WEFT_F64);
    probabilities(WEFT_F32);
    not_a_number();
    small();
    long_rows();
    weft_close(ctx);
    return expect_end();
}
