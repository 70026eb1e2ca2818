/* The transforms of rows of 2^k numbers whose results become columns: of ORDER.md 14.8, where each row is a
 * transform, and of fft_blocks, where each is a block of a longer one. Row q of an array consists of B = j.blocks
 * blocks after the passes over its columns. Block b of the natural order of its results, in row q of m, is line q + m
 * b of the array: the results of adjacent lines are adjacent. The lines of all arrays are numbered in order, and a
 * block of threads transforms several adjacent ones. */
#include "cuda/copy_view/device_views.h"
#include "cuda/copy_view/view_index.cuh"
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/stages.cuh"
#include "cuda/fft/transforms.h"
#include "cuda/runtime/arrays.h"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

static const char NAME[] = "fft";

enum { SHORT_ROWS_LOG = FFT_PASS_LOG_MIN - 1, SHORT_ROWS_THREADS = 128 };

extern __shared__ __align__(16) unsigned char dynamic_shared[];

struct rows_params {
    fft_params j;              /* columns: m */
    uint32_t lines;            /* of all arrays */
    view_length each, columns; /* lines of an array; m */
};

/* A line: its numbers at x, its results at y, and the number of its block among those of the stage. */
struct row_line {
    uint64_t x, y; /* in complex numbers */
    uint32_t block;
};

/* Returns line `at`; those after the last one are the last one, which several threads then compute. PARTS: there is
 * one array, of any number of rows, which are blocks of a longer transform. */
template <bool PARTS> static __device__ __forceinline__ row_line line_at(const rows_params &p, uint32_t at) {
    uint32_t array = min(at, p.lines - 1);
    const uint32_t o = PARTS ? array : split_index(p.each, array);
    if (PARTS) array = 0;
    uint32_t b = o;
    const uint32_t q = PARTS && p.columns.n == 1 ? 0 : split_index(p.columns, b);
    const int digits = log2_of(p.j.blocks);
    const uint32_t block = (uint32_t)mirrored(b, digits);
    const uint32_t above = PARTS ? block_above(p.j, q) << digits : 0;
    return {((uint64_t)array * p.columns.n + q) * p.j.n + block * (p.j.n >> digits), array * p.j.y_step + o,
            above + block};
}

/* As rows_kernel of fft_passes.cu. */
template <typename T, int LOG, bool NARROW, bool PARTS>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    mixed_rows_kernel(const __grid_constant__ rows_params p) {
    const fft_params &j = p.j;
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH, shape::ROW> rows;
    number<T> *const shared = (number<T> *)dynamic_shared;
    const number<T> *const table = (const number<T> *)j.table;
    const uint32_t first = blockIdx.x * shape::WIDTH;
    const int t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const int d = threadIdx.x % shape::WIDTH, u = threadIdx.x / shape::WIDTH;
    const row_line from = line_at<PARTS>(p, first + c);
    const T *const x = (const T *)j.x + 2 * (from.x + l::template index_of<0>(t, 0));
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, true, false, [=](int i) { return x + 2 * l::template index_of<0>(0, i); });
    swap_parts<l::HELD>(v, j.swap_in);
    phase<LOG, 0>(v, t, table, from.block);
    exchange<LOG, 0, 1>(v, shared, t, u, rows{c}, rows{d});
    phases_from<LOG, 1>(v, shared, u, table, line_at<PARTS>(p, first + d).block, rows{d});
    finish<l::HELD>(j, v);
    const uint32_t step_bytes = p.each.n * (uint32_t)sizeof(number<T>);
    T *const y = (T *)j.y + 2 * (line_at<PARTS>(p, afresh(first + d)).y + natural_index<LOG>(u, 0) * p.each.n);
    /* Sectors of memory that a block writes in parts stay in the cache. */
    store_numbers<l::HELD>(v, j.y_aligned, p.each.n % 4 == 0,
                           [=](int i) { return stepped(y, step_bytes, (uint32_t)natural_index<LOG>(0, i)); });
}

/* Lines of at most 2^SHORT_ROWS_LOG numbers, each in the registers of a thread. The numbers of a line are read
 * through the L1 cache, since a line of it has those of several reads. */
template <typename T, int LOG, bool PARTS>
static __global__ void __launch_bounds__(SHORT_ROWS_THREADS)
    short_rows_kernel(const __grid_constant__ rows_params p) {
    const fft_params &j = p.j;
    const uint32_t at = blockIdx.x * SHORT_ROWS_THREADS + threadIdx.x;
    number<T> v[1 << LOG];
    wait_for_stream();
    if (at >= p.lines) return;
    const row_line to = line_at<PARTS>(p, at);
    const number<T> *const x = (const number<T> *)j.x + to.x;
    T *const y = (T *)j.y + 2 * to.y;
#pragma unroll
    for (int i = 0; i < 1 << LOG; i++) v[i] = x[i];
    swap_parts<1 << LOG>(v, j.swap_in);
    stages<LOG>(v, (const number<T> *)j.table, to.block);
    finish<1 << LOG>(j, v);
    store_numbers<1 << LOG>(v, j.y_aligned, false,
                            [=](int i) { return y + 2 * (uint64_t)p.each.n * (uint32_t)natural_index<LOG>(0, i); });
}

/* ------------------------------------------------------------------------------------- launches */

template <typename T, int LOG, bool NARROW, bool PARTS> struct mixed_rows_pass {
    typedef pass_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        fft_launch all = shape::launch((const void *)mixed_rows_kernel<T, LOG, NARROW, PARTS>, j, true);
        all.blocks = (j->batch * j->columns * j->blocks - 1) / shape::WIDTH + 1;
        return all;
    }
};
template <typename T, int LOG, bool NARROW> struct whole_rows_pass : mixed_rows_pass<T, LOG, NARROW, false> {};
template <typename T, int LOG, bool NARROW> struct part_rows_pass : mixed_rows_pass<T, LOG, NARROW, true> {};

template <typename T, int LOG, bool PARTS> static fft_launch find_short(int log, const fft_params *j) {
    if (log == LOG)
        return fft_launch{(const void *)short_rows_kernel<T, LOG, PARTS>,
                          (j->batch * j->columns * j->blocks - 1) / SHORT_ROWS_THREADS + 1, SHORT_ROWS_THREADS, 0,
                          true};
    if constexpr (LOG > 1) return find_short<T, LOG - 1, PARTS>(log, j);
    return fft_launch{};
}

template <typename T, int MOST> static fft_launch find_last(int log, unsigned blocks, const fft_params *j) {
    const bool parts = j->row_digits > 0;
    if (log <= SHORT_ROWS_LOG)
        return parts ? find_short<T, SHORT_ROWS_LOG, true>(log, j) : find_short<T, SHORT_ROWS_LOG, false>(log, j);
    return parts ? find_pass<part_rows_pass, T, MOST>(log, blocks, j)
                 : find_pass<whole_rows_pass, T, MOST>(log, blocks, j);
}

/* Sets the parameters of the last pass. rows: of `length` numbers, in each array. */
static fft_params describe(weft_dtype dtype, size_t rows, size_t length, const void *x, void *y) {
    fft_params j;
    memset(&j, 0, sizeof j);
    j.x = x;
    j.y = y;
    j.batch = 1;
    j.columns = rows;
    j.n = length;
    j.blocks = 1;
    j.scale = 1;
    j.y_aligned = (uintptr_t)y % (2 * cuda_type_bytes(dtype)) == 0;
    return j;
}

/* Computes the passes before the last one in place: the rows of all arrays are the arrays of these passes. */
static weft_status run_columns(const gpu *g, weft_dtype dtype, const pass_list *passes, fft_params *j,
                               weft_error *error) {
    fft_params pass = *j;
    pass.y = (void *)j->x;
    pass.batch = j->batch * j->columns;
    pass.x_step = pass.y_step = j->n;
    pass.x_aligned = pass.y_aligned = true;
    for (int i = 0; i < passes->count - 1; i++) {
        const fft_launch launch = cuda_fft_columns(dtype, passes->log[i], (unsigned)g->multiprocessors, &pass);
        RETURN_IF_ERROR(gpu_launch(g, NAME, &launch, &pass, error));
        pass.swap_in = false;
        pass.blocks <<= passes->log[i];
    }
    j->blocks = pass.blocks;
    j->swap_in = pass.swap_in;
    return WEFT_OK;
}

static weft_status run_last(const gpu *g, weft_dtype dtype, int log, const fft_params &j, weft_error *error) {
    const uint64_t each = j.columns * j.blocks;
    const rows_params p = {j, (uint32_t)(j.batch * each), view_length_of(each), view_length_of(j.columns)};
    const unsigned blocks = (unsigned)g->multiprocessors;
    const fft_launch launch = dtype == WEFT_F32 ? find_last<float, FFT_PASS_LOG_F32>(log, blocks, &j)
                                                : find_last<double, FFT_PASS_LOG_MAX>(log, blocks, &j);
    RETURN_IF_ERROR(gpu_allow_shared(g, launch.kernel, NAME, error));
    CUDA_TRY(launch_early(g, true, (void (*)(rows_params))launch.kernel, (unsigned)launch.blocks,
                          (unsigned)launch.threads, launch.shared_bytes, p),
             NAME);
    return WEFT_OK;
}

/* Computes all passes; the rows are parts of transforms of 2^log numbers. Sets j->table. */
static weft_status run_passes(gpu *g, weft_dtype dtype, int log, fft_params *j, weft_error *error) {
    const int row_log = gpu_log2(j->n);
    /* Two passes of more than FFT_PASS_LOG_MAX stages, whose blocks are narrow, are slower than three. */
    const int most = dtype == WEFT_F32 && row_log <= FFT_PASS_LOG_F32 ? FFT_PASS_LOG_F32 : FFT_PASS_LOG_MAX;
    pass_list passes = {1, {row_log}};
    if (row_log > gpu_pass_most(g, most)) passes = gpu_passes(g, row_log, most);
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, dtype, log, &j->table, error));
    RETURN_IF_ERROR(run_columns(g, dtype, &passes, j, error));
    return run_last(g, dtype, passes.log[passes.count - 1], *j, error);
}

weft_status cuda_fft_run_rows(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    RETURN_IF(
        c->n > UINT32_MAX, WEFT_INVALID,
        "%s: a transform of %zu complex values: a GPU supports at most 2^32 if their number is not a power of 2",
        NAME, c->n);
    const size_t length = c->n / c->count;
    fft_params j = describe(c->dtype, c->count, length, x, y);
    j.batch = c->batch;
    j.y_step = c->y_step / 2;
    if (c->inverse) j.scale = 1 / (double)length;
    j.swap_in = j.swap_out = c->inverse;
    return run_passes(g, c->dtype, gpu_log2(length), &j, error);
}

weft_status cuda_fft_blocks(void *state, const fft_blocks_call *c, weft_error *error) {
    gpu *const g = (gpu *)state;
    const current_device scope(g->device);
    const size_t bytes = c->count * c->n * 2 * cuda_type_bytes(c->dtype);
    gpu_array arrays[] = {{"y", c->y, bytes, ARRAY_OUT, false, NULL}, {"x", c->x, bytes, ARRAY_IN, false, NULL}};
    void *unused;
    RETURN_IF(c->count > UINT32_MAX / c->n, WEFT_INVALID,
              "%s: %zu blocks of %zu complex values: a GPU supports at most 2^32 values of a divided transform", NAME,
              c->count, c->n);
    RETURN_IF_ERROR(arrays_copy_in(g, NAME, arrays, 2, 0, &unused, error));
    fft_params j = describe(c->dtype, c->count, c->n, arrays[1].at, arrays[0].at);
    j.row = (uint32_t)c->first;
    j.row_digits = gpu_log2(c->blocks);
    if (c->inverse) j.scale = 1 / (double)(c->blocks * c->n);
    j.swap_in = j.swap_out = c->inverse;
    RETURN_IF_ERROR(run_passes(g, c->dtype, j.row_digits + gpu_log2(c->n), &j, error));
    return arrays_copy_out(g, NAME, arrays, 2, error);
}
