/* What a scan in one pass over memory shares, whatever its elements (ORDER.md 6): totals of tiles that blocks
 * publish, the scan of sixteen of them, and what lies before a tile.
 *
 * An operator Op has
 *     value, carried        types of a total, and of what travels down: what lies before an element
 *     join(a, b)            two totals
 *     apply(total, before)  what lies behind them */
#ifndef WEFT_CUDA_SCAN_LOOK_BACK_CUH
#define WEFT_CUDA_SCAN_LOOK_BACK_CUH

#include "core/order.h"
#include "cuda/runtime/device.cuh"
#include "cuda/scan/scan_job.h"

#include <stdint.h>
#include <string.h>

static_assert(WEFT_SCAN_GROUP == 16 && SCAN_TILE == 16 * 16 * 16, "threads, half warps and warps are digits");

/* ------------------------------------------------------------------------- published totals */

/* A total (of 4 bytes or a multiple) travels in 8-byte words of 32 bits payload and the epoch: a word is whole or not
 * there. */
template <class A> struct scan_words {
    enum { COUNT = sizeof(A) / 4 };
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

    /* Totals stand `stride` words apart. */
    __device__ void store(uint64_t *words, uint64_t total, uint32_t stride) const {
        for (int i = 0; i < COUNT; i++) store_relaxed(words + total * stride + i, word[i]);
    }

    __device__ static scan_words load(const uint64_t *words, uint64_t total, uint32_t stride) {
        scan_words w;
        for (int i = 0; i < COUNT; i++) w.word[i] = load_relaxed(words + total * stride + i);
        return w;
    }
};

/* --------------------------------------------------------------------------- groups of 16 */

/* A total of another lane; totals of more than one number have their own. */
template <class A> static __device__ __forceinline__ A shuffle(A v, int lane) {
    return __shfl_sync(0xffffffffu, v, lane);
}
template <class A> static __device__ __forceinline__ A shuffle_up(A v, int distance, int width) {
    return __shfl_up_sync(0xffffffffu, v, distance, width);
}

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
        const typename Op::value left = shuffle_up(v, w, 16);
        if (lane >= w) v = op.join(left, v);
    }
    return v;
}

/* -------------------------------------------------------------------------- what lies before */

/* Digit k of a tile's number: how many totals of level k it needs. */
static __device__ __forceinline__ int scan_digit(uint32_t tile, int k) { return tile >> 4 * k & 15; }

/* What the warps of a block tell each other on the way to what lies before their tiles. */
template <class A> struct scan_meeting {
    A sixteen[16];               /* totals of the sixteens of tiles in the block's 256, up to its own tiles */
    A level_0[16];               /* scan of the totals of the block's sixteen, up to its own tiles */
    A far[SCAN_GRID_LEVELS][16]; /* from level 2 on: totals before the block */
    A far_scan[SCAN_GRID_LEVELS];
};

/* What lies before each of a block's tiles and behind the last, in lanes. */
template <class C> struct scan_carry {
    C lane, next; /* lane j: before tile j of the block's sixteen */
    int first, tiles;
    __device__ C before(int t) const { return shuffle(lane, first + t); }
    __device__ C behind(int t) const { return t == tiles - 1 ? next : shuffle(lane, first + t + 1); }
};

/* Waits until the lanes that need a total have all its words. What a lane has it does not ask for again: all blocks
 * that run look at the same few totals. */
template <class A>
static __device__ __forceinline__ void scan_await(scan_words<A> &w, const uint64_t *words, uint64_t total,
                                                  uint32_t stride, bool needed, unsigned epoch) {
    bool missing = needed && !w.holds(epoch);
    while (__any_sync(0xffffffffu, missing)) {
        if (missing) w = scan_words<A>::load(words, total, stride);
        missing = missing && !w.holds(epoch);
    }
}

/* Publishes the totals of the block's tiles, of which `halves` are the half warps' parts. One warp. Returns the total
 * of tile t in lane `first` + t. */
template <class Op>
static __device__ typename Op::value scan_publish(const Op &op, const published &p, uint64_t *words, uint32_t tile,
                                                  int tiles, unsigned epoch, int first,
                                                  const typename Op::value (*halves)[16]) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32;
    A mine = halves[0][0];
    for (int t = 0; t < tiles; t++) {
        const A total = shuffle(scan_lanes(op, halves[t][lane % 16]), 15);
        if (lane != first + t) continue;
        mine = total;
        scan_words<A>::pack(total, epoch).store(words, p.level_start[0] + tile + t, p.stride);
    }
    return mine;
}

/* Gathers what lies before the block, each warp a part of it: of the up to 255 totals before it in its 256 tiles warp
 * q has 32 (the totals of sixteen tiles are made here by every block for itself, which spares a step of publishing),
 * and of the levels from 2 on the last warp has level 2, the one before it level 3, and so on. */
template <class Op>
static __device__ void scan_gather(const Op &op, const published &p, uint64_t *words, uint32_t tile, int tiles,
                                   unsigned epoch, const typename Op::value (*halves)[16],
                                   scan_meeting<typename Op::value> &m) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int near = tile & 255, own_warp = near / 32, place = warp * 32 + lane - near;
    const int k = SCAN_WARPS + 1 - warp, digit = k < p.levels ? scan_digit(tile, k) : 0;
    const uint64_t near_total = p.level_start[0] + (tile & ~255u) + warp * 32 + lane;
    const uint64_t far_total = digit ? p.level_start[k] + (tile >> 4 * k & ~15u) + lane : 0;
    scan_words<A> near_word, far_word;
    if (place < 0) near_word = scan_words<A>::load(words, near_total, p.stride);
    if (lane < digit) far_word = scan_words<A>::load(words, far_total, p.stride);
    if (warp <= own_warp) {
        A v = halves[0][0];
        if (warp == own_warp) v = scan_publish(op, p, words, tile, tiles, epoch, near % 32, halves);
        scan_await(near_word, words, near_total, p.stride, place < 0, epoch);
        v = scan_lanes(op, place < 0 ? near_word.value() : v);
        if (lane % 16 == 15) m.sixteen[2 * warp + lane / 16] = v;
        if (warp == own_warp && lane / 16 == near % 32 / 16) m.level_0[lane % 16] = v;
        /* The block's own sixteen counts where the block is their last. */
    }
    if (digit) {
        scan_await(far_word, words, far_total, p.stride, lane < digit, epoch);
        const A total = far_word.value(), v = scan_lanes(op, total);
        if (lane < digit) m.far[k][lane] = total;
        if (lane == digit - 1) m.far_scan[k] = v;
    }
}

/* Folds it, every warp for itself, and publishes the totals of 256 tiles and more that are complete with the block's
 * last tile. */
template <class Op>
static __device__ scan_carry<typename Op::carried>
scan_fold(const Op &op, const published &p, uint64_t *words, typename Op::carried init, uint32_t tile, int tiles,
          unsigned epoch, const scan_meeting<typename Op::value> &m) {
    typedef typename Op::value A;
    typedef typename Op::carried C;
    const int lane = threadIdx.x % 32, sixteen = scan_digit(tile, 1), first = scan_digit(tile, 0);
    const uint32_t last = tile + tiles - 1;
    const A level_1 = scan_lanes(op, m.sixteen[lane % 16]);
    const A before_1 = shuffle(level_1, sixteen ? sixteen - 1 : 0);

    /* `whole` levels end with the last tile, and `total` is that of the last of them. */
    int whole = scan_digit(last, 0) < 15 ? 0 : scan_digit(last, 1) < 15 ? 1 : 2;
    A total = shuffle(level_1, sixteen);
    for (int k = 2; k <= whole; k++) {
        const int digit = scan_digit(tile, k);
        if (threadIdx.x == 0)
            scan_words<A>::pack(total, epoch).store(words, p.level_start[k] + (tile >> 4 * k), p.stride);
        const A v = scan_lanes(op, lane % 16 < digit ? m.far[k][lane % 16] : total);
        total = shuffle(v, digit);
        if (digit == 15) whole = k + 1;
    }

    C before = init, next = init;
    for (int k = p.levels - 1; k >= 2; k--) {
        if (k == whole) next = op.apply(total, before);
        if (scan_digit(tile, k)) before = op.apply(m.far_scan[k], before);
    }
    if (whole == 1) next = op.apply(total, before);
    if (sixteen) before = op.apply(before_1, before);
    if (whole == 0) next = op.apply(m.level_0[scan_digit(last, 0)], before);
    const int j = lane % 16;
    return scan_carry<C>{j && j <= first + tiles - 1 ? op.apply(m.level_0[j - 1], before) : before, next, first,
                         tiles};
}

/* What lies before the block's tiles. Called by all its threads, after `halves` stand for all. `words` are the row's.
 */
template <class Op>
static __device__ __forceinline__ scan_carry<typename Op::carried>
scan_meet(const Op &op, const published &p, uint64_t *words, typename Op::carried init, uint32_t tile, int tiles,
          unsigned epoch, const typename Op::value (*halves)[16], scan_meeting<typename Op::value> &m) {
    scan_gather(op, p, words, tile, tiles, epoch, halves, m);
    __syncthreads();
    return scan_fold(op, p, words, init, tile, tiles, epoch, m);
}

/* --------------------------------------------------------------------------------- the launch */

/* The last block to finish makes the control block ready for the next launch, which is another scan if this one is
 * done. */
static __device__ void scan_finish_launch(const published &p, bool last) {
    if (atomicAdd(&p.control->done, 1) != gridDim.x - 1) return;
    p.control->ticket = 0;
    p.control->done = 0;
    if (!last) return;
    if (++p.control->epoch == UINT32_MAX) { /* once in four thousand million scans: forget all words */
        for (uint64_t i = 0; i < p.words_held; i++) p.words[i] = 0;
        p.control->epoch = 0;
    }
}

#endif
