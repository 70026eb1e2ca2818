/* build/bench_cpu_levels [--threads N] [--only TEXT]: the same calls with the instruction sets x86-64-v2 (SSE4.2), v3
 * (AVX2 and FMA) and v4 (AVX-512) of one machine, on N threads (1 by default). --only runs the rows whose names
 * contain TEXT. In each round every set takes its turn. Prints the medians of the time of a call, and the speed of v2
 * and v3 divided by that of v4. Arrays of 2^14 elements are in the caches of one core. */
#include "cpu_timing.h"
#include "weft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 3, ROUNDS_MOST = 201, ROUNDS_LEAST = 5, BINS = 256, ROW = 1000, SYSTEM = 128 };
enum { SHORT = 1 << 14, SYSTEMS = 1 << 22, LONG = 1 << 24, LONGEST = 1 << 26 };
static const double BUDGET_SECONDS = 0.5, ROUND_SECONDS = 1e-4;
static const char *const LEVEL_NAMES[LEVELS] = {"v2", "v3", "v4"};

typedef weft_status call(weft_context *ctx, size_t n);

static double *x, *y, *z; /* LONGEST f32, or half as many f64 */
static double *diagonal;  /* SYSTEMS elements from 3 to 4 */

/* ------------------------------------------------------------------------------------- calls */

static weft_status sum_f32(weft_context *ctx, size_t n) {
    float sum;
    return weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, &sum);
}

static weft_status exact_sum_f32(weft_context *ctx, size_t n) {
    float sum;
    return weft_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_EXACT_SUM, n, x, &sum);
}

static weft_status max_f32(weft_context *ctx, size_t n) {
    float max;
    return weft_reduce(ctx, WEFT_MAX, WEFT_F32, WEFT_DEFAULT, n, x, &max);
}

static weft_status dot_f32(weft_context *ctx, size_t n) {
    float dot;
    return weft_dot(ctx, WEFT_F32, WEFT_DEFAULT, n, x, y, &dot);
}

static weft_status dot_f64(weft_context *ctx, size_t n) {
    double dot;
    return weft_dot(ctx, WEFT_F64, WEFT_DEFAULT, n, x, y, &dot);
}

static weft_status scan_f32(weft_context *ctx, size_t n) {
    return weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, z);
}

static weft_status scan_f64(weft_context *ctx, size_t n) {
    return weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, n, x, NULL, z);
}

static weft_status sort_u32(weft_context *ctx, size_t n) { return weft_sort(ctx, WEFT_ASCENDING, WEFT_U32, n, x, z); }
static weft_status sort_f64(weft_context *ctx, size_t n) { return weft_sort(ctx, WEFT_ASCENDING, WEFT_F64, n, x, z); }

static weft_status multiply(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n) {
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, dtype, accumulate, n, n, n, NULL, x,
                       n, y, n, NULL, z, n);
}
static weft_status matmul_f32(weft_context *ctx, size_t n) { return multiply(ctx, WEFT_F32, WEFT_DEFAULT, n); }
static weft_status matmul_f64(weft_context *ctx, size_t n) { return multiply(ctx, WEFT_F64, WEFT_DEFAULT, n); }
static weft_status matmul_f32_in_f64(weft_context *ctx, size_t n) { return multiply(ctx, WEFT_F32, WEFT_F64, n); }

static weft_status fft_f32(weft_context *ctx, size_t n) { return weft_fft(ctx, WEFT_C2C, WEFT_F32, 1, n, x, z); }
static weft_status fft_f64(weft_context *ctx, size_t n) { return weft_fft(ctx, WEFT_C2C, WEFT_F64, 1, n, x, z); }

static weft_status histogram_f32(weft_context *ctx, size_t n) {
    const float low = -1, high = 1;
    uint64_t counts[BINS];
    return weft_histogram_even(ctx, WEFT_F32, n, x, BINS, &low, &high, counts);
}

/* Solves interleaved systems. */
static weft_status tridiag(weft_context *ctx, weft_dtype dtype, size_t n) {
    const size_t systems = n / SYSTEM;
    uint64_t singular;
    return weft_tridiag(ctx, WEFT_OPEN_ENDS, dtype, systems, SYSTEM, (weft_lines){x, systems, 1},
                        (weft_lines){diagonal, systems, 1}, (weft_lines){x, systems, 1}, (weft_lines){y, systems, 1},
                        z, &singular);
}
static weft_status tridiag_f32(weft_context *ctx, size_t n) { return tridiag(ctx, WEFT_F32, n); }
static weft_status tridiag_f64(weft_context *ctx, size_t n) { return tridiag(ctx, WEFT_F64, n); }

static weft_status recurrence_f64(weft_context *ctx, size_t n) {
    return weft_recurrence(ctx, WEFT_FORWARD, WEFT_F64, n / ROW, ROW, x, y, NULL, z);
}

static weft_status uniform_f32(weft_context *ctx, size_t n) {
    return weft_random(ctx, WEFT_UNIFORM, WEFT_F32, 1, 0, 0, n, 0, 1, z);
}

static weft_status normal_f64(weft_context *ctx, size_t n) {
    return weft_random(ctx, WEFT_NORMAL, WEFT_F64, 1, 0, 0, n, 0, 1, z);
}

static const struct {
    const char *name;
    size_t n; /* elements, or the order of matrices */
    weft_dtype dtype;
    call *run;
} ROWS[] = {
    {"sum f32", SHORT, WEFT_F32, sum_f32},
    {"sum f32", LONGEST, WEFT_F32, sum_f32},
    {"sum f32 exact", SHORT, WEFT_F32, exact_sum_f32},
    {"max f32", SHORT, WEFT_F32, max_f32},
    {"dot f32", SHORT, WEFT_F32, dot_f32},
    {"dot f64", SHORT, WEFT_F64, dot_f64},
    {"scan f32", SHORT, WEFT_F32, scan_f32},
    {"scan f32", LONG, WEFT_F32, scan_f32},
    {"scan f64", SHORT, WEFT_F64, scan_f64},
    {"recurrence f64: rows of 1000", SHORT, WEFT_F64, recurrence_f64},
    {"recurrence f64: rows of 1000", LONG, WEFT_F64, recurrence_f64},
    {"bins 256 f32", LONG, WEFT_F32, histogram_f32},
    {"sort u32", LONG, WEFT_U32, sort_u32},
    {"sort f64", LONG, WEFT_F64, sort_f64},
    {"matmul f32, order", 1024, WEFT_F32, matmul_f32},
    {"matmul f64, order", 1024, WEFT_F64, matmul_f64},
    {"matmul f32 accumulated in f64, order", 1024, WEFT_F32, matmul_f32_in_f64},
    {"fft one complex f32 transform", 1 << 10, WEFT_F32, fft_f32},
    {"fft one complex f32 transform", 1 << 16, WEFT_F32, fft_f32},
    {"fft one complex f64 transform", 1 << 10, WEFT_F64, fft_f64},
    {"fft one complex f64 transform", 1 << 16, WEFT_F64, fft_f64},
    {"tridiag f32, interleaved systems of 128 rows", SYSTEMS, WEFT_F32, tridiag_f32},
    {"tridiag f64, interleaved systems of 128 rows", SYSTEMS, WEFT_F64, tridiag_f64},
    {"random uniform f32", LONG, WEFT_F32, uniform_f32},
    {"random normal f64", LONG, WEFT_F64, normal_f64},
};

/* ------------------------------------------------------------------------------------- rounds */

static weft_context *levels[LEVELS]; /* NULL: this machine or this build does not have the set */

static double seconds(call *run, weft_context *ctx, size_t n, int calls) {
    const double start = now();
    for (int i = 0; i < calls; i++)
        if (run(ctx, n) != WEFT_OK) stop("weft", weft_last_error(ctx));
    return (now() - start) / calls;
}

/* Sets median to the medians of the seconds of a call with each instruction set, or to 0. */
static void measure(call *run, size_t n, double median[LEVELS]) {
    static double taken[LEVELS][ROUNDS_MOST];
    int calls = 1, rounds = 0;
    for (int i = 0; i < LEVELS; i++)
        if (levels[i])
            while (seconds(run, levels[i], n, calls) * calls < ROUND_SECONDS) calls *= 2;
    for (const double start = now(); rounds < ROUNDS_LEAST || now() - start < BUDGET_SECONDS; rounds++) {
        if (rounds == ROUNDS_MOST) break;
        for (int i = 0; i < LEVELS; i++) taken[i][rounds] = levels[i] ? seconds(run, levels[i], n, calls) : 0;
    }
    for (int i = 0; i < LEVELS; i++) median[i] = median_of(taken[i], rounds);
}

static void fill(weft_dtype dtype) {
    const size_t n = dtype == WEFT_F64 ? LONGEST / 2 : LONGEST;
    weft_context *const ctx = levels[LEVELS - 1];
    double *const both[] = {x, y};
    weft_status status = WEFT_OK;
    for (uint64_t i = 0; i < 2 && status == WEFT_OK; i++)
        status = dtype == WEFT_U32 ? weft_random_integers(ctx, dtype, 2, i, 0, n, NULL, NULL, both[i])
                                   : weft_random(ctx, WEFT_UNIFORM, dtype, 2, i, 0, n, -1, 1, both[i]);
    if (status == WEFT_OK && dtype != WEFT_U32)
        status = weft_random(ctx, WEFT_UNIFORM, dtype, 2, 2, 0, SYSTEMS, 3, 4, diagonal);
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}

static void print(const char *name, size_t n, int threads, const double *median) {
    const double last = median[LEVELS - 1];
    const double scale = last < 1e-6 ? 1e9 : last < 1e-3 ? 1e6 : 1e3;
    printf("%-46s %9zu %2d ", name, n, threads);
    for (int i = 0; i < LEVELS; i++)
        if (levels[i])
            printf(" %s %9.3f", LEVEL_NAMES[i], scale * median[i]);
        else
            printf(" %s %9s", LEVEL_NAMES[i], "-");
    printf(" %s", last < 1e-6 ? "ns" : last < 1e-3 ? "us" : "ms");
    for (int i = 0; i < LEVELS - 1; i++)
        if (levels[i])
            printf(" %6.2fx", last / median[i]);
        else
            printf(" %7s", "-");
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    int threads = 1;
    const char *only = "";
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--threads") == 0)
            threads = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
    for (int i = 0; i < LEVELS; i++) {
        char device[16];
        snprintf(device, sizeof device, "cpu:%s", LEVEL_NAMES[i]);
        if (weft_open(&levels[i], device) != WEFT_OK)
            levels[i] = NULL;
        else if (weft_set_threads(levels[i], threads) != WEFT_OK)
            stop("weft", weft_last_error(levels[i]));
    }
    if (!levels[LEVELS - 1]) {
        printf("this machine or this build does not have the instruction set %s\n", LEVEL_NAMES[LEVELS - 1]);
        return 0;
    }
    x = malloc(LONGEST * sizeof(float));
    y = malloc(LONGEST * sizeof(float));
    z = malloc(LONGEST * sizeof(float));
    diagonal = malloc(SYSTEMS * sizeof(double));
    if (!x || !y || !z || !diagonal) stop("arrays", "cannot allocate memory");
    for (size_t r = 0; r < sizeof ROWS / sizeof *ROWS; r++) {
        double median[LEVELS];
        if (!strstr(ROWS[r].name, only)) continue;
        fill(ROWS[r].dtype);
        measure(ROWS[r].run, ROWS[r].n, median);
        print(ROWS[r].name, ROWS[r].n, threads, median);
    }
    for (int i = 0; i < LEVELS; i++) weft_close(levels[i]);
    free(x);
    free(y);
    free(z);
    free(diagonal);
    return 0;
}
