/* build/bench_cpu_heat [--threads N] [--points LOG2] [--steps N]: weft_heat on a CPU, backward Euler on f32 lines,
 * compared with a plain loop. The loop is the Thomas algorithm with pivots computed once, each line through all steps
 * before the next one, with OpenMP over the lines. Prints the best of several alternating rounds in nanoseconds per
 * point and step. */
#include "weft.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7 };

typedef struct lines {
    size_t count, n, steps;
    const float *u;
    float *v;
} lines;

static weft_context *ctx;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void by_weft(const lines *l) {
    const double lambda = 1;
    if (weft_heat(ctx, WEFT_BACKWARD_EULER, WEFT_F32, 1, &l->n, l->count, &lambda, l->steps, l->u, l->v) == WEFT_OK)
        return;
    fprintf(stderr, "bench_cpu_heat: %s\n", weft_last_error(ctx));
    exit(1);
}

/* Solves -x[i-1] + 3 x[i] - x[i+1] = u[i] by the Thomas algorithm. */
static void by_thomas(const lines *l) {
    const size_t n = l->n;
    float *const pivot = malloc(n * sizeof *pivot); /* reciprocals of the pivots */
    pivot[0] = 1 / 3.0f;
    for (size_t i = 1; i < n; i++) pivot[i] = 1 / (3.0f - pivot[i - 1]);
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < l->count; s++) {
        float *x = l->v + s * n;
        memcpy(x, l->u + s * n, n * sizeof *x);
        for (size_t step = 0; step < l->steps; step++) {
            x[0] *= pivot[0];
            for (size_t i = 1; i < n; i++) x[i] = (x[i] + x[i - 1]) * pivot[i];
            for (size_t i = n - 1; i-- > 0;) x[i] += pivot[i] * x[i + 1];
        }
    }
    free(pivot);
}

static double timed(void (*run)(const lines *), const lines *l) {
    const double start = seconds();
    run(l);
    return seconds() - start;
}

static void measure(const lines *l) {
    double weft = 1e9, thomas = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        const double a = timed(by_weft, l), b = timed(by_thomas, l);
        weft = a < weft ? a : weft;
        thomas = b < thomas ? b : thomas;
    }
    const double all = 1e-9 * (double)(l->count * l->n * l->steps);
    printf("%9zu lines of %8zu points, %zu steps, %d threads: weft %.3f ns, Thomas %.3f ns, %.2fx\n", l->count, l->n,
           l->steps, omp_get_max_threads(), weft / all, thomas / all, thomas / weft);
}

int main(int argc, char **argv) {
    int log2_points = 22, steps = 20;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
        if (strcmp(argv[i], "--points") == 0) log2_points = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--steps") == 0) steps = atoi(argv[i + 1]);
    }
    static const size_t lengths[] = {32, 128, 512, 2048};
    const size_t points = (size_t)1 << log2_points;
    float *const u = malloc(points * sizeof *u), *const v = malloc(points * sizeof *v);
    for (size_t i = 0; i < points; i++) u[i] = (float)(i * 2654435761u % 65536) / 65536;
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, omp_get_max_threads()) != WEFT_OK) return 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        measure(&(lines){points / lengths[i], lengths[i], (size_t)steps, u, v});
    measure(&(lines){1, points, (size_t)steps, u, v});
    weft_close(ctx);
    free(u);
    free(v);
    return 0;
}
