/* The end of every reduction kernel: values of warps -> block -> launch -> chunks -> result, all by
 * the dyadic tree of ORDER.md 2.4, in one launch.
 *
 *     warps      0  1  2  3  4  5  6  7      shared memory, one thread
 *                 \/    \/    \/    \/
 *     partials        one per block          global memory; a ticket identifies the last block
 *                         |
 *     chunk         one per launch           the last block, eight values per thread and round
 *                         |
 *     stack       binary counter of chunks   long inputs in host memory only
 */
#ifndef WEFT_CUDA_COMBINE_CUH
#define WEFT_CUDA_COMBINE_CUH

#include "cuda/reduce/finish.cuh"

#define WARP 32
#define FULL_WARP 0xffffffffu

/* Returns v of the given lane. */
template <class Value> static __device__ __forceinline__ Value from_lane(Value v, int lane) {
    return __shfl_sync(FULL_WARP, v, lane);
}

/* Returns v of the lane whose index differs in the bit `distance`. */
template <class Value> static __device__ __forceinline__ Value across(Value v, int distance) {
    return __shfl_xor_sync(FULL_WARP, v, distance);
}

static __device__ __forceinline__ located across(located v, int distance) {
    return located{across(v.key, distance), across(v.where, distance)};
}

/* Returns the dyadic reduction of v[0 .. min(count, 8)); count must be at least 1. */
template <class Op>
static __device__ __forceinline__ typename Op::value reduce_eight(const Op &op, const typename Op::value *v,
                                                                  uint32_t count) {
    typename Op::value held[8];
#pragma unroll
    for (uint32_t i = 0; i < 8; i++)
        if (i < count) held[i] = v[i];
#pragma unroll
    for (uint32_t step = 1; step < 8; step *= 2)
#pragma unroll
        for (uint32_t i = 0; i < 8; i += 2 * step)
            if (i + step < count) held[i] = op.combine(held[i], held[i + step]);
    return held[0];
}

/* Returns the dyadic reduction (ORDER.md 2.4) of load(0) ... load(count - 1); count must be from 1 to 2^61. Eight
 * values are loaded at a time; a binary counter combines the eights. */
template <class Op, class Load>
static __device__ typename Op::value fold_values(const Op &op, uint64_t count, Load load) {
    typename Op::value held[58], eight[8];
    for (uint64_t k = 0;; k++) {
        const uint32_t number = count - 8 * k < 8 ? (uint32_t)(count - 8 * k) : 8;
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            if (i < number) eight[i] = load(8 * k + i);
        typename Op::value v = reduce_eight(op, eight, number);
        const bool last = 8 * (k + 1) >= count;
        int level = 0;
        for (; k >> level && (last || k >> level & 1); level++)
            if (k >> level & 1) v = op.combine(held[level], v);
        if (last) return v;
        held[level] = v;
    }
}

/* Combines the value of a chunk with those of the chunks before it by a binary counter. Level k contains the value of
 * 2^k adjacent chunks if bit k of the number of finished chunks is set. The last chunk skips empty levels and stores
 * the result. */
template <class Op> static __device__ void finish_chunk(const Op &op, const reduce_params &j, typename Op::value v) {
    typename Op::value *stack = (typename Op::value *)j.stack;
    int level = 0;
    if (j.last) {
        for (; j.chunk >> level; level++)
            if (j.chunk >> level & 1) v = op.combine(stack[level], v);
        finish(j, v);
    } else {
        for (; j.chunk >> level & 1; level++) v = op.combine(stack[level], v);
        stack[level] = v;
    }
}

/* Reduces all partials in the last block, eight to one in each round, alternating between two areas of shared
 * memory. */
template <class Op>
static __device__ __forceinline__ void reduce_partials(const Op &op, const reduce_params &j, typename Op::value *area,
                                                       typename Op::value *other) {
    const typename Op::value *from = (const typename Op::value *)j.partials;
    uint32_t count = gridDim.x;
    while (count > 1) {
        const uint32_t groups = (count + 7) / 8;
        for (uint32_t i = threadIdx.x; i < groups; i += blockDim.x)
            area[i] = reduce_eight(op, from + 8 * i, count - 8 * i);
        __syncthreads();
        typename Op::value *swap = area;
        from = area;
        area = other;
        other = swap;
        count = groups;
    }
    if (threadIdx.x == 0) {
        typename Op::value v = *from;
        op.resolve(j, v);
        finish_chunk(op, j, v);
    }
}

/* Reduces the values of a block's warps. All threads of the block must call it with their warp's value; only the
 * first `present` warps have one.
 *
 * The ticket is the pattern of the CUDA sample threadFenceReduction: a block publishes its partial, then takes a
 * number, and the block with the last number sees all partials. atomicInc wraps to 0. */
template <class Op>
static __device__ __forceinline__ void finish_block(const Op &op, const reduce_params &j, typename Op::value v,
                                                    uint32_t present) {
    __shared__ typename Op::value area[PARTIALS_MAX / 8], other[PARTIALS_MAX / 64];
    __shared__ bool is_last;
    if (threadIdx.x % WARP == 0) area[threadIdx.x / WARP] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        ((typename Op::value *)j.partials)[blockIdx.x] = reduce_eight(op, area, present);
        __threadfence();
        is_last = gridDim.x == 1 || atomicInc(j.ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last) reduce_partials(op, j, area, other);
}

/* Tiles of a warp: begin .. begin + count - 1 (count may be 0). `present` is the number of warps of the block that
 * have at least one tile. */
struct warp_tiles {
    uint64_t begin, count;
    uint32_t present;
};

static __device__ __forceinline__ warp_tiles tiles_of_warp(const reduce_params &j) {
    const uint32_t warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    const uint64_t per_warp = (uint64_t)1 << j.warp_tiles_log2;
    const uint64_t block_begin = (uint64_t)blockIdx.x * warps << j.warp_tiles_log2;
    const uint64_t block_warps = (j.tiles - block_begin + per_warp - 1) >> j.warp_tiles_log2;
    warp_tiles s;
    s.present = block_warps < warps ? (uint32_t)block_warps : warps;
    s.begin = block_begin + warp * per_warp;
    s.count = s.begin >= j.tiles ? 0 : j.tiles - s.begin < per_warp ? j.tiles - s.begin : per_warp;
    return s;
}

#endif
