/* build/bench_cpu_heat [--threads N] [--points LOG2] [--steps N]: weft_heat on a CPU, backward Euler on lines and on
 * grids of three dimensions, compared with plain loops. The loops are the Thomas algorithm with pivots computed once.
 * Each line makes all steps before the next one, with OpenMP over the lines; in a grid OpenMP divides each sweep, and
 * sweeps along y and z solve adjacent lines with SIMD instructions. f32; f64 in build/bench_cpu_heat_f64, which is
 * compiled with WEFT_BENCH_F64. Prints the best of several alternating rounds. */
#include "cpu_timing.h"
#include "weft.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT_BENCH_F64
#define DTYPE WEFT_F64
#define NAME "f64"
typedef double real;
#else
#define DTYPE WEFT_F32
#define NAME "f32"
typedef float real;
#endif

enum { ROUNDS = 7 };

/* Lines, or one grid of three dimensions whose axes have the same length. */
typedef struct grids {
    size_t dimensions, batch, n, steps;
    const real *u;
    real *v;
} grids;

static weft_context *ctx;

static size_t points(const grids *g) { return g->batch * (g->dimensions == 3 ? g->n * g->n * g->n : g->n); }

static void by_weft(const grids *g) {
    const double lambda[] = {1, 1, 1};
    const size_t shape[] = {g->n, g->n, g->n};
    if (weft_heat(ctx, WEFT_BACKWARD_EULER, DTYPE, g->dimensions, shape, g->batch, lambda, g->steps, g->u, g->v) ==
        WEFT_OK)
        return;
    fprintf(stderr, "bench_cpu_heat: %s\n", weft_last_error(ctx));
    exit(1);
}

/* ----------------------------------------------------------------------- the Thomas algorithm */

/* Solves -x[i-1] + 3 x[i] - x[i+1] = u[i], with u in x. `pivot`: reciprocals of the pivots. */
static void solve_line(size_t n, const real *pivot, real *x) {
    x[0] *= pivot[0];
    for (size_t i = 1; i < n; i++) x[i] = (x[i] + x[i - 1]) * pivot[i];
    for (size_t i = n - 1; i-- > 0;) x[i] += pivot[i] * x[i + 1];
}

/* Solves n adjacent lines. Consecutive elements of a line are `stride` apart. */
static void solve_adjacent(size_t n, const real *pivot, size_t stride, real *x) {
#pragma omp simd
    for (size_t i = 0; i < n; i++) x[i] *= pivot[0];
    for (size_t j = 1; j < n; j++) {
        real *const row = x + j * stride;
#pragma omp simd
        for (size_t i = 0; i < n; i++) row[i] = (row[i] + row[i - stride]) * pivot[j];
    }
    for (size_t j = n - 1; j-- > 0;) {
        real *const row = x + j * stride;
#pragma omp simd
        for (size_t i = 0; i < n; i++) row[i] += pivot[j] * row[i + stride];
    }
}

static void step_grid(size_t n, const real *pivot, real *v) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (size_t line = 0; line < n * n; line++) solve_line(n, pivot, v + line * n);
#pragma omp for schedule(static)
        for (size_t k = 0; k < n; k++) solve_adjacent(n, pivot, n, v + k * n * n);
#pragma omp for schedule(static)
        for (size_t j = 0; j < n; j++) solve_adjacent(n, pivot, n * n, v + j * n);
    }
}

static void by_thomas(const grids *g) {
    const size_t n = g->n;
    real *const pivot = malloc(n * sizeof *pivot);
    pivot[0] = 1 / (real)3;
    for (size_t i = 1; i < n; i++) pivot[i] = 1 / (3 - pivot[i - 1]);
    if (g->dimensions == 3) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++) memcpy(g->v + i * n * n, g->u + i * n * n, n * n * sizeof(real));
        for (size_t step = 0; step < g->steps; step++) step_grid(n, pivot, g->v);
    } else {
#pragma omp parallel for schedule(static)
        for (size_t s = 0; s < g->batch; s++) {
            memcpy(g->v + s * n, g->u + s * n, n * sizeof(real));
            for (size_t step = 0; step < g->steps; step++) solve_line(n, pivot, g->v + s * n);
        }
    }
    free(pivot);
}

/* ------------------------------------------------------------------------------------ measuring */

static double timed(void (*run)(const grids *), const grids *g) {
    const double start = now();
    run(g);
    return now() - start;
}

static void measure(const char *name, const grids *g) {
    double weft = 1e9, thomas = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double a = timed(by_weft, g), b = timed(by_thomas, g);
        weft = a < weft ? a : weft;
        thomas = b < thomas ? b : thomas;
    }
    const double all = 1e-9 * (double)(points(g) * g->steps);
    printf("heat %-34s %9zu %3d %9.3f ns a point and step  Thomas algorithm, pivots kept %9.3f %6.2fx\n", name,
           points(g), omp_get_max_threads(), weft / all, thomas / all, thomas / weft);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {32, 128, 512, 2048}, sides[] = {64, 128, 256};
    int log2_points = 22, steps = 20;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
        if (strcmp(argv[i], "--points") == 0) log2_points = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--steps") == 0) steps = atoi(argv[i + 1]);
    }
    const size_t line_points = (size_t)1 << log2_points, most = line_points > 1 << 24 ? line_points : 1 << 24;
    real *const u = malloc(most * sizeof *u), *const v = malloc(most * sizeof *v);
    if (!u || !v) return 1;
    for (size_t i = 0; i < most; i++) u[i] = (real)(i * 2654435761u % 65536) / 65536;
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, omp_get_max_threads()) != WEFT_OK) return 1;
    char name[64];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        snprintf(name, sizeof name, NAME ", lines of %zu points", lengths[i]);
        measure(name, &(grids){1, line_points / lengths[i], lengths[i], (size_t)steps, u, v});
    }
    measure(NAME ", one line", &(grids){1, 1, line_points, (size_t)steps, u, v});
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        snprintf(name, sizeof name, "%zu^3 " NAME, sides[i]);
        measure(name, &(grids){3, 1, sides[i], (size_t)(steps / 5 + 1), u, v});
    }
    weft_close(ctx);
    free(u);
    free(v);
    return 0;
}
