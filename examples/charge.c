/* The charge density of a plasma, one step of a particle-in-cell simulation: charge [PARTICLES [SIDE]]
 *
 * A particle is a square cloud as large as a cell of the SIDE x SIDE grid, which is periodic. Its charge is shared by
 * the four cells that it covers, in proportion to the areas (cloud-in-cell weights). If its lower corner is at (x,
 * y), in units of cells, with i = floor(x), u = x - i, j = floor(y), v = y - j, then a charge q gives cell (i, j) q
 * (1 - u) (1 - v)      cell (i + 1, j)      q u (1 - v) cell (i, j + 1)  q (1 - u) v            cell (i + 1, j + 1)
 * q u v So each particle is four pairs of a cell and a charge, and weft_scatter_reduce adds the charges of each cell.
 * Threads that add to a common grid would need atomic additions, in an order that changes from run to run. Here the
 * density has the same bits for any number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

static void check(weft_context *ctx, weft_status status) {
    if (status == WEFT_OK) return;
    fprintf(stderr, "charge: %s\n", weft_last_error(ctx));
    exit(1);
}

static void *array(size_t n, size_t size) {
    void *p = n <= SIZE_MAX / size ? malloc(n * size) : NULL;
    if (p == NULL) exit((perror("charge"), 1));
    return p;
}

/* Writes the four cells of each particle, and the charges that it gives to them. Every third particle has charge -1,
 * the others have +1. */
static void share(size_t n, size_t side, const double *x, const double *y, uint32_t *cells, double *charges) {
    for (size_t p = 0; p < n; p++) {
        const size_t i = (size_t)x[p], j = (size_t)y[p], i1 = (i + 1) % side, j1 = (j + 1) % side;
        const double u = x[p] - (double)i, v = y[p] - (double)j, q = p % 3 == 0 ? -1 : 1;
        const size_t to[] = {j * side + i, j * side + i1, j1 * side + i, j1 * side + i1};
        const double weights[] = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
        for (size_t k = 0; k < 4; k++) {
            cells[4 * p + k] = (uint32_t)to[k];
            charges[4 * p + k] = q * weights[k];
        }
    }
}

static void deposit(const char *device, int threads, size_t n, const uint32_t *cells, const double *charges, size_t m,
                    double *density) {
    weft_context *ctx;
    check(NULL, weft_open(&ctx, device));
    check(ctx, weft_set_threads(ctx, threads));
    check(ctx, weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F64, WEFT_DEFAULT, WEFT_U32, 4 * n, 1, m,
                                   charges, cells, NULL, density));
    weft_close(ctx);
}

int main(int argc, char **argv) {
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000,
                 side = argc > 2 ? strtoull(argv[2], NULL, 10) : 256;
    if (n < 1 || side < 2 || side > 65535)
        return fputs("charge: PARTICLES is 0, or SIDE is not 2 to 65535\n", stderr), 2;
    const size_t m = side * side;
    double *x = array(n, sizeof *x), *y = array(n, sizeof *y), *charges = array(n, 4 * sizeof *charges), total;
    double *best = array(m, sizeof *best), *one = array(m, sizeof *one), *seven = array(m, sizeof *seven);
    uint32_t *cells = array(n, 4 * sizeof *cells);
    weft_context *ctx;
    check(NULL, weft_open(&ctx, "auto"));
    check(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F64, 1, 0, 0, n, 0, (double)side, x));
    check(ctx, weft_random(ctx, WEFT_UNIFORM, WEFT_F64, 1, 1, 0, n, 0, (double)side, y));
    share(n, side, x, y, cells, charges);
    deposit("auto", 0, n, cells, charges, m, best);
    deposit("cpu:base", 1, n, cells, charges, m, one);
    deposit("cpu", 7, n, cells, charges, m, seven);
    check(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, m, best, &total));

    const double expected = (double)n - 2 * (double)((n + 2) / 3);
    const int conserved = fabs(total - expected) < 1e-12 * (double)n;
    const int same = memcmp(best, one, m * sizeof *best) == 0 && memcmp(best, seven, m * sizeof *best) == 0;
    printf("%zu particles of total charge %g, %zu x %zu cells of total charge %.9g\n", n, expected, side, side,
           total);
    printf("The total charge is conserved: %s\n", conserved ? "yes" : "no");
    printf("The best device, 1 plain thread and 7 threads give the same bits: %s\n", same ? "yes" : "no");
    return !conserved || !same;
}
