/* Scans of many vectors by sum and product (ORDER.md 32). */
#include "cuda/scan_axis/scan_axis.cuh"

axis_launch cuda_axis_sum(weft_dtype dtype, weft_dtype result) {
    return for_all_sums<axis_launch, axis_of, scan_sum>(dtype, result);
}
axis_launch cuda_axis_product(weft_dtype dtype, weft_dtype result) {
    return for_all_sums<axis_launch, axis_of, scan_product>(dtype, result);
}
