/* Exercise own: pi from random points, the same bits for every grid
 *
 * Random points in a square are inside of the quarter of a circle with the
 * probability pi / 4. Point p uses two of the four words of philox(p / 2,
 * seed): the words x and y if p is even, and the words z and w if p is odd.
 * A word gives the coordinate word >> 1, a whole number below 2^31. The
 * point is inside if the sum of the squares of its two coordinates is below
 * 2^62. Write a kernel and its launch: *count = how many of the n points
 * first, first + 1, ..., first + n - 1 are inside. n is any number from 1
 * on, and first has 64 bits. `count` contains arbitrary bytes when `solve`
 * is called.
 *
 * The result must depend on neither the grid nor the number of threads. So
 * a program can continue with other points on another day or on another
 * GPU, and add the counts. For 10 points, a warp that has counted at least
 * 64 points needs one atomic in global memory.
 *
 * Hint: Let thread i of all T threads of the grid take the points
 * first + i, first + i + T, ... The words depend on the number of the point
 * only, and not on i.
 *
 * Hint: A product of two numbers of 32 bits has 32 bits. Convert one of
 * them to `unsigned long long` first.
 *
 * Hint: A thread counts in a register. Then five shuffles add the counts of
 * a warp, and one lane adds to *count by `atomicAdd`.
 *
 * Hint: *count must be 0 before the kernel adds to it.
 *
 * Sizes: 1 2 3 31 32 33 1000 4097 30001; 16777216 on a GPU
 */
#include <cuda_runtime.h>

typedef unsigned long long number;

/* Philox4x32-10 for a counter of 64 bits, whose upper 64 bits are 0. */
__device__ uint4 philox(number counter, number seed) {
    unsigned key0 = (unsigned)seed, key1 = (unsigned)(seed >> 32);
    uint4 x = {(unsigned)counter, (unsigned)(counter >> 32), 0, 0};
    for (int round = 0; round < 10; round++) {
        const number a = (number)0xd2511f53 * x.x;
        const number b = (number)0xcd9e8d57 * x.z;
        x = {(unsigned)(b >> 32) ^ x.y ^ key0, (unsigned)b,
             (unsigned)(a >> 32) ^ x.w ^ key1, (unsigned)a};
        key0 += 0x9e3779b9;
        key1 += 0xbb67ae85;
    }
    return x;
}

/* Blank: a kernel */
__global__ void count_inside(size_t n, number first, number seed,
                             unsigned *count) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    unsigned inside = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads) {
        const number p = first + i;
        const uint4 words = philox(p / 2, seed);
        const number x = (p % 2 ? words.z : words.x) >> 1;
        const number y = (p % 2 ? words.w : words.y) >> 1;
        inside += x * x + y * y < (number)1 << 62;
    }
    for (unsigned d = 16; d > 0; d /= 2)
        inside += __shfl_down_sync(0xffffffffu, inside, d);
    if (threadIdx.x % 32 == 0) atomicAdd(count, inside);
}
/* End of blank */

void solve(size_t n, number first, number seed, unsigned *count) {
    /* Blank: clear the count, and launch the kernel */
    cudaMemset(count, 0, sizeof *count);
    const unsigned blocks = (unsigned)((n + 1023) / 1024);
    count_inside<<<blocks, 256>>>(n, first, seed, count);
    /* End of blank */
}

/* Check */
#include "climb.h"

typedef unsigned long long number;
void solve(size_t n, number first, number seed, unsigned *count);

static uint4 words_of(number counter, number seed) {
    unsigned key[2] = {(unsigned)seed, (unsigned)(seed >> 32)};
    unsigned x[4] = {(unsigned)counter, (unsigned)(counter >> 32), 0, 0};
    for (int round = 0; round < 10; round++) {
        const number a = (number)0xd2511f53 * x[0];
        const number b = (number)0xcd9e8d57 * x[2];
        x[0] = (unsigned)(b >> 32) ^ x[1] ^ key[0], x[1] = (unsigned)b;
        x[2] = (unsigned)(a >> 32) ^ x[3] ^ key[1], x[3] = (unsigned)a;
        key[0] += 0x9e3779b9, key[1] += 0xbb67ae85;
    }
    return {x[0], x[1], x[2], x[3]};
}

void check_exercise(climb &c) {
    /* Four runs: from an even and from an odd point, and across the points
     * 2^32 and 2^33. The seed has 64 bits. */
    const size_t RUNS = 4;
    const number seed = (number)c.seed << 32 | 0x12345678;
    const number firsts[RUNS] = {0, 1001, ((number)1 << 32) - c.n / 2,
                                 ((number)1 << 33) - c.n / 2};
    std::vector<unsigned> inside(RUNS);
    for (size_t run = 0; run < RUNS; run++)
        for (number p = firsts[run]; p < firsts[run] + c.n; p++) {
            const uint4 w = words_of(p / 2, seed);
            const number x = (p % 2 ? w.z : w.x) >> 1;
            const number y = (p % 2 ? w.w : w.y) >> 1;
            inside[run] += x * x + y * y < (number)1 << 62;
        }
    unsigned *const counts = c.output<unsigned>(RUNS);
    c.work(RUNS * 8.0 * (double)blocks_for<size_t>(c.n, 64), 0);
    c.rung(
        "own", [&] { return c.holds(counts, inside); },
        [&] {
            for (size_t run = 0; run < RUNS; run++)
                solve(c.n, firsts[run], seed, counts + run);
        });
}
