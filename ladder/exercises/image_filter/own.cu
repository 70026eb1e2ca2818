/* Exercise own: a filter of 3 x 3 taps over an image,
 * with the halo in shared memory
 *
 * The image has `rows` rows of `columns` bytes. Write a kernel and its
 * launch: each point of the result is the sum of the nine points around it,
 * multiplied by the taps: b(i, j) = the sum of a(i + r - 1, j + s - 1) f[3
 * r + s], r, s = 0, 1, 2. Points outside the image count as 0. The taps are
 * whole numbers, and the result is an int. Both sides are any numbers from
 * 1 on.
 *
 * For 10 points a block of 32 x 8 or more outputs reads each point of its
 * tile and of the halo around it once.
 *
 * Hint: 32 x 8 outputs need 34 x 10 points: one more row or column on each
 * side. 256 threads load 340 points in a loop with the stride 256; point k
 * of the tile is in row k / 34 and column k % 34.
 *
 * Hint: A `size_t` that should be -1 is larger than every number of rows.
 * So the test `i < rows && j < columns` finds points before the image too.
 * A test of the position in the array does not: left of a row is the end of
 * the row above.
 *
 * Hint: Threads outside the image load too and wait, and do not write.
 *
 * Sizes: 1 2 33 100 288 999 1056 4001 12001; 33554432 on a GPU
 */
#include <cuda_runtime.h>

typedef unsigned char byte;

struct taps {
    int f[9];
};

/* Blank: a kernel */
const unsigned WIDTH = 32, HEIGHT = 8, TILE_WIDTH = WIDTH + 2;
const unsigned TILE_HEIGHT = HEIGHT + 2;

__global__ void filter(size_t rows, size_t columns, const byte *a, taps t,
                       int *b) {
    __shared__ int tile[TILE_HEIGHT][TILE_WIDTH];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = (size_t)blockIdx.y * HEIGHT;
    const size_t column = (size_t)blockIdx.x * WIDTH;
    for (unsigned k = y * WIDTH + x; k < TILE_WIDTH * TILE_HEIGHT;
         k += WIDTH * HEIGHT) {
        const size_t i = row + k / TILE_WIDTH - 1;
        const size_t j = column + k % TILE_WIDTH - 1;
        tile[k / TILE_WIDTH][k % TILE_WIDTH] =
            i < rows && j < columns ? a[i * columns + j] : 0;
    }
    __syncthreads();
    if (row + y >= rows || column + x >= columns) return;
    int sum = 0;
    for (unsigned r = 0; r < 3; r++)
        for (unsigned s = 0; s < 3; s++)
            sum += tile[y + r][x + s] * t.f[3 * r + s];
    b[(row + y) * columns + column + x] = sum;
}
/* End of blank */

void solve(size_t rows, size_t columns, const byte *a, taps t, int *b) {
    /* Blank: its launch */
    const dim3 tiles((unsigned)((columns + WIDTH - 1) / WIDTH),
                     (unsigned)((rows + HEIGHT - 1) / HEIGHT));
    filter<<<tiles, dim3(WIDTH, HEIGHT)>>>(rows, columns, a, t, b);
    /* End of blank */
}

/* Check */
#include "climb.h"

typedef unsigned char byte;
struct taps {
    int f[9];
};
void solve(size_t rows, size_t columns, const byte *a, taps t, int *b);

void check_exercise(climb &c) {
    /* At most n points, in the proportion 1 : 3 or, for an odd n, 3 : 1. */
    size_t small = 1;
    while (3 * (small + 1) * (small + 1) <= c.n) small++;
    const size_t rows = c.n % 2 ? c.n / small : small, columns = c.n / rows;
    const std::vector<int> numbers =
        ladder_values<int>(rows * columns + 9, c.seed);
    const std::vector<byte> values(numbers.begin(), numbers.end() - 9);
    taps t;
    for (size_t k = 0; k < 9; k++) t.f[k] = numbers[rows * columns + k];
    std::vector<int> expected(rows * columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < 9; k++) {
                const size_t from = i + k / 3 - 1, at = j + k % 3 - 1;
                if (from < rows && at < columns)
                    expected[i * columns + j] +=
                        values[from * columns + at] * t.f[k];
            }
    const byte *const a = c.input(values);
    int *const b = c.output<int>(expected.size());
    /* The halo of a tile is 1.33 times its points; points outside the image
     * are not read. */
    c.work((4 + 340.0 / 256) * (double)expected.size(), 0);
    c.rung(
        "own", [&] { return c.holds(b, expected); },
        [&] { solve(rows, columns, a, t, b); });
}
