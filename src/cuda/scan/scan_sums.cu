/* Scans by sum and product (ORDER.md 6.4). */
#include "cuda/scan/scan.cuh"
#include "cuda/scan/scan_kernels.h"
#include "cuda/scan/scan_ops.cuh"

scan_launch cuda_scan_sum_kernel(weft_dtype dtype, weft_dtype result) {
    return for_all_sums<scan_launch, scan_of, scan_sum>(dtype, result);
}

scan_launch cuda_scan_product_kernel(weft_dtype dtype, weft_dtype result) {
    return for_all_sums<scan_launch, scan_of, scan_product>(dtype, result);
}
