/* Exercise own: a matrix with rows and columns
 * exchanged, by tiles in shared memory
 *
 * Write a kernel and its launch: b[j * rows + i] = a[i * columns + j], for
 * i = 0 ... rows - 1 and j = 0 ... columns - 1. Both sides are any numbers
 * from 1 on, and the matrix need not be square. A warp should read adjacent
 * elements of a and write adjacent elements of b.
 *
 * Hint: A block loads a tile of 32 x 32 elements into shared memory, waits,
 * and writes it with rows and columns exchanged. A block may have 32 x 32
 * threads, or 32 x 8 threads with four elements each.
 *
 * Hint: The grid has as many blocks in x as there are tiles next to each
 * other, (columns + 31) / 32, and in y as there are tiles one below the
 * other.
 *
 * Hint: Let x be threadIdx.x. Thread (x, y) reads row y and column x of the
 * tile of a. It writes row y and column x of the tile of b, which is
 * element [x][y] of the tile in shared memory.
 *
 * Hint: The tile of b begins at row (first column of a) and column (first
 * row of a). So the tests at the edges differ for the read and for the
 * write, and all threads must reach the barrier between them.
 *
 * Sizes: 1 2 33 100 1024 1055 1057 3000 10007; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned TILE = 32;

__global__ void transpose(size_t rows, size_t columns, const float *a,
                          float *b) {
    __shared__ float tile[TILE][TILE + 1];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = (size_t)blockIdx.y * TILE;
    const size_t column = (size_t)blockIdx.x * TILE;
    if (row + y < rows && column + x < columns)
        tile[y][x] = a[(row + y) * columns + column + x];
    __syncthreads();
    if (row + x < rows && column + y < columns)
        b[(column + y) * rows + row + x] = tile[x][y];
}
/* End of blank */

void solve(size_t rows, size_t columns, const float *a, float *b) {
    /* Blank: its launch */
    const dim3 tiles((unsigned)((columns + TILE - 1) / TILE),
                     (unsigned)((rows + TILE - 1) / TILE));
    transpose<<<tiles, dim3(TILE, TILE)>>>(rows, columns, a, b);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t rows, size_t columns, const float *a, float *b);

void check_exercise(climb &c) {
    /* At most n elements, in the proportion 1 : 2 or, for an odd n, 2 :
     * 1. */
    size_t small = 1;
    while (2 * (small + 1) * (small + 1) <= c.n) small++;
    const size_t rows = c.n % 2 ? c.n / small : small, columns = c.n / rows;
    const std::vector<float> values =
        ladder_values<float>(rows * columns, c.seed);
    std::vector<float> expected(values.size());
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            expected[j * rows + i] = values[i * columns + j];
    const float *const a = c.input(values);
    float *const b = c.output<float>(values.size());
    c.work(8.0 * (double)values.size(), 0);
    c.rung(
        "own", [&] { return c.holds(b, expected); },
        [&] { solve(rows, columns, a, b); });
}
