/* The scan kernels, each for types of x and y; all take one `scan_job`. */
#ifndef WEFT_CUDA_SCAN_KERNELS_H
#define WEFT_CUDA_SCAN_KERNELS_H

#include "cuda/scan_job.h"
#include "weft.h"

/* scan_sums.cu */
scan_launch cuda_scan_sum_kernel(weft_dtype dtype, weft_dtype result);
scan_launch cuda_scan_product_kernel(weft_dtype dtype, weft_dtype result);

/* scan_free.cu: the least key (job.flip: see there), bits by or (and: job.flip all ones), by xor. */
scan_launch cuda_scan_extreme_kernel(weft_dtype dtype);
scan_launch cuda_scan_or_kernel(weft_dtype dtype);
scan_launch cuda_scan_xor_kernel(weft_dtype dtype);

#endif
