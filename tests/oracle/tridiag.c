/* Compares tridiagonal systems with elimination in 113-bit precision and with the closed form of the heat equation's
 * implicit step; and tests the rules of ORDER.md 16 on lost pivots. */
#define TESTED weft_tridiag
#include "tests/oracle/tridiag_systems.h"

static double exact[N];

/* ------------------------------------------------------------------------------- accuracy */

/* Solves by elimination from the top, for d and for the column of coefficients of the last row's x. */
static void solve_exactly(weft_dtype dtype, bool periodic, size_t n) {
    static wide c[N], d[N], e[N];
    const size_t m = periodic ? n - 1 : n;
    for (size_t i = 0; i < m; i++) {
        const wide a = i ? (wide)real(dtype, 0, i) : 0, p = (wide)real(dtype, 1, i) - (i ? a * c[i - 1] : 0);
        const wide column = (i == 0 ? (wide)real(dtype, 0, 0) : 0) + (i + 1 == m ? (wide)real(dtype, 2, i) : 0);
        c[i] = i + 1 < m ? (wide)real(dtype, 2, i) / p : 0;
        d[i] = ((wide)real(dtype, 3, i) - (i ? a * d[i - 1] : 0)) / p;
        e[i] = ((periodic ? column : 0) - (i ? a * e[i - 1] : 0)) / p;
    }
    for (size_t i = m - 1; i-- > 0;) {
        d[i] -= c[i] * d[i + 1];
        e[i] -= c[i] * e[i + 1];
    }
    wide last = 0;
    if (periodic) {
        const wide a = real(dtype, 0, m), b = real(dtype, 1, m), right = real(dtype, 3, m), above = real(dtype, 2, m);
        last = (right - a * d[m - 1] - above * d[0]) / (b - a * e[m - 1] - above * e[0]);
        exact[m] = (double)last;
    }
    for (size_t i = 0; i < m; i++) exact[i] = (double)(d[i] - e[i] * last);
}

/* Fills rows whose diagonal exceeds the sum of the others by `margin`, with either sign; or with -1, 2 + margin, -1.
 */
static void fill(weft_dtype dtype, uint64_t seed, size_t n, double margin, bool laplacian) {
    for (int k = 0; k < 4; k++) input_fill(INPUT_UNIFORM, WEFT_F64, 4 * seed + (uint64_t)k, n, f64[k]);
    for (size_t i = 0; i < n; i++) {
        const double a = laplacian ? -1 : 2 * f64[0][i] - 1, c = laplacian ? -1 : 2 * f64[2][i] - 1;
        const double b = fabs(a) + fabs(c) + margin, sign = f64[1][i] < 0.5 && !laplacian ? -1 : 1;
        const double row[] = {a, sign * b * (1 + 1e-6 * !laplacian), c, 2 * f64[3][i] - 1};
        for (int k = 0; k < 4; k++) f64[k][i] = row[k], f32[k][i] = (float)row[k];
    }
    (void)dtype;
}

static void check_accuracy(weft_dtype dtype, bool periodic, size_t n, double margin, bool laplacian) {
    const double epsilon = dtype == WEFT_F32 ? (double)FLT_EPSILON : DBL_EPSILON, steps = log2((double)n + 2);
    fill(dtype, n, n, margin, laplacian);
    const uint64_t singular = solve(dtype, periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, n);
    const double found = residual(dtype, periodic, n);
    EXPECT(singular == UINT64_MAX, "n = %zu, margin %g: row %" PRIu64, n, margin, singular);
    EXPECT(found <= 8 * epsilon * steps, "%s, %speriodic, n = %zu, margin %g: residual %g", weft_dtype_name(dtype),
           periodic ? "" : "not ", n, margin, found);
    if (margin < 0.01) return; /* the solution itself is sensitive there */
    double most = 0, error = 0;
    solve_exactly(dtype, periodic, n);
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(exact[i]));
        error = fmax(error, fabs(real(dtype, 4, i) - exact[i]));
    }
    EXPECT(error <= 8 * epsilon * steps * most * (1 + 4 / margin),
           "%s, %speriodic, n = %zu, margin %g: error %g of %g", weft_dtype_name(dtype), periodic ? "" : "not ", n,
           margin, error, most);
}

static void accuracy(void) {
    static const size_t sizes[] = {2, 3, 5, 16, 31, 32, 33, 48, 49, 128, 129, 511, 512, 513, 2048, 8209, N};
    static const double margins[] = {0.001, 0.1, 1, 100};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int kind = 0; kind < 4; kind++)
            for (size_t m = 0; m < COUNT(margins); m++)
                for (int laplacian = 0; laplacian < 2; laplacian++)
                    check_accuracy(kind & 1 ? WEFT_F32 : WEFT_F64, kind >> 1, sizes[s], margins[m], laplacian);
    for (size_t s = 0; s < COUNT(sizes); s++) check_accuracy(WEFT_F64, false, sizes[s], 0, true);
}

/* ---------------------------------------------------------------------------- stability */

typedef enum family { NEUMANN, DOMINANT, WEAKLY_DOMINANT, M_MATRIX, POSITIVE_DEFINITE, FAMILIES } family;
static const char *const FAMILY_NAMES[] = {"Neumann", "0.1 % dominant", "weakly dominant", "M-matrix", "L D L^T"};

/* Fills the rows of a matrix whose elimination is stable in any order, and a right-hand side. The entries of D have
 * magnitudes down to `least`. Without pivoting, POSITIVE_DEFINITE matrices are open. */
static void fill_family(family f, bool periodic, uint64_t seed, size_t n, double least) {
    double l = 0, d = 0;
    for (size_t i = 0; i < n; i++) {
        double a = draw(4 * seed, i), c = draw(4 * seed + 1, i), b;
        const double sign = draw(4 * seed + 2, i) < 0 ? -1 : 1;
        if (f == NEUMANN) a = c = -1;
        if (f == M_MATRIX) a = -fabs(a), c = -fabs(c);
        b = fabs(a) + fabs(c);
        if (f == NEUMANN && !periodic && (i == 0 || i + 1 == n)) b = 1;
        if (f == NEUMANN && i + 1 == n) b += least;
        if (f == DOMINANT) b *= sign * 1.001;
        if (f == WEAKLY_DOMINANT) b *= i == 0 ? 2 * sign : sign;
        if (f == M_MATRIX && i == n / 2) b *= 1 + least;
        if (f == POSITIVE_DEFINITE) {
            const double next_d = pow(least, fabs(b - 1)), next_l = 2 * sign * fabs(draw(4 * seed, i));
            a = l * d, b = next_d + l * l * d, c = next_l * next_d;
            l = next_l, d = next_d;
        }
        const double row[] = {a, b, c, draw(4 * seed + 3, i)};
        for (int k = 0; k < 4; k++) f64[k][i] = row[k], f32[k][i] = (float)row[k];
    }
}

/* Returns the largest |a x[i-1] + b x[i] + c x[i+1] - d| / (|a x[i-1]| + |b x[i]| + |c x[i+1]| + |d|) of a row. */
static double backward_error(weft_dtype dtype, bool periodic, size_t n) {
    wide most = 0;
    for (size_t i = 0; i < n; i++) {
        const wide a = periodic || i ? real(dtype, 0, i) : 0, c = periodic || i + 1 < n ? real(dtype, 2, i) : 0;
        const wide terms[] = {a * (wide)real(dtype, 4, i ? i - 1 : n - 1),
                              (wide)real(dtype, 1, i) * (wide)real(dtype, 4, i),
                              c * (wide)real(dtype, 4, i + 1 < n ? i + 1 : 0), -(wide)real(dtype, 3, i)};
        wide sum = 0, size = 0;
        for (int k = 0; k < 4; k++) sum += terms[k], size += oracle_magnitude(terms[k]);
        if (size > 0 && !(oracle_magnitude(sum) <= most * size)) most = oracle_magnitude(sum) / size;
    }
    return (double)most;
}

/* Checks that the backward error is a few eps, whatever the condition number is: every x comes from one elimination
 * without growth of the entries. */
static void stability(void) {
    static const size_t sizes[] = {1, 2, 3, 5, 20, 31, 32, 33, 300, 513, 1000, N};
    static const double leasts[2][4] = {{1, 0x1p-6, 0x1p-12, 0x1p-17}, {1, 0x1p-15, 0x1p-30, 0x1p-45}};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (int kind = 0; kind < 4; kind++)
            for (int f = 0; f < (kind & 2 ? POSITIVE_DEFINITE : FAMILIES); f++)
                for (int l = 0; l < 4; l++) {
                    const weft_dtype dtype = kind & 1 ? WEFT_F64 : WEFT_F32;
                    const bool periodic = kind & 2;
                    const double epsilon = kind & 1 ? DBL_EPSILON : (double)FLT_EPSILON, least = leasts[kind & 1][l];
                    if (periodic && sizes[s] < 3) continue; /* opposite off-diagonals may cancel */
                    fill_family((family)f, periodic, s, sizes[s], least);
                    const uint64_t singular = solve(dtype, periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, sizes[s]);
                    const double found = backward_error(dtype, periodic, sizes[s]);
                    EXPECT(singular == UINT64_MAX && found <= 16 * epsilon,
                           "%s, %s, %s, n = %zu, least %g: backward error %.3g eps, row %" PRIu64, FAMILY_NAMES[f],
                           weft_dtype_name(dtype), periodic ? "periodic" : "open", sizes[s], least, found / epsilon,
                           singular);
                }
}

/* ---------------------------------------------------------------------------- the heat equation */

/* Solves -x[i-1] + 3 x[i] - x[i+1] = u[i] from u = 1: x[i] = 1 - (r^(i+1) + r^(n-i)) / (1 + r^(n+1)), r = (3 - sqrt
 * 5) / 2. The first values of the second step are 1/sqrt 5 and 0.7236... */
static void heat(void) {
    static const double first[] = {0.44721359549996, 0.72360679774998, 0.86950483152, 0.94063578679};
    enum { ROWS = 128 };
    const double r = (3 - sqrt(5)) / 2;
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++) f64[0][i] = f64[2][i] = -1, f64[1][i] = 3, f64[3][i] = 1;
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, ROWS) == UINT64_MAX, "a step is singular");
    for (int i = 0; i < ROWS; i++) {
        const double wanted = 1 - (pow(r, i + 1) + pow(r, ROWS - i)) / (1 + pow(r, ROWS + 1));
        EXPECT(fabs(f64[4][i] - wanted) < 4 * DBL_EPSILON, "step 1: x[%d] = %.17g, wanted %.17g", i, f64[4][i],
               wanted);
        sum += f64[4][i];
    }
    EXPECT(fabs(sum - 126.763932023) < 1e-9, "the sum of step 1 is %.12g", sum);
    memcpy(f64[3], f64[4], ROWS * sizeof(double));
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, ROWS) == UINT64_MAX, "a step is singular");
    for (size_t i = 0; i < COUNT(first); i++)
        EXPECT(fabs(f64[4][i] - first[i]) < 1e-10, "step 2: x[%zu] = %.12g", i, f64[4][i]);
    sum = 0;
    for (size_t i = 0; i < ROWS; i++) sum += f64[4][i];
    EXPECT(fabs(sum - 125.869504832) < 1e-9, "the sum of step 2 is %.12g", sum);
}

/* Checks a wave of length n, a mode of the periodic Laplacian: it is multiplied by 1 / (3 - 2 cos(2 pi / n)). */
static void modes(void) {
    static const size_t sizes[] = {3, 16, 32, 64, 500, 1024, 9000};
    for (size_t s = 0; s < COUNT(sizes); s++) {
        const size_t n = sizes[s];
        const double angle = 2 * acos(-1) / (double)n, shrink = 1 / (3 - 2 * cos(angle));
        double error = 0;
        for (size_t i = 0; i < n; i++) {
            f64[0][i] = f64[2][i] = -1, f64[1][i] = 3;
            f64[3][i] = cos(angle * (double)i);
        }
        EXPECT(solve(WEFT_F64, WEFT_PERIODIC, n) == UINT64_MAX, "n = %zu is singular", n);
        for (size_t i = 0; i < n; i++) error = fmax(error, fabs(f64[4][i] - shrink * f64[3][i]));
        EXPECT(error < 16 * DBL_EPSILON, "a wave of %zu rows is off by %g", n, error);
    }
}

/* ---------------------------------------------------------------------------------- lost pivots */

/* Checks rows that lose their pivots: a row at each position of a chunk, and separators. */
static void zero_pivots(void) {
    static const size_t sizes[] = {1, 2, 16, 32, 33, 100, 513, 9000};
    static const size_t rows[] = {0, 1, 14, 16, 17, 30, 31, 99, 500, 8191, 8999};
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t k = 0; k < COUNT(rows) && rows[k] < sizes[s]; k++) {
            const size_t n = sizes[s], row = rows[k];
            plain(n); /* the row is coupled to no other and has no diagonal */
            f64[0][row] = f64[1][row] = f64[2][row] = 0;
            if (row > 0) f64[2][row - 1] = 0;
            if (row + 1 < n) f64[0][row + 1] = 0;
            const uint64_t found = solve(WEFT_F64, WEFT_OPEN_ENDS, n);
            EXPECT(found == row, "n = %zu: row %zu has no pivot, reported %" PRIu64, n, row, found);
            EXPECT(isnan(f64[4][row]), "n = %zu: x[%zu] = %g without a pivot", n, row, f64[4][row]);
        }
}

/* Checks that 1 - 1 (1 - h), which keeps one digit, is solved, that 1 - 1 1 is lost, and that a tiny pivot of a tiny
 * row is accepted. */
static void cancelled_pivots(void) {
    plain(40);
    f64[1][0] = f64[2][0] = f64[0][1] = f64[1][1] = 1, f64[2][1] = 0;
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 40) == 1, "rows 0 and 1 are the same");
    f64[1][1] = 1 + 4 * DBL_EPSILON;
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 40) == UINT64_MAX, "rows 0 and 1 are almost the same");
    plain(40);
    for (size_t i = 0; i < 40; i++)
        for (int k = 0; k < 4; k++) f64[k][i] *= i % 2 ? 1e-300 : 1e300;
    EXPECT(solve(WEFT_F64, WEFT_OPEN_ENDS, 40) == UINT64_MAX, "scaled rows are singular");
}

/* --------------------------------------------------------------------------------------- layouts */

/* Compares the layouts of systems of which two fail. */
static void layouts(weft_dtype dtype, size_t systems, size_t n) {
    const size_t size = weft_dtype_size(dtype), last = systems - 1;
    fill(dtype, systems, systems * n, 0.5, false);
    for (size_t s = last / 2; s < systems; s += (last + 1) / 2)
        memset((char *)array(dtype, 1) + (s * n + n / 3) * size, 0, size);
    compare_layouts(dtype, systems, n);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    accuracy();
    stability();
    heat();
    modes();
    zero_pivots();
    cancelled_pivots();
    odd_values();
    layouts(WEFT_F32, 37, 128);
    layouts(WEFT_F64, 37, 128);
    layouts(WEFT_F32, 40, 17);
    layouts(WEFT_F32, 20, 700);
    layouts(WEFT_F64, 3, 5000);
    weft_close(ctx);
    return expect_end();
}
