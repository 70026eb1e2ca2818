/* Topic scan: all running sums of n numbers
 *
 * The inclusive scan is y[i] = x[0] + x[1] + ... + x[i]. The exclusive scan
 * omits x[i] and begins with 0. At first sight the loop cannot run in
 * parallel, because each sum needs the previous one. But a scan can run in
 * parallel, and most parallel algorithms use one. It computes where each of
 * several lists begins, which elements are kept, and the positions of
 * sorted digits.
 *
 * A loop takes n - 1 additions. A parallel scan takes between 2 n and n
 * log2(n) additions, in log2(n) steps. The traffic is n elements read and n
 * written, plus the traffic that combines the blocks.
 *
 * The rungs answer two questions. The first is how a block scans one tile.
 * `hillis-steele` takes the fewest steps but too many additions. The trees
 * take the fewest additions, but most threads are idle. `levels` uses warps
 * and shuffles. One of its steps costs so little that the extra additions
 * do not matter.
 *
 * The second question is how a tile gets the sum of all elements before it.
 * `levels` writes all tiles, scans their totals and reads all elements
 * again: 4 n accesses. `reduce-first` computes the totals before it scans:
 * 3 n accesses. weft and CUB read and write each element once: 2 n
 * accesses. Topic one-pass-scan shows how.
 *
 * The first rungs scan a tile of 256 elements in a block, each by its own
 * method. All except `one-thread` combine the tiles by the same method. The
 * same kernel scans the totals of the tiles. Then the sum of all tiles
 * before a tile is added to it (see `levels`). The order of the additions
 * is the rule of the tile, then before + y[i].
 */
#include "climb.h"

#include <algorithm>
#include <math.h>
#if !defined WEFT_EXECUTOR && __has_include(<cub/device/device_scan.cuh>)
#include <cub/device/device_scan.cuh>
#define HAVE_CUB
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, MOST_THREADS = 1024;
#define WHOLE_WARP 0xffffffffu

/* Rung one-thread: the definition
 *
 * The thread keeps one running sum in a register. Each element takes one
 * read and one write. This is optimal for a single thread and very slow on
 * a GPU. The statement s += x[i] is a chain of dependent additions. Every
 * other rung avoids this chain, so it adds in another order.
 *
 * Order: the loop starts with x[0] and adds each next element in turn.
 */
template <class T>
__global__ void scan_by_one_thread(size_t n, const T *x, T *y) {
    T s = 0;
    for (size_t i = 0; i < n; i++) y[i] = s += x[i];
}

template <class T>
static std::vector<T> order_of_one_thread(std::vector<T> x) {
    for (size_t i = 1; i < x.size(); i++) x[i] = x[i - 1] + x[i];
    return x;
}

/* Rung hillis-steele: each step adds the element 1,
 * 2, 4, ... positions earlier
 *
 * After the step of distance d, element i contains the sum of the last 2 d
 * elements up to i. The table shows eight elements. In it, 2-5 means
 * x2 + x3 + x4 + x5.
 *
 *     before    0     1     2     3     4     5     6     7
 *     d = 1     0     0-1   1-2   2-3   3-4   4-5   5-6   6-7
 *     d = 2     0     0-1   0-2   0-3   1-4   2-5   3-6   4-7
 *     d = 4     0     0-1   0-2   0-3   0-4   0-5   0-6   0-7
 *
 * Eight steps scan 256 elements. Every thread works in every step, so there
 * are n log2(n) additions. Each thread reads a word that another thread
 * overwrites in the same step. So each step has two barriers: one after all
 * reads, and one after all writes. The classic kernel has only one of them
 * (see `one-barrier`).
 *
 * Order, in a tile: for d = 1, 2, 4, ..., 128, y[i] = y[i - d] + y[i] for
 * all i >= d at once.
 */
template <class T, unsigned BLOCK = THREADS>
__global__ void scan_hillis_steele(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[BLOCK];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * BLOCK + t;
    tile[t] = i < n ? x[i] : (T)0;
    __syncthreads();
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        const T before = t >= d ? tile[t - d] : (T)0;
        __syncthreads();
        if (t >= d) tile[t] = before + tile[t];
        __syncthreads();
    }
    if (i < n) y[i] = tile[t];
    if (t == BLOCK - 1) totals[blockIdx.x] = tile[t];
}

template <class T> static void tile_by_distances(T *v, size_t m) {
    for (size_t d = 1; d < m; d *= 2)
        for (size_t i = m; i-- > d;) v[i] = v[i - d] + v[i];
}

/* Faulty rung one-barrier: the same with one barrier per step
 *
 * The classic text has `tile[t] += tile[t - d]`, followed by a barrier. No
 * barrier separates the read of tile[t - d] from the write of the thread
 * t - d. A thread that reads late adds a sum that already contains more
 * elements.
 *
 * On many GPUs the result was right in small blocks, because all 32 lanes
 * of a warp read before one of them writes. Then only reads of another
 * warp's elements are at risk: those of the first d lanes of a warp if
 * d < 32, else all. The author saw wrong sums above 512 threads. 512 is no
 * limit of the hardware. The warps of a block share four schedulers. With
 * more warps, a warp waits longer for its turn, and it becomes likely that
 * the warp before has written first (see `thousand-launches`). The executor
 * reports the race in every schedule, for any number of warps.
 */
template <class T, unsigned BLOCK = THREADS>
__global__ void scan_with_one_barrier(size_t n, const T *x, T *y,
                                      T *totals) {
    __shared__ T tile[BLOCK];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * BLOCK + t;
    tile[t] = i < n ? x[i] : (T)0;
    __syncthreads();
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        if (t >= d) tile[t] = tile[t - d] + tile[t];
        __syncthreads();
    }
    if (i < n) y[i] = tile[t];
    if (t == BLOCK - 1) totals[blockIdx.x] = tile[t];
}

/* Rung thousand-launches: blocks of 1024 threads, launched a thousand times
 *
 * A race may give the right result a hundred times and then a wrong one.
 * One comparison proves little. This rung launches `hillis-steele` in
 * blocks of 1024 threads a thousand times and compares every result. On a
 * GPU it then launches `one-barrier` as often, in blocks of 64 to 1024
 * threads, and counts the launches with a wrong result. The executor
 * launches four times: it checks each access, so repetition adds nothing.
 */
template <class T, unsigned BLOCK>
static unsigned wrong_launches(climb &c,
                               void (*kernel)(size_t, const T *, T *, T *),
                               unsigned launches) {
    const size_t n = 8 * BLOCK;
    const std::vector<T> values = ladder_values<T>(n, 3);
    std::vector<T> right = values;
    for (size_t first = 0; first < n; first += BLOCK)
        tile_by_distances(&right[first], BLOCK);
    const T *const x = c.input(values);
    T *const y = c.output<T>(n), *const totals = c.output<T>(n / BLOCK);
    unsigned wrong = 0;
    for (unsigned launch = 0; launch < launches; launch++) {
        CUDA_CHECK(cudaMemsetAsync(y, 0, n * sizeof(T)));
        kernel<<<(unsigned)(n / BLOCK), BLOCK>>>(n, x, y, totals);
        CUDA_CHECK(cudaGetLastError());
        wrong += c.holds(y, right) != "";
    }
    return wrong;
}

#ifndef WEFT_EXECUTOR
template <unsigned BLOCK>
static std::string racing_launches(climb &c, unsigned launches) {
    const unsigned wrong = wrong_launches<float, BLOCK>(
        c, scan_with_one_barrier<float, BLOCK>, launches);
    return std::to_string(wrong) + " of " + std::to_string(BLOCK);
}
#endif

static std::string thousand_launches(climb &c) {
#ifdef WEFT_EXECUTOR
    const unsigned launches = 4;
#else
    const unsigned launches = 1000;
#endif
    const unsigned wrong = wrong_launches<float, MOST_THREADS>(
        c, scan_hillis_steele<float, MOST_THREADS>, launches);
    if (wrong > 0)
        return "not right in " + std::to_string(wrong) + " launches";
    std::string said = std::to_string(launches) +
                       " launches of blocks of 1024 threads are right";
#ifndef WEFT_EXECUTOR
    said +=
        "; launches of one-barrier that are wrong, by threads of a block: ";
    said += racing_launches<64>(c, launches) + ", ";
    said += racing_launches<256>(c, launches) + ", ";
    said += racing_launches<512>(c, launches) + ", ";
    said += racing_launches<1024>(c, launches);
#endif
    return said;
}

/* Rung two-buffers: one barrier per step, and two alternating arrays
 *
 * This is the other correction. Each step reads from one array and writes
 * to the other, and the two arrays swap their roles after the barrier. This
 * takes half as many barriers and twice as much shared memory.
 *
 * Order: the order is that of `hillis-steele`.
 */
template <class T>
__global__ void scan_two_buffers(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[2][THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    unsigned now = 0;
    tile[now][t] = i < n ? x[i] : (T)0;
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d *= 2) {
        tile[!now][t] =
            t >= d ? tile[now][t - d] + tile[now][t] : tile[now][t];
        now = !now;
        __syncthreads();
    }
    if (i < n) y[i] = tile[now][t];
    if (t == THREADS - 1) totals[blockIdx.x] = tile[now][t];
}

/* Rung tree-scattered: a tree upwards and downwards, by the threads that
 * own the nodes
 *
 * This is the tree of Brent and Kung. In the upward steps, every second
 * element adds the element before it. Then every fourth element adds the
 * element two positions before it, and so on. The last element then
 * contains the total. In the downward steps, the sums are added to the
 * remaining elements. This takes 2 n additions and not n log2(n).
 *
 *     before        0     1     2     3     4     5     6     7
 *     up, d = 1     0     0-1   2     2-3   4     4-5   6     6-7
 *     up, d = 2     0     0-1   2     0-3   4     4-5   6     4-7
 *     up, d = 4     0     0-1   2     0-3   4     4-5   6     0-7
 *     down, d = 2   0     0-1   2     0-3   4     0-5   6     0-7
 *     down, d = 1   0     0-1   0-2   0-3   0-4   0-5   0-6   0-7
 *
 * For eight elements this is 11 additions in 5 steps. `hillis-steele` takes
 * 17 additions in 3 steps.
 *
 * In this rung, the thread with the index of the node computes it:
 * (t + 1) % (2 d) == 0. At d = 32, one lane in every second warp is active,
 * and the other lanes of the warp wait for it. This is called divergence.
 * Its cost cancels what the tree saves.
 *
 * Order, in a tile: for d = 1, 2, ..., 128, y[i] = y[i - d] + y[i] for
 * i = 2d - 1, 4d - 1, ... Then for d = 64, 32, ..., 1 the same for
 * i = 3d - 1, 5d - 1, ...
 */
template <class T>
__global__ void scan_tree_scattered(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    tile[t] = i < n ? x[i] : (T)0;
    for (unsigned d = 1; d < THREADS; d *= 2) {
        __syncthreads();
        if ((t + 1) % (2 * d) == 0) tile[t] = tile[t - d] + tile[t];
    }
    for (unsigned d = THREADS / 4; d > 0; d /= 2) {
        __syncthreads();
        if (t + 1 > 2 * d && (t + 1 - d) % (2 * d) == 0)
            tile[t] = tile[t - d] + tile[t];
    }
    __syncthreads();
    if (i < n) y[i] = tile[t];
    if (t == THREADS - 1) totals[blockIdx.x] = tile[t];
}

template <class T> static void tile_by_tree(T *v, size_t m) {
    for (size_t d = 1; d < m; d *= 2)
        for (size_t i = 2 * d - 1; i < m; i += 2 * d)
            v[i] = v[i - d] + v[i];
    for (size_t d = m / 4; d > 0; d /= 2)
        for (size_t i = 3 * d - 1; i < m; i += 2 * d)
            v[i] = v[i - d] + v[i];
}

/* Rung tree: the same tree, by the first threads
 *
 * At distance d there are 256 / (2 d) nodes. Threads 0, 1, 2, ... process
 * them: node j is element 2 d (j + 1) - 1. So a warp is either fully active
 * or idle. But the nodes are 2 d words apart. Shared memory has 32 banks.
 * Word i is in bank i % 32, and each bank serves one lane at a time. At
 * d = 1 two lanes of a warp need the same bank, and at d = 4 eight do. On
 * an H200 these bank conflicts cost more than the divergence, so `tree` is
 * slower than `tree-scattered`.
 *
 * Order: the order is that of `tree-scattered`.
 */
/* Returns the word that stores element i. If GAP is not 0, one word is
 * unused after every GAP words. */
template <unsigned GAP> __device__ unsigned padded(unsigned i) {
    if constexpr (GAP > 0)
        return i + i / GAP;
    else
        return i;
}

template <class T, unsigned M, unsigned GAP = 0>
__device__ void scan_tile_by_tree(T *tile) {
    const unsigned t = threadIdx.x;
    for (unsigned d = 1; d < M; d *= 2) {
        __syncthreads();
        const unsigned i = 2 * d * (t + 1) - 1, at = padded<GAP>(i);
        if (i < M) tile[at] = tile[padded<GAP>(i - d)] + tile[at];
    }
    for (unsigned d = M / 4; d > 0; d /= 2) {
        __syncthreads();
        const unsigned i = 2 * d * (t + 1) + d - 1, at = padded<GAP>(i);
        if (i < M) tile[at] = tile[padded<GAP>(i - d)] + tile[at];
    }
    __syncthreads();
}

template <class T, unsigned GAP = 0>
__global__ void scan_tree(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[THREADS + (GAP > 0 ? THREADS / WARP : 0)];
    const unsigned t = threadIdx.x, at = padded<GAP>(t);
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    tile[at] = i < n ? x[i] : (T)0;
    scan_tile_by_tree<T, THREADS, GAP>(tile);
    if (i < n) y[i] = tile[at];
    if (t == THREADS - 1) totals[blockIdx.x] = tile[at];
}

/* Rung no-conflicts: the tree, with one word left unused after every 32
 *
 * Element i is stored in word i + i / 32. At d = 4 the lanes of a warp need
 * every eighth element. Without the unused words, these are in the banks 7,
 * 15, 23 and 31, with eight lanes per bank. With them, the banks are 7, 15,
 * 23, 31, then 8, 16, 24, 0, and so on: 32 different banks. The cost is one
 * word in 33, and one addition and one shift per index.
 *
 * Order: the order is that of `tree`.
 */
template <class T> static constexpr auto scan_apart = scan_tree<T, WARP>;

/* Rung two-a-thread: a tile of 512 for 256 threads
 *
 * A tree has at most half as many active nodes as elements. So each thread
 * loads two elements, and the same number of threads scans twice as many
 * elements.
 *
 * The kernel is right for any n, because each of the two elements has its
 * own test `i < n`. The classic kernel has one test for both. It accesses
 * in[n] when n is odd (see `odd-end`).
 *
 * Order: the order is that of `tree`, in tiles of 512.
 */
template <class T>
__global__ void scan_two_a_thread(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[2 * THREADS];
    const unsigned t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * 2 * THREADS;
    for (unsigned i = 2 * t; i < 2 * t + 2; i++)
        tile[i] = first + i < n ? x[first + i] : (T)0;
    scan_tile_by_tree<T, 2 * THREADS>(tile);
    for (unsigned i = 2 * t; i < 2 * t + 2; i++)
        if (first + i < n) y[first + i] = tile[i];
    if (t == 0) totals[blockIdx.x] = tile[2 * THREADS - 1];
}

/* Faulty rung odd-end: two elements per thread, and one test for both
 *
 * The classic test is 2 i + 1 < (n + 1) / 2 * 2. If n is odd, the last
 * thread passes it, reads in[n] and writes out[n]. The size in the classic
 * text, 7587, is odd.
 */
template <class T>
__global__ void scan_odd_end(size_t n, const T *x, T *y, T *totals) {
    __shared__ T tile[2 * THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t; /* index of a pair */
    const bool inside = 2 * i + 1 < (n + 1) / 2 * 2;
    tile[2 * t] = inside ? x[2 * i] : (T)0;
    tile[2 * t + 1] = inside ? x[2 * i + 1] : (T)0;
    scan_tile_by_tree<T, 2 * THREADS>(tile);
    if (inside) y[2 * i] = tile[2 * t];
    if (inside) y[2 * i + 1] = tile[2 * t + 1];
    if (t == 0) totals[blockIdx.x] = tile[2 * THREADS - 1];
}

/* Faulty rung short-shared: dynamic shared memory for half of the tile
 *
 * `extern __shared__` declares memory whose size is set at the launch. The
 * size is the third argument of `<<<blocks, threads, bytes>>>`. The classic
 * second level launches 32 threads with 32 ints, but its kernel stores two
 * ints per thread. A GPU does not detect an access after the end of this
 * memory, unless the address is outside the memory of the multiprocessor.
 */
template <class T>
__global__ void scan_dynamic(size_t n, const T *x, T *y, T *totals) {
    extern __shared__ double shared_memory[];
    T *const tile = (T *)shared_memory;
    const unsigned t = threadIdx.x;
    const size_t first = (size_t)blockIdx.x * 2 * THREADS;
    for (unsigned i = 2 * t; i < 2 * t + 2; i++)
        tile[i] = first + i < n ? x[first + i] : (T)0;
    scan_tile_by_tree<T, 2 * THREADS>(tile);
    for (unsigned i = 2 * t; i < 2 * t + 2; i++)
        if (first + i < n) y[first + i] = tile[i];
    if (t == 0) totals[blockIdx.x] = tile[2 * THREADS - 1];
}

template <class T>
static void short_shared(size_t n, const T *x, T *y, T *totals) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, 2 * THREADS);
    scan_dynamic<<<blocks, THREADS, THREADS * sizeof(T)>>>(n, x, y, totals);
}

/* Rung levels: warps by shuffles, and any number of levels of tiles
 *
 * A warp needs no shared memory. `__shfl_up_sync` returns the value of the
 * lane d below, and five steps scan a warp. The first warp scans the totals
 * of the warps in the same way. Each total is then added to the next warp.
 *
 * A block scans one tile, so the tiles must be combined. Three kernels do
 * this. The first scans each tile and writes its total. The second scans
 * the totals, recursively: 256^4 elements need four levels. The third adds
 * to each tile the total of all tiles before it. The elements are read
 * twice and written twice, so the traffic is twice the minimum.
 *
 * The classic text stopped at two levels, so its limit is 256^2 elements.
 * It has an extra kernel that extracts every 256th sum. This kernel is not
 * needed if the scan writes the totals itself.
 *
 * Order: in a tile, each warp computes y[i] = y[i - d] + y[i] for d = 1,
 * ..., 16. The totals of the warps are scanned by the same rule. Then each
 * y[i] becomes the total of the warps before + y[i]. The tiles are combined
 * the same way: the total of the tiles before + y[i].
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

template <class T>
__global__ void scan_by_warps(size_t n, const T *x, T *y, T *totals) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T v = scan_of_block(i < n ? x[i] : (T)0);
    if (i < n) y[i] = v;
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v;
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

template <class T>
__global__ void add_before(size_t n, unsigned tile, const T *totals, T *y) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= tile && i < n) y[i] = totals[i / tile - 1] + y[i];
}

/* Scans x into y by a kernel for tiles. `totals` must have capacity for the
 * totals of all levels. x may be y. */
template <class T, class KERNEL>
static void by_levels(KERNEL kernel, unsigned tile, size_t n, const T *x,
                      T *y, T *totals) {
    const size_t tiles = blocks_for<size_t>(n, tile);
    kernel<<<(unsigned)tiles, THREADS>>>(n, x, y, totals);
    if (tiles == 1) return;
    by_levels(kernel, tile, tiles, totals, totals, totals + tiles);
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    add_before<<<blocks, THREADS>>>(n, tile, totals, y);
}

template <class T>
static std::vector<T> order_by_levels(void (*rule)(T *v, size_t m),
                                      size_t tile, std::vector<T> v) {
    const size_t n = v.size();
    std::vector<T> totals(blocks_for(n, tile));
    v.resize(totals.size() * tile);
    ladder_in_parts(totals.size(), [&](size_t k, size_t end) {
        for (; k < end; k++) {
            rule(&v[k * tile], tile);
            totals[k] = v[(k + 1) * tile - 1];
        }
    });
    if (totals.size() > 1) totals = order_by_levels(rule, tile, totals);
    ladder_in_parts(totals.size(), [&](size_t k, size_t end) {
        for (k = std::max<size_t>(k, 1); k < end; k++)
            for (size_t i = k * tile; i < (k + 1) * tile; i++)
                v[i] = totals[k - 1] + v[i];
    });
    v.resize(n);
    return v;
}

/* Rung reduce-first: totals first, then the scan
 *
 * This is the other order of the three kernels. The first only reduces each
 * tile to its total, and writes nothing else. The second scans the totals.
 * The third scans each tile, adds the total before it, and writes the
 * result. So the elements are read twice and written once: 3 n accesses and
 * not the 4 n of `levels`. Each tile is reduced twice, but additions cost
 * nothing here.
 *
 * Order: the order is that of `levels`, since the first kernel adds each
 * tile as the third does.
 */
template <class T>
__global__ void reduce_tiles(size_t n, const T *x, T *totals) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T v = scan_of_block(i < n ? x[i] : (T)0);
    if (threadIdx.x == THREADS - 1) totals[blockIdx.x] = v;
}

template <class T>
__global__ void scan_after(size_t n, const T *x, const T *totals, T *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T v = scan_of_block(i < n ? x[i] : (T)0);
    if (i < n) y[i] = blockIdx.x > 0 ? totals[blockIdx.x - 1] + v : v;
}

template <class T>
static void reduce_first(size_t n, const T *x, T *y, T *totals) {
    const unsigned tiles = (unsigned)blocks_for<size_t>(n, THREADS);
    reduce_tiles<<<tiles, THREADS>>>(n, x, totals);
    by_levels(scan_by_warps<T>, THREADS, tiles, totals, totals,
              totals + tiles);
    scan_after<<<tiles, THREADS>>>(n, x, totals, y);
}

/* Rung exclusive: the sum of all elements before
 * each element, 0 for the first
 *
 * This is the inclusive scan of the first n - 1 elements, written one
 * position later, after a 0. The classic program writes its running sums to
 * out[i + 1] for every i < n. But out[n] is outside the array. out[0] is
 * never written, although the check reads it.
 *
 * The classic data are floor(1000 rand() / RAND_MAX). Two answers are known
 * for 512 elements: out[1] = 840 and out[511] = 259869. The last element is
 * in no sum. A text called this a fault, but it is the definition of an
 * exclusive scan.
 *
 * Order: the order is that of `levels`, for the first n - 1 elements.
 */
template <class T>
static void exclusive(size_t n, const T *x, T *y, T *totals) {
    CUDA_CHECK(cudaMemsetAsync(y, 0, sizeof *y));
    if (n > 1)
        by_levels(scan_by_warps<T>, THREADS, n - 1, x, y + 1, totals);
}

template <class T>
static std::vector<T> order_of_exclusive(std::vector<T> x) {
    x.pop_back();
    if (!x.empty()) x = order_by_levels<T>(tile_by_warps<T>, THREADS, x);
    x.insert(x.begin(), (T)0);
    return x;
}

/* Rung classic-answers: the exclusive scan of the classic data
 *
 * The data are 512 numbers of `rand()`. A program on Linux gets these
 * numbers if it sets no seed.
 */

static std::string classic_answers(climb &c) {
    const size_t n = 512;
    std::vector<float> values(n), got(n);
    const std::vector<int> numbers = ladder_gnu_rand(n);
    for (size_t i = 0; i < n; i++)
        values[i] = floorf(1000.0f * ((float)numbers[i] / 2147483647.0f));
    const float *const x = c.input(values);
    float *const y = c.output<float>(n), *const totals = c.output<float>(n);
    exclusive(n, x, y, totals);
    c.fetch(got.data(), y, n * sizeof(float));
    const std::string said =
        "out[1] = " + std::to_string((int)got[1]) +
        ", out[511] = " + std::to_string((int)got[511]);
    return got[0] == 0 && got[1] == 840 && got[511] == 259869
               ? said
               : "not the known answers: " + said;
}

/* Rung weft: weft_scan, an operation of this library
 *
 * The kernel reads and writes the data once and uses look-back. Groups of
 * 16 elements are scanned by the rule of `hillis-steele`. The same rule
 * scans the totals of the groups, and so on upwards (ORDER.md). The order
 * does not depend on the tiles, so every GPU and every CPU can compute in
 * this order.
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
 * 1. Scan 16 elements on paper, by `hillis-steele` and by `tree`. Count the
 *    additions and the steps, and derive the formulas.
 * 2. `one-barrier` has a race. Why does it give the right result with
 *    `--schedule backward`?
 * 3. For each distance, how many lanes of a warp use the same bank in
 *    `tree`, in `two-a-thread` and in `no-conflicts`?
 * 4. How many elements can `levels` scan before the number of tiles exceeds
 *    the 2^31 - 1 blocks of a grid?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> values = ladder_values<T>(n, 1);
    const std::vector<T> whole = ladder_whole_values<T>(n, 2);
    const T *const x = c.input(values), *const w = c.input(whole);
    T *const y = c.output<T>(n);
    T *const totals = c.output<T>(n / (THREADS / 2) + 64);
    c.work(2.0 * (double)(n * sizeof(T)), (double)n);

    const ladder_claim in_turn = [&] {
        return c.holds(y, order_of_one_thread(values));
    };
    const auto levels_of = [&](void (*rule)(T *, size_t), size_t tile) {
        return [&c, &values, y, rule, tile] {
            return c.holds(y, order_by_levels<T>(rule, tile, values));
        };
    };
    const ladder_claim distances = levels_of(tile_by_distances<T>, THREADS);
    const ladder_claim tree = levels_of(tile_by_tree<T>, THREADS);
    const ladder_claim wide_tree = levels_of(tile_by_tree<T>, 2 * THREADS);
    const ladder_claim warps = levels_of(tile_by_warps<T>, THREADS);
    const ladder_claim without_last = [&] {
        return c.holds(y, order_of_exclusive(values));
    };
    const ladder_claim whole_sums = [&] {
        return c.holds(y, order_of_one_thread(whole));
    };
    const auto tiles = [=](void (*kernel)(size_t, const T *, T *, T *),
                           unsigned tile) {
        return [=] { by_levels(kernel, tile, n, x, y, totals); };
    };

    c.rung("one-thread", in_turn,
           [=] { scan_by_one_thread<<<1, 1>>>(n, x, y); },
           {.most = (size_t)1 << 20});
    c.rung("hillis-steele", distances,
           tiles(scan_hillis_steele<T, THREADS>, THREADS));
    c.faulty("one-barrier", distances,
             tiles(scan_with_one_barrier<T, THREADS>, THREADS));
    c.lesson("thousand-launches", [&] { return thousand_launches(c); });
    c.rung("two-buffers", distances, tiles(scan_two_buffers<T>, THREADS));
    c.rung("tree-scattered", tree, tiles(scan_tree_scattered<T>, THREADS));
    c.rung("tree", tree, tiles(scan_tree<T>, THREADS));
    c.rung("no-conflicts", tree, tiles(scan_apart<T>, THREADS));
    c.rung("two-a-thread", wide_tree,
           tiles(scan_two_a_thread<T>, 2 * THREADS));
    c.faulty("odd-end", wide_tree, tiles(scan_odd_end<T>, 2 * THREADS),
             {.executor_only = true});
    c.faulty("short-shared", wide_tree,
             [=] { short_shared(n, x, y, totals); },
             {.executor_only = true});
    c.rung("levels", warps, tiles(scan_by_warps<T>, THREADS));
    c.rung("reduce-first", warps, [=] { reduce_first(n, x, y, totals); });
    c.rung("exclusive", without_last, [=] { exclusive(n, x, y, totals); });
    c.lesson("classic-answers", [&] { return classic_answers(c); });
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

void climb_scan(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<float>(c);
}
