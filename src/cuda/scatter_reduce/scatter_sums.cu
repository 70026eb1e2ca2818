/* Kernels of weft_scatter_reduce for sums and means (ORDER.md 25). */
#include "cuda/scatter_reduce/scatter_rows.cuh"

scatter_launch cuda_scatter_sum_kernels(weft_dtype dtype, weft_dtype result) {
    return for_sums<scatter_launch, scatter_of, scan_sum>(dtype, result);
}

scatter_launch cuda_scatter_mean_kernels(weft_dtype dtype, weft_dtype result) {
    if (dtype == WEFT_F32 && result == WEFT_F32) return scatter_of<scatter_mean<float, double, float>>::launch("");
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return scatter_of<scatter_mean<ctype, double, double>>::launch("");
#include "core/types.def"
    return scatter_launch();
}
