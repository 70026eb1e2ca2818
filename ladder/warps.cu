/* Topic warps: what the 32 lanes of a warp can do together
 *
 * The 32 threads of a warp can exchange registers without shared memory and
 * without a barrier of the block. A vote combines one bit of each lane, a
 * match finds lanes with equal values, and a shuffle reads the register of
 * another lane. Each of these functions takes a mask of the lanes that take
 * part. All of them must call it, and it waits until they do.
 *
 * The rungs begin with one function each. `aggregated` and `compaction`
 * combine them to a program: it keeps the positive elements of an array.
 * Reading n elements and writing those that are kept is the minimum
 * traffic. The lesson is how a thread finds the position of its element.
 *
 * A warp once executed its 32 lanes in step, and old programs exchange data
 * through shared memory without a barrier. Since Volta, each thread has its
 * own program counter, so this is wrong (see `no-syncwarp`).
 *
 * The elements are whole numbers, so sums do not depend on an order.
 */
#include "climb.h"

#include <algorithm>
#if !defined WEFT_EXECUTOR && __has_include(<cub/device/device_select.cuh>)
#include <cub/device/device_select.cuh>
#define HAVE_CUB
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
#define WHOLE_WARP 0xffffffffu

typedef unsigned long long position;

/* Launches a kernel with one thread per element. */
template <class KERNEL, class Y>
static void by_elements(KERNEL kernel, size_t n, const int *x, Y *y) {
    kernel<<<(unsigned)blocks_for<size_t>(n, THREADS), THREADS>>>(n, x, y);
}

/* Rung votes: is any element of the warp positive, and are all?
 *
 * `__any_sync` and `__all_sync` return the same answer to all lanes. They
 * take one instruction each. Lanes after the end of the array must take
 * part, with an answer that changes nothing: false for any, true for all.
 */
static __global__ void vote(size_t n, const int *x, unsigned *votes) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int any = __any_sync(WHOLE_WARP, i < n && x[i] > 0);
    const int all = __all_sync(WHOLE_WARP, i >= n || x[i] > 0);
    if (i % WARP == 0 && i < n)
        votes[i / WARP] = (any ? 1u : 0u) | (all ? 2u : 0u);
}

/* Rung ballot-rank: the number of positive elements in the lanes below
 *
 * `__ballot_sync` returns a word with one bit per lane. `__popc` counts the
 * bits of a word. The bits below that of lane l are those of the mask
 * 2^l - 1, so a lane finds its rank by one vote, one `and` and one count.
 * This is a scan of 32 bits, without five steps of shuffles.
 *
 *     lane          0   1   2   3   4   5
 *     positive      0   1   1   0   1   0     ballot = 010110
 *     rank          0   0   1   2   2   3
 *
 * The digits of the ballot begin with the highest lane.
 */
__device__ unsigned lanes_below() { return (1u << threadIdx.x % WARP) - 1; }

static __global__ void rank_by_ballot(size_t n, const int *x,
                                      unsigned *ranks) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned positive = __ballot_sync(WHOLE_WARP, i < n && x[i] > 0);
    if (i < n) ranks[i] = (unsigned)__popc(positive & lanes_below());
}

/* Faulty rung missing-lanes: a vote inside of `if (i < n)`
 *
 * In the last warp, the lanes after the end of the array do not reach the
 * vote, but the mask names them. The result is undefined, and the warp may
 * wait forever. So this rung runs only on the executor. A correct program
 * evaluates the condition in the argument of the vote, as `ballot-rank`
 * does.
 */
static __global__ void rank_with_missing_lanes(size_t n, const int *x,
                                               unsigned *ranks) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        const unsigned positive = __ballot_sync(WHOLE_WARP, x[i] > 0);
        ranks[i] = (unsigned)__popc(positive & lanes_below());
    }
}

/* Rung match: how many lanes of the warp have the same last digit
 *
 * `__match_any_sync` returns the lanes whose argument equals that of the
 * caller. The lanes of a group can then elect one of them, the lowest bit
 * of the word, that acts for all (topic histogram). It takes longer than a
 * vote, because the hardware compares one value after another.
 */
__host__ __device__ int last_digit(int v) { return (v + 1000) % 10; }

static __global__ void match_digits(size_t n, const int *x,
                                    unsigned *equal) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int none = -1; /* for lanes after the end of the array */
    const unsigned lanes =
        __match_any_sync(WHOLE_WARP, i < n ? last_digit(x[i]) : none);
    if (i < n) equal[i] = (unsigned)__popc(lanes);
}

/* Rung shuffle-sum: the sum of each warp
 *
 * In each step a lane adds the register of the lane d above, for d = 16, 8,
 * 4, 2, 1. Lane 0 has the sum. Lanes 16 to 31 add values that are not used.
 * `__shfl_xor_sync` takes the same time and gives the sum to all lanes.
 */
static __global__ void sum_by_shuffles(size_t n, const int *x, int *sums) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        v += __shfl_down_sync(WHOLE_WARP, v, d);
    if (i % WARP == 0 && i < n) sums[i / WARP] = v;
}

/* Faulty rung no-syncwarp: the same sum through shared memory, without a
 * barrier of the warp
 *
 * Old programs add like this, and declare the array `volatile`. That makes
 * each thread access memory, but it does not make lanes wait for each
 * other. Each step needs a `__syncwarp()` after the reads and one after the
 * writes. The executor runs a lane until it waits, and reports the race.
 */
static __global__ void sum_without_syncwarp(size_t n, const int *x,
                                            int *sums) {
    __shared__ volatile int words[2 * THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const unsigned t = threadIdx.x / WARP * 2 * WARP + threadIdx.x % WARP;
    words[t] = i < n ? x[i] : 0;
    words[t + WARP] = 0;
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        words[t] = words[t] + words[t + d];
    if (i % WARP == 0 && i < n) sums[i / WARP] = words[t];
}

/* Rung reduce-add: the sum of each warp by one instruction
 *
 * `__reduce_add_sync` adds whole numbers of 32 bits, since compute
 * capability 8.0. All lanes get the sum. There are such functions for the
 * minimum, the maximum, and, or, xor, but not for floats: a sum of floats
 * depends on its order.
 */
static __global__ void sum_by_instruction(size_t n, const int *x,
                                          int *sums) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int v = i < n ? x[i] : 0;
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    v = __reduce_add_sync(WHOLE_WARP, v);
#else
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        v += __shfl_xor_sync(WHOLE_WARP, v, (int)d);
#endif
    if (i % WARP == 0 && i < n) sums[i / WARP] = v;
}

/* Rung shuffle-scan: the running sums of each warp
 *
 * In each step a lane adds the value of the lane d below, for d = 1, 2, 4,
 * 8, 16. Lanes that have no such lane keep their value. All lanes must call
 * the shuffle, so the condition is after it and not around it.
 */
static __global__ void scan_by_shuffles(size_t n, const int *x,
                                        int *running) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    int v = i < n ? x[i] : 0;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const int below = __shfl_up_sync(WHOLE_WARP, v, d);
        if (threadIdx.x % WARP >= d) v += below;
    }
    if (i < n) running[i] = v;
}

/* Rung one-atomic-each: keep the positive elements, with an atomic for each
 *
 * `atomicAdd` on a counter returns the old value, which is the position of
 * the element. There are as many atomics on one address as elements that
 * are kept. The order of the result is that of the atomics. It is
 * unspecified, so the check sorts it.
 */
struct kept {
    position *count;
    int *value;
};

static __global__ void keep_by_atomics(size_t n, const int *x, kept y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n && x[i] > 0) y.value[atomicAdd(y.count, (position)1)] = x[i];
}

static void with_counter(void (*kernel)(size_t n, const int *x, kept y),
                         size_t n, const int *x, kept y) {
    CUDA_CHECK(cudaMemsetAsync(y.count, 0, sizeof *y.count));
    kernel<<<(unsigned)blocks_for<size_t>(n, THREADS), THREADS>>>(n, x, y);
}

/* Rung aggregated: one atomic per warp
 *
 * A vote gives the number of elements that the warp keeps, and the rank of
 * each. The lowest lane that keeps one, the leader, adds the number to the
 * counter. A shuffle sends the old value from the leader to the other
 * lanes. This is 1/16 of the atomics here, because 16 lanes of a warp keep
 * an element on average. nvcc generates such code itself for some atomics.
 */
template <bool FROM_LEADER>
__global__ void keep_aggregated(size_t n, const int *x, kept y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const bool keep = i < n && x[i] > 0;
    const unsigned keeping = __ballot_sync(WHOLE_WARP, keep);
    if (keeping == 0) return; /* the whole warp */
    const int leader = __ffs((int)keeping) - 1;
    position first = 0;
    const position many = (position)__popc(keeping);
    if ((int)(threadIdx.x % WARP) == leader)
        first = atomicAdd(y.count, many);
    first = __shfl_sync(WHOLE_WARP, first, FROM_LEADER ? leader : 0);
    if (keep)
        y.value[first + (unsigned)__popc(keeping & lanes_below())] = x[i];
}

/* Faulty rung lane-zero: the shuffle reads lane 0,
 * and the leader is another lane
 *
 * Only the leader has the result of the atomic. If lane 0 keeps no element,
 * its register still contains 0. The warp then writes to the beginning of
 * the result.
 */

/* Rung compaction: keep the positive elements, in their order
 *
 * Each warp has a part of 2048 adjacent elements. The first kernel counts
 * the elements that each part keeps. The second, of one warp, replaces the
 * counts by their exclusive scan: the position at which each part begins.
 * The third votes again, and each lane adds its rank to the position of its
 * warp. The array is read twice, and there are no atomics. The result has
 * the order of the input, so it is the same in every run.
 *
 * The second kernel scans one count per 2048 elements, 32 per step. For a
 * faster method see topic scan.
 */
constexpr size_t PART = 2048;

/* Returns the lanes that keep element i of the part
 * that ends before `end`. */
__device__ unsigned keeping_lanes(size_t i, size_t end, const int *x) {
    return __ballot_sync(WHOLE_WARP, i < end && x[i] > 0);
}

/* Index of the running warp among all warps of the grid. */
__device__ size_t warp_of_grid() {
    return (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
}

static __global__ void count_kept(size_t n, const int *x,
                                  position *counts) {
    const size_t first = warp_of_grid() * PART, end = min(first + PART, n);
    if (first >= n) return; /* the whole warp */
    unsigned count = 0;
    for (size_t i = first; i < end; i += WARP)
        count +=
            (unsigned)__popc(keeping_lanes(i + threadIdx.x % WARP, end, x));
    if (threadIdx.x % WARP == 0) counts[first / PART] = count;
}

/* One warp replaces the counts by the positions of the
 * parts and stores the total. */
static __global__ void scan_counts(size_t parts, position *counts,
                                   position *total) {
    const unsigned lane = threadIdx.x;
    position before = 0;
    /* All lanes step equally often */
    for (size_t k = lane; k < parts + lane; k += WARP) {
        const position own = k < parts ? counts[k] : 0;
        position v = own;
        for (unsigned d = 1; d < WARP; d *= 2) {
            const position below = __shfl_up_sync(WHOLE_WARP, v, d);
            if (lane >= d) v += below;
        }
        if (k < parts) counts[k] = before + v - own;
        before += __shfl_sync(WHOLE_WARP, v, WARP - 1);
    }
    if (lane == 0) *total = before;
}

static __global__ void write_kept(size_t n, const int *x,
                                  const position *counts, int *y) {
    const size_t first = warp_of_grid() * PART, end = min(first + PART, n);
    if (first >= n) return; /* the whole warp */
    position to = counts[first / PART];
    for (size_t i = first; i < end; i += WARP) {
        const size_t own = i + threadIdx.x % WARP;
        const unsigned keeping = keeping_lanes(own, end, x);
        const unsigned rank = (unsigned)__popc(keeping & lanes_below());
        if (keeping >> threadIdx.x % WARP & 1) y[to + rank] = x[own];
        to += (unsigned)__popc(keeping);
    }
}

static void compaction(size_t n, const int *x, position *counts, kept y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, PART * WARPS);
    count_kept<<<blocks, THREADS>>>(n, x, counts);
    scan_counts<<<1, WARP>>>(blocks_for<size_t>(n, PART), counts, y.count);
    write_kept<<<blocks, THREADS>>>(n, x, counts, y.value);
}

/* Rung weft: weft_select_if, an operation of this library
 *
 * It keeps the elements for which a comparison is true, in their order, and
 * reads them once (ORDER.md 10).
 */
static weft_status weft_keep(weft_context *ctx, size_t n, const int *x,
                             int *y, uint64_t *count) {
    const int zero = 0;
    return weft_select_if(ctx, WEFT_GT, WEFT_I32, n, x, &zero, y, count);
}

/* Rung cub: cub::DeviceSelect::If, from NVIDIA's library CUB
 *
 * It keeps the order of the elements too.
 */
#ifdef HAVE_CUB
struct is_positive {
    __host__ __device__ bool operator()(int v) const { return v > 0; }
};

static void cub_keep(size_t n, const int *x, kept y) {
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceSelect::If(workspace, bytes, x, y.value, y.count,
                                     (long long)n, is_positive());
    });
}
#else
static void cub_keep(size_t, const int *, kept) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. Compute the ranks of `ballot-rank` by `shuffle-scan` of 0 and 1. How
 *    many instructions does each take?
 * 2. Add the two missing `__syncwarp()` per step to `no-syncwarp`, and run
 *    it with `--schedule random`.
 * 3. In a branch that only some lanes take, which mask is right for a
 *    shuffle among them? How do the lanes find it before the branch?
 * 4. Write `__match_any_sync` for values of 4 bits, by four votes.
 * 5. Sort the 32 elements of a warp by `__shfl_xor_sync`, with a bitonic
 *    network. How many steps are there?
 */

/* Climbing the rungs. */

/* Contains the results of the first rungs for each
 * element or for each warp. */
struct expected_of_warps {
    std::vector<unsigned> votes, ranks, equal;
    std::vector<int> sums, running, kept;

    explicit expected_of_warps(const std::vector<int> &x)
        : ranks(x.size()), equal(x.size()), running(x.size()) {
        for (size_t first = 0; first < x.size(); first += WARP) {
            const size_t end = std::min<size_t>(first + WARP, x.size());
            unsigned positive = 0, with_digit[10] = {};
            int sum = 0;
            for (size_t i = first; i < end; i++) {
                ranks[i] = positive;
                running[i] = sum += x[i];
                positive += x[i] > 0;
                with_digit[last_digit(x[i])]++;
                if (x[i] > 0) kept.push_back(x[i]);
            }
            for (size_t i = first; i < end; i++)
                equal[i] = with_digit[last_digit(x[i])];
            votes.push_back((positive > 0 ? 1u : 0u) |
                            (positive == end - first ? 2u : 0u));
            sums.push_back(sum);
        }
    }
};

/* Checks that y contains the expected elements, in any order. */
static std::string holds_unordered(climb &c, kept y,
                                   std::vector<int> expected) {
    position count;
    c.fetch(&count, y.count, sizeof count);
    if (count != expected.size())
        return std::to_string(count) + " elements were kept and not " +
               std::to_string(expected.size());
    std::vector<int> got(expected.size());
    c.fetch(got.data(), y.value, got.size() * sizeof(int));
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    return got == expected ? ""
                           : "the elements that were kept are not those "
                             "that are positive";
}

} // namespace

void climb_warps(climb &c) {
    const size_t n = c.n, warps = blocks_for<size_t>(n, WARP);
    const std::vector<int> values = ladder_values<int>(n, 1);
    const expected_of_warps right(values);
    const int *const x = c.input(values);
    unsigned *const words = c.output<unsigned>(n);
    int *const numbers = c.output<int>(n);
    position *const counts =
        c.output<position>(blocks_for<size_t>(n, PART));
    position *const total = c.output<position>(1);
    const kept y = {total, numbers};

    c.work(4.0 * (double)(n + warps), 0);
    c.rung(
        "votes", [&] { return c.holds(words, right.votes); },
        [=] { by_elements(vote, n, x, words); });
    c.work(8.0 * (double)n, 0);
    const ladder_claim ranks = [&] { return c.holds(words, right.ranks); };
    c.rung("ballot-rank", ranks,
           [=] { by_elements(rank_by_ballot, n, x, words); });
    c.faulty("missing-lanes", ranks,
             [=] { by_elements(rank_with_missing_lanes, n, x, words); },
             {.executor_only = true});
    c.rung(
        "match", [&] { return c.holds(words, right.equal); },
        [=] { by_elements(match_digits, n, x, words); });
    c.work(4.0 * (double)(n + warps), 0);
    const ladder_claim sums = [&] { return c.holds(numbers, right.sums); };
    c.rung("shuffle-sum", sums,
           [=] { by_elements(sum_by_shuffles, n, x, numbers); });
    c.faulty("no-syncwarp", sums,
             [=] { by_elements(sum_without_syncwarp, n, x, numbers); },
             {.executor_only = true});
    c.rung("reduce-add", sums,
           [=] { by_elements(sum_by_instruction, n, x, numbers); });
    c.work(8.0 * (double)n, 0);
    const ladder_claim running = [&] {
        return c.holds(numbers, right.running);
    };
    c.rung("shuffle-scan", running,
           [=] { by_elements(scan_by_shuffles, n, x, numbers); });

    c.work(4.0 * (double)(n + right.kept.size()), 0);
    const ladder_claim unordered = [&] {
        return holds_unordered(c, y, right.kept);
    };
    const ladder_claim in_order = [&] {
        const std::string said =
            c.holds(total, std::vector<position>{right.kept.size()});
        return said.empty() ? c.holds(numbers, right.kept) : said;
    };
    c.rung("one-atomic-each", unordered,
           [=] { with_counter(keep_by_atomics, n, x, y); });
    c.rung("aggregated", unordered,
           [=] { with_counter(keep_aggregated<true>, n, x, y); });
    c.faulty("lane-zero", unordered,
             [=] { with_counter(keep_aggregated<false>, n, x, y); },
             {.least = 1000});
    c.rung("compaction", in_order, [=] { compaction(n, x, counts, y); });
    uint64_t *const kept_by_weft = c.output<uint64_t>(1);
    const ladder_claim as_specified = [&] {
        std::vector<int> specified(n);
        uint64_t count;
        c.specified(
            weft_keep(c.ref(), n, values.data(), specified.data(), &count));
        specified.resize(count);
        const std::string said =
            c.holds(kept_by_weft, std::vector<uint64_t>{count});
        return said.empty() ? c.holds(numbers, specified) : said;
    };
    c.weft("weft", as_specified, [=](weft_context *ctx) {
        return weft_keep(ctx, n, x, numbers, kept_by_weft);
    });
    c.rung("cub", in_order, [=] { cub_keep(n, x, y); }, {.gpu_only = true});
}
