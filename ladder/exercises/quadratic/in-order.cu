/* Exercise in-order: a mean with the same bits on every machine
 *
 * The values a z^2 + b z + c, by two fused multiply-adds, are added in this
 * order, all in f64. Thread g of G = 8 * 128 threads starts with 0 and adds
 * the values of z[g], z[g + G], z[g + 2 G], ... The 128 sums of a block are
 * added by halves: for half = 64, 32, ..., 1, s[t] = s[t] + s[t + half] for
 * t < half. Then one thread starts with 0, adds the sums of the blocks 0,
 * 1, ..., 7, and divides by n. Write these three parts. `sums` gets the
 * sums of the 8 blocks, and the check looks at them too. n is any number
 * from 1 on.
 *
 * Hint: The grid has 8 blocks for every n, also if n < G. A thread without
 * an element has the sum 0.
 *
 * Hint: Each step of the halves reads what other threads have written in
 * the step before.
 *
 * Hint: The loop over the blocks and the division are done in f64. A
 * product with 1.0 / n is not a division: it is rounded twice.
 *
 * Sizes: 1 2 49 98 107 127 128 129 187 700 1023 1025 2049 3000 30011;
 * 16777216 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

const unsigned THREADS = 128, BLOCKS = 8;

__device__ double value_at(double a, double b, double c, double z) {
    return fma(fma(a, z, b), z, c);
}

__global__ void add_in_blocks(size_t n, double a, double b, double c,
                              const double *z, double *sums) {
    __shared__ double s[THREADS];
    const unsigned t = threadIdx.x;
    double own = 0;
    /* Blank: add the values of this thread's elements to own */
    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n;
         i += THREADS * BLOCKS)
        own += value_at(a, b, c, z[i]);
    /* End of blank */
    s[t] = own;
    /* Blank: add the 128 sums in s by halves, to s[0] */
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
    }
    /* End of blank */
    if (t == 0) sums[blockIdx.x] = s[0];
}

__global__ void add_blocks(size_t n, const double *sums, double *mean) {
    /* Blank: store the mean */
    double sum = 0;
    for (unsigned k = 0; k < BLOCKS; k++) sum += sums[k];
    *mean = sum / (double)n;
    /* End of blank */
}

void solve(size_t n, double a, double b, double c, const double *z,
           double *sums, double *mean) {
    add_in_blocks<<<BLOCKS, THREADS>>>(n, a, b, c, z, sums);
    add_blocks<<<1, 1>>>(n, sums, mean);
}

/* Check */
#include "climb.h"

#include <math.h>

void solve(size_t n, double a, double b, double c, const double *z,
           double *sums, double *mean);

void check_exercise(climb &c) {
    /* Sums near 0, in which each rounding is visible */
    const double a = 0.01, b = -1.7, constant = 0.003;
    const size_t threads = 128, blocks = 8;
    const std::vector<double> values = ladder_values<double>(c.n, c.seed);
    std::vector<double> s(blocks * threads);
    for (size_t i = 0; i < c.n; i++)
        s[i % s.size()] += fma(fma(a, values[i], b), values[i], constant);
    double total = 0;
    std::vector<double> of_blocks;
    for (size_t block = 0; block < blocks; block++) {
        double *const own = &s[block * threads];
        for (size_t half = threads / 2; half > 0; half /= 2)
            for (size_t t = 0; t < half; t++) own[t] += own[t + half];
        total += own[0];
        of_blocks.push_back(own[0]);
    }
    const double *const z = c.input(values);
    double *const sums = c.output<double>(blocks);
    double *const mean = c.output<double>(1);
    c.work(8.0 * (double)c.n + 16.0 * (double)blocks + 8,
           5.0 * (double)c.n);
    const ladder_claim right = [&] {
        const std::string said = c.holds(sums, of_blocks);
        return said.empty()
                   ? c.holds(mean, std::vector<double>{total / (double)c.n})
                   : "sums: " + said;
    };
    c.rung("in-order", right,
           [&] { solve(c.n, a, b, constant, z, sums, mean); });
}
