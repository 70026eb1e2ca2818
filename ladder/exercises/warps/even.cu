/* Exercise even: the even elements of an array, in their order
 *
 * A warp processes a part of 512 elements in 16 steps of 32. The first
 * kernel counts the even elements of each part. The second one, of a single
 * thread, replaces the counts by their exclusive scan, the position at
 * which each part begins in the result, and stores the sum of all counts in
 * *total. The third kernel writes the even elements. Write the parts of the
 * first and the third kernel, and the scan. n is any number from 1 on.
 * `counts` has a number for each part.
 *
 * Hint: `__popc(__ballot_sync(0xffffffff, is))` is the number of lanes for
 * which `is` is true. All lanes get it, and all must call it: the loop over
 * a part has the same number of steps for all lanes of a warp.
 *
 * Hint: Lanes after the end of the array vote with 0, and must not read.
 *
 * Hint: In the third kernel, `to` is the position of the first even element
 * of the step. The lane adds the number of even elements in the lanes
 * below, and after the step `to` increases by the number of the whole step.
 *
 * Hint: An exclusive scan stores the sum of the counts before its own.
 *
 * Sizes: 1 2 31 33 511 512 513 4096 4097 5000 20011; 67108864 on a GPU
 */
#include <cuda_runtime.h>

const unsigned WARP = 32, PART = 512, THREADS = 256, WARPS = THREADS / WARP;
const unsigned ALL = 0xffffffffu;

/* Returns the first element of the part of this warp. */
__device__ size_t first_of_warp() {
    return ((size_t)blockIdx.x * WARPS + threadIdx.x / WARP) * PART;
}

__global__ void count_even(size_t n, const int *x, unsigned *counts) {
    const size_t first = first_of_warp();
    const unsigned lane = threadIdx.x % WARP;
    if (first >= n) return; /* the whole warp */
    unsigned count = 0;
    /* Blank: count the even elements of the part */
    for (unsigned step = 0; step < PART; step += WARP) {
        const size_t i = first + step + lane;
        count += __popc(__ballot_sync(ALL, i < n && x[i] % 2 == 0));
    }
    /* End of blank */
    if (lane == 0) counts[first / PART] = count;
}

__global__ void scan_counts(size_t parts, unsigned *counts,
                            unsigned *total) {
    /* Blank: replace the counts by their exclusive
     * scan, and store the total */
    unsigned sum = 0;
    for (size_t k = 0; k < parts; k++) {
        const unsigned count = counts[k];
        counts[k] = sum;
        sum += count;
    }
    *total = sum;
    /* End of blank */
}

__global__ void write_even(size_t n, const int *x, const unsigned *counts,
                           int *y) {
    const size_t first = first_of_warp();
    const unsigned lane = threadIdx.x % WARP;
    if (first >= n) return; /* the whole warp */
    size_t to = counts[first / PART];
    /* Blank: write the even elements of the part to
     * y[to], y[to + 1], ... */
    for (unsigned step = 0; step < PART; step += WARP) {
        const size_t i = first + step + lane;
        const int own = i < n ? x[i] : 1;
        const unsigned even = __ballot_sync(ALL, own % 2 == 0);
        const unsigned below = (1u << lane) - 1;
        if (own % 2 == 0) y[to + __popc(even & below)] = own;
        to += __popc(even);
    }
    /* End of blank */
}

void solve(size_t n, const int *x, unsigned *counts, int *y,
           unsigned *total) {
    const size_t parts = (n + PART - 1) / PART;
    const unsigned blocks = (unsigned)((parts + WARPS - 1) / WARPS);
    count_even<<<blocks, THREADS>>>(n, x, counts);
    scan_counts<<<1, 1>>>(parts, counts, total);
    write_even<<<blocks, THREADS>>>(n, x, counts, y);
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, unsigned *counts, int *y,
           unsigned *total);

void check_exercise(climb &c) {
    std::vector<int> values = ladder_values<int>(c.n, c.seed), even;
    for (size_t i = 0; i < c.n; i++) {
        /* A part without an even element */
        if (i / 512 % 4 == 1) values[i] |= 1;
        if (values[i] % 2 == 0) even.push_back(values[i]);
    }
    const size_t parts = blocks_for<size_t>(c.n, 512);
    const int *const x = c.input(values);
    unsigned *const counts = c.output<unsigned>(parts);
    unsigned *const total = c.output<unsigned>(1);
    int *const y = c.output<int>(even.size());
    c.work(8.0 * (double)c.n + 4.0 * (double)even.size() +
               140.0 * (double)parts,
           0);
    const ladder_claim right = [&] {
        const std::string said =
            c.holds(total, std::vector<unsigned>{(unsigned)even.size()});
        return said.empty() ? c.holds(y, even) : said;
    };
    c.rung("even", right, [&] { solve(c.n, x, counts, y, total); });
}
