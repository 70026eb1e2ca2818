/* The transforms of rows of 2^k numbers whose results become columns (ORDER.md 14.8). Row q of an array consists of
 * B = j.blocks blocks after the passes over its columns. Block b of the natural order of its results, in row q of m,
 * is line q + m b of the array: the results of adjacent lines are adjacent. The lines of all arrays are numbered in
 * order, and a block of threads transforms several adjacent ones. */
#include "cuda/fft/fft_lengths.h"
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/stages.cuh"
#include "cuda/fft/transforms.h"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

static const char NAME[] = "fft";

enum { SHORT_ROWS_LOG = FFT_PASS_LOG_MIN - 1, SHORT_ROWS_THREADS = 128 };

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* A line: its numbers at x, its results at y, and the number of its block among those of the stage. */
struct row_line {
    uint64_t x, y; /* in complex numbers */
    uint32_t block;
};

/* Returns line `at`; those after the last one are the last one. */
static __device__ __forceinline__ row_line line_at(const fft_params &j, uint64_t at) {
    const uint64_t each = j.columns * j.blocks, lines = j.batch * each;
    if (at >= lines) at = lines - 1;
    const bool narrow = lines <= UINT32_MAX;
    const uint64_t array = narrow ? (uint32_t)at / (uint32_t)each : at / each, o = at - array * each;
    const uint64_t b = narrow ? (uint32_t)o / (uint32_t)j.columns : o / j.columns, q = o - b * j.columns;
    const uint64_t block = mirrored(b, log2_of(j.blocks));
    return {(array * j.columns + q) * j.n + block * (j.n / j.blocks), array * j.y_step + o, (uint32_t)block};
}

/* As rows_kernel of fft_passes.cu. */
template <typename T, int LOG, bool NARROW>
static __global__ void __launch_bounds__(pass_shape<T, LOG, NARROW>::THREADS, pass_shape<T, LOG, NARROW>::RESIDENT)
    mixed_rows_kernel(const fft_params j) {
    typedef pass_shape<T, LOG, NARROW> shape;
    typedef line<LOG> l;
    typedef side_by_side<shape::WIDTH + 1> rows;
    number<T> *const shared = (number<T> *)dynamic_shared;
    const number<T> *const table = (const number<T> *)j.table;
    const uint64_t first = (uint64_t)blockIdx.x * shape::WIDTH;
    const int t = threadIdx.x % l::THREADS, c = threadIdx.x / l::THREADS;
    const int d = threadIdx.x % shape::WIDTH, u = threadIdx.x / shape::WIDTH;
    const row_line from = line_at(j, first + c);
    const T *const x = (const T *)j.x + 2 * (from.x + l::template index_of<0>(t, 0));
    number<T> v[l::HELD];
    wait_for_stream();
    load_numbers<l::HELD>(v, true, false, [=](int i) { return x + 2 * l::template index_of<0>(0, i); });
    swap_parts<l::HELD>(v, j.swap_in);
    phase<LOG, 0>(v, t, table, from.block);
    exchange<LOG, 0, 1>(v, shared, t, u, rows{c}, rows{d});
    phases_from<LOG, 1>(v, shared, u, table, line_at(j, first + d).block, rows{d});
    finish<l::HELD>(j, v);
    const uint64_t step = j.columns * j.blocks;
    const uint32_t step_bytes = (uint32_t)(step * sizeof(number<T>));
    T *const y = (T *)j.y + 2 * (line_at(j, afresh(first + d)).y + natural_index<LOG>(u, 0) * step);
    if (first + d < j.batch * step)
        store_numbers<l::HELD>(v, j.y_aligned, true,
                               [=](int i) { return stepped(y, step_bytes, (uint32_t)natural_index<LOG>(0, i)); });
}

/* Rows of at most 2^SHORT_ROWS_LOG numbers, each in the registers of a thread. The numbers of a row are read through
 * the L1 cache, since a line of it has those of several reads. */
template <typename T, int LOG>
static __global__ void __launch_bounds__(SHORT_ROWS_THREADS) short_rows_kernel(const fft_params j) {
    const uint64_t at = (uint64_t)blockIdx.x * SHORT_ROWS_THREADS + threadIdx.x;
    number<T> v[1 << LOG];
    wait_for_stream();
    if (at >= j.batch * j.columns) return;
    const row_line to = line_at(j, at);
    const number<T> *const x = (const number<T> *)j.x + to.x;
    T *const y = (T *)j.y + 2 * to.y;
#pragma unroll
    for (int i = 0; i < 1 << LOG; i++) v[i] = x[i];
    swap_parts<1 << LOG>(v, j.swap_in);
    stages<LOG>(v, (const number<T> *)j.table, 0);
    finish<1 << LOG>(j, v);
    store_numbers<1 << LOG>(v, j.y_aligned, false,
                            [=](int i) { return y + 2 * j.columns * (uint32_t)natural_index<LOG>(0, i); });
}

/* ------------------------------------------------------------------------------------- launches */

template <typename T, int LOG, bool NARROW> struct mixed_rows_pass {
    typedef pass_shape<T, LOG, NARROW> shape;
    static fft_launch launch(const fft_params *j) {
        fft_launch all = shape::launch((const void *)mixed_rows_kernel<T, LOG, NARROW>, j, 1);
        all.blocks = (j->batch * j->columns * j->blocks - 1) / shape::WIDTH + 1;
        return all;
    }
};

template <typename T, int LOG> static fft_launch find_short(int log, const fft_params *j) {
    if (log == LOG)
        return fft_launch{(const void *)short_rows_kernel<T, LOG>,
                          (j->batch * j->columns - 1) / SHORT_ROWS_THREADS + 1, SHORT_ROWS_THREADS, 0, true};
    if constexpr (LOG > 1) return find_short<T, LOG - 1>(log, j);
    return fft_launch{};
}

template <typename T, int MOST> static fft_launch find_last(int log, unsigned blocks, const fft_params *j) {
    return log <= SHORT_ROWS_LOG ? find_short<T, SHORT_ROWS_LOG>(log, j)
                                 : find_pass<mixed_rows_pass, T, MOST>(log, blocks, j);
}

/* Sets the parameters of the last pass. */
static fft_params describe(const fft_pass_call *c, const void *x, void *y, const void *table) {
    const size_t length = c->n / c->count, number = 2 * cuda_type_bytes(c->dtype);
    fft_params j;
    memset(&j, 0, sizeof j);
    j.x = x;
    j.y = y;
    j.table = table;
    j.batch = c->batch;
    j.columns = c->count;
    j.n = length;
    j.blocks = 1;
    j.y_step = c->y_step / 2;
    j.scale = c->inverse ? 1 / (double)length : 1;
    j.y_aligned = (uintptr_t)y % number == 0;
    j.swap_in = j.swap_out = c->inverse;
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

weft_status cuda_fft_run_rows(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const bool f32 = c->dtype == WEFT_F32;
    RETURN_IF(c->n > (size_t)1 << 33, WEFT_INVALID, "%s: a transform of %zu values: a GPU supports at most 2^33",
              NAME, c->n);
    const int log = gpu_log2(c->n / c->count), most = f32 ? FFT_PASS_LOG_F32 : FFT_PASS_LOG_MAX;
    pass_list passes = {1, {log}};
    if (log > gpu_pass_most(g, most)) passes = gpu_passes(g, log, most);
    const void *table;
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, log, &table, error));
    fft_params j = describe(c, x, y, table);
    RETURN_IF_ERROR(run_columns(g, c->dtype, &passes, &j, error));
    const int last = passes.log[passes.count - 1];
    const unsigned blocks = (unsigned)g->multiprocessors;
    const fft_launch launch = f32 ? find_last<float, FFT_PASS_LOG_F32>(last, blocks, &j)
                                  : find_last<double, FFT_PASS_LOG_MAX>(last, blocks, &j);
    return gpu_launch(g, NAME, &launch, &j, error);
}
