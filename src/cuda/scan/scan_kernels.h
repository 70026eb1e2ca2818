/* The scan kernels, each for types of x and y, which all take one `scan_job`, and their launches. */
#ifndef WEFT_CUDA_SCAN_KERNELS_H
#define WEFT_CUDA_SCAN_KERNELS_H

#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_job.h"

/* scan_sums.cu */
scan_launch cuda_scan_sum_kernel(weft_dtype dtype, weft_dtype result);
scan_launch cuda_scan_product_kernel(weft_dtype dtype, weft_dtype result);

/* scan_free.cu: the least key (job.flip: see there), bits by or (and: job.flip all ones), by xor. */
scan_launch cuda_scan_extreme_kernel(weft_dtype dtype);
scan_launch cuda_scan_or_kernel(weft_dtype dtype);
scan_launch cuda_scan_xor_kernel(weft_dtype dtype);

/* scan.cu: one scan, step by step. Which kernel, and what all its launches are told; room for its totals. */
weft_status gpu_scan_begin(gpu *g, const scan_call *c, scan_launch *kernel, scan_job *j, weft_error *error);
/* The blocks of a launch and their shared memory; sets j->block_tiles. */
typedef struct scan_grid {
    uint32_t blocks;
    size_t shared_bytes;
} scan_grid;
scan_grid gpu_scan_shape(const gpu *g, const scan_launch *kernel, scan_job *j);
/* Scans j->x to j->y. */
weft_status gpu_scan_launch(const gpu *g, const scan_launch *kernel, scan_job *j, weft_error *error);
/* scan_bulk.cu: scans j->x to j->y, both in the GPU's memory, by bulk copies if these are faster. */
weft_status gpu_scan_bulk(const gpu *g, const scan_call *c, scan_job *j, bool *launched, weft_error *error);
/* Of the job of a whole scan that of a chunk, at most `most` elements from `first` on, both of whole tiles; its x is
 * left to be set. */
scan_job gpu_scan_chunk(const scan_job *whole, uint64_t first, uint64_t most, size_t result_bytes);
/* When a chunk cannot be given to the GPU: the totals of those before it must not be taken for the next scan's. */
void gpu_scan_abandon(const gpu *g);

#endif
