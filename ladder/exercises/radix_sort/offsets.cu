/* Exercise offsets: where the keys of each tile and digit begin
 *
 * A pass of a radix sort distributes each tile of 256 keys: the keys with
 * digit 0 of all tiles come first, tile by tile, then those with digit 1,
 * and so on. Digits have 4 bits. Compute for each digit and tile where the
 * first of these keys is written, and store it in
 * table[digit * tiles + tile]. This is the number of all keys with a
 * smaller digit, plus the number of keys with this digit in earlier tiles.
 *
 * `count_digits` is launched with a block of 256 threads for each tile, and
 * `scan_table` with one thread. Write both.
 *
 * Hint: Count in shared memory: 16 counters that are cleared first. Threads
 * may have keys with the same digit, so they must add with `atomicAdd`.
 *
 * Hint: Barriers separate the clearing, the counting, and the reading of
 * the counters.
 *
 * Hint: Element digit * tiles + tile of the table is the count of this
 * digit in this tile. `gridDim.x` is the number of tiles. The order of the
 * elements is that of the written keys.
 *
 * Hint: The positions are an exclusive scan of all 16 * tiles counts, in
 * the order of the table.
 *
 * Sizes: 1 2 255 256 257 511 513 1000 20011; 1048576 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 256, DIGITS = 16;

__global__ void count_digits(size_t n, const unsigned *keys, unsigned shift,
                             unsigned *table) {
    __shared__ unsigned counts[DIGITS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    /* Blank: count the digits keys[i] >> shift & 15 of this tile, and
     * store the 16 counts in the table */
    if (threadIdx.x < DIGITS) counts[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) atomicAdd(&counts[keys[i] >> shift & 15], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        table[(size_t)threadIdx.x * gridDim.x + blockIdx.x] =
            counts[threadIdx.x];
    /* End of blank */
}

__global__ void scan_table(size_t entries, unsigned *table) {
    /* Blank: replace each count by the position of the first key */
    unsigned before = 0;
    for (size_t k = 0; k < entries; k++) {
        const unsigned count = table[k];
        table[k] = before;
        before += count;
    }
    /* End of blank */
}

void solve(size_t n, const unsigned *keys, unsigned shift,
           unsigned *table) {
    const unsigned tiles = (unsigned)((n + THREADS - 1) / THREADS);
    count_digits<<<tiles, THREADS>>>(n, keys, shift, table);
    scan_table<<<1, 1>>>((size_t)DIGITS * tiles, table);
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *keys, unsigned shift, unsigned *table);

void check_exercise(climb &c) {
    const unsigned shift = 8;
    std::vector<unsigned> values = ladder_values<unsigned>(c.n, c.seed);
    for (unsigned &v : values) v *= 0x9e3779b1u; /* all bits */
    const size_t tiles = blocks_for<size_t>(c.n, 256);
    std::vector<unsigned> counts(16 * tiles), positions;
    for (size_t i = 0; i < c.n; i++)
        counts[(values[i] >> shift & 15) * tiles + i / 256]++;
    unsigned before = 0;
    for (const unsigned count : counts)
        positions.push_back(before), before += count;
    const unsigned *const keys = c.input(values);
    unsigned *const table = c.output<unsigned>(counts.size());
    c.work(4.0 * (double)c.n + 12.0 * (double)counts.size(), 0);
    c.rung(
        "offsets", [&] { return c.holds(table, positions); },
        [&] { solve(c.n, keys, shift, table); });
}
