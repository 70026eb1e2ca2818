/* Segmented reduction and scan by sum (ORDER.md 8). */
#include "cuda/segmented/segmented_kernels.cuh"

segments_launch cuda_segmented_sum_kernels(weft_dtype dtype, weft_dtype result) {
    return for_sums<segments_launch, segmented_of, scan_sum>(dtype, result);
}
