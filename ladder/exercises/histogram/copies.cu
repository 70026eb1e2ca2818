/* Exercise copies: counters for each warp, and bins of a given width
 *
 * The elements are whole numbers from 0 on. Bin b counts the elements from
 * b * width to b * width + width - 1. There are 64 bins, and elements after
 * the last bin are not counted. A block has eight copies of the 64
 * counters, one for each of its eight warps. Write the three parts of the
 * kernel: clear all copies, count, and add the copies to `counts`. `solve`
 * clears `counts`.
 *
 * Hint: The copies have 8 * 64 = 512 counters, and the block has 256
 * threads. The parts that clear and add need different loops: 64 threads
 * are enough to add.
 *
 * Hint: The copy of a thread is that of its warp, threadIdx.x / 32.
 *
 * Hint: Test the bin before you use it as an index. An element may be as
 * large as 2^32 - 1.
 *
 * Hint: A thread that reads a counter which another thread has written
 * needs a barrier in between. There are two.
 *
 * Sizes: 1 31 33 255 257 1000 4096 4097 20011; 67108864 on a GPU
 */
#include <cuda_runtime.h>

const unsigned BINS = 64, THREADS = 256, WARP = 32, WARPS = THREADS / WARP;
const unsigned EACH = 16;

__global__ void count_bins(size_t n, const unsigned *x, unsigned width,
                           unsigned *counts) {
    __shared__ unsigned copies[WARPS][BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    /* Blank: clear the counters of all copies */
    for (unsigned k = t; k < WARPS * BINS; k += THREADS)
        copies[k / BINS][k % BINS] = 0;
    __syncthreads();
    /* End of blank */
    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n; i += threads) {
        /* Blank: count x[i] in the copy of this warp */
        const unsigned bin = x[i] / width;
        if (bin < BINS) atomicAdd(&copies[t / WARP][bin], 1u);
        /* End of blank */
    }
    /* Blank: add the copies to counts */
    __syncthreads();
    if (t >= BINS) return;
    unsigned sum = 0;
    for (unsigned w = 0; w < WARPS; w++) sum += copies[w][t];
    atomicAdd(&counts[t], sum);
    /* End of blank */
}

void solve(size_t n, const unsigned *x, unsigned width, unsigned *counts) {
    cudaMemset(counts, 0, BINS * sizeof *counts);
    const size_t blocks = (n + THREADS * EACH - 1) / (THREADS * EACH);
    count_bins<<<(unsigned)blocks, THREADS>>>(n, x, width, counts);
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *x, unsigned width, unsigned *counts);

void check_exercise(climb &c) {
    const unsigned width = 7;
    std::vector<unsigned> values = ladder_values<unsigned>(c.n, c.seed);
    std::vector<unsigned> expected(64);
    for (size_t i = 0; i < c.n; i++) {
        values[i] = i % 50 == 49 ? 0u - 1 - (values[i] + 1000u)
                                 : (values[i] + 1000u) % 480;
        if (values[i] / width < 64) expected[values[i] / width]++;
    }
    const unsigned *const x = c.input(values);
    unsigned *const counts = c.output<unsigned>(64);
    c.work(4.0 * (double)c.n +
               8.0 * 64.0 * (double)blocks_for<size_t>(c.n, 4096),
           0);
    c.rung(
        "copies", [&] { return c.holds(counts, expected); },
        [&] { solve(c.n, x, width, counts); });
}
