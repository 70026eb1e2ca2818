/* Exercise lanes: eight threads for each row
 *
 * Eight adjacent lanes compute a row of a matrix in the format CSR, so a
 * warp computes four rows. Lane l = 0 ... 7 of a row starts with 0 and adds
 * the products l, l + 8, l + 16, ... of the row in turn, by `fmaf`. Then
 * the eight sums are added in three steps: for d = 4, 2, 1,
 * v[l] = v[l] + v[l xor d]. Rows have any length, also 0, and the number of
 * rows is no multiple of anything. Write the index of the row and of the
 * lane, the loop, and the three exchanges.
 *
 * Hint: A block of 128 threads computes 16 rows. The lanes of a row are
 * adjacent threads, so that they read adjacent values: the lane is
 * threadIdx.x % 8, and the row in the block is threadIdx.x / 8.
 *
 * Hint: The mask 0xffffffff names all 32 lanes of the warp, so all of them
 * must call `__shfl_xor_sync`: lanes whose row is empty or does not exist
 * too.
 *
 * Hint: `__shfl_xor_sync(0xffffffff, v, d)` with d < 8 reads from a lane of
 * the same eight.
 *
 * Sizes: 1 2 3 4 5 15 16 17 63 65 500 1501; 4194304 on a GPU
 */
#include <cuda_runtime.h>

const unsigned LANES = 8, THREADS = 128;

struct csr {
    size_t rows;
    const size_t *first;
    const unsigned *column;
    const float *value;
};

__global__ void multiply(csr a, const float *x, float *y) {
    size_t row = 0;
    unsigned lane = 0;
    float sum = 0;
    /* Blank: set row and lane */
    row = (size_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    lane = threadIdx.x % LANES;
    /* End of blank */
    /* Blank: add the products of this lane to sum */
    if (row < a.rows)
        for (size_t k = a.first[row] + lane; k < a.first[row + 1];
             k += LANES)
            sum = fmaf(a.value[k], x[a.column[k]], sum);
    /* End of blank */
    /* Blank: add the sums of the eight lanes */
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    /* End of blank */
    if (row < a.rows && lane == 0) y[row] = sum;
}

void solve(csr a, const float *x, float *y) {
    const size_t each = THREADS / LANES;
    multiply<<<(unsigned)((a.rows + each - 1) / each), THREADS>>>(a, x, y);
}

/* Check */
#include "climb.h"

#include <math.h>

struct csr {
    size_t rows;
    const size_t *first;
    const unsigned *column;
    const float *value;
};
void solve(csr a, const float *x, float *y);

void check_exercise(climb &c) {
    const size_t rows = c.n, LANES = 8;
    const std::vector<unsigned> numbers =
        ladder_values<unsigned>(rows, c.seed);
    std::vector<size_t> first(rows + 1);
    std::vector<unsigned> column;
    for (size_t i = 0; i < rows; i++) {
        /* Lengths of 0 to 24, empty rows at both ends in one of two runs,
         * and some rows of 100 values. */
        const size_t number = numbers[i] + 1000u;
        const size_t inside = i % 300 == 44 ? 100 : number % 25;
        const size_t length =
            i == 0 || i + 1 == rows ? c.seed % 2 * (9 + i % 2) : inside;
        first[i + 1] = first[i] + length;
        for (size_t k = 0; k < length; k++)
            column.push_back((unsigned)((i + number * (k + 1)) % rows));
    }
    const std::vector<float> value =
        ladder_values<float>(column.size(), c.seed + 1);
    const std::vector<float> xs = ladder_values<float>(rows, c.seed + 2);
    std::vector<float> expected(rows);
    for (size_t i = 0; i < rows; i++) {
        float v[LANES] = {};
        for (size_t k = first[i]; k < first[i + 1]; k++) {
            float &sum = v[(k - first[i]) % LANES];
            sum = fmaf(value[k], xs[column[k]], sum);
        }
        for (size_t d = LANES / 2; d > 0; d /= 2)
            for (size_t l = 0; l < d; l++) v[l] += v[l + d];
        expected[i] = v[0];
    }
    const csr a = {rows, c.input(first), c.input(column), c.input(value)};
    const float *const x = c.input(xs);
    float *const y = c.output<float>(rows);
    /* Each lane reads both positions of its row; these
     * reads are from a cache. */
    c.work(20.0 * (double)column.size() + (16.0 * 8.0 + 4) * (double)rows,
           2.0 * (double)column.size());
    c.rung(
        "lanes", [&] { return c.holds(y, expected); },
        [&] { solve(a, x, y); });
}
