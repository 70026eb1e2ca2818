/* build/bench_cpu_random [--threads N] [--samples LOG2]: weft_random on a CPU compared with loops that use the C
 * library: erand48 for uniform numbers, and G. Box and M. Muller's method on them for normal ones. Each thread has
 * its own state. Also compared with memset of as much memory. Prints the best of several rounds in which all
 * alternate. */
#include "cpu_timing.h"
#include "weft.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

typedef void call(void *out, size_t n);

static weft_context *ctx;

/* -------------------------------------------------------------------------------------- weft */

static void ok(weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "bench_cpu_random: %s\n", weft_last_error(ctx));
    exit(1);
}

static void weft_uniform_f32(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_UNIFORM, WEFT_F32, 1, 0, 0, n, 0, 1, out));
}
static void weft_uniform_f64(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_UNIFORM, WEFT_F64, 1, 0, 0, n, 0, 1, out));
}
static void weft_normal_f32(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 0, 0, n, 0, 1, out));
}
static void weft_normal_fast(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_NORMAL_FAST, WEFT_F32, 1, 0, 0, n, 0, 1, out));
}
static void weft_lognormal_fast(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_LOGNORMAL_FAST, WEFT_F32, 1, 0, 0, n, 0, 1, out));
}
static void weft_normal_f64(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_NORMAL, WEFT_F64, 1, 0, 0, n, 0, 1, out));
}
static void weft_exponential_f64(void *out, size_t n) {
    ok(weft_random(ctx, WEFT_EXPONENTIAL, WEFT_F64, 1, 0, 0, n, 1, 0, out));
}
static void weft_dice(void *out, size_t n) {
    const int32_t lower = 1, upper = 6;
    ok(weft_random_integers(ctx, WEFT_I32, 1, 0, 0, n, &lower, &upper, out));
}

/* ------------------------------------------------------------------------------------- peers */

/* State of this thread's generator. */
typedef struct state {
    unsigned short word[3];
} state;

static state begin(void) { return (state){{(unsigned short)omp_get_thread_num(), 1, 2}}; }

static void erand48_uniform_f32(void *out, size_t n) {
    float *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) x[i] = (float)erand48(s.word);
    }
}

static void erand48_uniform_f64(void *out, size_t n) {
    double *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) x[i] = erand48(s.word);
    }
}

static const double TURN = 6.283185307179586;

static void box_muller_f32(void *out, size_t n) {
    float *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n / 2; i++) {
            const float r = sqrtf(-2 * logf(1 - (float)erand48(s.word))), turn = (float)(TURN * erand48(s.word));
            x[2 * i] = r * cosf(turn);
            x[2 * i + 1] = r * sinf(turn);
        }
    }
}

static void log_normal_f32(void *out, size_t n) {
    float *const x = out;
    box_muller_f32(out, n);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) x[i] = expf(x[i]);
}

static void box_muller_f64(void *out, size_t n) {
    double *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n / 2; i++) {
            const double r = sqrt(-2 * log(1 - erand48(s.word))), turn = TURN * erand48(s.word);
            x[2 * i] = r * cos(turn);
            x[2 * i + 1] = r * sin(turn);
        }
    }
}

static void log_exponential_f64(void *out, size_t n) {
    double *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) x[i] = -log(1 - erand48(s.word));
    }
}

static void nrand48_dice(void *out, size_t n) {
    int32_t *const x = out;
#pragma omp parallel
    {
        state s = begin();
#pragma omp for schedule(static)
        for (size_t i = 0; i < n; i++) x[i] = 1 + (int32_t)(nrand48(s.word) % 6);
    }
}

static void set(void *out, size_t bytes) {
#pragma omp parallel
    {
        const size_t threads = (size_t)omp_get_num_threads(), part = bytes / threads;
        memset((char *)out + (size_t)omp_get_thread_num() * part, 1, part);
    }
}

/* ------------------------------------------------------------------------------------- rounds */

static const struct {
    const char *name;
    size_t size; /* bytes per sample */
    call *weft;
    const char *peer_name;
    call *peer;
} ROWS[] = {
    {"uniform f32", sizeof(float), weft_uniform_f32, "erand48", erand48_uniform_f32},
    {"uniform f64", sizeof(double), weft_uniform_f64, "erand48", erand48_uniform_f64},
    {"normal f32", sizeof(float), weft_normal_f32, "Box-Muller", box_muller_f32},
    {"fast normal f32", sizeof(float), weft_normal_fast, "Box-Muller", box_muller_f32},
    {"fast log-normal f32", sizeof(float), weft_lognormal_fast, "Box-Muller, exp", log_normal_f32},
    {"normal f64", sizeof(double), weft_normal_f64, "Box-Muller", box_muller_f64},
    {"exponential f64", sizeof(double), weft_exponential_f64, "-log(erand48)", log_exponential_f64},
    {"integers 1 to 6", sizeof(int32_t), weft_dice, "nrand48 % 6", nrand48_dice},
};

static double measure(call *run, void *out, size_t n, double best) {
    const double start = now();
    run(out, n);
    const double taken = now() - start;
    return taken < best ? taken : best;
}

int main(int argc, char **argv) {
    int log2_samples = 24;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
        if (strcmp(argv[i], "--samples") == 0) log2_samples = atoi(argv[i + 1]);
    }
    const size_t n = (size_t)1 << log2_samples;
    void *out = malloc(n * sizeof(double));
    if (!out) return 1;
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, omp_get_max_threads()) != WEFT_OK) return 1;
    printf("%zu samples, %d threads\n%-20s %8s %8s  %-16s %8s %7s %10s\n", n, omp_get_max_threads(), "", "ns each",
           "GB/s", "peer", "ns each", "ratio", "of setting");
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        double weft = 1e9, peer = 1e9, setting = 1e9;
        for (int round = 0; round < ROUNDS; round++) {
            weft = measure(ROWS[r].weft, out, n, weft);
            peer = measure(ROWS[r].peer, out, n, peer);
            setting = measure(set, out, n * ROWS[r].size, setting);
        }
        printf("%-20s %8.3f %8.2f  %-16s %8.3f %6.2fx %8.1f %%\n", ROWS[r].name, 1e9 * weft / (double)n,
               (double)(n * ROWS[r].size) / weft / 1e9, ROWS[r].peer_name, 1e9 * peer / (double)n, peer / weft,
               100 * setting / weft);
    }
    free(out);
    weft_close(ctx);
    return 0;
}
