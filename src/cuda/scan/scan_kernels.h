/* The scan kernels by types of x and y, each of which takes one `scan_params`, and their launches. */
#ifndef WEFT_CUDA_SCAN_KERNELS_H
#define WEFT_CUDA_SCAN_KERNELS_H

#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_params.h"

/* scan_sums.cu */
scan_launch cuda_scan_sum_kernel(weft_dtype dtype, weft_dtype result);
scan_launch cuda_scan_product_kernel(weft_dtype dtype, weft_dtype result);

/* scan_unordered.cu: minimum of keys, bitwise or, bitwise xor. params.xor_mask turns minimum into maximum, and or
 * into and.
 */
scan_launch cuda_scan_extreme_kernel(weft_dtype dtype);
scan_launch cuda_scan_or_kernel(weft_dtype dtype);
scan_launch cuda_scan_xor_kernel(weft_dtype dtype);

/* scan.cu: the steps of one scan. Chooses the kernel, sets the parameters common to all launches of the scan, and
 * reserves the workspace for its totals. */
weft_status gpu_scan_begin(gpu *g, const scan_call *c, scan_launch *kernel, scan_params *j, weft_error *error);
/* Number of blocks of a launch, and the shared memory of each. */
typedef struct scan_grid {
    uint32_t blocks;
    size_t shared_bytes;
} scan_grid;
scan_grid gpu_scan_shape(const gpu *g, const scan_launch *kernel, scan_params *j);
/* Scans j->x to j->y. */
weft_status gpu_scan_launch(const gpu *g, const scan_launch *kernel, scan_params *j, weft_error *error);
/* scan_bulk.cu: scans j->x to j->y, both in device memory, by bulk copies where these are faster. Otherwise launches
 * nothing and sets *launched to false. */
weft_status gpu_scan_bulk(const gpu *g, const scan_call *c, scan_params *j, bool *launched, weft_error *error);
/* Returns the parameters for one chunk of a scan: at most `most` elements starting at `first` (both multiples of a
 * tile). The caller sets `x`. */
scan_params gpu_scan_chunk(const scan_params *all, uint64_t first, uint64_t most, size_t result_bytes);
/* Clears the published totals after a chunk could not be launched. Otherwise the next scan would read the totals of
 * the chunks before it as its own. */
void gpu_scan_abandon(const gpu *g);

#endif
