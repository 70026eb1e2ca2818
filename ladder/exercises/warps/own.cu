/* Exercise own: the positive elements of each warp, moved to the front
 *
 * The array x is divided into groups of 32 elements; the last group may be
 * shorter. Write a kernel and its launch: y has the positive elements of
 * each group first, in their order, and then zeros. kept[g] = the number of
 * positive elements of group g. n is any number from 1 on. y has n
 * elements, and kept has (n + 31) / 32.
 *
 * For 10 points each element is read once and written once.
 *
 * Hint: Let a warp process a group. `__ballot_sync(0xffffffff, is)` returns
 * a word in which bit l is that of lane l. All 32 lanes must call it, so
 * lanes after the end of the array vote too, with 0.
 *
 * Hint: The position of a positive element in its group is the number of
 * positive elements in the lanes below: `__popc(ballot & mask)` with a mask
 * of the bits below that of the lane.
 *
 * Hint: The elements that are not positive fill the rest of the group with
 * zeros: the rank of such a lane among them is found in the same way, and
 * begins after the positive ones.
 *
 * Hint: A lane after the end of the array must write nothing.
 *
 * Sizes: 1 2 31 32 33 63 65 255 257 1000 20011; 67108864 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void move_to_front(size_t n, const int *x, int *y,
                              unsigned *kept) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
    const int own = i < n ? x[i] : 0;
    const unsigned positive = __ballot_sync(0xffffffffu, own > 0);
    const unsigned count = __popc(positive);
    const unsigned rank = own > 0 ? __popc(positive & below)
                                  : count + __popc(~positive & below);
    if (i < n) y[i - lane + rank] = own > 0 ? own : 0;
    if (i < n && lane == 0) kept[i / 32] = count;
}
/* End of blank */

void solve(size_t n, const int *x, int *y, unsigned *kept) {
    /* Blank: its launch */
    move_to_front<<<(unsigned)((n + 255) / 256), 256>>>(n, x, y, kept);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *y, unsigned *kept);

void check_exercise(climb &c) {
    const size_t WARP = 32, groups = blocks_for<size_t>(c.n, WARP);
    std::vector<int> values = ladder_values<int>(c.n, c.seed);
    std::vector<int> expected(c.n);
    std::vector<unsigned> counts(groups);
    for (size_t i = 0; i < c.n; i++) {
        /* Zeros are not positive. One group has positive elements only, and
         * one has none. */
        if (i % 13 == 5) values[i] = 0;
        if (i / WARP % 7 == 1) values[i] = 1 + (int)(i % 100);
        if (i / WARP % 7 == 2) values[i] = -(int)(i % 3);
        if (values[i] > 0)
            expected[i / WARP * WARP + counts[i / WARP]++] = values[i];
    }
    const int *const x = c.input(values);
    int *const y = c.output<int>(c.n);
    unsigned *const kept = c.output<unsigned>(groups);
    c.work(8.0 * (double)c.n + 4.0 * (double)groups, 0);
    const ladder_claim right = [&] {
        const std::string said = c.holds(y, expected);
        return said.empty() ? c.holds(kept, counts) : said;
    };
    c.rung("own", right, [&] { solve(c.n, x, y, kept); });
}
