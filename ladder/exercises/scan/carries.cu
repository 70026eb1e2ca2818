/* Exercise carries: from sums within tiles to sums from the beginning
 *
 * An exclusive scan computes y[i] = x[0] + ... + x[i - 1], and y[0] = 0.
 * The kernel `scan_tiles` is complete. It scans each tile of 256 ints
 * alone, beginning with 0, and stores the total of tile k in totals[k].
 * Write the rest:
 *
 * 1. `scan_totals`: one thread replaces each of the totals by the sum of
 *    all totals before it.
 * 2. `add_before`: add to each element the sum of all tiles before its
 *    tile.
 * 3. The launches.
 *
 * One thread is slow, and enough here: there is one total for 256 elements.
 * The exercise `own` asks for more. `totals` has capacity for the totals of
 * all tiles.
 *
 * Hint: In `scan_totals`, keep the running sum in a register. Read the
 * total before you overwrite it.
 *
 * Hint: Element i belongs to tile i / 256. In `add_before`, a block of 256
 * threads is one tile.
 *
 * Hint: The kernels run one after another in the order of their launches. n
 * elements need (n + 255) / 256 blocks.
 *
 * Sizes: 1 2 255 256 257 511 512 513 1000 30011; 16777216 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 256;

/* Scans each tile alone: y[i] is the sum of the elements of the tile before
 * element i. */
__global__ void scan_tiles(size_t n, const int *x, int *y, int *totals) {
    __shared__ int of_warps[THREADS / 32];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int own = i < n ? x[i] : 0;
    int sum = own;
    for (unsigned d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, sum, d);
        if (lane >= d) sum += before;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += of_warps[w];
    if (i < n) y[i] = sum - own;
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = sum;
}

__global__ void scan_totals(size_t tiles, int *totals) {
    /* Blank: replace each total by the sum of the totals before it */
    int sum = 0;
    for (size_t k = 0; k < tiles; k++) {
        const int own = totals[k];
        totals[k] = sum;
        sum += own;
    }
    /* End of blank */
}

__global__ void add_before(size_t n, const int *totals, int *y) {
    /* Blank: add the sum of the tiles before */
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) y[i] += totals[blockIdx.x];
    /* End of blank */
}

void solve(size_t n, const int *x, int *y, int *totals) {
    /* Blank: three launches */
    const size_t tiles = (n + THREADS - 1) / THREADS;
    scan_tiles<<<(unsigned)tiles, THREADS>>>(n, x, y, totals);
    scan_totals<<<1, 1>>>(tiles, totals);
    add_before<<<(unsigned)tiles, THREADS>>>(n, totals, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *y, int *totals);

void check_exercise(climb &c) {
    const std::vector<int> values = ladder_values<int>(c.n, c.seed);
    std::vector<int> sums(c.n);
    int sum = 0;
    for (size_t i = 0; i < c.n; i++) sums[i] = sum, sum += values[i];
    const size_t tiles = blocks_for<size_t>(c.n, 256);
    const int *const x = c.input(values);
    int *const y = c.output<int>(c.n), *const totals = c.output<int>(tiles);
    /* Each thread of the last kernel also reads a total. */
    c.work(20.0 * (double)c.n + 12.0 * (double)tiles, 0);
    c.rung(
        "carries", [&] { return c.holds(y, sums); },
        [&] { solve(c.n, x, y, totals); });
}
