/* Exercise own: a filter of 11 taps, with each
 * element read from memory once
 *
 * Write a kernel and its launch: y[i] = the sum of s[i + j] f[5 - j],
 * j = -5 ... 5, for i = 0 ... n - 1. Elements of s before the first and
 * after the last one count as 0. The filter is an argument of `solve` and
 * of the kernel. n is any number from 1 on, also less than 11.
 *
 * For 10 points a block reads each element of its part of the signal once,
 * into shared memory.
 *
 * Hint: A block that computes 256 outputs needs 256 + 10 elements: five
 * before its part and five after it. Let threads load them in a loop:
 * thread t loads the elements t and t + 256, if that one is needed.
 *
 * Hint: If i is a `size_t` and 0, then i - 5 is larger than every n. So one
 * test `i < n` finds elements before the signal and after it.
 *
 * Hint: A thread may end only after the barrier, because it must help to
 * load.
 *
 * Hint: If part[k] is element first + k - 5 of the signal, thread t adds
 * part[t + k] * f[10 - k] for k = 0 ... 10.
 *
 * Sizes: 1 4 5 6 11 255 256 257 262 1000 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

struct taps {
    int f[11];
};

/* Blank: a kernel */
const unsigned THREADS = 256, REACH = 5;

__global__ void convolve(size_t n, const int *s, taps filter, int *y) {
    __shared__ int part[THREADS + 2 * REACH];
    const unsigned t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * THREADS;
    for (unsigned k = t; k < THREADS + 2 * REACH; k += THREADS) {
        /* Before the signal, i is larger than n */
        const size_t i = first + k - REACH;
        part[k] = i < n ? s[i] : 0;
    }
    __syncthreads();
    if (first + t >= n) return;
    int sum = 0;
    for (unsigned k = 0; k <= 2 * REACH; k++)
        sum += part[t + k] * filter.f[2 * REACH - k];
    y[first + t] = sum;
}
/* End of blank */

void solve(size_t n, const int *s, taps filter, int *y) {
    /* Blank: its launch */
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    convolve<<<blocks, THREADS>>>(n, s, filter, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

struct taps {
    int f[11];
};
void solve(size_t n, const int *s, taps filter, int *y);

void check_exercise(climb &c) {
    const std::vector<int> signal = ladder_values<int>(c.n, c.seed);
    const std::vector<int> values = ladder_values<int>(11, c.seed + 100);
    std::vector<int> sums(c.n);
    taps filter;
    for (size_t k = 0; k < 11; k++) filter.f[k] = values[k];
    for (size_t i = 0; i < c.n; i++)
        for (size_t k = 0; k < 11; k++)
            if (i + k - 5 < c.n)
                sums[i] += signal[i + k - 5] * filter.f[10 - k];
    const int *const s = c.input(signal);
    int *const y = c.output<int>(c.n);
    /* Each block of 256 outputs reads ten more elements. */
    c.work(8.0 * (double)c.n + 40.0 * (double)blocks_for<size_t>(c.n, 256),
           0);
    c.rung(
        "own", [&] { return c.holds(y, sums); },
        [&] { solve(c.n, s, filter, y); });
}
