/* Matrix products on the CPU compared with OpenBLAS, in one run: build/bench_cpu_matmul [--threads N] [--rows NAME]
 *
 * The calls of a row alternate. Prints GFLOP/s of the best of at least ROUNDS calls each. f32 products summed in f64
 * are also compared with weft's product of f64, and matrix-vector products with the time in which weft_reduce reads
 * the matrix. --rows selects the rows of one name, such as "f32 in f64".
 *
 * The first line names the kernels that OpenBLAS has chosen. Releases that do not recognize a processor may choose
 * kernels for AVX2; OPENBLAS_CORETYPE=SkylakeX selects those for AVX-512. */
#include "cpu_timing.h"
#include "weft.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };
static const double BUDGET_SECONDS = 2;
static weft_context *ctx;

typedef struct product {
    const char *name;
    weft_dtype dtype, accumulate;
    size_t m, n, k;
    const void *a, *b;
    void *c;
} product;

static void call_weft(const product *p) {
    if (weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, p->dtype, p->accumulate, p->m, p->n,
                    p->k, NULL, p->a, p->k, p->b, p->n, NULL, p->c, p->n) == WEFT_OK)
        return;
    fprintf(stderr, "bench_cpu_matmul: %s\n", weft_last_error(ctx));
    exit(1);
}

static void call_peer(const product *p) {
    const blasint m = (blasint)p->m, n = (blasint)p->n, k = (blasint)p->k;
    const CBLAS_TRANSPOSE no = CblasNoTrans;
    if (p->dtype == WEFT_F32 && n == 1)
        cblas_sgemv(CblasRowMajor, no, m, k, 1, p->a, k, p->b, 1, 0, p->c, 1);
    else if (n == 1)
        cblas_dgemv(CblasRowMajor, no, m, k, 1, p->a, k, p->b, 1, 0, p->c, 1);
    else if (p->dtype == WEFT_F32)
        cblas_sgemm(CblasRowMajor, no, no, m, n, k, 1, p->a, k, p->b, n, 0, p->c, n);
    else
        cblas_dgemm(CblasRowMajor, no, no, m, n, k, 1, p->a, k, p->b, n, 0, p->c, n);
}

/* Calls that alternate. OTHER reads the matrix of a matrix-vector product, or multiplies f32 summed in f64 as f64. */
typedef enum call { WEFT, PEER, OTHER, CALLS } call;

static bool has_other(const product *p) {
    return p->accumulate == WEFT_F64 || (p->n == 1 && p->accumulate == WEFT_DEFAULT);
}

static void read_matrix(const product *p) {
    double sum;
    if (weft_reduce(ctx, WEFT_SUM, p->dtype, WEFT_DEFAULT, p->m * p->k, p->a, &sum) != WEFT_OK) exit(1);
}

static void *uniform(weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    void *x = aligned_alloc(64, (n * size + 63) / 64 * 64);
    unsigned state = 1;
    for (size_t i = 0; x && i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const double v = (double)state * 0x1p-31 - 1;
        const float narrow = (float)v;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        if (dtype == WEFT_BF16)
            ((uint16_t *)x)[i] = (uint16_t)(bits >> 16);
        else if (dtype == WEFT_F32)
            ((float *)x)[i] = narrow;
        else
            ((double *)x)[i] = v;
    }
    return x;
}

static void allocate(product *p) {
    p->a = uniform(p->dtype, p->m * p->k);
    p->b = uniform(p->dtype, p->k * p->n);
    p->c = uniform(p->dtype, p->m * p->n);
    if (!p->a || !p->b || !p->c) exit(1);
}

static void discard(const product *p) {
    free((void *)p->a);
    free((void *)p->b);
    free(p->c);
}

static double seconds(call which, const product *p) {
    const double start = now();
    if (which == PEER)
        call_peer(p);
    else if (which == OTHER && p->n == 1)
        read_matrix(p);
    else
        call_weft(p);
    return now() - start;
}

static void print(const product *p, const double *best) {
    const double flop = 2e-9 * (double)p->m * (double)p->n * (double)p->k;
    printf("%-12s %6zu x %5zu x %6zu %9.1f  OpenBLAS %9.1f %6.2fx", p->name, p->m, p->n, p->k, flop / best[WEFT],
           flop / best[PEER], best[PEER] / best[WEFT]);
    const double gigabytes = 1e-9 * (double)(p->m * p->k * weft_dtype_size(p->dtype));
    if (has_other(p) && p->n == 1)
        printf("  reading A %6.1f GB/s, product %6.1f GB/s %6.2fx", gigabytes / best[OTHER], gigabytes / best[WEFT],
               best[OTHER] / best[WEFT]);
    else if (has_other(p))
        printf("  weft f64 %9.1f %6.2fx", flop / best[OTHER], best[OTHER] / best[WEFT]);
    printf("\n");
    fflush(stdout);
}

static void measure(product p) {
    double best[CALLS] = {1e9, 1e9, 1e9};
    product all[CALLS] = {p, p, p};
    if (p.dtype == WEFT_BF16) all[PEER].dtype = WEFT_F32; /* OpenBLAS multiplies bf16 as f32 */
    if (p.n != 1) all[OTHER].dtype = WEFT_F64;
    if (p.n != 1) all[OTHER].accumulate = WEFT_DEFAULT;
    const int calls = has_other(&p) ? CALLS : OTHER;
    for (int i = 0; i < calls; i++) allocate(&all[i]);
    const double start = now();
    for (int round = 0; round < ROUNDS || now() - start < BUDGET_SECONDS; round++)
        for (int i = 0; i < calls; i++) {
            const double taken = seconds((call)i, &all[i]);
            if (taken < best[i]) best[i] = taken;
        }
    print(&p, best);
    for (int i = 0; i < calls; i++) discard(&all[i]);
}

int main(int argc, char **argv) {
    static const size_t shapes[][3] = {{2048, 2048, 2048}, {1024, 1024, 1024}, {256, 256, 256},
                                       {128, 128, 65536},  {65536, 64, 64},    {8192, 1, 8192}};
    static const product kinds[] = {{.name = "f32", .dtype = WEFT_F32, .accumulate = WEFT_DEFAULT},
                                    {.name = "f64", .dtype = WEFT_F64, .accumulate = WEFT_DEFAULT},
                                    {.name = "f32 in f64", .dtype = WEFT_F32, .accumulate = WEFT_F64},
                                    {.name = "bf16 exact", .dtype = WEFT_BF16, .accumulate = WEFT_EXACT_SUM},
                                    {.name = "f32 exact", .dtype = WEFT_F32, .accumulate = WEFT_EXACT_SUM},
                                    {.name = "f64 exact", .dtype = WEFT_F64, .accumulate = WEFT_EXACT_SUM}};
    int threads = 0;
    const char *rows = NULL;
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--threads") == 0)
            threads = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--rows") == 0)
            rows = argv[i + 1];
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, threads) != WEFT_OK) return 1;
    if (threads) openblas_set_num_threads(threads);
    printf("OpenBLAS kernels: %s\n", openblas_get_corename());
    printf("%-12s %23s %9s  %18s %7s\n", "", "m x n x k", "GFLOP/s", "", "ratio");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof kinds / sizeof *kinds; j++) {
            product p = kinds[j];
            p.m = shapes[i][0];
            p.n = shapes[i][1];
            p.k = shapes[i][2];
            if (!rows || strcmp(rows, p.name) == 0) measure(p);
        }
    weft_close(ctx);
    return 0;
}
