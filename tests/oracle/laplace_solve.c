/* Tests weft_laplace_solve: solutions that are known exactly, the rates at which errors decay, and the bits of the
 * specification on grids of many shapes. */
#include "core/order.h"
#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 65 * 65 * 65 };
static weft_context *ctx;
static double u[MOST], v[MOST], other[MOST];

static const weft_laplace_method METHODS[] = {WEFT_SOR, WEFT_MULTIGRID};
static const char *const NAMES[] = {"over-relaxation", "multigrid"};

typedef struct shape {
    size_t nx, ny, nz;
} shape;

static size_t points(shape s) { return s.nx * s.ny * s.nz; }

static bool is_face(shape s, size_t p) {
    const size_t i = p % s.nx, j = p / s.nx % s.ny, k = p / s.nx / s.ny;
    return !i || !j || !k || i + 1 == s.nx || j + 1 == s.ny || k + 1 == s.nz;
}

/* Converts n values of `from` to f32 or f64. */
static void *as(weft_dtype dtype, size_t n, const double *from, void *to) {
    for (size_t i = 0; i < n; i++)
        if (dtype == WEFT_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    return to;
}

static double solve(weft_laplace_method method, weft_dtype dtype, shape s, double omega, double tolerance,
                    size_t sweeps, void *grid, size_t *done) {
    double residual = -1;
    EXPECT_STATUS(ctx,
                  weft_laplace_solve(ctx, method, dtype, s.nx, s.ny, s.nz, omega, tolerance, sweeps, grid, grid, done,
                                     &residual),
                  WEFT_OK);
    return residual;
}

/* ----------------------------------------------------------------------- harmonic functions */

/* Returns a value of a function that equals the mean of its six adjacent values at every point and is exact in f32.
 */
static double harmonic(int which, size_t i, size_t j, size_t k) {
    const double x = (double)i, y = (double)j, z = (double)k;
    switch (which) {
    case 0: return 3 * x - 2 * y + z;
    case 1: return x * y - y * z;
    case 2: return x * x - y * y;
    default: return x * y * z + 5;
    }
}

static void fill_harmonic(int which, shape s) {
    for (size_t p = 0; p < points(s); p++) u[p] = harmonic(which, p % s.nx, p / s.nx % s.ny, p / s.nx / s.ny);
}

/* Checks that the solution stays unchanged except for rounding, and that it is found from other values inside. */
static void finds_it_again(int which, int method, shape s) {
    const double greatest = harmonic(3, s.nx, s.ny, s.nz);
    double worst = 0;
    size_t done;
    fill_harmonic(which, s);
    memcpy(v, u, sizeof v);
    solve(METHODS[method], WEFT_F64, s, 0, 0, 3, v, &done);
    for (size_t p = 0; p < points(s); p++) worst = fmax(worst, fabs(v[p] - u[p]));
    EXPECT(worst <= 1e-14 * greatest, "%s, harmonic %d: left by %g", NAMES[method], which, worst);
    for (size_t p = 0; p < points(s); p++)
        if (!is_face(s, p)) v[p] = input_random(7, p) % 1000 - 500.0;
    const double residual = solve(METHODS[method], WEFT_F64, s, 0, 1e-14 * greatest, 1000, v, &done);
    EXPECT(residual <= 1e-14 * greatest && done < 1000, "%s, harmonic %d: residual %g after %zu", NAMES[method],
           which, residual, done);
    worst = 0;
    for (size_t p = 0; p < points(s); p++) worst = fmax(worst, fabs(v[p] - u[p]));
    EXPECT(worst < 1e-11 * greatest, "%s, harmonic %d: off by %g", NAMES[method], which, worst);
}

/* ---------------------------------------------------------------------------------- rates */

/* Fills with 0 on the faces, so that the solution is 0 and the values are the error. */
static void fill_error(shape s) {
    for (size_t p = 0; p < points(s); p++) u[p] = is_face(s, p) ? 0 : (double)(input_random(3, p) % 2001) / 1000 - 1;
}

/* Checks the error of over-relaxation with the optimal factor. It decays by omega - 1 = 1 - 2 pi / (n - 1) + ... per
 * sweep. */
static void rate_of_sweeps(size_t n) {
    const double pi = 3.14159265358979323846, radius = cos(pi / (double)(n - 1));
    const double best = 2 / (1 + sqrt(1 - radius * radius)) - 1;
    const shape s = {n, n, n};
    size_t done;
    fill_error(s);
    const size_t early = 8 * n, more = 4 * n;
    const double before = solve(WEFT_SOR, WEFT_F64, s, 0, 0, early, u, &done);
    const double after = solve(WEFT_SOR, WEFT_F64, s, 0, 0, more, u, &done);
    const double rate = pow(after / before, 1 / (double)more);
    EXPECT(fabs(rate - best) < 0.25 / (double)n, "%zu^3: %.4f a sweep, expected %.4f", n, rate, best);
}

static void rate_of_cycles(shape s, double most) {
    size_t done;
    fill_error(s);
    double before = solve(WEFT_MULTIGRID, WEFT_F64, s, 0, 0, 0, u, &done);
    for (int cycle = 1; cycle <= 8; cycle++) {
        const double after = solve(WEFT_MULTIGRID, WEFT_F64, s, 0, 0, 1, u, &done);
        EXPECT(after < most * before, "%zu x %zu x %zu: cycle %d leaves %.3f", s.nx, s.ny, s.nz, cycle,
               after / before);
        before = after;
    }
}

/* ---------------------------------------------------------------------- tolerances and cuts */

static void stops(weft_laplace_method method) {
    const shape s = {20, 17, 12};
    size_t done = 99, left;
    fill_error(s);
    memcpy(v, u, sizeof v);
    memcpy(other, u, sizeof u);
    const double residual = solve(method, WEFT_F64, s, 0, 1e-5, 1000, v, &done);
    EXPECT(residual <= 1e-5 && done > 0 && done < 200, "residual %g after %zu", residual, done);
    EXPECT(method == WEFT_MULTIGRID || done % 10 == 0, "it was looked at after %zu sweeps", done);
    const double same = solve(method, WEFT_F64, s, 0, 0, done, other, &left);
    EXPECT(same == residual && left == done && memcmp(v, other, points(s) * sizeof *v) == 0,
           "the cut in looks changes bits");
    solve(method, WEFT_F64, s, 0, 0, 3, u, &left);
    solve(method, WEFT_F64, s, 0, 0, done - 3, u, &left);
    EXPECT(memcmp(u, other, points(s) * sizeof *u) == 0, "the cut in calls changes bits");
    const double unreached = solve(method, WEFT_F64, s, 0, 1e-300, 7, v, &done);
    EXPECT(done == 7 && unreached > 1e-300, "an unreached tolerance: %zu, %g", done, unreached);
    v[s.nx * s.ny + s.nx + 1] = NAN;
    EXPECT(isnan(solve(method, WEFT_F64, s, 0, 1e-9, 1000, v, &done)) && done <= 10, "a NaN stops it");
}

/* ------------------------------------------------------------- the bits of the specification */

/* Compares one method with `ref` on this grid, in both types. */
static void agrees(weft_context *ref, shape s, int method, size_t sweeps, double omega) {
    static const int threads[] = {1, 2, 3, 7};
    for (int type = 0; type < 2; type++) {
        const weft_dtype dtype = type ? WEFT_F64 : WEFT_F32;
        double found = 0, wanted = 0;
        fill_error(s);
        void *const a = as(dtype, points(s), u, v), *const b = as(dtype, points(s), u, other);
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads[(s.nx + s.nz) % 4]), WEFT_OK);
        EXPECT_STATUS(
            ctx,
            weft_laplace_solve(ctx, METHODS[method], dtype, s.nx, s.ny, s.nz, omega, 0, sweeps, a, a, NULL, &found),
            WEFT_OK);
        EXPECT_STATUS(
            ref,
            weft_laplace_solve(ref, METHODS[method], dtype, s.nx, s.ny, s.nz, omega, 0, sweeps, b, b, NULL, &wanted),
            WEFT_OK);
        EXPECT(memcmp(a, b, points(s) * weft_dtype_size(dtype)) == 0 && memcmp(&found, &wanted, sizeof found) == 0,
               "%s of %s, %zu x %zu x %zu: other bits than the specification", NAMES[method], weft_dtype_name(dtype),
               s.nx, s.ny, s.nz);
    }
}

static void agreement(void) {
    weft_context *ref;
    EXPECT(weft_open(&ref, "ref") == WEFT_OK, "%s", weft_last_error(NULL));
    for (size_t i = 0; i < 300; i++) {
        const uint64_t r = input_random(11, i);
        const shape s = {3 + r % 18, 3 + (r >> 8) % 18, 3 + (r >> 16) % 18};
        agrees(ref, s, (int)(i % 2), 1 + (r >> 24) % 3, (r >> 32) % 2 ? 0 : 0.9);
    }
    agrees(ref, (shape){65, 65, 65}, 0, 2, 0);
    agrees(ref, (shape){65, 65, 65}, 1, 2, 0);
    agrees(ref, (shape){2, 65, 65}, 1, 2, 0);
    weft_close(ref);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int i = 0; i < 8; i++) {
        finds_it_again(i % 4, i / 4, (shape){17, 17, 17});
        finds_it_again(i % 4, i / 4, (shape){12, 9, 22});
    }
    rate_of_sweeps(17);
    rate_of_sweeps(24);
    rate_of_cycles((shape){33, 33, 33}, 0.15);
    rate_of_cycles((shape){65, 65, 65}, 0.15);
    rate_of_cycles((shape){34, 48, 50}, 0.15);
    rate_of_cycles((shape){33, 31, 65}, 0.15);
    rate_of_cycles((shape){3, 40, 66}, 0.15);
    rate_of_cycles((shape){64, 6, 20}, 0.15);
    stops(WEFT_SOR);
    stops(WEFT_MULTIGRID);
    agreement();
    weft_close(ctx);
    return expect_end();
}
