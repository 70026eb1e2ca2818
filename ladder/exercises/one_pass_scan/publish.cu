/* Exercise publish: totals that a block hands over to the next one
 *
 * A scan in one launch: y[i] = x[0] + ... + x[i]. A block takes the number
 * k of its tile from a counter and scans its tile of 256 ints. Then it
 * waits for the total of the tiles 0 ... k - 1, which the block of tile
 * k - 1 publishes, and publishes the total of the tiles 0 ... k itself: the
 * total in totals[k], and a 1 in flags[k], which says that the total is
 * there.
 *
 * The blocks run at the same time, on a GPU whose memory may show the
 * writes of a thread to other blocks in any order. Write:
 *
 * 1. The number of the tile. Blocks may start in any order, and each waits
 *    for the tile before its own.
 * 2. `publish`, which must not let a block see the flag without the total.
 * 3. `await_total`, which must not read the total before the flag.
 *
 * The counter and the flags are 0 when the kernel starts.
 *
 * Hint: One thread takes the number by `atomicAdd`, whose result is the old
 * value of the counter, and passes it to the others through shared memory.
 * A block with a smaller number has then started, so waiting for it ends.
 *
 * Hint: `__threadfence()` separates the writes of a thread before it from
 * those after it, for all other blocks. It is needed between the total and
 * the flag.
 *
 * Hint: The reader needs a `__threadfence()` too, between its reads of the
 * flag and of the total.
 *
 * Hint: A flag that is accessed while another block writes it must be
 * accessed by atomics, or as volatile:
 * `*(const volatile unsigned *)&flags[k]`. Otherwise the compiler may read
 * it once and keep it in a register.
 *
 * Sizes: 1 2 255 256 257 511 512 513 1000 10007; 262144 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 256, WARP = 32;

/* Returns the sum of v over all threads of the block up to this one. */
__device__ int scan_tile(int v) {
    __shared__ int of_warps[THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const int below = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += below;
    }
    if (lane == WARP - 1) of_warps[warp] = v;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) v += of_warps[w];
    return v;
}

/* Publishes the total of the tiles 0 ... k. */
__device__ void publish(unsigned k, int total, int *totals,
                        unsigned *flags) {
    /* Blank: store the total and the flag */
    totals[k] = total;
    __threadfence();
    atomicExch(&flags[k], 1u);
    /* End of blank */
}

/* Waits until tile k has published a total, and returns it. */
__device__ int await_total(unsigned k, const int *totals,
                           const unsigned *flags) {
    /* Blank: wait for the flag, and return the total */
    while (*(const volatile unsigned *)&flags[k] == 0) {
    }
    __threadfence();
    return totals[k];
    /* End of blank: return 0; */
}

__global__ void scan(size_t n, const int *x, int *y, unsigned *counter,
                     int *totals, unsigned *flags) {
    __shared__ unsigned tile;
    __shared__ int before;
    /* Blank: take the number of the tile from the counter */
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1u);
    __syncthreads();
    /* End of blank: tile = 0; */
    const unsigned k = tile;
    const size_t i = (size_t)k * THREADS + threadIdx.x;
    const int sum = scan_tile(i < n ? x[i] : 0);
    if (threadIdx.x == THREADS - 1) {
        before = k > 0 ? await_total(k - 1, totals, flags) : 0;
        publish(k, before + sum, totals, flags);
    }
    __syncthreads();
    if (i < n) y[i] = before + sum;
}

void solve(size_t n, const int *x, int *y, unsigned *counter, int *totals,
           unsigned *flags) {
    const unsigned tiles = (unsigned)((n + THREADS - 1) / THREADS);
    cudaMemsetAsync(counter, 0, sizeof *counter);
    cudaMemsetAsync(flags, 0, tiles * sizeof *flags);
    scan<<<tiles, THREADS>>>(n, x, y, counter, totals, flags);
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *y, unsigned *counter, int *totals,
           unsigned *flags);

void check_exercise(climb &c) {
    const size_t tiles = blocks_for<size_t>(c.n, 256);
    const std::vector<int> values = ladder_values<int>(c.n, c.seed);
    std::vector<int> expected = values;
    for (size_t i = 1; i < c.n; i++) expected[i] += expected[i - 1];
    const int *const x = c.input(values);
    int *const y = c.output<int>(c.n), *const totals = c.output<int>(tiles);
    unsigned *const counter = c.output<unsigned>(1);
    unsigned *const flags = c.output<unsigned>(tiles);
    /* A tile accesses the counter, its own total and flag, and those of the
     * tile before it: 28 bytes. */
    c.work(8.0 * (double)c.n + 28.0 * (double)tiles, 0);
    c.rung(
        "publish", [&] { return c.holds(y, expected); },
        [&] { solve(c.n, x, y, counter, totals, flags); });
}
