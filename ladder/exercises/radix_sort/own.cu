/* Exercise own: sort n keys by their digits, with kernels of your own
 *
 * Store the n keys in `sorted` in ascending order. The keys are unsigned
 * numbers of 32 bits. n is any number from 1 on. `spare` has capacity for n
 * keys, and `table` for 2 n + 512 numbers. Only the keys must keep their
 * values.
 *
 * All points for traffic need 8 passes of 4 bits, each of which reads the
 * keys twice and writes them once.
 *
 * Hint: A pass has three kernels. The first counts the digits of each tile.
 * The second computes from the counts where the keys of each tile and digit
 * begin. The third writes the keys to these positions.
 *
 * Hint: Store the counts by digit, and for each digit by tile:
 * table[digit * tiles + tile]. Then an exclusive scan of the table gives
 * the positions. One block can compute it, 256 entries at a time.
 *
 * Hint: Keys with equal digits must keep their order, otherwise the next
 * pass destroys the work of the previous one. In a tile, a key's position
 * is increased by the number of earlier keys with the same digit.
 *
 * Hint: `__ballot_sync` of each of the four bits gives a warp the lanes
 * with the same digit. Count those below the own lane with `__popc`. The
 * counts of the earlier warps of the tile are exchanged in shared memory.
 *
 * Hint: The passes write to `spare` and to `sorted` in turn. Their number
 * is even, so begin with `spare`.
 *
 * Sizes: 1 2 31 33 255 256 257 513 1000 5003; 1048576 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: kernels */
const unsigned THREADS = 256, WARPS = THREADS / 32, BITS = 4;
const unsigned DIGITS = 1 << BITS, ALL = 0xffffffff;

__global__ void count_digits(size_t n, const unsigned *keys, unsigned shift,
                             unsigned *table) {
    __shared__ unsigned counts[DIGITS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x < DIGITS) counts[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&counts[keys[i] >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        table[(size_t)threadIdx.x * gridDim.x + blockIdx.x] =
            counts[threadIdx.x];
}

/* Replaces each entry by the sum of all entries before it. */
__global__ void scan_table(size_t entries, unsigned *table) {
    __shared__ unsigned sums[THREADS];
    const unsigned t = threadIdx.x;
    unsigned before = 0;
    for (size_t first = 0; first < entries; first += THREADS) {
        const unsigned own = first + t < entries ? table[first + t] : 0;
        sums[t] = own;
        __syncthreads();
        for (unsigned d = 1; d < THREADS; d *= 2) {
            const unsigned below = t >= d ? sums[t - d] : 0;
            __syncthreads();
            sums[t] += below;
            __syncthreads();
        }
        if (first + t < entries) table[first + t] = before + sums[t] - own;
        before += sums[THREADS - 1];
        __syncthreads();
    }
}

__global__ void move_keys(size_t n, const unsigned *keys, unsigned shift,
                          const unsigned *table, unsigned *to) {
    __shared__ unsigned of_warps[WARPS][DIGITS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned key = i < n ? keys[i] : 0;
    const unsigned digit = key >> shift & (DIGITS - 1);
    unsigned same = __ballot_sync(ALL, i < n);
    for (unsigned bit = 0; bit < BITS; bit++) {
        const unsigned ones = __ballot_sync(ALL, digit >> bit & 1);
        same &= digit >> bit & 1 ? ones : ~ones;
    }
    const unsigned rank = __popc(same & ((1u << lane) - 1));
    if (threadIdx.x < WARPS * DIGITS)
        of_warps[threadIdx.x / DIGITS][threadIdx.x % DIGITS] = 0;
    __syncthreads();
    if (i < n && rank == 0) of_warps[warp][digit] = __popc(same);
    __syncthreads();
    if (i >= n) return;
    unsigned slot = table[(size_t)digit * gridDim.x + blockIdx.x] + rank;
    for (unsigned w = 0; w < warp; w++) slot += of_warps[w][digit];
    to[slot] = key;
}
/* End of blank */

void solve(size_t n, const unsigned *keys, unsigned *sorted,
           unsigned *spare, unsigned *table) {
    /* Blank: the passes */
    const unsigned tiles = (unsigned)((n + THREADS - 1) / THREADS);
    const unsigned *from = keys;
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        unsigned *const to = from == spare ? sorted : spare;
        count_digits<<<tiles, THREADS>>>(n, from, shift, table);
        scan_table<<<1, THREADS>>>((size_t)tiles * DIGITS, table);
        move_keys<<<tiles, THREADS>>>(n, from, shift, table, to);
        from = to;
    }
    /* End of blank */
}

/* Check */
#include "climb.h"

#include <algorithm>

void solve(size_t n, const unsigned *keys, unsigned *sorted,
           unsigned *spare, unsigned *table);

void check_exercise(climb &c) {
    std::vector<unsigned> values = ladder_values<unsigned>(c.n, c.seed);
    for (unsigned &v : values) v *= 0x9e3779b1u; /* all bits */
    /* The upper digits of the only key are 0. */
    if (c.n == 1) values[0] = 7;
    if (c.n > 2) values[0] = 0xffffffff, values[1] = 0, values[2] = 1;
    std::vector<unsigned> in_order = values;
    std::sort(in_order.begin(), in_order.end());
    const unsigned *const keys = c.input(values);
    unsigned *const sorted = c.output<unsigned>(c.n);
    unsigned *const spare = c.output<unsigned>(c.n);
    unsigned *const table = c.output<unsigned>(2 * c.n + 512);
    /* In each of 8 passes: keys twice and once, a position for each key,
     * and 16 counts for a tile three times. */
    c.work(8 * (16.0 * (double)c.n +
                12.0 * 16 * (double)blocks_for<size_t>(c.n, 256)),
           0);
    c.rung(
        "own", [&] { return c.holds(sorted, in_order); },
        [&] { solve(c.n, keys, sorted, spare, table); });
}
