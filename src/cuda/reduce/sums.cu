/* Sums, products and sums of magnitudes by the canonical tree (ORDER.md 3.1, 3.3). */
#include "cuda/reduce/kernels.h"
#include "cuda/reduce/sums.cuh"

kernel cuda_sum_kernel(weft_dtype dtype, weft_dtype result) {
    static const kernel in_f64[] = {
        {NULL, KERNEL_TREE},
#define TYPE(ID, name, ctype, kind, npy) TREE_KERNEL(total<ctype, double>),
#include "core/types.def"
    };
    if (result == WEFT_F32) return TREE_KERNEL(total<float, float>);
    return in_f64[dtype];
}

kernel cuda_product_kernel(weft_dtype dtype, weft_dtype result) {
    if (result == WEFT_F32) return TREE_KERNEL(product<float, float>);
    if (dtype == WEFT_F32) return TREE_KERNEL(product<float, double>);
    return TREE_KERNEL(product<double, double>);
}

kernel cuda_magnitudes_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return TREE_KERNEL(magnitudes<int8_t>);
    case WEFT_I16: return TREE_KERNEL(magnitudes<int16_t>);
    case WEFT_I32: return TREE_KERNEL(magnitudes<int32_t>);
    case WEFT_I64: return TREE_KERNEL(magnitudes<int64_t>);
    case WEFT_F32: return TREE_KERNEL(magnitudes<float>);
    case WEFT_F64: return TREE_KERNEL(magnitudes<double>);
    default: return cuda_sum_kernel(dtype, WEFT_F64); /* unsigned: |x| is x */
    }
}
