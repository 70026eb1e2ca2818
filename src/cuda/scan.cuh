/* Prefix scan on a GPU in one pass over memory (docs/ORDER.md 6).
 *
 * A block takes some adjacent tiles of 16^3 elements by ticket, so that every tile before them belongs to a
 * block that already runs: waiting for those before cannot last for ever, whatever order blocks start in. It
 * reads its elements once, publishes its tiles' totals, gathers what lies before from the published totals,
 * and writes once. A tile needs totals only, never a neighbour's prefix, so there is no serial chain.
 *
 *     thread   16 elements, a group, in registers                   digit 0 of the element's number
 *     16 lanes 16 groups, by shuffles                               digit 1
 *     block    16 half warps, by shuffles of every warp alike       digit 2
 *     grid     totals of tiles, by the block's first warp           digits 3, 4, ...
 *
 * The elements wait in shared memory: registers would hold fewer of them, and what keeps memory busy is how
 * many bytes are on their way while totals travel.
 *
 * An operator Op has
 *     element, value, result  types of x, of what is joined (4 or 8 bytes), of y
 *     Op(job)                 takes its parameters
 *     load(x), enter(init)    an element, an initial value to join
 *     join(a, b), identity()  the value of nothing, which changes no bit
 *     store(v), empty()       to y; y[0] of an exclusive scan without an initial value
 *
 * Traffic: n elements read, n written; of totals, 8 or 16 bytes a tile written and up to 255 times that read,
 * all in the L2 cache. */
#ifndef WEFT_CUDA_SCAN_CUH
#define WEFT_CUDA_SCAN_CUH

#include "core/order.h"
#include "cuda/scan_job.h"

#include <cuda_pipeline.h>
#include <stdint.h>
#include <string.h>

static_assert(WEFT_SCAN_GROUP == 16 && SCAN_TILE == 16 * 16 * 16, "threads, half warps and warps are digits");

/* ------------------------------------------------------------------------- published totals */

/* A total travels in 8-byte words of 32 bits payload and the epoch: a word is whole or not there. */
template <class A> struct scan_words {
    enum { COUNT = sizeof(A) == 8 ? 2 : 1 };
    uint64_t word[COUNT];

    __device__ static scan_words pack(A value, unsigned epoch) {
        uint32_t part[COUNT] = {0};
        memcpy(part, &value, sizeof value);
        scan_words w;
        for (int i = 0; i < COUNT; i++) w.word[i] = (uint64_t)epoch << 32 | part[i];
        return w;
    }

    __device__ bool holds(unsigned epoch) const {
        bool all = true;
        for (int i = 0; i < COUNT; i++) all = all && (unsigned)(word[i] >> 32) == epoch;
        return all;
    }

    __device__ A value() const {
        uint32_t part[COUNT];
        for (int i = 0; i < COUNT; i++) part[i] = (uint32_t)word[i];
        A value;
        memcpy(&value, part, sizeof value);
        return value;
    }

    __device__ void store(uint64_t *words, size_t total) const {
        for (int i = 0; i < COUNT; i++)
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words + total * COUNT + i), "l"(word[i])
                         : "memory");
    }

    __device__ static scan_words load(const uint64_t *words, size_t total) {
        scan_words w;
        for (int i = 0; i < COUNT; i++)
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(w.word[i])
                         : "l"(words + total * COUNT + i)
                         : "memory");
        return w;
    }
};

/* --------------------------------------------------------------------------- groups of 16 */

/* The scan of a group by distances 1, 2, 4, 8, in one thread's registers. */
template <class Op>
__device__ __forceinline__ void scan_registers(const Op &op, typename Op::value (&v)[WEFT_SCAN_GROUP]) {
#pragma unroll
    for (int w = 1; w < WEFT_SCAN_GROUP; w *= 2)
#pragma unroll
        for (int j = WEFT_SCAN_GROUP - 1; j >= 1; j--) /* constant bounds, so that v stays in registers */
            if (j >= w) v[j] = op.join(v[j - w], v[j]);
}

/* The same over 16 lanes, lower and upper half of the warp each for itself. */
template <class Op> __device__ __forceinline__ typename Op::value scan_lanes(const Op &op, typename Op::value v) {
    const int lane = threadIdx.x % 16;
#pragma unroll
    for (int w = 1; w < 16; w *= 2) {
        const typename Op::value left = __shfl_up_sync(0xffffffffu, v, w, 16);
        if (lane >= w) v = op.join(left, v);
    }
    return v;
}

/* -------------------------------------------------------------------------- what lies before */

/* The value before everything. */
template <class Op> static __device__ typename Op::value scan_init(const Op &op, const scan_job &a) {
    typename Op::result init;
    memcpy(&init, &a.init, sizeof init);
    return a.has_init ? op.enter(init) : op.identity();
}

/* Digit k of a tile's number: how many totals of level k it needs. */
static __device__ __forceinline__ int scan_digit(uint32_t tile, int k) { return tile >> 4 * k & 15; }

/* What one level gives to the block: the scan of its totals without the block's tiles, and with them. */
template <class A> struct scan_part { A before, with; };

/* Level 0 from the up to 255 totals that lie before the block's first tile in its 256, and level 1 from the
 * same: the totals of sixteen tiles are made here by every block for itself, which spares a step of publishing.
 * Lane j gets the scan of level 0 of its sixteen tiles up to tile j of them; `level_1` is valid in every lane. */
template <class Op>
static __device__ typename Op::value scan_gather_near(const Op &op, const scan_job &a, uint32_t tile, unsigned epoch,
                                                      const typename Op::value *own,
                                                      scan_part<typename Op::value> &level_1) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, near = tile & 255, block = scan_digit(tile, 1);
    const uint64_t first = a.level_start[0] + (tile & ~255u) + lane;
    scan_words<A> w[8];
#pragma unroll
    for (int q = 0; q < 8; q++)
        if (q * 32 + lane < near) w[q] = scan_words<A>::load(a.words, first + q * 32);
    A sixteen = own[0], level_0 = own[0]; /* lane b: the total of the b-th sixteen tiles */
#pragma unroll
    for (int q = 0; q < 8; q++) {
        if (q > block / 2) break;
        const int place = q * 32 + lane - near;
        while (__any_sync(0xffffffffu, place < 0 && !w[q].holds(epoch)))
            if (place < 0) w[q] = scan_words<A>::load(a.words, first + q * 32);
        const A v = scan_lanes(op, place < 0 ? w[q].value() : own[place < SCAN_TILES_MAX ? place : 0]);
        const A total = __shfl_sync(0xffffffffu, v, lane % 2 * 16 + 15);
        if (lane / 2 == q) sixteen = total;
        if (q == block / 2) level_0 = __shfl_sync(0xffffffffu, v, block % 2 * 16 + lane % 16);
    }
    const A v = scan_lanes(op, sixteen); /* the block's own sixteen counts where the block is their last */
    level_1.before = __shfl_sync(0xffffffffu, v, block ? block - 1 : 0);
    level_1.with = __shfl_sync(0xffffffffu, v, block);
    return level_0;
}

/* Folds all that lies before each of the block's tiles, and publishes the totals of 256 tiles and more that are
 * complete with them. Called by one whole warp. `carry` gets the prefix up to each tile and up to the tile after
 * the last. From level 2 on, the lower half warp fetches the even levels, the upper half the odd ones, all of
 * them at once, since most have long been there. */
template <class Op>
static __device__ void scan_look_back(const Op &op, const scan_job &a, uint32_t tile, int tiles, unsigned epoch,
                                      const typename Op::value *own, typename Op::value *carry) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, half = lane / 16;
    scan_words<A> w[SCAN_GRID_LEVELS / 2];
#pragma unroll
    for (int r = 1; r < SCAN_GRID_LEVELS / 2; r++) {
        const int k = 2 * r + half;
        if (k < a.levels && lane % 16 < scan_digit(tile, k))
            w[r] = scan_words<A>::load(a.words, a.level_start[k] + (tile >> 4 * k & ~15u) + lane % 16);
    }
    scan_part<A> level_1;
    const A level_0 = scan_gather_near(op, a, tile, epoch, own, level_1);

    /* How many levels end with the block's last tile. */
    const uint32_t last = tile + tiles - 1;
    int whole = scan_digit(last, 0) < 15 ? 0 : scan_digit(last, 1) < 15 ? 1 : 2;
    A total = level_1.with;
    scan_part<A> part = level_1; /* lane k: of level k */
#pragma unroll
    for (int k = 2; k < SCAN_GRID_LEVELS; k++) {
        if (k >= a.levels) break;
        const int digit = scan_digit(tile, k);
        const bool needed = half == k % 2 && lane % 16 < digit;
        if (whole == k && lane == 0)
            scan_words<A>::pack(total, epoch).store(a.words, a.level_start[k] + (tile >> 4 * k));
        while (__any_sync(0xffffffffu, needed && !w[k / 2].holds(epoch)))
            if (needed)
                w[k / 2] = scan_words<A>::load(a.words, a.level_start[k] + (tile >> 4 * k & ~15u) + lane % 16);
        const A v = scan_lanes(op, needed ? w[k / 2].value() : total);
        const A before = __shfl_sync(0xffffffffu, v, k % 2 * 16 + (digit ? digit - 1 : 0));
        const A with = __shfl_sync(0xffffffffu, v, k % 2 * 16 + digit);
        if (lane == k) part.before = before, part.with = with;
        if (whole == k && digit == 15) {
            total = with;
            whole = k + 1;
        }
    }

    A before = scan_init(op, a), next = before;
    for (int k = a.levels - 1; k >= 1; k--) {
        const A part_before = __shfl_sync(0xffffffffu, part.before, k),
                part_with = __shfl_sync(0xffffffffu, part.with, k);
        if (k == whole) next = op.join(before, part_with);
        if (scan_digit(tile, k)) before = op.join(before, part_before);
        if (k > whole) next = before;
    }
    /* Lane j: the prefix up to tile j of the block's sixteen; behind the last tile a higher level may take over. */
    const A left = __shfl_up_sync(0xffffffffu, level_0, 1);
    const int digit = scan_digit(tile, 0);
    if (lane >= digit && lane < digit + tiles) carry[lane - digit] = lane ? op.join(before, left) : before;
    if (lane == digit + tiles - 1) carry[tiles] = whole ? next : op.join(before, level_0);
}

/* ------------------------------------------------------------------- moving tiles in and out */

/* Where 16-byte chunk j of the group of lane `owner` stands in the warp's buffer, so that both the way in
 * by rows and the way out by groups touch all banks. A group has CHUNKS = sizeof(element) chunks. */
template <int CHUNKS> __device__ __forceinline__ int scan_place(int owner, int j) {
    return owner * CHUNKS + ((j + owner * CHUNKS / 8) & (CHUNKS - 1));
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

/* Whether the warp's 512 elements from `start` can be moved in 16-byte chunks. */
static __device__ __forceinline__ bool scan_in_chunks(const scan_job &a, uint64_t start) {
    return a.vectors && start + SCAN_PART <= a.n;
}

/* Copies the warp's 512 elements from x + start to its buffer one by one, without waiting where they are large
 * enough for that. Behind the end of x come zeros, whose
 * prefixes nobody stores. */
template <class T> static __device__ void scan_copy(const scan_job &a, uint64_t start, uint4 *buffer) {
    T *elements = (T *)buffer;
#pragma unroll
    for (int r = 0; r < WEFT_SCAN_GROUP; r++) {
        const int i = r * 32 + threadIdx.x % 32;
        const int bytes = i % WEFT_SCAN_GROUP * (int)sizeof(T);
        const int chunk = scan_place<sizeof(T)>(i / WEFT_SCAN_GROUP, bytes / 16);
        T *to = &elements[(chunk * 16 + bytes % 16) / sizeof(T)];
        if (start + i >= a.n)
            *to = T(0);
        else if constexpr (sizeof(T) >= 4)
            __pipeline_memcpy_async(to, (const T *)a.x + start + i, sizeof(T));
        else
            *to = ((const T *)a.x)[start + i];
    }
}

/* Starts to copy them in chunks, without waiting, or copies them one by one. */
template <class Op>
static __device__ __forceinline__ void scan_fetch(const scan_job &a, uint64_t start, uint4 *buffer) {
    typedef typename Op::element T;
    constexpr int CHUNKS = sizeof(T);
    if (!scan_in_chunks(a, start)) {
        scan_copy<T>(a, start, buffer);
        return;
    }
    const uint4 *x = (const uint4 *)((const T *)a.x + start);
#pragma unroll
    for (int r = 0; r < CHUNKS; r++) {
        const int c = r * 32 + threadIdx.x % 32;
        __pipeline_memcpy_async(&buffer[scan_place<CHUNKS>(c / CHUNKS, c % CHUNKS)], &x[c], sizeof *x);
    }
}

/* Lane l gets elements 16 l .. 16 l + 15 of the 512 in the buffer. */
template <class Op>
static __device__ __forceinline__ void scan_take(const Op &op, const uint4 *buffer,
                                                 typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::element T;
    constexpr int CHUNKS = sizeof(T);
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        const scan_chunk<T> chunk(buffer[scan_place<CHUNKS>(threadIdx.x % 32, j)]);
#pragma unroll
        for (int e = 0; e < scan_chunk<T>::COUNT; e++) v[j * scan_chunk<T>::COUNT + e] = op.load(chunk.element[e]);
    }
}

/* The way back: lane l holds results 16 l .. 16 l + 15 of the warp's 512. */
template <class Op>
__device__ __forceinline__ void scan_write(const Op &op, const scan_job &a, uint64_t start, uint4 *buffer,
                                           const typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::result R;
    enum { CHUNKS = sizeof(R) };
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < CHUNKS; j++) {
        scan_chunk<R> chunk;
#pragma unroll
        for (int e = 0; e < scan_chunk<R>::COUNT; e++) chunk.element[e] = op.store(v[j * scan_chunk<R>::COUNT + e]);
        buffer[scan_place<CHUNKS>(lane, j)] = chunk.bits();
    }
    if (a.exclusive && !a.has_init && a.first_tile == 0 && start == 0 && lane == 0)
        *(R *)&buffer[scan_place<CHUNKS>(0, 0)] = op.empty();
    __syncwarp();
    if (scan_in_chunks(a, start)) {
        uint4 *y = (uint4 *)((R *)a.y + start);
#pragma unroll
        for (int r = 0; r < CHUNKS; r++) {
            const int c = r * 32 + lane;
            y[r * 32 + lane] = buffer[scan_place<CHUNKS>(c / CHUNKS, c % CHUNKS)];
        }
    } else {
        const R *elements = (const R *)buffer;
#pragma unroll
        for (int r = 0; r < WEFT_SCAN_GROUP; r++) {
            const int i = r * 32 + lane, bytes = i % WEFT_SCAN_GROUP * (int)sizeof(R);
            const int chunk = scan_place<CHUNKS>(i / WEFT_SCAN_GROUP, bytes / 16);
            if (start + i < a.n) ((R *)a.y)[start + i] = elements[(chunk * 16 + bytes % 16) / sizeof(R)];
        }
    }
}

/* --------------------------------------------------------------------------------- the kernel */

/* The last block to finish makes the control block ready for the next launch. */
static __device__ void scan_finish_launch(const scan_job &a) {
    if (atomicAdd(&a.control->done, 1) != gridDim.x - 1) return;
    a.control->ticket = 0;
    a.control->done = 0;
    if (!a.last) return;
    if (++a.control->epoch == UINT32_MAX) { /* once in four thousand million scans: forget all words */
        for (uint64_t i = 0; i < a.words_held; i++) a.words[i] = 0;
        a.control->epoch = 0;
    }
}

/* What the warps of a block tell each other. */
template <class Op> struct scan_shared {
    typedef typename Op::value A;
    static constexpr int WIDEST = sizeof(typename Op::element) > sizeof(typename Op::result)
                                      ? sizeof(typename Op::element)
                                      : sizeof(typename Op::result);
    typedef uint4 part[32 * WIDEST]; /* a warp's part of a tile: 512 elements or results */
    A half_total[SCAN_TILES_MAX][16];
    A total[SCAN_TILES_MAX];
    A carry[SCAN_TILES_MAX + 1];
    uint32_t ticket;
    /* As many tiles as a block takes; on lines of 128 bytes, without which an H200 lost 6 % of its speed. */
    alignas(128) part buffer[1][SCAN_WARPS];
};

/* Prefixes of a group's elements, from the scan `v` within the group; `groups` and `halves` are the scans of
 * totals that contain it. */
template <class Op>
static __device__ __forceinline__ void
scan_results(const Op &op, const scan_job &a, typename Op::value before, typename Op::value next,
             typename Op::value groups, typename Op::value halves, typename Op::value (&v)[WEFT_SCAN_GROUP]) {
    typedef typename Op::value A;
    const int group = threadIdx.x % 16, half = threadIdx.x / 16;
    const A groups_before = __shfl_up_sync(0xffffffffu, groups, 1, 16);
    const A halves_before = __shfl_sync(0xffffffffu, halves, half ? half - 1 : 0);
    const A halves_with = __shfl_sync(0xffffffffu, halves, half);
    const A to_half = half ? op.join(before, halves_before) : before;
    const A to_group = group ? op.join(to_half, groups_before) : to_half;
    const A to_next = group < 15 ? op.join(to_half, groups) : half < 15 ? op.join(before, halves_with) : next;
    if (a.exclusive) {
#pragma unroll
        for (int j = WEFT_SCAN_GROUP - 1; j >= 1; j--) v[j] = op.join(to_group, v[j - 1]);
        v[0] = to_group;
    } else {
#pragma unroll
        for (int j = 0; j < WEFT_SCAN_GROUP - 1; j++) v[j] = op.join(to_group, v[j]);
        v[WEFT_SCAN_GROUP - 1] = to_next;
    }
}

/* The total of a group: the last value of scan_registers, without the others. */
template <class Op>
static __device__ __forceinline__ typename Op::value scan_total(const Op &op,
                                                                typename Op::value (&v)[WEFT_SCAN_GROUP]) {
#pragma unroll
    for (int w = 1; w < WEFT_SCAN_GROUP; w *= 2)
#pragma unroll
        for (int j = 0; j < WEFT_SCAN_GROUP; j++) /* constant bounds, so that v stays in registers */
            if (j % (2 * w) == 2 * w - 1) v[j] = op.join(v[j - w], v[j]);
    return v[WEFT_SCAN_GROUP - 1];
}

/* The totals of one tile's groups, a warp's part of it, and the totals of its half warps. */
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
static __device__ __forceinline__ void scan_tile(const Op &op, const scan_job &a, uint64_t start, uint4 *buffer,
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

/* Publishes the totals of the block's tiles and finds what lies before them. One warp. */
template <class Op>
static __device__ void scan_meet(const Op &op, const scan_job &a, scan_shared<Op> &s, uint32_t tile, int tiles,
                                 unsigned epoch) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32;
    for (int t = 0; t < tiles; t++) {
        const A total = __shfl_sync(0xffffffffu, scan_lanes(op, s.half_total[t][lane % 16]), 15);
        if (lane == t) {
            scan_words<A>::pack(total, epoch).store(a.words, a.level_start[0] + tile + t);
            s.total[t] = total;
        }
    }
    __syncwarp();
    scan_look_back(op, a, tile, tiles, epoch, s.total, s.carry);
}

/* Scans a block's tiles, which begin at element `start` of the job. */
template <class Op>
static __device__ __forceinline__ void scan_block(const Op &op, const scan_job &a, scan_shared<Op> &s, uint64_t start,
                                                  unsigned epoch) {
    const int warp = threadIdx.x / 32;
    const int tiles = (int)min((uint64_t)a.block_tiles, (a.n - start + SCAN_TILE - 1) / SCAN_TILE);
    for (int t = 0; t < tiles; t++) scan_fetch<Op>(a, start + t * SCAN_TILE + warp * SCAN_PART, s.buffer[t][warp]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    for (int t = 0; t < tiles; t++) scan_total_tile(op, s.buffer[t][warp], s.half_total[t]);
    __syncthreads();
    if (warp == 0) scan_meet(op, a, s, a.first_tile + (uint32_t)(start / SCAN_TILE), tiles, epoch);
    __syncthreads();
    for (int t = 0; t < tiles; t++)
        scan_tile(op, a, start + t * SCAN_TILE + warp * SCAN_PART, s.buffer[t][warp], s.half_total[t], s.carry[t],
                  s.carry[t + 1]);
}

/* A block ends with its tiles, and another takes its place. Blocks that stayed, and took the next ticket while
 * they waited or wrote, would hold tiles for which all behind them wait: measured on an H200, 1.7 times the
 * time. */
template <class Op>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS) scan_kernel(const __grid_constant__ scan_job a) {
    extern __shared__ uint4 dynamic[];
    scan_shared<Op> &s = *(scan_shared<Op> *)dynamic;
    const Op op(a);
    const unsigned epoch = *(volatile unsigned *)&a.control->epoch + 1;
    if (threadIdx.x == 0) s.ticket = atomicAdd(&a.control->ticket, 1);
    __syncthreads();
    scan_block(op, a, s, (uint64_t)s.ticket * a.block_tiles * SCAN_TILE, epoch);
    if (threadIdx.x == 0) scan_finish_launch(a);
}

/* What the launcher needs to know of a kernel. */
template <class Op> struct scan_of {
    static scan_launch launch() {
        return scan_launch{(const void *)scan_kernel<Op>, sizeof(scan_shared<Op>),
                           sizeof(scan_shared<Op>().buffer[0])};
    }
};

#endif
