/* Topic one-pass-scan: a scan that reads and writes each element once
 *
 * Topic scan ends with three kernels that access each element three or four
 * times. But a scan must only read n elements and write n. A kernel that
 * does no more keeps its tile in registers or in shared memory until it has
 * the sum of all tiles before it. It gets this sum from other blocks of the
 * same launch.
 *
 * The difficulty is to wait. Blocks run in an order that is not guaranteed,
 * and a block that waits occupies a multiprocessor. So a block may wait
 * only for blocks that have started. And a block that waits for its
 * predecessor, which waits for its own, makes a chain of one step per tile.
 *
 * `chain` is right, but its steps run one after another. In `look-back`
 * each tile looks at 32 earlier tiles at once, and the traffic is the limit
 * again. `groups` does this in a fixed order of additions, so that its bits
 * do not depend on timing. weft does the same.
 *
 * On the executor, blocks run one after another, in an order that the
 * option --schedule sets. So a block that takes tickets never waits there,
 * and all totals before it are complete. Only a GPU tests the waiting.
 */
#include "climb.h"

#include <algorithm>
#if !defined WEFT_EXECUTOR && __has_include(<cub/device/device_scan.cuh>)
#include <cub/device/device_scan.cuh>
#define HAVE_CUB
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
#define WHOLE_WARP 0xffffffffu

/* Rung chain: one kernel, in which each tile waits for the previous one
 *
 * Each block scans its tile, by the rule of `levels` in topic scan, and
 * waits for the running total of all tiles before it. It adds its own total
 * and publishes the sum. Elements are read once and written once.
 *
 * A block may wait for another block only if that block is certain to run.
 * The order in which blocks start is not guaranteed, and waiting blocks
 * occupy their multiprocessors. If the block of the first tile has not
 * started, all others may wait forever. So a block takes its tile number
 * from a counter when it starts. The blocks with smaller numbers are then
 * already running.
 *
 * The total must be visible before the counter that announces it.
 * `__threadfence` separates the two writes, and also the two reads.
 * `volatile` makes each read access memory. The program resets the counter
 * and the total before each launch (see `not-reset`).
 *
 * The cost is a chain with one step per tile. Each step moves a total from
 * one multiprocessor to another through memory. It took 1.5 microseconds on
 * an H200. The tiles of 2^26 elements take 0.4 seconds, which is more than
 * 700 times as long as `levels` of topic scan, although `levels` has twice
 * the traffic. There are two remedies. Larger tiles need fewer steps (rung
 * `runs` of topic recurrence). With look-back, a tile waits less (see
 * `look-back`).
 *
 * Order: a tile is scanned by the rule of `levels` in topic scan. The
 * totals of the tiles are added in turn, from tile 0. Then each y[i]
 * becomes the total before + y[i].
 */
template <class T> __device__ T scan_of_warp(T v) {
    const unsigned lane = threadIdx.x % WARP;
    for (unsigned d = 1; d < WARP; d *= 2) {
        const T before = __shfl_up_sync(WHOLE_WARP, v, d);
        if (lane >= d) v = before + v;
    }
    return v;
}

/* Returns the sum of v over all threads up to this one. All threads of the
 * block must call it, only once in a kernel. */
template <class T> __device__ T scan_of_block(T v) {
    __shared__ T of_warps[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = blockDim.x / WARP;
    v = scan_of_warp(v);
    if (lane == WARP - 1) of_warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        const T running =
            scan_of_warp(lane < warps ? of_warps[lane] : (T)0);
        if (lane < warps) of_warps[lane] = running;
    }
    __syncthreads();
    return warp > 0 ? of_warps[warp - 1] + v : v;
}

template <class T> static void tile_by_distances(T *v, size_t m) {
    for (size_t d = 1; d < m; d *= 2)
        for (size_t i = m; i-- > d;) v[i] = v[i - d] + v[i];
}

template <class T> static void tile_by_warps(T *v, size_t m) {
    std::vector<T> of_warps(m / WARP);
    for (size_t w = 0; w < of_warps.size(); w++) {
        tile_by_distances(v + w * WARP, WARP);
        of_warps[w] = v[w * WARP + WARP - 1];
    }
    tile_by_distances(of_warps.data(), of_warps.size());
    for (size_t i = WARP; i < m; i++) v[i] = of_warps[i / WARP - 1] + v[i];
}

template <class T> struct chain_state {
    unsigned started, published;
    T total;
};

template <class T, bool TICKETS>
__global__ void scan_by_chain(size_t n, const T *x, T *y,
                              chain_state<T> *state) {
    __shared__ unsigned ticket;
    __shared__ T before;
    if (threadIdx.x == 0)
        ticket = TICKETS ? atomicAdd(&state->started, 1u) : blockIdx.x;
    __syncthreads();
    const unsigned tile = ticket;
    const size_t i = (size_t)tile * THREADS + threadIdx.x;
    const T v = scan_of_block(i < n ? x[i] : (T)0);
    if (threadIdx.x == THREADS - 1) {
        volatile chain_state<T> *const all = state;
        while (all->published != tile) {
        }
        __threadfence();
        const T total = all->total;
        before = total;
        all->total = total + v;
        __threadfence();
        all->published = tile + 1;
    }
    __syncthreads();
    if (i < n) y[i] = before + v;
}

template <class T>
static void chain(size_t n, const T *x, T *y, chain_state<T> *state) {
    CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    scan_by_chain<T, true><<<blocks, THREADS>>>(n, x, y, state);
}

template <class T> static std::vector<T> order_of_chain(std::vector<T> v) {
    const size_t n = v.size();
    v.resize(blocks_for<size_t>(n, THREADS) * THREADS);
    T total = 0;
    for (size_t first = 0; first < v.size(); first += THREADS) {
        tile_by_warps(&v[first], THREADS);
        const T of_tile = v[first + THREADS - 1];
        for (size_t i = first; i < first + THREADS; i++)
            v[i] = total + v[i];
        total = total + of_tile;
    }
    v.resize(n);
    return v;
}

/* Faulty rung chain-by-index: the chain in the order of blockIdx
 *
 * The classic text has `while (current_block != blockIdx.x)`. This loop
 * ends only if the blocks start in the order of their numbers. That is
 * usual but not guaranteed. The executor can start blocks backward or at
 * random, and then the first block waits forever. A GPU would hang, so this
 * rung runs only on the executor.
 */
template <class T>
static void chain_by_index(size_t n, const T *x, T *y,
                           chain_state<T> *state) {
    CUDA_CHECK(cudaMemsetAsync(state, 0, sizeof *state));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    scan_by_chain<T, false><<<blocks, THREADS>>>(n, x, y, state);
}

/* Faulty rung not-reset: a second launch that starts where the first ended
 *
 * The classic text stores the counter and the total in device variables.
 * They are 0 when the program starts, and nothing resets them. The program
 * launched the kernel once, and the result was right. In a second launch,
 * the counter is already larger than the number of the last tile. Every
 * block takes the number of a tile that does not exist, and the kernel
 * computes nothing. A check of one launch does not find this. So each rung
 * runs twice before its claim counts as fulfilled.
 */
template <class T> static void not_reset(size_t n, const T *x, T *y) {
    /* Like a device variable, it is allocated and cleared once */
    static chain_state<T> *state;
    if (!state) {
        CUDA_CHECK(cudaMalloc(&state, sizeof *state));
        CUDA_CHECK(cudaMemset(state, 0, sizeof *state));
    }
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    scan_by_chain<T, true><<<blocks, THREADS>>>(n, x, y, state);
}

/* Rung look-back: a tile adds the totals of several earlier tiles
 *
 * In `chain` a tile can only wait for the running total of the tile before
 * it. Here each tile publishes its own total at once, and later the running
 * total. One warp looks at the 32 tiles before its own. It adds their own
 * totals back to the nearest tile whose running total is known, and that
 * running total. If there is none, it continues with the 32 tiles before
 * these. This is decoupled look-back (D. Merrill, M. Garland, NVIDIA report
 * NVR-2016-002, 2016).
 *
 * The tile is also larger. A thread reads four rows of 16 bytes. In a row,
 * the 32 lanes of a warp read 512 adjacent bytes. The tile stays in
 * registers until it is written, and only totals go through shared memory.
 *
 * Each total has a flag. The writer stores the total, then executes a
 * fence, then sets the flag. The reader waits for the flag, executes a
 * fence, and reads the total.
 *
 * Order: which totals are added depends on which tiles are ready. So the
 * bits of a float sum change from run to run. Here the elements are whole
 * numbers.
 */
constexpr unsigned ROWS = 4;
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };
template <class T> constexpr unsigned PARTS = 16 / sizeof(T);
template <class T> constexpr unsigned WIDE_TILE = THREADS *ROWS *PARTS<T>;

enum { NOTHING, OWN, RUNNING }; /* kinds of published totals */

/* The tickets, and a flag and two totals for each tile. The program clears
 * `started` and the flags. */
template <class T> struct published {
    unsigned *started, *flags;
    T *own, *running;
};

template <class T>
__device__ sixteen<T> load_sixteen(size_t n, const T *x, size_t i) {
    if (i + PARTS<T> <= n) return *(const sixteen<T> *)(x + i);
    sixteen<T> v = {};
    for (unsigned k = 0; k < PARTS<T> && i + k < n; k++)
        v.part[k] = x[i + k];
    return v;
}

template <class T>
__device__ void store_sixteen(size_t n, T *y, size_t i, sixteen<T> v) {
    if (i + PARTS<T> <= n)
        *(sixteen<T> *)(y + i) = v;
    else
        for (unsigned k = 0; k < PARTS<T> && i + k < n; k++)
            y[i + k] = v.part[k];
}

template <class T> __device__ T of_lane_before(T v) {
    const T before = __shfl_up_sync(WHOLE_WARP, v, 1);
    return threadIdx.x % WARP > 0 ? before : (T)0;
}

/* Scans the rows of a warp. Returns their total. */
template <class T> __device__ T scan_rows(sixteen<T> *row) {
    T before = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned k = 1; k < PARTS<T>; k++)
            row[r].part[k] = row[r].part[k - 1] + row[r].part[k];
        const T up_to = scan_of_warp(row[r].part[PARTS<T> - 1]);
        const T offset = before + of_lane_before(up_to);
        for (unsigned k = 0; k < PARTS<T>; k++)
            row[r].part[k] = offset + row[r].part[k];
        before = before + __shfl_sync(WHOLE_WARP, up_to, WARP - 1);
    }
    return before;
}

template <class T>
__device__ void publish(T *at, T total, unsigned *flag, unsigned kind) {
    *(volatile T *)at = total;
    __threadfence();
    atomicExch(flag, kind);
}

/* Waits until something is published. Returns what. */
__device__ inline unsigned await(const unsigned *flag) {
    unsigned kind;
    while ((kind = *(const volatile unsigned *)flag) == NOTHING) {
    }
    __threadfence();
    return kind;
}

/* Returns in all lanes the sum of v over the lanes. */
template <class T> __device__ T sum_of_warp(T v) {
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        v = v + __shfl_xor_sync(WHOLE_WARP, v, d);
    return v;
}

/* Returns the total of all tiles before tile k, whose own total is `own`. A
 * warp calls it. */
struct looking_back {
    template <class T>
    static __device__ T total_before(size_t k, size_t, T own,
                                     published<T> all) {
        const unsigned lane = threadIdx.x % WARP;
        T before = 0;
        if (lane == 0 && k > 0)
            publish(&all.own[k], own, &all.flags[k], OWN);
        for (size_t end = k; end > 0; end -= min(end, (size_t)WARP)) {
            const size_t i = end - 1 - lane; /* the nearest tile first */
            const unsigned kind =
                lane < end ? await(&all.flags[i]) : NOTHING;
            const unsigned complete =
                __ballot_sync(WHOLE_WARP, kind == RUNNING);
            const unsigned last =
                complete ? __ffs((int)complete) - 1 : WARP - 1;
            T v = 0;
            if (lane < end && lane <= last)
                v = *(volatile T *)(kind == RUNNING ? &all.running[i]
                                                    : &all.own[i]);
            before = before + sum_of_warp(v);
            if (complete) break;
        }
        if (lane == 0)
            publish(&all.running[k], before + own, &all.flags[k], RUNNING);
        return before;
    }
};

template <class T, class LOOK>
__global__ void scan_wide_tiles(size_t n, const T *x, T *y,
                                published<T> all) {
    __shared__ unsigned ticket;
    __shared__ T before_warp[WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    if (threadIdx.x == 0) ticket = atomicAdd(all.started, 1u);
    __syncthreads();
    const size_t k = ticket;
    const size_t first =
        k * WIDE_TILE<T> + (warp * ROWS * WARP + lane) * PARTS<T>;
    sixteen<T> row[ROWS];
    for (unsigned r = 0; r < ROWS; r++)
        row[r] = load_sixteen(n, x, first + r * WARP * PARTS<T>);
    const T total = scan_rows(row);
    if (lane == 0) before_warp[warp] = total;
    __syncthreads();
    if (warp == 0) {
        const T up_to =
            scan_of_warp(lane < WARPS ? before_warp[lane] : (T)0);
        const T before = LOOK::total_before(
            k, gridDim.x, __shfl_sync(WHOLE_WARP, up_to, WARP - 1), all);
        const T offset = before + of_lane_before(up_to);
        if (lane < WARPS) before_warp[lane] = offset;
    }
    __syncthreads();
    const T before = before_warp[warp];
    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned i = 0; i < PARTS<T>; i++)
            row[r].part[i] = before + row[r].part[i];
        store_sixteen(n, y, first + r * WARP * PARTS<T>, row[r]);
    }
}

/* Returns the number of flags for n elements, and as
 * many totals of each kind. */
template <class T> static size_t flags_for(size_t n) {
    size_t flags = 0;
    for (size_t tiles = blocks_for<size_t>(n, WIDE_TILE<T>); tiles > 0;
         tiles /= WARP)
        flags += tiles;
    return flags;
}

template <class LOOK, class T>
static void scan_in_one_pass(size_t n, const T *x, T *y, published<T> all) {
    CUDA_CHECK(cudaMemsetAsync(all.started, 0, sizeof *all.started));
    CUDA_CHECK(
        cudaMemsetAsync(all.flags, 0, flags_for<T>(n) * sizeof *all.flags));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, WIDE_TILE<T>);
    scan_wide_tiles<T, LOOK><<<blocks, THREADS>>>(n, x, y, all);
}

/* Rung groups: look-back in a fixed order
 *
 * The result of `look-back` depends on timing, because a running total may
 * contain any number of earlier totals. Here tiles form groups of 32,
 * groups form groups of 32, and so on. The last tile of a group also
 * publishes the total of the group. A tile adds the totals of the earlier
 * tiles of its group, then of the earlier groups of the group above, and so
 * on. A warp reads all of them at once. For 2^26 elements there are three
 * such steps, and no chain of tiles. So the order of the additions is
 * fixed. weft does this with groups of 16, whose elements are added by the
 * rule of `hillis-steele`.
 *
 * Order: adjacent elements of 16 bytes are added in turn. The 32 sums of a
 * row, and the 8 sums of the warps of a tile, are scanned by the rule of
 * `hillis-steele`. Four rows are added in turn. The totals of up to 31
 * tiles or groups before are added 16, 8, 4, 2 and 1 away. The sum of a
 * higher group is put before the sum of a lower one.
 */
struct looking_at_groups {
    template <class T>
    static __device__ T total_before(size_t k, size_t tiles, T own,
                                     published<T> all) {
        const unsigned lane = threadIdx.x % WARP;
        T before = 0;
        /* true if it is the last of its group, and its group the last of
         * the group above, and so on */
        bool last = true;
        if (lane == 0) publish(&all.own[k], own, &all.flags[k], OWN);
        for (; k > 0; k /= WARP) {
            const unsigned digit = k % WARP;
            T v = 0;
            if (lane < digit && await(&all.flags[k - digit + lane]))
                v = *(volatile T *)&all.own[k - digit + lane];
            const T sum = sum_of_warp(v);
            before = sum + before;
            own = sum + own;
            all.flags += tiles, all.own += tiles;
            tiles /= WARP;
            last = last && digit == WARP - 1;
            if (lane == 0 && last)
                publish(&all.own[k / WARP], own, &all.flags[k / WARP], OWN);
        }
        return before;
    }
};

/* Returns the sum of m <= 32 values in the order of sum_of_warp. */
template <class T> static T order_of_warp(const T *v, size_t m) {
    T lane[WARP] = {};
    std::copy(v, v + m, lane);
    for (size_t d = WARP / 2; d > 0; d /= 2)
        for (size_t i = 0; i < d; i++) lane[i] = lane[i] + lane[i + d];
    return lane[0];
}

/* Scans m values in place by the rule of a warp. Then each value becomes
 * that of the one before it, and the first 0. Returns the total. */
template <class T> static T before_each(T *v, size_t m) {
    tile_by_distances(v, m);
    const T total = v[m - 1];
    std::copy_backward(v, v + m - 1, v + m);
    v[0] = 0;
    return total;
}

/* Scans a tile in place, without what is before it. Returns its total.
 * offset[w] becomes the sum before warp w. */
template <class T> static T wide_tile(T *v, T *offset) {
    for (size_t w = 0; w < WARPS; w++) {
        T before = 0;
        for (size_t r = 0; r < ROWS; r++) {
            T *const row = v + (w * ROWS + r) * WARP * PARTS<T>;
            T of_lane[WARP];
            for (size_t i = 0; i < WARP * PARTS<T>; i++)
                row[i] = i % PARTS<T> ? row[i - 1] + row[i] : row[i];
            for (size_t lane = 0; lane < WARP; lane++)
                of_lane[lane] = row[(lane + 1) * PARTS<T> - 1];
            const T total = before_each(of_lane, WARP);
            for (size_t i = 0; i < WARP * PARTS<T>; i++)
                row[i] = (before + of_lane[i / PARTS<T>]) + row[i];
            before = before + total;
        }
        offset[w] = before;
    }
    return before_each(offset, WARPS);
}

template <class T> static std::vector<T> order_of_groups(std::vector<T> v) {
    const size_t n = v.size(), tile = WIDE_TILE<T>;
    const size_t tiles = blocks_for(n, tile);
    std::vector<T> offsets(tiles * WARPS), before(tiles);
    /* Totals of tiles, of groups, of groups of groups */
    std::vector<std::vector<T>> totals(1, std::vector<T>(tiles));
    v.resize(tiles * tile);
    ladder_in_parts(tiles, [&](size_t k, size_t end) {
        for (; k < end; k++)
            totals[0][k] = wide_tile(&v[k * tile], &offsets[k * WARPS]);
    });
    while (totals.back().size() >= WARP) {
        const std::vector<T> &parts = totals.back();
        std::vector<T> groups(parts.size() / WARP);
        for (size_t g = 0; g < groups.size(); g++)
            groups[g] = order_of_warp(&parts[g * WARP], WARP - 1) +
                        parts[(g + 1) * WARP - 1];
        totals.push_back(groups);
    }
    ladder_in_parts(tiles, [&](size_t k, size_t end) {
        for (; k < end; k++) {
            T sum = 0;
            size_t level = 0;
            for (size_t g = k; g > 0; g /= WARP, level++) {
                const T *const group = &totals[level][g / WARP * WARP];
                sum = order_of_warp(group, g % WARP) + sum;
            }
            for (size_t i = 0; i < tile; i++)
                v[k * tile + i] =
                    (sum + offsets[k * WARPS + i / (tile / WARPS)]) +
                    v[k * tile + i];
        }
    });
    v.resize(n);
    return v;
}

/* Rung weft: weft_scan, an operation of this library
 *
 * Tiles have 16^3 elements, groups are scanned by the rule of
 * `hillis-steele`, and 16 of them form the next group (ORDER.md). The order
 * does not depend on the size of a tile, so every GPU and every CPU can
 * compute in this order.
 */
static weft_status weft_running_sums(weft_context *ctx, weft_dtype dtype,
                                     size_t n, const void *x, void *y) {
    return weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n,
                     x, NULL, y);
}

/* Rung cub: cub::DeviceScan::InclusiveSum, from NVIDIA's library CUB
 *
 * Float results differ from run to run. So the elements are whole numbers,
 * and the check is exact.
 */
#ifdef HAVE_CUB
template <class T> static void cub_scan(size_t n, const T *x, T *y) {
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(workspace, bytes, x, y, n);
    });
}
#else
template <class T> static void cub_scan(size_t, const T *, T *) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. Remove a `__threadfence` from `chain`. Which two lines does the
 *    executor name, and what could a GPU do between them?
 * 2. Tile 1000 of `look-back` starts when the running total of tile 900 is
 *    known, and no later one. How many totals does its warp read? How many
 *    does it read in `groups`?
 * 3. Pack a flag of 32 bits and a total of f32 into one word of 64 bits.
 *    Which fences become unnecessary, and why?
 * 4. In `look-back`, let a block take the tile of its number instead of a
 *    ticket. In which schedules of the executor does it end?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n, two_tiles = 2 * THREADS + 1;
    const std::vector<T> values = ladder_values<T>(n, 1);
    const std::vector<T> whole = ladder_whole_values<T>(n, 2);
    const T *const x = c.input(values), *const w = c.input(whole);
    T *const y = c.output<T>(n);
    chain_state<T> *const state = c.output<chain_state<T>>(1);
    unsigned *const flags = c.output<unsigned>(flags_for<T>(n) + 1);
    const published<T> all = {flags, flags + 1,
                              c.output<T>(flags_for<T>(n)),
                              c.output<T>(flags_for<T>(n))};
    c.work(2.0 * (double)(n * sizeof(T)), (double)n);

    const ladder_claim chained = [&] {
        return c.holds(y, order_of_chain(values));
    };
    const ladder_claim grouped = [&] {
        return c.holds(y, order_of_groups(values));
    };
    const ladder_claim whole_sums = [&] {
        std::vector<T> sums = whole;
        for (size_t i = 1; i < n; i++) sums[i] = sums[i - 1] + sums[i];
        return c.holds(y, sums);
    };
    c.rung("chain", chained, [=] { chain(n, x, y, state); });
    c.faulty("chain-by-index", chained,
             [=] { chain_by_index(n, x, y, state); },
             {.least = two_tiles, .executor_only = true});
    c.faulty("not-reset", chained, [=] { not_reset(n, x, y); });
    c.rung("look-back", whole_sums,
           [=] { scan_in_one_pass<looking_back>(n, w, y, all); });
    c.rung("groups", grouped,
           [=] { scan_in_one_pass<looking_at_groups>(n, x, y, all); });
    const ladder_claim as_specified = [&] {
        std::vector<T> expected(n);
        c.specified(weft_running_sums(c.ref(), c.dtype, n, values.data(),
                                      expected.data()));
        return c.holds(y, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_running_sums(ctx, c.dtype, n, x, y);
    });
    c.rung("cub", whole_sums, [=] { cub_scan(n, w, y); },
           {.gpu_only = true});
}

} // namespace

void climb_one_pass_scan(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<float>(c);
}
