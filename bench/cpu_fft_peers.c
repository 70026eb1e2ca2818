/* weft_fft on the CPU compared with FFTW (plans by estimate), one thread each: build/bench_cpu_fft. Prints the best
 * of many alternating calls. Tables and plans are created beforehand. */
#include "weft.h"

#include <fftw3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double BUDGET_SECONDS = 0.5;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct rival {
    weft_context *ctx;
    bool f32;
    size_t n;
    void *x, *y;
    fftwf_plan plan_f32;
    fftw_plan plan_f64;
} rival;

static bool run_weft(const rival *r, int times) {
    for (int i = 0; i < times; i++)
        if (weft_fft(r->ctx, WEFT_C2C, r->f32 ? WEFT_F32 : WEFT_F64, 1, r->n, r->x, r->y) != WEFT_OK) return false;
    return true;
}

static void run_fftw(const rival *r, int times) {
    for (int i = 0; i < times; i++)
        if (r->f32)
            fftwf_execute(r->plan_f32);
        else
            fftw_execute(r->plan_f64);
}

static bool row(rival *r, int log) {
    const int times = log < 16 ? 1 << (16 - log) : 1;
    double best[2] = {1e9, 1e9};
    const double start = now();
    for (int round = 0; round < 3 || now() - start < BUDGET_SECONDS; round++) {
        const double a = now();
        if (!run_weft(r, times)) return false;
        const double b = now();
        run_fftw(r, times);
        const double c = now();
        if ((b - a) / times < best[0]) best[0] = (b - a) / times;
        if ((c - b) / times < best[1]) best[1] = (c - b) / times;
    }
    printf("c2c %s 2^%-2d  weft %10.2f us   FFTW %10.2f us %6.2fx   %5.1f GFLOP/s\n", r->f32 ? "f32" : "f64", log,
           1e6 * best[0], 1e6 * best[1], best[1] / best[0], 5e-9 * (double)r->n * log / best[0]);
    return true;
}

static bool compare(weft_context *ctx, bool f32, int log) {
    rival r = {.ctx = ctx, .f32 = f32, .n = (size_t)1 << log};
    r.x = fftw_malloc(r.n * 2 * sizeof(double));
    r.y = fftw_malloc(r.n * 2 * sizeof(double));
    if (!r.x || !r.y) return false;
    if (f32)
        r.plan_f32 = fftwf_plan_dft_1d((int)r.n, r.x, r.y, FFTW_FORWARD, FFTW_ESTIMATE);
    else
        r.plan_f64 = fftw_plan_dft_1d((int)r.n, r.x, r.y, FFTW_FORWARD, FFTW_ESTIMATE);
    for (size_t i = 0; i < 2 * r.n; i++)
        if (f32)
            ((float *)r.x)[i] = (float)(i % 7) - 3;
        else
            ((double *)r.x)[i] = (double)(i % 7) - 3;
    const bool done = row(&r, log);
    if (f32)
        fftwf_destroy_plan(r.plan_f32);
    else
        fftw_destroy_plan(r.plan_f64);
    fftw_free(r.x);
    fftw_free(r.y);
    return done;
}

int main(void) {
    weft_context *ctx;
    if (weft_open(&ctx, "cpu") != WEFT_OK) return puts(weft_last_error(NULL)), 1;
    weft_set_threads(ctx, 1);
    bool done = true;
    for (int type = 0; type < 2 && done; type++)
        for (int log = 6; log <= 22 && done; log += 2) done = compare(ctx, type == 0, log);
    if (!done) puts(weft_last_error(ctx));
    weft_close(ctx);
    return !done;
}
