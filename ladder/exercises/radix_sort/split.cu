/* Exercise split: a warp sorts 32 numbers by four bits, with ballots
 *
 * Each warp sorts its 32 numbers by their four lowest bits, in four passes
 * of one bit. The other bits show whether equal keys keep their order,
 * which they must. The last warp may have fewer numbers: lanes after the
 * end have none.
 *
 * In a pass, the numbers whose bit is 0 come first and then those whose bit
 * is 1, both in their previous order. Write the two ballots and the
 * position of a number, and move the numbers through shared memory.
 *
 * Hint: `__ballot_sync(0xffffffff, is)` returns to every lane a mask of the
 * lanes whose `is` is not 0. `__popc` counts the bits of a mask. `before`
 * is the mask of the lanes below the own lane.
 *
 * Hint: Lanes after the end take part in the ballots, but are neither zeros
 * nor ones.
 *
 * Hint: A zero moves to the number of zeros before it. A one moves to the
 * number of all zeros plus the number of ones before it.
 *
 * Hint: A ballot does not make a write to shared memory visible to other
 * lanes. A `__syncwarp` is needed between the write and the read, and
 * another before the next pass writes again.
 *
 * Sizes: 1 2 31 32 33 64 127 128 129 1000 10007; 67108864 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 128, ALL = 0xffffffff;

__global__ void sort_warps(size_t n, const unsigned *x, unsigned *y) {
    __shared__ unsigned tile[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, before = (1u << lane) - 1;
    /* the 32 words of this warp */
    unsigned *const mine = tile + threadIdx.x / 32 * 32;
    const bool live = i < n;
    unsigned v = live ? x[i] : 0;
    for (unsigned bit = 0; bit < 4; bit++) {
        /* Blank: move v to its position, and set v to the number at
         * this lane's position */
        const bool one = v >> bit & 1;
        const unsigned ones = __ballot_sync(ALL, live && one);
        const unsigned zeros = __ballot_sync(ALL, live && !one);
        const unsigned to = one ? __popc(zeros) + __popc(ones & before)
                                : __popc(zeros & before);
        if (live) mine[to] = v;
        __syncwarp();
        if (live) v = mine[lane];
        __syncwarp();
        /* End of blank */
    }
    if (live) y[i] = v;
}

void solve(size_t n, const unsigned *x, unsigned *y) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    sort_warps<<<blocks, THREADS>>>(n, x, y);
}

/* Check */
#include "climb.h"

#include <algorithm>

void solve(size_t n, const unsigned *x, unsigned *y);

void check_exercise(climb &c) {
    std::vector<unsigned> values = ladder_values<unsigned>(c.n, c.seed);
    for (unsigned &v : values) v *= 0x9e3779b1u; /* all bits */
    std::vector<unsigned> in_order = values;
    for (size_t first = 0; first < c.n; first += 32)
        std::stable_sort(
            in_order.begin() + (long)first,
            in_order.begin() + (long)std::min(first + 32, c.n),
            [](unsigned a, unsigned b) { return (a & 15) < (b & 15); });
    const unsigned *const x = c.input(values);
    unsigned *const y = c.output<unsigned>(c.n);
    c.work(8.0 * (double)c.n, 0);
    c.rung(
        "split", [&] { return c.holds(y, in_order); },
        [&] { solve(c.n, x, y); });
}
