/* Compares steps of the heat equation with closed forms, with the expansion in eigenvectors of the discrete operator,
 * with the series of the continuous equation, and with steps composed of weft_tridiag and the formulas of
 * ORDER.md 23.
 */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 15, AXES = 3, SIDE = 64 };
static weft_context *ctx;
static double f64[3][MOST]; /* before, after, and a second result */
static float f32[3][MOST];

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const long double PI = 3.14159265358979323846264338327950288L;

/* Grid, method and number of steps. */
typedef struct problem {
    weft_dtype dtype;
    weft_heat_method method;
    size_t dimensions, shape[AXES], batch;
    double lambda[AXES];
    size_t steps;
} problem;

static void *array(weft_dtype dtype, int i) { return dtype == WEFT_F32 ? (void *)f32[i] : f64[i]; }
static double real(weft_dtype dtype, int k, size_t i) { return dtype == WEFT_F32 ? (double)f32[k][i] : f64[k][i]; }

static size_t points(const problem *p) {
    size_t all = p->batch;
    for (size_t i = 0; i < p->dimensions; i++) all *= p->shape[i];
    return all;
}

static void step(const problem *p) {
    EXPECT_STATUS(ctx,
                  weft_heat(ctx, p->method, p->dtype, p->dimensions, p->shape, p->batch, p->lambda, p->steps,
                            array(p->dtype, 0), array(p->dtype, 1)),
                  WEFT_OK);
}

/* Fills with random values around 0, different in every line. */
static void fill(const problem *p, uint64_t seed) {
    input_fill(INPUT_UNIFORM, WEFT_F64, seed, points(p), f64[0]);
    for (size_t i = 0; i < points(p); i++) {
        f64[0][i] = 2 * f64[0][i] - 1;
        f32[0][i] = (float)f64[0][i];
        f64[0][i] = p->dtype == WEFT_F32 ? (double)f32[0][i] : f64[0][i];
    }
}

static const char *name_of(const problem *p) {
    return p->method == WEFT_CRANK_NICOLSON ? "Crank-Nicolson" : "backward Euler";
}

/* --------------------------------------------------------------------------------- the classic */

/* Starts with 1 everywhere, lambda = 1. After one step x[i] = 1 - (r^(i+1) + r^(n-i)) / (1 + r^(n+1)), r = (3 - sqrt
 * 5) / 2. After two steps the first values of a half line are 1/sqrt 5, ...; the sums over all points are known too.
 */
static void classic(void) {
    static const struct {
        size_t n, steps;
        double sum, first;
    } rows[] = {{128, 1, 126.763932023, 0.6180339887},  {128, 2, 125.869504832, 0.4472135955},
                {128, 10, 121.905575251, 0.184088858},  {32, 2, 29.869504832, 0.4472135955},
                {32, 10, 25.905575307, 0.184088841},    {256, 2, 253.869504832, 0.4472135955},
                {1024, 10, 1017.905575251, 0.184088858}};
    for (size_t k = 0; k < 2 * COUNT(rows); k++) {
        const size_t n = rows[k / 2].n;
        const problem p = {k & 1 ? WEFT_F32 : WEFT_F64, WEFT_BACKWARD_EULER, 1, {n}, 1, {1}, rows[k / 2].steps};
        const double bound = k & 1 ? 1e-5 : 2e-9;
        double sum = 0;
        for (size_t i = 0; i < n; i++) f64[0][i] = f32[0][i] = 1;
        step(&p);
        for (size_t i = 0; i < n; i++) sum += real(p.dtype, 1, i);
        EXPECT(fabs(sum - rows[k / 2].sum) < bound * (double)n, "%zu points, %zu steps: the sum is %.12g", n, p.steps,
               sum);
        EXPECT(fabs(real(p.dtype, 1, 0) - rows[k / 2].first) < bound, "%zu points, %zu steps: x[0] = %.12g", n,
               p.steps, real(p.dtype, 1, 0));
    }
}

/* ----------------------------------------------------------------------- eigenvectors, exactly */

/* Returns the factor of a mode of the second difference, with eigenvalue -mu, in one step along one axis. */
static long double factor(const problem *p, size_t axis, size_t mode) {
    const long double lambda = p->dtype == WEFT_F32 ? (long double)(float)p->lambda[axis] : p->lambda[axis];
    const long double mu = 2 - 2 * cosl((long double)(mode + 1) * PI / (long double)(p->shape[axis] + 1));
    return p->method == WEFT_CRANK_NICOLSON ? (2 * lambda - mu) / (2 * lambda + mu) : lambda / (lambda + mu);
}

static long double wave(size_t n, size_t mode, size_t i) {
    return sinl((long double)((mode + 1) * (i + 1)) * PI / (long double)(n + 1));
}

/* Computes the matrix of all steps along an axis: the sum over modes of factor^steps s s' 2 / (n + 1). */
static void matrix_of(const problem *p, size_t axis, long double m[SIDE][SIDE]) {
    const size_t n = p->shape[axis];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            m[i][j] = 0;
            for (size_t k = 0; k < n; k++)
                m[i][j] += powl(factor(p, axis, k), (long double)p->steps) * wave(n, k, i) * wave(n, k, j) * 2 /
                           (long double)(n + 1);
        }
}

/* Multiplies all lines along an axis by a matrix. */
static void apply(const problem *p, size_t axis, long double m[SIDE][SIDE], long double *u) {
    long double line[SIDE];
    size_t distance = 1;
    for (size_t i = 0; i < axis; i++) distance *= p->shape[i];
    for (size_t at = 0; at < points(p); at++) {
        if (at / distance % p->shape[axis] != 0) continue;
        for (size_t i = 0; i < p->shape[axis]; i++) line[i] = u[at + i * distance];
        for (size_t i = 0; i < p->shape[axis]; i++) {
            long double sum = 0;
            for (size_t j = 0; j < p->shape[axis]; j++) sum += m[i][j] * line[j];
            u[at + i * distance] = sum;
        }
    }
}

/* Returns an error bound. A line's solution has a residual of at most 8 eps log2(n) times the matrix and the solution
 * (docs/ops/tridiag.md), and the inverse of the matrix is at most 1 / lambda. Alternating directions may grow by 1 +
 * 2 / lambda between the axes. */
static double bound_of(const problem *p) {
    const double epsilon = p->dtype == WEFT_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    double least = p->lambda[0], most = 0;
    for (size_t i = 0; i < p->dimensions; i++) {
        least = fmin(least, p->lambda[i]);
        most = fmax(most, log2((double)p->shape[i] + 2));
    }
    const double between = p->dimensions == 2 && p->method == WEFT_CRANK_NICOLSON ? 1 + 2 / least : 1;
    return (double)(p->steps * p->dimensions) * 8 * epsilon * most * (1 + 4 / least) * between;
}

static void check_expansion(const problem *p, uint64_t seed) {
    static long double exact[MOST], m[SIDE][SIDE];
    double error = 0;
    fill(p, seed);
    for (size_t i = 0; i < points(p); i++) exact[i] = real(p->dtype, 0, i);
    for (size_t axis = 0; axis < p->dimensions; axis++) {
        matrix_of(p, axis, m);
        apply(p, axis, m, exact);
    }
    step(p);
    for (size_t i = 0; i < points(p); i++) {
        const double off = (double)fabsl((long double)real(p->dtype, 1, i) - exact[i]);
        if (!(off <= error)) error = off; /* also if `off` is NaN */
    }
    EXPECT(error <= bound_of(p), "%s of %s, %zu of %zu x %zu x %zu, lambda %g, %zu steps: off by %g, bound %g",
           name_of(p), weft_dtype_name(p->dtype), p->batch, p->shape[0], p->shape[1], p->shape[2], p->lambda[0],
           p->steps, error, bound_of(p));
}

/* Compares random starts, different in each line and grid. */
static void expansions(void) {
    static const problem problems[] = {
        {.dimensions = 1, .shape = {1}, .batch = 5, .lambda = {1}, .steps = 3},
        {.dimensions = 1, .shape = {2}, .batch = 3, .lambda = {0.5}, .steps = 4},
        {.dimensions = 1, .shape = {50}, .batch = 9, .lambda = {1}, .steps = 7},
        {.dimensions = 1, .shape = {64}, .batch = 4, .lambda = {0.01}, .steps = 5},
        {.dimensions = 1, .shape = {33}, .batch = 2, .lambda = {20}, .steps = 40},
        {.dimensions = 2, .shape = {17, 12}, .batch = 1, .lambda = {1, 1}, .steps = 3},
        {.dimensions = 2, .shape = {5, 40}, .batch = 3, .lambda = {2, 0.3}, .steps = 4},
        {.dimensions = 2, .shape = {1, 6}, .batch = 2, .lambda = {1, 2}, .steps = 2},
        {.dimensions = 3, .shape = {7, 6, 5}, .batch = 1, .lambda = {1, 1, 1}, .steps = 3},
        {.dimensions = 3, .shape = {4, 33, 9}, .batch = 2, .lambda = {0.4, 1, 3}, .steps = 2}};
    for (size_t i = 0; i < COUNT(problems); i++)
        for (int kind = 0; kind < 4; kind++) {
            problem p = problems[i];
            p.dtype = kind & 1 ? WEFT_F32 : WEFT_F64;
            p.method = kind & 2 ? WEFT_CRANK_NICOLSON : WEFT_BACKWARD_EULER;
            check_expansion(&p, 10 * i + (uint64_t)kind);
        }
}

/* Checks that each step multiplies a product of sines by one number, also with alternating directions. */
static void modes(weft_heat_method method, size_t dimensions) {
    const problem p = {WEFT_F64, method, dimensions, {31, 20, 12}, 1, {0.7, 1.5, 0.9}, 6};
    const size_t mode[AXES] = {2, 4, 1};
    long double rate = 1;
    double error = 0;
    for (size_t axis = 0; axis < dimensions; axis++) rate *= factor(&p, axis, mode[axis]);
    for (size_t i = 0; i < points(&p); i++) {
        long double u = 1;
        size_t rest = i;
        for (size_t axis = 0; axis < dimensions; rest /= p.shape[axis++])
            u *= wave(p.shape[axis], mode[axis], rest % p.shape[axis]);
        f64[0][i] = (double)u;
    }
    step(&p);
    for (size_t i = 0; i < points(&p); i++)
        error = fmax(error, fabs(f64[1][i] - (double)powl(rate, (long double)p.steps) * f64[0][i]));
    EXPECT(error <= bound_of(&p), "a mode in %zu dimensions by %s is off by %g", dimensions, name_of(&p), error);
}

/* ------------------------------------------------------------------------- order of convergence */

/* Starts with sin(pi x) + sin(3 pi x) / 2 on (0, 1). Returns the error of `steps` steps on n points, compared with
 * the series at t = 0.05. */
static double series_error(weft_heat_method method, size_t n, size_t steps) {
    const double pi = (double)PI, t = 0.05, h = 1 / (double)(n + 1);
    const problem p = {WEFT_F64, method, 1, {n}, 1, {h * h * (double)steps / t}, steps};
    double error = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = pi * h * (double)(i + 1);
        f64[0][i] = sin(x) + sin(3 * x) / 2;
        f64[2][i] = exp(-pi * pi * t) * sin(x) + exp(-9 * pi * pi * t) * sin(3 * x) / 2;
    }
    step(&p);
    for (size_t i = 0; i < n; i++) error = fmax(error, fabs(f64[1][i] - f64[2][i]));
    return error;
}

/* Checks convergence. With so many points that the grid error is negligible, half the step gives half of the error
 * (Crank-Nicolson: a quarter). Half the distance with a quarter of the step (Crank-Nicolson: half the step) gives a
 * quarter. */
static void convergence(void) {
    const double euler = series_error(WEFT_BACKWARD_EULER, 8191, 40) / series_error(WEFT_BACKWARD_EULER, 8191, 80);
    const double middle = series_error(WEFT_CRANK_NICOLSON, 8191, 20) / series_error(WEFT_CRANK_NICOLSON, 8191, 40);
    const double both = series_error(WEFT_BACKWARD_EULER, 31, 20) / series_error(WEFT_BACKWARD_EULER, 63, 80);
    const double half = series_error(WEFT_CRANK_NICOLSON, 63, 20) / series_error(WEFT_CRANK_NICOLSON, 127, 40);
    EXPECT(euler > 1.9 && euler < 2.1, "backward Euler with half the step: the error falls %g times", euler);
    EXPECT(middle > 3.9 && middle < 4.1, "Crank-Nicolson with half the step: the error falls %g times", middle);
    EXPECT(both > 3.8 && both < 4.2, "backward Euler with half the distance: the error falls %g times", both);
    EXPECT(half > 3.9 && half < 4.1, "Crank-Nicolson with half of both: the error falls %g times", half);
}

/* ------------------------------------------------------------------------------ by hand, same bits */

#define REAL float
#define TYPE WEFT_F32
#define FMA fmaf
#define ARRAYS f32
#define SWEEP sweep_f32
#include "tests/oracle/heat_sweep.h"

#define REAL double
#define TYPE WEFT_F64
#define FMA fma
#define ARRAYS f64
#define SWEEP sweep_f64
#include "tests/oracle/heat_sweep.h"

/* Steps array 0 with separate formulas; the result is array 2. */
static void by_hand(const problem *p, uint64_t seed) {
    const size_t bytes = points(p) * weft_dtype_size(p->dtype);
    fill(p, seed);
    step(p);
    memcpy(array(p->dtype, 2), array(p->dtype, 0), bytes);
    for (size_t i = 0; i < p->steps; i++)
        for (size_t axis = 0; axis < p->dimensions; axis++)
            p->dtype == WEFT_F32 ? sweep_f32(p, axis) : sweep_f64(p, axis);
    EXPECT(memcmp(array(p->dtype, 1), array(p->dtype, 2), bytes) == 0,
           "%s of %s, %zu of %zu x %zu x %zu: not the bits of weft_tridiag", name_of(p), weft_dtype_name(p->dtype),
           p->batch, p->shape[0], p->shape[1], p->shape[2]);
}

static void same_bits(void) {
    static const problem problems[] = {
        {.dimensions = 1, .shape = {128}, .batch = 200, .lambda = {1}, .steps = 3},
        {.dimensions = 1, .shape = {20000}, .batch = 1, .lambda = {0.1}, .steps = 2},
        {.dimensions = 2, .shape = {70, 41}, .batch = 1, .lambda = {0.3, 0.7}, .steps = 2},
        {.dimensions = 2, .shape = {600, 17}, .batch = 3, .lambda = {1, 2}, .steps = 2},
        {.dimensions = 3, .shape = {18, 33, 40}, .batch = 1, .lambda = {0.3, 0.7, 0.1}, .steps = 2},
        {.dimensions = 3, .shape = {5, 6, 7}, .batch = 90, .lambda = {0.3, 0.7, 5}, .steps = 3}};
    for (size_t i = 0; i < COUNT(problems); i++)
        for (int kind = 0; kind < 4; kind++) {
            problem p = problems[i];
            p.dtype = kind & 1 ? WEFT_F32 : WEFT_F64;
            p.method = kind & 2 ? WEFT_CRANK_NICOLSON : WEFT_BACKWARD_EULER;
            by_hand(&p, 100 + i);
        }
}

/* Checks that five steps equal two and three, that a grid of a batch equals that grid alone, and that zero steps
 * change no bit. */
static void parts(weft_dtype dtype) {
    const size_t size = weft_dtype_size(dtype);
    problem p = {dtype, WEFT_CRANK_NICOLSON, 2, {40, 30}, 4, {0.6, 1.1}, 5};
    char *u = array(dtype, 0), *v = array(dtype, 1), *w = array(dtype, 2);
    const size_t grid = 40 * 30, bytes = grid * size;
    fill(&p, 77);
    step(&p);
    memcpy(w, u, 4 * bytes);
    EXPECT_STATUS(ctx, weft_heat(ctx, p.method, dtype, 2, p.shape, 4, p.lambda, 2, w, w), WEFT_OK);
    EXPECT_STATUS(ctx, weft_heat(ctx, p.method, dtype, 2, p.shape, 4, p.lambda, 3, w, w), WEFT_OK);
    EXPECT(memcmp(v, w, 4 * bytes) == 0, "2 and 3 steps in place are not 5 steps");
    EXPECT_STATUS(ctx, weft_heat(ctx, p.method, dtype, 2, p.shape, 1, p.lambda, 5, u + 2 * bytes, w), WEFT_OK);
    EXPECT(memcmp(v + 2 * bytes, w, bytes) == 0, "grid 2 of 4 is another one alone");
    memset(u, 0xff, 8); /* a NaN with all bits set */
    p.steps = 0;
    step(&p);
    EXPECT(memcmp(u, v, 4 * bytes) == 0, "no step changed something");
}

/* Checks that a NaN or an infinity spreads in its own line only. */
static void not_finite(weft_heat_method method) {
    enum { N = 100, LINES = 40 };
    const problem p = {WEFT_F64, method, 1, {N}, LINES, {1}, 2};
    fill(&p, 5);
    step(&p);
    memcpy(f64[2], f64[1], sizeof(double) * N * LINES);
    f64[0][7 * N + 50] = NAN;
    f64[0][9 * N] = INFINITY;
    step(&p);
    for (size_t i = 0; i < N * LINES; i++) {
        const bool odd = i / N == 7 || i / N == 9;
        if (odd ? isfinite(f64[1][i]) : f64[1][i] != f64[2][i]) {
            EXPECT(false, "%s: line %zu, point %zu is %g", name_of(&p), i / N, i % N, f64[1][i]);
            break;
        }
    }
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    classic();
    expansions();
    for (size_t dimensions = 1; dimensions <= AXES; dimensions++) {
        modes(WEFT_BACKWARD_EULER, dimensions);
        modes(WEFT_CRANK_NICOLSON, dimensions);
    }
    convergence();
    same_bits();
    parts(WEFT_F32);
    parts(WEFT_F64);
    not_finite(WEFT_BACKWARD_EULER);
    not_finite(WEFT_CRANK_NICOLSON);
    weft_close(ctx);
    return expect_end();
}
