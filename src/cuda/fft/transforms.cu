/* The table of twiddles (ORDER.md 14.1), and launches. */
#include "arith/turns.h"
#include "cuda/fft/transforms.h"
#include "cuda/runtime/overlap.cuh"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------ table */

enum { NEAR_LOG = 10, TABLE_THREADS = 256 }; /* T[2k] is one of 2^NEAR_LOG near values, rotated by a far value */

static __device__ void put(float2 *to, weft_turn u) { weft_slope_f32(u, &to->x, &to->y); }
static __device__ void put(double2 *to, weft_turn u) { weft_slope_f64(u, &to->x, &to->y); }

/* Sets table[k] to the scale and the slope of T[2k]. */
template <typename Number>
static __global__ void table_kernel(const weft_turn *near, const weft_turn *far, uint64_t count, Number *table) {
    const uint64_t k = (uint64_t)blockIdx.x * TABLE_THREADS + threadIdx.x;
    if (k >= count) return;
    const weft_turn w = weft_turn_combine(near[k % (1 << NEAR_LOG)], far[k >> NEAR_LOG]);
    put(table + k, weft_turn_upright(w, k % 2 != 0));
}

/* Computes the table on the GPU from the near and far values, which the host computes at `turns`. */
static weft_status fill_table(gpu *g, weft_dtype dtype, int log, weft_turn *turns, weft_turn *on_gpu, void *table,
                              weft_error *error) {
    const int far_log = log > NEAR_LOG ? log - NEAR_LOG : 0;
    const size_t near_count = (size_t)1 << NEAR_LOG, far_count = (size_t)1 << far_log;
    const uint64_t count = (uint64_t)1 << log;
    const unsigned blocks = (unsigned)((count - 1) / TABLE_THREADS + 1);
    weft_turn_table(1, NEAR_LOG, turns);
    weft_turn_table(1 + NEAR_LOG, far_log, turns + near_count);
    CUDA_TRY(
        cudaMemcpyAsync(on_gpu, turns, (near_count + far_count) * sizeof *turns, cudaMemcpyHostToDevice, g->stream),
        "computing twiddle factors");
    if (dtype == WEFT_F32)
        table_kernel<<<blocks, TABLE_THREADS, 0, g->stream>>>(on_gpu, on_gpu + near_count, count, (float2 *)table);
    else
        table_kernel<<<blocks, TABLE_THREADS, 0, g->stream>>>(on_gpu, on_gpu + near_count, count, (double2 *)table);
    CUDA_TRY(cudaGetLastError(), "computing twiddle factors");
    CUDA_TRY(cudaStreamSynchronize(g->stream), "computing twiddle factors");
    return WEFT_OK;
}

static weft_status make_table(gpu *g, weft_dtype dtype, int log, void *table, weft_error *error) {
    const size_t bytes =
        (((size_t)1 << NEAR_LOG) + ((size_t)1 << (log > NEAR_LOG ? log - NEAR_LOG : 0))) * sizeof(weft_turn);
    weft_turn *turns = (weft_turn *)malloc(bytes);
    void *on_gpu = NULL;
    RETURN_IF(!turns, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
    weft_status status = gpu_alloc(g, WEFT_DEVICE, bytes, &on_gpu, error);
    if (status == WEFT_OK) status = fill_table(g, dtype, log, turns, (weft_turn *)on_gpu, table, error);
    (void)gpu_free(g, WEFT_DEVICE, on_gpu);
    free(turns);
    return status;
}

weft_status gpu_twiddles(gpu *g, const char *operation, weft_dtype dtype, int log, const void **table,
                         weft_error *error) {
    const int type = dtype == WEFT_F64, wanted = log > 2 ? log - 2 : 0;
    RETURN_IF(log > 33, WEFT_INVALID, "%s: a transform of 2^%d values: a GPU supports at most 2^33", operation, log);
    const size_t number = 2 * cuda_type_bytes(dtype);
    *table = g->twiddles[type];
    if (*table && g->twiddles_log[type] >= wanted) return WEFT_OK;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), operation);
    RETURN_IF(
        capture != cudaStreamCaptureStatusNone, WEFT_INVALID,
        "%s: the table of twiddle factors cannot be computed while the stream is being captured: make one call of "
        "this size before the capture",
        operation);
    void *made;
    RETURN_IF_ERROR(gpu_alloc(g, WEFT_DEVICE, number << wanted, &made, error));
    const weft_status status = make_table(g, dtype, wanted, made, error);
    if (status != WEFT_OK) {
        (void)gpu_free(g, WEFT_DEVICE, made);
        return status;
    }
    if (g->twiddles[type]) g->scratch_bytes -= number << g->twiddles_log[type];
    (void)gpu_free(g, WEFT_DEVICE, g->twiddles[type]);
    g->twiddles[type] = made;
    g->twiddles_log[type] = wanted;
    g->scratch_bytes += number << wanted;
    *table = made;
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- launches */

weft_status gpu_launch(const gpu *g, const char *operation, const fft_launch *launch, const void *params,
                       weft_error *error) {
    void *arguments[] = {(void *)params};
    RETURN_IF(launch->blocks > INT32_MAX, WEFT_INVALID, "%s: too many values for one call on a GPU: %llu blocks",
              operation, (unsigned long long)launch->blocks);
    RETURN_IF_ERROR(gpu_allow_shared(g, launch->kernel, operation, error));
    CUDA_TRY(launch_early(g, launch->early, launch->kernel, (unsigned)launch->blocks, (unsigned)launch->threads,
                          launch->shared_bytes, arguments),
             operation);
    return WEFT_OK;
}

int gpu_pass_most(const gpu *g, int most) {
    if (g->shared_bytes < FFT_PASS_SHARED) return FFT_PASS_LOG_SMALL;
    return g->shared_bytes < FFT_PASS_SHARED_F32 && most > FFT_PASS_LOG_MAX ? FFT_PASS_LOG_MAX : most;
}

/* Divides the stages into the minimum number of passes, at least two, of nearly equal length. */
pass_list gpu_passes(const gpu *g, int log, int most) {
    pass_list list;
    most = gpu_pass_most(g, most);
    list.count = (log + most - 1) / most;
    if (list.count < 2) list.count = 2;
    for (int i = 0; i < list.count; i++) list.log[i] = log / list.count + (i < log % list.count);
    return list;
}
