/* Radix sort of keys of 4 and 8 bytes without values, from the most significant digit (compare E. Stehle,
 * H.-A. Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", SIGMOD 2017): what its kernels share.
 * Keys other than NaNs that are equal have equal bits, so the keys of a bucket may be written in any order.
 *
 * A level partitions each range of more than CAPACITY keys by its next digit, which gives buckets
 * (sort_buckets_levels.cuh). Then blocks sort those of at most CAPACITY keys in shared memory
 * (sort_buckets_local.cuh); the next level partitions the others. Keys are moved as ranks (sort_order.cuh). */
#ifndef WEFT_CUDA_SORT_BUCKETS_CUH
#define WEFT_CUDA_SORT_BUCKETS_CUH

#include "cuda/runtime/device.cuh"
#include "cuda/runtime/overlap.cuh"
#include "cuda/runtime/warp_reduce.cuh"
#include "cuda/sort/sort_order.cuh"

#include <cuda_pipeline.h>

enum {
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    SORT_THREADS = 512,
    TILE_BYTES = 1 << 15, /* keys that a block moves at once */
    MOST_LEVELS = 9,
    COUNTING_BLOCKS = 3, /* of a multiprocessor, in count_kernel and plan_kernel */
    MOVING_BLOCKS = 2    /* in partition_kernel and sort_ranges_kernel */
};

template <class Bits> struct sort_sizes {
    enum {
        TILE = TILE_BYTES / sizeof(Bits),
        PER = TILE / SORT_THREADS, /* keys of a thread */
        CAPACITY = TILE,           /* ranges of at most as many keys are sorted in shared memory */
        WINDOW = CAPACITY / 2,     /* adjacent buckets that begin within as many keys may be sorted together */
        LEVELS = 8 * sizeof(Bits) / DIGIT_BITS + 1 /* the first may move nothing, see survey_kernel */
    };
};

enum : uint32_t { ALL_LANES = 0xffffffff };

/* Where the keys of a range are: in scratch memory, in the sorted array, or in the array that is sorted. */
enum sort_buffer { IN_SCRATCH, IN_SORTED, IN_KEYS };

/* Returns where a level moves the keys of a buffer. */
static __device__ __forceinline__ uint32_t moved_from(uint32_t buffer) {
    return buffer == IN_SCRATCH ? IN_SORTED : IN_SCRATCH;
}

/* Keys `start` to start + count - 1. Their ranks less `low` are below 2^bits. */
template <class Bits> struct key_range {
    Bits low;
    uint32_t start, count, bits, buffer;
    uint32_t first_tile; /* of a range that is partitioned: the number of its first tile in the level */
    uint32_t stays;      /* the level does not move its keys */
};

/* Numbers of ranges that a level takes, of its tiles, and of ranges that it leaves to be sorted. */
struct level_counts {
    uint32_t ranges, tiles, parts;
};

/* Initially all zero. */
struct sort_state {
    level_counts levels[MOST_LEVELS + 1];
    uint32_t nans;
};

/* Bits that are 1, and 0, in the rank of at least one key of a range. */
struct range_masks {
    unsigned long long ones, zeros;
};

/* The input of a level. */
template <class Bits> struct level_input {
    key_range<Bits> *ranges;
    uint32_t *range_of_tile;
    range_masks *masks;
};

static __device__ __forceinline__ uint32_t ceil_div_32(uint32_t n, uint32_t by) { return (n - 1) / by + 1; }
static __device__ __forceinline__ uint32_t bits_of(uint32_t v) { return 32 - (uint32_t)__clz((int)v); }
static __device__ __forceinline__ uint32_t bits_of(uint64_t v) { return 64 - (uint32_t)__clzll((long long)v); }

/* All pointers are to device memory. */
template <class Bits, bool FLOAT> struct level_params {
    sort_order<Bits, FLOAT> order;
    Bits *buffers[3]; /* see sort_buffer; of ranks, but for IN_KEYS */
    uint32_t n, level;
    level_input<Bits> in, next;
    uint32_t *counts; /* DIGITS for each range: keys of each digit, then the index at which the next one is stored */
    key_range<Bits> *parts;
    uint32_t *nans_of_block; /* in count_kernel */
    sort_state *state;

    __device__ __forceinline__ uint32_t ranges() const { return state->levels[level].ranges; }
    __device__ __forceinline__ uint32_t tiles() const { return state->levels[level].tiles; }
    __device__ __forceinline__ uint32_t range_of(uint32_t tile) const {
        return level == 0 ? 0 : in.range_of_tile[tile];
    }
};

/* The digit by which a range is partitioned: its highest bits. */
template <class Bits> struct range_digit {
    Bits low;
    uint32_t shift;
    __device__ __forceinline__ explicit range_digit(const key_range<Bits> &r)
        : low(r.low), shift(r.bits > DIGIT_BITS ? r.bits - DIGIT_BITS : 0) {}
    __device__ __forceinline__ uint32_t of(Bits rank) const { return (uint32_t)((rank - low) >> shift); }
    __device__ __forceinline__ Bits below() const { return ((Bits)1 << shift) - 1; } /* mask of the lower bits */
};

/* A tile of a range, of which each thread of a block has up to PER keys. */
template <class Bits, bool FLOAT> struct sort_tile {
    enum { PER = sort_sizes<Bits>::PER };
    const sort_order<Bits, FLOAT> &order;
    const Bits *from;
    uint32_t count;
    bool of_keys; /* not of ranks */
    __device__ __forceinline__ sort_tile(const level_params<Bits, FLOAT> &j, const key_range<Bits> &r, uint32_t tile)
        : order(j.order), of_keys(r.buffer == IN_KEYS) {
        const uint32_t first = (tile - r.first_tile) * sort_sizes<Bits>::TILE;
        from = j.buffers[r.buffer] + r.start + first;
        count = min(r.count - first, (uint32_t)sort_sizes<Bits>::TILE);
    }
    __device__ __forceinline__ void load(Bits (&v)[PER]) const {
#pragma unroll
        for (int k = 0; k < PER; k++)
            if (has(k)) v[k] = __ldcs(from + k * SORT_THREADS + threadIdx.x);
#pragma unroll
        for (int k = 0; k < PER; k++) v[k] = rank(v[k]);
    }
    /* Starts to copy the thread's keys to shared memory; finish() reads them. */
    __device__ __forceinline__ void start(Bits *to) const {
#pragma unroll
        for (int k = 0; k < PER; k++)
            if (has(k))
                __pipeline_memcpy_async(to + k * SORT_THREADS + threadIdx.x, from + k * SORT_THREADS + threadIdx.x,
                                        sizeof(Bits));
        __pipeline_commit();
    }
    __device__ __forceinline__ void finish(const Bits *at, Bits (&v)[PER]) const {
        __pipeline_wait_prior(0);
#pragma unroll
        for (int k = 0; k < PER; k++) v[k] = rank(at[k * SORT_THREADS + threadIdx.x]);
    }
    __device__ __forceinline__ bool has(int k) const { return k * SORT_THREADS + threadIdx.x < count; }
    /* Returns true for a key that is moved, of which v is the rank. */
    __device__ __forceinline__ bool moves(int k, Bits v) const { return has(k) && !(of_keys && order.is_nan(v)); }

  private:
    __device__ __forceinline__ Bits rank(Bits v) const {
        if (!FLOAT) return v ^ (of_keys ? order.xor_mask : (Bits)0);
        return of_keys ? order.rank(v) : v;
    }
};

/* A digit that many lanes of a warp may have. Lanes that add to the same counter wait for one another, so that one
 * lane adds for all that have this digit. */
struct frequent_digit {
    uint32_t digit;
    bool is_frequent;
    /* Two lanes that have the same digit suggest it. */
    __device__ __forceinline__ explicit frequent_digit(uint32_t mine) : digit(lane_of(mine, 0)) {
        const uint32_t pairs[2][2] = {{lane_of(mine, 7), lane_of(mine, 13)}, {lane_of(mine, 20), lane_of(mine, 26)}};
        for (const uint32_t(&pair)[2] : pairs)
            if (pair[0] == pair[1]) digit = pair[0];
        is_frequent = __popc(__ballot_sync(ALL_LANES, mine == digit)) >= 6;
    }
    /* Adds 1 to counters[mine] for each lane. Returns what the counter was before, in some order of the lanes. */
    __device__ __forceinline__ uint32_t count(uint32_t *counters, uint32_t mine) const {
        const uint32_t lane = threadIdx.x % 32, lanes = __ballot_sync(ALL_LANES, mine == digit);
        const uint32_t leader = lanes ? (uint32_t)__ffs((int)lanes) - 1 : 0;
        uint32_t before = 0;
        if (lane == leader || mine != digit)
            before = atomicAdd(&counters[mine], mine == digit ? (uint32_t)__popc(lanes) : 1);
        const uint32_t first = lane_of(before, (int)leader);
        return mine == digit ? first + (uint32_t)__popc(lanes & ((1u << lane) - 1)) : before;
    }
    /* Adds `all` to the counter of the digit, for all lanes. Returns what it was before, plus the lane. */
    __device__ __forceinline__ uint32_t count_all(uint32_t *counters, uint32_t all) const {
        uint32_t before = 0;
        if (threadIdx.x % 32 == 0) before = atomicAdd(&counters[digit], all);
        return lane_of(before, 0) + threadIdx.x % 32;
    }

  private:
    static __device__ __forceinline__ uint32_t lane_of(uint32_t v, int lane) {
        return __shfl_sync(ALL_LANES, v, lane);
    }
};

/* Adds 1 to the counter of each digit of a thread. Appends to each digit, in its low 16 bits, what the counter was
 * before, in some order of the threads. */
template <int PER> static __device__ __forceinline__ void count_digits(uint32_t *counters, uint32_t (&digits)[PER]) {
    const frequent_digit frequent(digits[0]);
    if (!frequent.is_frequent) {
#pragma unroll
        for (int k = 0; k < PER; k++) digits[k] = digits[k] << 16 | atomicAdd(&counters[digits[k]], 1);
        return;
    }
    bool only = true;
#pragma unroll
    for (int k = 0; k < PER; k++) only = only && digits[k] == frequent.digit;
    if (__all_sync(ALL_LANES, only)) {
        const uint32_t before = frequent.count_all(counters, 32 * PER);
#pragma unroll
        for (int k = 0; k < PER; k++) digits[k] = digits[k] << 16 | (before + 32 * k);
        return;
    }
#pragma unroll
    for (int k = 0; k < PER; k++) digits[k] = digits[k] << 16 | frequent.count(counters, digits[k]);
}

/* Sums `v` of the lanes up to this one. */
static __device__ __forceinline__ uint32_t warp_sum_to(uint32_t v) {
    for (uint32_t d = 1; d < 32; d *= 2) {
        const uint32_t other = __shfl_up_sync(ALL_LANES, v, d);
        if (threadIdx.x % 32 >= d) v += other;
    }
    return v;
}

/* Sums `v` of the threads before this one. `sums` has a word for each warp of the block. */
template <int THREADS> static __device__ __forceinline__ uint32_t sum_before(uint32_t v, uint32_t *sums) {
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = warp_sum_to(v);
    if (lane == 31) sums[warp] = sum;
    __syncthreads();
    return sum - v + warp_sum(lane < warp ? sums[lane] : 0);
}

/* Returns the bits that are set in any lane. */
static __device__ __forceinline__ uint32_t warp_or(uint32_t v) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(ALL_LANES, v);
#else
    for (int distance = 16; distance > 0; distance /= 2) v |= __shfl_xor_sync(ALL_LANES, v, distance);
    return v;
#endif
}
static __device__ __forceinline__ uint64_t warp_or(uint64_t v) {
    return (uint64_t)warp_or((uint32_t)(v >> 32)) << 32 | warp_or((uint32_t)v);
}

#endif
