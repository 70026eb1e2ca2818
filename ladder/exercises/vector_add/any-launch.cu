/* Exercise any-launch: c[i] = a[i] + b[i], for every
 * number of blocks and threads
 *
 * The check launches the kernel with several numbers of blocks and threads:
 * with one thread, with fewer threads than elements, with more, and with
 * blocks of 96 threads. Each launch must compute all n elements. Each
 * element must be computed once, by one thread. Write the kernel; its
 * launch is complete.
 *
 * Hint: The grid has gridDim.x * blockDim.x threads, which may be fewer
 * than n. So a thread needs a loop.
 *
 * Hint: Thread g of G threads computes the elements g, g + G, g + 2 G, ...
 * The number of the thread in the grid is
 * blockIdx.x * blockDim.x + threadIdx.x.
 *
 * Hint: A thread whose first element is not less than n computes nothing. A
 * `for` loop tests before its first turn.
 *
 * Sizes: 1 2 95 96 97 255 256 257 1000 10007 50021; 65536 on a GPU
 */
#include <cuda_runtime.h>

__global__ void add(size_t n, const float *a, const float *b, float *c) {
    /* Blank: compute the elements of this thread */
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += threads) c[i] = a[i] + b[i];
    /* End of blank */
}

void solve(unsigned blocks, unsigned threads, size_t n, const float *a,
           const float *b, float *c) {
    add<<<blocks, threads>>>(n, a, b, c);
}

/* Check */
#include "climb.h"

void solve(unsigned blocks, unsigned threads, size_t n, const float *a,
           const float *b, float *c);

void check_exercise(climb &c) {
    const struct {
        unsigned blocks, threads;
    } launches[] = {{1, 1}, {1, 64}, {7, 96}, {40, 256}};
    const std::vector<float> left = ladder_values<float>(c.n, c.seed);
    const std::vector<float> right =
        ladder_values<float>(c.n, c.seed + 100);
    std::vector<float> sums(c.n);
    for (size_t i = 0; i < c.n; i++) sums[i] = left[i] + right[i];
    const float *const a = c.input(left), *const b = c.input(right);
    float *to[4];
    for (float *&one : to) one = c.output<float>(c.n);
    c.work(4 * 12.0 * (double)c.n, 4.0 * (double)c.n);
    c.rung(
        "any-launch",
        [&] {
            std::string said;
            for (unsigned k = 0; k < 4 && said.empty(); k++) {
                said = c.holds(to[k], sums);
                if (!said.empty())
                    said += " (<<<" + std::to_string(launches[k].blocks) +
                            ", " + std::to_string(launches[k].threads) +
                            ">>>)";
            }
            return said;
        },
        [&] {
            for (unsigned k = 0; k < 4; k++)
                solve(launches[k].blocks, launches[k].threads, c.n, a, b,
                      to[k]);
        });
}
