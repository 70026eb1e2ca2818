/* weft_scatter_reduce and weft_scatter_count on the GPU (ORDER.md 25). A kernel checks the indices. A radix sort
 * moves the elements, or the numbers of the rows if x has several columns, into the order of their indices. A binary
 * search finds where the elements of each target begin, and the kernels of weft_segmented_reduce reduce them. */
#include "arith/finish.h"
#include "core/indices.h"
#include "core/types.h"
#include "cuda/runtime/arrays.h"
#include "cuda/scan/scan_ops.cuh"
#include "cuda/segmented/segments_params.h"
#include "cuda/sort/sort_params.h"

#include <string.h>

enum { THREADS = 256, BLOCKS_OF_MULTIPROCESSOR = 16, ALIGNED = 256 };

/* --------------------------------------------------------------------------------- kernels
 *
 * Thread t of T processes elements t, t + T, t + 2 T, ... */

static __device__ uint64_t first_element() { return (uint64_t)blockIdx.x * THREADS + threadIdx.x; }
static __device__ uint64_t stride() { return (uint64_t)gridDim.x * THREADS; }

/* Finds the first position whose index, read as an unsigned number, is not less than `end`. *bad is initially all
 * ones. */
template <class Index>
static __global__ void check_kernel(const Index *index, uint64_t n, uint64_t end, unsigned long long *bad) {
    unsigned long long first = ~0ull;
    for (uint64_t i = first_element(); i < n && first == ~0ull; i += stride())
        if (index[i] >= end) first = i;
    if (first != ~0ull) atomicMin(bad, first);
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

/* Copies a column of the rows in the order of `rows`. */
template <class T, class Row>
static __global__ void column_kernel(const T *x, uint64_t columns, uint64_t column, const Row *rows, uint64_t n,
                                     T *values) {
    for (uint64_t i = first_element(); i < n; i += stride()) values[i] = x[(uint64_t)rows[i] * columns + column];
}

/* The last step of the results of a column. */
typedef struct last_step {
    scan_params scan; /* only xor_mask is set */
    uint64_t m, columns, column;
    const uint64_t *offsets;
    const void *reduced; /* for a mean: sums in f64 */
    const void *init;    /* or NULL */
    void *out;
} last_step;

/* Stores means. */
template <class T> static __global__ void mean_kernel(last_step s) {
    for (uint64_t j = first_element(); j < s.m; j += stride()) {
        const double mean = weft_finish_mean(((const double *)s.reduced)[j], s.offsets[j + 1] - s.offsets[j]);
        ((T *)s.out)[j * s.columns + s.column] = canonical((T)mean);
    }
}

/* Stores results of other operators. Op combines them with the initial values, as a scan does. */
template <class Op> static __global__ void store_kernel(last_step s) {
    typedef typename Op::result T;
    const Op op(s.scan);
    for (uint64_t j = first_element(); j < s.m; j += stride()) {
        const uint64_t at = j * s.columns + s.column;
        const T r = ((const T *)s.reduced)[j];
        T *const out = (T *)s.out + at;
        if (!s.init)
            *out = r;
        else if (s.offsets[j] == s.offsets[j + 1])
            *out = ((const T *)s.init)[at];
        else
            *out = op.store(op.combine(op.enter(((const T *)s.init)[at]), op.enter(r)));
    }
}

template <class Op> struct store_of {
    static const void *launch(const char *) { return (const void *)store_kernel<Op>; }
};

static const void *last_kernel(weft_op op, weft_dtype result) {
    switch (op) {
    case WEFT_MEAN: return result == WEFT_F32 ? (const void *)mean_kernel<float> : (const void *)mean_kernel<double>;
    case WEFT_SUM: return for_sums<const void *, store_of, scan_sum>(result, result);
    case WEFT_PROD: return for_sums<const void *, store_of, scan_product>(result, result);
    case WEFT_MIN:
    case WEFT_MAX: return for_extremes<const void *, store_of>(result);
    case WEFT_XOR: return for_bits<const void *, store_of, scan_xor>(result);
    default: return for_bits<const void *, store_of, scan_or>(result);
    }
}

/* -------------------------------------------------------------------------------- launches */

/* Launches a kernel whose threads share n > 0 elements. */
static weft_status launch(const gpu *g, const void *kernel, uint64_t n, void **arguments, weft_error *error) {
    const uint64_t most = (uint64_t)BLOCKS_OF_MULTIPROCESSOR * (unsigned)g->multiprocessors;
    const uint64_t blocks = min_u64((n - 1) / THREADS + 1, most);
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), arguments, 0, g->stream),
             "scatter_reduce");
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
    unsigned long long *bad;
    uint64_t *offsets;
    void *keys, *sorted_keys;
    void *rows, *list; /* rows: numbers of the rows; list: the sorted elements or numbers */
    void *values;      /* a column in the order of the list */
    void *reduced, *sort_scratch, *segments_scratch;
    size_t sort_bytes; /* of sort_scratch */
} state;

static size_t row_bytes(const state *s) { return s->wide_rows ? 8 : 4; }
static size_t key_bytes(const state *s) { return s->wide_keys ? 8 : 4; }
static size_t listed_bytes(const state *s) {
    return s->c->columns == 1 ? cuda_type_bytes(s->c->dtype) : row_bytes(s);
}

/* Fails if an index is out of range. Does nothing while the stream is being captured: such elements are then
 * ignored. */
static weft_status check(state *s, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaStream_t stream = s->g->stream;
    uint64_t n = s->c->n, bits = 0;
    if (s->c->range == WEFT_RANGE_SKIP || n == 0) return WEFT_OK;
    CUDA_TRY(cudaStreamIsCapturing(stream, &capture), "scatter_reduce");
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    CUDA_TRY(cudaMemsetAsync(s->bad, 0xff, sizeof *s->bad, stream), "scatter_reduce");
    void *arguments[] = {&s->index, &n, &s->end, &s->bad};
    RETURN_IF_ERROR(
        launch(s->g, s->wide_index ? (const void *)check_kernel<uint64_t> : (const void *)check_kernel<uint32_t>, n,
               arguments, error));
    CUDA_TRY(cudaMemcpyAsync(s->g->pinned, s->bad, sizeof *s->bad, cudaMemcpyDeviceToHost, stream), "scatter_reduce");
    CUDA_TRY(cudaStreamSynchronize(stream), "scatter_reduce");
    const uint64_t first = s->g->pinned[0];
    if (first == UINT64_MAX) return WEFT_OK;
    const size_t size = s->wide_index ? 8 : 4;
    CUDA_TRY(
        cudaMemcpyAsync(s->g->pinned, (const char *)s->index + first * size, size, cudaMemcpyDeviceToHost, stream),
        "scatter_reduce");
    CUDA_TRY(cudaStreamSynchronize(stream), "scatter_reduce");
    memcpy(&bits, s->g->pinned, size);
    return indices_fail(error, s->c->index_dtype, first, bits, s->c->m);
}

static weft_status count(state *s, weft_error *error) {
    uint64_t n = s->c->n;
    CUDA_TRY(cudaMemsetAsync(s->out, 0, s->c->m * sizeof(uint64_t), s->g->stream), "scatter_count");
    if (n == 0) return WEFT_OK;
    void *arguments[] = {&s->index, &n, &s->end, &s->out};
    return launch(s->g, s->wide_index ? (const void *)count_kernel<uint64_t> : (const void *)count_kernel<uint32_t>,
                  n, arguments, error);
}

/* ------------------------------------------------------------------------------------ list */

static int bits_of(uint64_t v) {
    int count = 0;
    for (; v; v >>= 1) count++;
    return count;
}

static sort_params sort_of(const state *s) {
    sort_params j;
    memset(&j, 0, sizeof j);
    j.rule = weft_sort_rule_of(s->wide_keys ? 64 : 32, false, false, false);
    j.last_bit = bits_of(s->c->m); /* m is the key of indices out of range */
    j.n = s->c->n;
    j.value_bytes = listed_bytes(s);
    j.keys[0] = s->keys;
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

/* Fills the list and the offsets. */
static weft_status make_list(state *s, weft_error *error) {
    uint64_t n = s->c->n, m = s->c->m;
    void *key_arguments[] = {&s->index, &n, &s->end, &m, &s->keys}, *row_arguments[] = {&s->rows, &n};
    void *offset_arguments[] = {&s->sorted_keys, &n, &m, &s->offsets};
    const void *const keys = s->wide_index ? (s->wide_keys ? (const void *)keys_kernel<uint64_t, uint64_t>
                                                           : (const void *)keys_kernel<uint64_t, uint32_t>)
                                           : (s->wide_keys ? (const void *)keys_kernel<uint32_t, uint64_t>
                                                           : (const void *)keys_kernel<uint32_t, uint32_t>);
    if (n > 0) {
        sort_params j = sort_of(s);
        RETURN_IF_ERROR(launch(s->g, keys, n, key_arguments, error));
        if (s->c->columns > 1)
            RETURN_IF_ERROR(launch(
                s->g, s->wide_rows ? (const void *)number_kernel<uint64_t> : (const void *)number_kernel<uint32_t>, n,
                row_arguments, error));
        RETURN_IF_ERROR(run_sort(s, &j, error));
    }
    return launch(s->g,
                  s->wide_keys ? (const void *)offsets_kernel<uint64_t> : (const void *)offsets_kernel<uint32_t>,
                  m + 1, offset_arguments, error);
}

/* --------------------------------------------------------------------------------- columns */

template <class Row> static const void *column_kernel_of(size_t size) {
    switch (size) {
    case 1: return (const void *)column_kernel<uint8_t, Row>;
    case 2: return (const void *)column_kernel<uint16_t, Row>;
    case 4: return (const void *)column_kernel<uint32_t, Row>;
    default: return (const void *)column_kernel<uint64_t, Row>;
    }
}

/* Returns true if the reduction writes the results itself. */
static bool is_direct(const scatter_reduce_call *c) { return c->columns == 1 && !c->init && c->op != WEFT_MEAN; }

static segmented_call reduction_of(const state *s) {
    segmented_call r;
    memset(&r, 0, sizeof r);
    r.name = "scatter_reduce";
    r.op = s->c->op;
    r.dtype = s->c->dtype;
    r.result = s->c->op == WEFT_MEAN ? WEFT_F64 : s->c->result;
    r.n = s->c->n;
    r.x = s->c->columns == 1 ? s->list : s->values;
    r.y = is_direct(s->c) ? s->out : s->reduced;
    r.source = SEGMENTS_BY_OFFSETS;
    r.segments = s->c->m;
    r.offsets = s->offsets;
    return r;
}

static weft_status do_column(state *s, uint64_t column, weft_error *error) {
    uint64_t n = s->c->n, columns = s->c->columns;
    const segmented_call reduction = reduction_of(s);
    void *copy[] = {&s->x, &columns, &column, &s->list, &n, &s->values};
    const size_t size = cuda_type_bytes(s->c->dtype);
    if (columns > 1 && n > 0)
        RETURN_IF_ERROR(launch(s->g,
                               s->wide_rows ? column_kernel_of<uint64_t>(size) : column_kernel_of<uint32_t>(size), n,
                               copy, error));
    RETURN_IF_ERROR(gpu_segmented_reduce(s->g, &reduction, s->segments_scratch, error));
    if (is_direct(s->c)) return WEFT_OK;
    last_step step = {{}, s->c->m, columns, column, s->offsets, s->reduced, s->init, s->out};
    step.scan.xor_mask = gpu_scan_xor_mask(s->c->op, s->c->dtype);
    void *store[] = {&step};
    return launch(s->g, last_kernel(s->c->op, s->c->result), s->c->m, store, error);
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
    const segmented_call reduction = reduction_of(s);
    size_t used = 0;
    s->bad = (unsigned long long *)take(base, &used, sizeof *s->bad);
    if (c->counts || c->m == 0 || c->columns == 0) return used;
    s->offsets = (uint64_t *)take(base, &used, (c->m + 1) * sizeof *s->offsets);
    s->keys = take(base, &used, c->n * key_bytes(s));
    s->sorted_keys = take(base, &used, c->n * key_bytes(s));
    s->list = take(base, &used, c->n * listed_bytes(s));
    if (c->columns > 1) {
        s->rows = take(base, &used, c->n * row_bytes(s));
        s->values = take(base, &used, c->n * cuda_type_bytes(c->dtype));
    }
    if (!is_direct(c)) s->reduced = take(base, &used, c->m * sizeof(uint64_t));
    s->sort_scratch = take(base, &used, s->sort_bytes);
    s->segments_scratch = take(base, &used, gpu_segmented_scratch(&reduction));
    return used;
}

static weft_status run(state *s, weft_error *error) {
    RETURN_IF_ERROR(check(s, error));
    if (s->c->m == 0 || s->c->columns == 0) return WEFT_OK;
    if (s->c->counts) return count(s, error);
    RETURN_IF_ERROR(make_list(s, error));
    for (uint64_t column = 0; column < s->c->columns; column++) RETURN_IF_ERROR(do_column(s, column, error));
    return WEFT_OK;
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
