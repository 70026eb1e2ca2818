/* Additions to the executor (ladder/executor) for the emulated GPU of the tests: launches by a kernel's address.
 * Tests must call it from one thread. */
#include "cuda/block_tridiag/block_tridiag_params.h"
#include "cuda/convolve/convolve_kernels.h"
#include "cuda/fft/fft_passes.h"
#include "cuda/matmul/matmul_kernels.h"
#include "cuda/recurrence/recurrence_params.h"
#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_kernels.h"
#include "cuda/scatter_reduce/scatter_params.h"
#include "cuda/segmented/segments_params.h"
#include "cuda/select/compact_params.h"
#include "cuda/tridiag/tridiag_params.h"
#include "cuda/tridiag_pivot/tridiag_pivot_params.h"
#include "executor.h"

#include <climits>
#include <set>

namespace {

bool solves_systems(const void *kernel) {
    for (int i = 0; i < 4; i++) {
        const bool f32 = i & 1, variant = i & 2;
        if (kernel == tridiag_short_kernel(f32) || kernel == tridiag_warp_kernel(f32, variant) ||
            kernel == tridiag_block_kernel(f32, variant) || kernel == tridiag_reduce_kernel(f32, variant) ||
            kernel == tridiag_expand_kernel(f32, variant))
            return true;
    }
    return false;
}

bool pivots(const void *kernel) {
    for (const pivot_stage stage : {PIVOT_SOLVE, PIVOT_REDUCE, PIVOT_EXPAND})
        for (int i = 0; i < 4; i++)
            if (kernel == tridiag_pivot_chunks_kernel(i & 1, i & 2, stage) ||
                kernel == tridiag_pivot_runs_kernel(i & 1, stage))
                return true;
    return false;
}

bool solves_blocks(const void *kernel) {
    for (int i = 0; i < 4; i++) {
        const bool f32 = i & 1, team = i & 2;
        if (kernel == block_staged_kernel(f32, 2, true, team)) return true;
        for (size_t k = 2; k <= WEFT_BLOCK_TRIDIAG_MAX; k++)
            if (kernel == block_staged_kernel(f32, k, false, team)) return true;
    }
    return false;
}

/* Types of products: of elements and of sums. */
const weft_dtype PRODUCTS[][2] = {{WEFT_F32, WEFT_F32}, {WEFT_F32, WEFT_F64}, {WEFT_F64, WEFT_F64}};

bool multiplies(const void *kernel) {
    for (const weft_dtype *types : PRODUCTS) {
        const matmul_tile_launch *list;
        const int count = cuda_matmul_tiles(types[0], types[1], &list);
        for (int i = 0; i < 4 * count; i++)
            if (kernel == list[i / 4].kernels[i / 2 % 2][i % 2] || kernel == list[i / 4].resumed) return true;
        if (kernel == cuda_matmul_vector(types[0], types[1], false, false).kernel ||
            kernel == cuda_matmul_vector(types[0], types[1], true, false).kernel ||
            kernel == cuda_matmul_vector(types[0], types[1], true, true).kernel ||
            kernel == cuda_matmul_scale_kernel(types[0], types[1]))
            return true;
    }
    return false;
}

/* Returns true if the kernel scans arrays of this type. */
bool scans_arrays_of(weft_dtype dtype, const void *kernel) {
    for (weft_dtype result : {dtype, WEFT_I64, WEFT_F64})
        if (kernel == cuda_scan_sum_kernel(dtype, result).kernel ||
            kernel == cuda_scan_product_kernel(dtype, result).kernel)
            return true;
    return kernel == cuda_scan_extreme_kernel(dtype).kernel || kernel == cuda_scan_or_kernel(dtype).kernel ||
           kernel == cuda_scan_xor_kernel(dtype).kernel;
}

bool scans(const void *kernel) {
    for (int dtype = WEFT_I8; dtype <= WEFT_F64; dtype++)
        if (scans_arrays_of((weft_dtype)dtype, kernel)) return true;
    return false;
}

std::set<const void *> kernels_of_transforms() {
    const fft_params j = {};
    std::set<const void *> all;
    for (weft_dtype dtype : {WEFT_F32, WEFT_F64}) {
        for (int log = 0; log <= (dtype == WEFT_F32 ? FFT_FULL_LOG_F32 : FFT_FULL_LOG_F64); log++)
            all.insert(cuda_fft_full(dtype, log, &j).kernel);
        for (int log = FFT_PASS_LOG_MIN; log <= (dtype == WEFT_F32 ? FFT_PASS_LOG_F32 : FFT_PASS_LOG_MAX); log++)
            for (unsigned blocks : {0u, UINT_MAX})
                all.insert(
                    {cuda_fft_columns(dtype, log, blocks, &j).kernel, cuda_fft_rows(dtype, log, blocks, &j).kernel});
        for (int log = FFT_PASS_LOG_MIN; log <= FFT_PASS_LOG_MAX; log++) {
            all.insert(cuda_convolve_columns_back(dtype, log, &j).kernel);
            for (unsigned blocks : {0u, UINT_MAX})
                all.insert({cuda_fft_combine_columns(dtype, log, blocks, &j).kernel,
                            cuda_fft_split_rows(dtype, log, blocks, &j).kernel});
        }
        all.insert({cuda_fft_split(dtype, &j).kernel, cuda_fft_combine(dtype, &j).kernel,
                    cuda_fft_single(dtype, false, &j).kernel, cuda_fft_single(dtype, true, &j).kernel});
    }
    return all;
}

bool transforms(const void *kernel) {
    static const std::set<const void *> all = kernels_of_transforms();
    return all.count(kernel) > 0;
}

std::set<const void *> kernels_of_convolutions() {
    const convolve_params j = {};
    std::set<const void *> all;
    for (int i = 0; i < 4; i++) {
        const weft_dtype dtype = i & 1 ? WEFT_F32 : WEFT_F64;
        const bool is_complex = i & 2;
        for (int log = BLOCK_LOG_MIN; log <= (dtype == WEFT_F32 ? BLOCK_LOG_F32 : BLOCK_LOG_F64); log++)
            all.insert({cuda_convolve_blocks(dtype, is_complex, log, &j).kernel,
                        cuda_convolve_block_filter(dtype, is_complex, log, &j).kernel});
        for (int log = FFT_PASS_LOG_MIN; log <= FFT_PASS_LOG_MAX; log++)
            all.insert(
                {cuda_convolve_row_filter(dtype, log, &j).kernel, cuda_convolve_row_product(dtype, log, &j).kernel});
        all.insert(
            {cuda_convolve_direct(dtype, is_complex, &j).kernel, cuda_convolve_turn(dtype, is_complex, &j).kernel,
             cuda_convolve_fill(dtype, is_complex, &j).kernel, cuda_convolve_give(dtype, is_complex, &j).kernel});
    }
    return all;
}

bool convolves(const void *kernel) {
    static const std::set<const void *> all = kernels_of_convolutions();
    return all.count(kernel) > 0;
}

/* Calls `add` for the kernels of all operators, of elements of a type. */
template <class Add> void add_kernels(weft_dtype dtype, Add add) {
    add(cuda_segmented_extreme_kernels(dtype), cuda_scatter_extreme_kernels(dtype));
    add(cuda_segmented_or_kernels(dtype), cuda_scatter_or_kernels(dtype));
    add(cuda_segmented_xor_kernels(dtype), cuda_scatter_xor_kernels(dtype));
    for (weft_dtype result : {dtype, WEFT_I64, WEFT_F64}) {
        add(cuda_segmented_sum_kernels(dtype, result), cuda_scatter_sum_kernels(dtype, result));
        add(cuda_segmented_product_kernels(dtype, result), cuda_scatter_product_kernels(dtype, result));
        add(cuda_segmented_mean_kernels(dtype), cuda_scatter_mean_kernels(dtype, result));
    }
}

struct kernels_of_segments {
    std::set<const void *> segmented, scatter;
    kernels_of_segments() {
        for (int dtype = WEFT_I8; dtype <= WEFT_F64; dtype++)
            add_kernels((weft_dtype)dtype, [this](segments_launch s, scatter_launch r) {
                segmented.insert({s.reduce_short, s.reduce_long, s.scan_short, s.scan_long.kernel});
                scatter.insert({r.rows, r.rows_in_packs, r.fold, r.store});
            });
    }
};

const kernels_of_segments &of_segments() {
    static const kernels_of_segments all;
    return all;
}

/* Returns the recurrence kernels of which `kernel` is one, or none. */
recurrence_launch recurrence_of(const void *kernel) {
    for (weft_dtype dtype : {WEFT_F32, WEFT_F64})
        for (bool reverse : {false, true}) {
            const recurrence_launch r = cuda_recurrence_kernels(dtype, reverse);
            if (kernel == r.short_rows || kernel == r.long_rows || kernel == r.map) return r;
        }
    return {};
}

bool combines_products(const void *kernel) {
    for (const weft_dtype *types : PRODUCTS)
        if (kernel == cuda_matmul_combine_kernel(types[0], types[1])) return true;
    return false;
}

} // namespace

/* Kernels that are launched by their address take reduce_params, except those of recurrences, tridiagonal systems,
 * products, scans, segments, transforms and convolutions, and those that store a value. */
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t) {
    const emulated::geometry g(grid, block, shared);
    const recurrence_launch recurrence = recurrence_of(kernel);
    if (recurrence.map == kernel)
        emulated::launch(g, (void (*)(const uint64_t *, uint32_t, int, uint64_t *))kernel,
                         *(const uint64_t **)arguments[0], *(uint32_t *)arguments[1], *(int *)arguments[2],
                         *(uint64_t **)arguments[3]);
    else if (recurrence.map)
        emulated::launch(g, (void (*)(recurrence_params))kernel, *(recurrence_params *)arguments[0]);
    else if (solves_systems(kernel))
        emulated::launch(g, (void (*)(tridiag_params))kernel, *(tridiag_params *)arguments[0]);
    else if (pivots(kernel))
        emulated::launch(g, (void (*)(tridiag_pivot_params))kernel, *(tridiag_pivot_params *)arguments[0]);
    else if (solves_blocks(kernel))
        emulated::launch(g, (void (*)(block_params))kernel, *(block_params *)arguments[0]);
    else if (multiplies(kernel))
        emulated::launch(g, (void (*)(matmul_params))kernel, *(matmul_params *)arguments[0]);
    else if (scans(kernel))
        emulated::launch(g, (void (*)(scan_params))kernel, *(scan_params *)arguments[0]);
    else if (of_segments().segmented.count(kernel))
        emulated::launch(g, (void (*)(segments_params))kernel, *(segments_params *)arguments[0]);
    else if (of_segments().scatter.count(kernel))
        emulated::launch(g, (void (*)(scatter_params))kernel, *(scatter_params *)arguments[0]);
    else if (transforms(kernel))
        emulated::launch(g, (void (*)(fft_params))kernel, *(fft_params *)arguments[0]);
    else if (convolves(kernel))
        emulated::launch(g, (void (*)(convolve_params))kernel, *(convolve_params *)arguments[0]);
    else if (combines_products(kernel))
        emulated::launch(g, (void (*)(matmul_params, void *))kernel, *(matmul_params *)arguments[0],
                         *(void **)arguments[1]);
    else if (kernel == tridiag_singular_kernel())
        emulated::launch(g, (void (*)(const uint64_t *, uint64_t, uint64_t *))kernel,
                         *(const uint64_t **)arguments[0], *(uint64_t *)arguments[1], *(uint64_t **)arguments[2]);
    else if (kernel == cuda_probe_kernel())
        emulated::launch(g, (void (*)(void *, uint64_t, uint32_t))kernel, *(void **)arguments[0],
                         *(uint64_t *)arguments[1], *(uint32_t *)arguments[2]);
    else
        emulated::launch(g, (void (*)(reduce_params))kernel, *(reduce_params *)arguments[0]);
    return cudaPeekAtLastError();
}

/* In place of cudaLaunchKernel in compact.cu, whose kernels all take compact_params. */
cudaError_t launch_compaction(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                              cudaStream_t) {
    emulated::launch(emulated::geometry(grid, block, shared), (void (*)(compact_params))kernel,
                     *(compact_params *)arguments[0]);
    return cudaPeekAtLastError();
}

namespace {

/* Ends the test at exit if the executor has recorded an error, in particular a race, without stopping. */
struct last_words {
    ~last_words() {
        const emulated::account seen = emulated::take_account();
        if (seen.faults) emulated::stop(seen.first);
    }
} at_the_end;

} // namespace
