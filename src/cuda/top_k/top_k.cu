/* weft_top_k: the passes of the radix select (top_k.cuh), and a stable sort of the selected keys. */
#include "cuda/top_k/device_top_k.h"
#include "cuda/top_k/top_k.cuh"

#include "cuda/runtime/arrays.h"

#include <cub/device/device_radix_sort.cuh>

enum { ALIGNMENT = 256, GATHER_THREADS = 256 };

static size_t aligned(size_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

/* The scratch memory of a call: the state, two lists of ranks and of indices, and the workspace of the sort. */
template <class KEY> struct layout {
    size_t ranks, indices, sort_bytes; /* ranks, indices: bytes of one list */
    top_k_state *state;
    cub::DoubleBuffer<KEY> rank_lists;
    cub::DoubleBuffer<uint64_t> index_lists;
    void *sort;

    explicit layout(uint64_t k)
        : ranks(aligned(k * sizeof(KEY))), indices(aligned(k * sizeof(uint64_t))), sort_bytes(0), state(NULL),
          sort(NULL) {}
    size_t bytes() const { return aligned(sizeof(top_k_state)) + 2 * ranks + 2 * indices + sort_bytes; }
    void lay_out(char *p) {
        state = (top_k_state *)p;
        p += aligned(sizeof(top_k_state));
        rank_lists = cub::DoubleBuffer<KEY>((KEY *)p, (KEY *)(p + ranks));
        p += 2 * ranks;
        index_lists = cub::DoubleBuffer<uint64_t>((uint64_t *)p, (uint64_t *)(p + indices));
        sort = p + 2 * indices;
    }
};

/* Sorts the lists. If l->sort is NULL, only sets l->sort_bytes. */
template <class KEY>
static weft_status sort_lists(const gpu *g, uint64_t k, int bits, layout<KEY> *l, weft_error *error) {
    CUDA_TRY(cub::DeviceRadixSort::SortPairsDescending(l->sort, l->sort_bytes, l->rank_lists, l->index_lists, k, 0,
                                                       bits, g->stream),
             "top_k");
    return WEFT_OK;
}

/* Finds the k-th key, and lists the first k keys in the order of the array. */
template <class T>
static weft_status select_first(const gpu *g, const top_k_call *c, const T *x, layout<typename key_of<T>::type> *l,
                                weft_error *error) {
    slots<T> all(x, c->n);
    const uint64_t xor_mask = c->extreme == WEFT_SMALLEST ? UINT64_MAX : 0;
    const uint64_t rows = (all.count() - 1) / (TOP_K_THREADS * TOP_K_ROWS) + 1, limit = TOP_K_BLOCKS_MAX;
    const uint64_t most = 4 * (uint64_t)g->multiprocessors < limit ? 4 * (uint64_t)g->multiprocessors : limit;
    const unsigned blocks = (unsigned)(rows < most ? rows : most);
    CUDA_TRY(cudaMemsetAsync(l->state, 0, sizeof *l->state, g->stream), "top_k");
    for (int top = 8 * (int)sizeof(T), width; top > 0; top -= width) {
        width = top < TOP_K_DIGIT_BITS ? top : TOP_K_DIGIT_BITS;
        top_k_digit_kernel<T>
            <<<blocks, TOP_K_THREADS, 0, g->stream>>>(all, c->k, xor_mask, top - width, width, l->state);
    }
    top_k_count_kernel<T><<<blocks, TOP_K_THREADS, 0, g->stream>>>(all, xor_mask, l->state);
    top_k_write_kernel<T><<<blocks, TOP_K_THREADS, 0, g->stream>>>(all, c->k, xor_mask, l->state,
                                                                   l->rank_lists.Current(), l->index_lists.Current());
    CUDA_TRY(cudaGetLastError(), "top_k");
    return WEFT_OK;
}

/* If `scratch` is NULL, only sets *bytes. */
template <class T>
static weft_status run(gpu *g, const top_k_call *c, void *scratch, size_t *bytes, weft_error *error) {
    layout<typename key_of<T>::type> l(c->k);
    const int bits = 8 * (int)sizeof(T);
    const uint64_t gather_blocks = (c->k - 1) / GATHER_THREADS + 1;
    RETURN_IF(gather_blocks > INT32_MAX, WEFT_INVALID, "top_k: k = %zu: a GPU supports at most 2^39", c->k);
    RETURN_IF_ERROR(sort_lists(g, c->k, bits, &l, error));
    *bytes = l.bytes();
    if (!scratch) return WEFT_OK;
    l.lay_out((char *)scratch);
    const T *x = (const T *)c->x;
    RETURN_IF_ERROR(select_first<T>(g, c, x, &l, error));
    if (c->k > 1) RETURN_IF_ERROR(sort_lists(g, c->k, bits, &l, error));
    top_k_gather_kernel<T><<<(unsigned)gather_blocks, GATHER_THREADS, 0, g->stream>>>(
        x, c->k, l.index_lists.Current(), (T *)c->values, c->indices);
    CUDA_TRY(cudaGetLastError(), "top_k");
    return WEFT_OK;
}

weft_status gpu_top_k_array(gpu *g, const top_k_call *c, void *scratch, size_t *bytes, weft_error *error) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (c->dtype == WEFT_##ID) return run<ctype>(g, c, scratch, bytes, error);
#include "core/types.def"
    if (c->dtype == WEFT_F16) return run<f16>(g, c, scratch, bytes, error);
    if (c->dtype == WEFT_BF16) return run<bf16>(g, c, scratch, bytes, error);
    return weft_fail(error, WEFT_INTERNAL, "top_k: no kernel for dtype %d", (int)c->dtype);
}

weft_status cuda_top_k(void *state, const top_k_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype);
    gpu_array arrays[] = {{"x", c->x, c->n * size, ARRAY_IN, false, NULL},
                          {"values", c->values, c->k * size, ARRAY_OUT, false, NULL},
                          {"indices", c->indices, c->k * sizeof(uint64_t), ARRAY_OUT, false, NULL}};
    top_k_call call = *c;
    void *scratch;
    size_t bytes;
    RETURN_IF_ERROR(gpu_top_k_array(g, c, NULL, &bytes, error));
    RETURN_IF_ERROR(arrays_copy_in(g, "top_k", arrays, 3, bytes, &scratch, error));
    call.x = arrays[0].at;
    call.values = arrays[1].at;
    call.indices = (uint64_t *)arrays[2].at;
    RETURN_IF_ERROR(gpu_top_k_array(g, &call, scratch, &bytes, error));
    return arrays_copy_out(g, "top_k", arrays, 3, error);
}
