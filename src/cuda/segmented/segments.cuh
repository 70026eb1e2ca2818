/* Code shared by the kernels of segmented reductions and scans. */
#ifndef WEFT_CUDA_SEGMENTS_CUH
#define WEFT_CUDA_SEGMENTS_CUH

#include "cuda/segmented/segments_params.h"

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ uint64_t segments_number(const segments_params &a) {
    return a.count ? *a.count : a.segments;
}

/* A segment. A segment with invalid offsets has no elements and is not `present`. */
struct segment {
    uint64_t begin, length;
    bool present;
};

static __device__ __forceinline__ segment segment_at(const segments_params &a, uint64_t s, bool wanted) {
    segment g = {0, 0, false};
    if (!wanted) return g;
    const uint64_t begin = __ldg(a.offsets + s), end = __ldg(a.offsets + s + 1);
    g.present = begin <= end && end <= a.n;
    if (g.present) g.begin = begin, g.length = end - begin;
    return g;
}

/* Appends a segment to the list of long ones. */
static __device__ __forceinline__ void append_long(const segments_params &a, uint64_t s, uint64_t items,
                                                   uint64_t words) {
    const unsigned long long before = atomicAdd(&a.lists->longs, 1ull << 32 | items);
    const uint64_t first_word = words ? atomicAdd(&a.lists->words, (unsigned long long)words) : 0;
    a.longs[before >> 32] = segments_long{s, first_word, (uint32_t)before, 0};
}

/* Returns the list position of the long segment that contains item `item`: the last whose first item is at most
 * `item`. Compares 32 positions at a time. Must be called by full warps; count must be at least 1. */
static __device__ __forceinline__ uint32_t find_long(const segments_params &a, uint32_t count, uint32_t item) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t low = 0;
    while (count > 1) {
        const uint32_t step = (count + 31) / 32, index = lane * step;
        const bool before = index < count && a.longs[low + index].item <= item;
        const uint32_t last = __popc(__ballot_sync(ALL_LANES, before)) - 1;
        low += last * step;
        count = min(step, count - last * step);
    }
    return low;
}

#endif
