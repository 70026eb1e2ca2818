/* Solves Poisson's equation, -laplace u = f, on a periodic cube of N^3 points by Fourier transforms of arrays that
 * are divided among ranks. The solution has the same bits for any number of ranks and any grid of them. mpicc
 * poisson.c $(pkg-config --cflags --libs weft-dist) -lm -o poisson Usage: mpirun -n RANKS poisson [N [ACROSS]], where
 * ACROSS is the number of ranks in a row of the grid */
#include <mpi.h>

#include <weft.h>
#include <weft_dist.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The division of the cube and of its spectrum: this rank's parts of axes 0 and 1, and of axes 1 and 2. */
typedef struct cube {
    size_t n, across, points;
    weft_slice points_0, points_1, waves_1, waves_2;
} cube;

static cube divide_cube(const weft_dist *d, size_t n, size_t across) {
    const int columns = (int)across, rows = weft_dist_size(d) / columns;
    const int row = weft_dist_rank(d) / columns, column = weft_dist_rank(d) % columns;
    cube c = {.n = n, .across = across};
    c.points_0 = weft_slice_share(n, rows, row);
    c.points_1 = weft_slice_share(n, columns, column);
    c.waves_1 = weft_slice_share(n, rows, row);
    c.waves_2 = weft_slice_share(n / 2 + 1, columns, column);
    c.points = c.points_0.count * c.points_1.count * n;
    return c;
}

/* Sets f to 14 sin(x) cos(2y) sin(3z), whose solution is f / 14. */
static void make_charges(const cube *c, double *f) {
    const double step = 2 * acos(-1.0) / (double)c->n;
    for (size_t i = 0; i < c->points_0.count; i++)
        for (size_t j = 0; j < c->points_1.count; j++)
            for (size_t k = 0; k < c->n; k++)
                *f++ = 14 * sin(step * (double)(c->points_0.offset + i)) *
                       cos(2 * step * (double)(c->points_1.offset + j)) * sin(3 * step * (double)k);
}

/* Returns the square of wave number i of n. */
static double wave(uint64_t i, size_t n) {
    const double k = i <= n / 2 ? (double)i : (double)i - (double)n;
    return k * k;
}

/* Divides the spectrum by the squares of the wave numbers. */
static void divide_spectrum(const cube *c, double *spectrum) {
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->waves_1.count; j++)
            for (size_t k = 0; k < c->waves_2.count; k++, spectrum += 2) {
                const double square =
                    wave(i, c->n) + wave(c->waves_1.offset + j, c->n) + wave(c->waves_2.offset + k, c->n);
                spectrum[0] = square > 0 ? spectrum[0] / square : 0;
                spectrum[1] = square > 0 ? spectrum[1] / square : 0;
            }
}

/* Computes u and the energy, the sum of u f. Then sets f to the error of u and *error to the greatest one. */
static weft_status solve(weft_dist *d, const cube *c, double *f, double *spectrum, double *u, double *energy,
                         double *error) {
    const weft_spectrum transposed = WEFT_SPECTRUM_TRANSPOSED;
    const size_t shape[] = {c->n, c->n, c->n};
    const weft_slice slice = weft_slice_of(c->points);
    make_charges(c, f);
    weft_status status = weft_dist_fft_axes(d, WEFT_R2C, transposed, WEFT_F64, c->across, 1, 3, shape, f, spectrum);
    if (status != WEFT_OK) return status;
    divide_spectrum(c, spectrum);
    status = weft_dist_fft_axes(d, WEFT_C2R, transposed, WEFT_F64, c->across, 1, 3, shape, spectrum, u);
    if (status != WEFT_OK) return status;
    /* Neither an exact sum nor a maximum depends on the order of the points, which the grid of ranks changes. */
    status = weft_dist_dot(d, WEFT_F64, WEFT_EXACT_SUM, slice, u, f, energy);
    if (status != WEFT_OK) return status;
    for (size_t i = 0; i < c->points; i++) f[i] = u[i] - f[i] / 14;
    return weft_dist_reduce(d, WEFT_NORMINF, WEFT_F64, WEFT_DEFAULT, slice, f, error);
}

/* All ranks have the same sentence; the first one prints it. */
static int fail(const weft_dist *d, const char *sentence) {
    if (weft_dist_rank(d) == 0) fprintf(stderr, "poisson: %s\n", sentence);
    MPI_Finalize();
    return 1;
}

int main(int argc, char **argv) {
    weft_context *ctx;
    weft_dist *d;
    MPI_Init(&argc, &argv);
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 48, across = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (n < 8 || n > 4096) return fail(NULL, "a number of points from 8 to 4096 is required");
    if (weft_open(&ctx, "cpu") != WEFT_OK) return fail(NULL, weft_last_error(NULL));
    if (weft_dist_open(&d, ctx, MPI_COMM_WORLD) != WEFT_OK) return fail(NULL, weft_dist_last_error(NULL));
    if (across == 0 || (size_t)weft_dist_size(d) % across != 0)
        return fail(d, "ACROSS must divide the number of ranks");

    const cube c = divide_cube(d, n, across);
    double *f = malloc((c.points + 1) * sizeof *f), *u = malloc((c.points + 1) * sizeof *u), energy, error;
    double *spectrum = malloc((n * c.waves_1.count * c.waves_2.count * 2 + 1) * sizeof *spectrum);
    const weft_status held = f && u && spectrum ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    weft_status status = weft_dist_agree(d, held, "cannot allocate memory for its block");
    if (status == WEFT_OK) status = solve(d, &c, f, spectrum, u, &energy, &error);
    free(f);
    free(u);
    free(spectrum);
    if (status != WEFT_OK) return fail(d, weft_dist_last_error(d));
    uint64_t bits;
    memcpy(&bits, &energy, sizeof bits);
    if (weft_dist_rank(d) == 0)
        printf("%zu^3 points: energy %.15g (0x%016" PRIx64 "), greatest error %.3g\n", n, energy, bits, error);
    weft_dist_close(d);
    weft_close(ctx);
    MPI_Finalize();
    return error > 1e-12;
}
