/* Kernel of weft_reduce_lanes (ORDER.md 3.4). A row contains one element of each lane. A block reduces 2^c rows to
 * one row; src/cpu/reduce_lanes.c explains why this is a part of the tree.
 *
 *     pack     V adjacent lanes of a row: a load of 16 bytes, or one element if x or the lanes do not allow it
 *     thread   one pack of LANE_BATCH rows at a time, whose loads are in flight together. The rows combine in
 *              registers, and the batches by a binary counter
 *     block    groups of threads have adjacent ranges of rows, and combine through shared memory
 *     launch   the last block to finish reduces the rows of all blocks and then the lanes, if these rows are few;
 *              otherwise they are the input of another launch
 *
 * Every byte of the input is read once. Absent elements have the value of the identity. */
#ifndef WEFT_CUDA_REDUCE_LANES_CUH
#define WEFT_CUDA_REDUCE_LANES_CUH

#include "cuda/reduce/sums.cuh"
#include "cuda/runtime/overlap.cuh"

/* Threads of a block. The emulated GPU of the tests uses fewer, and other limits in reduce_lanes.cu, so that short
 * inputs need several blocks and launches. */
#ifndef LANE_THREADS
#define LANE_THREADS 256
#endif

enum {
    LANE_BATCH_LOG = 4,
    LANE_BATCH = 1 << LANE_BATCH_LOG, /* rows of a thread whose loads are in flight together */
    LANE_BATCHES_LOG = 4,             /* a thread has at most 2^LANE_BATCHES_LOG batches */
    LANE_BLOCKS = 2                   /* blocks per multiprocessor, which bounds the registers */
};

/* Division of rows among the threads of a block. Thread t has pack t % packs of group t / packs. If a row has more
 * packs than a block has threads, there is one group, and a thread has several packs. */
struct lane_shape {
    uint32_t packs, groups; /* packs of a row; groups of threads, a power of two */
    uint32_t batches_log;   /* a thread has 2^batches_log batches */
};

struct lane_params {
    const void *x;
    uint64_t n;
    uint32_t lanes;
    bool last;                    /* the last block computes the result */
    lane_shape shape, last_shape; /* last_shape: of the last block, for the rows of all blocks */
    void *rows;                   /* one row for each block */
    unsigned *ticket;             /* number of finished blocks; 0 between launches */
    void *out;
};

/* V lanes of one thread. */
template <class A, int V> struct lane_pack { A lane[V]; };

template <class Op, class A, int V>
static __device__ __forceinline__ lane_pack<A, V> combine_packs(const Op &op, const lane_pack<A, V> &a,
                                                                const lane_pack<A, V> &b) {
    lane_pack<A, V> v;
#pragma unroll
    for (int l = 0; l < V; l++) v.lane[l] = op.combine(a.lane[l], b.lane[l]);
    return v;
}

/* Loads the pack at x, of which `present` elements exist, with the identity in place of the others. OWN: a block of
 * this launch may have written it. */
template <int V, bool OWN, class Op, class T>
static __device__ __forceinline__ pack<T, V> load_some(const Op &op, const T *x, int32_t present) {
    pack<T, V> v;
    if (!OWN && present >= V) return load_pack<T, V>(x);
#pragma unroll
    for (int l = 0; l < V; l++) v.element[l] = l < present ? __ldcg(x + l) : (T)op.identity();
    return v;
}

/* Reduces a batch. x points to a pack of its first row, and `present` elements exist from there on. COMPLETE: all
 * elements of the batch exist. */
template <int V, bool COMPLETE, bool OWN, class Op, class T>
static __device__ __forceinline__ lane_pack<typename Op::value, V> reduce_batch(const Op &op, const T *x,
                                                                                uint32_t lanes, int32_t present) {
    pack<T, V> row[LANE_BATCH];
    lane_pack<typename Op::value, V> held[LANE_BATCH_LOG + 1], v;
#pragma unroll
    for (int r = 0; r < LANE_BATCH; r++, x += lanes, present -= (int32_t)lanes)
        row[r] = COMPLETE ? load_pack<T, V>(x) : load_some<V, OWN>(op, x, present);
#pragma unroll
    for (int r = 0; r < LANE_BATCH; r++) {
        int level = 0;
#pragma unroll
        for (int l = 0; l < V; l++) v.lane[l] = (typename Op::value)row[r].element[l];
#pragma unroll
        for (; r >> level & 1; level++) v = combine_packs(op, held[level], v);
        held[level] = v;
    }
    return v;
}

/* Reduces the batches of a thread. x points to the thread's pack of its first row; `present` elements exist from
 * there on, none if it is negative.
 *
 * held[k] contains the value of the last 2^k batches after a batch whose number ends with a 0 and k ones in binary.
 * Levels above k also receive values, which a later batch replaces before it reads them. Every level is read by the
 * last batch, whose number has only ones. */
template <int V, bool OWN, class Op, class T>
static __device__ __forceinline__ lane_pack<typename Op::value, V>
reduce_batches(const Op &op, const T *x, uint32_t lanes, int64_t present, uint32_t batches_log) {
    const int32_t step = LANE_BATCH * (int32_t)lanes;
    lane_pack<typename Op::value, V> held[LANE_BATCHES_LOG], v;
#pragma unroll 1
    for (uint32_t b = 0; b < 1u << batches_log; b++, x += step, present -= step) {
        if (!OWN && present >= step)
            v = reduce_batch<V, true, OWN>(op, x, lanes, 0);
        else
            v = reduce_batch<V, false, OWN>(op, x, lanes, present > step ? step : present > 0 ? (int32_t)present : 0);
#pragma unroll
        for (int level = 0; level < LANE_BATCHES_LOG; level++)
            if (b >> level & 1)
                v = combine_packs(op, held[level], v);
            else
                held[level] = v;
    }
    return v;
}

/* Combines the packs of the groups; group 0 returns the result. All threads of the block must call it. Threads of the
 * groups from `groups` on take no part. */
template <int V, class Op, class A>
static __device__ __forceinline__ lane_pack<A, V> combine_groups(const Op &op, const lane_shape &s, uint32_t group,
                                                                 lane_pack<A, V> v) {
    __shared__ lane_pack<A, V> area[LANE_THREADS];
    for (uint32_t distance = 1; distance < s.groups; distance *= 2) {
        area[threadIdx.x] = v;
        __syncthreads();
        if (group % (2 * distance) == 0 && group < s.groups)
            v = combine_packs(op, v, area[threadIdx.x + distance * s.packs]);
        __syncthreads();
    }
    return v;
}

/* Reduces the n elements at x, at most the rows of a block, to the row `to`. */
template <int V, bool OWN, class Op, class T>
static __device__ __forceinline__ void reduce_block(const Op &op, const T *x, int64_t n, uint32_t lanes,
                                                    const lane_shape &s, typename Op::value *to) {
    typedef typename Op::value A;
    const bool wide = s.packs > LANE_THREADS;
    const uint32_t group = wide ? 0 : threadIdx.x / s.packs, passes = wide ? (s.packs - 1) / LANE_THREADS + 1 : 1;
    for (uint32_t pass = 0; pass < passes; pass++) {
        const uint32_t at = wide ? pass * LANE_THREADS + threadIdx.x : threadIdx.x % s.packs;
        const bool taken = group < s.groups && at < s.packs;
        lane_pack<A, V> v;
#pragma unroll
        for (int l = 0; l < V; l++) v.lane[l] = op.identity();
        if (taken) {
            const int64_t first = ((int64_t)group * LANE_BATCH << s.batches_log) * lanes + (int64_t)at * V;
            v = reduce_batches<V, OWN>(op, x + first, lanes, n - first, s.batches_log);
        }
        v = combine_groups(op, s, group, v);
        if (taken && group == 0)
#pragma unroll
            for (int l = 0; l < V; l++) to[(uint64_t)at * V + l] = v.lane[l];
    }
}

static __device__ __forceinline__ float canonical(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double canonical(double v) { return weft_canonical_f64(v); }

/* Reduces the rows of all blocks, then the lanes. Run by the last block of the last launch. */
template <class Op> static __device__ void finish_lanes(const Op &op, const lane_params &p) {
    typedef typename Op::value A;
    __shared__ A lane[WEFT_REDUCE_LANES_MAX];
    reduce_block<1, true>(op, (const A *)p.rows, (int64_t)gridDim.x * p.lanes, p.lanes, p.last_shape, lane);
    for (uint32_t distance = 1; distance < p.lanes; distance *= 2) {
        __syncthreads();
        for (uint32_t l = 2 * distance * threadIdx.x; l + distance < p.lanes; l += 2 * distance * LANE_THREADS)
            lane[l] = op.combine(lane[l], lane[l + distance]);
    }
    __syncthreads();
    if (threadIdx.x == 0) *(A *)p.out = canonical(lane[0]);
}

/* The ticket is that of combine.cuh: the block with the last number sees the rows of all blocks. */
template <class Op, int V>
static __global__ void __launch_bounds__(LANE_THREADS, LANE_BLOCKS)
    reduce_lanes_kernel(const __grid_constant__ lane_params p) {
    typedef typename Op::element T;
    __shared__ bool is_last;
    const Op op{reduce_params()};
    const int64_t rows = (int64_t)p.shape.groups * LANE_BATCH << p.shape.batches_log;
    const int64_t first = (int64_t)blockIdx.x * rows * p.lanes;
    wait_for_stream();
    reduce_block<V, false>(op, (const T *)p.x + first, (int64_t)p.n - first, p.lanes, p.shape,
                           (typename Op::value *)p.rows + (uint64_t)blockIdx.x * p.lanes);
    if (!p.last) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicInc(p.ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) finish_lanes(op, p);
}

#endif
