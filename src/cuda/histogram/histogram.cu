/* weft_histogram and weft_histogram_even: check of the edges, choice of counters, launch. */
#include "cuda/histogram/histogram.cuh"

#include "core/edges.h"
#include "core/types.h"
#include "cuda/runtime/arrays.h"

enum {
    MANY_THREADS = 1024,          /* threads of a block, if one or two fit */
    FEW_THREADS_BYTES = 56 << 10, /* maximum shared memory of a block for four blocks */
    COPIES_LOG2_MAX = 5,
    ROW_THREADS = 128 /* threads of a block that counts rows of fewer than ROW_LONG elements */
};
#ifndef ROW_SHORT                   /* the emulated GPU of the tests uses less, so that short rows reach all ways */
#define ROW_SHORT ((size_t)1 << 13) /* elements of a row that a block counts in the time of a launch */
#define ROW_LONG ((size_t)1 << 11)
#endif

/* --------------------------------------------------------------------------------- the edges */

/* Stores the least i for which edges[i] < edges[i + 1] is false, or `bins`, to *first_bad. Launched with one block.
 */
template <class T> __global__ void check_edges_kernel(const T *edges, uint32_t bins, uint64_t *first_bad) {
    __shared__ uint32_t found;
    if (threadIdx.x == 0) found = bins;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < bins; i += blockDim.x)
        if (!(edges[i] < edges[i + 1])) atomicMin(&found, i);
    __syncthreads();
    if (threadIdx.x == 0) *first_bad = found;
}

static void launch_check(const histogram_call *c, cudaStream_t stream, uint64_t *first_bad) {
    switch (type_widened(c->dtype)) {
#define TYPE(ID, name, ctype, kind, npy)                                                                          \
    case WEFT_##ID:                                                                                               \
        check_edges_kernel<ctype><<<1, 1024, 0, stream>>>((const ctype *)c->edges, (uint32_t)c->bins, first_bad); \
        break;
#include "core/types.def"
    default: break;
    }
}

/* Checks the edges where they are. Edges in device memory are checked by a kernel, and only an invalid pair is copied
 * to the host, for the message. While the stream is being captured, these are not checked. */
static weft_status check_edges(gpu *g, const histogram_call *c, weft_error *error) {
    const weft_dtype dtype = type_widened(c->dtype);
    const size_t size = cuda_type_bytes(dtype);
    bool on_host;
    RETURN_IF_ERROR(gpu_locate(g, "edges", c->edges, &on_host, error));
    if (on_host) return weft_check_edges(dtype, size, 0, c->bins, c->edges, error);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), "histogram");
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    g->pending = true;
    launch_check(c, g->stream, g->pinned);
    CUDA_TRY(cudaGetLastError(), "histogram");
    CUDA_TRY(cudaStreamSynchronize(g->stream), "histogram");
    const size_t bad = (size_t)*g->pinned;
    if (bad == c->bins) return WEFT_OK;
    uint64_t pair[2];
    CUDA_TRY(cudaMemcpy(pair, (const char *)c->edges + bad * size, 2 * size, cudaMemcpyDefault), "histogram");
    return weft_check_edges(dtype, size, bad, 1, pair, error);
}

/* -------------------------------------------------------------------------------- the launch */

typedef struct shape {
    unsigned threads, blocks_each; /* blocks per multiprocessor */
    bool in_shared;                /* the counters are in shared memory */
    size_t shared_bytes;
} shape;

/* Returns the shape of a launch, with as many copies of the counters as fit, and `by_rows` at most as many counters
 * as a row has elements. The edges are copied to shared memory if they fit there together with the counters. */
static shape choose(const gpu *g, const histogram_call *c, bool by_rows, histogram_params *j) {
    const size_t counters = (c->bins + 3) / 4 * 4 * sizeof(uint32_t);
    const size_t guide = c->edges ? HISTOGRAM_GUIDE * sizeof(uint32_t) : 0;
    const size_t edges = c->edges ? (c->bins + 1) * cuda_type_bytes(type_widened(c->dtype)) : 0;
    shape s = {MANY_THREADS, 2, false, guide};
    if (cuda_type_bytes(c->dtype) == 1 && !by_rows)
        return shape{HISTOGRAM_THREADS_FEW, 4, true, byte_counters::WORDS * sizeof(uint32_t) + guide};
    j->edges_shared = edges > 0 && counters + guide + edges <= FEW_THREADS_BYTES;
    const size_t fixed = guide + (j->edges_shared ? edges : 0);
    s.in_shared = counters + fixed <= g->shared_bytes;
    j->in_shared = s.in_shared;
    if (!s.in_shared) return s;
    s.shared_bytes = counters + fixed;
    if (s.shared_bytes > g->shared_bytes / 2) s.blocks_each = 1;
    if (s.shared_bytes > FEW_THREADS_BYTES) return s;
    s.threads = HISTOGRAM_THREADS_FEW;
    s.blocks_each = 4;
    while (j->copies_log2 < COPIES_LOG2_MAX && (counters << (j->copies_log2 + 1)) + fixed <= FEW_THREADS_BYTES &&
           (!by_rows || c->bins << (j->copies_log2 + 1) <= c->n))
        j->copies_log2++;
    s.shared_bytes = (counters << j->copies_log2) + fixed;
    return s;
}

template <class T> struct kernel_type { typedef void (*type)(slots<T> x, const histogram_params j); };

template <class T, class MAP> static typename kernel_type<T>::type kernel_of(bool in_shared) {
    if constexpr (sizeof(T) == 1)
        return histogram_bytes_kernel<T, MAP>;
    else
        return in_shared ? histogram_kernel<T, MAP, shared_counters> : histogram_kernel<T, MAP, global_counters>;
}

template <class T, class MAP>
static weft_status launch(const gpu *g, const shape &s, const void *x, uint64_t n, const histogram_params *j,
                          weft_error *error) {
    const typename kernel_type<T>::type kernel = kernel_of<T, MAP>(s.in_shared);
    const uint64_t block_elements = (uint64_t)s.threads * HISTOGRAM_ROWS * slots<T>::PER;
    const uint64_t blocks_max = (uint64_t)s.blocks_each * g->multiprocessors;
    const uint64_t part = blocks_max << 31; /* per launch, so that no 32-bit counter of a block overflows */
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "histogram", error));
    for (uint64_t first = 0; first < n; first += part) {
        const slots<T> some((const T *)x + first, n - first < part ? n - first : part);
        const uint64_t blocks = min((some.n - 1) / block_elements + 1, blocks_max);
        kernel<<<(unsigned)blocks, s.threads, s.shared_bytes, g->stream>>>(some, *j);
        CUDA_TRY(cudaGetLastError(), "histogram");
    }
    return WEFT_OK;
}

/* Counts one row after the other, each by all blocks. */
template <class T, class MAP>
static weft_status launch_each(const gpu *g, const histogram_call *c, const void *x, histogram_params j,
                               weft_error *error) {
    const shape s = choose(g, c, false, &j);
    for (size_t row = 0; row < c->rows; row++, j.counts += c->bins)
        RETURN_IF_ERROR((launch<T, MAP>(g, s, (const T *)x + row * c->n, c->n, &j, error)));
    return WEFT_OK;
}

/* Counts all rows in one launch, a block each, if this takes less time than a launch for each row. Their counters
 * must fit in shared memory. */
template <class T, class MAP>
static weft_status launch_rows(const gpu *g, const histogram_call *c, const void *x, const histogram_params *all,
                               weft_error *error) {
    if (c->rows == 1) return launch_each<T, MAP>(g, c, x, *all, error);
    histogram_params j = *all;
    const shape s = choose(g, c, true, &j);
    const unsigned threads = c->n < ROW_LONG ? (unsigned)ROW_THREADS : s.threads;
    const uint64_t most = (uint64_t)s.blocks_each * (s.threads / threads) * (unsigned)g->multiprocessors;
    const uint64_t blocks = min_u64(c->rows, most);
    if (c->n > ROW_SHORT * blocks || !s.in_shared || s.threads > HISTOGRAM_THREADS_FEW)
        return launch_each<T, MAP>(g, c, x, *all, error);
    void (*const kernel)(const T *, uint64_t, uint32_t, histogram_params) = histogram_rows_kernel<T, MAP>;
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "histogram", error));
    kernel<<<(unsigned)blocks, threads, s.shared_bytes, g->stream>>>((const T *)x, c->rows, (uint32_t)c->n, j);
    CUDA_TRY(cudaGetLastError(), "histogram");
    return WEFT_OK;
}

static weft_status launch_for(const gpu *g, const histogram_call *c, const void *x, const histogram_params *j,
                              weft_error *error) {
#define TYPE(ID, name, ctype, kind, npy)                                         \
    if (c->dtype == WEFT_##ID)                                                   \
        return c->edges ? launch_rows<ctype, edge_map<ctype>>(g, c, x, j, error) \
                        : launch_rows<ctype, even_map<ctype>>(g, c, x, j, error);
#include "core/types.def"
#define HALF(ID, name, npy)                                                     \
    if (c->dtype == WEFT_##ID)                                                  \
        return c->edges ? launch_rows<name, edge_map<float>>(g, c, x, j, error) \
                        : launch_rows<name, even_map<float>>(g, c, x, j, error);
#include "core/halves.def"
    return weft_fail(error, WEFT_INTERNAL, "histogram: no kernel for dtype %d", (int)c->dtype);
}

weft_status cuda_histogram(void *state, const histogram_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), edge_size = cuda_type_bytes(type_widened(c->dtype));
    const size_t counts = c->rows * c->bins * sizeof *c->counts;
    gpu_array arrays[] = {{"x", c->x, c->rows * c->n * size, ARRAY_IN, false, NULL},
                          {"edges", c->edges, (c->bins + 1) * edge_size, ARRAY_IN, false, NULL},
                          {"counts", c->counts, counts, ARRAY_OUT, false, NULL}};
    histogram_params j;
    void *scratch;
    memset(&j, 0, sizeof j);
    if (c->edges) RETURN_IF_ERROR(check_edges(g, c, error));
    RETURN_IF_ERROR(arrays_copy_in(g, "histogram", arrays, 3, 0, &scratch, error));
    if (!c->edges)
        j.even = type_is_real(c->dtype)
                     ? weft_even_bins_of_reals(c->lower_real, c->upper_real, c->bins)
                     : weft_even_bins_of_integers(c->lower_integer, c->upper_integer, c->bins, size == 8);
    j.edges = arrays[1].at;
    j.counts = (uint64_t *)arrays[2].at;
    j.bins = (uint32_t)c->bins;
    CUDA_TRY(cudaMemsetAsync(j.counts, 0, counts, g->stream), "histogram");
    if (c->n > 0) RETURN_IF_ERROR(launch_for(g, c, arrays[0].at, &j, error));
    return arrays_copy_out(g, "histogram", arrays, 3, error);
}
