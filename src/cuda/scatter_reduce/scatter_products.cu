/* Kernels of weft_scatter_reduce for products (ORDER.md 25). */
#include "cuda/scatter_reduce/scatter_rows.cuh"

scatter_launch cuda_scatter_product_kernels(weft_dtype dtype, weft_dtype result) {
    return for_sums<scatter_launch, scatter_of, scan_product>(dtype, result);
}
