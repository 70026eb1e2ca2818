/* Kernels of weft_scatter_reduce for operators whose results do not depend on order (ORDER.md 25). */
#include "cuda/scatter_reduce/scatter_rows.cuh"

scatter_launch cuda_scatter_extreme_kernels(weft_dtype dtype) {
    return for_extremes<scatter_launch, scatter_of>(dtype);
}
scatter_launch cuda_scatter_or_kernels(weft_dtype dtype) {
    return for_bits<scatter_launch, scatter_of, scan_or>(dtype);
}
scatter_launch cuda_scatter_xor_kernels(weft_dtype dtype) {
    return for_bits<scatter_launch, scatter_of, scan_xor>(dtype);
}
