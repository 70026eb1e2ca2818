/* Topic histogram: how often each of the 256 values of a byte occurs
 *
 * A histogram reads n bytes and increments one of 256 counters for each.
 * The traffic is n bytes. At the read speed of an H200, each multiprocessor
 * must count more than 30 bytes per nanosecond. But threads that increment
 * one counter at the same time must wait for each other. The lesson is how
 * to have more counters than values, so that threads rarely meet.
 *
 * `global-atomics` has one counter per value for the whole grid.
 * `shared-atomics` has one per value and block, in shared memory, and adds
 * the counters of the blocks at the end. `warp-copies` has one per value
 * and warp. In each step, fewer threads share a counter, and there are more
 * counters to add at the end. This is called privatization.
 *
 * The speed depends on the data. In `one-value` and `matched` all bytes are
 * equal, as in the dark part of a picture. Measure a histogram with such
 * data too. Counts are whole numbers, so the order of the increments does
 * not matter.
 */
#include "climb.h"

#include <algorithm>
#ifndef WEFT_EXECUTOR
#if __has_include(<cub/device/device_histogram.cuh>)
#include <cub/device/device_histogram.cuh>
#define HAVE_CUB
#endif
#endif

namespace {

typedef unsigned char byte;
/* A grid can count more than 2^32 bytes */
typedef unsigned long long count;

constexpr unsigned BINS = 256, WARP = 32, THREADS = BINS;
constexpr unsigned WARPS = THREADS / WARP;
/* At most BLOCKS blocks, with at least EACH bytes per thread */
constexpr unsigned BLOCKS = 1024, EACH = 16;
#define WHOLE_WARP 0xffffffffu

static unsigned blocks_of(size_t n) {
    return (unsigned)std::min<size_t>(blocks_for<size_t>(n, THREADS * EACH),
                                      BLOCKS);
}

/* Rung one-thread: the definition
 *
 * One thread counts all bytes, so increments need no atomics. Each
 * increment must wait until the previous one of the same counter is
 * written.
 */
static __global__ void count_by_one_thread(size_t n, const byte *x,
                                           count *counts) {
    for (unsigned bin = 0; bin < BINS; bin++) counts[bin] = 0;
    for (size_t i = 0; i < n; i++) counts[x[i]]++;
}

static std::vector<count> counted(const std::vector<byte> &x) {
    std::vector<count> counts(BINS);
    for (const byte v : x) counts[v]++;
    return counts;
}

/* Faulty rung lost-updates: many threads, without atomics
 *
 * `counts[x[i]]++` is a read, an addition and a write. Two threads that
 * read the same count both write the same successor, and one of the two
 * bytes is not counted. The fewer values occur, the more increments are
 * lost.
 *
 * The executor runs the threads in turn, so it would count right. Here a
 * barrier separates the read from the write, and the executor loses
 * increments too.
 */
static __global__ void count_losing_updates(size_t n, const byte *x,
                                            count *counts) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const count before = i < n ? counts[x[i]] : 0;
    /* Lets the other threads read before this one writes */
    __syncthreads();
    if (i < n) counts[x[i]] = before + 1;
}

/* Clears the counts and launches a kernel with one thread per byte. */
template <class KERNEL>
static void by_elements(KERNEL kernel, size_t n, const byte *x,
                        count *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    kernel<<<blocks, THREADS>>>(n, x, counts);
}

/* Rung global-atomics: one counter per value in global memory
 *
 * `atomicAdd` makes the three operations one, so no increment is lost.
 * Atomics on global memory are executed by the L2 cache, and those on one
 * address run one after another. 256 counters are few for more than 100000
 * threads.
 */
static __global__ void count_by_atomics(size_t n, const byte *x,
                                        count *counts) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&counts[x[i]], (count)1);
}

/* Rung one-value: the same kernel, and all bytes are equal
 *
 * All increments are to one counter. Compare the time with that of
 * `global-atomics`. A kernel that is fast for random data can be many times
 * slower for the data of a user.
 */

/* Rung shared-atomics: 256 counters per block, in shared memory
 *
 * A block clears its own counters, counts its part of the bytes, and adds
 * its counters to those of the grid. Atomics on shared memory take a
 * fraction of the time, and only the threads of a block meet. The grid has
 * at most 1024 blocks, so there are at most 1024 * 256 atomics on global
 * memory, however many bytes are counted.
 *
 * There are two barriers. No thread may count before all counters are
 * clear, and no counter may be added to the result before all threads have
 * counted. Thread t clears and adds counter t, because a block has as many
 * threads as there are values.
 *
 * The counter of a block has 32 bits, which is enough: 1024 blocks share
 * the bytes equally.
 */
static __global__ void count_in_shared(size_t n, const byte *x,
                                       count *counts) {
    __shared__ unsigned mine[BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    mine[t] = 0;
    __syncthreads();
    size_t i = (size_t)blockIdx.x * THREADS + t;
    for (; i < n; i += threads) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    if (mine[t] > 0) atomicAdd(&counts[t], (count)mine[t]);
}

/* Clears the counts and launches a kernel whose blocks count many bytes. */
template <class KERNEL>
static void by_blocks(KERNEL kernel, size_t n, const byte *x,
                      count *counts) {
    CUDA_CHECK(cudaMemsetAsync(counts, 0, BINS * sizeof *counts));
    kernel<<<blocks_of(n), THREADS>>>(n, x, counts);
}

/* Faulty rung no-barrier: counting begins before all counters are clear
 *
 * A thread that is late clears a counter that another thread has already
 * incremented. The executor reports the race, even if the counts happen to
 * be right. On a GPU they nearly always are: the warps of a block start
 * together, and they clear the counters before the first byte has arrived
 * from memory.
 */
static __global__ void count_without_barrier(size_t n, const byte *x,
                                             count *counts) {
    __shared__ unsigned mine[BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    mine[t] = 0;
    size_t i = (size_t)blockIdx.x * THREADS + t;
    for (; i < n; i += threads) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    if (mine[t] > 0) atomicAdd(&counts[t], (count)mine[t]);
}

/* Faulty rung not-merged: each block stores its
 * counters instead of adding them
 *
 * The kernel is right for one block, which is the size of a first test.
 * With more blocks, the result contains the counters of the block that ends
 * last.
 */
static __global__ void count_without_merge(size_t n, const byte *x,
                                           count *counts) {
    __shared__ unsigned mine[BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    mine[t] = 0;
    __syncthreads();
    size_t i = (size_t)blockIdx.x * THREADS + t;
    for (; i < n; i += threads) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    counts[t] = mine[t];
}

/* Faulty rung not-cleared: the counters of the block are not set to zero
 *
 * Shared memory contains what an earlier block has left there. The first
 * block on each multiprocessor may count right, if the memory happens to
 * contain zeros.
 */
static __global__ void count_without_clearing(size_t n, const byte *x,
                                              count *counts) {
    __shared__ unsigned mine[BINS];
    const unsigned t = threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    size_t i = (size_t)blockIdx.x * THREADS + t;
    for (; i < n; i += threads) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();
    if (mine[t] > 0) atomicAdd(&counts[t], (count)mine[t]);
}

/* Rung warp-copies: 256 counters per warp
 *
 * The eight warps of a block have separate counters, 8 KiB in all, so only
 * lanes of one warp meet. At the end, thread t adds the eight counters of
 * value t and needs one atomic on global memory. The more copies there are,
 * the less often threads meet. But the copies take shared memory, and fewer
 * blocks fit on a multiprocessor.
 */
static __device__ void clear(unsigned copies[WARPS][BINS]) {
    for (unsigned w = 0; w < WARPS; w++) copies[w][threadIdx.x] = 0;
    __syncthreads();
}

/* Adds the counters of the block to those of the grid. */
static __device__ void merge(unsigned copies[WARPS][BINS], count *counts) {
    __syncthreads();
    const unsigned t = threadIdx.x;
    unsigned sum = 0;
    for (unsigned w = 0; w < WARPS; w++) sum += copies[w][t];
    if (sum > 0) atomicAdd(&counts[t], (count)sum);
}

static __global__ void count_in_copies(size_t n, const byte *x,
                                       count *counts) {
    __shared__ unsigned copies[WARPS][BINS];
    clear(copies);
    unsigned *const mine = copies[threadIdx.x / WARP];
    const size_t threads = (size_t)gridDim.x * THREADS;
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < n; i += threads) atomicAdd(&mine[x[i]], 1u);
    merge(copies, counts);
}

/* Rung sixteen-bytes: copies per warp, and 16 bytes per load
 *
 * A load of one byte per thread moves 32 bytes per warp, a quarter of what
 * a request can move. Here a thread loads 16 bytes at once and increments
 * 16 counters. The last bytes may not fill 16. The thread that would load
 * the next 16 bytes counts them one by one.
 */
static __device__ void count_word(unsigned *mine, unsigned word) {
    for (unsigned k = 0; k < 4; k++)
        atomicAdd(&mine[word >> 8 * k & 255], 1u);
}

static __global__ void count_sixteen(size_t n, const byte *x,
                                     count *counts) {
    __shared__ unsigned copies[WARPS][BINS];
    clear(copies);
    unsigned *const mine = copies[threadIdx.x / WARP];
    const size_t threads = (size_t)gridDim.x * THREADS, whole = n / 16;
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < whole; i += threads) {
        const uint4 v = ((const uint4 *)x)[i];
        count_word(mine, v.x);
        count_word(mine, v.y);
        count_word(mine, v.z);
        count_word(mine, v.w);
    }
    if (i == whole)
        for (size_t k = whole * 16; k < n; k++) atomicAdd(&mine[x[k]], 1u);
    merge(copies, counts);
}

/* Rung sixteen-equal: the same kernel, and all bytes are equal
 *
 * The 32 lanes of a warp increment one counter in each step, and the
 * increments run one after another. Copies per warp do not help here,
 * because the lanes of one warp meet.
 */

/* Rung matched: the lanes with equal bytes elect one that adds for all
 *
 * `__match_any_sync` returns the lanes whose value equals that of the
 * caller. The lowest of them adds their number by one atomic. If all bytes
 * are equal, a warp needs one atomic and not 32. If all bytes are
 * different, the match is additional work. So this kernel is fast for the
 * data of this rung and slow for random bytes.
 *
 * All lanes in the mask must call the function. Lanes after the end of the
 * array take part with the value 256, which no byte has.
 */
static __global__ void count_matched(size_t n, const byte *x,
                                     count *counts) {
    __shared__ unsigned copies[WARPS][BINS];
    clear(copies);
    unsigned *const mine = copies[threadIdx.x / WARP];
    const unsigned lane = threadIdx.x % WARP;
    const size_t threads = (size_t)gridDim.x * THREADS;
    /* first element of the warp */
    size_t first = (size_t)blockIdx.x * THREADS + threadIdx.x - lane;
    for (; first < n; first += threads) {
        const unsigned v = first + lane < n ? x[first + lane] : BINS;
        const unsigned equal = __match_any_sync(WHOLE_WARP, v);
        const unsigned lowest = (unsigned)__ffs((int)equal) - 1;
        if (v < BINS && lane == lowest)
            atomicAdd(&mine[v], (unsigned)__popc(equal));
    }
    merge(copies, counts);
}

/* Rung weft: weft_histogram_even, an operation of this library
 *
 * It counts elements of any type in bins of equal width; 256 bins from 0 to
 * 255 give each byte its own bin. Each thread or block counts in private
 * counters (ORDER.md 11).
 */
static weft_status weft_counts(weft_context *ctx, size_t n, const byte *x,
                               uint64_t *counts) {
    const byte lower = 0, upper = BINS - 1;
    return weft_histogram_even(ctx, WEFT_U8, n, x, BINS, &lower, &upper,
                               counts);
}

/* Rung cub: cub::DeviceHistogram::HistogramEven, from NVIDIA's library CUB
 *
 * The counters have 32 bits here.
 */
#ifdef HAVE_CUB
static void cub_counts(size_t n, const byte *x, unsigned *counts) {
    const int levels = BINS + 1, lower = 0, upper = BINS;
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(workspace, bytes, x,
                                                   counts, levels, lower,
                                                   upper, (long long)n);
    });
}
#else
static void cub_counts(size_t, const byte *, unsigned *) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. How many atomics on global memory do `global-atomics` and
 *    `shared-atomics` execute for 2^28 bytes? Check the column `atomics` of
 *    the executor for a small n, and explain why it counts more.
 * 2. Count the bytes of a text instead of random bytes. Which rungs become
 *    faster, and which become slower?
 * 3. Write a rung for 2 values only, by `__ballot_sync` and `__popc`,
 *    without atomics on shared memory.
 * 4. How many copies of 65536 counters fit in the shared memory of a block,
 *    227 KiB? How would you count values of 16 bits?
 * 5. Each thread could have its own 256 counters of 8 bits in shared
 *    memory, without atomics. How many bytes does a block need, and when
 *    must a thread empty its counters?
 */

/* Climbing the rungs. */

/* Returns bytes of which half are below 32. */
static std::vector<byte> uneven_bytes(size_t n) {
    const std::vector<unsigned> bits = ladder_values<unsigned>(n, 1);
    std::vector<byte> x(n);
    for (size_t i = 0; i < n; i++) {
        const unsigned mixed = (bits[i] + 1000u) * 2654435761u;
        x[i] = (byte)(mixed >> 31 ? mixed >> 8 & 31 : mixed >> 8 & 255);
    }
    return x;
}

} // namespace

void climb_histogram(climb &c) {
    const size_t n = c.n;
    const std::vector<byte> values = uneven_bytes(n), same(n, (byte)7);
    const std::vector<count> expected = counted(values);
    const std::vector<count> all_equal = counted(same);
    const byte *const x = c.input(values), *const e = c.input(same);
    count *const counts = c.output<count>(BINS);
    c.work((double)n, 0);

    const ladder_claim right = [&] { return c.holds(counts, expected); };
    const ladder_claim one_bin = [&] { return c.holds(counts, all_equal); };
    c.rung("one-thread", right,
           [=] { count_by_one_thread<<<1, 1>>>(n, x, counts); },
           {.most = (size_t)1 << 20});
    c.faulty("lost-updates", right,
             [=] { by_elements(count_losing_updates, n, x, counts); },
             {.least = 100});
    c.rung("global-atomics", right,
           [=] { by_elements(count_by_atomics, n, x, counts); });
    c.rung("one-value", one_bin,
           [=] { by_elements(count_by_atomics, n, e, counts); });
    c.rung("shared-atomics", right,
           [=] { by_blocks(count_in_shared, n, x, counts); });
    c.faulty("no-barrier", right,
             [=] { by_blocks(count_without_barrier, n, x, counts); },
             {.least = 100, .executor_only = true});
    c.faulty("not-merged", right,
             [=] { by_blocks(count_without_merge, n, x, counts); },
             {.least = THREADS * EACH + 1});
    c.faulty("not-cleared", right,
             [=] { by_blocks(count_without_clearing, n, x, counts); },
             {.least = THREADS * EACH + 1});
    c.rung("warp-copies", right,
           [=] { by_blocks(count_in_copies, n, x, counts); });
    c.rung("sixteen-bytes", right,
           [=] { by_blocks(count_sixteen, n, x, counts); });
    c.rung("sixteen-equal", one_bin,
           [=] { by_blocks(count_sixteen, n, e, counts); });
    c.rung("matched", one_bin,
           [=] { by_blocks(count_matched, n, e, counts); });

    uint64_t *const total = c.output<uint64_t>(BINS);
    const ladder_claim as_specified = [&] {
        std::vector<uint64_t> specified(BINS);
        c.specified(
            weft_counts(c.ref(), n, values.data(), specified.data()));
        return c.holds(total, specified);
    };
    c.weft("weft", as_specified, [=](weft_context *ctx) {
        return weft_counts(ctx, n, x, total);
    });
    unsigned *const few = c.output<unsigned>(BINS);
    const ladder_claim right_in_32_bits = [&] {
        return c.holds(
            few, std::vector<unsigned>(expected.begin(), expected.end()));
    };
    c.rung("cub", right_in_32_bits, [=] { cub_counts(n, x, few); },
           {.most = UINT32_MAX, .gpu_only = true});
}
