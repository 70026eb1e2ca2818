/* Exercise own: the product of two matrices, with a kernel of your own
 *
 * A has `rows` rows and `depth` columns, B has `depth` rows and `columns`
 * columns, and C = A B has `rows` rows and `columns` columns. All are
 * stored row by row: element (i, j) of B is b[i * columns + j]. The sizes
 * are any numbers from 1 on, multiples of nothing.
 *
 * Each element of C begins with 0 and adds its products in the order of k,
 * with one rounding a step: s = fmaf(a[i][k], b[k][j], s) for k = 0, 1, 2,
 * ... The result is compared bit for bit.
 *
 * All points for traffic need tiles of 16 x 16 elements in shared memory,
 * so that a block of 16 x 16 threads reads each element of its rows of A
 * and of its columns of B once.
 *
 * Hint: Begin with a thread for each element of C, and a loop over k. `dim3
 * block(16, 16)` is a block of 16 x 16 threads. Let `threadIdx.x` be the
 * column, so that adjacent threads access adjacent elements.
 *
 * Hint: With tiles, the loop takes 16 values of k at a time. Each thread
 * loads one element of A and one of B into shared memory. After a barrier
 * it adds 16 products. Another barrier precedes the next load.
 *
 * Hint: At the edges, a thread loads 0 for an element outside of its
 * matrix. A product with 0 does not change the sum. Threads outside of C
 * load and wait as the others do, and only do not store a result.
 *
 * Sizes: 1 2 15 17 240 448 513 1000 3001; 1048576 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

/* Blank: a kernel */
const unsigned TILE = 16;

__global__ void multiply(size_t rows, size_t depth, size_t columns,
                         const float *a, const float *b, float *c) {
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * TILE + y;
    const size_t j = (size_t)blockIdx.x * TILE + x;
    float s = 0;
    for (size_t first = 0; first < depth; first += TILE) {
        of_a[y][x] =
            i < rows && first + x < depth ? a[i * depth + first + x] : 0;
        of_b[y][x] = first + y < depth && j < columns
                         ? b[(first + y) * columns + j]
                         : 0;
        __syncthreads();
        for (unsigned k = 0; k < TILE; k++)
            s = fmaf(of_a[y][k], of_b[k][x], s);
        __syncthreads();
    }
    if (i < rows && j < columns) c[i * columns + j] = s;
}
/* End of blank */

void solve(size_t rows, size_t depth, size_t columns, const float *a,
           const float *b, float *c) {
    /* Blank: its launch */
    const dim3 blocks((unsigned)((columns + TILE - 1) / TILE),
                      (unsigned)((rows + TILE - 1) / TILE));
    multiply<<<blocks, dim3(TILE, TILE)>>>(rows, depth, columns, a, b, c);
    /* End of blank */
}

/* Check */
#include "climb.h"

#include <math.h>

void solve(size_t rows, size_t depth, size_t columns, const float *a,
           const float *b, float *c);

void check_exercise(climb &c) {
    size_t rows = 1;
    while (2 * (rows + 1) * (rows + 1) <= c.n) rows++;
    const size_t columns = c.n / rows, depth = columns + c.n % 7;
    const std::vector<float> left =
        ladder_values<float>(rows * depth, c.seed);
    const std::vector<float> right =
        ladder_values<float>(depth * columns, c.seed + 100);
    std::vector<float> product(rows * columns);
    ladder_in_parts(rows, [&](size_t first, size_t end) {
        for (size_t i = first; i < end; i++)
            for (size_t k = 0; k < depth; k++)
                for (size_t j = 0; j < columns; j++)
                    product[i * columns + j] =
                        fmaf(left[i * depth + k], right[k * columns + j],
                             product[i * columns + j]);
    });
    const float *const a = c.input(left), *const b = c.input(right);
    float *const to = c.output<float>(product.size());
    /* Each tile of C reads its rows of A and its columns of B. */
    const size_t across = blocks_for<size_t>(columns, 16);
    const size_t down = blocks_for<size_t>(rows, 16);
    c.work(4.0 * (double)(left.size() * across + right.size() * down +
                          product.size()),
           2.0 * (double)(product.size() * depth));
    c.rung(
        "own", [&] { return c.holds(to, product); },
        [&] { solve(rows, depth, columns, a, b, to); });
}
