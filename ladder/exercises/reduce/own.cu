/* Exercise own: the sum of n numbers, with a kernel of your own
 *
 * Add the n elements of x and store the total in *sum. Both are in the
 * device's memory. n is any number from 1 on. The elements are ints, so the
 * sum is the same in every order. `sum` contains arbitrary bytes when
 * `solve` is called.
 *
 * All points for traffic need a kernel that reads each element once and
 * writes little else. A kernel that adds every element to *sum is right,
 * but it moves three times as many bytes.
 *
 * Hint: Let each block add its elements in shared memory, in steps of 128,
 * 64, ..., 1. Thread 0 then adds the total of its block to *sum with
 * `atomicAdd`.
 *
 * Hint: All threads of a block must have written before a thread reads the
 * values of others. Put a `__syncthreads` after the first store and after
 * each step, where all threads reach it.
 *
 * Hint: A thread may first add several elements in a register. Thread g of
 * G threads adds x[g], x[g + G], ... A thread without elements has the sum
 * 0 and takes part in the steps.
 *
 * Hint: Clear *sum before the launch: `cudaMemset(sum, 0, sizeof *sum)`.
 *
 * Sizes: 1 2 31 33 255 256 257 1000 10007 65537 150001; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned THREADS = 256, MOST_BLOCKS = 512;

__global__ void add_slices(size_t n, const int *x, int *sum) {
    __shared__ int tile[THREADS];
    const unsigned t = threadIdx.x;
    const size_t all = (size_t)gridDim.x * THREADS;
    int mine = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n; i += all)
        mine += x[i];
    tile[t] = mine;
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) tile[t] += tile[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, tile[0]);
}
/* End of blank */

void solve(size_t n, const int *x, int *sum) {
    /* Blank: what must be done before the launch, and the launch */
    const size_t blocks = (n + THREADS - 1) / THREADS;
    cudaMemset(sum, 0, sizeof *sum);
    add_slices<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS),
                 THREADS>>>(n, x, sum);
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
    /* Each block of 256 elements may also read and write the sum. */
    c.work(4.0 * (double)c.n + 8.0 * (double)blocks_for<size_t>(c.n, 256) +
               8,
           0);
    c.rung(
        "own", [&] { return c.holds(sum, std::vector<int>{total}); },
        [&] { solve(c.n, x, sum); });
}
