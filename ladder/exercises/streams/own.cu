/* Exercise own: an array that is larger than the memory of the device
 *
 * `from` and `to` are arrays of n numbers in the memory of the host. x is a
 * buffer of `most` numbers in the memory of the device, and most is less
 * than n, or as large, or larger. Write a kernel and a loop over chunks of
 * at most `most` elements: copy a chunk into x, compute, and copy the
 * result out, so that to[i] = from[i]^2 + 1. When `solve` returns, all
 * results must have arrived. n and most are any numbers from 1 on. The
 * numbers are unsigned, modulo 2^32.
 *
 * Hint: Chunk k begins at element k * most. The last chunk has n - k * most
 * elements, if that is less than most.
 *
 * Hint: A size in bytes is a number of elements multiplied by
 * sizeof(unsigned). Offsets are added to pointers as numbers of elements.
 *
 * Hint: The kernel gets the number of elements of the chunk, not n, and
 * changes x in place.
 *
 * Hint: `cudaMemcpy` from the device waits until the kernel has finished.
 * `cudaMemcpyAsync` needs a `cudaDeviceSynchronize` before `solve` returns.
 *
 * Sizes: 1 2 31 255 256 257 1000 10007; 4000003 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void square_plus_one(size_t n, unsigned *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] * x[i] + 1;
}
/* End of blank */

void solve(size_t n, const unsigned *from, unsigned *to, size_t most,
           unsigned *x) {
    /* Blank: the loop over chunks */
    for (size_t first = 0; first < n; first += most) {
        const size_t count = n - first < most ? n - first : most;
        cudaMemcpy(x, from + first, count * sizeof *x,
                   cudaMemcpyHostToDevice);
        square_plus_one<<<(unsigned)((count + 255) / 256), 256>>>(count, x);
        cudaMemcpy(to + first, x, count * sizeof *x,
                   cudaMemcpyDeviceToHost);
    }
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *from, unsigned *to, size_t most,
           unsigned *x);

void check_exercise(climb &c) {
    /* Runs with four sizes of the buffer. After each result there are 32
     * elements that must not change. */
    const size_t n = c.n, sizes[] = {n, n / 3 + 1, n + 5, n / 50 + 1};
    const size_t RUNS = 4, SPARE = 32;
    const unsigned rubbish = 0xc7c7c7c7;
    const std::vector<unsigned> from = ladder_values<unsigned>(n, c.seed);
    std::vector<unsigned> to(n + SPARE);
    std::vector<unsigned> expected(RUNS * to.size(), rubbish);
    unsigned *const result = c.output<unsigned>(expected.size());
    unsigned *buffer[RUNS];
    for (size_t run = 0; run < RUNS; run++) {
        buffer[run] = c.output<unsigned>(sizes[run]);
        for (size_t i = 0; i < n; i++)
            expected[run * to.size() + i] = from[i] * from[i] + 1;
    }
    c.work(RUNS * 8.0 * (double)n, 0);
    c.rung(
        "own", [&] { return c.holds(result, expected); },
        [&] {
            for (size_t run = 0; run < RUNS; run++) {
                memset(to.data(), 0xc7, to.size() * sizeof to[0]);
                solve(n, from.data(), to.data(), sizes[run], buffer[run]);
                CUDA_CHECK(cudaMemcpy(result + run * to.size(), to.data(),
                                      to.size() * sizeof to[0],
                                      cudaMemcpyHostToDevice));
            }
        });
}
