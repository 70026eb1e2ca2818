/* What a scan in one pass over memory shares, whatever its elements (docs/ORDER.md 6): totals of tiles that blocks
 * publish, the scan of sixteen of them, and what lies before a tile.
 *
 * An operator Op has
 *     value, carried        types of a total, and of what travels down: what lies before an element
 *     join(a, b)            two totals
 *     apply(total, before)  what lies behind them */
#ifndef WEFT_CUDA_SCAN_LOOK_BACK_CUH
#define WEFT_CUDA_SCAN_LOOK_BACK_CUH

#include "core/order.h"
#include "cuda/scan_job.h"

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

/* What one level gives to the block: the scan of its totals without the block's tiles, and with them. */
template <class A> struct scan_part { A before, with; };

/* Level 0 from the up to 255 totals that lie before the block's first tile in its 256, and level 1 from the
 * same: the totals of sixteen tiles are made here by every block for itself, which spares a step of publishing.
 * Lane j gets the scan of level 0 of its sixteen tiles up to tile j of them; `level_1` is valid in every lane. */
template <class Op>
static __device__ typename Op::value scan_gather_near(const Op &op, const published &p, uint64_t *words,
                                                      uint32_t tile, unsigned epoch, const typename Op::value *own,
                                                      scan_part<typename Op::value> &level_1) {
    typedef typename Op::value A;
    const int lane = threadIdx.x % 32, near = tile & 255, block = scan_digit(tile, 1);
    const uint64_t first = p.level_start[0] + (tile & ~255u) + lane;
    scan_words<A> w[8];
#pragma unroll
    for (int q = 0; q < 8; q++)
        if (q * 32 + lane < near) w[q] = scan_words<A>::load(words, first + q * 32);
    A sixteen = own[0], level_0 = own[0]; /* lane b: the total of the b-th sixteen tiles */
#pragma unroll
    for (int q = 0; q < 8; q++) {
        if (q > block / 2) break;
        const int place = q * 32 + lane - near;
        while (__any_sync(0xffffffffu, place < 0 && !w[q].holds(epoch)))
            if (place < 0) w[q] = scan_words<A>::load(words, first + q * 32);
        const A v = scan_lanes(op, place < 0 ? w[q].value() : own[place < SCAN_TILES_MAX ? place : 0]);
        const A total = shuffle(v, lane % 2 * 16 + 15);
        if (lane / 2 == q) sixteen = total;
        if (q == block / 2) level_0 = shuffle(v, block % 2 * 16 + lane % 16);
    }
    const A v = scan_lanes(op, sixteen); /* the block's own sixteen counts where the block is their last */
    level_1.before = shuffle(v, block ? block - 1 : 0);
    level_1.with = shuffle(v, block);
    return level_0;
}

/* `words` are those of the row. Folds all that lies before each of the block's tiles, and publishes the totals of 256
 * tiles and more that are complete with them. Called by one whole warp. `carry` gets the prefix up to each tile and
 * up to the tile after the last. From level 2 on, the lower half warp fetches the even levels, the upper half the odd
 * ones, all of them at once, since most have long been there. */
template <class Op>
static __device__ void scan_look_back(const Op &op, const published &p, uint64_t *words, typename Op::carried init,
                                      uint32_t tile, int tiles, unsigned epoch, const typename Op::value *own,
                                      typename Op::carried *carry) {
    typedef typename Op::value A;
    typedef typename Op::carried C;
    const int lane = threadIdx.x % 32, half = lane / 16;
    scan_words<A> w[SCAN_GRID_LEVELS / 2];
#pragma unroll
    for (int r = 1; r < SCAN_GRID_LEVELS / 2; r++) {
        const int k = 2 * r + half;
        if (k < p.levels && lane % 16 < scan_digit(tile, k))
            w[r] = scan_words<A>::load(words, p.level_start[k] + (tile >> 4 * k & ~15u) + lane % 16);
    }
    scan_part<A> level_1;
    const A level_0 = scan_gather_near(op, p, words, tile, epoch, own, level_1);

    /* How many levels end with the block's last tile. */
    const uint32_t last = tile + tiles - 1;
    int whole = scan_digit(last, 0) < 15 ? 0 : scan_digit(last, 1) < 15 ? 1 : 2;
    A total = level_1.with;
    scan_part<A> part = level_1; /* lane k: of level k */
#pragma unroll
    for (int k = 2; k < SCAN_GRID_LEVELS; k++) {
        if (k >= p.levels) break;
        const int digit = scan_digit(tile, k);
        const bool needed = half == k % 2 && lane % 16 < digit;
        if (whole == k && lane == 0)
            scan_words<A>::pack(total, epoch).store(words, p.level_start[k] + (tile >> 4 * k));
        while (__any_sync(0xffffffffu, needed && !w[k / 2].holds(epoch)))
            if (needed) w[k / 2] = scan_words<A>::load(words, p.level_start[k] + (tile >> 4 * k & ~15u) + lane % 16);
        const A v = scan_lanes(op, needed ? w[k / 2].value() : total);
        const A before = shuffle(v, k % 2 * 16 + (digit ? digit - 1 : 0));
        const A with = shuffle(v, k % 2 * 16 + digit);
        if (lane == k) part.before = before, part.with = with;
        if (whole == k && digit == 15) {
            total = with;
            whole = k + 1;
        }
    }

    C before = init, next = init;
    for (int k = p.levels - 1; k >= 1; k--) {
        const A part_before = shuffle(part.before, k), part_with = shuffle(part.with, k);
        if (k == whole) next = op.apply(part_with, before);
        if (scan_digit(tile, k)) before = op.apply(part_before, before);
        if (k > whole) next = before;
    }
    /* Lane j: the prefix up to tile j of the block's sixteen; behind the last tile a higher level may take over. */
    const A left = shuffle_up(level_0, 1, 32);
    const int digit = scan_digit(tile, 0);
    if (lane >= digit && lane < digit + tiles) carry[lane - digit] = lane ? op.apply(left, before) : before;
    if (lane == digit + tiles - 1) carry[tiles] = whole ? next : op.apply(level_0, before);
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
