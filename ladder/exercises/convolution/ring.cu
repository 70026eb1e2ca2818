/* Exercise ring: a filter along a signal whose end
 * is joined to its beginning
 *
 * A periodic signal has no ends: element 0 comes after element n - 1.
 * y[i] = the sum of s[(i + j) mod n] f[5 - j], j = -5 ... 5. Each y[i]
 * starts with 0 and adds the products for j = -5, -4, ..., 5 in this order,
 * by `fmaf`. A block computes 128 outputs from its part of the ring in
 * shared memory. n is any number from 1 on: a short ring is passed several
 * times. Write the part that loads the elements, and the part that adds the
 * products.
 *
 * Hint: 128 outputs need 138 elements of the ring, from first - 5 to
 * first + 132, each modulo n.
 *
 * Hint: `%` of unsigned numbers is right only if the number on its left is
 * not below 0. first + k - 5 may be. Adding 5 n first does not change the
 * remainder.
 *
 * Hint: A thread reads elements that other threads have loaded.
 *
 * Sizes: 1 2 3 5 7 127 128 129 255 257 1000 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 128, REACH = 5;

struct taps {
    float f[2 * REACH + 1];
};

__global__ void convolve_ring(size_t n, const float *s, taps filter,
                              float *y) {
    __shared__ float part[THREADS + 2 * REACH];
    const unsigned t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * THREADS;
    /* Blank: load the elements first - 5 ... first + 132 of the ring
     * into part */
    for (unsigned k = t; k < THREADS + 2 * REACH; k += THREADS)
        part[k] = s[(first + k + REACH * n - REACH) % n];
    __syncthreads();
    /* End of blank */
    if (first + t >= n) return;
    float sum = 0;
    /* Blank: add the 11 products to sum, in their order */
    for (unsigned k = 0; k <= 2 * REACH; k++)
        sum = fmaf(part[t + k], filter.f[2 * REACH - k], sum);
    /* End of blank */
    y[first + t] = sum;
}

void solve(size_t n, const float *s, taps filter, float *y) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    convolve_ring<<<blocks, THREADS>>>(n, s, filter, y);
}

/* Check */
#include "climb.h"

#include <math.h>

struct taps {
    float f[11];
};
void solve(size_t n, const float *s, taps filter, float *y);

void check_exercise(climb &c) {
    const std::vector<float> signal = ladder_values<float>(c.n, c.seed);
    const std::vector<float> values =
        ladder_values<float>(11, c.seed + 100);
    std::vector<float> sums(c.n);
    taps filter;
    for (size_t k = 0; k < 11; k++) filter.f[k] = values[k];
    for (size_t i = 0; i < c.n; i++)
        for (size_t k = 0; k < 11; k++)
            sums[i] = fmaf(signal[(i + k + 5 * c.n - 5) % c.n],
                           filter.f[10 - k], sums[i]);
    const float *const s = c.input(signal);
    float *const y = c.output<float>(c.n);
    c.work(4.0 * (double)c.n +
               4.0 * 138.0 * (double)blocks_for<size_t>(c.n, 128),
           22.0 * (double)c.n);
    c.rung(
        "ring", [&] { return c.holds(y, sums); },
        [&] { solve(c.n, s, filter, y); });
}
