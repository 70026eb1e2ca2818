/* weft_merge: merge path (O. Green, R. McColl, D. Bader, ICS 2012), once for the tiles of y and, in shared memory,
 * once for the threads of a tile (ORDER.md 12.3). A tile contains ranks, from which the elements are restored. */
#include "arith/sort_code.h"
#include "cuda/runtime/arrays.h"
#include "cuda/runtime/total_key.cuh"

enum { THREADS = 256 };

/* Returns the number of elements of y that a thread merges. It is odd, so that the threads' writes to shared memory
 * cause no bank conflicts. */
__host__ __device__ constexpr int items_of(size_t size) { return size == 8 ? 11 : 15; }

template <class T> struct tile_of {
    enum { ITEMS = items_of(sizeof(T)), SIZE = THREADS * ITEMS };
};

/* ---------------------------------------------------------------------------------------- ranks */

/* Converts elements to ranks and back. key(rank) is the value that is compared. For integers, rank and key are the
 * total key. */
template <class T> struct ranks {
    typedef typename key_of<T>::type rank;
    static __device__ __forceinline__ rank of(T x) { return total_key(x); }
    static __device__ __forceinline__ T element(rank r) { return (T)(r ^ total_key(T(0))); }
    static __device__ __forceinline__ rank key(rank r) { return r; }
};

/* Ranks of floats (sort_code.h): NaNs of both signs have ranks after that of the greatest number, and one key. */
template <> struct ranks<float> {
    typedef uint32_t rank;
    static constexpr uint32_t FOLD = 0x7fffffff, FLIP = 0x80000000, FIRST = 0x7fffff, GREATEST = 0xff000001;
    static __device__ __forceinline__ rank of(float x) {
        return weft_sort_rank_32(FOLD, FLIP, 0 - FIRST, weft_bits_f32(x));
    }
    static __device__ __forceinline__ float element(rank r) {
        const uint32_t turned = (r + FIRST) ^ FLIP;
        return weft_from_bits_f32(turned ^ ((0 - (turned >> 31)) & FOLD));
    }
    static __device__ __forceinline__ rank key(rank r) { return min(r, GREATEST + 1); }
};
template <> struct ranks<double> {
    typedef uint64_t rank;
    static constexpr uint64_t FOLD = 0x7fffffffffffffff, FLIP = 0x8000000000000000, FIRST = 0xfffffffffffff,
                              GREATEST = 0xffe0000000000001;
    static __device__ __forceinline__ rank of(double x) {
        return weft_sort_rank_64(FOLD, FLIP, 0 - FIRST, weft_bits_f64(x));
    }
    static __device__ __forceinline__ double element(rank r) {
        const uint64_t turned = (r + FIRST) ^ FLIP;
        return weft_from_bits_f64(turned ^ ((0 - (turned >> 63)) & FOLD));
    }
    static __device__ __forceinline__ rank key(rank r) { return r > GREATEST ? GREATEST + 1 : r; }
};

/* ---------------------------------------------------------------------------------- the kernels */

/* Returns how many of the first d elements of y are from a[0..na). */
template <class E, class INDEX, class KEY>
__device__ __forceinline__ INDEX split(const E *a, INDEX na, const E *b, INDEX nb, INDEX d, KEY key) {
    INDEX low = d > nb ? d - nb : 0, high = d < na ? d : na;
    while (low < high) {
        const INDEX middle = low + (high - low) / 2;
        if (key(b[d - 1 - middle]) < key(a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Sets splits[t] to the number of elements before tile t that are from a. */
template <class T>
__global__ void split_kernel(const T *a, uint64_t na, const T *b, uint64_t nb, uint64_t tiles, uint64_t *splits) {
    const uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t > tiles) return;
    const uint64_t d = t * tile_of<T>::SIZE, n = na + nb;
    splits[t] = split(a, na, b, nb, d < n ? d : n, [](T x) { return total_key(x); });
}

/* Number of elements of a tile: from a, and in all. */
struct extent {
    uint32_t a, size;
};

/* Loads the ranks of a tile to shared memory. WHOLE: the tile is full. */
template <class T, bool WHOLE>
__device__ __forceinline__ void read_tile(const T *from_a, const T *from_b, extent there,
                                          typename ranks<T>::rank *tile) {
    enum { ITEMS = tile_of<T>::ITEMS };
    T v[ITEMS];
#pragma unroll
    for (int s = 0; s < ITEMS; s++) { /* starts all loads before it waits for one */
        const uint32_t i = s * THREADS + threadIdx.x;
        if (WHOLE || i < there.size) v[s] = i < there.a ? from_a[i] : from_b[i];
    }
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const uint32_t i = s * THREADS + threadIdx.x;
        if (WHOLE || i < there.size) tile[i] = ranks<T>::of(v[s]);
    }
}

template <class T, bool WHOLE>
__device__ __forceinline__ void write_tile(const typename ranks<T>::rank *tile, uint32_t size, T *y) {
#pragma unroll
    for (int s = 0; s < tile_of<T>::ITEMS; s++) {
        const uint32_t k = s * THREADS + threadIdx.x;
        if (WHOLE || k < size) y[k] = ranks<T>::element(tile[k]);
    }
}

/* Merges the thread's elements of the tile, from output position `start` on, to v. tile[i..there.a) and
 * tile[j..there.size) are the remaining elements of a and of b. May read one element after the tile. */
template <class T>
__device__ __forceinline__ void merge_some(const typename ranks<T>::rank *tile, extent there, uint32_t start,
                                           typename ranks<T>::rank (&v)[tile_of<T>::ITEMS]) {
    enum { SIZE = tile_of<T>::SIZE };
    typedef ranks<T> r;
    typedef typename r::rank rank;
    uint32_t i = split(tile, there.a, tile + there.a, there.size - there.a, start, [](rank x) { return r::key(x); });
    uint32_t j = there.a + start - i;
    rank next_a = tile[i], next_b = tile[j];
#pragma unroll
    for (int s = 0; s < tile_of<T>::ITEMS; s++) {
        const bool take_b = i >= there.a || (j < there.size && r::key(next_b) < r::key(next_a));
        v[s] = take_b ? next_b : next_a;
        const uint32_t at = take_b ? ++j : ++i;
        const rank next = tile[at < SIZE ? at : SIZE];
        next_a = take_b ? next_a : next;
        next_b = take_b ? next : next_b;
    }
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    merge_kernel(const T *__restrict__ a, uint64_t na, const T *__restrict__ b, uint64_t nb,
                 const uint64_t *__restrict__ splits, T *__restrict__ y) {
    enum { ITEMS = tile_of<T>::ITEMS, SIZE = tile_of<T>::SIZE };
    typedef typename ranks<T>::rank rank;
    __shared__ rank tile[SIZE + 1];
    const uint64_t d = (uint64_t)blockIdx.x * SIZE, i0 = splits[blockIdx.x], i1 = splits[blockIdx.x + 1];
    extent there;
    there.size = (uint32_t)(na + nb - d < SIZE ? na + nb - d : SIZE);
    /* If a and b are sorted, this is i1 - i0. Otherwise it is kept within bounds. */
    there.a = i1 < i0 ? 0 : i1 - i0 < there.size ? (uint32_t)(i1 - i0) : there.size;
    const T *const from_b = b + (d - i0) - there.a;
    if (there.size == SIZE)
        read_tile<T, true>(a + i0, from_b, there, tile);
    else
        read_tile<T, false>(a + i0, from_b, there, tile);
    __syncthreads();
    rank v[ITEMS];
    const uint32_t start = threadIdx.x * ITEMS < there.size ? threadIdx.x * ITEMS : there.size;
    merge_some<T>(tile, there, start, v);
    __syncthreads();
#pragma unroll
    for (int s = 0; s < ITEMS; s++)
        if (start + s < there.size) tile[start + s] = v[s];
    __syncthreads();
    if (there.size == SIZE)
        write_tile<T, true>(tile, SIZE, y + d);
    else
        write_tile<T, false>(tile, there.size, y + d);
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
    RETURN_IF_ERROR(arrays_bring(g, "merge", arrays, 3, (tiles + 1) * sizeof(uint64_t), &splits, error));
    RETURN_IF_ERROR(launch_for(g, c, arrays[0].at, arrays[1].at, arrays[2].at, (uint64_t *)splits, tiles, error));
    return arrays_return(g, "merge", arrays, 3, error);
}
