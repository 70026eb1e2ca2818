/* Prefixes of the scan by bulk copies (scan_bulk.cuh): one warp computes the prefix before a tile from the totals
 * that tiles have published (ORDER.md 6.3). In scan_look_back.cuh all warps of a block do so.
 *
 * The digits of a tile's number in base 16 give the totals it needs: d0 of tiles, d2 of 256 tiles, d3 of 4096 tiles,
 * and so on. The d1 totals of 16 tiles are not published: the warp computes them from those of their tiles, which
 * saves a step of publishing. So there are up to 240 + 15 totals of level 0, and up to 15 of each level from 2 on. */
#ifndef WEFT_CUDA_SCAN_BULK_LOOK_BACK_CUH
#define WEFT_CUDA_SCAN_BULK_LOOK_BACK_CUH

#include "cuda/runtime/bulk.cuh"
#include "cuda/scan/scan_look_back.cuh"

/* Tuning: ns between two polls of totals that are not published yet. */
#define BULK_BACK_OFF 40

/* The prefix before a tile, and the one after it. */
template <class A> struct bulk_carry { A before, after; };

#if WEFT_BULK

/* The words that one lane needs. */
template <class A> struct bulk_words {
    enum {
        PER = 2 / scan_words<A>::COUNT, /* totals in a load of 16 bytes */
        NEAR = 256 / (32 * PER),        /* loads of the 256 totals */
        PAIRS = SCAN_GRID_LEVELS / 2    /* two levels to a load: one for each half of the warp */
    };
    scan_words<A> near[NEAR][PER]; /* level 0, of tiles in complete sixteens */
    scan_words<A> far[PAIRS];      /* levels 0 and 2, 3 and 4, 5 and 6, 7 */
};

/* Loads two adjacent words. Each is either completely written or not at all. */
static __device__ __forceinline__ void load_two_relaxed(const uint64_t *words, uint64_t &a, uint64_t &b) {
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(words) : "memory");
}

/* Returns the level of which the lower or upper half of the warp has the totals of pair m. */
static __device__ __forceinline__ int bulk_level(int m, bool upper) { return m ? 2 * m + 1 + upper : 2 * upper; }

/* Each lane has N values. Lane i returns the total of value i % N over the group of N adjacent lanes that contains
 * it: the tree of adjacent lanes. Each step halves the number of values that a lane keeps. */
template <int N, class Op>
static __device__ __forceinline__ typename Op::value bulk_transposed_total(const Op &op, typename Op::value (&v)[N]) {
#pragma unroll
    for (int w = 1; w < N; w *= 2) {
        const bool odd = threadIdx.x & w;
#pragma unroll
        for (int i = 0; i < N; i += 2 * w) {
            const typename Op::value keep = odd ? v[i + w] : v[i], give = odd ? v[i] : v[i + w];
            v[i] = op.combine(keep, __shfl_xor_sync(0xffffffffu, give, w));
        }
    }
    return v[0];
}

/* The computation of one warp for tile `tile`. */
template <class Op> struct bulk_lookback {
    typedef typename Op::value A;
    typedef bulk_words<A> words;
    const Op &op;
    const published &p;
    uint32_t tile;
    unsigned epoch;
    words w;

    __device__ bulk_lookback(const Op &op, const published &p, uint32_t tile, unsigned epoch)
        : op(op), p(p), tile(tile), epoch(epoch) {}

    static __device__ int lane() { return threadIdx.x % 32; }
    __device__ int digit(int k) const { return k < p.levels ? scan_digit(tile, k) : 0; }

    /* Level 0: totals of the first `count` groups of 16 tiles in the tile's 256. */
    __device__ bool near_needed(int j, int count) const { return (j * 32 + lane()) * words::PER < 16 * count; }
    __device__ void load_near(int j) {
        const uint64_t *from = p.words + (uint64_t)(tile & ~255u) * scan_words<A>::COUNT + 2 * (j * 32 + lane());
        uint64_t two[2];
        load_two_relaxed(from, two[0], two[1]);
        memcpy(w.near[j], two, sizeof two);
    }
    __device__ bool near_ready(int j) const {
        bool ready = true;
        for (int e = 0; e < words::PER; e++) ready = ready && w.near[j][e].holds(epoch);
        return ready;
    }

    __device__ bool far_needed(int m) const { return lane() % 16 < digit(bulk_level(m, lane() / 16)); }
    __device__ void load_far(int m) {
        const int k = bulk_level(m, lane() / 16);
        w.far[m] = scan_words<A>::load(p.words, p.level_start[k] + (tile >> 4 * k & ~15u) + lane() % 16,
                                       scan_words<A>::COUNT);
    }

    /* Returns true if pair m has any levels. The result is equal in all lanes. */
    __device__ bool pair_used(int m) const { return m == 0 || 2 * m + 1 < p.levels; }

    /* Loads the totals that are needed and were not published when last loaded (`first`: loads all of them): those of
     * the first `count` groups of 16 tiles and, if `far`, of all levels. Returns true if this lane still lacks any.
     */
    __device__ __forceinline__ bool load_missing(int count, bool far, bool first) {
        bool near_missing[words::NEAR], far_missing[words::PAIRS], missing = false;
#pragma unroll
        for (int j = 0; j < words::NEAR; j++) {
            near_missing[j] = near_needed(j, count) && (first || !near_ready(j));
            if (near_missing[j]) load_near(j);
        }
#pragma unroll
        for (int m = 0; m < words::PAIRS; m++) {
            far_missing[m] = far && pair_used(m) && far_needed(m) && (first || !w.far[m].holds(epoch));
            if (far_missing[m]) load_far(m);
        }
#pragma unroll
        for (int j = 0; j < words::NEAR; j++) missing = missing || (near_missing[j] && !near_ready(j));
#pragma unroll
        for (int m = 0; m < words::PAIRS; m++) missing = missing || (far_missing[m] && !w.far[m].holds(epoch));
        return missing;
    }

    __device__ __forceinline__ void wait(int count, bool far) {
        bool first = true;
        while (__any_sync(0xffffffffu, load_missing(count, far, first))) {
            first = false;
            __nanosleep(BULK_BACK_OFF);
        }
    }

    /* Lane i of a half warp returns the total of group i of 16 tiles in the tile's 256. It is valid only for groups
     * that wait() has waited for. */
    __device__ __forceinline__ A sixteens() const {
        constexpr int IN_LOAD = 2 * words::PER, LANES = 32 / IN_LOAD; /* sixteens in a load, lanes of one */
        A v[words::NEAR];
#pragma unroll
        for (int j = 0; j < words::NEAR; j++) {
            v[j] = w.near[j][0].value();
            if (words::PER == 2) v[j] = op.combine(v[j], w.near[j][words::PER - 1].value());
        }
        A total = bulk_transposed_total(op, v);
#pragma unroll
        for (int d = words::NEAR; d < LANES; d *= 2)
            total = op.combine(total, __shfl_xor_sync(0xffffffffu, total, d));
        return shuffle(total, lane() % IN_LOAD * LANES + lane() % 16 / IN_LOAD);
    }

    /* Lane i of each half warp returns total i of level k >= 2 in the group of the tile. */
    __device__ A far_total(int k) const {
        A v = op.identity();
#pragma unroll
        for (int m = 0; m < words::PAIRS; m++)
            if (bulk_level(m, false) == k || bulk_level(m, true) == k) v = w.far[m].value();
        return shuffle(v, (k % 2 ? 0 : 16) + lane() % 16);
    }

    /* Combines `before` with the totals of the digits of levels `from` >= 3 and up. */
    __device__ __forceinline__ A prefix_of_levels(A before, int from) const {
#pragma unroll
        for (int m = words::PAIRS - 1; m >= 1; m--) {
            const int lower = digit(bulk_level(m, false)), upper = digit(bulk_level(m, true));
            if (!pair_used(m) || bulk_level(m, true) < from) continue;
            const A v = scan_lanes(op, w.far[m].value());
            const A of_upper = shuffle(v, upper ? 15 + upper : 0), of_lower = shuffle(v, lower ? lower - 1 : 0);
            if (upper) before = op.combine(before, of_upper);
            if (lower && bulk_level(m, false) >= from) before = op.combine(before, of_lower);
        }
        return before;
    }

    /* Publishes the totals of 256 tiles and more that end with this tile. A separate warp does this, because the
     * totals of 256 tiles must not wait for those of the 256 before. */
    __device__ __forceinline__ void publish_levels() {
        wait(16, false);
        A total = shuffle(scan_lanes(op, sixteens()), 15);
        for (int k = 2;; k++) {
            const uint64_t at = p.level_start[k] + (tile >> 4 * k);
            if (lane() == 0) scan_words<A>::pack(total, epoch).store(p.words, at, p.stride);
            if (digit(k) < 15) break;
            scan_words<A> word = scan_words<A>::pack(total, epoch - 1);
            scan_lookback_wait(word, p.words, at - 15 + lane() % 16, p.stride, lane() < 15, epoch);
            total = shuffle(scan_lanes(op, lane() == 15 ? total : word.value()), 15);
        }
    }

    /* Returns the prefix after the last of 256 tiles, which have the total `total`. */
    __device__ __forceinline__ A after_256(A init, A total) const {
        int k = 2;
        for (;; k++) {
            const int own = digit(k);
            A v = far_total(k);
            if (lane() % 16 == own) v = total;
            total = shuffle(scan_lanes(op, v), own);
            if (own < 15) break;
        }
        return op.combine(prefix_of_levels(init, k + 1), total);
    }

    /* Returns the prefixes before and after the tile. Must be called after wait(d1, true). `own` is the tile's
     * total. */
    __device__ __forceinline__ bulk_carry<A> carry(A init, A own) const {
        const int d0 = scan_digit(tile, 0), d1 = scan_digit(tile, 1), d2 = digit(2);
        const A level_0 = scan_lanes(op, lane() == d0 ? own : w.far[0].value()); /* upper half: level 2 */
        const A sixteen = shuffle(level_0, 15);
        A v = sixteens();
        if (lane() % 16 == d1) v = sixteen;
        const A level_1 = scan_lanes(op, v);
        A after = init;
        if (d0 == 15 && d1 == 15) after = after_256(init, shuffle(level_1, 15));

        A before = init;
        before = prefix_of_levels(before, 3);
        const A before_2 = shuffle(level_0, d2 ? 15 + d2 : 0);
        if (d2) before = op.combine(before, before_2);
        const A up_to_sixteen = shuffle(level_1, d1), before_1 = shuffle(level_1, d1 ? d1 - 1 : 0);
        if (d0 == 15 && d1 < 15) after = op.combine(before, up_to_sixteen);
        if (d1) before = op.combine(before, before_1);
        const A up_to_tile = shuffle(level_0, d0), before_0 = shuffle(level_0, d0 ? d0 - 1 : 0);
        if (d0 < 15) after = op.combine(before, up_to_tile);
        if (d0) before = op.combine(before, before_0);
        return bulk_carry<A>{before, after};
    }
};

#endif
#endif
