/* Quantiles of many vectors (ORDER.md 32.4). One kernel sorts short vectors in shared memory, as in sort_axis.cuh,
 * and stores only their quantiles. Another one reads the quantiles of vectors that have been sorted. */
#ifndef WEFT_CUDA_QUANTILE_AXIS_CUH
#define WEFT_CUDA_QUANTILE_AXIS_CUH

#include "arith/formats.h"
#include "cuda/quantile_axis/quantile_axis_params.h"
#include "cuda/sort_axis/sort_axis.cuh"

/* --------------------------------------------------------------------------------------- results */

/* Returns the value of a key of at most 32 bits. */
static __device__ __forceinline__ double quantile_value(weft_dtype dtype, uint32_t key) {
    switch (dtype) {
    case WEFT_I8: return (double)(int8_t)key;
    case WEFT_I16: return (double)(int16_t)key;
    case WEFT_I32: return (double)(int32_t)key;
    case WEFT_F16: return (double)weft_from_bits_f16((uint16_t)key);
    case WEFT_BF16: return (double)weft_from_bits_bf16((uint16_t)key);
    case WEFT_F32: return (double)weft_from_bits_f32(key);
    default: return (double)key;
    }
}
static __device__ __forceinline__ double quantile_value(weft_dtype dtype, uint64_t key) {
    return dtype == WEFT_I64 ? (double)(int64_t)key : dtype == WEFT_U64 ? (double)key : weft_from_bits_f64(key);
}

static __device__ __forceinline__ bool quantile_is_nan(weft_dtype dtype, uint32_t key) {
    switch (dtype) {
    case WEFT_F16: return (key & 0x7fff) > 0x7c00;
    case WEFT_BF16: return (key & 0x7fff) > 0x7f80;
    case WEFT_F32: return key << 1 > 0xff000000u;
    default: return false;
    }
}
static __device__ __forceinline__ bool quantile_is_nan(weft_dtype dtype, uint64_t key) {
    return dtype == WEFT_F64 && key << 1 > (uint64_t)0xffe << 52;
}

/* Returns the bits of v in a result. */
static __device__ __forceinline__ uint64_t quantile_bits(weft_dtype result, double v) {
    switch (result) {
    case WEFT_F16: return weft_half_bits(v, 11);
    case WEFT_BF16: return weft_half_bits(v, 8);
    case WEFT_F32: return weft_bits_f32(weft_canonical_f32((float)v));
    default: return weft_bits_f64(weft_canonical_f64(v));
    }
}

/* Stores quantile number k of a vector. load(i) returns the key of its element i in sorted order. */
template <class Word, class Load>
static __device__ __forceinline__ void store_quantile(const quantile_results &r, uint64_t vector, uint32_t k,
                                                      const Load &load) {
    const weft_quantile at = weft_quantile_of(r.rule, r.q[k], r.n);
    const Word a = load(at.index), last = load(r.n - 1);
    uint64_t bits = a;
    if (quantile_is_nan(r.dtype, last))
        bits = quantile_bits(r.result, weft_from_bits_f64(WEFT_NAN_F64));
    else if (at.w > 0)
        bits = quantile_bits(r.result, weft_quantile_mean(quantile_value(r.dtype, a),
                                                          quantile_value(r.dtype, load(at.index + 1)), at.w));
    else if (r.result != r.dtype)
        bits = quantile_bits(r.result, quantile_value(r.dtype, a));
    int64_t x = 0, y = 0;
    view_offsets(r.outer, vector, x, y);
    store_word(r.y + y + (int64_t)k * r.stride, r.result_bytes, bits);
}

/* ---------------------------------------------------------------------------------------- kernels */

template <class Item>
static __device__ __forceinline__ void store_tile_quantiles(const quantile_sort_params &a, sort_shared<Item> &s,
                                                            uint64_t tile) {
    const quantile_results &r = a.results;
    const uint32_t tile_log2 = SORT_THREADS_LOG2 - a.keys.threads_log2;
    const uint64_t first = tile << tile_log2, left = a.keys.vectors - first;
    const uint32_t vectors = left < 1u << tile_log2 ? (uint32_t)left : 1u << tile_log2;
    for (uint32_t i = threadIdx.x; i < vectors * r.count; i += SORT_THREADS) {
        const uint32_t slot = r.across ? i % vectors : i / r.count, k = r.across ? i / vectors : i % r.count;
        const uint32_t items = slot * SORT_EACH << a.keys.threads_log2;
        store_quantile<Item>(r, first + slot, k, [&](uint64_t at) {
            const Item item = s.at(items + (uint32_t)at);
            return item > (Item)a.keys.rule.greatest ? (Item) ~(Item)0 : key_of(a.keys.rule, item); /* ~0: a NaN */
        });
    }
}

/* Sorts the vectors of a tile. */
template <class Item, bool DIRECT>
static __global__ void __launch_bounds__(SORT_THREADS)
    quantile_sort_kernel(const __grid_constant__ quantile_sort_params a) {
    __shared__ sort_shared<Item> s;
    const uint32_t own = threadIdx.x * SORT_EACH, step = 1u << a.keys.threads_log2;
    for (uint64_t tile = blockIdx.x; tile < a.keys.tiles; tile += gridDim.x) {
        Item v[SORT_EACH];
        const sort_lane from = lane_of(a.keys, a.keys.across_x, tile);
        load_items<Item, false, DIRECT>(a.keys, from, v);
        if (a.keys.across_x) rearrange(a.keys, s, from.slot * step * SORT_EACH + from.first, step, own, 1, v);
        sort_vectors(a.keys, s, v);
        __syncthreads();
#pragma unroll
        for (uint32_t r = 0; r < SORT_EACH; r++) s.at(own + r) = v[r];
        __syncthreads();
        store_tile_quantiles(a, s, tile);
        __syncthreads();
    }
}

template <class Word>
static __global__ void __launch_bounds__(SORT_THREADS)
    quantile_take_kernel(const __grid_constant__ quantile_take_params a) {
    const quantile_results &r = a.results;
    const uint64_t step = (uint64_t)gridDim.x * SORT_THREADS;
    for (uint64_t i = (uint64_t)blockIdx.x * SORT_THREADS + threadIdx.x; i < a.vectors * r.count; i += step) {
        const uint64_t vector = r.across ? i % a.vectors : i / r.count;
        const uint32_t k = (uint32_t)(r.across ? i / a.vectors : i % r.count);
        const char *const sorted = a.sorted + vector * r.n * a.bytes;
        store_quantile<Word>(r, vector, k, [&](uint64_t at) {
            Word key;
            load_word(sorted + at * a.bytes, a.bytes, key);
            return key;
        });
    }
}

#endif
