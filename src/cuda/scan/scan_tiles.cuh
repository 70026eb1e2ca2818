/* Prefix scan on a GPU in one pass over memory (ORDER.md 6), wherever its elements come from: an array
 * (scan.cuh) or a formula (map_scan.cuh).
 *
 * A block takes up to SCAN_TILES_MAX adjacent tiles of 16^3 elements by ticket, so that every tile before them
 * belongs to a block that already runs. Waiting for those tiles therefore ends, whatever order blocks start in. A
 * block reads its elements once, publishes its tiles' totals, computes the prefix before its tiles from published
 * totals, and writes once. A tile needs totals only, never the prefix of the tile before it, so there is no serial
 * chain.
 *
 *     thread   16 elements, a group, in registers                   digit 0 of the element's number
 *     16 lanes 16 groups, by shuffles                               digit 1
 *     block    16 half warps, by shuffles in each warp              digit 2
 *     grid     totals of tiles, by all warps                         digits 3, 4, ... (scan_look_back.cuh)
 *
 * The elements are kept in shared memory, because registers would hold fewer of them. The number of bytes in flight
 * while totals are awaited determines how busy memory is.
 *
 * An operator Op (scan_ops.cuh) has
 *     element, value, result     types of x, of the values that are combined (4 or 8 bytes), of y
 *     Op(params)                 takes its parameters
 *     load(x), enter(init)       an element, an initial value, as a value
 *     combine(a, b), identity()  combines values; the value that changes no bit of another
 *     store(v), empty()          the element of y for a value; y[0] of an exclusive scan without an initial value
 * and a source From has one function,
 *     fill(a, start, tiles, buffer)  copies the warp's part of each of the block's tiles, the first of which begins
 * at `start`, to buffer[tile][warp]. After the end of x it may leave any elements: their prefixes are never stored.
 * One thread also prefetches to L2 the input of the block `prefetch_distance` positions later.
 *
 * Traffic: n elements read, n written; of totals, 8 or 16 bytes a tile written and up to 255 times that read,
 * all in the L2 cache. */
#ifndef WEFT_CUDA_SCAN_TILES_CUH
#define WEFT_CUDA_SCAN_TILES_CUH

#include "cuda/scan/scan_look_back.cuh"

/* Adapts an operator to scan_look_back.cuh: a prefix is a value of the type of totals. */
template <class Op> struct scanned {
    typedef typename Op::value value;
    typedef value carried;
    const Op &op;
    __device__ value combine(value a, value b) const { return op.combine(a, b); }
    __device__ value apply(value total, value before) const { return op.combine(before, total); }
};

/* Returns the value before the first element. */
template <class Op> static __device__ typename Op::value scan_init(const Op &op, const scan_params &a) {
    typename Op::result init;
    memcpy(&init, &a.init, sizeof init);
    return a.has_init ? op.enter(init) : op.identity();
}

/* ------------------------------------------------------------------- moving tiles in and out */

/* Returns the index of 16-byte chunk j of the group of lane `owner` in the warp's buffer. A group has
 * CHUNKS = sizeof(element) chunks. With this order, loading by rows and storing by groups both access all banks. */
template <int CHUNKS> __device__ __forceinline__ int scan_chunk_index(int owner, int j) {
    return owner * CHUNKS + ((j + owner * CHUNKS / 8) & (CHUNKS - 1));
}

/* Returns the index of element i of the warp's 512 in its buffer, which is an array of T. */
template <class T> __device__ __forceinline__ int scan_element_index(int i) {
    const int bytes = i % WEFT_SCAN_GROUP * (int)sizeof(T);
    const int chunk = scan_chunk_index<sizeof(T)>(i / WEFT_SCAN_GROUP, bytes / 16);
    return (chunk * 16 + bytes % 16) / (int)sizeof(T);
}

/* The elements of a 16-byte chunk. */
template <class T> struct scan_chunk {
    static constexpr int COUNT = 16 / sizeof(T);
    T element[COUNT];
    __device__ scan_chunk() {}
    __device__ explicit scan_chunk(uint4 bits) { memcpy(element, &bits, sizeof bits); }
    __device__ uint4 bits() const {
        uint4 b;
        memcpy(&b, element, sizeof b);
        return b;
    }
};

/* Returns true if the warp's 512 elements from `start` can be moved in 16-byte chunks. */
static __device__ __forceinline__ bool scan_in_chunks(const scan_params &a, uint64_t start) {
    return a.vectors && start + SCAN_PART <= a.n;
}

/* Loads elements 16 l .. 16 l + 15 of the 512 in the buffer to lane l. */
template <class Op>
static __device__ __forceinline__ void scan_take(const Op &op, const uint4 *buffer,
                                                 typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::element T;
    constexpr int CHUNKS = sizeof(T);
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        const scan_chunk<T> chunk(buffer[scan_chunk_index<CHUNKS>(threadIdx.x % 32, j)]);
#pragma unroll
        for (int e = 0; e < scan_chunk<T>::COUNT; e++) v[j * scan_chunk<T>::COUNT + e] = op.load(chunk.element[e]);
    }
}

/* Returns the first element of the block `prefetch_distance` positions after the one that begins at `start`, or 0 if
 * it has fewer than block_tiles full tiles or prefetching is off. */
static __device__ __forceinline__ uint64_t scan_prefetch_start(const scan_params &a, uint64_t start) {
    const uint64_t block = (uint64_t)a.block_tiles * SCAN_TILE, from = start + a.prefetch_distance * block;
    return a.prefetch_distance && from + block <= a.n ? from : 0;
}

/* Stores results 16 l .. 16 l + 15 of the warp's 512 from lane l to the buffer. */
template <class Op>
__device__ __forceinline__ void scan_stage(const Op &op, uint4 *buffer,
                                           const typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::result R;
    enum { CHUNKS = sizeof(R) };
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        scan_chunk<R> chunk;
#pragma unroll
        for (int e = 0; e < scan_chunk<R>::COUNT; e++) chunk.element[e] = op.store(v[j * scan_chunk<R>::COUNT + e]);
        buffer[scan_chunk_index<CHUNKS>(threadIdx.x % 32, j)] = chunk.bits();
    }
}

/* Copies the warp's 512 results from the buffer to y, which must be aligned to 16 bytes. */
template <class R> __device__ __forceinline__ void scan_store_chunks(const uint4 *buffer, R *y) {
    enum { CHUNKS = sizeof(R) };
#pragma unroll
    for (int r = 0; r < CHUNKS; r++) {
        const int c = r * 32 + threadIdx.x % 32;
        ((uint4 *)y)[c] = buffer[scan_chunk_index<CHUNKS>(c / CHUNKS, c % CHUNKS)];
    }
}

/* Copies those of the warp's 512 results whose number is at least `from` and less than `to` from the buffer to y. */
template <class R> __device__ __forceinline__ void scan_store_elements(const uint4 *buffer, R *y, int from, int to) {
#pragma unroll 4
    for (int r = 0; r < WEFT_SCAN_GROUP; r++) {
        const int i = r * 32 + threadIdx.x % 32;
        if (i >= from && i < to) y[i] = ((const R *)buffer)[scan_element_index<R>(i)];
    }
}

/* Writes results 16 l .. 16 l + 15 of the warp's 512 from lane l, through the buffer, to y. */
template <class Op>
__device__ __forceinline__ void scan_write(const Op &op, const scan_params &a, uint64_t start, uint4 *buffer,
                                           const typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::result R;
    scan_stage(op, buffer, v);
    if (a.exclusive && !a.has_init && a.first_tile == 0 && start == 0 && threadIdx.x % 32 == 0)
        *(R *)&buffer[scan_chunk_index<sizeof(R)>(0, 0)] = op.empty();
    __syncwarp();
    if (scan_in_chunks(a, start))
        scan_store_chunks(buffer, (R *)a.y + start);
    else if (start < a.n)
        scan_store_elements(buffer, (R *)a.y + start, 0, (int)min((uint64_t)SCAN_PART, a.n - start));
}

/* --------------------------------------------------------------------------------- the kernel */

/* Shared memory of a block. */
template <class Op> struct scan_shared {
    typedef typename Op::value A;
    static constexpr int WIDEST = sizeof(typename Op::element) > sizeof(typename Op::result)
                                      ? sizeof(typename Op::element)
                                      : sizeof(typename Op::result);
    typedef uint4 part[32 * WIDEST]; /* a warp's part of a tile: 512 elements or results */
    A halves[SCAN_TILES_MAX][16];    /* totals of half warps */
    scan_lookback_shared<A> lookback;
    uint32_t ticket;
    /* One entry for each tile of the block. Without alignment to lines of 128 bytes an H200 lost 6 % of its speed. */
    alignas(128) part buffer[1][SCAN_WARPS];
};

/* Turns the scan `v` within the thread's group to the results of its elements. `groups` and `halves` are the scans of
 * the totals of groups and of half warps. `before` and `next` are the prefixes before and after the tile. */
template <class Op>
static __device__ __forceinline__ void
scan_results(const Op &op, const scan_params &a, typename Op::value before, typename Op::value next,
             typename Op::value groups, typename Op::value halves, typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::value A;
    const int group = threadIdx.x % 16, half = threadIdx.x / 16;
    const A groups_before = __shfl_up_sync(0xffffffffu, groups, 1, 16);
    const A halves_before = __shfl_sync(0xffffffffu, halves, half ? half - 1 : 0);
    const A halves_with = __shfl_sync(0xffffffffu, halves, half);
    const A to_half = half ? op.combine(before, halves_before) : before;
    const A to_group = group ? op.combine(to_half, groups_before) : to_half;
    const A to_next = group < 15 ? op.combine(to_half, groups) : half < 15 ? op.combine(before, halves_with) : next;
    if (a.exclusive) {
#pragma unroll
        for (int j = WEFT_SCAN_GROUP - 1; j >= 1; j--) v[j] = op.combine(to_group, v[j - 1]);
        v[0] = to_group;
    } else {
#pragma unroll
        for (int j = 0; j < WEFT_SCAN_GROUP - 1; j++) v[j] = op.combine(to_group, v[j]);
        v[WEFT_SCAN_GROUP - 1] = to_next;
    }
}

/* Returns the total of a group: the last value of scan_registers, without computing the others. */
template <class Op>
static __device__ __forceinline__ typename Op::value scan_total(const Op &op,
                                                                typename Op::value (&v)[WEFT_SCAN_GROUP]) {
#pragma unroll
    for (int w = 1; w < WEFT_SCAN_GROUP; w *= 2)
#pragma unroll
        for (int j = 0; j < WEFT_SCAN_GROUP; j++) /* constant bounds, so that v stays in registers */
            if (j % (2 * w) == 2 * w - 1) v[j] = op.combine(v[j - w], v[j]);
    return v[WEFT_SCAN_GROUP - 1];
}

/* Computes the totals of the half warps' groups, from the warp's part of one tile in `buffer`. */
template <class Op>
static __device__ __forceinline__ void scan_total_tile(const Op &op, const uint4 *buffer,
                                                       typename Op::value *half_total) {
    typename Op::value v[WEFT_SCAN_GROUP];
    scan_take(op, buffer, v);
    const typename Op::value groups = scan_lanes(op, scan_total(op, v));
    if (threadIdx.x % 16 == 15) half_total[threadIdx.x / 16] = groups;
}

/* Scans and writes a warp's part of a tile. */
template <class Op>
static __device__ __forceinline__ void scan_tile(const Op &op, const scan_params &a, uint64_t start, uint4 *buffer,
                                                 const typename Op::value *half_total, typename Op::value before,
                                                 typename Op::value next) {
    typename Op::value v[WEFT_SCAN_GROUP];
    scan_take(op, buffer, v);
    __syncwarp();
    scan_registers(op, v);
    const typename Op::value groups = scan_lanes(op, v[WEFT_SCAN_GROUP - 1]);
    const typename Op::value halves = scan_lanes(op, half_total[threadIdx.x % 16]);
    scan_results(op, a, before, next, groups, halves, v);
    scan_write(op, a, start, buffer, v);
}

/* Scans a block's tiles, which begin at element `start` of `a`. */
template <class Op, class From>
static __device__ __forceinline__ void scan_block(const Op &op, const From &from, const scan_params &a,
                                                  scan_shared<Op> &s, uint64_t start, unsigned epoch) {
    typedef typename Op::value A;
    const int warp = threadIdx.x / 32;
    const int tiles = (int)min((uint64_t)a.block_tiles, (a.n - start + SCAN_TILE - 1) / SCAN_TILE);
    from.fill(a, start, tiles, s.buffer);
    __syncwarp();
    for (int t = 0; t < tiles; t++) scan_total_tile(op, s.buffer[t][warp], s.halves[t]);
    __syncthreads();
    const scan_carry<A> carry =
        scan_lookback(scanned<Op>{op}, a.totals, a.totals.words, scan_init(op, a),
                      a.first_tile + (uint32_t)(start / SCAN_TILE), tiles, epoch, s.halves, s.lookback);
    for (int t = 0; t < tiles; t++)
        scan_tile(op, a, start + t * SCAN_TILE + warp * SCAN_PART, s.buffer[t][warp], s.halves[t], carry.before(t),
                  carry.after(t));
}

/* Scans one block's tiles and ends; then the next block starts. Blocks that stayed resident, and took the
 * next ticket while they waited or wrote, would hold tiles for which all later ones wait. Measured on an H200, that
 * took 1.7 times the time. */
template <class Op, class From>
static __device__ __forceinline__ void scan_from(const From &from, const scan_params &a) {
    scan_shared<Op> &s = *(scan_shared<Op> *)dynamic_shared();
    const Op op(a);
    const unsigned epoch = *(volatile unsigned *)&a.totals.control->epoch + 1;
    if (threadIdx.x == 0) s.ticket = atomicAdd(&a.totals.control->ticket, 1);
    __syncthreads();
    scan_block(op, from, a, s, (uint64_t)s.ticket * a.block_tiles * SCAN_TILE, epoch);
    if (threadIdx.x == 0) scan_finish_launch(a.totals, a.last);
}

#endif
