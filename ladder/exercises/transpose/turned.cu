/* Exercise turned: a picture turned by 90 degrees
 *
 * A picture has `rows` rows of `columns` bytes. Turned clockwise, its first
 * row becomes the last column: element (i, j) goes to row j and column
 * rows - 1 - i of the result. A block of 32 x 8 threads turns a tile of 32
 * x 32 bytes in shared memory; each thread reads and writes four bytes of
 * it. A warp reads 32 adjacent bytes and writes 32 adjacent bytes. Write
 * the two loops of the kernel.
 *
 * Hint: This is a transpose, after which each row is reversed. Write the
 * load first: it is that of a transpose.
 *
 * Hint: The threads of a warp write adjacent columns of the result, so they
 * read a column of the tile: rows row + x of the picture, for x = 0 ... 31.
 *
 * Hint: Element (row + x, column + y) is tile[x][y]. It goes to row
 * column + y and column rows - 1 - (row + x).
 *
 * Sizes: 1 2 33 100 1024 1055 1057 3000 20011; 268435456 on a GPU
 */
#include <cuda_runtime.h>

typedef unsigned char byte;

const unsigned TILE = 32, STEP = 8;

__global__ void turn(size_t rows, size_t columns, const byte *a, byte *b) {
    __shared__ byte tile[TILE][TILE + 4];
    const unsigned x = threadIdx.x;
    const size_t row = (size_t)blockIdx.y * TILE;
    const size_t column = (size_t)blockIdx.x * TILE;
    /* Blank: load the tile, rows y = threadIdx.y, threadIdx.y + 8,
     * ..., and wait */
    for (unsigned y = threadIdx.y; y < TILE; y += STEP)
        if (row + y < rows && column + x < columns)
            tile[y][x] = a[(row + y) * columns + column + x];
    __syncthreads();
    /* End of blank */
    /* Blank: write the tile to b */
    for (unsigned y = threadIdx.y; y < TILE; y += STEP)
        if (row + x < rows && column + y < columns)
            b[(column + y) * rows + rows - 1 - (row + x)] = tile[x][y];
    /* End of blank */
}

void solve(size_t rows, size_t columns, const byte *a, byte *b) {
    const dim3 tiles((unsigned)((columns + TILE - 1) / TILE),
                     (unsigned)((rows + TILE - 1) / TILE));
    turn<<<tiles, dim3(TILE, STEP)>>>(rows, columns, a, b);
}

/* Check */
#include "climb.h"

typedef unsigned char byte;
void solve(size_t rows, size_t columns, const byte *a, byte *b);

void check_exercise(climb &c) {
    /* At most n bytes, in the proportion 1 : 2 or, for an odd n, 2 : 1. */
    size_t small = 1;
    while (2 * (small + 1) * (small + 1) <= c.n) small++;
    const size_t rows = c.n % 2 ? c.n / small : small, columns = c.n / rows;
    std::vector<byte> values(rows * columns), expected(rows * columns);
    const std::vector<int> numbers =
        ladder_values<int>(values.size(), c.seed);
    for (size_t i = 0; i < values.size(); i++) values[i] = (byte)numbers[i];
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            expected[j * rows + rows - 1 - i] = values[i * columns + j];
    const byte *const a = c.input(values);
    byte *const b = c.output<byte>(values.size());
    c.work(2.0 * (double)values.size(), 0);
    c.rung(
        "turned", [&] { return c.holds(b, expected); },
        [&] { solve(rows, columns, a, b); });
}
