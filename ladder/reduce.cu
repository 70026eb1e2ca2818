/* Topic reduce: the sum of n numbers
 *
 * The sum of n numbers takes n - 1 additions. If enough threads add at the
 * same time, they need only log2(n) steps. The kernel reads every element
 * once and writes one number. So the limit is the read bandwidth: f32 moves
 * 4 bytes per element. The lesson is how threads combine their results. The
 * threads of a block use shared memory and barriers, and the threads of a
 * warp use registers. The blocks of a grid have no common barrier, so they
 * use atomics or a second launch.
 *
 * In `one-thread` almost the whole GPU is idle. `atomics` uses the whole
 * GPU, but the n additions to one address run one after another.
 * `global-halves` adds in parallel, but each step waits for global memory.
 * `shared-modulo` and `shared-halves` execute these steps in shared memory,
 * and `shuffles` executes them in registers. In all of these rungs, 256
 * elements take log2(256) = 8 steps.
 *
 * In `grid-stride` each thread first adds many elements in a register.
 * Almost all of the n - 1 additions need no other thread. The steps that
 * combine threads occur once per block, and their time does not matter. The
 * general rule is: first reduce the amount of shared data, then share it
 * efficiently.
 *
 * A sum of floats depends on the order of its additions. Each rung states
 * its order, and the result is compared bit for bit with a plain loop in
 * that order. The sum of integers is the same in every order. Some rungs
 * use atomics, which have no fixed order. Their elements are whole numbers,
 * whose sum is the same in every order.
 */
#include "climb.h"

#include <algorithm>
#include <type_traits>
#if !defined WEFT_EXECUTOR && __has_include(<cub/device/device_reduce.cuh>)
#include <cub/device/device_reduce.cuh>
#define HAVE_CUB
#endif

namespace {

constexpr unsigned WARP = 32, THREADS = 256, BLOCKS = 1024;
constexpr unsigned MOST_THREADS = 1024;
#define WHOLE_WARP 0xffffffffu

/* Rung one-thread: one thread adds them all
 *
 * This is the definition of the sum, and the usual loop in C. In f32 it is
 * also the least accurate way. When the sum is 2^24 times larger than an
 * element, adding that element does not change the sum.
 *
 * Order: the loop starts with 0 and adds x[0], x[1], ... in turn.
 */
template <class T>
__global__ void sum_by_one_thread(size_t n, const T *x, T *sum) {
    T s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    *sum = s;
}

template <class T> static T order_of_one_thread(const std::vector<T> &x) {
    T s = 0;
    for (const T &v : x) s += v;
    return s;
}

/* Faulty rung lost-updates: every thread adds to
 * one number, without atomics
 *
 * `*sum += x[i]` is three operations: a read, an addition and a write. Two
 * threads may read the same value, and each writes its own sum. Then one of
 * the two additions is lost. On a GPU almost all additions are lost.
 *
 * The executor runs the threads in turn, so it would compute the right sum.
 * Here a barrier separates the read from the write, and the executor loses
 * the additions too.
 */
template <class T>
__global__ void sum_losing_updates(size_t n, const T *x, T *sum) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const T before = *sum;
    /* Lets the other threads read before this one writes */
    __syncthreads();
    if (i < n) *sum = before + x[i];
}

template <class T> static void lost_updates(size_t n, const T *x, T *sum) {
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    sum_losing_updates<<<blocks, THREADS>>>(n, x, sum);
}

/* Rung atomics: every thread adds to one number, atomically
 *
 * `atomicAdd` executes the three operations as one. The result is right,
 * but each of the n additions waits for the previous one. This is the
 * slowest way to use a whole GPU. The program must clear the sum before the
 * launch. If it does not, a second run adds to the result of the first run.
 *
 * Order: the order is unspecified and different in every run. So the bits
 * of a float sum change from run to run. For this reason weft has no float
 * atomics. Here the elements are small whole numbers.
 */
template <class T>
__global__ void sum_by_atomics(size_t n, const T *x, T *sum) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]);
}

template <class T> static void atomics(size_t n, const T *x, T *sum) {
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    sum_by_atomics<<<blocks, THREADS>>>(n, x, sum);
}

/* Rung global-halves: a block reduces its slice by halves, in global memory
 *
 * Each block has a slice of 256 elements. Thread i adds element i + 128 to
 * element i. The next steps do the same with the first 128, 64, 32, ...
 * elements. This takes log2(256) = 8 steps instead of 255. Between two
 * steps all threads of the block wait at `__syncthreads`, because a thread
 * reads what another thread has just written. The sums of the slices form
 * the next, shorter array. The launches continue until one sum is left.
 *
 *     half    thread 0    thread 1    thread 2    thread 3
 *     4       x0 + x4     x1 + x5     x2 + x6     x3 + x7
 *     2       s0 + s2     s1 + s3     idle        idle
 *     1       s0 + s1     idle        idle        idle
 *
 * The half is rounded up, (m + 1) / 2, so a slice of any length is reduced
 * correctly. If m is odd, the middle element is added in the next step. The
 * classic kernel starts with `blockDim.x / 2`, so `blockDim.x` must be a
 * power of two. The classic kernel reads after the end of the last slice.
 * It also writes into its input array, so a second run gives a different
 * sum. This rung reduces a copy.
 *
 * Order: the array is divided into slices of 256. In a slice of m elements,
 * element i becomes x[i] + x[i + h] with h = ceil(m / 2), repeatedly. The
 * sums of the slices are then added by the same rule.
 */
template <class T> __global__ void fold_global(size_t n, T *x, T *sums) {
    const size_t first = (size_t)blockIdx.x * THREADS;
    const unsigned i = threadIdx.x;
    T *const slice = x + first;
    for (unsigned m = (unsigned)(n - first < THREADS ? n - first : THREADS);
         m > 1; m = (m + 1) / 2) {
        const unsigned half = (m + 1) / 2;
        if (i < m - half) slice[i] += slice[i + half];
        __syncthreads();
    }
    if (i == 0) sums[blockIdx.x] = slice[0];
}

/* Reduces n values at x to one sum per slice, then these sums in the memory
 * after them, and so on. The last value written is the result. */
template <class T>
static void global_halves(size_t n, const T *x, T *copy, T *sums, T *sum) {
    CUDA_CHECK(
        cudaMemcpyAsync(copy, x, n * sizeof(T), cudaMemcpyDeviceToDevice));
    T *from = copy;
    while (n > 1) {
        const size_t slices = blocks_for<size_t>(n, THREADS);
        T *const to = slices == 1 ? sum : sums;
        fold_global<<<(unsigned)slices, THREADS>>>(n, from, to);
        from = to;
        sums += slices;
        n = slices;
    }
    if (from == copy)
        CUDA_CHECK(cudaMemcpyAsync(sum, copy, sizeof(T),
                                   cudaMemcpyDeviceToDevice));
}

template <class T> static T order_of_halves(std::vector<T> x) {
    while (x.size() > 1) {
        std::vector<T> sums;
        for (size_t first = 0; first < x.size(); first += THREADS) {
            size_t m = std::min<size_t>(x.size() - first, THREADS);
            for (; m > 1; m = (m + 1) / 2)
                for (size_t i = 0; i < m / 2; i++)
                    x[first + i] += x[first + i + (m + 1) / 2];
            sums.push_back(x[first]);
        }
        x = sums;
    }
    return x[0];
}

/* Faulty rung global-in-place: the classic kernel,
 * on the caller's own array
 *
 * This is the kernel of the texts. The half is `blockDim.x / 2`, and the
 * kernel reduces the input array in place. If n is not a multiple of 256,
 * the last block reads after the end of the array. The input is
 * overwritten.
 */
template <class T> __global__ void fold_in_place(T *x, T *sum) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) x[i] += x[i + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(sum, x[i]);
}

template <class T>
static void global_in_place(size_t n, const T *x, T *sum) {
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    fold_in_place<<<blocks, THREADS>>>((T *)x, sum);
}

/* Rung shared-modulo: in shared memory, adjacent elements first
 *
 * Shared memory is on the multiprocessor. Each block has its own, and an
 * access takes a tenth of the time of global memory. The block reads its
 * slice once and reduces it there. In the first step, each thread i that is
 * a multiple of 2 adds the next element to its own. In the second step, the
 * multiples of 4 add the element 2 positions away, and so on.
 *
 *     by      thread 0    thread 1    thread 2    thread 3    thread 4
 *     1       x0 + x1     idle        x2 + x3     idle        x4 + x5
 *     2       s0 + s2     idle        idle        idle        s4 + s6
 *     4       s0 + s4     idle        idle        idle        idle
 *
 * The active threads are spread over all warps. A warp with one active
 * thread takes as long as a warp with 32. So all eight warps are busy in
 * every step, although fewer lanes are active each time. This is called
 * divergence, and `shared-halves` avoids it.
 *
 * On an H200, divergence makes this rung slower than `global-halves`: 0.71
 * ms against 0.50 ms for 2^26 elements of f32. A slice in global memory is
 * soon in a cache, so the advantage of shared memory is smaller than the
 * loss.
 *
 * Order: the array is divided into slices of 256. In each slice, adjacent
 * elements are added, then adjacent pairs, fours, ... The sums of the
 * slices are then added by the same rule.
 */
template <class T>
__global__ void fold_neighbours(size_t n, const T *x, T *sums) {
    __shared__ T tile[THREADS];
    const size_t first = (size_t)blockIdx.x * THREADS;
    const unsigned i = threadIdx.x;
    const unsigned m =
        (unsigned)(n - first < THREADS ? n - first : THREADS);
    if (i < m) tile[i] = x[first + i];
    __syncthreads();
    for (unsigned d = 1; d < m; d *= 2) {
        if (i % (2 * d) == 0 && i + d < m) tile[i] += tile[i + d];
        __syncthreads();
    }
    if (i == 0) sums[blockIdx.x] = tile[0];
}

template <class T> static T order_of_neighbours(std::vector<T> x) {
    while (x.size() > 1) {
        std::vector<T> sums;
        for (size_t first = 0; first < x.size(); first += THREADS) {
            const size_t m = std::min<size_t>(x.size() - first, THREADS);
            for (size_t d = 1; d < m; d *= 2)
                for (size_t i = 0; i + d < m; i += 2 * d)
                    x[first + i] += x[first + i + d];
            sums.push_back(x[first]);
        }
        x = sums;
    }
    return x[0];
}

/* Rung shared-halves: by halves, in shared memory
 *
 * This is the reduction of `global-halves` in shared memory. The active
 * threads are always the first ones of the block. As long as at least 32
 * threads are active, they fill whole warps. Adjacent threads access
 * adjacent words, which are in different banks.
 *
 * Order: the order is that of `global-halves`.
 */
template <class T>
__global__ void fold_shared(size_t n, const T *x, T *sums) {
    __shared__ T tile[THREADS];
    const size_t first = (size_t)blockIdx.x * THREADS;
    const unsigned i = threadIdx.x;
    unsigned m = (unsigned)(n - first < THREADS ? n - first : THREADS);
    if (i < m) tile[i] = x[first + i];
    for (; m > 1; m = (m + 1) / 2) {
        __syncthreads();
        const unsigned half = (m + 1) / 2;
        if (i < m - half) tile[i] += tile[i + half];
    }
    if (i == 0) sums[blockIdx.x] = tile[0];
}

/* Launches a kernel that computes one sum per slice of 256, until one sum
 * is left. */
template <class T, class KERNEL>
static void fold_slices(KERNEL kernel, size_t n, const T *x, T *sums,
                        T *sum) {
    for (size_t slices; n > 0; n = slices > 1 ? slices : 0) {
        slices = blocks_for<size_t>(n, THREADS);
        T *const to = slices == 1 ? sum : sums;
        kernel<<<(unsigned)slices, THREADS>>>(n, x, to);
        x = to;
        sums += slices;
    }
}

/* Faulty rung no-barrier: the reduction without its __syncthreads
 *
 * Some texts rely on the threads of a warp moving together. CUDA never
 * guaranteed this, and the block has eight warps. So a thread may read a
 * word before another thread has written it.
 *
 * The executor runs each thread until it waits. It detects two accesses to
 * one word without a barrier between them. It reports them even if the sum
 * happens to be right.
 */
template <class T>
__global__ void fold_without_barrier(size_t n, const T *x, T *sums) {
    __shared__ T tile[THREADS];
    const size_t first = (size_t)blockIdx.x * THREADS;
    const unsigned i = threadIdx.x;
    unsigned m = (unsigned)(n - first < THREADS ? n - first : THREADS);
    if (i < m) tile[i] = x[first + i];
    __syncthreads();
    for (; m > 1; m = (m + 1) / 2)
        if (i < m / 2) tile[i] += tile[i + (m + 1) / 2];
    if (i == 0) sums[blockIdx.x] = tile[0];
}

/* Rung shuffles: a warp adds in registers
 *
 * `__shfl_down_sync(mask, v, d)` returns the v of the lane d above. It uses
 * no memory and no barrier. Five shuffles reduce a warp. Each warp stores
 * its sum in shared memory. After one barrier, the first warp reduces these
 * sums. These two levels are enough for up to 32 warps of 32 threads.
 *
 * Shared memory is already fast, but shuffles are faster for three reasons.
 * The kernel computes no address. It does not write a word and read it
 * back. The lanes of a warp need no barrier.
 *
 * Every lane in the mask must execute the shuffle. So lanes after the end
 * of the array add 0 and do not return early. In the second level, lane w
 * adds the sum of warp w, or 0 if there is no such warp. The classic code
 * halves the number of warps instead: `for (d = warps / 2; d > 0; d /= 2)`.
 * It loses a warp if the number is not a power of two. So 3, 5, 6, 7, 9,
 * ... warps give a wrong sum.
 *
 * Order: the array is divided into slices of 256. Each warp adds
 * x[i] + x[i + 16], then the elements 8, 4, 2 and 1 away. Missing elements
 * are 0. The sums of the warps are added by the same rule, and then the
 * sums of the slices.
 */
template <class T> __device__ T sum_of_warp(T v) {
    for (unsigned d = WARP / 2; d > 0; d /= 2)
        v += __shfl_down_sync(WHOLE_WARP, v, d);
    return v;
}

/* Returns in thread 0 the sum of v over all threads. The block must consist
 * of full warps. */
template <class T> __device__ T sum_of_block(T v) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = blockDim.x / WARP;
    v = sum_of_warp(v);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) v = sum_of_warp(lane < warps ? sums[lane] : (T)0);
    return v;
}

template <class T>
__global__ void fold_by_shuffles(size_t n, const T *x, T *sums) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T sum = sum_of_block(i < n ? x[i] : (T)0);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* Reduces 32 values, with 0 for missing ones, in the
 * order of a warp's lanes. */
template <class T> static T order_of_warp(const T *x, size_t count) {
    T v[2 * WARP] = {};
    for (size_t i = 0; i < count; i++) v[i] = x[i];
    for (size_t d = WARP / 2; d > 0; d /= 2)
        for (size_t i = 0; i < d; i++) v[i] += v[i + d];
    return v[0];
}

/* Returns the sum of v, one value per thread, in the
 * order of sum_of_block. */
template <class T> static T order_of_block(const std::vector<T> &v) {
    std::vector<T> sums;
    for (size_t first = 0; first < v.size(); first += WARP)
        sums.push_back(order_of_warp(&v[first], WARP));
    return order_of_warp(sums.data(), sums.size());
}

template <class T> static T order_of_shuffles(std::vector<T> x) {
    while (true) {
        std::vector<T> sums;
        for (size_t first = 0; first < x.size(); first += THREADS) {
            std::vector<T> slice(THREADS);
            for (size_t i = 0; i < THREADS && first + i < x.size(); i++)
                slice[i] = x[first + i];
            sums.push_back(order_of_block(slice));
        }
        if (sums.size() == 1) return sums[0];
        x = sums;
    }
}

/* Faulty rung three-warps: the classic second level, with a block of 96
 *
 * This rung has the same two levels, but the second level halves the number
 * of warps as in the texts. The block has three warps. 3 / 2 is 1, so warp
 * 1 is added to warp 0, and the sum of warp 2 is lost.
 */
template <class T>
__global__ void fold_powers_of_two(size_t n, const T *x, T *sum) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = blockDim.x / WARP;
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    T v = sum_of_warp(i < n ? x[i] : (T)0);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp > 0) return;
    v = lane < warps ? sums[lane] : (T)0;
    for (unsigned d = warps / 2; d > 0; d /= 2)
        v += __shfl_down_sync(WHOLE_WARP, v, d);
    if (lane == 0) atomicAdd(sum, v);
}

template <class T> static void three_warps(size_t n, const T *x, T *sum) {
    const unsigned threads = 3 * WARP;
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, threads);
    fold_powers_of_two<<<blocks, threads>>>(n, x, sum);
}

/* Faulty rung early-return: threads after the end
 * return before the others are done
 *
 * The kernel begins with `if (i >= n) return;`. This statement is right in
 * a kernel whose threads are independent. It is wrong in a kernel with
 * barriers and shuffles. All threads of the block must reach
 * `__syncthreads`, and all lanes in the mask must reach the shuffle.
 * Otherwise the behaviour of a GPU is undefined. The kernel may hang, so
 * this rung runs only on the executor.
 */
template <class T>
__global__ void fold_returning_early(size_t n, const T *x, T *sums) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const T sum = sum_of_block(x[i]);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/* Faulty rung part-of-a-warp: a block of 80 threads, and a mask of 32 lanes
 * for each warp
 *
 * The third warp has 16 threads, and its shuffles wait for 32. The mask of
 * the classic kernel contains all lanes, 0xffffffff, whatever the size of
 * the block. The simple solution is a block of full warps, with 0 for
 * missing elements.
 */
template <class T>
__global__ void fold_part_of_a_warp(size_t n, const T *x, T *sum) {
    T s = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
    s = sum_of_block(s);
    if (threadIdx.x == 0) *sum = s;
}

/* Faulty rung unwritten: the second level reads all 32 sums of a block that
 * has 8 warps
 *
 * All lanes of the first warp execute `v = sums[lane]`. 24 of them read
 * shared memory that no thread has written. It contains data of an earlier
 * block. One text has the same read, but its sum is right, because its
 * second level adds only the sums that it needs.
 */
template <class T>
__global__ void fold_unwritten(size_t n, const T *x, T *total) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    T v = sum_of_warp(i < n ? x[i] : (T)0);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) v = sum_of_warp(sums[lane]);
    if (threadIdx.x == 0) atomicAdd(total, v);
}

template <class T> static void unwritten(size_t n, const T *x, T *sum) {
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    fold_unwritten<<<blocks, THREADS>>>(n, x, sum);
}

/* Rung block-atomics: one atomic addition per block
 *
 * This rung needs no second kernel. The first thread of each block adds its
 * sum to the total. So there are n / 256 atomics and not n. This is fast
 * enough for integers.
 *
 * The classic program adds to `sums[blockIdx.x]`, an array that nothing has
 * cleared. Each block uses its own element, so the program needs no atomic
 * there. The result is right only if the memory happens to contain zeros.
 *
 * Order: the order in a block is that of `shuffles`. The order of the
 * blocks is unspecified, so the elements are whole numbers, as in
 * `atomics`.
 */
template <class T>
__global__ void sum_by_block_atomics(size_t n, const T *x, T *sum) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T s = sum_of_block(i < n ? x[i] : (T)0);
    if (threadIdx.x == 0) atomicAdd(sum, s);
}

template <class T> static void block_atomics(size_t n, const T *x, T *sum) {
    CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    sum_by_block_atomics<<<blocks, THREADS>>>(n, x, sum);
}

/* Faulty rung not-cleared: the total is not set to zero
 *
 * This is `block-atomics` without its `cudaMemset`. `cudaMalloc` does not
 * clear memory, although new memory often contains zeros.
 */
template <class T> static void not_cleared(size_t n, const T *x, T *sum) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    sum_by_block_atomics<<<blocks, THREADS>>>(n, x, sum);
}

/* Rung grid-stride: several elements per thread
 *
 * In the rungs before, each thread reads one element. Then the block takes
 * log2(256) steps, with fewer active threads in each. Here 1024 blocks
 * traverse the array. Each thread adds its elements in a register, and each
 * block reduces only once, at the end. A second launch, of one block, adds
 * the 1024 sums in the same way. Almost all of the time is spent reading.
 *
 * Order: thread g of G = 1024 * 256 starts with 0 and adds x[g], x[g + G],
 * ... in turn. A block reduces as in `shuffles`. Then 1024 threads add the
 * sums by the same rule. This order depends on the launch: other numbers of
 * blocks and threads give other bits of a float sum. The order of weft is
 * part of the operation and does not depend on the launch.
 */
template <class T>
__global__ void sum_by_grid(size_t n, const T *x, T *sums) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        s += x[i];
    s = sum_of_block(s);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

template <class T>
static void grid_stride(size_t n, const T *x, T *sums, T *sum) {
    sum_by_grid<<<BLOCKS, THREADS>>>(n, x, sums);
    sum_by_grid<<<1, MOST_THREADS>>>((size_t)BLOCKS, sums, sum);
}

/* Returns the sum in the order of grid-stride. Each thread reads `parts`
 * adjacent elements per step. */
template <class T>
static T order_of_grid(const std::vector<T> &x, size_t blocks,
                       size_t threads, size_t parts) {
    std::vector<T> v(blocks * threads), sums;
    for (size_t i = 0; i < x.size(); i++) v[i / parts % v.size()] += x[i];
    for (auto at = v.begin(); at != v.end(); at += (long)threads)
        sums.push_back(
            order_of_block(std::vector<T>(at, at + (long)threads)));
    return blocks == 1 ? sums[0] : order_of_grid(sums, 1, MOST_THREADS, 1);
}

/* Rung unrolled: sixteen bytes at a time, the number of
 * threads known to the compiler
 *
 * One load of 16 bytes and four additions replace four loads. The number of
 * threads is a template argument, so the compiler knows every bound. It
 * unrolls every loop over warps and needs no division. The last elements
 * may not fill 16 bytes. The thread that would read the next 16 bytes adds
 * them one by one.
 *
 * Order: the order is that of `grid-stride`, with groups of 16 bytes
 * instead of single elements.
 */
template <class T> struct alignas(16) sixteen { T part[16 / sizeof(T)]; };

template <class T, unsigned BLOCK>
__global__ void sum_unrolled(size_t n, const T *x, T *sums) {
    const size_t PARTS = 16 / sizeof(T), whole = n / PARTS;
    const size_t threads = (size_t)gridDim.x * BLOCK;
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    T s = 0;
    for (; i < whole; i += threads) {
        const sixteen<T> v = ((const sixteen<T> *)x)[i];
        for (size_t k = 0; k < PARTS; k++) s += v.part[k];
    }
    if (i == whole)
        for (size_t k = whole * PARTS; k < n; k++) s += x[k];
    s = sum_of_block(s);
    if (threadIdx.x == 0) sums[blockIdx.x] = s;
}

template <class T>
static void unrolled(size_t n, const T *x, T *sums, T *sum) {
    sum_unrolled<T, THREADS><<<BLOCKS, THREADS>>>(n, x, sums);
    sum_by_grid<<<1, MOST_THREADS>>>((size_t)BLOCKS, sums, sum);
}

/* Rung weft: weft_reduce, an operation of this library
 *
 * A tile consists of rows of 512 bytes. The kernel adds the rows of a tile,
 * lane by lane. Then it combines the lanes by halves, and the tiles in
 * pairs (ORDER.md 3). A row fits the 16-byte loads of a warp and the
 * vectors of a CPU. The order is the same for every launch. Integers are
 * summed in 64 bits. The specification is a plain C program. It runs on the
 * same data, and its bits must be the same.
 *
 * 2^26 elements of f32 take 70 microseconds on an H200. In this time the
 * fixed costs count: the start of the kernels, and the blocks that finish
 * last. The fixed order adds a tree of tiles to `unrolled`, which costs
 * some microseconds. For 2^28 elements, weft reads 98 % of the bandwidth,
 * and CUB 97 %.
 */
/* Type of weft's sum */
template <class T>
using weft_total = std::conditional_t<std::is_same_v<T, int>, int64_t, T>;

static weft_status weft_sum(weft_context *ctx, weft_dtype dtype, size_t n,
                            const void *x, void *sum) {
    return weft_reduce(ctx, WEFT_SUM, dtype, WEFT_DEFAULT, n, x, sum);
}

/* Rung cub: cub::DeviceReduce::Sum, from NVIDIA's library CUB
 *
 * CUB does not state the order of the additions. It may change with the GPU
 * and the release, so the elements are whole numbers.
 */
#ifdef HAVE_CUB
template <class T> static void cub_sum(size_t n, const T *x, T *sum) {
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceReduce::Sum(workspace, bytes, x, sum, n);
    });
}
#else
template <class T> static void cub_sum(size_t, const T *, T *) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. Run `weft ladder reduce --n 96` and `--n 97`. Follow `global-halves`
 *    on paper for a slice of 97.
 * 2. Add 2^26 numbers 0.1f by `one-thread`. At which value does the sum
 *    stop growing, and why? In which rungs does it not stop?
 * 3. Remove the second `__syncthreads` from `shared-modulo`. What does the
 *    executor report? Is the sum wrong?
 * 4. Change `BLOCKS` to 512. In which rungs do the bits of a float sum
 *    change? Does the result of weft change?
 * 5. Write a rung that needs one launch. An atomic counter determines which
 *    block finishes last. This block adds the sums of all blocks. What must
 *    separate the write of a sum from the increment of the counter? What
 *    happens without it?
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> values = ladder_values<T>(n, 1);
    const std::vector<T> whole = ladder_whole_values<T>(n, 2);
    const T *const x = c.input(values), *const w = c.input(whole);
    T *const copy = c.output<T>(n);
    T *const sums = c.output<T>(n / (THREADS / 2) + BLOCKS + 32);
    T *const sum = c.output<T>(1);
    c.work((double)(n * sizeof(T)), (double)n);
    const auto is = [&](T expected) {
        return c.holds(sum, std::vector<T>{expected});
    };
    const ladder_claim in_turn = [&] {
        return is(order_of_one_thread(values));
    };
    const ladder_claim whole_sum = [&] {
        return is(order_of_one_thread(whole));
    };
    const ladder_claim halves = [&] { return is(order_of_halves(values)); };
    const ladder_claim neighbours = [&] {
        return is(order_of_neighbours(values));
    };
    const ladder_claim by_warps = [&] {
        return is(order_of_shuffles(values));
    };
    const ladder_claim by_grid = [&] {
        return is(order_of_grid(values, BLOCKS, THREADS, 1));
    };
    const ladder_claim by_runs = [&] {
        return is(order_of_grid(values, BLOCKS, THREADS, 16 / sizeof(T)));
    };

    c.rung("one-thread", in_turn,
           [=] { sum_by_one_thread<<<1, 1>>>(n, x, sum); },
           {.most = (size_t)1 << 20});
    c.faulty("lost-updates", whole_sum, [=] { lost_updates(n, w, sum); },
             {.least = 2});
    c.rung("atomics", whole_sum, [=] { atomics(n, w, sum); });
    c.rung("global-halves", halves,
           [=] { global_halves(n, x, copy, sums, sum); });
    c.faulty("global-in-place", whole_sum,
             [=] { global_in_place(n, w, sum); }, {.executor_only = true});
    c.rung("shared-modulo", neighbours,
           [=] { fold_slices(fold_neighbours<T>, n, x, sums, sum); });
    c.rung("shared-halves", halves,
           [=] { fold_slices(fold_shared<T>, n, x, sums, sum); });
    c.faulty("no-barrier", halves,
             [=] { fold_slices(fold_without_barrier<T>, n, x, sums, sum); },
             {.least = 4});
    c.rung("shuffles", by_warps,
           [=] { fold_slices(fold_by_shuffles<T>, n, x, sums, sum); });
    c.faulty("three-warps", whole_sum, [=] { three_warps(n, w, sum); },
             {.least = 96});
    c.faulty("early-return", by_warps,
             [=] { fold_slices(fold_returning_early<T>, n, x, sums, sum); },
             {.executor_only = true});
    c.faulty("part-of-a-warp", whole_sum,
             [=] { fold_part_of_a_warp<<<1, 80>>>(n, w, sum); },
             {.executor_only = true});
    c.faulty("unwritten", whole_sum, [=] { unwritten(n, w, sum); },
             {.executor_only = true});
    c.rung("block-atomics", whole_sum, [=] { block_atomics(n, w, sum); });
    c.faulty("not-cleared", whole_sum, [=] { not_cleared(n, w, sum); });
    c.rung("grid-stride", by_grid, [=] { grid_stride(n, x, sums, sum); });
    c.rung("unrolled", by_runs, [=] { unrolled(n, x, sums, sum); });

    weft_total<T> *const total = c.output<weft_total<T>>(1);
    const ladder_claim as_specified = [&] {
        std::vector<weft_total<T>> expected(1);
        c.specified(
            weft_sum(c.ref(), c.dtype, n, values.data(), expected.data()));
        return c.holds(total, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_sum(ctx, c.dtype, n, x, total);
    });
    c.rung("cub", whole_sum, [=] { cub_sum(n, w, sum); },
           {.gpu_only = true});
}

} // namespace

void climb_reduce(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_I32) return climb_as<int>(c);
    climb_as<float>(c);
}
