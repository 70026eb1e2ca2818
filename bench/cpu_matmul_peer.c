/* Matrix products on the CPU compared with OpenBLAS, in one run: build/bench_cpu_matmul [--threads N]
 *
 * weft and OpenBLAS alternate. Prints GFLOP/s of the best of at least ROUNDS calls each. */
#include "weft.h"

#include <cblas.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };
static const double BUDGET_SECONDS = 2;
static weft_context *ctx;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

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

static void measure(product p) {
    double weft = 1e9, peer = 1e9;
    product wide = p; /* the peer's: it multiplies bf16 as f32 */
    if (p.dtype == WEFT_BF16) wide.dtype = WEFT_F32;
    allocate(&p);
    allocate(&wide);
    const double start = now();
    for (int round = 0; round < ROUNDS || now() - start < BUDGET_SECONDS; round++) {
        const double before = now();
        call_weft(&p);
        const double between = now();
        call_peer(&wide);
        const double after = now();
        if (between - before < weft) weft = between - before;
        if (after - between < peer) peer = after - between;
    }
    const double flop = 2e-9 * (double)p.m * (double)p.n * (double)p.k;
    printf("%-12s %6zu x %5zu x %6zu %9.1f  OpenBLAS %9.1f %6.2fx\n", p.name, p.m, p.n, p.k, flop / weft, flop / peer,
           peer / weft);
    fflush(stdout);
    discard(&p);
    discard(&wide);
}

int main(int argc, char **argv) {
    static const size_t shapes[][3] = {{2048, 2048, 2048}, {1024, 1024, 1024}, {256, 256, 256},
                                       {128, 128, 65536},  {65536, 64, 64},    {8192, 1, 8192}};
    const int threads = argc == 3 && strcmp(argv[1], "--threads") == 0 ? (int)strtol(argv[2], NULL, 10) : 0;
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, threads) != WEFT_OK) return 1;
    if (threads) openblas_set_num_threads(threads);
    printf("%-12s %23s %9s  %18s %7s\n", "", "m x n x k", "GFLOP/s", "", "ratio");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const size_t *s = shapes[i];
        measure((product){"f32", WEFT_F32, WEFT_DEFAULT, s[0], s[1], s[2], NULL, NULL, NULL});
        measure((product){"f64", WEFT_F64, WEFT_DEFAULT, s[0], s[1], s[2], NULL, NULL, NULL});
        measure((product){"f32 in f64", WEFT_F32, WEFT_F64, s[0], s[1], s[2], NULL, NULL, NULL});
        measure((product){"bf16 exact", WEFT_BF16, WEFT_EXACT_SUM, s[0], s[1], s[2], NULL, NULL, NULL});
        measure((product){"f32 exact", WEFT_F32, WEFT_EXACT_SUM, s[0], s[1], s[2], NULL, NULL, NULL});
        measure((product){"f64 exact", WEFT_F64, WEFT_EXACT_SUM, s[0], s[1], s[2], NULL, NULL, NULL});
    }
    weft_close(ctx);
    return 0;
}
