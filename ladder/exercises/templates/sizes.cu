/* Exercise sizes: points of 1 to 8 coordinates, in registers
 *
 * Each of n points has `size` coordinates, one after another in x: point i
 * begins at x[i * size]. y[i] = the sum of the products of all pairs of
 * different coordinates of the point, x_0 x_1 + x_0 x_2 + x_1 x_2 + ... The
 * numbers are unsigned, so a sum that exceeds 2^32 is taken modulo 2^32.
 * Write the kernel, whose size is a template argument, and `solve`, which
 * selects the kernel for a size that is known only at run time. size is 1
 * to 8.
 *
 * For 10 points each coordinate is read once, into an array `unsigned
 * own[SIZE]`. The bounds of all loops are constants, so the compiler can
 * keep it in registers.
 *
 * Hint: A point of one coordinate has no pair, and its y is 0. A pair of j
 * and k, j < k, counts once.
 *
 * Hint: `kernel<3><<<blocks, threads>>>(...)` needs the number 3 when it is
 * compiled. So `solve` needs a table of functions `launch<1>`, `launch<2>`,
 * ..., or a `switch`.
 *
 * Hint: A table of 8 entries has the indices 0 to 7, and sizes begin with
 * 1.
 *
 * Sizes: 1 2 31 32 33 127 128 129 1000 3001; 4194304 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 128;

template <unsigned SIZE>
__global__ void add_pairs(size_t n, const unsigned *x, unsigned *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    unsigned sum = 0;
    /* Blank: load the coordinates of point i, and add the products of
     * the pairs to sum */
    unsigned own[SIZE];
    for (unsigned k = 0; k < SIZE; k++) own[k] = x[i * SIZE + k];
    for (unsigned j = 0; j < SIZE; j++)
        for (unsigned k = j + 1; k < SIZE; k++) sum += own[j] * own[k];
    /* End of blank */
    y[i] = sum;
}

template <unsigned SIZE>
void launch(size_t n, const unsigned *x, unsigned *y) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    add_pairs<SIZE><<<blocks, THREADS>>>(n, x, y);
}

void solve(size_t n, unsigned size, const unsigned *x, unsigned *y) {
    /* Blank: call launch<size> */
    static void (*const of_size[])(size_t, const unsigned *, unsigned *) = {
        launch<1>, launch<2>, launch<3>, launch<4>,
        launch<5>, launch<6>, launch<7>, launch<8>};
    of_size[size - 1](n, x, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, unsigned size, const unsigned *x, unsigned *y);

void check_exercise(climb &c) {
    const unsigned MOST = 8;
    std::vector<unsigned> expected[MOST + 1];
    const unsigned *x[MOST + 1];
    unsigned *y[MOST + 1];
    for (unsigned size = 1; size <= MOST; size++) {
        std::vector<unsigned> values =
            ladder_values<unsigned>(size * c.n, c.seed + size);
        for (unsigned &v : values) v = (v + 1000) * 2654435761u;
        expected[size].resize(c.n);
        for (size_t i = 0; i < c.n; i++)
            for (size_t k = 1; k < size; k++)
                for (size_t j = 0; j < k; j++)
                    expected[size][i] +=
                        values[i * size + j] * values[i * size + k];
        x[size] = c.input(values);
        y[size] = c.output<unsigned>(c.n);
    }
    const double words = MOST * (MOST + 1) / 2 + MOST;
    c.work(4.0 * words * (double)c.n, 0);
    const ladder_claim right = [&] {
        for (unsigned size = 1; size <= MOST; size++) {
            const std::string said = c.holds(y[size], expected[size]);
            if (!said.empty())
                return "size " + std::to_string(size) + ": " + said;
        }
        return std::string();
    };
    c.rung("sizes", right, [&] {
        for (unsigned size = 1; size <= MOST; size++)
            solve(c.n, size, x[size], y[size]);
    });
}
