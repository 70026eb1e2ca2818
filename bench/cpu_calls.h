/* Calls of the library that bench_cpu_levels times and bench_cpu_instructions counts, and their operands. */
#ifndef WEFT_BENCH_CPU_CALLS_H
#define WEFT_BENCH_CPU_CALLS_H

#include "cpu_timing.h"
#include "weft.h"

enum { BINS = 256, ROW = 1000, SYSTEM = 128 };
enum { SHORT = 1 << 14, SYSTEMS = 1 << 22, LONG = 1 << 24, LONGEST = 1 << 26 };

typedef weft_status call(weft_context *ctx, size_t n);

static double *x, *y, *z; /* elements of the row's type, from -1 to 1, or of all values of u32; z is the result */
static double *diagonal;  /* elements from 3 to 4 */

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

/* Allocates the operands and fills x, y and diagonal with values of this type, for calls with at most n elements. */
static void fill(weft_context *ctx, weft_dtype dtype, size_t n) {
    const size_t bytes = n * (dtype == WEFT_F64 ? sizeof(double) : sizeof(float)), rows = n < SYSTEMS ? n : SYSTEMS;
    double **const all[] = {&x, &y, &z, &diagonal};
    weft_status status = WEFT_OK;
    for (int i = 0; i < 4; i++) {
        free(*all[i]);
        *all[i] = malloc(i < 3 ? bytes : rows * sizeof(double));
        if (!*all[i]) stop("arrays", "cannot allocate memory");
    }
    for (uint64_t i = 0; i < 2 && status == WEFT_OK; i++)
        status = dtype == WEFT_U32 ? weft_random_integers(ctx, dtype, 2, i, 0, n, NULL, NULL, *all[i])
                                   : weft_random(ctx, WEFT_UNIFORM, dtype, 2, i, 0, n, -1, 1, *all[i]);
    if (status == WEFT_OK && dtype != WEFT_U32)
        status = weft_random(ctx, WEFT_UNIFORM, dtype, 2, 2, 0, rows, 3, 4, diagonal);
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}
#endif
