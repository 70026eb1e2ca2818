/* weft_merge: merge path, once for the tiles of y and, in shared memory, once for the threads of a tile (ORDER.md
 * 12.3). A tile contains ranks, from which the elements are restored. */
#include "arith/sort_code.h"
#include "cuda/merge/merge_path.cuh"
#include "cuda/runtime/arrays.h"
#include "cuda/runtime/total_key.cuh"

enum { THREADS = 256 };

/* Returns the number of elements of y that a thread merges. It is odd, so that the threads' writes to shared memory
 * cause no bank conflicts. */
__host__ __device__ constexpr int items_of(size_t size) { return size == 8 ? 17 : 27; }

template <class T> struct tile_of {
    enum { ITEMS = items_of(sizeof(T)), SIZE = THREADS * ITEMS };
};

/* ---------------------------------------------------------------------------------------- ranks */

/* Converts elements to ranks and back. key(rank) is the value that is compared. For integers, rank and key are the
 * total key. */
template <class T> struct ranks {
    typedef typename key_of<T>::type rank;
    static constexpr bool HAVE_NANS = false;
    static __device__ __forceinline__ rank of(T x) { return total_key(x); }
    static __device__ __forceinline__ T element(rank r) { return (T)(r ^ total_key(T(0))); }
    static __device__ __forceinline__ rank key(rank r) { return r; }
    static __device__ __forceinline__ bool is_nan(rank) { return false; }
};

/* Ranks of floats (sort_code.h): NaNs of both signs have ranks after that of the greatest number, and one key. */
template <> struct ranks<float> {
    typedef uint32_t rank;
    static constexpr bool HAVE_NANS = true;
    static constexpr uint32_t FOLD = 0x7fffffff, XOR_MASK = 0x80000000, FIRST = 0x7fffff, GREATEST = 0xff000001;
    static __device__ __forceinline__ rank of(float x) {
        return weft_sort_rank_32(FOLD, XOR_MASK, 0 - FIRST, weft_bits_f32(x));
    }
    static __device__ __forceinline__ float element(rank r) {
        return weft_from_bits_f32(weft_sort_key_32(FOLD, XOR_MASK, 0 - FIRST, r));
    }
    static __device__ __forceinline__ rank key(rank r) { return min(r, GREATEST + 1); }
    static __device__ __forceinline__ bool is_nan(rank r) { return r > GREATEST; }
};
template <> struct ranks<double> {
    typedef uint64_t rank;
    static constexpr bool HAVE_NANS = true;
    static constexpr uint64_t FOLD = 0x7fffffffffffffff, XOR_MASK = 0x8000000000000000, FIRST = 0xfffffffffffff,
                              GREATEST = 0xffe0000000000001;
    static __device__ __forceinline__ rank of(double x) {
        return weft_sort_rank_64(FOLD, XOR_MASK, 0 - FIRST, weft_bits_f64(x));
    }
    static __device__ __forceinline__ double element(rank r) {
        return weft_from_bits_f64(weft_sort_key_64(FOLD, XOR_MASK, 0 - FIRST, r));
    }
    static __device__ __forceinline__ rank key(rank r) { return r > GREATEST ? GREATEST + 1 : r; }
    static __device__ __forceinline__ bool is_nan(rank r) { return r > GREATEST; }
};

/* A float of 16 bits is the upper half of a word, whose rank is one of 32 bits. */
template <class T, uint32_t INFINITE> struct half_ranks {
    typedef uint32_t rank;
    static constexpr bool HAVE_NANS = true;
    static constexpr uint32_t FOLD = 0x7fffffff, XOR_MASK = 0x80000000, FIRST = FOLD - (INFINITE << 16),
                              GREATEST = 2 * (INFINITE << 16) + 1;
    static __device__ __forceinline__ rank of(T x) {
        return weft_sort_rank_32(FOLD, XOR_MASK, 0 - FIRST, (uint32_t)x.bits << 16);
    }
    static __device__ __forceinline__ T element(rank r) {
        T x;
        x.bits = (uint16_t)(weft_sort_key_32(FOLD, XOR_MASK, 0 - FIRST, r) >> 16);
        return x;
    }
    static __device__ __forceinline__ rank key(rank r) { return min(r, GREATEST + 1); }
    static __device__ __forceinline__ bool is_nan(rank r) { return r > GREATEST; }
};
template <> struct ranks<f16> : half_ranks<f16, 0x7c00> {};
template <> struct ranks<bf16> : half_ranks<bf16, 0x7f80> {};

/* ---------------------------------------------------------------------------------- the kernels */

/* Sets splits[t] to the number of elements before tile t that are from a. */
template <class T>
__global__ void split_kernel(const T *a, uint64_t na, const T *b, uint64_t nb, uint64_t tiles, uint64_t *splits) {
    const uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t > tiles) return;
    const uint64_t d = t * tile_of<T>::SIZE, n = na + nb;
    splits[t] = split(a, na, b, nb, d < n ? d : n, [](T y, T x) { return total_key(y) < total_key(x); });
}

/* Loads the ranks of a tile to shared memory. FULL: the tile has SIZE elements. Returns true if the thread has loaded
 * a NaN. */
template <class T, bool FULL>
__device__ __forceinline__ bool load_tile(const T *from_a, const T *from_b, extent size,
                                          typename ranks<T>::rank *tile) {
    enum { ITEMS = tile_of<T>::ITEMS };
    T v[ITEMS];
    load_parts<THREADS, FULL>(from_a, from_b, size, v);
    bool nan = false;
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const uint32_t i = s * THREADS + threadIdx.x;
        if (!FULL && i >= size.all) break;
        tile[i] = ranks<T>::of(v[s]);
        nan |= ranks<T>::is_nan(ranks<T>::of(v[s]));
    }
    return nan;
}

/* Merges a tile to y. */
template <class T, bool FULL>
__device__ __forceinline__ void merge_tile(const T *from_a, const T *from_b, extent size,
                                           typename ranks<T>::rank *tile, T *y) {
    typedef typename ranks<T>::rank rank;
    enum { ITEMS = tile_of<T>::ITEMS };
    const uint32_t own = threadIdx.x * ITEMS, start = FULL || own < size.all ? own : size.all;
    rank v[ITEMS];
    const bool nans = __syncthreads_or(load_tile<T, FULL>(from_a, from_b, size, tile));
    if (ranks<T>::HAVE_NANS && nans)
        merge_items<ITEMS>(
            tile, size, start, [](rank y, rank x) { return ranks<T>::key(y) < ranks<T>::key(x); }, v);
    else
        merge_items<ITEMS>(
            tile, size, start, [](rank y, rank x) { return y < x; }, v);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < ITEMS; s++)
        if (FULL || start + s < size.all) tile[start + s] = v[s];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const uint32_t k = s * THREADS + threadIdx.x;
        if (FULL || k < size.all) y[k] = ranks<T>::element(tile[k]);
    }
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    merge_kernel(const T *__restrict__ a, uint64_t na, const T *__restrict__ b, uint64_t nb,
                 const uint64_t *__restrict__ splits, T *__restrict__ y) {
    enum { SIZE = tile_of<T>::SIZE };
    __shared__ typename ranks<T>::rank tile[SIZE + tile_of<T>::ITEMS];
    const uint64_t d = (uint64_t)blockIdx.x * SIZE, i0 = splits[blockIdx.x], i1 = splits[blockIdx.x + 1];
    extent size;
    size.all = (uint32_t)(na + nb - d < SIZE ? na + nb - d : SIZE);
    /* If a and b are sorted, this is i1 - i0. Otherwise it is kept within bounds. */
    size.a = i1 < i0 ? 0 : i1 - i0 < size.all ? (uint32_t)(i1 - i0) : size.all;
    const T *const from_b = b + (d - i0);
    if (size.all == SIZE)
        merge_tile<T, true>(a + i0, from_b, size, tile, y + d);
    else
        merge_tile<T, false>(a + i0, from_b, size, tile, y + d);
}

/* ------------------------------------------------------------------------------------- the call */

template <class T>
static weft_status launch(const gpu *g, const merge_call *c, const void *a, const void *b, void *y, uint64_t *splits,
                          uint64_t tiles, weft_error *error) {
    split_kernel<T><<<(unsigned)(tiles / THREADS + 1), THREADS, 0, g->stream>>>((const T *)a, c->na, (const T *)b,
                                                                                c->nb, tiles, splits);
    merge_kernel<T>
        <<<(unsigned)tiles, THREADS, 0, g->stream>>>((const T *)a, c->na, (const T *)b, c->nb, splits, (T *)y);
    CUDA_TRY(cudaGetLastError(), "merge");
    return WEFT_OK;
}

static weft_status launch_for(const gpu *g, const merge_call *c, const void *a, const void *b, void *y,
                              uint64_t *splits, uint64_t tiles, weft_error *error) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (c->dtype == WEFT_##ID) return launch<ctype>(g, c, a, b, y, splits, tiles, error);
#include "core/types.def"
    if (c->dtype == WEFT_F16) return launch<f16>(g, c, a, b, y, splits, tiles, error);
    if (c->dtype == WEFT_BF16) return launch<bf16>(g, c, a, b, y, splits, tiles, error);
    return weft_fail(error, WEFT_INTERNAL, "merge: no kernel for dtype %d", (int)c->dtype);
}

weft_status cuda_merge(void *state, const merge_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), n = c->na + c->nb;
    const uint64_t tiles = (n - 1) / (uint64_t)(THREADS * items_of(size)) + 1;
    gpu_array arrays[] = {{"a", c->a, c->na * size, ARRAY_IN, false, NULL},
                          {"b", c->b, c->nb * size, ARRAY_IN, false, NULL},
                          {"y", c->y, n * size, ARRAY_OUT, false, NULL}};
    void *splits;
    RETURN_IF(tiles > INT32_MAX, WEFT_INVALID, "merge of %zu elements: a GPU supports at most 2^42", n);
    RETURN_IF_ERROR(arrays_copy_in(g, "merge", arrays, 3, (tiles + 1) * sizeof(uint64_t), &splits, error));
    RETURN_IF_ERROR(launch_for(g, c, arrays[0].at, arrays[1].at, arrays[2].at, (uint64_t *)splits, tiles, error));
    return arrays_copy_out(g, "merge", arrays, 3, error);
}
