/* Exercise element: a thread for each element of a
 * product, with A stored transposed
 *
 * C = A B has `rows` rows and `columns` columns, and A and B have the
 * common size `depth`. B and C are stored row by row: element (k, j) of B
 * is b[k * columns + j]. A is stored column by column: element (i, k) of A
 * is a[k * rows + i].
 *
 * A block has 16 x 16 threads, and a thread computes one element of C. It
 * begins with 0 and computes s = fmaf(a, b, s) for k = 0, 1, 2, ... The
 * result is compared bit for bit. Let adjacent threads, whose `threadIdx.x`
 * differ by 1, compute adjacent elements of a row of C.
 *
 * Hint: The column of a thread is blockIdx.x * 16 + threadIdx.x. Its row
 * depends in the same way on the y of both.
 *
 * Hint: The sizes are no multiples of 16. So the grid is rounded up, and
 * threads outside of C must do nothing.
 *
 * Hint: `dim3(x, y)` is the number of blocks across and down. C has
 * `columns` elements across.
 *
 * Sizes: 1 2 15 17 240 448 513 1000 3001; 1048576 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

const unsigned SIDE = 16;

__global__ void multiply(size_t rows, size_t depth, size_t columns,
                         const float *a, const float *b, float *c) {
    /* Blank: compute one element of C */
    const size_t i = (size_t)blockIdx.y * SIDE + threadIdx.y;
    const size_t j = (size_t)blockIdx.x * SIDE + threadIdx.x;
    if (i >= rows || j >= columns) return;
    float s = 0;
    for (size_t k = 0; k < depth; k++)
        s = fmaf(a[k * rows + i], b[k * columns + j], s);
    c[i * columns + j] = s;
    /* End of blank */
}

void solve(size_t rows, size_t depth, size_t columns, const float *a,
           const float *b, float *c) {
    /* Blank: the launch */
    const dim3 blocks((unsigned)((columns + SIDE - 1) / SIDE),
                      (unsigned)((rows + SIDE - 1) / SIDE));
    multiply<<<blocks, dim3(SIDE, SIDE)>>>(rows, depth, columns, a, b, c);
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
        ladder_values<float>(depth * rows, c.seed);
    const std::vector<float> right =
        ladder_values<float>(depth * columns, c.seed + 100);
    std::vector<float> product(rows * columns);
    ladder_in_parts(rows, [&](size_t first, size_t end) {
        for (size_t i = first; i < end; i++)
            for (size_t k = 0; k < depth; k++)
                for (size_t j = 0; j < columns; j++)
                    product[i * columns + j] =
                        fmaf(left[k * rows + i], right[k * columns + j],
                             product[i * columns + j]);
    });
    const float *const a = c.input(left), *const b = c.input(right);
    float *const to = c.output<float>(product.size());
    c.work((8.0 * (double)depth + 4) * (double)product.size(),
           2.0 * (double)(product.size() * depth));
    c.rung(
        "element", [&] { return c.holds(to, product); },
        [&] { solve(rows, depth, columns, a, b, to); });
}
