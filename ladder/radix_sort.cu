/* Topic radix-sort: sorting by digits
 *
 * A radix sort sorts the keys by their last digit, then by the digit before
 * it, and so on. Each pass keeps the order of keys whose digits are equal.
 * After the pass of the first digit the keys are sorted. No pass compares
 * keys. With digits of b bits, a key of 32 bits needs 32 / b passes. Each
 * pass is a count and a scan. The position of a key is the number of keys
 * with a smaller digit, plus the number of earlier keys with the same
 * digit.
 *
 * The work is n per pass. Each pass moves three times the bytes of the
 * keys: it reads them to count, reads them again, and writes them. There
 * are 32 / b passes. Fewer and wider digits are faster, until their
 * counters no longer fit in shared memory. Every result here is exact,
 * because there is only one sorted order.
 *
 * The first rungs sort only within a warp or a block, so their result
 * consists of sorted chunks. `one-bit-passes` and the rungs after it sort
 * all keys.
 */
#include "climb.h"

#include <algorithm>
#ifndef WEFT_EXECUTOR
#if __has_include(<cub/device/device_radix_sort.cuh>)
#include <cub/device/device_radix_sort.cuh>
#define HAVE_CUB
#endif
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
constexpr unsigned ROUNDS = 8, TILE = THREADS * ROUNDS;
#define WHOLE_WARP 0xffffffffu

/* Rung codes: signed numbers and floats as unsigned numbers
 *
 * Digits have no sign, so the rungs sort unsigned codes. The code of an int
 * is the int with its sign bit inverted. The bits of positive floats are
 * already in order, so their code is the bits with the sign bit set. Among
 * negative floats, larger bits mean a smaller number. So their code is the
 * bits, all inverted. The order is -1 < -0 < +0 < 1, and NaNs are at the
 * two ends.
 *
 * All rungs sort such codes and convert them back. The classic program
 * sorts ints from 0 to 1023 in ten passes. With 32 passes and without
 * codes, it would sort negative numbers last. This rung converts keys to
 * codes and back. It sorts nothing.
 */
__host__ __device__ inline unsigned to_code(unsigned key) { return key; }
__host__ __device__ inline unsigned to_code(int key) {
    return (unsigned)key ^ 0x80000000u;
}
__host__ __device__ inline unsigned to_code(float key) {
    unsigned bits;
    memcpy(&bits, &key, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__host__ __device__ inline void from_code(unsigned code, unsigned *key) {
    *key = code;
}
__host__ __device__ inline void from_code(unsigned code, int *key) {
    *key = (int)(code ^ 0x80000000u);
}
__host__ __device__ inline void from_code(unsigned code, float *key) {
    const unsigned bits = code >> 31 ? code & 0x7fffffffu : ~code;
    memcpy(key, &bits, sizeof bits);
}

template <class T>
__global__ void make_codes(size_t n, const T *keys, unsigned *codes) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) codes[i] = to_code(keys[i]);
}

template <class T>
__global__ void make_keys(size_t n, const unsigned *codes, T *keys) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) from_code(codes[i], &keys[i]);
}

/* Rung one-thread: four passes of 8 bits by one thread
 *
 * The thread counts the digits and converts the counts to positions by an
 * exclusive scan of 256 numbers. Then it writes each key to the next
 * position of its digit. Every other rung divides this loop among threads.
 */
__global__ void sort_by_one_thread(size_t n, unsigned *codes,
                                   unsigned *spare) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t next[256] = {};
        for (size_t i = 0; i < n; i++) next[codes[i] >> shift & 255]++;
        size_t before = 0;
        for (unsigned digit = 0; digit < 256; digit++) {
            const size_t count = next[digit];
            next[digit] = before;
            before += count;
        }
        for (size_t i = 0; i < n; i++)
            spare[next[codes[i] >> shift & 255]++] = codes[i];
        unsigned *const sorted = spare;
        spare = codes;
        codes = sorted;
    }
}

/* Rung warp: 32 keys in a warp, one bit at a time
 *
 * `__ballot_sync` returns to every lane a mask with the bits of all 32
 * lanes, and `__popc` counts its ones. So a lane can compute the number of
 * all zeros and the number of zeros before it, without memory. If its bit
 * is 0, its position is the number of zeros before it. Otherwise its
 * position is the number of all zeros plus the number of ones before it.
 * There are 32 passes of one bit.
 *
 * The keys move through shared memory. `__syncwarp` separates the write of
 * a lane from the read of another. The lanes of a warp need not run in
 * lockstep, and since sm_70 they do not (see `no-syncwarp`). Each pass has
 * two of them. After the first, all lanes have written. After the second,
 * all lanes have read.
 *
 * The last warp is padded with the greatest code. These codes stay after
 * all others, and the kernel does not write them.
 */
__global__ void sort_warps(size_t n, const unsigned *codes,
                           unsigned *sorted) {
    __shared__ unsigned tile[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % WARP, before = (1u << lane) - 1;
    unsigned *const keys = tile + threadIdx.x / WARP * WARP;
    unsigned key = i < n ? codes[i] : 0xffffffffu;
    for (unsigned bit = 0; bit < 32; bit++) {
        const unsigned ones = __ballot_sync(WHOLE_WARP, key >> bit & 1);
        const unsigned zeros = ~ones;
        const bool one = key >> bit & 1;
        keys[one ? __popc(zeros) + __popc(ones & before)
                 : __popc(zeros & before)] = key;
        __syncwarp();
        key = keys[lane];
        __syncwarp();
    }
    if (i < n) sorted[i] = key;
}

/* Faulty rung no-syncwarp: the same without __syncwarp
 *
 * This code is from the time when the lanes of a warp ran in lockstep, and
 * the texts still contain it. A ballot synchronizes lanes. It does not make
 * their writes to memory visible to each other.
 */
__global__ void sort_warps_in_step(size_t n, const unsigned *codes,
                                   unsigned *sorted) {
    __shared__ unsigned tile[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % WARP, before = (1u << lane) - 1;
    unsigned *const keys = tile + threadIdx.x / WARP * WARP;
    unsigned key = i < n ? codes[i] : 0xffffffffu;
    for (unsigned bit = 0; bit < 32; bit++) {
        const unsigned ones = __ballot_sync(WHOLE_WARP, key >> bit & 1);
        const unsigned zeros = ~ones;
        const bool one = key >> bit & 1;
        keys[one ? __popc(zeros) + __popc(ones & before)
                 : __popc(zeros & before)] = key;
        key = keys[lane];
    }
    if (i < n) sorted[i] = key;
}

/* Rung block: 256 keys in a block, one bit at a time
 *
 * Each warp counts its zeros by a ballot, and the counts of the earlier
 * warps are added. One scan, that of the zeros, is enough: the number of
 * ones before thread t is t minus the number of zeros before it. The
 * classic kernel scans both.
 *
 * Each key is in a register while it moves. A barrier separates the last
 * read from the first write (see `read-again`).
 */
__device__ unsigned rank_by_bit(bool one) {
    __shared__ unsigned zeros_of[WARPS];
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    const unsigned zeros = __ballot_sync(WHOLE_WARP, !one);
    if (lane == 0) zeros_of[warp] = __popc(zeros);
    __syncthreads();
    unsigned before = __popc(zeros & ((1u << lane) - 1)), all = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp) before += zeros_of[w];
        all += zeros_of[w];
    }
    __syncthreads();
    return one ? all + t - before : before;
}

__global__ void sort_blocks(size_t n, const unsigned *codes,
                            unsigned *sorted) {
    __shared__ unsigned tile[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    unsigned key = i < n ? codes[i] : 0xffffffffu;
    for (unsigned bit = 0; bit < 32; bit++) {
        tile[rank_by_bit(key >> bit & 1)] = key;
        __syncthreads();
        key = tile[threadIdx.x];
        __syncthreads();
    }
    if (i < n) sorted[i] = key;
}

/* Faulty rung read-again: the key is read again after its position is known
 *
 * The classic kernel executes data[slot] = data[t]. At that time, another
 * thread may already have written its own key to data[t]. Then one key is
 * in the array twice, and another key is lost.
 */
__global__ void sort_reading_again(size_t n, const unsigned *codes,
                                   unsigned *sorted) {
    __shared__ unsigned tile[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    tile[threadIdx.x] = i < n ? codes[i] : 0xffffffffu;
    for (unsigned bit = 0; bit < 32; bit++) {
        const unsigned slot = rank_by_bit(tile[threadIdx.x] >> bit & 1);
        tile[slot] = tile[threadIdx.x];
        __syncthreads();
    }
    if (i < n) sorted[i] = tile[threadIdx.x];
}

/* Rung classic-keys: the classic 30 keys, rand() % 1024
 *
 * The keys are those of a program on Linux that sets no seed. The kernel of
 * `block` sorts them.
 */
static std::string classic_keys(climb &c) {
    const std::vector<unsigned> known = {
        74,  81,  84,  105, 115, 124, 186, 205, 236, 255,
        302, 326, 346, 359, 483, 487, 488, 498, 563, 611,
        706, 763, 795, 809, 886, 909, 927, 939, 966, 1016};
    std::vector<unsigned> keys;
    for (const int number : ladder_gnu_rand(known.size()))
        keys.push_back((unsigned)number % 1024);
    const unsigned *const codes = c.input(keys);
    unsigned *const sorted = c.output<unsigned>(keys.size());
    sort_blocks<<<1, THREADS>>>(keys.size(), codes, sorted);
    const std::string wrong = c.holds(sorted, known);
    return wrong.empty() ? "74 81 84 ... 966 1016, as known"
                         : "not the known order: " + wrong;
}

/* Rung one-bit-passes: all keys, 32 passes of one bit
 *
 * To sort more keys than a block can hold, the counts of the blocks must be
 * combined. A pass has three kernels:
 *
 * 1. `count`: each block counts its keys by digit. The counts form a table
 *    of digits by blocks.
 * 2. `scan`: an exclusive scan of the table, digit by digit, and for each
 *    digit block by block. The result is the number of keys before a
 *    block's first key of a digit.
 * 3. `scatter`: each block processes its keys again, in order. It writes
 *    each key after the earlier keys of the same digit.
 *
 * So keys with equal digits keep their order, as all passes require. A tile
 * has 2048 keys, which are 8 rounds of 256, in order.
 *
 * In each round, a warp finds the lanes with the same digit by one ballot
 * per bit of the digit. The first of these lanes writes their number. The
 * position of a key is a sum of three terms: the next position of the block
 * for this digit, the count of the earlier warps, and the number of earlier
 * lanes with this digit. The classic text does not contain a finished
 * version of this sort.
 *
 * With one bit there are two counters and 32 passes. The traffic is 96
 * times the bytes of the keys.
 */
template <unsigned BITS>
__global__ void count_digits(size_t n, const unsigned *codes,
                             unsigned shift, unsigned *table) {
    constexpr unsigned DIGITS = 1u << BITS;
    __shared__ unsigned counts[DIGITS];
    const size_t first = (size_t)blockIdx.x * TILE;
    for (unsigned digit = threadIdx.x; digit < DIGITS; digit += THREADS)
        counts[digit] = 0;
    __syncthreads();
    for (unsigned k = threadIdx.x; k < TILE; k += THREADS)
        if (first + k < n)
            atomicAdd(&counts[codes[first + k] >> shift & (DIGITS - 1)],
                      1u);
    __syncthreads();
    for (unsigned digit = threadIdx.x; digit < DIGITS; digit += THREADS)
        table[(size_t)digit * gridDim.x + blockIdx.x] = counts[digit];
}

/* Returns the lanes of this warp that are live and have this digit. */
template <unsigned BITS>
__device__ unsigned lanes_with(unsigned digit, bool live) {
    unsigned lanes = __ballot_sync(WHOLE_WARP, live);
    for (unsigned bit = 0; bit < BITS; bit++) {
        const unsigned ones = __ballot_sync(WHOLE_WARP, digit >> bit & 1);
        lanes &= digit >> bit & 1 ? ones : ~ones;
    }
    return lanes;
}

/* Values move with their keys, if there are any. */
template <unsigned BITS>
__global__ void scatter_keys(size_t n, const unsigned *codes,
                             const unsigned *values, unsigned shift,
                             const unsigned *table, unsigned *sorted_codes,
                             unsigned *sorted_values) {
    constexpr unsigned DIGITS = 1u << BITS;
    __shared__ unsigned next[DIGITS], of_warp[WARPS][DIGITS];
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    for (unsigned digit = t; digit < DIGITS; digit += THREADS) {
        next[digit] = table[(size_t)digit * gridDim.x + blockIdx.x];
        for (unsigned w = 0; w < WARPS; w++) of_warp[w][digit] = 0;
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t i = (size_t)blockIdx.x * TILE + round * THREADS + t;
        const bool live = i < n;
        const unsigned code = live ? codes[i] : 0;
        const unsigned digit = code >> shift & (DIGITS - 1);
        const unsigned same = lanes_with<BITS>(digit, live);
        const unsigned rank = __popc(same & ((1u << lane) - 1));
        __syncthreads();
        if (live && rank == 0) of_warp[warp][digit] = __popc(same);
        __syncthreads();
        unsigned slot = next[digit] + rank;
        for (unsigned w = 0; w < warp; w++) slot += of_warp[w][digit];
        if (live) sorted_codes[slot] = code;
        if (live && values) sorted_values[slot] = values[i];
        __syncthreads();
        for (unsigned d = t; d < DIGITS; d += THREADS) {
            unsigned all = 0;
            for (unsigned w = 0; w < WARPS; w++) {
                all += of_warp[w][d];
                of_warp[w][d] = 0;
            }
            next[d] += all;
        }
    }
}

/* Computes the exclusive scan of the table, as `weft ladder scan --show
 * levels` explains it. */
__global__ void scan_tiles(size_t n, unsigned *x, unsigned *totals) {
    __shared__ unsigned of_warps[WARPS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned own = i < n ? x[i] : 0;
    unsigned sum = own;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const unsigned below = __shfl_up_sync(WHOLE_WARP, sum, d);
        if (lane >= d) sum += below;
    }
    if (lane == WARP - 1) of_warps[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += of_warps[w];
    if (i < n) x[i] = sum - own;
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = sum;
}

__global__ void add_totals(size_t n, unsigned *x, const unsigned *totals) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) x[i] += totals[blockIdx.x];
}

static void exclusive_scan(size_t n, unsigned *x, unsigned *totals) {
    const size_t tiles = blocks_for<size_t>(n, THREADS);
    scan_tiles<<<(unsigned)tiles, THREADS>>>(n, x, totals);
    if (tiles == 1) return;
    exclusive_scan(tiles, totals, totals + tiles);
    add_totals<<<(unsigned)tiles, THREADS>>>(n, x, totals);
}

/* Two arrays that alternate as input and output, the table, and what
 * one-sweep needs. */
struct sort_workspace {
    unsigned *codes[2], *values[2], *table, *sweep;
};

/* Sorts codes[0], together with values[0] if there are values. 32 / BITS is
 * even, so the result is in the same arrays. */
template <unsigned BITS>
static void sort_all(size_t n, const sort_workspace &workspace,
                     bool with_values) {
    const size_t blocks = blocks_for<size_t>(n, TILE);
    const size_t entries = blocks << BITS;
    for (unsigned shift = 0, now = 0; shift < 32;
         shift += BITS, now = !now) {
        count_digits<BITS><<<(unsigned)blocks, THREADS>>>(
            n, workspace.codes[now], shift, workspace.table);
        exclusive_scan(entries, workspace.table, workspace.table + entries);
        scatter_keys<BITS><<<(unsigned)blocks, THREADS>>>(
            n, workspace.codes[now],
            with_values ? workspace.values[now] : nullptr, shift,
            workspace.table, workspace.codes[!now], workspace.values[!now]);
    }
}

/* Rung four-bit-passes: 8 passes of 16 digits
 *
 * This rung has a quarter of the passes, and a quarter of the traffic. In
 * the exercise of the course, each digit is scanned separately, so 4 bits
 * would take 15 counts per key. With counters in shared memory and ballots,
 * one count is enough.
 */
static void four_bit_passes(size_t n, const sort_workspace &workspace) {
    sort_all<4>(n, workspace, false);
}

/* Rung eight-bit-passes: 4 passes of 256 digits
 *
 * This rung has half as many passes again. 256 counters for each of 8 warps
 * take 8 KiB of shared memory. A tile of 2048 keys has 8 keys per digit. So
 * a block writes to 256 positions, with 8 adjacent keys each. These are 32
 * bytes, the size of a memory segment. With wider digits, a block would
 * fill only part of each segment. The next improvement is larger tiles that
 * are sorted in shared memory before they are written (see `one-sweep`).
 */
static void eight_bit_passes(size_t n, const sort_workspace &workspace) {
    sort_all<8>(n, workspace, false);
}

/* Rung pairs: a value moves with each key, and equal keys keep their order
 *
 * The values are the numbers of the keys, 0, 1, 2, ... So the output shows
 * the original position of each key. It proves that the sort is stable:
 * equal keys keep their order.
 */
__global__ void number(size_t n, unsigned *values) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = (unsigned)i;
}

static void pairs(size_t n, const sort_workspace &workspace) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    number<<<blocks, THREADS>>>(n, workspace.values[0]);
    sort_all<8>(n, workspace, true);
}

/* Rung one-sweep: each pass reads and writes the keys once
 *
 * A pass of `eight-bit-passes` reads the keys twice, because a block must
 * know how many smaller digits, and how many equal digits in earlier
 * blocks, there are. The first of these two numbers does not depend on the
 * order of the keys. So one kernel counts the digits of all four passes at
 * the beginning. A block gets the second number by look-back, as in topic
 * one-pass-scan: thread d looks at the counts of digit d in the tiles
 * before its own. Each pass is now one kernel, and its traffic is 2 n keys
 * and not 3 n (A. Adinets, D. Merrill, "Onesweep", arXiv 2206.01784, 2022).
 *
 * A published count is one word: two bits for its kind, and 30 bits for the
 * number. A word is written as a whole, so no fence is needed between a
 * flag and a count.
 *
 * A tile has 4096 keys. It is sorted in shared memory before it is written.
 * So adjacent threads write adjacent keys of the same digit: on average 16
 * keys, 64 bytes. In the other rungs, a thread writes its key wherever its
 * digit goes.
 */
constexpr unsigned SWEEP_ROUNDS = 16, SWEEP_TILE = THREADS * SWEEP_ROUNDS;
constexpr unsigned DIGITS = 256, PASSES = 4;
/* Kinds of a published count, and its bits */
constexpr unsigned OWN = 1u << 30, RUNNING = 2u << 30, COUNT = OWN - 1;

/* Counts the digits of all passes. `counts` must be 0 before. */
__global__ void count_all_digits(size_t n, const unsigned *codes,
                                 unsigned *counts) {
    __shared__ unsigned mine[PASSES][DIGITS];
    const unsigned t = threadIdx.x;
    for (unsigned pass = 0; pass < PASSES; pass++) mine[pass][t] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * THREADS + t; i < n;
         i += (size_t)gridDim.x * THREADS)
        for (unsigned pass = 0; pass < PASSES; pass++)
            atomicAdd(&mine[pass][codes[i] >> 8 * pass & (DIGITS - 1)], 1u);
    __syncthreads();
    for (unsigned pass = 0; pass < PASSES; pass++)
        atomicAdd(&counts[pass * DIGITS + t], mine[pass][t]);
}

/* Returns the sum of v over the threads before this one. All threads of the
 * block must call it, once in a kernel. */
__device__ inline unsigned sum_before(unsigned v) {
    __shared__ unsigned of_warps[WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = v;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const unsigned below = __shfl_up_sync(WHOLE_WARP, sum, d);
        if (lane >= d) sum += below;
    }
    if (lane == WARP - 1) of_warps[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) sum += of_warps[w];
    return sum - v;
}

/* Replaces the counts of a pass by the positions of
 * the first key of each digit. */
__global__ void find_starts(unsigned *counts) {
    unsigned *const at = &counts[blockIdx.x * DIGITS + threadIdx.x];
    *at = sum_before(*at);
}

/* Returns the number of keys with digit t in the tiles before this one, and
 * publishes the count of this one. */
__device__ inline unsigned count_before(unsigned tile, unsigned count,
                                        unsigned *states) {
    volatile unsigned *const at =
        states + (size_t)tile * DIGITS + threadIdx.x;
    unsigned before = 0;
    *at = OWN | count;
    for (unsigned k = 1; k <= tile; k++) {
        unsigned state;
        while ((state = *(at - (size_t)k * DIGITS)) == 0) {
        }
        before += state & COUNT;
        if (state >= RUNNING) break;
    }
    *at = RUNNING | (before + count);
    return before;
}

/* Sorts by one digit. `starts` has the position of the first key of each
 * digit. `ticket` and `states` must be 0. */
__global__ void sweep(size_t n, const unsigned *codes, unsigned shift,
                      const unsigned *starts, unsigned *ticket,
                      unsigned *states, unsigned *sorted) {
    __shared__ unsigned tile, of_warp[WARPS][DIGITS], first[DIGITS];
    __shared__ unsigned target[DIGITS], keys[SWEEP_TILE];
    const unsigned t = threadIdx.x, lane = t % WARP, warp = t / WARP;
    if (t == 0) tile = atomicAdd(ticket, 1u);
    for (unsigned w = 0; w < WARPS; w++) of_warp[w][t] = 0;
    __syncthreads();
    const size_t begin = (size_t)tile * SWEEP_TILE;
    const size_t mine = begin + warp * SWEEP_ROUNDS * WARP + lane;
    unsigned code[SWEEP_ROUNDS], rank[SWEEP_ROUNDS];
    for (unsigned round = 0; round < SWEEP_ROUNDS; round++) {
        const size_t i = mine + round * WARP;
        const bool live = i < n;
        code[round] = live ? codes[i] : 0;
        const unsigned digit = code[round] >> shift & (DIGITS - 1);
        const unsigned same = lanes_with<8>(digit, live);
        const unsigned below = __popc(same & ((1u << lane) - 1));
        rank[round] = of_warp[warp][digit] + below;
        __syncwarp();
        if (live && below == 0) of_warp[warp][digit] += __popc(same);
        __syncwarp();
    }
    __syncthreads();
    /* Count of digit t before each warp; after the
     * loop, that of the tile */
    unsigned count = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        const unsigned more = of_warp[w][t];
        of_warp[w][t] = count;
        count += more;
    }
    const unsigned before = count_before(tile, count, states);
    first[t] = sum_before(count);
    target[t] = starts[t] + before - first[t];
    __syncthreads();
    for (unsigned round = 0; round < SWEEP_ROUNDS; round++) {
        const unsigned digit = code[round] >> shift & (DIGITS - 1);
        if (mine + round * WARP < n)
            keys[first[digit] + of_warp[warp][digit] + rank[round]] =
                code[round];
    }
    __syncthreads();
    for (unsigned i = t; i < SWEEP_TILE && begin + i < n; i += THREADS)
        sorted[target[keys[i] >> shift & (DIGITS - 1)] + i] = keys[i];
}

static size_t sweep_words(size_t n) {
    return PASSES * DIGITS + 1 + blocks_for<size_t>(n, SWEEP_TILE) * DIGITS;
}

static void one_sweep(size_t n, const sort_workspace &workspace) {
    const unsigned tiles = (unsigned)blocks_for<size_t>(n, SWEEP_TILE);
    unsigned *const starts = workspace.sweep;
    unsigned *const ticket = starts + PASSES * DIGITS;
    unsigned *const states = ticket + 1;
    CUDA_CHECK(
        cudaMemsetAsync(starts, 0, PASSES * DIGITS * sizeof *starts));
    count_all_digits<<<min(tiles, 1056u), THREADS>>>(n, workspace.codes[0],
                                                     starts);
    find_starts<<<PASSES, DIGITS>>>(starts);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        CUDA_CHECK(cudaMemsetAsync(
            ticket, 0, (1 + (size_t)tiles * DIGITS) * sizeof *ticket));
        sweep<<<tiles, THREADS>>>(n, workspace.codes[pass % 2], 8 * pass,
                                  starts + pass * DIGITS, ticket, states,
                                  workspace.codes[1 - pass % 2]);
    }
}

/* Rung weft: weft_sort, an operation of this library
 *
 * `weft_sort` uses digits of 8 bits, with one pass over the keys per digit,
 * as `one-sweep` does. It also sorts keys of 8 to 64 bits, with values, in
 * both directions, and more than 2^30 keys.
 */
static weft_status weft_sorted(weft_context *ctx, weft_dtype dtype,
                               size_t n, const void *keys, void *sorted) {
    return weft_sort(ctx, WEFT_ASCENDING, dtype, n, keys, sorted);
}

/* Rung cub: cub::DeviceRadixSort::SortKeys, from NVIDIA's library CUB */
#ifdef HAVE_CUB
template <class T>
static void cub_sort(size_t n, const T *keys, T *sorted) {
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(workspace, bytes, keys,
                                              sorted, n);
    });
}
#else
template <class T> static void cub_sort(size_t, const T *, T *) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. Sort 170, 45, 75, 90, 802, 24, 2, 66 on paper by decimal digits. What
 *    happens if a pass does not keep the order of equal digits?
 * 2. In the last pass of a float sort, why is it not enough to reverse the
 *    order of the negative numbers?
 * 3. Count the barriers of a pass of `scatter_keys`. Which barriers can be
 *    removed if there are two copies of `of_warp`?
 * 4. Write a pass for descending order. Must equal keys change their order?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n, blocks = blocks_for<size_t>(n, TILE);
    const size_t entries = blocks * 256;
    const std::vector<T> values = ladder_values<T>(n, 1);
    const T *const keys = c.input(values);
    T *const out = c.output<T>(n);
    sort_workspace workspace;
    for (unsigned *&codes : workspace.codes) codes = c.output<unsigned>(n);
    for (unsigned *&numbers : workspace.values)
        numbers = c.output<unsigned>(n);
    workspace.table = c.output<unsigned>(entries + entries / 128 + 64);
    workspace.sweep = c.output<unsigned>(sweep_words(n));
    c.work(2.0 * (double)(n * sizeof(T)), 0);

    const auto less = [](T a, T b) { return to_code(a) < to_code(b); };
    const auto runs = [&](size_t length) {
        return [&c, &values, out, less, length] {
            std::vector<T> sorted = values;
            for (size_t i = 0; i < sorted.size(); i += length)
                std::sort(sorted.begin() + (long)i,
                          sorted.begin() +
                              (long)std::min(i + length, sorted.size()),
                          less);
            return c.holds(out, sorted);
        };
    };
    /* Returns the numbers of the keys in sorted order:
     * equal keys by number. */
    std::vector<uint64_t> ranked(n);
    for (size_t i = 0; i < n; i++)
        ranked[i] = (uint64_t)to_code(values[i]) << 32 | (uint32_t)i;
    std::sort(ranked.begin(), ranked.end());
    std::vector<unsigned> order(ranked.begin(), ranked.end());
    std::vector<T> in_order;
    for (const unsigned i : order) in_order.push_back(values[i]);

    const ladder_claim of_warps = runs(WARP), of_blocks = runs(THREADS),
                       all = [&] { return c.holds(out, in_order); };
    const ladder_claim unchanged = [&] { return c.holds(out, values); };
    const ladder_claim stable = [&] {
        const std::string wrong = all();
        return wrong.empty() ? c.holds(workspace.values[0], order) : wrong;
    };
    const unsigned threads = (unsigned)blocks_for<size_t>(n, THREADS);
    /* Converts keys to codes, runs a sort whose result is in codes[at], and
     * converts codes to keys. */
    const auto sorting = [=](const ladder_launch &sort, int at = 0) {
        return [=] {
            make_codes<<<threads, THREADS>>>(n, keys, workspace.codes[0]);
            sort();
            make_keys<<<threads, THREADS>>>(n, workspace.codes[at], out);
        };
    };
    typedef void (*sort_kernel)(size_t, const unsigned *, unsigned *);
    unsigned *const from = workspace.codes[0];
    unsigned *const to = workspace.codes[1];
    const auto by_blocks = [=](sort_kernel kernel) {
        return sorting([=] { kernel<<<threads, THREADS>>>(n, from, to); },
                       1);
    };
    const ladder_limits numbered = {.most = 0xffffffffu};

    c.rung("codes", unchanged, sorting([] {}));
    c.rung("one-thread", all,
           sorting([=] { sort_by_one_thread<<<1, 1>>>(n, from, to); }),
           {.most = (size_t)1 << 16});
    c.rung("warp", of_warps, by_blocks(sort_warps));
    c.faulty("no-syncwarp", of_warps, by_blocks(sort_warps_in_step),
             {.least = 2});
    c.rung("block", of_blocks, by_blocks(sort_blocks));
    c.faulty("read-again", of_blocks, by_blocks(sort_reading_again),
             {.least = 2});
    c.lesson("classic-keys", [&] { return classic_keys(c); });
    c.rung("one-bit-passes", all,
           sorting([=] { sort_all<1>(n, workspace, false); }), numbered);
    c.rung("four-bit-passes", all,
           sorting([=] { four_bit_passes(n, workspace); }), numbered);
    c.rung("eight-bit-passes", all,
           sorting([=] { eight_bit_passes(n, workspace); }), numbered);
    c.rung("pairs", stable, sorting([=] { pairs(n, workspace); }),
           numbered);
    c.rung("one-sweep", all, sorting([=] { one_sweep(n, workspace); }),
           {.most = COUNT});
    c.weft("weft", all, [=, &c](weft_context *ctx) {
        return weft_sorted(ctx, c.dtype, n, keys, out);
    });
    c.rung("cub", all, [=] { cub_sort(n, keys, out); }, {.gpu_only = true});
}

} // namespace

void climb_radix_sort(climb &c) {
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    if (c.dtype == WEFT_F32) return climb_as<float>(c);
    climb_as<unsigned>(c);
}
