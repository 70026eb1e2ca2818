/* Exercise odd: the sum of any number of elements, by blocks of any size
 *
 * A block of 96 threads adds its slice of x in shared memory, by halves.
 * The kernel of the texts begins with half of the block, which is 48, then
 * 24, 12, 6, 3, 1: at 3 an element is lost. The last slice of x has fewer
 * elements than the block has threads. Write the part that adds the
 * elements of `tile` so that every slice of 1 to 96 elements is summed, and
 * the launch. `sum` contains arbitrary bytes when `solve` is called.
 *
 * Hint: With m elements left, m - (m + 1) / 2 threads each add one element
 * from the upper half to one of the lower half. If m is odd, the middle
 * element stays where it is. Then (m + 1) / 2 elements are left.
 *
 * Hint: Where does the loop begin? The last slice has n - first elements,
 * if that is less than 96.
 *
 * Hint: All threads of the block must reach each `__syncthreads`, also
 * those that add nothing: do not put it into an `if`. One is needed before
 * the first step, and one between two steps.
 *
 * Hint: `*sum` must be 0 before the kernel adds to it:
 * `cudaMemset(sum, 0, sizeof *sum)`.
 *
 * Sizes: 1 2 3 31 32 33 95 96 97 191 193 1000 10007; 67108864 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 96;

__global__ void sum_slices(size_t n, const int *x, int *sum) {
    __shared__ int tile[THREADS];
    const size_t first = (size_t)blockIdx.x * THREADS;
    const unsigned i = threadIdx.x;
    if (first + i < n) tile[i] = x[first + i];
    /* Blank: add the elements of tile to tile[0] */
    unsigned m = n - first < THREADS ? (unsigned)(n - first) : THREADS;
    __syncthreads();
    while (m > 1) {
        const unsigned half = (m + 1) / 2;
        if (i < m - half) tile[i] += tile[i + half];
        __syncthreads();
        m = half;
    }
    /* End of blank */
    if (i == 0) atomicAdd(sum, tile[0]);
}

void solve(size_t n, const int *x, int *sum) {
    /* Blank: clear the sum, and launch a block for
     * each slice of 96 elements */
    cudaMemset(sum, 0, sizeof *sum);
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    sum_slices<<<blocks, THREADS>>>(n, x, sum);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *sum);

void check_exercise(climb &c) {
    const std::vector<int> values = ladder_values<int>(c.n, c.seed);
    int total = 0;
    for (const int v : values) total += v;
    const int *const x = c.input(values);
    int *const sum = c.output<int>(1);
    /* Each of the n / 96 blocks also reads and writes the sum. */
    c.work(4.0 * (double)c.n + 8.0 * (double)blocks_for<size_t>(c.n, 96) +
               8,
           0);
    c.rung(
        "odd", [&] { return c.holds(sum, std::vector<int>{total}); },
        [&] { solve(c.n, x, sum); });
}
