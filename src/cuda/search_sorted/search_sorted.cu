/* weft_search_sorted: one thread per query (ORDER.md 12.4). The GPU hides the cache misses of one thread by the work
 * of others. A thread with several interleaved queries was slower on queries in random order. */
#include "cuda/runtime/arrays.h"
#include "cuda/runtime/total_key.cuh"

enum { THREADS = 256 };

template <class T, class INDEX>
__global__ void search_kernel(const T *__restrict__ sorted, INDEX n, const T *__restrict__ queries, uint64_t m,
                              bool right, uint64_t *__restrict__ positions) {
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= m) return;
    const typename key_of<T>::type key = total_key(queries[i]);
    INDEX low = 0, high = n; /* the position is in [low, high] */
    while (low < high) {
        const INDEX middle = low + (high - low) / 2;
        const typename key_of<T>::type element = total_key(sorted[middle]);
        if (right ? element <= key : element < key)
            low = middle + 1;
        else
            high = middle;
    }
    positions[i] = low;
}

template <class T>
static weft_status launch(const gpu *g, const search_sorted_call *c, const void *sorted, const void *queries,
                          void *positions, weft_error *error) {
    const uint64_t blocks = (c->m - 1) / THREADS + 1;
    const bool right = c->side == WEFT_RIGHT;
    RETURN_IF(blocks > INT32_MAX, WEFT_INVALID, "search_sorted of %zu queries: a GPU supports at most 2^39", c->m);
    if (c->n <= UINT32_MAX)
        search_kernel<T, uint32_t><<<(unsigned)blocks, THREADS, 0, g->stream>>>(
            (const T *)sorted, (uint32_t)c->n, (const T *)queries, c->m, right, (uint64_t *)positions);
    else
        search_kernel<T, uint64_t><<<(unsigned)blocks, THREADS, 0, g->stream>>>(
            (const T *)sorted, c->n, (const T *)queries, c->m, right, (uint64_t *)positions);
    CUDA_TRY(cudaGetLastError(), "search_sorted");
    return WEFT_OK;
}

static weft_status launch_for(const gpu *g, const search_sorted_call *c, const void *sorted, const void *queries,
                              void *positions, weft_error *error) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (c->dtype == WEFT_##ID) return launch<ctype>(g, c, sorted, queries, positions, error);
#include "core/types.def"
    if (c->dtype == WEFT_F16) return launch<f16>(g, c, sorted, queries, positions, error);
    if (c->dtype == WEFT_BF16) return launch<bf16>(g, c, sorted, queries, positions, error);
    return weft_fail(error, WEFT_INTERNAL, "search_sorted: no kernel for dtype %d", (int)c->dtype);
}

weft_status cuda_search_sorted(void *state, const search_sorted_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype);
    gpu_array arrays[] = {{"sorted", c->sorted, c->n * size, ARRAY_IN, false, NULL},
                          {"queries", c->queries, c->m * size, ARRAY_IN, false, NULL},
                          {"positions", c->positions, c->m * sizeof *c->positions, ARRAY_OUT, false, NULL}};
    void *scratch;
    RETURN_IF_ERROR(arrays_copy_in(g, "search_sorted", arrays, 3, 0, &scratch, error));
    RETURN_IF_ERROR(launch_for(g, c, arrays[0].at, arrays[1].at, arrays[2].at, error));
    return arrays_copy_out(g, "search_sorted", arrays, 3, error);
}
