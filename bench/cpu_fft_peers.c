/* weft_fft on the CPU compared with FFTW (plans by measurement), one thread each:
 *     build/bench_cpu_fft [LOW [HIGH]]      transforms of 2^LOW to 2^HIGH values, one at a time and in batches
 *     build/bench_cpu_fft --lengths [N...]  transforms of these numbers of values
 * Prints the medians of alternating rounds. Tables and plans are created beforehand. */
#include "cpu_timing.h"
#include "weft.h"

#include <fftw3.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 1001, ROUNDS_LEAST = 5, BATCH_VALUES = 1 << 14 };
static const double BUDGET_SECONDS = 0.1, ROUND_SECONDS = 1e-4;

/* One row: `batch` transforms of n values per call. */
typedef struct rival {
    weft_context *ctx;
    bool f32;
    size_t n, batch;
    void *x, *y;
    fftwf_plan plan_f32;
    fftw_plan plan_f64;
} rival;

static bool run_weft(const rival *r, int times) {
    for (int i = 0; i < times; i++)
        if (weft_fft(r->ctx, WEFT_C2C, r->f32 ? WEFT_F32 : WEFT_F64, r->batch, r->n, r->x, r->y) != WEFT_OK)
            return false;
    return true;
}

static bool run_fftw(const rival *r, int times) {
    for (int i = 0; i < times; i++)
        if (r->f32)
            fftwf_execute(r->plan_f32);
        else
            fftw_execute(r->plan_f64);
    return true;
}

/* Returns the number of calls that take ROUND_SECONDS, or 0 if a call fails. */
static int calls_per_round(const rival *r) {
    if (!run_weft(r, 1)) return 0; /* creates the tables */
    for (int times = 1;; times *= 2) {
        const double start = now();
        if (!run_weft(r, times)) return 0;
        if (now() - start >= ROUND_SECONDS || times >= 1 << 20) return times;
    }
}

static bool row(const rival *r) {
    static double seconds[2][ROUNDS_MOST];
    const int times = calls_per_round(r);
    const double start = now(), values = (double)r->n * (double)r->batch;
    int rounds = 0;
    if (times == 0) return false;
    for (; rounds < ROUNDS_MOST && (rounds < ROUNDS_LEAST || now() - start < BUDGET_SECONDS); rounds++) {
        const double a = now();
        if (!run_weft(r, times)) return false;
        const double b = now();
        run_fftw(r, times);
        seconds[0][rounds] = (b - a) / times;
        seconds[1][rounds] = (now() - b) / times;
    }
    const double weft = median_of(seconds[0], rounds), fftw = median_of(seconds[1], rounds);
    printf("c2c %s %-8zu x %-5zu weft %12.3f us   FFTW %12.3f us %6.2fx   %6.1f GFLOP/s\n", r->f32 ? "f32" : "f64",
           r->n, r->batch, 1e6 * weft, 1e6 * fftw, fftw / weft, 5e-9 * values * log2((double)r->n) / weft);
    return true;
}

/* Plans by measurement, which overwrites both arrays. */
static bool plan(rival *r) {
    const int n = (int)r->n, batch = (int)r->batch;
    if (r->f32) {
        r->plan_f32 =
            fftwf_plan_many_dft(1, &n, batch, r->x, NULL, 1, n, r->y, NULL, 1, n, FFTW_FORWARD, FFTW_MEASURE);
        return r->plan_f32;
    }
    r->plan_f64 = fftw_plan_many_dft(1, &n, batch, r->x, NULL, 1, n, r->y, NULL, 1, n, FFTW_FORWARD, FFTW_MEASURE);
    return r->plan_f64;
}

static bool compare(weft_context *ctx, bool f32, size_t n, size_t batch) {
    rival r = {.ctx = ctx, .f32 = f32, .n = n, .batch = batch};
    const size_t reals = 2 * r.n * batch, bytes = reals * (f32 ? sizeof(float) : sizeof(double));
    r.x = fftw_malloc(bytes);
    r.y = fftw_malloc(bytes);
    if (!r.x || !r.y || !plan(&r)) return false;
    for (size_t i = 0; i < reals; i++)
        if (f32)
            ((float *)r.x)[i] = (float)(i % 7) - 3;
        else
            ((double *)r.x)[i] = (double)(i % 7) - 3;
    const bool done = row(&r);
    if (f32)
        fftwf_destroy_plan(r.plan_f32);
    else
        fftw_destroy_plan(r.plan_f64);
    fftw_free(r.x);
    fftw_free(r.y);
    return done;
}

/* Compares one transform of n values, and a batch of short ones, of both types. */
static bool compare_length(weft_context *ctx, size_t n) {
    bool done = true;
    for (int type = 0; type < 2 && done; type++) {
        done = compare(ctx, type == 0, n, 1);
        if (done && n < BATCH_VALUES) done = compare(ctx, type == 0, n, BATCH_VALUES / n);
    }
    return done;
}

static bool compare_powers(weft_context *ctx, int low, int high) {
    bool done = true;
    for (int log = low; log <= high && done; log++) done = compare_length(ctx, (size_t)1 << log);
    return done;
}

static bool compare_lengths(weft_context *ctx, int count, char **lengths) {
    static const size_t usual[] = {3,    5,     6,     7,     12,    15,     24,     56,    60,     96,
                                   100,  105,   120,   127,   210,   243,    360,    384,   500,    625,
                                   720,  1000,  1155,  1536,  2003,  2401,   3000,   3125,  4096,   5000,
                                   6144, 10000, 15625, 19683, 49152, 100000, 117649, 65537, 196608, 1000000};
    bool done = true;
    for (size_t i = 0; count == 0 && i < sizeof usual / sizeof *usual && done; i++)
        done = compare_length(ctx, usual[i]);
    for (int i = 0; i < count && done; i++) done = compare_length(ctx, strtoull(lengths[i], NULL, 10));
    return done;
}

int main(int argc, char **argv) {
    weft_context *ctx;
    if (weft_open(&ctx, "cpu") != WEFT_OK) return puts(weft_last_error(NULL)), 1;
    weft_set_threads(ctx, 1);
    const bool done = argc > 1 && strcmp(argv[1], "--lengths") == 0
                          ? compare_lengths(ctx, argc - 2, argv + 2)
                          : compare_powers(ctx, argc > 1 ? atoi(argv[1]) : 4, argc > 2 ? atoi(argv[2]) : 22);
    if (!done) puts(weft_last_error(ctx));
    weft_close(ctx);
    return !done;
}
