/* Numbers that no single process holds: each rank makes its share, and their mean, variance and running sums have the
 * same bits for any number of ranks. mpicc random_walk.c $(pkg-config --cflags --libs weft-dist) -o
 * random_walk Usage: mpirun -n RANKS random_walk [N] */
#include <mpi.h>

#include <weft.h>
#include <weft_dist.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All ranks have the same sentence; the first one says it. */
static int fail(const weft_dist *d, const char *sentence) {
    if (weft_dist_rank(d) == 0) fprintf(stderr, "random_walk: %s\n", sentence);
    MPI_Finalize();
    return 1;
}

int main(int argc, char **argv) {
    weft_context *ctx;
    weft_dist *d;
    MPI_Init(&argc, &argv);
    char *end = "";
    const uint64_t n = argc > 1 ? strtoull(argv[1], &end, 10) : 1000003;
    if (n < 2 || *end) return fail(NULL, "a number of elements, 2 or more, is needed");
    if (weft_open(&ctx, "cpu") != WEFT_OK) return fail(NULL, weft_last_error(NULL));
    if (weft_dist_open(&d, ctx, MPI_COMM_WORLD) != WEFT_OK) return fail(NULL, weft_dist_last_error(NULL));

    const weft_slice slice = weft_dist_share(d, n);
    float *x = malloc((slice.count + 1) * sizeof *x);
    double mean, variance;
    uint64_t bits;
    if (weft_dist_agree(d, x ? WEFT_OK : WEFT_OUT_OF_MEMORY, "cannot allocate memory for its share") != WEFT_OK ||
        weft_dist_random(d, WEFT_NORMAL, WEFT_F32, 2026, 0, 0, slice, 0, 1, x) != WEFT_OK ||
        weft_dist_reduce(d, WEFT_MEAN, WEFT_F32, WEFT_F64, slice, x, &mean) != WEFT_OK ||
        weft_dist_variance(d, WEFT_F32, WEFT_F64, slice, 1, x, &variance) != WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    memcpy(&bits, &mean, sizeof bits);
    if (weft_dist_rank(d) == 0)
        printf("%" PRIu64 " normal numbers: mean %g (0x%016" PRIx64 "), variance %g\n", n, mean, bits, variance);

    /* A random walk: each rank gets its part of the running sums. */
    if (weft_dist_scan(d, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, slice, x, NULL, x) != WEFT_OK ||
        weft_dist_reduce(d, WEFT_MAX, WEFT_F32, WEFT_DEFAULT, slice, x, &x[slice.count]) != WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    if (weft_dist_rank(d) == 0) printf("highest point of the walk: %.9g\n", (double)x[slice.count]);
    free(x);
    weft_dist_close(d);
    weft_close(ctx);
    MPI_Finalize();
    return 0;
}
