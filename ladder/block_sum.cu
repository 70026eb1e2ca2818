/* Topic block-sum: the sum within a block of any size
 *
 * Topic reduce uses blocks of 256 threads, eight full warps. The classic
 * kernels have the size of the block as a parameter, but most of them are
 * right only for some sizes: powers of two, multiples of 32, or a power of
 * two of warps. Here each rung launches one block of each size that it
 * supports, and every launch adds the same n numbers. So a rung makes up to
 * 1024 launches, and sum number b is that of the block of b threads. All of
 * them must be equal. (The executor launches blocks of 1 to 66 threads and
 * a sample of the larger sizes.)
 *
 * Thread t first adds the elements t, t + b, t + 2 b, ... in a register. So
 * n need not fit the size of the block. What remains is one number per
 * thread, and the rungs differ in how they add these b numbers.
 *
 * The numbers are whole, so their sum is the same in every order. The time
 * of a rung is that of all its launches, most of which use a small part of
 * one multiprocessor.
 */
#include "climb.h"

#include <math.h>

namespace {

constexpr unsigned WARP = 32, MOST_THREADS = 1024;

/* Returns the sum of the elements of one thread. */
template <class T> __device__ T sum_of_thread(size_t n, const T *x) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    T s = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        s += x[i];
    return s;
}

/* Rung halves: by halves that are rounded up, for 1 to 1024 threads
 *
 * If m numbers are left, thread i adds number i + h to number i, with
 * h = ceil(m / 2). If m is odd, number h - 1 has no partner and stays. Then
 * h numbers are left. No size is special: 7 numbers become 4, then 2, then
 * 1. A text computes the largest power of two below b for the first step.
 * This also works, but if b is a power of two, its formula begins with a
 * step in which no thread is active.
 */
template <class T>
__global__ void add_by_halves(size_t n, const T *x, T *sum) {
    __shared__ T tile[MOST_THREADS];
    const unsigned t = threadIdx.x;
    tile[t] = sum_of_thread(n, x);
    for (unsigned m = blockDim.x; m > 1; m = (m + 1) / 2) {
        __syncthreads();
        const unsigned half = (m + 1) / 2;
        if (t < m - half) tile[t] += tile[t + half];
    }
    if (t == 0) *sum = tile[0];
}

/* Faulty rung powers-of-two: the classic loop, d = blockDim.x / 2
 *
 * With 7 threads, d is 3 and then 1. Thread 0 adds the numbers 3, 1 and 4,
 * and number 6 is lost. The loop is right for 1, 2, 4, ..., 1024 threads,
 * so a test with 512 threads does not find the fault.
 */
template <class T>
__global__ void add_by_rounded_halves(size_t n, const T *x, T *sum) {
    __shared__ T tile[MOST_THREADS];
    const unsigned t = threadIdx.x;
    tile[t] = sum_of_thread(n, x);
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) tile[t] += tile[t + d];
    }
    if (t == 0) *sum = tile[0];
}

/* Rung any-warps: two levels of shuffles, for 1 to 32 warps
 *
 * A warp adds its 32 numbers by shuffles. The first warp adds the sums of
 * the warps in the same way: lane w has the sum of warp w, or 0 if there is
 * no such warp. So it always adds 32 numbers, and the number of warps is
 * arbitrary. The classic second level halves the number of warps. It is
 * wrong for 3, 5, 6, 7, 9, ... warps (see `three-warps` of topic reduce).
 */
template <class T> __device__ T sum_of_lanes(T v, unsigned lanes) {
    const unsigned lane = threadIdx.x % WARP;
    const unsigned mask = 0xffffffffu >> (WARP - lanes);
    for (unsigned d = WARP / 2; d > 0; d /= 2) {
        const T above = __shfl_down_sync(mask, v, d);
        if (lane + d < lanes) v += above;
    }
    return v;
}

template <class T>
__global__ void add_by_warps(size_t n, const T *x, T *sum) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = blockDim.x / WARP;
    T v = sum_of_lanes(sum_of_thread(n, x), WARP);
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0) v = sum_of_lanes(lane < warps ? sums[lane] : (T)0, WARP);
    if (threadIdx.x == 0) *sum = v;
}

/* Rung any-threads: shuffles in a last warp that is
 * not full, for 1 to 1024 threads
 *
 * If the size of the block is not a multiple of 32, its last warp has fewer
 * lanes. Every lane in the mask must execute the shuffle, so the mask may
 * contain only lanes that exist. `sum_of_lanes` makes this mask from their
 * number. A lane adds only the number of a lane that exists. The second
 * level needs a lane for each warp. If the first warp has fewer than 32
 * lanes, the block has one warp, so there are always enough.
 */
__device__ inline unsigned lanes_of_warp(unsigned warp) {
    const unsigned left = blockDim.x - warp * WARP;
    return left < WARP ? left : WARP;
}

template <class T>
__global__ void add_by_threads(size_t n, const T *x, T *sum) {
    __shared__ T sums[WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned warps = (blockDim.x + WARP - 1) / WARP;
    T v = sum_of_lanes(sum_of_thread(n, x), lanes_of_warp(warp));
    if (lane == 0) sums[warp] = v;
    __syncthreads();
    if (warp == 0)
        v = sum_of_lanes(lane < warps ? sums[lane] : (T)0,
                         lanes_of_warp(0));
    if (threadIdx.x == 0) *sum = v;
}

/* Rung three-stages: shared memory down to 32, then
 * shuffles, then an atomic addition
 *
 * This is the last kernel of a classic text. A block adds in shared memory
 * until 32 numbers are left. One warp adds these by shuffles, and its first
 * lane adds the result to the total. In the text all warps execute the
 * shuffles, although only the first has numbers, and the mask contains 32
 * lanes for every size of the block. The text does not say that the total
 * must be cleared before the launch. Its halves work for powers of two
 * only. Here the halves are rounded up, only the first warp shuffles, and
 * the program clears the total.
 *
 * The grid has four blocks. With floats, the order of their atomic
 * additions would change the bits from run to run. `block-atomics` of topic
 * reduce has no first stage: shuffles in all warps replace it.
 */
template <class T>
__global__ void add_in_three_stages(size_t n, const T *x, T *sum) {
    __shared__ T tile[MOST_THREADS];
    const unsigned t = threadIdx.x;
    unsigned m = blockDim.x;
    tile[t] = sum_of_thread(n, x);
    __syncthreads();
    for (; m > WARP; m = (m + 1) / 2) {
        const unsigned half = (m + 1) / 2;
        if (t < m - half) tile[t] += tile[t + half];
        __syncthreads();
    }
    if (t >= lanes_of_warp(0)) return;
    const T v = sum_of_lanes(t < m ? tile[t] : (T)0, lanes_of_warp(0));
    if (t == 0) atomicAdd(sum, v);
}

/* Rung known-answers: the classic data
 *
 * The numbers are floor(10 rand() / RAND_MAX). The sum of 512 of them is
 * 2351, and that of 260 817 is 1 173 592. The classic program adds the sums
 * of its blocks to a buffer that it does not clear. So a second launch on
 * the same buffer doubles the result. This rung launches `three-stages` ten
 * times on one buffer, each time after clearing it.
 */
static int classic_sum(climb &c, size_t n) {
    std::vector<int> values(n);
    const std::vector<int> numbers = ladder_gnu_rand(n);
    for (size_t i = 0; i < n; i++)
        values[i] =
            (int)floorf(10.0f * ((float)numbers[i] / 2147483647.0f));
    const int *const x = c.input(values);
    int *const sum = c.output<int>(1), got = 0;
    for (int launch = 0; launch < 10; launch++) {
        CUDA_CHECK(cudaMemset(sum, 0, sizeof *sum));
        add_in_three_stages<<<8, 512>>>(n, x, sum);
    }
    c.fetch(&got, sum, sizeof got);
    return got;
}

static std::string known_answers(climb &c) {
    const int small = classic_sum(c, 512), large = classic_sum(c, 260817);
    const std::string said = "512 numbers: " + std::to_string(small) +
                             ", 260817 numbers: " + std::to_string(large);
    return small == 2351 && large == 1173592
               ? said
               : "not 2351 and 1173592: " + said;
}

/* Exercises
 *
 * 1. For which sizes of a block is `powers-of-two` right if all numbers are
 *    0 from number 32 on?
 * 2. Count the barriers of `halves` and of `any-threads` for 1024 threads
 *    and for 33 threads.
 * 3. Remove the test `lane + d < lanes`. For which sizes is the sum of
 *    `any-threads` still right on a GPU?
 * 4. Let all threads of `three-stages` execute the shuffles, as in the
 *    text. What does the executor report for a block of 48?
 */

/* Climbing the rungs. */

/* Returns true if blocks of this size are launched: on a GPU all sizes, on
 * the executor a sample. */
static bool is_tried(unsigned threads) {
#ifdef WEFT_EXECUTOR
    return threads <= 66 || threads % 61 == 0 || threads % 256 == 0 ||
           threads == MOST_THREADS - 1;
#else
    return threads <= MOST_THREADS;
#endif
}

/* Launches `blocks` blocks of each size that is tried and
 * is a multiple of `step`. Stores one sum for each size,
 * and 0 for sizes that are not tried. */
template <class T, class KERNEL>
static void all_sizes(KERNEL kernel, unsigned step, unsigned blocks,
                      size_t n, const T *x, T *sums) {
    CUDA_CHECK(cudaMemsetAsync(sums, 0, MOST_THREADS * sizeof *sums));
    for (unsigned threads = step; threads <= MOST_THREADS; threads += step)
        if (step > 1 || is_tried(threads))
            kernel<<<blocks, threads>>>(n, x, sums + threads / step - 1);
}

template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> values = ladder_whole_values<T>(n, 1);
    T total = 0;
    for (const T v : values) total += v;
    const T *const x = c.input(values);
    T *const sums = c.output<T>(MOST_THREADS);
    double sizes = 0;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
        sizes += is_tried(threads);
    c.work((double)(n * sizeof(T)) * sizes, (double)n * sizes);

    const ladder_claim each = [&] {
        std::vector<T> expected(MOST_THREADS);
        for (unsigned threads = 1; threads <= MOST_THREADS; threads++)
            if (is_tried(threads)) expected[threads - 1] = total;
        return c.holds(sums, expected);
    };
    const ladder_claim each_warp = [&] {
        return c.holds(sums, std::vector<T>(WARP, total));
    };
    c.rung("halves", each,
           [=] { all_sizes(add_by_halves<T>, 1, 1, n, x, sums); });
    c.faulty("powers-of-two", each,
             [=] { all_sizes(add_by_rounded_halves<T>, 1, 1, n, x, sums); },
             {.least = 64});
    c.rung("any-threads", each,
           [=] { all_sizes(add_by_threads<T>, 1, 1, n, x, sums); });
    c.rung("three-stages", each,
           [=] { all_sizes(add_in_three_stages<T>, 1, 4, n, x, sums); });
    c.work((double)(n * sizeof(T)) * WARP, (double)n * WARP);
    c.rung("any-warps", each_warp,
           [=] { all_sizes(add_by_warps<T>, WARP, 1, n, x, sums); });
    c.lesson("known-answers", [&] { return known_answers(c); });
}

} // namespace

void climb_block_sum(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    if (c.dtype == WEFT_F32) return climb_as<float>(c);
    climb_as<int>(c);
}
