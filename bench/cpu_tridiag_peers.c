/* build/bench_cpu_tridiag [--threads N] [--rows LOG2] [--diagonal B]: weft_tridiag and weft_tridiag_pivot on a CPU
 * compared with LAPACK's gtsv and with the Thomas algorithm, both with OpenMP over the systems, and with a copy of as
 * many bytes. f32; f64 in build/bench_cpu_tridiag_f64, which is compiled with WEFT_BENCH_F64. The other entries of a
 * row are from -1 to 0: with the diagonal from B to B + 1, by default B = 3, gtsv exchanges no rows, and with B =
 * -0.5 it exchanges many. Prints the best of several rounds in which all alternate, in nanoseconds per row. */
#include "cpu_timing.h"
#include "weft.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WEFT_BENCH_F64
#define DTYPE WEFT_F64
#define GTSV dgtsv_
typedef double real;
#else
#define DTYPE WEFT_F32
#define GTSV sgtsv_
typedef float real;
#endif

enum { ROUNDS = 7 };

typedef struct arrays {
    size_t systems, n;
    real *a, *b, *c, *d, *x;
    real *work; /* workspace of a peer that overwrites its inputs: one system for each thread and array */
} arrays;

typedef void call(const arrays *v);

static weft_context *ctx;

/* ------------------------------------------------------------------------------------- calls */

typedef weft_status solver(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                           weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular);

static void solve(solver *run, const arrays *v, size_t step, size_t line) {
    uint64_t singular;
    const weft_status status = run(ctx, WEFT_OPEN_ENDS, DTYPE, v->systems, v->n, (weft_lines){v->a, step, line},
                                   (weft_lines){v->b, step, line}, (weft_lines){v->c, step, line},
                                   (weft_lines){v->d, step, line}, v->x, &singular);
    if (status == WEFT_OK) return;
    fprintf(stderr, "bench_cpu_tridiag: %s\n", weft_last_error(ctx));
    exit(1);
}

static void weft_adjacent(const arrays *v) { solve(weft_tridiag, v, 1, v->n); }
static void weft_interleaved(const arrays *v) { solve(weft_tridiag, v, v->systems, 1); }
static void pivot_adjacent(const arrays *v) { solve(weft_tridiag_pivot, v, 1, v->n); }
static void pivot_interleaved(const arrays *v) { solve(weft_tridiag_pivot, v, v->systems, 1); }

/* Solves by elimination down the rows and substitution up the rows. */
static void thomas(const arrays *v) {
    const size_t n = v->n;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < v->systems; s++) {
        const real *a = v->a + s * n, *b = v->b + s * n, *c = v->c + s * n, *d = v->d + s * n;
        real *x = v->x + s * n, *upper = v->work + (size_t)omp_get_thread_num() * 4 * n;
        real r = 1 / b[0];
        upper[0] = c[0] * r;
        x[0] = d[0] * r;
        for (size_t i = 1; i < n; i++) {
            r = 1 / (b[i] - a[i] * upper[i - 1]);
            upper[i] = c[i] * r;
            x[i] = (d[i] - a[i] * x[i - 1]) * r;
        }
        for (size_t i = n - 1; i-- > 0;) x[i] -= upper[i] * x[i + 1];
    }
}

#ifdef WEFT_BENCH_LAPACK
void GTSV(const int *n, const int *right_hand_sides, real *dl, real *d, real *du, real *b, const int *ldb, int *info);

/* Calls gtsv on copies of each system, because it overwrites its inputs. */
static void lapack(const arrays *v) {
    const int n = (int)v->n, one = 1;
#pragma omp parallel for schedule(static)
    for (size_t s = 0; s < v->systems; s++) {
        real *lower = v->work + (size_t)omp_get_thread_num() * 4 * v->n, *middle = lower + n, *upper = middle + n;
        real *x = v->x + s * v->n;
        int info;
        memcpy(lower, v->a + s * v->n + 1, (v->n - 1) * sizeof(real));
        memcpy(middle, v->b + s * v->n, v->n * sizeof(real));
        memcpy(upper, v->c + s * v->n, v->n * sizeof(real));
        memcpy(x, v->d + s * v->n, v->n * sizeof(real));
        GTSV(&n, &one, lower, middle, upper, x, &n, &info);
    }
}
#endif

/* Copies: reads and writes five elements per row. */
static void copy(const arrays *v) {
    const size_t rows = v->systems * v->n;
    memcpy(v->x, v->a, rows * sizeof(real));
    memcpy(v->x, v->b, rows * sizeof(real));
    memcpy(v->x, v->c, rows / 2 * sizeof(real));
}

static const struct {
    const char *name;
    call *run;
    bool batches_only;
} CALLS[] = {
    {"weft", weft_adjacent, false},
    {"weft, interleaved", weft_interleaved, true},
    {"weft, pivoting", pivot_adjacent, false},
    {"pivoting, interleaved", pivot_interleaved, true},
    {"Thomas, OpenMP", thomas, false},
#ifdef WEFT_BENCH_LAPACK
    {"gtsv, OpenMP", lapack, false},
#endif
    {"copy of 5 elements a row", copy, false},
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

/* ------------------------------------------------------------------------------------- rounds */

static void measure(arrays *v, size_t systems, size_t n) {
    double best[CALL_COUNT];
    v->systems = systems;
    v->n = n;
    v->work = malloc((size_t)omp_get_max_threads() * 4 * n * sizeof(real));
    for (int i = 0; i < CALL_COUNT; i++) best[i] = 1e9;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CALL_COUNT; i++) {
            const double start = now();
            CALLS[i].run(v);
            const double taken = now() - start;
            if (taken < best[i]) best[i] = taken;
        }
    printf("%zu systems of %zu rows, %d threads\n", systems, n, omp_get_max_threads());
    for (int i = 0; i < CALL_COUNT; i++)
        if (systems > 1 || !CALLS[i].batches_only)
            printf("  %-24s %8.3f ns a row %7.2fx\n", CALLS[i].name, 1e9 * best[i] / (double)(systems * n),
                   best[i] / best[0]);
    free(v->work);
}

/* Returns 32 bits that do not show a pattern in adjacent i (the finalizer of MurmurHash3, A. Appleby). */
static uint32_t hash(size_t i) {
    uint32_t h = (uint32_t)i;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return h ^ h >> 16;
}

int main(int argc, char **argv) {
    int log2_rows = 25;
    double diagonal = 3;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) omp_set_num_threads(atoi(argv[i + 1]));
        if (strcmp(argv[i], "--rows") == 0) log2_rows = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--diagonal") == 0) diagonal = atof(argv[i + 1]);
    }
    const size_t rows = (size_t)1 << log2_rows;
    arrays v = {0};
    real **const all[] = {&v.a, &v.b, &v.c, &v.d, &v.x};
    for (int k = 0; k < 5; k++) {
        *all[k] = malloc(rows * sizeof(real));
        for (size_t i = 0; i < rows; i++)
            (*all[k])[i] = (real)(k == 1 ? diagonal : -1) + (real)(hash(8 * i + (size_t)k) % 65536) / 65536;
    }
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, omp_get_max_threads()) != WEFT_OK) return 1;
    static const size_t lengths[] = {32, 128, 512, 2048};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) measure(&v, rows / lengths[i], lengths[i]);
    measure(&v, 1, rows);
    weft_close(ctx);
    return 0;
}
