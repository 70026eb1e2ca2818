/* Minimum and maximum, their indices, and the largest magnitude (ORDER.md 1.4, 3.2), in free order, by the least key
 * (keys.cuh). */
#include "cuda/reduce/extremes.cuh"
#include "cuda/reduce/kernels.h"

/* Defines a function that returns the operator's kernel for an element type; integers are read as unsigned. */
#define KERNEL_BY_BITS(op)                                    \
    kernel cuda_##op##_kernel(weft_dtype dtype) {             \
        switch (dtype) {                                      \
        case WEFT_I8:                                         \
        case WEFT_U8: return UNORDERED_KERNEL(op<uint8_t>);   \
        case WEFT_I16:                                        \
        case WEFT_U16: return UNORDERED_KERNEL(op<uint16_t>); \
        case WEFT_I32:                                        \
        case WEFT_U32: return UNORDERED_KERNEL(op<uint32_t>); \
        case WEFT_F32: return UNORDERED_KERNEL(op<float>);    \
        case WEFT_F64: return UNORDERED_KERNEL(op<double>);   \
        default: return UNORDERED_KERNEL(op<uint64_t>);       \
        }                                                     \
    }

KERNEL_BY_BITS(extreme)
KERNEL_BY_BITS(extreme_index)

kernel cuda_largest_magnitude_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return UNORDERED_KERNEL(largest_magnitude<int8_t>);
    case WEFT_I16: return UNORDERED_KERNEL(largest_magnitude<int16_t>);
    case WEFT_I32: return UNORDERED_KERNEL(largest_magnitude<int32_t>);
    default: return UNORDERED_KERNEL(largest_magnitude<int64_t>);
    }
}
