/* build/bench_cpu_rows [--threads N] [--log2 L] [--only NAME]...: operations on a CPU compared with the loops that a
 * programmer would write instead, with OpenMP where the loop allows it, and with a loop that reads the input: rows of
 * recurrences, histograms, segments, sweeps of Jacobi's iteration, convolutions and partition. Compiled with -O3
 * -march=native -ffp-contract=fast. In each round weft, its peer and the reader make one call; prints the medians of
 * the rounds in nanoseconds per element, and the ratio of the medians. */
#include "cpu_timing.h"
#include "weft.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9, BINS = 256, TAPS = 11, SWEEPS = 10, POINTS = 256 /* points along each axis */ };
enum { LINES = 4096 /* of an image */, MOST_TAPS = 31 /* along each axis of an image */, BLOCK = 64 };

/* One row. `size`: row length, segment length, taps along each axis of an image, or not used. */
typedef struct work work;
struct work {
    const char *name;
    size_t size;
    void (*weft)(const work *w);
    void (*peer)(const work *w);
};

static weft_context *ctx;
static size_t n; /* elements of a call */
static double *x, *y, *z;
static uint64_t *offsets;
static size_t segments;
static double sink;

static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}

/* --------------------------------------------------------------------------------- recurrence */

static void weft_rows_f64(const work *w) {
    ok(weft_recurrence(ctx, WEFT_FORWARD, WEFT_F64, n / w->size, w->size, x, y, NULL, z));
}

static void loop_rows_f64(const work *w) {
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < n / w->size; row++) {
        double value = 0;
        for (size_t i = row * w->size; i < (row + 1) * w->size; i++) z[i] = value = x[i] * value + y[i];
    }
}

static void weft_rows_f32(const work *w) {
    ok(weft_recurrence(ctx, WEFT_FORWARD, WEFT_F32, n / w->size, w->size, x, y, NULL, z));
}

static void loop_rows_f32(const work *w) {
    const float *s = (const float *)x, *u = (const float *)y;
    float *v = (float *)z;
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < n / w->size; row++) {
        float value = 0;
        for (size_t i = row * w->size; i < (row + 1) * w->size; i++) v[i] = value = s[i] * value + u[i];
    }
}

/* ---------------------------------------------------------------------------------- histogram */

static void weft_bins_f32(const work *w) {
    const float low = -1, high = 1;
    uint64_t counts[BINS];
    (void)w;
    ok(weft_histogram_even(ctx, WEFT_F32, n, x, BINS, &low, &high, counts));
}

static void loop_bins_f32(const work *w) {
    const float *from = (const float *)x;
    size_t counts[BINS] = {0};
    (void)w;
#pragma omp parallel for schedule(static) reduction(+ : counts[:BINS])
    for (size_t i = 0; i < n; i++) {
        if (!(from[i] >= -1 && from[i] <= 1)) continue;
        const int bin = (int)((from[i] + 1) * (BINS / 2));
        counts[bin < BINS ? bin : BINS - 1]++;
    }
    sink += (double)counts[0];
}

/* ----------------------------------------------------------------------------------- segments */

static void weft_sums_f32(const work *w) {
    (void)w;
    ok(weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, segments, offsets, z));
}

static void loop_sums_f32(const work *w) {
    const float *from = (const float *)x;
    (void)w;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < segments; s++) {
        float sum = 0;
        for (uint64_t i = offsets[s]; i < offsets[s + 1]; i++) sum += from[i];
        ((float *)z)[s] = sum;
    }
}

static void weft_scans_f32(const work *w) {
    (void)w;
    ok(weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, segments, offsets, z));
}

static void loop_scans_f32(const work *w) {
    const float *from = (const float *)x;
    (void)w;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < segments; s++) {
        float sum = 0;
        for (uint64_t i = offsets[s]; i < offsets[s + 1]; i++) ((float *)z)[i] = sum += from[i];
    }
}

/* --------------------------------------------------------------- grids, signals and partition */

static void weft_jacobi_f32(const work *w) {
    (void)w;
    ok(weft_laplace(ctx, WEFT_F32, POINTS, POINTS, POINTS, SWEEPS, x, z, NULL));
}

static void loop_jacobi_f32(const work *w) {
    float *from = (float *)x, *to = (float *)z;
    (void)w;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
#pragma omp parallel for schedule(static)
        for (size_t k = 1; k < POINTS - 1; k++)
            for (size_t j = 1; j < POINTS - 1; j++)
#pragma omp simd
                for (size_t i = 1; i < POINTS - 1; i++) {
                    const size_t at = (k * POINTS + j) * POINTS + i;
                    to[at] = (from[at - 1] + from[at + 1] + from[at - POINTS] + from[at + POINTS] +
                              from[at - (size_t)POINTS * POINTS] + from[at + (size_t)POINTS * POINTS]) *
                             (1.0f / 6);
                }
        float *const other = from;
        from = to;
        to = other;
    }
}

static const float taps[TAPS] = {1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1};

static void weft_filter_f32(const work *w) {
    (void)w;
    ok(weft_convolve(ctx, WEFT_VALID, WEFT_F32, WEFT_REAL, n, x, TAPS, taps, z));
}

static void loop_filter_f32(const work *w) {
    const float *from = (const float *)x;
    (void)w;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < n - TAPS + 1; i++) {
        float sum = 0;
        for (size_t j = 0; j < TAPS; j++) sum += from[i + j] * taps[TAPS - 1 - j];
        ((float *)z)[i] = sum;
    }
}

static float image_taps[MOST_TAPS * MOST_TAPS];

static void weft_image_f32(const work *w) {
    const size_t columns = n / LINES;
    weft_view from, by, to;
    ok(weft_view_of(WEFT_F32, 2, (size_t[]){LINES, columns}, x, &from));
    ok(weft_view_of(WEFT_F32, 2, (size_t[]){w->size, w->size}, image_taps, &by));
    ok(weft_view_of(WEFT_F32, 2, (size_t[]){LINES - w->size + 1, columns - w->size + 1}, z, &to));
    ok(weft_convolve2d(ctx, WEFT_VALID, WEFT_BORDER_FILL, NULL, WEFT_REAL, &from, &by, &to));
}

/* Computes BLOCK results of a line at a time, so that their sums are in registers. The last block of a line overlaps
 * the one before it. */
static void loop_image_f32(const work *w) {
    const size_t k = w->size, columns = n / LINES, results = columns - k + 1;
#pragma omp parallel for schedule(static)
    for (size_t line = 0; line < LINES - k + 1; line++)
        for (size_t start = 0; start < results; start += BLOCK) {
            const size_t first = start + BLOCK <= results ? start : results - BLOCK;
            float sums[BLOCK] = {0};
            for (size_t i = 0; i < k; i++)
                for (size_t j = 0; j < k; j++) {
                    const float *from = (const float *)x + (line + i) * columns + first + j;
                    const float tap = image_taps[(k - 1 - i) * k + k - 1 - j];
#pragma omp simd
                    for (size_t c = 0; c < BLOCK; c++) sums[c] += from[c] * tap;
                }
            memcpy((float *)z + line * results + first, sums, sizeof sums);
        }
}

static void weft_partition_f32(const work *w) {
    const float zero = 0;
    uint64_t count;
    (void)w;
    ok(weft_partition_if(ctx, WEFT_GT, WEFT_F32, n, x, &zero, z, &count));
}

/* Counts the elements to keep, then writes both kinds, on each thread. */
static void loop_partition_f32(const work *w) {
    const float *from = (const float *)x;
    const int threads = omp_get_max_threads();
    size_t kept[256] = {0};
    (void)w;
#pragma omp parallel num_threads(threads)
    {
        const size_t t = (size_t)omp_get_thread_num(), first = n * t / (size_t)threads;
        const size_t end = n * (t + 1) / (size_t)threads;
        size_t own = 0, before = 0, all = 0;
        for (size_t i = first; i < end; i++) own += from[i] > 0;
        kept[t] = own;
#pragma omp barrier
        for (size_t i = 0; i < (size_t)threads; i++) {
            all += kept[i];
            if (i < t) before += kept[i];
        }
        size_t high = before, low = all + first - before;
        for (size_t i = first; i < end; i++) {
            const bool keep = from[i] > 0;
            ((float *)z)[keep ? high : low] = from[i];
            high += keep;
            low += !keep;
        }
    }
}

/* --------------------------------------------------------------------------------------- rows */

static const work rows[] = {
    {"recurrence_f64", 1000, weft_rows_f64, loop_rows_f64},
    {"recurrence_f64", 100, weft_rows_f64, loop_rows_f64},
    {"recurrence_f64", 3000, weft_rows_f64, loop_rows_f64},
    {"recurrence_f32", 1000, weft_rows_f32, loop_rows_f32},
    {"histogram_f32", BINS, weft_bins_f32, loop_bins_f32},
    {"segmented_sum_f32", 8, weft_sums_f32, loop_sums_f32},
    {"segmented_sum_f32", 100, weft_sums_f32, loop_sums_f32},
    {"segmented_scan_f32", 8, weft_scans_f32, loop_scans_f32},
    {"segmented_scan_f32", 100, weft_scans_f32, loop_scans_f32},
    {"laplace_f32", POINTS, weft_jacobi_f32, loop_jacobi_f32},
    {"convolve_f32", TAPS, weft_filter_f32, loop_filter_f32},
    {"convolve2d_f32", 3, weft_image_f32, loop_image_f32},
    {"convolve2d_f32", 11, weft_image_f32, loop_image_f32},
    {"convolve2d_f32", MOST_TAPS, weft_image_f32, loop_image_f32},
    {"partition_f32", 0, weft_partition_f32, loop_partition_f32},
};

/* Reads as many bytes as n elements of f32. */
static void read_f32(const work *w) {
    const uint64_t *from = (const uint64_t *)x;
    uint64_t seen = 0;
    (void)w;
#pragma omp parallel for simd reduction(^ : seen) schedule(static)
    for (size_t i = 0; i < n / 2; i++) seen ^= from[i];
    sink += (double)seen;
}

static void make_segments(size_t length) {
    segments = n / length;
    for (size_t s = 0; s <= segments; s++) offsets[s] = s * length;
}

static void measure(const work *w) {
    void (*const calls[])(const work *) = {w->weft, w->peer, read_f32};
    double taken[3][ROUNDS];
    const bool grid = w->weft == weft_jacobi_f32;
    const double elements = grid ? (double)SWEEPS * POINTS * POINTS * POINTS : (double)n;
    if (w->peer == loop_sums_f32 || w->peer == loop_scans_f32) make_segments(w->size);
    for (int i = 0; i < 3; i++) calls[i](w);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 3; i++) {
            const double start = now();
            calls[i](w);
            taken[i][round] = 1e9 * (now() - start) / (i < 2 ? elements : (double)n);
        }
    const double own = median_of(taken[0], ROUNDS), other = median_of(taken[1], ROUNDS);
    const double reader = median_of(taken[2], ROUNDS);
    printf("%-20s %6zu  weft %8.3f ns  peer %8.3f ns  %6.2fx  reading an f32 %6.3f ns\n", w->name, w->size, own,
           other, other / own, reader);
    fflush(stdout);
}

int main(int argc, char **argv) {
    int log2_elements = 25;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
        if (strcmp(argv[i], "--log2") == 0) log2_elements = atoi(argv[i + 1]);
    }
    n = (size_t)1 << log2_elements;
    if (n < (size_t)POINTS * POINTS * POINTS) stop("--log2", "must be at least 24");
    x = malloc(n * sizeof *x);
    y = malloc(n * sizeof *y);
    z = malloc(n * sizeof *z);
    offsets = malloc((n / 8 + 1) * sizeof *offsets);
    if (!x || !y || !z || !offsets) stop("arrays", "cannot allocate memory");
    if (weft_open(&ctx, "cpu") != WEFT_OK) stop("weft", "cannot open a context");
    ok(weft_set_threads(ctx, omp_get_max_threads()));
    for (size_t i = 0; i < sizeof image_taps / sizeof *image_taps; i++) image_taps[i] = (float)(i % 7) - 3;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const bool f64 = rows[r].weft == weft_rows_f64;
        if (!selected(rows[r].name, argc, argv)) continue;
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; i++) {
            const double value = ((int)((uint32_t)i * UINT32_C(2654435761) >> 8) % 1001 - 500) / 500.0;
            if (f64)
                x[i] = y[i] = value, z[i] = 0;
            else
                ((float *)x)[i] = ((float *)y)[i] = (float)value, ((float *)z)[i] = 0;
        }
        measure(&rows[r]);
    }
    weft_close(ctx);
    return sink == 0.5; /* never true; it only uses `sink` */
}
