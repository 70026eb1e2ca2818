/* Exercise own: the sum of a formula, without an array of its values
 *
 * Write a kernel and its launch: *sum = the sum of a z[i]^2 + b z[i] + c,
 * i = 0 ... n - 1. The elements of z are whole numbers, and so are a, b and
 * c. Each value is below 2^24, so it is exact in f32. The sum is larger,
 * and must be kept in f64, where it is exact in every order. n is any
 * number from 1 on. `sum` contains arbitrary bytes when `solve` is called.
 *
 * For 10 points, z is read once, no value is written, and each warp that
 * has added at least 128 values needs one atomic in global memory.
 *
 * Hint: A thread computes the value and adds it to a `double` in a
 * register. It takes several elements: thread i of all T threads of the
 * grid takes the elements i, i + T, i + 2 T, ...
 *
 * Hint: If a sum has type float, it is rounded as soon as it reaches 2^24,
 * whatever type it is converted to later.
 *
 * Hint: Five shuffles add the sums of a warp. All 32 lanes must call them,
 * also those that have no element.
 *
 * Hint: `atomicAdd` adds a `double` too. *sum must be 0 before, and all
 * bytes of the f64 number 0 are 0.
 *
 * Sizes: 1 2 31 32 33 255 257 1000 1024 1025 30011; 33554432 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void add_values(size_t n, float a, float b, float c,
                           const float *z, double *sum) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    double own = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        own += (a * z[i] + b) * z[i] + c;
    for (unsigned d = 16; d > 0; d /= 2)
        own += __shfl_down_sync(0xffffffffu, own, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}
/* End of blank */

void solve(size_t n, float a, float b, float c, const float *z,
           double *sum) {
    /* Blank: clear the sum, and launch the kernel */
    cudaMemset(sum, 0, sizeof *sum);
    add_values<<<(unsigned)((n + 1023) / 1024), 128>>>(n, a, b, c, z, sum);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, float a, float b, float c, const float *z,
           double *sum);

void check_exercise(climb &c) {
    const float a = 3, b = -5, constant = (float)(c.seed % 5 + 4);
    const std::vector<int> numbers = ladder_values<int>(c.n, c.seed);
    std::vector<float> values(numbers.begin(), numbers.end());
    double total = 0;
    for (const float z : values) total += (a * z + b) * z + constant;
    const float *const z = c.input(values);
    double *const sum = c.output<double>(1);
    c.work(4.0 * (double)c.n + 16.0 * (double)blocks_for<size_t>(c.n, 128),
           5.0 * (double)c.n);
    c.rung(
        "own", [&] { return c.holds(sum, std::vector<double>{total}); },
        [&] { solve(c.n, a, b, constant, z, sum); });
}
