/* build/bench_cpu_block_tridiag [--threads N]: weft_pentadiag and weft_block_tridiag on a CPU compared with LAPACK's
 * dpbsv and dgbsv with OpenMP over the systems, in f64. Prints the best of several rounds in which all alternate, in
 * nanoseconds per row. */
#include "cpu_timing.h"
#include "weft.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

static weft_context *ctx;

/* Systems of n rows in f64 with k x k blocks, or pentadiagonal ones if k is 1. band: the matrices as LAPACK stores
 * them, `ld` values for each column, of which dgbsv overwrites all and dpbsv the last half + 1. */
typedef struct banded {
    size_t k, systems, n, half, ld;
    double *a[5], *d, *x, *band, *work;
    int *pivots;
} banded;

static void weft_banded(const banded *v, size_t step, size_t line) {
    uint64_t singular;
    weft_lines l[5];
    const weft_lines d = {v->d, step, line};
    for (int j = 0; j < 5; j++) l[j] = (weft_lines){v->a[j], step, line};
    const weft_status status = v->k == 1 ? weft_pentadiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, v->systems, v->n, l[0], l[1],
                                                          l[2], l[3], l[4], d, v->x, &singular)
                                         : weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F64, v->k, v->systems,
                                                              v->n / v->k, l[1], l[2], l[3], d, v->x, &singular);
    if (status == WEFT_OK && singular == UINT64_MAX) return;
    fprintf(stderr, "bench_cpu_block_tridiag: %s\n",
            status == WEFT_OK ? "a system is singular" : weft_last_error(ctx));
    exit(1);
}

static void weft_banded_adjacent(const banded *v) { weft_banded(v, 1, v->n / v->k); }
static void weft_banded_interleaved(const banded *v) { weft_banded(v, v->systems, 1); }

#ifdef WEFT_BENCH_LAPACK
void dgbsv_(const int *n, const int *kl, const int *ku, const int *right_hand_sides, double *band, const int *ld,
            int *pivots, double *b, const int *ldb, int *info);
void dpbsv_(const char *uplo, const int *n, const int *kd, const int *right_hand_sides, double *band, const int *ld,
            double *b, const int *ldb, int *info, size_t uplo_length);

/* Calls dgbsv, or dpbsv, on copies of each system, because they overwrite their inputs. */
static void lapack_banded(const banded *v, bool definite) {
    const int n = (int)v->n, half = (int)v->half, one = 1, ld = definite ? half + 1 : (int)v->ld;
    const size_t values = (size_t)ld * v->n;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < v->systems; s++) {
        double *band = v->work + (size_t)omp_get_thread_num() * v->ld * v->n, *x = v->x + s * v->n;
        const double *from = v->band + s * v->ld * v->n;
        int info;
        if (definite)
            for (size_t i = 0; i < v->n; i++)
                memcpy(band + i * (size_t)ld, from + i * v->ld + 2 * v->half, (size_t)ld * sizeof *band);
        else
            memcpy(band, from, values * sizeof *band);
        memcpy(x, v->d + s * v->n, v->n * sizeof *x);
        if (definite)
            dpbsv_("L", &n, &half, &one, band, &ld, x, &n, &info, 1);
        else
            dgbsv_(&n, &half, &half, &one, band, &ld, v->pivots + (size_t)omp_get_thread_num() * v->n, x, &n, &info);
        if (info != 0) fprintf(stderr, "bench_cpu_block_tridiag: LAPACK returned %d\n", info);
    }
}
static void lapack_general(const banded *v) { lapack_banded(v, false); }
static void lapack_definite(const banded *v) { lapack_banded(v, true); }
#endif

static const struct {
    const char *name;
    void (*run)(const banded *v);
    bool batches_only, definite_only;
} BANDED[] = {
    {"weft", weft_banded_adjacent, false, false},
    {"weft, interleaved", weft_banded_interleaved, true, false},
#ifdef WEFT_BENCH_LAPACK
    {"dpbsv, OpenMP", lapack_definite, false, true},
    {"dgbsv, OpenMP", lapack_general, false, false},
#endif
};
enum { BANDED_COUNT = sizeof BANDED / sizeof *BANDED };

/* Stores row i of a system in the band of LAPACK: the coefficients of columns first, ..., first + count - 1. */
static void store_band(const banded *v, size_t system, size_t i, size_t first, size_t count, const double *values) {
    for (size_t q = 0; q < count; q++) {
        const size_t j = first + q; /* wraps around 0 before the first column */
        if (j < v->n) v->band[(system * v->n + j) * v->ld + 2 * v->half + i - j] = values[q];
    }
}

static void fill_banded(banded *v) {
    static const double stencil[] = {1, -4, 7, -4, 1};
    const size_t k = v->k, rows = v->systems * v->n;
    memset(v->band, 0, rows * v->ld * sizeof *v->band);
    for (size_t i = 0; i < rows; i++) {
        const size_t system = i / v->n, row = i % v->n;
        double values[5];
        v->d[i] = (double)(i * 2654435761u % 65536) / 65536;
        if (k == 1) {
            for (int j = 0; j < 5; j++) v->a[j][i] = values[j] = stencil[j];
            store_band(v, system, row, row - 2, 5, values);
            continue;
        }
        for (int part = 0; part < 3; part++) {
            double *const block = v->a[part + 1] + i * k;
            for (size_t j = 0; j < k; j++)
                block[j] = part == 1 && j == row % k ? 4 * (double)k
                                                     : (double)((i + 7 * j) * 2654435761u % 65536) / 65536 - 0.5;
            store_band(v, system, row, row / k * k + (size_t)part * k - k, k, block);
        }
    }
}

static void measure_banded(size_t k, size_t systems, size_t n) {
    const size_t half = k == 1 ? 2 : 2 * k - 1, ld = 3 * half + 1, rows = systems * n;
    const size_t threads = (size_t)omp_get_max_threads();
    banded v = {.k = k, .systems = systems, .n = n, .half = half, .ld = ld};
    double best[BANDED_COUNT];
    for (int j = 0; j < 5; j++) v.a[j] = malloc(rows * k * sizeof(double));
    v.d = malloc(rows * sizeof(double));
    v.x = malloc(rows * sizeof(double));
    v.band = malloc(rows * ld * sizeof(double));
    v.work = malloc(threads * n * ld * sizeof(double));
    v.pivots = malloc(threads * n * sizeof(int));
    fill_banded(&v);
    for (int i = 0; i < BANDED_COUNT; i++) best[i] = 1e9;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < BANDED_COUNT; i++) {
            const double start = now();
            BANDED[i].run(&v);
            const double taken = now() - start;
            if (taken < best[i]) best[i] = taken;
        }
    printf("%s: %zu systems of %zu rows in f64, %zu threads\n",
           k == 1   ? "pentadiag"
           : k == 2 ? "block_tridiag, 2 x 2"
           : k == 3 ? "block_tridiag, 3 x 3"
                    : "block_tridiag, 4 x 4",
           systems, n, threads);
    for (int i = 0; i < BANDED_COUNT; i++)
        if ((systems > 1 || !BANDED[i].batches_only) && (k == 1 || !BANDED[i].definite_only))
            printf("  %-24s %8.3f ns a row %7.2fx\n", BANDED[i].name, 1e9 * best[i] / (double)rows,
                   best[i] / best[0]);
    for (int j = 0; j < 5; j++) free(v.a[j]);
    free(v.d);
    free(v.x);
    free(v.band);
    free(v.work);
    free(v.pivots);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--threads") == 0) omp_set_num_threads(atoi(argv[2]));
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, omp_get_max_threads()) != WEFT_OK) return 1;
    for (size_t k = 1; k <= 4; k++) {
        measure_banded(k, 10000, k == 3 ? 126 : 128);
        measure_banded(k, 1, k == 3 ? 999999 : 1000000);
    }
    weft_close(ctx);
    return 0;
}
