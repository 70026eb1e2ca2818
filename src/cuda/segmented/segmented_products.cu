/* Segmented reduction and scan by product (ORDER.md 8). */
#include "cuda/segmented/segmented_kernels.cuh"

segments_launch cuda_segmented_product_kernels(weft_dtype dtype, weft_dtype result) {
    return for_sums<segments_launch, segmented_of, scan_product>(dtype, result);
}
