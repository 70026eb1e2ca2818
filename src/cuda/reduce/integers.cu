/* Integer sums and products modulo 2^64, counts, and bits (ORDER.md 1.5, 3.2), in any order. */
#include "cuda/reduce/integers.cuh"
#include "cuda/reduce/kernels.h"

kernel cuda_integer_sum_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return UNORDERED_KERNEL(integer_sum<int8_t>);
    case WEFT_I16: return UNORDERED_KERNEL(integer_sum<int16_t>);
    case WEFT_I32: return UNORDERED_KERNEL(integer_sum<int32_t>);
    case WEFT_U8: return UNORDERED_KERNEL(integer_sum<uint8_t>);
    case WEFT_U16: return UNORDERED_KERNEL(integer_sum<uint16_t>);
    case WEFT_U32: return UNORDERED_KERNEL(integer_sum<uint32_t>);
    default: return UNORDERED_KERNEL(integer_sum<uint64_t>);
    }
}

kernel cuda_integer_product_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return UNORDERED_KERNEL(integer_product<int8_t>);
    case WEFT_I16: return UNORDERED_KERNEL(integer_product<int16_t>);
    case WEFT_I32: return UNORDERED_KERNEL(integer_product<int32_t>);
    case WEFT_U8: return UNORDERED_KERNEL(integer_product<uint8_t>);
    case WEFT_U16: return UNORDERED_KERNEL(integer_product<uint16_t>);
    case WEFT_U32: return UNORDERED_KERNEL(integer_product<uint32_t>);
    default: return UNORDERED_KERNEL(integer_product<uint64_t>);
    }
}

kernel cuda_count_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8:
    case WEFT_U8: return UNORDERED_KERNEL(count_nonzero<uint8_t>);
    case WEFT_I16:
    case WEFT_U16: return UNORDERED_KERNEL(count_nonzero<uint16_t>);
    case WEFT_I32:
    case WEFT_U32: return UNORDERED_KERNEL(count_nonzero<uint32_t>);
    case WEFT_F32: return UNORDERED_KERNEL(count_nonzero<float>);
    case WEFT_F64: return UNORDERED_KERNEL(count_nonzero<double>);
    default: return UNORDERED_KERNEL(count_nonzero<uint64_t>);
    }
}

kernel cuda_bits_kernel(weft_op op) {
    if (op == WEFT_AND) return UNORDERED_KERNEL(bits<WEFT_AND>);
    if (op == WEFT_OR) return UNORDERED_KERNEL(bits<WEFT_OR>);
    return UNORDERED_KERNEL(bits<WEFT_XOR>);
}
