/* Times of libweft_dist on the ranks that mpirun starts, and of one rank beside weft without it: the best of some
 * calls, each of the slowest rank. Usage: mpirun -n RANKS bench_ranks [LOG2_ELEMENTS [THREADS]] */
#include <mpi.h>

#include "weft_dist.h"

#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 15 };

typedef struct setting {
    weft_context *ctx;
    weft_dist *d; /* NULL: one process */
    weft_slice slice;
    float *x, *y;
} setting;

static weft_status nothing(const setting *s) {
    float out = 0;
    return s->d ? weft_dist_reduce(s->d, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, weft_slice_of(0), NULL, &out)
                : weft_reduce(s->ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 0, NULL, &out);
}

static weft_status sum(const setting *s) {
    float out = 0;
    return s->d ? weft_dist_reduce(s->d, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, &out)
                : weft_reduce(s->ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, &out);
}

static weft_status dot(const setting *s) {
    float out = 0;
    return s->d ? weft_dist_dot(s->d, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, s->y, &out)
                : weft_dot(s->ctx, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, s->y, &out);
}

static weft_status scan(const setting *s) {
    return s->d ? weft_dist_scan(s->d, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, s->slice, s->x, NULL, s->y)
                : weft_scan(s->ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, s->slice.count, s->x, NULL,
                            s->y);
}

static weft_status sort(const setting *s) {
    return s->d ? weft_dist_sort(s->d, WEFT_F32, WEFT_ASCENDING, s->slice, s->x, s->y)
                : weft_sort(s->ctx, WEFT_F32, WEFT_ASCENDING, s->slice.count, s->x, s->y);
}

/* A cube of as many points as the array, or less, cut in slabs; 8 sweeps. */
static weft_status laplace(const setting *s) {
    enum { EDGE = 128, SWEEPS = 8 };
    const size_t planes = s->slice.count / (EDGE * EDGE);
    return s->d ? weft_dist_laplace(s->d, WEFT_F32, EDGE, EDGE, weft_slice_of(planes), SWEEPS, s->x, s->y)
                : weft_laplace(s->ctx, WEFT_F32, EDGE, EDGE, planes, SWEEPS, s->x, s->y, NULL);
}

static double best_of(weft_status (*call)(const setting *), const setting *s) {
    double best = 1e9;
    for (int i = 0; i < CALLS; i++) {
        double seconds = 0, slowest = 0;
        if (s->d) MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (call(s) != WEFT_OK) MPI_Abort(MPI_COMM_WORLD, 1);
        slowest = seconds = MPI_Wtime() - start;
        if (s->d) MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < best) best = slowest;
    }
    return best;
}

static setting prepare(weft_dist *d, weft_context *ctx, uint64_t n) {
    setting s = {.ctx = ctx, .d = d, .slice = weft_dist_share(d, n)};
    s.x = malloc((s.slice.count + 1) * sizeof *s.x);
    s.y = malloc((s.slice.count + 1) * sizeof *s.y);
    if (!s.x || !s.y ||
        weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 0, s.slice.offset, s.slice.count, 0, 1, s.x) != WEFT_OK ||
        weft_random(ctx, WEFT_NORMAL, WEFT_F32, 2, 0, s.slice.offset, s.slice.count, 0, 1, s.y) != WEFT_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return s;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        weft_status (*call)(const setting *);
    } rows[] = {{"no elements", nothing}, {"sum", sum},   {"dot", dot},
                {"scan", scan},           {"sort", sort}, {"laplace", laplace}};
    weft_context *ctx = NULL;
    weft_dist *d = NULL;
    MPI_Init(&argc, &argv);
    const int log2 = argc > 1 ? atoi(argv[1]) : 24, threads = argc > 2 ? atoi(argv[2]) : 1;
    if (log2 < 0 || log2 > 40 || weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, threads) != WEFT_OK ||
        weft_dist_open(&d, ctx, MPI_COMM_WORLD) != WEFT_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const int ranks = weft_dist_size(d);
    const setting together = prepare(d, ctx, UINT64_C(1) << log2);
    setting alone = together;
    alone.d = NULL;
    if (weft_dist_rank(d) == 0) printf("2^%d f32, ranks x threads: %d x %d; ms\n", log2, ranks, threads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double seconds = best_of(rows[i].call, &together);
        if (weft_dist_rank(d) == 0) printf("%-12s %10.3f", rows[i].name, 1e3 * seconds);
        if (ranks == 1) printf("   weft alone %10.3f", 1e3 * best_of(rows[i].call, &alone));
        if (weft_dist_rank(d) == 0) putchar('\n');
    }
    free(together.x);
    free(together.y);
    weft_dist_close(d);
    weft_close(ctx);
    MPI_Finalize();
    return 0;
}
