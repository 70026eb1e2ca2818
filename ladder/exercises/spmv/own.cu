/* Exercise own: y = A x for a sparse matrix in the format CSR
 *
 * The matrix has `rows` rows. The values of row i and their columns are at
 * the positions first[i] to first[i + 1] - 1 of `value` and `column`. Rows
 * may be empty, also the first and the last one. Write a kernel and its
 * launch: y[i] starts with 0 and adds the products value x[column] of the
 * row in turn, by `fmaf`. y contains arbitrary bytes when `solve` is
 * called.
 *
 * Hint: One thread computes one row. Its loop is `for (size_t k = first[i];
 * k < first[i + 1]; k++)`.
 *
 * Hint: The sum begins with 0, and not with the first product: an empty row
 * has none, and its y is 0.
 *
 * Hint: Add in a register and store y[i] once.
 *
 * Sizes: 1 2 31 33 255 256 257 1000 3001; 4194304 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void multiply(size_t rows, const size_t *first,
                         const unsigned *column, const float *value,
                         const float *x, float *y) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    const size_t end = first[i + 1];
    float sum = 0;
    for (size_t k = first[i]; k < end; k++)
        sum = fmaf(value[k], x[column[k]], sum);
    y[i] = sum;
}
/* End of blank */

void solve(size_t rows, const size_t *first, const unsigned *column,
           const float *value, const float *x, float *y) {
    /* Blank: its launch */
    const unsigned blocks = (unsigned)((rows + 127) / 128);
    multiply<<<blocks, 128>>>(rows, first, column, value, x, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

#include <math.h>

void solve(size_t rows, const size_t *first, const unsigned *column,
           const float *value, const float *x, float *y);

void check_exercise(climb &c) {
    const size_t rows = c.n;
    const std::vector<unsigned> numbers =
        ladder_values<unsigned>(rows, c.seed);
    std::vector<size_t> first(rows + 1);
    std::vector<unsigned> column;
    for (size_t i = 0; i < rows; i++) {
        const size_t number = numbers[i] + 1000u;
        const size_t length =
            i == 0 || i + 1 == rows ? c.seed % 2 : number % 9;
        first[i + 1] = first[i] + length;
        for (size_t k = 0; k < length; k++)
            column.push_back((unsigned)((i + number * (k + 1)) % rows));
    }
    const std::vector<float> value =
        ladder_values<float>(column.size(), c.seed + 1);
    const std::vector<float> xs = ladder_values<float>(rows, c.seed + 2);
    std::vector<float> expected(rows);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = first[i]; k < first[i + 1]; k++)
            expected[i] = fmaf(value[k], xs[column[k]], expected[i]);
    const size_t *const begin = c.input(first);
    const unsigned *const columns = c.input(column);
    const float *const values = c.input(value), *const x = c.input(xs);
    float *const y = c.output<float>(rows);
    c.work(12.0 * (double)column.size() + 20.0 * (double)rows,
           2.0 * (double)column.size());
    c.rung(
        "own", [&] { return c.holds(y, expected); },
        [&] { solve(rows, begin, columns, values, x, y); });
}
