/* Exercise own: the dot product of two arrays, with a kernel of your own
 *
 * Add the products a[i] * b[i] of n pairs and store the total in *dot. All
 * arrays are in the device's memory. n is any number from 1 on. The
 * elements are small whole numbers, so no operation rounds, and the order
 * of the additions does not matter. `dot` contains arbitrary bytes when
 * `solve` is called.
 *
 * All points for traffic need a kernel that reads each element once: do not
 * store the products in memory.
 *
 * Hint: This is a sum whose elements are products. Each thread starts with
 * 0 and adds its products in a register.
 *
 * Hint: Add the sums of a warp with `__shfl_down_sync(0xffffffff, s, d)`
 * for d = 16, 8, 4, 2, 1. All lanes must call it, also those without
 * elements. The result is in lane 0.
 *
 * Hint: Lane 0 of each warp stores its sum in shared memory. After a
 * barrier, one warp adds these sums. It must not read words that no warp
 * has written.
 *
 * Hint: `cudaMemset(dot, 0, sizeof *dot)` clears the result: the bytes of
 * 0.0f are zeros. Then one thread of each block adds the sum of its block
 * with `atomicAdd`.
 *
 * Sizes: 1 2 31 33 255 256 257 1000 10007 65537 100003; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned THREADS = 256, WARPS = THREADS / 32, MOST_BLOCKS = 256;

__device__ float sum_of_warp(float s) {
    for (unsigned d = 16; d > 0; d /= 2)
        s += __shfl_down_sync(0xffffffffu, s, d);
    return s;
}

__global__ void add_products(size_t n, const float *a, const float *b,
                             float *dot) {
    __shared__ float sums[WARPS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t all = (size_t)gridDim.x * THREADS;
    float s = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += all)
        s += a[i] * b[i];
    s = sum_of_warp(s);
    if (lane == 0) sums[warp] = s;
    __syncthreads();
    if (warp > 0) return;
    s = sum_of_warp(lane < WARPS ? sums[lane] : 0);
    if (lane == 0) atomicAdd(dot, s);
}
/* End of blank */

void solve(size_t n, const float *a, const float *b, float *dot) {
    /* Blank: what must be done before the launch, and the launch */
    const size_t blocks = (n + THREADS - 1) / THREADS;
    cudaMemset(dot, 0, sizeof *dot);
    add_products<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS),
                   THREADS>>>(n, a, b, dot);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const float *a, const float *b, float *dot);

void check_exercise(climb &c) {
    std::vector<float> left = ladder_whole_values<float>(c.n, c.seed);
    std::vector<float> right =
        ladder_whole_values<float>(c.n, c.seed + 100);
    left[c.n - 1] = 5, right[c.n - 1] = 7, left[0] = 2, right[0] = 3;
    double total = 0;
    for (size_t i = 0; i < c.n; i++) total += (double)left[i] * right[i];
    const float *const a = c.input(left), *const b = c.input(right);
    float *const dot = c.output<float>(1);
    /* Each block of 256 elements may also read and write the result. */
    c.work(8.0 * (double)c.n + 8.0 * (double)blocks_for<size_t>(c.n, 256) +
               4,
           2.0 * (double)c.n);
    c.rung(
        "own",
        [&] { return c.holds(dot, std::vector<float>{(float)total}); },
        [&] { solve(c.n, a, b, dot); });
}
