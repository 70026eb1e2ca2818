/* Exercise own: all running sums of n numbers, with kernels of your own
 *
 * Compute y[i] = x[0] + x[1] + ... + x[i] for all i. n is any number from 1
 * on. The elements are ints, so the order of the additions does not matter.
 * `spare` has capacity for n + 64 ints and contains arbitrary bytes, and so
 * does y.
 *
 * All points for traffic need kernels that read x at most twice and write y
 * once. Each thread may read one more number.
 *
 * Hint: Three kernels are enough. The first computes the sum of each tile
 * of 256 elements. The second scans these sums. The third scans each tile
 * and adds the sum of all tiles before it.
 *
 * Hint: A warp scans with `__shfl_up_sync` at the distances 1, 2, 4, 8 and
 * 16. Lane k adds only if k is not less than the distance. After that, the
 * last lane of a warp has the total of the warp, which the later warps must
 * add.
 *
 * Hint: The second kernel can run in one block, which processes 256 sums at
 * a time and keeps their total for the next
 * 256. There are more than 256 tiles.
 *
 * Hint: Shared memory may be written again only when all threads have read
 * it. This applies to a function that is called in a loop.
 *
 * Sizes: 1 2 31 33 255 256 257 511 513 1000 10007 131329; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: kernels */
const unsigned THREADS = 256, WARPS = THREADS / 32;

/* Returns the sum of v over the threads of the block up to this one. A
 * barrier must separate two calls. */
__device__ int scan_of_block(int v) {
    __shared__ int of_warps[WARPS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += before;
    }
    if (lane == 31) of_warps[warp] = v;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) v += of_warps[w];
    return v;
}

__global__ void add_tiles(size_t n, const int *x, int *totals) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int sum = scan_of_block(i < n ? x[i] : 0);
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = sum;
}

/* Replaces each total by the sum of all totals before it. */
__global__ void scan_totals(size_t tiles, int *totals) {
    __shared__ int last;
    int before = 0;
    for (size_t first = 0; first < tiles; first += THREADS) {
        const size_t k = first + threadIdx.x;
        const int own = k < tiles ? totals[k] : 0, sum = scan_of_block(own);
        if (k < tiles) totals[k] = before + sum - own;
        if (threadIdx.x == THREADS - 1) last = sum;
        __syncthreads();
        before += last;
    }
}

__global__ void scan_tiles(size_t n, const int *x, const int *totals,
                           int *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int sum = scan_of_block(i < n ? x[i] : 0);
    if (i < n) y[i] = totals[blockIdx.x] + sum;
}
/* End of blank */

void solve(size_t n, const int *x, int *y, int *spare) {
    /* Blank: their launches */
    const size_t tiles = (n + THREADS - 1) / THREADS;
    add_tiles<<<(unsigned)tiles, THREADS>>>(n, x, spare);
    scan_totals<<<1, THREADS>>>(tiles, spare);
    scan_tiles<<<(unsigned)tiles, THREADS>>>(n, x, spare, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *y, int *spare);

void check_exercise(climb &c) {
    const std::vector<int> values = ladder_values<int>(c.n, c.seed);
    std::vector<int> sums(c.n);
    int sum = 0;
    for (size_t i = 0; i < c.n; i++) sums[i] = sum += values[i];
    const int *const x = c.input(values);
    int *const y = c.output<int>(c.n);
    int *const spare = c.output<int>(c.n + 64);
    /* x twice, y once and a total for each element, and the totals of the
     * tiles three times. */
    c.work(16.0 * (double)c.n + 12.0 * (double)blocks_for<size_t>(c.n, 256),
           0);
    c.rung(
        "own", [&] { return c.holds(y, sums); },
        [&] { solve(c.n, x, y, spare); });
}
