/* Exercise own: c[i] = a[i] + b[i], with a kernel of your own
 *
 * Write a kernel and its launch. The arrays are in the device's memory, and
 * have n elements each. n is any number from 1 on: a multiple of no block
 * size, and less or more than one block.
 *
 * Hint: One thread computes one element. Thread t of block k computes
 * element k * blockDim.x + t.
 *
 * Hint: n elements need (n + 255) / 256 blocks of 256 threads. The last
 * block has threads after the end of the arrays, which must not access
 * them.
 *
 * Hint: `blockIdx.x * blockDim.x` is a product of 32-bit numbers. Convert
 * one of them to `size_t` first.
 *
 * Sizes: 1 31 32 33 255 256 257 1000 10007 300007; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void add(size_t n, const float *a, const float *b, float *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
/* End of blank */

void solve(size_t n, const float *a, const float *b, float *c) {
    /* Blank: its launch */
    add<<<(unsigned)((n + 255) / 256), 256>>>(n, a, b, c);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const float *a, const float *b, float *c);

void check_exercise(climb &c) {
    const std::vector<float> left = ladder_values<float>(c.n, c.seed);
    const std::vector<float> right =
        ladder_values<float>(c.n, c.seed + 100);
    std::vector<float> sums(c.n);
    for (size_t i = 0; i < c.n; i++) sums[i] = left[i] + right[i];
    const float *const a = c.input(left), *const b = c.input(right);
    float *const to = c.output<float>(c.n);
    c.work(12.0 * (double)c.n, (double)c.n);
    c.rung(
        "own", [&] { return c.holds(to, sums); },
        [&] { solve(c.n, a, b, to); });
}
