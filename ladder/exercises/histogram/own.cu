/* Exercise own: how often each of the 256 values of a byte occurs
 *
 * Write a kernel and its launch: counts[v] = the number of bytes of x that
 * are equal to v. n is any number from 1 on. `counts` contains arbitrary
 * bytes when `solve` is called.
 *
 * For 10 points, a block counts many bytes in counters of its own, in
 * shared memory, and adds them to `counts` at the end. With an atomic in
 * global memory for each byte, the traffic is nine times as large.
 *
 * Hint: A block of 256 threads has as many threads as there are values.
 * Thread t clears counter t of the block, and at the end adds it to
 * counts[t] by `atomicAdd`.
 *
 * Hint: There are two barriers: no thread may count before all counters are
 * clear, and no counter may be added to `counts` before all threads have
 * counted.
 *
 * Hint: The 256 atomics of a block cost as much as 2048 bytes. So let a
 * block count at least 16384 bytes: thread i of all T threads of the grid
 * counts the bytes i, i + T, i + 2 T, ...
 *
 * Hint: `counts` must be 0 before the first block adds to it. `cudaMemset`
 * sets bytes, not elements.
 *
 * Sizes: 1 31 255 256 257 1000 16384 16385 50021; 268435456 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned BINS = 256, EACH = 64;

__global__ void count_bytes(size_t n, const unsigned char *x,
                            unsigned *counts) {
    __shared__ unsigned mine[BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    mine[t] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + t; i < n;
         i += threads)
        atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    if (mine[t] > 0) atomicAdd(&counts[t], mine[t]);
}
/* End of blank */

void solve(size_t n, const unsigned char *x, unsigned *counts) {
    /* Blank: clear the counts, and launch the kernel */
    cudaMemset(counts, 0, BINS * sizeof *counts);
    const unsigned blocks =
        (unsigned)((n + BINS * EACH - 1) / (BINS * EACH));
    count_bytes<<<blocks, BINS>>>(n, x, counts);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned char *x, unsigned *counts);

void check_exercise(climb &c) {
    const std::vector<unsigned> numbers =
        ladder_values<unsigned>(c.n, c.seed);
    std::vector<unsigned char> values(c.n);
    std::vector<unsigned> expected(256);
    for (size_t i = 0; i < c.n; i++) {
        /* Half of the bytes are below 32. */
        const unsigned mixed = (numbers[i] + 1000u) * 2654435761u;
        values[i] =
            (unsigned char)(mixed >> 31 ? mixed >> 8 & 31 : mixed >> 8);
        expected[values[i]]++;
    }
    const unsigned char *const x = c.input(values);
    unsigned *const counts = c.output<unsigned>(256);
    c.work((double)c.n +
               8.0 * 256.0 * (double)blocks_for<size_t>(c.n, 16384),
           0);
    c.rung(
        "own", [&] { return c.holds(counts, expected); },
        [&] { solve(c.n, x, counts); });
}
