/* Topic recurrence: v[i] = s[i] v[i - 1] + u[i], for n numbers
 *
 * A filter, a debt with interest and the solution of a bidiagonal system
 * are recurrences. Each value needs the value before it, so only a loop
 * seems possible. But each element is a map, w -> s w + u, and two maps can
 * be combined before w is known. The map (s1, u1) followed by (s2, u2) is w
 * -> s2 (s1 w + u1) + u2. This is again a map: (s2 s1, s2 u1 + u2). The
 * operation is associative. So a scan of maps gives, for every i, the map
 * from the start to v[i] (P. Kogge, H. Stone, IEEE Trans. Computers C-22,
 * 1973). The operation is not commutative: the order of the two maps
 * matters.
 *
 * The work is 2 n operations in a loop, and 3 operations per combination in
 * a scan. A loop takes n steps, and a scan takes log2(n). The traffic is 3
 * n elements, s, u and v. For f64 these are 24 bytes per element.
 *
 * A scan of maps rounds other intermediate results than the loop. So each
 * rung states its order and is compared with a plain loop in that order.
 * With `--dtype u64` the numbers are whole and wrap at 2^64. Then no
 * operation rounds, and all rungs are compared with the loop of
 * `one-thread` on the host, which combines no maps.
 */
#include "climb.h"

#include <algorithm>
#include <math.h>
#include <type_traits>

constexpr unsigned WARP = 32, THREADS = 256, WARPS = THREADS / WARP;
constexpr unsigned RUN = 8;
#define WHOLE_WARP 0xffffffffu

/* The map w -> s w + u. */
template <class T> struct affine { T s, u; };

template <class T> __host__ __device__ T apply(affine<T> f, T w) {
    return f.s * w + f.u;
}

/* Returns the composition: first f, then g. */
template <class T>
__host__ __device__ affine<T> then(affine<T> f, affine<T> g) {
    return {g.s * f.s, g.s * f.u + g.u};
}

/* Returns element i as a map, or the identity after the end. */
template <class T>
__host__ __device__ affine<T> element(size_t n, const T *s, const T *u,
                                      size_t i) {
    if (i < n) return {s[i], u[i]};
    return {1, 0};
}

/* Rung one-thread: the loop
 *
 * This is the definition. Each element takes two operations and three words
 * of memory. Each element waits for the element before it.
 *
 * Order: the loop starts with 0. For each i it rounds the product s[i] * v,
 * adds u[i] and rounds again.
 */
template <class T>
__global__ void follow(size_t n, const T *s, const T *u, T *v) {
    T w = 0;
    for (size_t i = 0; i < n; i++) v[i] = w = s[i] * w + u[i];
}

template <class T>
static std::vector<T> order_of_loop(const std::vector<T> &s,
                                    const std::vector<T> &u) {
    std::vector<T> v(s.size());
    T w = 0;
    for (size_t i = 0; i < v.size(); i++) v[i] = w = s[i] * w + u[i];
    return v;
}

/* Rung one-block: a slice of 256 maps at a time, scanned in shared memory
 *
 * Thread t starts with map t. At step d = 1, 2, 4, ..., 128 it combines the
 * map of thread t - d with its own. After the last step, its map leads from
 * the start of the slice to element t. The thread applies this map to w,
 * the value before the slice, and gets v. The v of the last thread is the w
 * of the next slice. One block computes a long recurrence in this way. Many
 * blocks can compute many recurrences.
 *
 * Each step has two barriers. One separates the read of the map of thread
 * t - d from the write of a thread's own map. The other precedes the next
 * step.
 *
 * The recurrence of the texts has s and u uniform in [0, 2]. A text states
 * that its values grow fast and overflow, but they do not. A product of
 * such s shrinks by the factor e^-0.307 per element, and the largest of
 * 10^8 values is 2.1e7.
 *
 * Order: the array is divided into slices of 256. In each slice, map t
 * becomes (map t - d, then map t) for d = 1, 2, 4, ... Then v is this map,
 * applied to the value before the slice. The value before the first slice
 * is 0.
 */
struct in_shared {
    template <class T> static __device__ affine<T> scan(affine<T> mine) {
        __shared__ T s[THREADS], u[THREADS];
        const unsigned t = threadIdx.x;
        for (unsigned d = 1; d < THREADS; d *= 2) {
            s[t] = mine.s, u[t] = mine.u;
            __syncthreads();
            if (t >= d) mine = then({s[t - d], u[t - d]}, mine);
            __syncthreads();
        }
        return mine;
    }
};

template <class T, class SCAN>
__global__ void slice_by_slice(size_t n, const T *s, const T *u, T *v) {
    __shared__ T before;
    const unsigned t = threadIdx.x;
    if (t == 0) before = 0;
    __syncthreads();
    for (size_t first = 0; first < n; first += THREADS) {
        const T w = apply(SCAN::scan(element(n, s, u, first + t)), before);
        if (first + t < n) v[first + t] = w;
        __syncthreads();
        if (t == THREADS - 1) before = w;
        __syncthreads();
    }
}

/* Computes the maps of a slice, combined as in in_shared. */
template <class T>
static void order_of_shared(std::vector<affine<T>> &maps) {
    for (size_t d = 1; d < THREADS; d *= 2)
        for (size_t t = THREADS - 1; t >= d; t--)
            maps[t] = then(maps[t - d], maps[t]);
}

/* Computes all values: the slices in turn, each scanned by `scan`. */
template <class T, class SCAN>
static std::vector<T> order_of_slices(const std::vector<T> &s,
                                      const std::vector<T> &u, SCAN scan) {
    std::vector<T> v(s.size());
    T before = 0;
    for (size_t first = 0; first < v.size(); first += THREADS) {
        std::vector<affine<T>> maps(THREADS);
        for (size_t t = 0; t < THREADS; t++)
            maps[t] = element(v.size(), s.data(), u.data(), first + t);
        scan(maps);
        for (size_t t = 0; t < THREADS && first + t < v.size(); t++)
            v[first + t] = apply(maps[t], before);
        before = apply(maps[THREADS - 1], before);
    }
    return v;
}

/* Faulty rung one-barrier: a single barrier per step
 *
 * The classic program reads the map of thread t - d, combines it and writes
 * the result in one statement. The only barrier is at the end of the step.
 * So a fast warp may overwrite a map that another warp has not yet read.
 */
struct in_shared_with_one_barrier {
    template <class T> static __device__ affine<T> scan(affine<T> mine) {
        __shared__ T s[THREADS], u[THREADS];
        const unsigned t = threadIdx.x;
        s[t] = mine.s, u[t] = mine.u;
        __syncthreads();
        for (unsigned d = 1; d < THREADS; d *= 2) {
            if (t >= d) {
                mine = then({s[t - d], u[t - d]}, mine);
                s[t] = mine.s, u[t] = mine.u;
            }
            __syncthreads();
        }
        return mine;
    }
};

/* Faulty rung swapped: the maps combined in the wrong order
 *
 * This rung computes (map t, then map t - d). For sums the order of the two
 * operands does not matter, but for maps it does. The products s are right
 * even in this order. If all s are 1, the whole result is right. So test
 * data must not have all s equal to 1.
 */
struct in_shared_swapped {
    template <class T> static __device__ affine<T> scan(affine<T> mine) {
        __shared__ T s[THREADS], u[THREADS];
        const unsigned t = threadIdx.x;
        for (unsigned d = 1; d < THREADS; d *= 2) {
            s[t] = mine.s, u[t] = mine.u;
            __syncthreads();
            if (t >= d) mine = then(mine, {s[t - d], u[t - d]});
            __syncthreads();
        }
        return mine;
    }
};

/* Rung three-launches: all slices at once
 *
 * A whole slice is also a map. The first launch computes the map of every
 * slice, with one block per slice. The second launch goes from slice to
 * slice and stores the value before each slice. The third launch scans
 * again and applies its maps to that value. s and u are read twice, so the
 * traffic is 5 n elements instead of 3 n. But the whole GPU is used.
 *
 * The second launch is an exception. One thread traverses the slices. The
 * other threads of its block load 256 maps at a time into shared memory for
 * it. Otherwise the thread would wait for memory at every slice. If there
 * are many slices, this launch still takes most of the time, because it is
 * a sequential loop. weft and CUB have no such loop.
 *
 * Order: the order is that of `one-block`, since the value after a slice is
 * its map applied to the value before it.
 */
template <class T, class SCAN>
__global__ void maps_of_slices(size_t n, const T *s, const T *u,
                               affine<T> *slices) {
    const affine<T> f = SCAN::scan(
        element(n, s, u, (size_t)blockIdx.x * THREADS + threadIdx.x));
    if (threadIdx.x == THREADS - 1) slices[blockIdx.x] = f;
}

template <class T>
__global__ void follow_slices(size_t slices, const affine<T> *maps,
                              T *before) {
    __shared__ affine<T> near[THREADS];
    __shared__ T found[THREADS];
    const unsigned t = threadIdx.x;
    T w = 0;
    for (size_t first = 0; first < slices; first += THREADS) {
        if (first + t < slices) near[t] = maps[first + t];
        __syncthreads();
        for (unsigned k = 0; t == 0 && k < THREADS && first + k < slices;
             k++) {
            found[k] = w;
            w = apply(near[k], w);
        }
        __syncthreads();
        if (first + t < slices) before[first + t] = found[t];
        __syncthreads();
    }
}

template <class T, class SCAN>
__global__ void apply_in_slices(size_t n, const T *s, const T *u,
                                const T *before, T *v) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const T w = apply(SCAN::scan(element(n, s, u, i)), before[blockIdx.x]);
    if (i < n) v[i] = w;
}

template <class SCAN, class T>
static void three_launches(size_t n, const T *s, const T *u,
                           affine<T> *maps, T *before, T *v) {
    const size_t slices = blocks_for<size_t>(n, THREADS);
    maps_of_slices<T, SCAN><<<(unsigned)slices, THREADS>>>(n, s, u, maps);
    follow_slices<<<1, THREADS>>>(slices, maps, before);
    apply_in_slices<T, SCAN>
        <<<(unsigned)slices, THREADS>>>(n, s, u, before, v);
}

/* Rung shuffles: a warp scans in registers
 *
 * `__shfl_up_sync` returns the map of the lane d below. Five steps scan a
 * warp, without memory and without a barrier. Then the last lane of each
 * warp stores its map in shared memory. Every thread combines the maps of
 * the warps before its own. This takes two barriers instead of sixteen.
 *
 * All lanes take part in every shuffle. Lanes after the end use the
 * identity map. In the classic program these lanes return before the
 * shuffles, so the other lanes shuffle with lanes that have exited.
 *
 * Order: the array is divided into slices of 256. In each warp, map t
 * becomes (map t - d, then map t) for d = 1, ...,
 * 16. The maps of the earlier warps are combined in turn, and the result
 *     precedes map t. Then v is computed as in `one-block`.
 */
struct by_shuffles {
    template <class T> static __device__ affine<T> scan(affine<T> mine) {
        __shared__ T s[WARPS], u[WARPS];
        const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
        for (unsigned d = 1; d < WARP; d *= 2) {
            const affine<T> before = {
                __shfl_up_sync(WHOLE_WARP, mine.s, d),
                __shfl_up_sync(WHOLE_WARP, mine.u, d)};
            if (lane >= d) mine = then(before, mine);
        }
        __syncthreads(); /* all reads of the previous scan are done */
        if (lane == WARP - 1) s[warp] = mine.s, u[warp] = mine.u;
        __syncthreads();
        if (warp == 0) return mine;
        affine<T> before = {s[0], u[0]};
        for (unsigned w = 1; w < warp; w++)
            before = then(before, {s[w], u[w]});
        return then(before, mine);
    }
};

template <class T>
static void order_of_shuffles(std::vector<affine<T>> &maps) {
    for (size_t d = 1; d < WARP; d *= 2)
        for (size_t t = THREADS - 1; t >= d; t--)
            if (t % WARP >= d) maps[t] = then(maps[t - d], maps[t]);
    affine<T> before = maps[WARP - 1];
    for (size_t first = WARP; first < THREADS; first += WARP) {
        const affine<T> warp = maps[first + WARP - 1];
        for (size_t t = first; t < first + WARP; t++)
            maps[t] = then(before, maps[t]);
        before = then(before, warp);
    }
}

/* Rung chain: one launch, each block waits for the previous block
 *
 * A block scans its slice, waits for the value before it, publishes the
 * value after it, and applies its maps. The scan precedes the wait, so only
 * the publishing is sequential. The classic program waits first, so its
 * blocks work one after another. s, u and v are accessed once.
 *
 * A block may wait for another block only if that block has started. CUDA
 * does not guarantee that block 3 starts after block 2. So each block takes
 * a ticket when it starts, by an atomic addition. The ticket is the number
 * of its slice. All blocks with lower tickets have started.
 *
 * The writer stores the value, executes a fence, and then sets the flag.
 * The reader waits for the flag, executes a fence, and then reads the
 * value. The flags and the ticket must be cleared before each launch. The
 * classic program does not clear them.
 *
 * Order: the order is that of `shuffles`.
 */
/* Waits for the value after slice k - 1 (0 before the first) and publishes
 * the value after slice k, whose map is f. */
template <class T>
__device__ T hand_on(unsigned k, affine<T> f, unsigned *ready,
                     T *after_slice) {
    T before = 0;
    if (k > 0) {
        while (atomicAdd(&ready[k - 1], 0u) == 0) {
        }
        __threadfence();
        before = *(volatile T *)&after_slice[k - 1];
    }
    after_slice[k] = apply(f, before);
    __threadfence();
    atomicExch(&ready[k], 1u);
    return before;
}

/* Returns the slice that the block must process. */
__device__ unsigned take_ticket(unsigned *ticket) {
    __shared__ unsigned mine;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
    __syncthreads();
    return mine;
}

template <class T>
__device__ void do_slice(unsigned k, size_t n, const T *s, const T *u, T *v,
                         unsigned *ready, T *after_slice) {
    __shared__ T before;
    const size_t i = (size_t)k * THREADS + threadIdx.x;
    const affine<T> f = by_shuffles::scan(element(n, s, u, i));
    if (threadIdx.x == THREADS - 1)
        before = hand_on(k, f, ready, after_slice);
    __syncthreads();
    if (i < n) v[i] = apply(f, before);
}

template <class T>
__global__ void follow_in_chain(size_t n, const T *s, const T *u, T *v,
                                unsigned *ticket, unsigned *ready,
                                T *after_slice) {
    do_slice(take_ticket(ticket), n, s, u, v, ready, after_slice);
}

/* The ticket and the flags are in one array: flags[0] is the ticket. */
template <class T>
static void chain(size_t n, const T *s, const T *u, T *v, unsigned *flags,
                  T *after_slice) {
    const size_t slices = blocks_for<size_t>(n, THREADS);
    CUDA_CHECK(cudaMemsetAsync(flags, 0, (slices + 1) * sizeof *flags));
    follow_in_chain<<<(unsigned)slices, THREADS>>>(n, s, u, v, flags,
                                                   flags + 1, after_slice);
}

/* Faulty rung block-order: the block's number instead of a ticket
 *
 * Block k waits for block k - 1, which may not have started. If the waiting
 * blocks occupy the whole GPU, block k - 1 never starts. Most devices start
 * blocks in the order of their numbers, so the kernel usually works. Here
 * every two adjacent numbers are swapped, as if the device started the
 * blocks in that order.
 */
template <class T>
__global__ void follow_by_number(size_t n, const T *s, const T *u, T *v,
                                 unsigned *ready, T *after_slice) {
    const unsigned neighbour = blockIdx.x ^ 1;
    do_slice(neighbour < gridDim.x ? neighbour : blockIdx.x, n, s, u, v,
             ready, after_slice);
}

template <class T>
static void block_order(size_t n, const T *s, const T *u, T *v,
                        unsigned *ready, T *after_slice) {
    const size_t slices = blocks_for<size_t>(n, THREADS);
    CUDA_CHECK(cudaMemsetAsync(ready, 0, slices * sizeof *ready));
    follow_by_number<<<(unsigned)slices, THREADS>>>(n, s, u, v, ready,
                                                    after_slice);
}

/* Rung runs: eight elements per thread
 *
 * A thread combines the maps of its chunk of eight elements in registers,
 * and only the chunks are scanned. So there are an eighth of the
 * combinations across threads, and an eighth of the published values. Each
 * thread gets the value before its chunk and then processes the chunk as
 * the loop does. A slice has 2048 elements.
 *
 * Order: the maps of a chunk are combined in turn, from its first. The 256
 * maps of a slice are combined as in `shuffles`. The value before a chunk
 * is the map of the previous thread, applied to the value before the slice.
 * In the chunk, the order is that of `one-thread`.
 */
template <class T>
__global__ void follow_in_runs(size_t n, const T *s, const T *u, T *v,
                               unsigned *ticket, unsigned *ready,
                               T *after_slice) {
    __shared__ T before, after_run[THREADS];
    const unsigned k = take_ticket(ticket), t = threadIdx.x;
    const size_t first = ((size_t)k * THREADS + t) * RUN;
    affine<T> run[RUN];
    for (unsigned i = 0; i < RUN; i++) run[i] = element(n, s, u, first + i);
    affine<T> f = run[0];
    for (unsigned i = 1; i < RUN; i++) f = then(f, run[i]);
    f = by_shuffles::scan(f);
    if (t == THREADS - 1) before = hand_on(k, f, ready, after_slice);
    __syncthreads();
    after_run[t] = apply(f, before);
    __syncthreads();
    T w = t > 0 ? after_run[t - 1] : before;
    for (unsigned i = 0; i < RUN && first + i < n; i++)
        v[first + i] = w = apply(run[i], w);
}

template <class T>
static void runs(size_t n, const T *s, const T *u, T *v, unsigned *flags,
                 T *after_slice) {
    const size_t slices = blocks_for<size_t>(n, THREADS * RUN);
    CUDA_CHECK(cudaMemsetAsync(flags, 0, (slices + 1) * sizeof *flags));
    follow_in_runs<<<(unsigned)slices, THREADS>>>(n, s, u, v, flags,
                                                  flags + 1, after_slice);
}

template <class T>
static std::vector<T> order_of_runs(const std::vector<T> &s,
                                    const std::vector<T> &u) {
    const size_t n = s.size();
    std::vector<T> v(n);
    T before = 0;
    for (size_t first = 0; first < n; first += THREADS * RUN) {
        std::vector<affine<T>> maps(THREADS);
        for (size_t t = 0; t < THREADS; t++) {
            maps[t] = element(n, s.data(), u.data(), first + t * RUN);
            for (size_t i = first + t * RUN + 1; i < first + (t + 1) * RUN;
                 i++)
                maps[t] = then(maps[t], element(n, s.data(), u.data(), i));
        }
        order_of_shuffles(maps);
        for (size_t t = 0; t < THREADS; t++) {
            T w = t > 0 ? apply(maps[t - 1], before) : before;
            for (size_t i = first + t * RUN;
                 i < first + (t + 1) * RUN && i < n; i++)
                v[i] = w = s[i] * w + u[i];
        }
        before = apply(maps[THREADS - 1], before);
    }
    return v;
}

/* Rung known-answers: a hundred values of the classic program
 *
 * s and u come from `rand()`, in turn, times 2. The course gives the values
 * v[0], v[1], v[2] and v[99], and v[0] is u[0]. `one-block` computes them
 * in f64. The program of the course also begins with v[0] = u[0], whatever
 * s[0] is.
 */
static std::string known_answers(climb &c) {
    std::vector<double> s(100), u(100), v(100);
    const std::vector<int> numbers = ladder_gnu_rand(200);
    for (size_t i = 0; i < 100; i++) {
        s[i] = 2 * (numbers[2 * i] / 2147483647.0);
        u[i] = 2 * (numbers[2 * i + 1] / 2147483647.0);
    }
    double *const to = c.output<double>(v.size());
    slice_by_slice<double, in_shared>
        <<<1, THREADS>>>(v.size(), c.input(s), c.input(u), to);
    c.fetch(v.data(), to, v.size() * sizeof v[0]);
    const double known[][2] = {{0, 0.788765853638186},
                               {1, 2.83224392237486},
                               {2, 5.55911811631788},
                               {99, 13.0469392478383}};
    for (const auto &[i, value] : known)
        if (!(fabs(v[(size_t)i] - value) <= 1e-13 * value))
            return "not the classic program's values";
    char text[200];
    snprintf(text, sizeof text,
             "v[0] = %.14g, v[1] = %.14g, v[2] = %.14g, v[99] = %.14g",
             v[0], v[1], v[2], v[99]);
    return text;
}

/* Rung weft: weft_recurrence, an operation of this library
 *
 * The loop computes groups of 16 elements, with fused multiply-adds. The
 * groups are combined in base 16 (ORDER.md 9). v[i] depends only on the
 * elements up to i. It depends neither on n nor on the launch.
 * `weft_recurrence` computes many rows at once, forward or in reverse.
 */
static weft_status weft_follow(weft_context *ctx, weft_dtype dtype,
                               size_t n, const void *s, const void *u,
                               void *v) {
    return weft_recurrence(ctx, WEFT_FORWARD, dtype, 1, n, s, u, NULL, v);
}

/* Rung cub: cub::DeviceScan::InclusiveScan of maps,
 * from NVIDIA's library CUB
 *
 * CUB scans with any associative operation. It reads through an iterator
 * that makes a map of s[i] and u[i]. Its output is an array of maps, twice
 * the size of the result. A kernel extracts v from them. CUB does not state
 * its order. So s is -1, 0 or 1, and u is a small whole number. Then no
 * operation rounds.
 */
#if !defined WEFT_EXECUTOR && __has_include(<cub/device/device_scan.cuh>)
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

template <class T> struct make_map {
    const T *s, *u;
    __host__ __device__ affine<T> operator()(size_t i) const {
        return {s[i], u[i]};
    }
};
struct join_maps {
    template <class T>
    __host__ __device__ affine<T> operator()(affine<T> f,
                                             affine<T> g) const {
        return then(f, g);
    }
};

template <class T>
__global__ void take_values(size_t n, const affine<T> *maps, T *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = maps[i].u;
}

template <class T>
static void cub_scan(size_t n, const T *s, const T *u, affine<T> *maps,
                     T *v) {
    const auto each = thrust::make_transform_iterator(
        thrust::counting_iterator<size_t>(0), make_map<T>{s, u});
    ladder_with_workspace([&](void *workspace, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(workspace, bytes, each, maps,
                                              join_maps{}, n);
    });
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    take_values<<<blocks, THREADS>>>(n, maps, v);
}
#else
template <class T>
static void cub_scan(size_t, const T *, const T *, affine<T> *, T *) {
    throw ladder_absent("this build had no CUB");
}
#endif

/* Exercises
 *
 * 1. Combine three maps in both ways on paper: (f then g) then h, and f
 *    then (g then h). Where does the rounding differ?
 * 2. Run `weft ladder recurrence --dtype u64`. In which rungs does the
 *    result depend on the order now?
 * 3. Let s be 1 for all elements. What does the recurrence compute? Which
 *    faulty rung is right? Now let s be 2, with 2000 elements of f64. Which
 *    combined map overflows, although no v overflows?
 * 4. No rung fails without the first `__syncthreads` of `by_shuffles`.
 *    Which kind of kernel needs it?
 * 5. Each block of `chain` could also publish the map of its slice. Which
 *    maps must a waiting block combine? (Topic one-pass-recurrence does
 *    this.)
 */

/* Climbing the rungs. */
template <class T> static std::vector<T> values(size_t n, unsigned seed) {
    if constexpr (!std::is_same_v<T, uint64_t>)
        return ladder_values<T>(n, seed);
    std::vector<T> v;
    for (const int x : ladder_values<int>(n, seed))
        v.push_back((T)x * (T)0x9e3779b97f4a7c15u);
    return v;
}

/* Runs the rung cub, with arrays of its own. */
template <class T> static void climb_cub(climb &c, affine<T> *maps, T *v) {
    std::vector<T> signs;
    for (const int x : ladder_values<int>(c.n, 3))
        signs.push_back((T)(x % 2));
    const std::vector<T> whole(signs.rbegin(), signs.rend());
    const T *const s = c.input(signs), *const u = c.input(whole);
    const ladder_claim by_loop = [&] {
        return c.holds(v, order_of_loop(signs, whole));
    };
    c.rung("cub", by_loop, [=, &c] { cub_scan(c.n, s, u, maps, v); },
           {.gpu_only = true});
}

template <class T> static void climb_as(climb &c) {
    const size_t n = c.n, slices = blocks_for<size_t>(n, THREADS);
    const std::vector<T> factors = values<T>(n, 1), terms = values<T>(n, 2);
    const T *const s = c.input(factors), *const u = c.input(terms);
    T *const v = c.output<T>(n), *const at = c.output<T>(slices);
    affine<T> *const maps = c.output<affine<T>>(n);
    unsigned *const flags = c.output<unsigned>(slices + 1);
    c.work(3.0 * (double)(n * sizeof(T)), 2 * (double)n);

    const ladder_claim by_loop = [&] {
        return c.holds(v, order_of_loop(factors, terms));
    };
    /* Whole numbers have one result, that of the loop, which uses none of
     * the functions of the kernels. */
    const bool whole = !std::is_floating_point_v<T>;
    const ladder_claim by_slices = [&] {
        if (whole) return by_loop();
        return c.holds(v,
                       order_of_slices(factors, terms, order_of_shared<T>));
    };
    const ladder_claim by_warps = [&] {
        if (whole) return by_loop();
        return c.holds(
            v, order_of_slices(factors, terms, order_of_shuffles<T>));
    };
    const ladder_claim by_runs = [&] {
        if (whole) return by_loop();
        return c.holds(v, order_of_runs(factors, terms));
    };
    const ladder_limits slow = {.most = (size_t)1 << 20};

    c.rung(
        "one-thread", by_loop, [=] { follow<<<1, 1>>>(n, s, u, v); }, slow);
    c.rung(
        "one-block", by_slices,
        [=] { slice_by_slice<T, in_shared><<<1, THREADS>>>(n, s, u, v); },
        slow);
    c.faulty("one-barrier", by_slices, [=] {
        three_launches<in_shared_with_one_barrier>(n, s, u, maps, at, v);
    });
    c.faulty(
        "swapped", by_slices,
        [=] { three_launches<in_shared_swapped>(n, s, u, maps, at, v); },
        {.least = 2});
    c.rung("three-launches", by_slices,
           [=] { three_launches<in_shared>(n, s, u, maps, at, v); });
    c.rung("shuffles", by_warps,
           [=] { three_launches<by_shuffles>(n, s, u, maps, at, v); });
    c.rung("chain", by_warps, [=] { chain(n, s, u, v, flags, at); });
    c.faulty("block-order", by_warps,
             [=] { block_order(n, s, u, v, flags, at); },
             {.least = THREADS + 1, .executor_only = true});
    c.rung("runs", by_runs, [=] { runs(n, s, u, v, flags, at); });
    c.lesson("known-answers", [&] { return known_answers(c); });
    if constexpr (std::is_floating_point_v<T>) {
        const ladder_claim as_specified = [&] {
            std::vector<T> expected(n);
            c.specified(weft_follow(c.ref(), c.dtype, n, factors.data(),
                                    terms.data(), expected.data()));
            return c.holds(v, expected);
        };
        c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
            return weft_follow(ctx, c.dtype, n, s, u, v);
        });
    }
    climb_cub(c, maps, v);
}

void climb_recurrence(climb &c) {
    if (c.dtype == WEFT_F32) return climb_as<float>(c);
    if (c.dtype == WEFT_U64) return climb_as<uint64_t>(c);
    climb_as<double>(c);
}
