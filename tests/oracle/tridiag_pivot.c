/* Checks the backward error of weft_tridiag_pivot, which must be that of elimination with partial pivoting for every
 * matrix; exact solutions; the rows that are reported; and the layouts of systems. */
#define TESTED weft_tridiag_pivot
#include "tests/oracle/tridiag_systems.h"

typedef enum family {
    RANDOM,
    HOLLOW,      /* the diagonal is 0 */
    TOEPLITZ,    /* 1, 0.3, 1: not definite */
    SPREAD,      /* exponents of the entries from -30 to 30 */
    SPREAD_ROWS, /* exponents of the rows from -30 to 30 */
    NEUMANN,     /* -1, 2, -1, singular except for one entry */
    GRADED,      /* the diagonal is 2^-20 of the other entries */
    SPARSE,      /* most entries are 0 or 1 */
    FAMILIES
} family;
static const char *const NAMES[] = {"random",      "b = 0",   "Toeplitz", "spread",
                                    "rows spread", "Neumann", "small b",  "entries 0 and 1"};

static void fill_family(family f, bool periodic, uint64_t seed, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double row[4];
        for (uint64_t k = 0; k < 4; k++) row[k] = draw(5 * seed + k, i);
        const double other = draw(5 * seed + 4, i);
        if (f == HOLLOW) row[1] = 0;
        if (f == TOEPLITZ) row[0] = row[2] = 1, row[1] = 0.3;
        for (int k = 0; k < 3 && f == SPREAD; k++) row[k] = ldexp(row[k], (int)(fmod(1e4 * row[k], 1) * 30));
        for (int k = 0; k < 4 && f == SPREAD_ROWS; k++) row[k] = ldexp(row[k], (int)(other * 30));
        if (f == NEUMANN) {
            row[0] = row[2] = -1;
            row[1] = !periodic && (i == 0 || i + 1 == n) ? 1 : 2;
            if (i + 1 == n) row[1] += 0x1p-6;
        }
        if (f == GRADED) row[1] *= 0x1p-20;
        if (f == SPARSE) {
            if (row[1] > 0) row[1] = 0;
            if (other > 0.5) row[0] = 1;
            if (other < 0) row[2] = 1;
        }
        for (int k = 0; k < 4; k++) f64[k][i] = row[k], f32[k][i] = (float)row[k];
    }
}

static void check_stability(weft_dtype dtype, family f, bool periodic, size_t n) {
    const double epsilon = dtype == WEFT_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    fill_family(f, periodic, n, n);
    const uint64_t singular = solve(dtype, periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, n);
    if (singular < n && f == SPARSE) return; /* some of these are singular */
    const double found = residual(dtype, periodic, n);
    EXPECT(singular == UINT64_MAX && found <= 4 * epsilon, "%s, %s, %s, n = %zu: residual %.3g eps, row %" PRIu64,
           NAMES[f], weft_dtype_name(dtype), periodic ? "periodic" : "open", n, found / epsilon, singular);
}

/* An odd n or, if the system is periodic, any n may be singular if the diagonal is 0. Its solution overflows in f32
 * if n is large. */
static void stability(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 5, 15, 16, 17, 18, 31, 32, 33, 34, 48, 100, 256, 257, 1000, 4096, N};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int f = 0; f < FAMILIES; f++)
            for (int kind = 0; kind < 4; kind++) {
                const bool single = kind & 1, periodic = kind >> 1, hollow = f == HOLLOW || f == GRADED;
                if (hollow && (sizes[s] % 2 || (single && sizes[s] > 1000))) continue;
                if (periodic && sizes[s] < 3) continue; /* opposite off-diagonals may cancel */
                check_stability(single ? WEFT_F32 : WEFT_F64, (family)f, periodic, sizes[s]);
            }
}

/* Solves pairs of rows whose diagonal is 0: x[i+1] = d[i] and x[i] = d[i+1], exactly. */
static void exchanges(void) {
    static const size_t sizes[] = {2, 16, 18, 34, 512, 4098, 20000};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        for (size_t i = 0; i < n; i++) {
            f64[0][i] = (double)(i % 2), f64[1][i] = 0, f64[2][i] = 1 - (double)(i % 2);
            f64[3][i] = draw(3, i);
        }
        EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, n) == UINT64_MAX, "%zu exchanges are singular", n);
        for (size_t i = 0; i < n; i++)
            EXPECT(f64[4][i] == f64[3][i ^ 1], "n = %zu: x[%zu] = %g, expected %g", n, i, f64[4][i], f64[3][i ^ 1]);
    }
}

/* Solves systems of one and of two rows, also periodic ones. */
static void small_systems(void) {
    for (int k = 0; k < 3; k++) f64[k][0] = 2 + k, f64[k][1] = 5 - 2 * k;
    f64[3][0] = 18, f64[3][1] = 9; /* rows 2 3 4 and 5 3 1 */
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 1) == UINT64_MAX && f64[4][0] == 6, "one row: %g", f64[4][0]);
    EXPECT(solve(WEFT_F64, WEFT_PERIODIC, 1) == UINT64_MAX && f64[4][0] == 2, "one periodic row: %g", f64[4][0]);
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 2) == UINT64_MAX && fabs(f64[4][0] + 18 / 11.) < 1e-15 &&
               fabs(f64[4][1] - 63 / 11.) < 1e-15,
           "two rows: %g %g", f64[4][0], f64[4][1]);
    EXPECT(solve(WEFT_F64, WEFT_PERIODIC, 2) == UINT64_MAX && fabs(f64[4][0]) < 1e-15 && fabs(f64[4][1] - 3) < 1e-15,
           "two periodic rows: %g %g", f64[4][0], f64[4][1]);
    f64[1][0] = 0;
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 1) == 0 && isnan(f64[4][0]), "0 x = 18: %g", f64[4][0]);
}

/* Checks that an unknown that occurs in no row is reported, and, if inner unknowns of two chunks occur in none, the
 * first one. */
static void lost_pivots(void) {
    static const size_t sizes[] = {2, 3, 16, 17, 18, 32, 33, 100, 513, 9000};
    static const size_t columns[] = {0, 1, 2, 14, 15, 16, 17, 31, 32, 98, 99, 500, 511, 4095, 4096, 8998, 8999};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t k = 0; k < COUNT(columns) && columns[k] < sizes[s]; k++)
            for (int periodic = 0; periodic < 2; periodic++) {
                const size_t n = sizes[s], column = columns[k],
                             second = column % 16 > 0 && column % 16 < 15 ? 8001 : column;
                plain(n);
                for (size_t c = column; c < n; c = c < second ? second : n) /* one or two unknowns */
                    f64[2][c ? c - 1 : n - 1] = f64[1][c] = f64[0][c + 1 < n ? c + 1 : 0] = 0;
                const uint64_t found = solve(WEFT_F64, periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, n);
                EXPECT(found == column, "n = %zu: x[%zu] and x[%zu] occur in no row, reported %" PRIu64, n, column,
                       second, found);
                size_t nans = 0;
                for (size_t i = 0; i < n; i++) nans += isnan(f64[4][i]) != 0;
                EXPECT(nans > 0, "n = %zu: no NaN without a pivot", n);
            }
}

/* Checks that a NaN in the matrix is not a lost pivot, and that entries near the ends of the range of exponents are.
 */
static void entries_that_are_not_finite(void) {
    static const size_t sizes[] = {1, 2, 17, 530, 9000};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int k = 0; k < 3; k++) {
            const size_t n = sizes[s], row = n / 2;
            plain(n);
            f64[k][row] = NAN;
            const uint64_t found = solve(WEFT_F64, WEFT_PERIODIC, n);
            EXPECT(found < n && isnan(f64[4][found]), "n = %zu: a NaN in row %zu, reported %" PRIu64, n, row, found);
            for (size_t i = 0; i < found && i < n; i++) EXPECT(isfinite(f64[4][i]), "x[%zu] = %g", i, f64[4][i]);
        }
    for (int large = 0; large < 2; large++) {
        plain(1000);
        for (size_t i = 0; i < 1000; i++)
            for (int k = 0; k < 4; k++) f64[k][i] *= large ? 0x1p1020 : 0x1p-1060;
        const uint64_t found = solve(WEFT_F64, WEFT_OPEN_ENDS, 1000);
        const double rest = residual(WEFT_F64, false, 1000);
        EXPECT(found == UINT64_MAX && rest < (large ? 4 * DBL_EPSILON : 0x1p-12),
               "large %d: residual %g, row %" PRIu64, large, rest, found);
    }
}

/* Compares the layouts of random systems of which two are singular. */
static void layouts(weft_dtype dtype, size_t systems, size_t n) {
    const size_t size = weft_dtype_size(dtype), last = systems - 1;
    fill_family(RANDOM, false, systems, systems * n);
    for (size_t s = last / 2; s < systems; s += (last + 1) / 2) {
        const size_t row = s * n + (n > 32768 ? 32768 : n / 3); /* 32768: after a border of 2048 chunks */
        memset((char *)array(dtype, 2) + (row - 1) * size, 0, size);
        memset((char *)array(dtype, 1) + row * size, 0, size);
        memset((char *)array(dtype, 0) + (row + 1) * size, 0, size);
    }
    compare_layouts(dtype, systems, n);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    stability();
    exchanges();
    small_systems();
    lost_pivots();
    odd_values();
    entries_that_are_not_finite();
    layouts(WEFT_F32, 37, 128);
    layouts(WEFT_F64, 37, 128);
    layouts(WEFT_F32, 40, 17);
    layouts(WEFT_F64, 40, 33);
    layouts(WEFT_F32, 20, 700);
    layouts(WEFT_F64, 3, 5000);
    layouts(WEFT_F64, 2, 9000);
    layouts(WEFT_F64, 2, 40001);
    weft_close(ctx);
    return expect_end();
}
