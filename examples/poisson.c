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

/* All ranks have the same sentence; the first one prints it. */
static int fail(const weft_dist *d, const char *sentence) {
    if (weft_dist_rank(d) == 0) fprintf(stderr, "poisson: %s\n", sentence);
    MPI_Finalize();
    return 1;
}

/* Sets f to 14 sin(x) cos(2y) sin(3z), whose solution is f / 14. The rank has parts of axes 0 and 1. */
static void make_charges(size_t n, weft_slice part_0, weft_slice part_1, double *f) {
    const double step = 2 * acos(-1.0) / (double)n;
    for (size_t i = 0; i < part_0.count; i++)
        for (size_t j = 0; j < part_1.count; j++)
            for (size_t k = 0; k < n; k++)
                *f++ = 14 * sin(step * (double)(part_0.offset + i)) * cos(2 * step * (double)(part_1.offset + j)) *
                       sin(3 * step * (double)k);
}

/* Returns the square of the wave number of value i of n. */
static double wave(uint64_t i, size_t n) {
    const double k = i <= n / 2 ? (double)i : (double)i - (double)n;
    return k * k;
}

/* Divides the spectrum by the squares of the wave numbers. The rank has parts of axes 1 and 2. */
static void divide(size_t n, weft_slice part_1, weft_slice part_2, double *spectrum) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < part_1.count; j++)
            for (size_t k = 0; k < part_2.count; k++, spectrum += 2) {
                const double square = wave(i, n) + wave(part_1.offset + j, n) + wave(part_2.offset + k, n);
                spectrum[0] = square > 0 ? spectrum[0] / square : 0;
                spectrum[1] = square > 0 ? spectrum[1] / square : 0;
            }
}

int main(int argc, char **argv) {
    weft_context *ctx;
    weft_dist *d;
    MPI_Init(&argc, &argv);
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 48, across = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (n < 8 || n > 4096) return fail(NULL, "a number of points from 8 to 4096 is required");
    if (weft_open(&ctx, "cpu") != WEFT_OK) return fail(NULL, weft_last_error(NULL));
    if (weft_dist_open(&d, ctx, MPI_COMM_WORLD) != WEFT_OK) return fail(NULL, weft_dist_last_error(NULL));
    const int ranks = weft_dist_size(d), rank = weft_dist_rank(d);
    if (across == 0 || (size_t)ranks % across != 0) return fail(d, "ACROSS must divide the number of ranks");

    const int columns = (int)across, rows = ranks / columns, row = rank / columns, column = rank % columns;
    const weft_slice part_0 = weft_slice_share(n, rows, row), part_1 = weft_slice_share(n, columns, column);
    const weft_slice waves_1 = weft_slice_share(n, rows, row), waves_2 = weft_slice_share(n / 2 + 1, columns, column);
    const size_t points = part_0.count * part_1.count * n, shape[] = {n, n, n};
    double *f = malloc((points + 1) * sizeof *f), *u = malloc((points + 1) * sizeof *u);
    double *spectrum = malloc((n * waves_1.count * waves_2.count * 2 + 1) * sizeof *spectrum), energy, error;
    if (weft_dist_agree(d, f && u && spectrum ? WEFT_OK : WEFT_OUT_OF_MEMORY, "cannot allocate memory") != WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    make_charges(n, part_0, part_1, f);
    if (weft_dist_fft_axes(d, WEFT_R2C, WEFT_SPECTRUM_TRANSPOSED, WEFT_F64, across, 1, 3, shape, f, spectrum) !=
        WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    divide(n, waves_1, waves_2, spectrum);
    if (weft_dist_fft_axes(d, WEFT_C2R, WEFT_SPECTRUM_TRANSPOSED, WEFT_F64, across, 1, 3, shape, spectrum, u) !=
        WEFT_OK)
        return fail(d, weft_dist_last_error(d));

    /* Neither an exact sum nor a maximum depends on the order of the points, which the grid of ranks changes. */
    if (weft_dist_dot(d, WEFT_F64, WEFT_EXACT_SUM, weft_slice_of(points), u, f, &energy) != WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    for (size_t i = 0; i < points; i++) f[i] = u[i] - f[i] / 14;
    if (weft_dist_reduce(d, WEFT_NORMINF, WEFT_F64, WEFT_DEFAULT, weft_slice_of(points), f, &error) != WEFT_OK)
        return fail(d, weft_dist_last_error(d));
    uint64_t bits;
    memcpy(&bits, &energy, sizeof bits);
    if (rank == 0)
        printf("%zu^3 points: energy %.15g (0x%016" PRIx64 "), greatest error %.3g\n", n, energy, bits, error);
    free(f);
    free(u);
    free(spectrum);
    weft_dist_close(d);
    weft_close(ctx);
    MPI_Finalize();
    return error > 1e-12;
}
