/* Code shared by all one-pass scans, of arrays and of formulas (ORDER.md 6): totals of tiles that blocks publish,
 * the scan of sixteen of them, and the prefix before a tile.
 *
 * A total of level k is that of 16^k tiles. An operator Op has
 *     value, carried        types of a total, and of a prefix: the value before an element
 *     combine(a, b)         combines two totals
 *     apply(total, before)  returns the prefix after a total, from the prefix before it */
#ifndef WEFT_CUDA_SCAN_LOOK_BACK_CUH
#define WEFT_CUDA_SCAN_LOOK_BACK_CUH

#include "core/order.h"
#include "cuda/runtime/device.cuh"
#include "cuda/scan/scan_params.h"

#include <stdint.h>
#include <string.h>

static_assert(WEFT_SCAN_GROUP == 16 && SCAN_TILE == 16 * 16 * 16, "threads, half warps and warps are digits");

/* ------------------------------------------------------------------------- published totals */

/* A total (its size is a multiple of 4 bytes) is published in 8-byte words of 32 bits of payload and the epoch. Each
 * word is written at once, so a word with the current epoch is complete. */
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

    /* Total number `total` is at words + total * stride. */
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

/* Returns the value of another lane. Totals of more than one number have overloads. */
template <class A> static __device__ __forceinline__ A shuffle(A v, int lane) {
    return __shfl_sync(0xffffffffu, v, lane);
}
template <class A> static __device__ __forceinline__ A shuffle_up(A v, int distance, int width) {
    return __shfl_up_sync(0xffffffffu, v, distance, width);
}

/* Scans a group by distances 1, 2, 4, 8 (ORDER.md 6.2), in one thread's registers. */
template <class Op>
__device__ __forceinline__ void scan_registers(const Op &op, typename Op::value (&v)[WEFT_SCAN_GROUP]) {
#pragma unroll
    for (int w = 1; w < WEFT_SCAN_GROUP; w *= 2)
#pragma unroll
        for (int j = WEFT_SCAN_GROUP - 1; j >= 1; j--) /* constant bounds, so that v stays in registers */
            if (j >= w) v[j] = op.combine(v[j - w], v[j]);
}

/* Scans a group by distances 1, 2, 4, 8 over 16 lanes, separately in the lower and the upper half of the warp. */
template <class Op> __device__ __forceinline__ typename Op::value scan_lanes(const Op &op, typename Op::value v) {
    const int lane = threadIdx.x % 16;
#pragma unroll
    for (int w = 1; w < 16; w *= 2) {
        const typename Op::value left = shuffle_up(v, w, 16);
        if (lane >= w) v = op.combine(left, v);
    }
    return v;
}

/* ----------------------------------------------------------------------------------- prefixes */

/* Returns digit k of a tile's number: how many totals of level k its prefix needs. */
static __device__ __forceinline__ int scan_digit(uint32_t tile, int k) { return tile >> 4 * k & 15; }

/* Shared memory by which the warps of a block exchange the totals for the prefixes of their tiles. */
template <class A> struct scan_lookback_shared {
    A sixteen[16];               /* totals of the groups of 16 tiles in the block's 256 tiles, up to its own tiles */
    A level_0[16];               /* scan of the totals of tiles in the block's group of 16, up to its own tiles */
    A far[SCAN_GRID_LEVELS][16]; /* totals before the block, from level 2 on; far_scan: combined, by level */
    A far_scan[SCAN_GRID_LEVELS];
};

/* Exclusive prefix of each tile of the block, plus the prefix after the last one; one per lane. */
template <class C> struct scan_carry {
    C lane, next; /* lane j: before tile j of the block's group of 16; next: after its last tile */
    int first, tiles;
    __device__ C before(int t) const { return shuffle(lane, first + t); }
    __device__ C after(int t) const { return t == tiles - 1 ? next : shuffle(lane, first + t + 1); }
};

/* Waits until the lanes that need a total have all its words. A lane does not reload a total that it has, because all
 * running blocks poll the same few totals. */
template <class A>
static __device__ __forceinline__ void scan_lookback_wait(scan_words<A> &w, const uint64_t *words, uint64_t total,
                                                          uint32_t stride, bool needed, unsigned epoch) {
    bool missing = needed && !w.holds(epoch);
    while (__any_sync(0xffffffffu, missing)) {
        if (missing) w = scan_words<A>::load(words, total, stride);
        missing = missing && !w.holds(epoch);
    }
}

/* Publishes the totals of the block's tiles. halves[t] are the totals of the half warps' parts of tile t. Called by
 * one warp. Returns the total of tile t in lane `first` + t. */
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

/* Loads the totals before the block, each warp a part of them. Warp q loads those of tiles 32 q .. 32 q + 31 of the
 * block's 256 tiles; at most 255 of these precede the block. Every block combines them to the totals of 16 tiles
 * itself, which saves a step of publishing. Of the levels from 2 on, the last warp loads level 2, the warp before it
 * level 3, and so on. */
template <class Op>
static __device__ void scan_lookback_load(const Op &op, const published &p, uint64_t *words, uint32_t tile, int tiles,
                                          unsigned epoch, const typename Op::value (*halves)[16],
                                          scan_lookback_shared<typename Op::value> &m) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int near = tile & 255, own_warp = near / 32, offset = warp * 32 + lane - near;
    const int k = SCAN_WARPS + 1 - warp, digit = k < p.levels ? scan_digit(tile, k) : 0;
    const uint64_t near_total = p.level_start[0] + (tile & ~255u) + warp * 32 + lane;
    const uint64_t far_total = digit ? p.level_start[k] + (tile >> 4 * k & ~15u) + lane : 0;
    scan_words<A> near_word, far_word;
    if (offset < 0) near_word = scan_words<A>::load(words, near_total, p.stride);
    if (lane < digit) far_word = scan_words<A>::load(words, far_total, p.stride);
    if (warp <= own_warp) {
        A v = halves[0][0];
        if (warp == own_warp) v = scan_publish(op, p, words, tile, tiles, epoch, near % 32, halves);
        scan_lookback_wait(near_word, words, near_total, p.stride, offset < 0, epoch);
        v = scan_lanes(op, offset < 0 ? near_word.value() : v);
        if (lane % 16 == 15) m.sixteen[2 * warp + lane / 16] = v;
        if (warp == own_warp && lane / 16 == near % 32 / 16) m.level_0[lane % 16] = v;
        /* The entry of the block's own group of 16 is used only if the block contains the group's last tile. */
    }
    if (digit) {
        scan_lookback_wait(far_word, words, far_total, p.stride, lane < digit, epoch);
        const A total = far_word.value(), v = scan_lanes(op, total);
        if (lane < digit) m.far[k][lane] = total;
        if (lane == digit - 1) m.far_scan[k] = v;
    }
}

/* Combines the loaded totals, redundantly in every warp. Publishes the totals of 256 tiles and more that are complete
 * with the block's last tile. Returns the prefixes of the block's tiles. */
template <class Op>
static __device__ scan_carry<typename Op::carried>
scan_lookback_combine(const Op &op, const published &p, uint64_t *words, typename Op::carried init, uint32_t tile,
                      int tiles, unsigned epoch, const scan_lookback_shared<typename Op::value> &m) {
    typedef typename Op::value A;
    typedef typename Op::carried C;
    const int lane = threadIdx.x % 32, sixteen = scan_digit(tile, 1), first = scan_digit(tile, 0);
    const uint32_t last = tile + tiles - 1;
    const A level_1 = scan_lanes(op, m.sixteen[lane % 16]);
    const A before_1 = shuffle(level_1, sixteen ? sixteen - 1 : 0);

    /* The last tile ends a total of each level up to `full_level`. `total` combines the totals of level `full_level`
     * in their group of 16, up to the one that it ends. */
    int full_level = scan_digit(last, 0) < 15 ? 0 : scan_digit(last, 1) < 15 ? 1 : 2;
    A total = shuffle(level_1, sixteen);
    for (int k = 2; k <= full_level; k++) {
        const int digit = scan_digit(tile, k);
        if (threadIdx.x == 0)
            scan_words<A>::pack(total, epoch).store(words, p.level_start[k] + (tile >> 4 * k), p.stride);
        const A v = scan_lanes(op, lane % 16 < digit ? m.far[k][lane % 16] : total);
        total = shuffle(v, digit);
        if (digit == 15) full_level = k + 1;
    }

    C before = init, next = init;
    for (int k = p.levels - 1; k >= 2; k--) {
        if (k == full_level) next = op.apply(total, before);
        if (scan_digit(tile, k)) before = op.apply(m.far_scan[k], before);
    }
    if (full_level == 1) next = op.apply(total, before);
    if (sixteen) before = op.apply(before_1, before);
    if (full_level == 0) next = op.apply(m.level_0[scan_digit(last, 0)], before);
    const int j = lane % 16;
    return scan_carry<C>{j && j <= first + tiles - 1 ? op.apply(m.level_0[j - 1], before) : before, next, first,
                         tiles};
}

/* Returns the prefixes of the block's tiles. Must be called by all its threads, after `halves` is complete and
 * visible to all of them. `words` are the published totals of the row. */
template <class Op>
static __device__ __forceinline__ scan_carry<typename Op::carried>
scan_lookback(const Op &op, const published &p, uint64_t *words, typename Op::carried init, uint32_t tile, int tiles,
              unsigned epoch, const typename Op::value (*halves)[16], scan_lookback_shared<typename Op::value> &m) {
    scan_lookback_load(op, p, words, tile, tiles, epoch, halves, m);
    __syncthreads();
    return scan_lookback_combine(op, p, words, init, tile, tiles, epoch, m);
}

/* --------------------------------------------------------------------------------- the launch */

/* Must be called once by each block. The last block to finish resets the control block for the next launch. If
 * `last`, that launch belongs to another scan, which gets a new epoch. */
static __device__ void scan_finish_launch(const published &p, bool last) {
    if (atomicAdd(&p.control->done, 1) != gridDim.x - 1) return;
    p.control->ticket = 0;
    p.control->done = 0;
    if (!last) return;
    if (++p.control->epoch == UINT32_MAX) { /* once in about 2^32 scans: clears all words */
        for (uint64_t i = 0; i < p.words_held; i++) p.words[i] = 0;
        p.control->epoch = 0;
    }
}

#endif
