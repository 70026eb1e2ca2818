/* Sums of products of two operands (ORDER.md 5). Integers use the tree too, although their order does not matter. */
#include "cuda/reduce_axes/reduce_axes.cuh"

template <class T, class A> static axes_launch dot_of() { return axes_launch_of<axes_dot<T, A>, axes_sum<A, A>>(); }

template <class T> static axes_launch integer_dot_of() {
    return axes_launch_of<axes_dot<T, uint64_t>, axes_integer_sum<uint64_t>>();
}

axes_launch cuda_axes_dot(weft_dtype dtype, weft_dtype accumulate) {
    const bool narrow = accumulate == WEFT_F32;
    switch (dtype) {
    case WEFT_I8: return integer_dot_of<int8_t>();
    case WEFT_I16: return integer_dot_of<int16_t>();
    case WEFT_I32: return integer_dot_of<int32_t>();
    case WEFT_U8: return integer_dot_of<uint8_t>();
    case WEFT_U16: return integer_dot_of<uint16_t>();
    case WEFT_U32: return integer_dot_of<uint32_t>();
    case WEFT_F32: return narrow ? dot_of<float, float>() : dot_of<float, double>();
    case WEFT_F64: return dot_of<double, double>();
    case WEFT_F16: return narrow ? dot_of<f16, float>() : dot_of<f16, double>();
    case WEFT_BF16: return narrow ? dot_of<bf16, float>() : dot_of<bf16, double>();
    default: return integer_dot_of<uint64_t>(); /* of 64-bit integers modulo 2^64 */
    }
}
