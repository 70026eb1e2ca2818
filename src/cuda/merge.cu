/* weft_merge: merge path (O. Green, R. McColl, D. Bader, ICS 2012), once for the tiles of y and, in shared memory,
 * once for the threads of a tile (docs/ORDER.md 12.3). */
#include "cuda/arrays.h"
#include "cuda/total_key.cuh"

enum { THREADS = 256 };

/* Elements of y that a thread merges: odd, so that threads that write to shared memory do not meet in a bank. */
__host__ __device__ constexpr int items_of(size_t size) { return size == 8 ? 11 : 15; }

template <class T> struct tile_of {
    enum { ITEMS = items_of(sizeof(T)), SIZE = THREADS * ITEMS };
};

/* How many of the first d of y are of a[0..na). */
template <class T, class INDEX>
__device__ __forceinline__ INDEX split(const T *a, INDEX na, const T *b, INDEX nb, INDEX d) {
    INDEX low = d > nb ? d - nb : 0, high = d < na ? d : na;
    while (low < high) {
        const INDEX middle = low + (high - low) / 2;
        if (total_key(b[d - 1 - middle]) < total_key(a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* splits[t]: how many elements before tile t are of a. */
template <class T>
__global__ void split_kernel(const T *a, uint64_t na, const T *b, uint64_t nb, uint64_t tiles, uint64_t *splits) {
    const uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t > tiles) return;
    const uint64_t d = t * tile_of<T>::SIZE, n = na + nb;
    splits[t] = split<T, uint64_t>(a, na, b, nb, d < n ? d : n);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    merge_kernel(const T *__restrict__ a, uint64_t na, const T *__restrict__ b, uint64_t nb,
                 const uint64_t *__restrict__ splits, T *__restrict__ y) {
    enum { ITEMS = tile_of<T>::ITEMS, SIZE = tile_of<T>::SIZE };
    typedef typename key_of<T>::type key;
    __shared__ T tile[SIZE];
    const uint64_t d = (uint64_t)blockIdx.x * SIZE, i0 = splits[blockIdx.x], i1 = splits[blockIdx.x + 1];
    const uint32_t size = (uint32_t)(na + nb - d < SIZE ? na + nb - d : SIZE);
    /* Where a and b are in order this is i1 - i0. It is kept in bounds where they are not. */
    const uint32_t some_a = i1 < i0 ? 0 : i1 - i0 < size ? (uint32_t)(i1 - i0) : size, some_b = size - some_a;
    const T *const from_b = b + (d - i0);
    T v[ITEMS];
#pragma unroll
    for (int s = 0; s < ITEMS; s++) { /* all loads are under way before one is waited for */
        const uint32_t i = s * THREADS + threadIdx.x;
        if (i < size) v[s] = i < some_a ? a[i0 + i] : from_b[i - some_a];
    }
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const uint32_t i = s * THREADS + threadIdx.x;
        if (i < size) tile[i] = v[s];
    }
    __syncthreads();

    /* tile[i..some_a) and tile[j..size) are what is left of a and of b. */
    const uint32_t start = threadIdx.x * ITEMS < size ? threadIdx.x * ITEMS : size;
    uint32_t i = split<T, uint32_t>(tile, some_a, tile + some_a, some_b, start), j = some_a + start - i;
    T next_a = tile[i < SIZE ? i : 0], next_b = tile[j < SIZE ? j : 0];
    key key_a = total_key(next_a), key_b = total_key(next_b);
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const bool take_b = i >= some_a || (j < size && key_b < key_a);
        v[s] = take_b ? next_b : next_a;
        const uint32_t at = take_b ? ++j : ++i;
        const T next = tile[at < SIZE ? at : 0];
        const key next_key = total_key(next);
        next_a = take_b ? next_a : next;
        next_b = take_b ? next : next_b;
        key_a = take_b ? key_a : next_key;
        key_b = take_b ? next_key : key_b;
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < ITEMS; s++)
        if (start + s < size) tile[start + s] = v[s];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const uint32_t k = s * THREADS + threadIdx.x;
        if (k < size) y[d + k] = tile[k];
    }
}

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
    return weft_fail(error, WEFT_INTERNAL, "merge: there is no kernel for type %d", (int)c->dtype);
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
    RETURN_IF(tiles > INT32_MAX, WEFT_INVALID, "merge: %zu elements; a GPU merges at most 2^42", n);
    FORWARD(arrays_bring(g, "merge", arrays, 3, (tiles + 1) * sizeof(uint64_t), &splits, error));
    FORWARD(launch_for(g, c, arrays[0].at, arrays[1].at, arrays[2].at, (uint64_t *)splits, tiles, error));
    return arrays_return(g, "merge", arrays, 3, error);
}
