/* build/bench_cpu_axes [--threads N] [--only NAME]...: reductions, scans, sorts and copies of arrays of several
 * dimensions on a CPU compared with the loops that a programmer would write instead, with OpenMP, and with a loop
 * that reads the input. Compiled with -O3 -march=native -ffp-contract=fast. In each round weft, its peer and the
 * reader make one call; prints the medians of the rounds in GB/s, of the bytes that are read and written, and the
 * ratio of the medians. */
#include "cpu_timing.h"
#include "weft.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, SQUARE = 1 << 14, TILE = 64 };

/* One row: an array of before x n x after elements of f32. */
typedef struct work work;
struct work {
    const char *name;
    size_t before, n, after;
    void (*weft)(const work *w);
    void (*peer)(const work *w);
    bool writes; /* the result is as large as the input */
};

static weft_context *ctx;
static float *x, *y;
static double sink;

static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}

static weft_view view(size_t dimensions, const size_t *shape, const void *data) {
    weft_view v;
    ok(weft_view_of(WEFT_F32, dimensions, shape, data, &v));
    return v;
}

/* ---------------------------------------------------------------------------------- reductions */

static void weft_sums(const work *w) {
    const weft_view from = view(3, (size_t[]){w->before, w->n, w->after}, x);
    const weft_view to = view(2, (size_t[]){w->before, w->after}, y);
    ok(weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &from, 1, (int[]){1}, &to));
}

static void loop_row_sums(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < w->before; b++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < w->n; i++) sum += x[b * w->n + i];
        y[b] = sum;
    }
}

static void loop_column_sums(const work *w) {
    const size_t parts = (w->after + TILE * 16 - 1) / (TILE * 16);
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t b = 0; b < w->before; b++)
        for (size_t part = 0; part < parts; part++) {
            const size_t first = part * TILE * 16, end = part + 1 < parts ? first + TILE * 16 : w->after;
            float *const to = y + b * w->after;
            for (size_t k = first; k < end; k++) to[k] = 0;
            for (size_t i = 0; i < w->n; i++)
#pragma omp simd
                for (size_t k = first; k < end; k++) to[k] += x[(b * w->n + i) * w->after + k];
        }
}

/* --------------------------------------------------------------------------------------- scans */

static void weft_scans(const work *w) {
    const weft_view from = view(3, (size_t[]){w->before, w->n, w->after}, x);
    const weft_view to = view(3, (size_t[]){w->before, w->n, w->after}, y);
    ok(weft_scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, 1, NULL, &to));
}

static void loop_row_scans(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < w->before; b++) {
        float sum = 0;
        for (size_t i = 0; i < w->n; i++) y[b * w->n + i] = sum += x[b * w->n + i];
    }
}

static void loop_column_scans(const work *w) {
    const size_t parts = (w->after + TILE * 16 - 1) / (TILE * 16);
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t b = 0; b < w->before; b++)
        for (size_t part = 0; part < parts; part++) {
            const size_t first = part * TILE * 16, end = part + 1 < parts ? first + TILE * 16 : w->after;
            const float *const from = x + b * w->n * w->after;
            float *const to = y + b * w->n * w->after;
            for (size_t k = first; k < end; k++) to[k] = from[k];
            for (size_t i = 1; i < w->n; i++)
#pragma omp simd
                for (size_t k = first; k < end; k++)
                    to[i * w->after + k] = to[(i - 1) * w->after + k] + from[i * w->after + k];
        }
}

/* --------------------------------------------------------------------------------------- sorts */

static void weft_sorts(const work *w) {
    const weft_view from = view(3, (size_t[]){w->before, w->n, w->after}, x);
    const weft_view to = view(3, (size_t[]){w->before, w->n, w->after}, y);
    ok(weft_sort_axis(ctx, WEFT_ASCENDING, &from, 1, &to));
}

static int order_of(const void *a, const void *b) {
    const float p = *(const float *)a, q = *(const float *)b;
    return (p > q) - (p < q);
}

static void loop_row_sorts(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < w->before; b++) {
        memcpy(y + b * w->n, x + b * w->n, w->n * sizeof *y);
        qsort(y + b * w->n, w->n, sizeof *y, order_of);
    }
}

/* w->n is at most SORTED. */
enum { SORTED = 1024 };
static void loop_column_sorts(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < w->after; k++) {
        float column[SORTED];
        for (size_t i = 0; i < w->n; i++) column[i] = x[i * w->after + k];
        qsort(column, w->n, sizeof *column, order_of);
        for (size_t i = 0; i < w->n; i++) y[i * w->after + k] = column[i];
    }
}

/* -------------------------------------------------------------------------------------- copies */

static void weft_copies(const work *w) {
    const weft_view from = view(2, (size_t[]){w->n, w->after}, x), to = view(2, (size_t[]){w->n, w->after}, y);
    ok(weft_copy_view(ctx, &from, &to));
}

static void loop_copies(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < w->n; i++) memcpy(y + i * w->after, x + i * w->after, w->after * sizeof *y);
}

static void weft_transposes(const work *w) {
    const weft_view to = view(2, (size_t[]){w->after, w->n}, y);
    weft_view from = view(2, (size_t[]){w->after, w->n}, x);
    from.stride[0] = sizeof *x;
    from.stride[1] = (ptrdiff_t)(w->after * sizeof *x);
    ok(weft_copy_view(ctx, &from, &to));
}

/* w->n and w->after are multiples of TILE. */
static void loop_transposes(const work *w) {
#pragma omp parallel for schedule(static) collapse(2)
    for (size_t row = 0; row < w->after; row += TILE)
        for (size_t column = 0; column < w->n; column += TILE)
            for (size_t r = row; r < row + TILE; r++)
                for (size_t c = column; c < column + TILE; c++) y[r * w->n + c] = x[c * w->after + r];
}

/* --------------------------------------------------------------------------------------- rows */

static const work rows[] = {
    {"sum", 1000000, 256, 1, weft_sums, loop_row_sums, false},
    {"sum", 1, 1000000, 256, weft_sums, loop_column_sums, false},
    {"sum", 256, 1000000, 1, weft_sums, loop_row_sums, false},
    {"sum", 1, 256, 1000000, weft_sums, loop_column_sums, false},
    {"sum", SQUARE, SQUARE, 1, weft_sums, loop_row_sums, false},
    {"sum", 1, SQUARE, SQUARE, weft_sums, loop_column_sums, false},
    {"sum", 1 << 20, 16, 1, weft_sums, loop_row_sums, false},
    {"sum", 1, 64, 1000000, weft_sums, loop_column_sums, false},
    {"sum", 1, 1 << 20, 16, weft_sums, loop_column_sums, false},
    {"sum", 512, 512, 512, weft_sums, loop_column_sums, false},
    {"scan", SQUARE, SQUARE, 1, weft_scans, loop_row_scans, true},
    {"scan", 1, SQUARE, SQUARE, weft_scans, loop_column_scans, true},
    {"sort", 1 << 14, 256, 1, weft_sorts, loop_row_sorts, true},
    {"sort", 1, 256, 1 << 14, weft_sorts, loop_column_sorts, true},
    {"copy", 1, SQUARE, SQUARE, weft_copies, loop_copies, true},
    {"transpose", 1, SQUARE, SQUARE, weft_transposes, loop_transposes, true},
};

static void read_input(const work *w) {
    const uint64_t *from = (const uint64_t *)(const void *)x;
    const size_t n = w->before * w->n * w->after / 2;
    uint64_t seen = 0;
#pragma omp parallel for simd reduction(^ : seen) schedule(static)
    for (size_t i = 0; i < n; i++) seen ^= from[i];
    sink += (double)seen;
}

static void measure(const work *w) {
    void (*const calls[])(const work *) = {w->weft, w->peer, read_input};
    const double bytes = (double)(w->before * w->n * w->after * sizeof *x);
    double taken[3][ROUNDS], rate[3];
    for (int i = 0; i < 3; i++) calls[i](w);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 3; i++) {
            const double start = now();
            calls[i](w);
            taken[i][round] = now() - start;
        }
    for (int i = 0; i < 3; i++) rate[i] = 1e-9 * (w->writes && i < 2 ? 2 : 1) * bytes / median_of(taken[i], ROUNDS);
    printf("%-10s %7zu x %7zu x %7zu  weft %7.2f GB/s  peer %7.2f GB/s  %6.2fx  reading %7.2f GB/s\n", w->name,
           w->before, w->n, w->after, rate[0], rate[1], rate[0] / rate[1], rate[2]);
    fflush(stdout);
}

int main(int argc, char **argv) {
    const size_t n = (size_t)SQUARE * SQUARE;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
    x = malloc(n * sizeof *x);
    y = malloc(n * sizeof *y);
    if (!x || !y) stop("arrays", "cannot allocate memory");
    if (weft_open(&ctx, "cpu") != WEFT_OK) stop("weft", "cannot open a context");
    ok(weft_set_threads(ctx, omp_get_max_threads()));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)((int)((uint32_t)i * UINT32_C(2654435761) >> 8) % 1001 - 500) / 500.0f;
        y[i] = 0;
    }
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        if (selected(rows[r].name, argc, argv)) measure(&rows[r]);
    weft_close(ctx);
    return sink == 0.5; /* never true; it only uses `sink` */
}
