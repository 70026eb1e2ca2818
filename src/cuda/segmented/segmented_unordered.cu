/* Segmented reduction and scan by operators whose results do not depend on order (ORDER.md 8). */
#include "cuda/segmented/segmented_kernels.cuh"

segments_launch cuda_segmented_extreme_kernels(weft_dtype dtype) {
    return for_extremes<segments_launch, segmented_of>(dtype);
}
segments_launch cuda_segmented_or_kernels(weft_dtype dtype) {
    return for_bits<segments_launch, segmented_of, scan_or>(dtype);
}
segments_launch cuda_segmented_xor_kernels(weft_dtype dtype) {
    return for_bits<segments_launch, segmented_of, scan_xor>(dtype);
}
