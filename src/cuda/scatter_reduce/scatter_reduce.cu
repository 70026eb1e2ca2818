/* weft_scatter_reduce and weft_scatter_count on the GPU (ORDER.md 25). A kernel checks the indices, and whether they
 * ascend. If not, a radix sort moves the elements, or the numbers of the rows if x has several columns, into the
 * order of their indices. A binary search finds where the elements of each target begin. The kernels of
 * weft_segmented_reduce reduce a single column, those of scatter_rows.cuh rows of several. */
#include "core/indices.h"
#include "core/types.h"
#include "cuda/runtime/arrays.h"
#include "cuda/scatter_reduce/scatter_params.h"
#include "cuda/segmented/segments_params.h"
#include "cuda/sort/sort_params.h"

#include <string.h>

enum { THREADS = SCATTER_THREADS, BLOCKS_OF_MULTIPROCESSOR = 16, ALIGNED = 256, GRID_Y_MAX = 65535, ROWS = 4 };

/* --------------------------------------------------------------------------------- kernels
 *
 * Thread t of T processes elements t, t + T, t + 2 T, ... */

static __device__ uint64_t first_element() { return (uint64_t)blockIdx.x * THREADS + threadIdx.x; }
static __device__ uint64_t stride() { return (uint64_t)gridDim.x * THREADS; }

/* Results of check_kernel. Initially all ones. */
struct findings {
    unsigned long long bad;       /* first position whose index is out of range */
    unsigned long long ascending; /* 0 if an index is less than the one before it */
};

/* Checks that all indices, read as unsigned numbers, are less than `end`, and whether they ascend. Reads ROWS indices
 * at a time. A block writes once: many threads at one address would take longer than the sort. */
template <class Index>
static __global__ void check_kernel(const Index *index, uint64_t n, uint64_t end, findings *found) {
    unsigned long long first = ~0ull;
    bool ascending = true;
    for (uint64_t i = first_element(); i < n && first == ~0ull; i += ROWS * stride()) {
        Index x[ROWS], before[ROWS];
        for (int r = 0; r < ROWS; r++) {
            const uint64_t at = min(i + r * stride(), n - 1);
            x[r] = index[at];
            before[r] = index[at - (at > 0)];
        }
        for (int r = ROWS - 1; r >= 0; r--) {
            if (x[r] >= end) first = min(i + r * stride(), n - 1);
            ascending = ascending && before[r] <= x[r];
        }
    }
    if (first != ~0ull) atomicMin(&found->bad, first);
    if (__syncthreads_or(!ascending) && threadIdx.x == 0) found->ascending = 0;
}

/* Writes the keys to sort by: the indices, or m for those out of range. */
template <class Index, class Key>
static __global__ void keys_kernel(const Index *index, uint64_t n, uint64_t end, uint64_t m, Key *keys) {
    for (uint64_t i = first_element(); i < n; i += stride()) keys[i] = (Key)(index[i] < end ? (uint64_t)index[i] : m);
}

template <class Index>
static __global__ void count_kernel(const Index *index, uint64_t n, uint64_t end, unsigned long long *counts) {
    for (uint64_t i = first_element(); i < n; i += stride())
        if (index[i] < end) atomicAdd(&counts[index[i]], 1ull);
}

template <class Row> static __global__ void number_kernel(Row *rows, uint64_t n) {
    for (uint64_t i = first_element(); i < n; i += stride()) rows[i] = (Row)i;
}

/* Writes the number of keys that are less than j to offsets[j], j <= m. */
template <class Key>
static __global__ void offsets_kernel(const Key *keys, uint64_t n, uint64_t m, uint64_t *offsets) {
    for (uint64_t j = first_element(); j < m + 1; j += stride()) {
        uint64_t low = 0, high = n;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if ((uint64_t)keys[middle] < j)
                low = middle + 1;
            else
                high = middle;
        }
        offsets[j] = low;
    }
}

/* -------------------------------------------------------------------------------- launches */

/* Returns the number of blocks whose threads share n > 0 elements. */
static unsigned blocks_of(const gpu *g, uint64_t n) {
    const uint64_t most = (uint64_t)BLOCKS_OF_MULTIPROCESSOR * (unsigned)g->multiprocessors;
    return (unsigned)min_u64((n - 1) / THREADS + 1, most);
}

/* Launches a kernel whose threads share n > 0 elements. */
template <class... Parameters, class... Arguments>
static weft_status launch(const gpu *g, void (*kernel)(Parameters...), uint64_t n, weft_error *error,
                          Arguments... arguments) {
    kernel<<<blocks_of(g, n), THREADS, 0, g->stream>>>(arguments...);
    CUDA_TRY(cudaGetLastError(), "scatter_reduce");
    return WEFT_OK;
}

/* The state of a call. All pointers are to device memory. */
typedef struct state {
    gpu *g;
    const scatter_reduce_call *c;
    uint64_t end; /* indices_end */
    bool wide_index, wide_keys, wide_rows;
    const void *x, *index, *init;
    void *out;
    bool checked, ascending; /* all indices are in range; they ascend */
    findings *found;
    uint64_t *offsets;
    void *keys, *sorted_keys;
    void *rows, *list;  /* rows: numbers of the rows; list: the sorted elements or numbers */
    void *first, *rest; /* of scatter_params */
    void *reduced, *sort_scratch, *segments_scratch;
    size_t sort_bytes; /* of sort_scratch */
} state;

static size_t row_bytes(const state *s) { return s->wide_rows ? 8 : 4; }
static size_t key_bytes(const state *s) { return s->wide_keys ? 8 : 4; }
static size_t listed_bytes(const state *s) {
    return s->c->columns == 1 ? cuda_type_bytes(s->c->dtype) : row_bytes(s);
}

/* Fails if an index is out of range. Does nothing if such elements are skipped, and while the stream is being
 * captured: they are then ignored. */
static weft_status check(state *s, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaStream_t stream = s->g->stream;
    uint64_t n = s->c->n, bits = 0;
    if (s->c->range == WEFT_RANGE_SKIP || n == 0) return WEFT_OK;
    CUDA_TRY(cudaStreamIsCapturing(stream, &capture), "scatter_reduce");
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    CUDA_TRY(cudaMemsetAsync(s->found, 0xff, sizeof *s->found, stream), "scatter_reduce");
    RETURN_IF_ERROR(
        s->wide_index
            ? launch(s->g, check_kernel<uint64_t>, n, error, (const uint64_t *)s->index, n, s->end, s->found)
            : launch(s->g, check_kernel<uint32_t>, n, error, (const uint32_t *)s->index, n, s->end, s->found));
    CUDA_TRY(cudaMemcpyAsync(s->g->pinned, s->found, sizeof *s->found, cudaMemcpyDeviceToHost, stream),
             "scatter_reduce");
    CUDA_TRY(cudaStreamSynchronize(stream), "scatter_reduce");
    findings found;
    memcpy(&found, s->g->pinned, sizeof found);
    const uint64_t first = found.bad;
    s->checked = first == UINT64_MAX;
    s->ascending = found.ascending != 0;
    if (s->checked) return WEFT_OK;
    const size_t size = s->wide_index ? 8 : 4;
    CUDA_TRY(
        cudaMemcpyAsync(s->g->pinned, (const char *)s->index + first * size, size, cudaMemcpyDeviceToHost, stream),
        "scatter_reduce");
    CUDA_TRY(cudaStreamSynchronize(stream), "scatter_reduce");
    memcpy(&bits, s->g->pinned, size);
    return indices_fail(error, s->c->index_dtype, first, bits, s->c->m);
}

static weft_status count(state *s, weft_error *error) {
    const uint64_t n = s->c->n;
    unsigned long long *const counts = (unsigned long long *)s->out;
    CUDA_TRY(cudaMemsetAsync(s->out, 0, s->c->m * sizeof(uint64_t), s->g->stream), "scatter_count");
    if (n == 0) return WEFT_OK;
    return s->wide_index
               ? launch(s->g, count_kernel<uint64_t>, n, error, (const uint64_t *)s->index, n, s->end, counts)
               : launch(s->g, count_kernel<uint32_t>, n, error, (const uint32_t *)s->index, n, s->end, counts);
}

/* ------------------------------------------------------------------------------------ list */

static int bits_of(uint64_t v) {
    int count = 0;
    for (; v; v >>= 1) count++;
    return count;
}

/* Returns true if the indices themselves are the keys. */
static bool takes_indices(const state *s) { return s->checked && s->wide_index == s->wide_keys; }

static sort_params sort_of(const state *s) {
    sort_params j;
    memset(&j, 0, sizeof j);
    j.rule = weft_sort_rule_of(s->wide_keys ? 64 : 32, 0, false, false);
    j.last_bit = bits_of(s->checked && s->c->m > 1 ? s->c->m - 1 : s->c->m); /* m: key of indices out of range */
    j.n = s->c->n;
    j.value_bytes = listed_bytes(s);
    j.keys[0] = takes_indices(s) ? (void *)s->index : s->keys;
    j.keys[1] = s->sorted_keys;
    j.values[0] = s->c->columns == 1 ? (void *)s->x : s->rows;
    j.values[1] = s->list;
    j.scratch = s->sort_scratch;
    j.scratch_bytes = s->sort_bytes;
    j.stream = s->g->stream;
    return j;
}

static weft_status run_sort(const state *s, sort_params *j, weft_error *error) {
    CUDA_TRY(s->wide_keys ? cuda_sort_64(j) : cuda_sort_32(j), "scatter_reduce");
    return WEFT_OK;
}

template <class Index> static weft_status make_keys(state *s, weft_error *error) {
    const uint64_t n = s->c->n, m = s->c->m;
    const Index *const index = (const Index *)s->index;
    return s->wide_keys
               ? launch(s->g, keys_kernel<Index, uint64_t>, n, error, index, n, s->end, m, (uint64_t *)s->keys)
               : launch(s->g, keys_kernel<Index, uint32_t>, n, error, index, n, s->end, m, (uint32_t *)s->keys);
}

static weft_status number_rows(state *s, weft_error *error) {
    const uint64_t n = s->c->n;
    return s->wide_rows ? launch(s->g, number_kernel<uint64_t>, n, error, (uint64_t *)s->rows, n)
                        : launch(s->g, number_kernel<uint32_t>, n, error, (uint32_t *)s->rows, n);
}

static weft_status find_offsets(state *s, bool wide, const void *keys, weft_error *error) {
    const uint64_t n = s->c->n, m = s->c->m;
    return wide ? launch(s->g, offsets_kernel<uint64_t>, m + 1, error, (const uint64_t *)keys, n, m, s->offsets)
                : launch(s->g, offsets_kernel<uint32_t>, m + 1, error, (const uint32_t *)keys, n, m, s->offsets);
}

/* Fills the list, unless the indices ascend, and the offsets. */
static weft_status make_list(state *s, weft_error *error) {
    if (s->ascending) return find_offsets(s, s->wide_index, s->index, error);
    if (s->c->n > 0) {
        sort_params j = sort_of(s);
        if (!takes_indices(s))
            RETURN_IF_ERROR(s->wide_index ? make_keys<uint64_t>(s, error) : make_keys<uint32_t>(s, error));
        if (s->c->columns > 1) RETURN_IF_ERROR(number_rows(s, error));
        RETURN_IF_ERROR(run_sort(s, &j, error));
    }
    return find_offsets(s, s->wide_keys, s->sorted_keys, error);
}

/* ------------------------------------------------------------------------------- reductions */

static scatter_launch kernels_of(const scatter_reduce_call *c) {
    switch (c->op) {
    case WEFT_MEAN: return cuda_scatter_mean_kernels(c->dtype, c->result);
    case WEFT_SUM: return cuda_scatter_sum_kernels(c->dtype, c->result);
    case WEFT_PROD: return cuda_scatter_product_kernels(c->dtype, c->result);
    case WEFT_MIN:
    case WEFT_MAX: return cuda_scatter_extreme_kernels(c->dtype);
    case WEFT_XOR: return cuda_scatter_xor_kernels(c->dtype);
    default: return cuda_scatter_or_kernels(c->dtype);
    }
}

static scatter_params params_of(const state *s) {
    scatter_params p;
    memset(&p, 0, sizeof p);
    p.scan.xor_mask = gpu_scan_xor_mask(s->c->op, s->c->dtype);
    p.x = s->x;
    p.n = s->c->n;
    p.m = s->c->m;
    p.columns = s->c->columns;
    p.list = s->ascending ? NULL : s->list;
    p.wide_list = s->wide_rows;
    p.offsets = s->offsets;
    p.first = s->first;
    p.rest = s->rest;
    p.init = s->init;
    p.out = s->out;
    p.reduced = s->reduced;
    return p;
}

static weft_status launch_params(const gpu *g, const void *kernel, dim3 grid, scatter_params *p, weft_error *error) {
    void *arguments[] = {p};
    CUDA_TRY(cudaLaunchKernel(kernel, grid, dim3(THREADS), arguments, 0, g->stream), "scatter_reduce");
    return WEFT_OK;
}

/* Reduces rows of several columns. */
static weft_status do_rows(state *s, weft_error *error) {
    const scatter_launch k = kernels_of(s->c);
    scatter_params p = params_of(s);
    const bool packs = p.columns % k.pack == 0 && (uintptr_t)p.x % k.pack_bytes == 0;
    const uint64_t threads = p.columns / (packs ? k.pack : 1); /* that a row needs */
    while (p.group_log2 < 5 && 1u << p.group_log2 < threads) p.group_log2++;
    const uint64_t blocks = (((p.m + p.n / k.tile) << p.group_log2) - 1) / THREADS + 1;
    const dim3 grid((unsigned)min_u64(blocks, INT32_MAX),
                    (unsigned)min_u64(((threads - 1) >> p.group_log2) + 1, GRID_Y_MAX));
    RETURN_IF_ERROR(launch_params(s->g, packs ? k.rows_in_packs : k.rows, grid, &p, error));
    if (p.n <= k.tile) return WEFT_OK;
    return launch_params(s->g, k.fold, dim3(blocks_of(s->g, p.n / k.tile * p.columns)), &p, error);
}

static exact_segments exact_of(const state *s) {
    exact_segments e;
    memset(&e, 0, sizeof e);
    e.dtype = s->c->dtype;
    e.mean = s->c->op == WEFT_MEAN;
    e.x = s->ascending || s->c->columns > 1 ? s->x : s->list;
    e.n = s->c->n;
    e.columns = s->c->columns;
    e.segments = s->c->m;
    e.list = s->ascending || s->c->columns == 1 ? NULL : s->list;
    e.wide_list = s->wide_rows;
    e.offsets = s->offsets;
    e.init = s->init;
    e.out = s->out;
    return e;
}

/* Returns true if the reduction of a single column writes the results itself. */
static bool is_direct(const scatter_reduce_call *c) { return !c->init && c->op != WEFT_MEAN; }

static segmented_call reduction_of(const state *s) {
    segmented_call r;
    memset(&r, 0, sizeof r);
    r.name = "scatter_reduce";
    r.op = s->c->op;
    r.dtype = s->c->dtype;
    r.result = s->c->op == WEFT_MEAN ? WEFT_F64 : s->c->result;
    r.n = s->c->n;
    r.x = s->ascending ? s->x : s->list;
    r.y = is_direct(s->c) ? s->out : s->reduced;
    r.source = SEGMENTS_BY_OFFSETS;
    r.segments = s->c->m;
    r.offsets = s->offsets;
    return r;
}

/* Reduces a single column. */
static weft_status do_column(state *s, weft_error *error) {
    const segmented_call reduction = reduction_of(s);
    RETURN_IF_ERROR(gpu_segmented_reduce(s->g, &reduction, s->segments_scratch, error));
    if (is_direct(s->c)) return WEFT_OK;
    scatter_params p = params_of(s);
    return launch_params(s->g, kernels_of(s->c).store, dim3(blocks_of(s->g, p.m)), &p, error);
}

/* ------------------------------------------------------------------------------------ call */

/* Sets the pointer to the next `bytes` bytes of the scratch memory. With base == NULL only adds up the bytes. */
static void *take(char *base, size_t *used, size_t bytes) {
    char *const p = base ? base + *used : NULL;
    *used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return p;
}

/* Lays out the scratch memory. Returns its size. */
static size_t lay_out(state *s, char *base) {
    const scatter_reduce_call *c = s->c;
    size_t used = 0;
    s->found = (findings *)take(base, &used, sizeof *s->found);
    if (c->counts || c->m == 0 || c->columns == 0) return used;
    s->offsets = (uint64_t *)take(base, &used, (c->m + 1) * sizeof *s->offsets);
    s->keys = take(base, &used, c->n * key_bytes(s));
    s->sorted_keys = take(base, &used, c->n * key_bytes(s));
    s->list = take(base, &used, c->n * listed_bytes(s));
    s->sort_scratch = take(base, &used, s->sort_bytes);
    if (c->exact) {
        exact_segments e = exact_of(s);
        e.init = c->init; /* s->init is not known yet */
        if (c->columns > 1) s->rows = take(base, &used, c->n * row_bytes(s));
        s->segments_scratch = take(base, &used, gpu_exact_segments_scratch(&e));
    } else if (c->columns > 1) {
        const size_t values = (c->n / kernels_of(c).tile + 1) * c->columns * sizeof(uint64_t);
        s->rows = take(base, &used, c->n * row_bytes(s));
        s->first = take(base, &used, values);
        s->rest = take(base, &used, values);
    } else {
        const segmented_call reduction = reduction_of(s);
        s->segments_scratch = take(base, &used, gpu_segmented_scratch(&reduction));
        if (!is_direct(c)) s->reduced = take(base, &used, c->m * sizeof(uint64_t));
    }
    return used;
}

static weft_status run(state *s, weft_error *error) {
    RETURN_IF_ERROR(check(s, error));
    if (s->c->m == 0 || s->c->columns == 0) return WEFT_OK;
    if (s->c->counts) return count(s, error);
    RETURN_IF_ERROR(make_list(s, error));
    if (s->c->exact) {
        const exact_segments e = exact_of(s);
        return gpu_exact_segments(s->g, "scatter_reduce", &e, s->segments_scratch, error);
    }
    return s->c->columns == 1 ? do_column(s, error) : do_rows(s, error);
}

weft_status cuda_scatter_reduce(void *context, const scatter_reduce_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    const size_t results = c->m * c->columns * cuda_type_bytes(c->result);
    state s = {};
    void *scratch;
    s.g = g;
    s.c = c;
    s.end = indices_end(c->index_dtype, c->m);
    s.wide_index = cuda_type_bytes(c->index_dtype) == 8;
    s.wide_keys = c->m > UINT32_MAX;
    s.wide_rows = c->n > UINT32_MAX;
    if (!c->counts && c->n > 0 && c->m > 0 && c->columns > 0) {
        sort_params j = sort_of(&s);
        RETURN_IF_ERROR(run_sort(&s, &j, error));
        s.sort_bytes = j.scratch_bytes;
    }
    gpu_array arrays[] = {
        {"x", c->x, c->counts ? 0 : c->n * c->columns * cuda_type_bytes(c->dtype), ARRAY_IN, false, NULL},
        {"index", c->index, c->n * cuda_type_bytes(c->index_dtype), ARRAY_IN, false, NULL},
        {"init", c->init, c->init ? results : 0, ARRAY_IN, false, NULL},
        {"out", c->counts ? c->counts : c->out, results, ARRAY_OUT, false, NULL}};
    RETURN_IF_ERROR(arrays_copy_in(g, "scatter_reduce", arrays, 4, lay_out(&s, NULL), &scratch, error));
    (void)lay_out(&s, (char *)scratch);
    s.x = arrays[0].at;
    s.index = arrays[1].at;
    s.init = c->init ? arrays[2].at : NULL;
    s.out = arrays[3].at;
    RETURN_IF_ERROR(run(&s, error));
    return arrays_copy_out(g, "scatter_reduce", arrays, 4, error);
}
