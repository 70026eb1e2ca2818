/* The kernels of a level of sort_buckets.cuh: they count digits, plan what becomes of each bucket, and move keys. */
#ifndef WEFT_CUDA_SORT_BUCKETS_LEVELS_CUH
#define WEFT_CUDA_SORT_BUCKETS_LEVELS_CUH

#include "cuda/sort/sort_buckets.cuh"

/* ----------------------------------------------------------------------------------- survey */

enum { SURVEYED = 4 /* keys of a thread */ };

/* Sets up the range of all keys. The bits in which keys of a sample differ are those by which it is partitioned: keys
 * are often small numbers. If others turn out to differ, too, the first level only counts. */
template <class Bits, bool FLOAT>
__global__ void __launch_bounds__(SORT_THREADS) survey_kernel(const __grid_constant__ level_params<Bits, FLOAT> j) {
    __shared__ Bits sums[SORT_THREADS / 32];
    const uint32_t step = j.n / (SORT_THREADS / 32 * SURVEYED), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    wait_for_stream();
    const Bits *const keys = j.buffers[IN_KEYS];
    const Bits first = j.order.rank(keys[0]);
    Bits differ = 0;
#pragma unroll
    for (uint32_t k = 0; k < SURVEYED; k++)
        differ |= first ^ j.order.rank(keys[(k * (SORT_THREADS / 32) + warp) * step + lane]);
    differ = warp_or(differ);
    if (lane == 0) sums[warp] = differ;
    __syncthreads();
    const uint32_t bits = bits_of(warp_or(sums[lane % (SORT_THREADS / 32)]));
    if (threadIdx.x > 0) return;
    key_range<Bits> all = {};
    all.count = j.n;
    all.buffer = IN_KEYS;
    all.bits = j.order.is_nan(first) ? 8 * sizeof(Bits) : max(bits, (uint32_t)DIGIT_BITS);
    all.low = all.bits == 8 * sizeof(Bits) ? 0 : first >> all.bits << all.bits;
    j.in.ranges[0] = all;
    j.state->levels[0] = level_counts{1, ceil_div_32(j.n, sort_sizes<Bits>::TILE), 0};
}

/* ------------------------------------------------------------------------------------ count */

/* The tiles of a block of count_kernel and nan_kernel: a part of the array. */
struct tiles_of_block {
    uint32_t first, end;
    __device__ __forceinline__ explicit tiles_of_block(uint32_t tiles) {
        const uint32_t each = (tiles + gridDim.x - 1) / gridDim.x;
        first = min(blockIdx.x * each, tiles);
        end = min(first + each, tiles);
    }
};

/* Counters of a block for a range. */
template <class Bits> struct range_counters {
    uint32_t digits[DIGITS + 1]; /* the last is for keys that are absent */
    __device__ void clear() {
        for (uint32_t d = threadIdx.x; d <= DIGITS; d += SORT_THREADS) digits[d] = 0;
    }
    /* Adds to the counts of range `at`. */
    template <bool FLOAT>
    __device__ __forceinline__ void flush(const level_params<Bits, FLOAT> &j, uint32_t at, Bits ones, Bits zeros) {
        range_masks *const masks = &j.in.masks[at];
        ones = warp_or(ones), zeros = warp_or(zeros);
        if (threadIdx.x % 32 == 0 && (ones & ~(Bits)masks->ones)) atomicOr(&masks->ones, ones);
        if (threadIdx.x % 32 == 0 && (zeros & ~(Bits)masks->zeros)) atomicOr(&masks->zeros, zeros);
        __syncthreads();
        if (threadIdx.x < DIGITS && digits[threadIdx.x] > 0)
            atomicAdd(&j.counts[at * DIGITS + threadIdx.x], digits[threadIdx.x]);
        __syncthreads();
    }
};

/* Counts the digits of each range, and determines which bits differ. The first level counts NaNs, too. */
template <class Bits, bool FLOAT>
__global__ void __launch_bounds__(SORT_THREADS, COUNTING_BLOCKS)
    count_kernel(const __grid_constant__ level_params<Bits, FLOAT> j) {
    typedef sort_tile<Bits, FLOAT> tile_type;
    __shared__ range_counters<Bits> counters;
    __shared__ uint32_t nans;
    if (threadIdx.x == 0) nans = 0;
    wait_for_stream();
    const tiles_of_block tiles(j.tiles());
    uint32_t my_nans = 0;
    for (uint32_t t = tiles.first; t < tiles.end;) {
        const uint32_t at = j.range_of(t);
        const key_range<Bits> r = j.in.ranges[at];
        const range_digit<Bits> digit(r);
        const uint32_t end = min(tiles.end, r.first_tile + ceil_div_32(r.count, sort_sizes<Bits>::TILE));
        Bits ones = 0, zeros = 0;
        counters.clear();
        __syncthreads();
        for (; t < end; t++) {
            const tile_type tile(j, r, t);
            Bits v[tile_type::PER];
            tile.load(v);
            uint32_t digits[tile_type::PER];
#pragma unroll
            for (int k = 0; k < tile_type::PER; k++) {
                const bool moves = tile.moves(k, v[k]);
                if (moves) ones |= v[k], zeros |= ~v[k];
                if (FLOAT) my_nans += tile.has(k) && !moves;
                digits[k] = moves ? min(digit.of(v[k]), (uint32_t)DIGITS) : (uint32_t)DIGITS;
            }
            count_digits(counters.digits, digits);
        }
        counters.flush(j, at, ones, zeros);
    }
    if (!FLOAT || j.level > 0) return;
    __syncthreads();
    if (my_nans) atomicAdd(&nans, my_nans);
    __syncthreads();
    if (threadIdx.x > 0) return;
    j.nans_of_block[blockIdx.x] = nans;
    if (nans) atomicAdd(&j.state->nans, nans);
}

/* Moves NaNs to the end of the scratch memory, in their order. Must have as many blocks as count_kernel. */
template <class Bits>
__global__ void __launch_bounds__(SORT_THREADS) nan_kernel(const __grid_constant__ level_params<Bits, true> j) {
    typedef sort_tile<Bits, true> tile_type;
    __shared__ uint32_t sums[SORT_THREADS / 32], before;
    wait_for_stream();
    if (j.nans_of_block[blockIdx.x] == 0) return;
    if (threadIdx.x == 0) before = j.n - j.state->nans;
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += SORT_THREADS) atomicAdd(&before, j.nans_of_block[b]);
    __syncthreads();
    const tiles_of_block tiles(j.tiles());
    uint32_t to = before;
    for (uint32_t t = tiles.first; t < tiles.end; t++) {
        const tile_type tile(j, j.in.ranges[0], t);
        Bits v[tile_type::PER];
        tile.load(v);
#pragma unroll 1
        for (int k = 0; k < tile_type::PER; k++) {
            const bool is_nan = tile.has(k) && j.order.is_nan(v[k]);
            if (!__syncthreads_or(is_nan)) continue;
            const uint32_t at = sum_before<SORT_THREADS>(is_nan, sums);
            if (is_nan) j.buffers[IN_SCRATCH][to + at] = v[k];
            to += warp_sum(threadIdx.x % 32 < SORT_THREADS / 32 ? sums[threadIdx.x % 32] : 0);
            __syncthreads();
        }
    }
}

/* ------------------------------------------------------------------------------------- plan */

/* The buckets of a range, one for each thread of a block. */
template <class Bits> struct range_buckets {
    key_range<Bits> all;         /* with the bits in which keys of the range differ */
    uint32_t shift, bits;        /* bits: low bits that can differ in a bucket */
    uint32_t starts[DIGITS + 1]; /* of the buckets, from the start of the range */

    /* Sets all but `starts`, for keys that differ in the bits that are set in both masks. They stay where they are if
     * all have one digit, or if a sample has not shown all of these bits. */
    __device__ void set(const key_range<Bits> &r, const range_masks &masks) {
        const range_digit<Bits> digit(r);
        const Bits differ = (Bits)(masks.ones & masks.zeros), common = ~(Bits)masks.zeros;
        shift = digit.shift;
        all = r;
        all.bits = bits_of(differ);
        all.stays = r.buffer == IN_KEYS ? all.bits > r.bits : all.bits <= shift;
        all.low = all.stays ? common : (r.low & ~digit.below()) | (common & digit.below());
        bits = bits_of((Bits)(differ & digit.below()));
    }
    __device__ __forceinline__ uint32_t count(uint32_t d) const { return starts[d + 1] - starts[d]; }
    __device__ __forceinline__ bool is_small(uint32_t d) const { return count(d) <= sort_sizes<Bits>::WINDOW; }
    __device__ __forceinline__ bool is_large(uint32_t d) const { return count(d) > sort_sizes<Bits>::CAPACITY; }
    /* Small adjacent buckets are sorted together if they begin in the same window. */
    __device__ __forceinline__ bool joins(uint32_t d, uint32_t window) const {
        return d < DIGITS && is_small(d) && starts[d] / sort_sizes<Bits>::WINDOW == window;
    }
    /* Returns the keys of buckets `first` to `last`, after the level has moved them. */
    __device__ __forceinline__ key_range<Bits> range(uint32_t first, uint32_t last) const {
        key_range<Bits> r = {};
        r.low = all.low + ((Bits)first << shift);
        r.start = all.start + starts[first];
        r.count = starts[last + 1] - starts[first];
        r.bits = first == last ? bits : shift + bits_of(last - first);
        r.buffer = moved_from(all.buffer);
        return r;
    }
    /* Returns the last keys of the array, which nan_kernel has moved. */
    __device__ __forceinline__ key_range<Bits> nans(uint32_t count) const {
        key_range<Bits> r = {};
        r.start = all.start + all.count - count;
        r.count = count;
        r.buffer = IN_SCRATCH;
        return r;
    }
    /* Returns the keys that are sorted together if bucket d is the first of them, or no keys. */
    __device__ __forceinline__ key_range<Bits> part(uint32_t d) const {
        const uint32_t window = starts[d] / sort_sizes<Bits>::WINDOW;
        uint32_t first = d, last = d;
        if (is_large(d) || (d > 0 && joins(d, window) && joins(d - 1, window))) return key_range<Bits>{};
        if (!is_small(d)) return range(d, d);
        for (uint32_t e = d; joins(e, window); e++)
            if (count(e) > 0) last = e;
        while (first < last && count(first) == 0) first++;
        return range(first, last);
    }
};

/* Adds the parts of all threads of a block to those of the level. A part of no keys is left out. */
template <class Bits, bool FLOAT>
static __device__ __forceinline__ void add_parts(const level_params<Bits, FLOAT> &j, const key_range<Bits> &part) {
    __shared__ uint32_t sums[DIGITS / 32], at;
    const uint32_t before = sum_before<DIGITS>(part.count > 0, sums);
    if (threadIdx.x == DIGITS - 1) at = atomicAdd(&j.state->levels[j.level].parts, before + (part.count > 0));
    __syncthreads();
    if (part.count > 0) j.parts[at + before] = part;
}

/* Adds parts that copy the keys of r: its bits are 0. Must be called by a whole block. */
template <class Bits, bool FLOAT>
static __device__ void add_copies(const level_params<Bits, FLOAT> &j, const key_range<Bits> &r) {
    enum { EACH = sort_sizes<Bits>::CAPACITY };
    key_range<Bits> part = r;
    for (uint64_t first = 0; first < r.count; first += (uint64_t)DIGITS * EACH) {
        const uint64_t mine = first + (uint64_t)threadIdx.x * EACH;
        part.start = r.start + (uint32_t)mine;
        part.count = mine < r.count ? (uint32_t)min(r.count - mine, (uint64_t)EACH) : 0;
        add_parts(j, part);
    }
}

/* Adds a range to those of the next level. Must be called by a whole warp. */
template <class Bits, bool FLOAT>
static __device__ void add_range(const level_params<Bits, FLOAT> &j, key_range<Bits> r) {
    level_counts *const counts = &j.state->levels[j.level + 1];
    const uint32_t lane = threadIdx.x % 32, tiles = ceil_div_32(r.count, sort_sizes<Bits>::TILE);
    uint32_t at = 0;
    if (lane == 0) {
        at = atomicAdd(&counts->ranges, 1);
        r.first_tile = atomicAdd(&counts->tiles, tiles);
        r.stays = false;
        j.next.ranges[at] = r;
        j.next.masks[at] = range_masks{0, 0};
    }
    at = __shfl_sync(ALL_LANES, at, 0);
    r.first_tile = __shfl_sync(ALL_LANES, r.first_tile, 0);
    for (uint32_t t = lane; t < tiles; t += 32) j.next.range_of_tile[r.first_tile + t] = at;
}

/* Plans what becomes of range i. Must be called by a whole block. */
template <class Bits, bool FLOAT>
static __device__ __forceinline__ void plan_range(const level_params<Bits, FLOAT> &j, range_buckets<Bits> &b,
                                                  uint32_t i) {
    if (b.all.stays) { /* the keys are equal, or the next level takes lower bits */
        if (threadIdx.x == 0) j.in.ranges[i].stays = true;
        if (b.all.bits == 0)
            add_copies(j, b.all);
        else if (threadIdx.x < 32)
            add_range(j, b.all);
        return;
    }
    add_parts(j, b.part(threadIdx.x));
    if (b.all.buffer == IN_KEYS) add_copies(j, b.nans(j.state->nans));
    if (b.bits > 0) {
        for (uint32_t d = threadIdx.x / 32; d < DIGITS; d += DIGITS / 32)
            if (b.is_large(d)) add_range(j, b.range(d, d));
        return;
    }
    for (uint32_t d = 0; d < DIGITS; d++)
        if (b.is_large(d)) add_copies(j, b.range(d, d));
}

/* Plans what becomes of the buckets of each range: large ones are partitioned by the next level, or are copied if all
 * their keys are equal; others are sorted. Replaces the counts by the indices of the first keys. */
template <class Bits, bool FLOAT>
__global__ void __launch_bounds__(DIGITS) plan_kernel(const __grid_constant__ level_params<Bits, FLOAT> j) {
    __shared__ uint32_t sums[DIGITS / 32];
    __shared__ range_buckets<Bits> b;
    wait_for_stream();
    const uint32_t d = threadIdx.x, ranges = j.ranges();
    for (uint32_t i = blockIdx.x; i < ranges; i += gridDim.x) {
        const key_range<Bits> r = j.in.ranges[i];
        const uint32_t count = j.counts[i * DIGITS + d], start = sum_before<DIGITS>(count, sums);
        j.counts[i * DIGITS + d] = r.start + start;
        b.starts[d] = start;
        if (d == DIGITS - 1) {
            b.starts[DIGITS] = start + count;
            b.set(r, j.in.masks[i]);
        }
        __syncthreads();
        plan_range(j, b, i);
        __syncthreads();
    }
}

/* -------------------------------------------------------------------------------- partition */

/* Moves tiles, with a block. */
template <class Bits, bool FLOAT> struct tile_mover {
    typedef sort_tile<Bits, FLOAT> tile_type;
    struct shared_words {
        uint32_t counters[DIGITS + 1]; /* keys of each digit, then the index of the first of them in the tile; the
                                        * last is for keys that are not moved */
        uint32_t offsets[DIGITS];      /* from the index in the tile to the index in the buffer */
        uint32_t sums[SORT_THREADS / 32];
    };
    const level_params<Bits, FLOAT> &j;
    shared_words &words;
    Bits *const incoming, *const sorted; /* a tile each */
    uint32_t tile, range_index;
    key_range<Bits> r;

    __device__ __forceinline__ tile_mover(const level_params<Bits, FLOAT> &params, shared_words &shared)
        : j(params), words(shared), incoming((Bits *)dynamic_shared()), sorted(incoming + sort_sizes<Bits>::TILE) {}
    /* Starts to read a tile. */
    __device__ __forceinline__ void start(uint32_t t) {
        tile = t;
        range_index = j.range_of(t);
        r = j.in.ranges[range_index];
        tile_type(j, r, t).start(incoming);
    }
    /* Sorts the tile in shared memory, and starts to read the tile `next`, if there is one. Returns the number of
     * keys that are moved. */
    __device__ __forceinline__ uint32_t sort(uint32_t next, uint32_t tiles) {
        const range_digit<Bits> digit(r);
        const tile_type now(j, r, tile);
        const uint32_t d = threadIdx.x;
        uint32_t *const cursors = j.counts + range_index * DIGITS;
        Bits v[tile_type::PER];
        uint32_t at[tile_type::PER]; /* the digit, and the keys of the tile with it that are before this one */
        now.finish(incoming, v);
        if (r.stays) {
            if (next < tiles) start(next);
            return 0;
        }
        if (d <= DIGITS) words.counters[d] = 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile_type::PER; k++) at[k] = now.moves(k, v[k]) ? digit.of(v[k]) : (uint32_t)DIGITS;
        count_digits(words.counters, at);
        __syncthreads();
        if (next < tiles) start(next);
        const uint32_t count = d < DIGITS ? words.counters[d] : 0,
                       first = sum_before<SORT_THREADS>(count, words.sums);
        const uint32_t to = count > 0 ? atomicAdd(&cursors[d], count) : 0;
        if (d <= DIGITS) words.counters[d] = first;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < tile_type::PER; k++)
            if (at[k] >> 16 < DIGITS) sorted[words.counters[at[k] >> 16] + (at[k] & 0xffff)] = v[k];
        if (d < DIGITS) words.offsets[d] = to - first;
        __syncthreads();
        return words.counters[DIGITS];
    }
    /* Writes the first `count` keys of the sorted tile to their buckets. */
    __device__ __forceinline__ void write(Bits *to, const range_digit<Bits> &digit, uint32_t count) const {
#pragma unroll
        for (int k = 0; k < tile_type::PER; k++) {
            const uint32_t i = k * SORT_THREADS + threadIdx.x;
            if (i < count) to[words.offsets[digit.of(sorted[i])] + i] = sorted[i];
        }
        __syncthreads();
    }
};

/* Moves the keys of each range to their buckets, tile by tile: first in shared memory, so that the keys of a bucket
 * are adjacent when they are written. */
template <class Bits, bool FLOAT>
__global__ void __launch_bounds__(SORT_THREADS, MOVING_BLOCKS)
    partition_kernel(const __grid_constant__ level_params<Bits, FLOAT> j) {
    __shared__ typename tile_mover<Bits, FLOAT>::shared_words words;
    tile_mover<Bits, FLOAT> mover(j, words);
    wait_for_stream();
    const uint32_t tiles = j.tiles();
    if (blockIdx.x < tiles) mover.start(blockIdx.x);
    for (uint32_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const range_digit<Bits> digit(mover.r);
        Bits *const to = j.buffers[moved_from(mover.r.buffer)];
        mover.write(to, digit, mover.sort(t + gridDim.x, tiles));
    }
}

#endif
