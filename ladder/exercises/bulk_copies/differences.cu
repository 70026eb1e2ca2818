/* Exercise differences: copies that fill with zeros after the end of a row
 *
 * A matrix of numbers has `rows` rows of `columns` elements; `columns` is a
 * multiple of 4, so that each row begins at a multiple of 16 bytes.
 * y(i, j) = x(i, j + 1) - x(i, j), where x(i, columns) counts as 0. A block
 * computes 256 adjacent elements of a row from 260 elements in shared
 * memory. Its threads copy them in parts of four elements. A part after the
 * end of the row does not exist in memory, or belongs to the next row: its
 * elements must be 0. `__pipeline_memcpy_async(to, from, 16, zeros)` reads
 * only 16 - zeros bytes, and sets the last `zeros` bytes to 0. Write the
 * copy, and the part that computes.
 *
 * Hint: 260 elements are 65 parts. Thread t copies part t; the 65th part is
 * copied by the first thread too.
 *
 * Hint: Part p begins at column first + 4 p. If that is `columns` or more,
 * all 16 bytes are zeros. Since columns is a multiple of 4, there are no
 * other cases. With 16 zeros nothing is read, but `from` must still be a
 * multiple of 16.
 *
 * Hint: `__pipeline_commit()` and `__pipeline_wait_prior(0)` wait for the
 * copies of the thread itself. A thread reads what other threads have
 * copied, so a barrier follows.
 *
 * Sizes: 4 8 64 252 256 260 512 1028 4000 10012; 33554432 on a GPU
 */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

const unsigned THREADS = 64, OWN = 4 * THREADS; /* elements per block */

__global__ void subtract(size_t columns, const int *x, int *y) {
    __shared__ __align__(16) int part[OWN + 4];
    const unsigned t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * OWN; /* column */
    x += blockIdx.y * columns;
    y += blockIdx.y * columns;
    /* Blank: copy the elements first ... first + 259 of the row to
     * part, and wait */
    for (unsigned p = t; p <= THREADS; p += THREADS) {
        const bool inside = first + 4 * p < columns;
        __pipeline_memcpy_async(part + 4 * p,
                                inside ? x + first + 4 * p : x, 16,
                                inside ? 0 : 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    /* End of blank */
    /* Blank: compute the elements t, t + 64, t + 128 and t + 192 of
     * the block */
    for (unsigned i = t; i < OWN; i += THREADS)
        if (first + i < columns) y[first + i] = part[i + 1] - part[i];
    /* End of blank */
}

void solve(size_t rows, size_t columns, const int *x, int *y) {
    const dim3 blocks((unsigned)((columns + OWN - 1) / OWN),
                      (unsigned)rows);
    subtract<<<blocks, THREADS>>>(columns, x, y);
}

/* Check */
#include "climb.h"

void solve(size_t rows, size_t columns, const int *x, int *y);

void check_exercise(climb &c) {
    const size_t most = 1028;
    const size_t columns = c.n < most ? c.n / 4 * 4 : c.n % 8 ? most : 604;
    const size_t rows = c.n / columns;
    const std::vector<int> values =
        ladder_values<int>(rows * columns, c.seed);
    std::vector<int> expected(values.size());
    for (size_t i = 0; i < values.size(); i++)
        expected[i] =
            (i % columns + 1 < columns ? values[i + 1] : 0) - values[i];
    const int *const x = c.input(values);
    int *const y = c.output<int>(values.size());
    c.work(8.0 * (double)values.size() +
               16.0 * (double)rows * (double)(columns / 256),
           0);
    c.rung(
        "differences", [&] { return c.holds(y, expected); },
        [&] { solve(rows, columns, x, y); });
}
