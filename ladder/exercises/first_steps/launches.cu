/* Exercise launches: the numbers of the threads, and
 * launches that are refused
 *
 * The kernel writes the number of each thread in the grid: x[i] = i for
 * i = 0 ... n - 1. `solve` launches it with blocks of `threads` threads and
 * returns `cudaSuccess`, or the error of the launch. threads is any number:
 * if it is 0 or more than 1024, the device refuses the launch. Then `solve`
 * returns the error and clears it, so that the next launch is not blamed
 * for it. Write the index, the test, and the body of `solve`.
 *
 * Hint: There are blockIdx.x blocks before a block, and each has blockDim.x
 * threads.
 *
 * Hint: n threads need n / threads blocks, rounded up:
 * (n + threads - 1) / threads. For 0 threads, do not divide: launch one
 * block of 0 threads, and let the device refuse it.
 *
 * Hint: A launch returns nothing. `cudaGetLastError()` returns the error of
 * the last launch, and clears it. `cudaPeekAtLastError()` does not clear
 * it.
 *
 * Sizes: 1 2 31 32 33 100 1000 1023 1024 1025 5003; 67108864 on a GPU
 */
#include <cuda_runtime.h>

__global__ void number(size_t n, unsigned *x) {
    /* Blank: write the number of this thread, if it is less than n */
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (unsigned)i;
    /* End of blank */
}

cudaError_t solve(size_t n, unsigned threads, unsigned *x) {
    /* Blank: launch the kernel, and return its error */
    const size_t blocks = threads > 0 ? (n + threads - 1) / threads : 1;
    number<<<(unsigned)blocks, threads>>>(n, x);
    return cudaGetLastError();
    /* End of blank: return cudaSuccess; */
}

/* Check */
#include "climb.h"

cudaError_t solve(size_t n, unsigned threads, unsigned *x);

void check_exercise(climb &c) {
    const unsigned sizes[] = {1, 8, 32, 96, 256, 1024};
    const unsigned refused[] = {0, 1025, 4000};
    const size_t SIZES = sizeof sizes / sizeof *sizes;
    const size_t REFUSED = sizeof refused / sizeof *refused;
    std::vector<unsigned> expected(SIZES * c.n);
    for (size_t i = 0; i < expected.size(); i++)
        expected[i] = (unsigned)(i % c.n);
    unsigned *const x = c.output<unsigned>(expected.size());
    unsigned *const none = c.output<unsigned>(c.n);
    std::string said;
    c.work(4.0 * (double)expected.size(), 0);
    c.rung(
        "launches",
        [&] { return said.empty() ? c.holds(x, expected) : said; },
        [&] {
            said.clear();
            for (size_t k = 0; k < SIZES; k++) {
                if (k < REFUSED &&
                    solve(c.n, refused[k], none) == cudaSuccess)
                    said = "no error was returned for blocks of " +
                           std::to_string(refused[k]) + " threads";
                const cudaError_t fault = solve(c.n, sizes[k], x + k * c.n);
                if (fault != cudaSuccess)
                    said = "for blocks of " + std::to_string(sizes[k]) +
                           " threads, this error was returned: " +
                           cudaGetErrorString(fault);
            }
        });
}
