/* Integer sums and products modulo 2^64, counts, and bits (ORDER.md 1.5, 3.2). Signed and unsigned integers of one
 * width share kernels where the sign has no effect. */
#include "cuda/reduce_axes/reduce_axes.cuh"

/* Returns the launch of Op for the integer types. */
template <template <class> class Op, class Fold> static axes_launch of_integer(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return axes_launch_of<Op<int8_t>, Fold>();
    case WEFT_I16: return axes_launch_of<Op<int16_t>, Fold>();
    case WEFT_I32: return axes_launch_of<Op<int32_t>, Fold>();
    case WEFT_U8: return axes_launch_of<Op<uint8_t>, Fold>();
    case WEFT_U16: return axes_launch_of<Op<uint16_t>, Fold>();
    case WEFT_U32: return axes_launch_of<Op<uint32_t>, Fold>();
    default: return axes_launch_of<Op<uint64_t>, Fold>();
    }
}

/* Returns the launch of Op for unsigned integers of the width of `dtype`. */
template <template <class> class Op, class Fold> static axes_launch of_width(weft_dtype dtype) {
    switch (cuda_type_bytes(dtype)) {
    case 1: return axes_launch_of<Op<uint8_t>, Fold>();
    case 2: return axes_launch_of<Op<uint16_t>, Fold>();
    case 4: return axes_launch_of<Op<uint32_t>, Fold>();
    default: return axes_launch_of<Op<uint64_t>, Fold>();
    }
}

axes_launch cuda_axes_integer_sum(weft_dtype dtype) {
    return of_integer<axes_integer_sum, axes_integer_sum<uint64_t>>(dtype);
}
axes_launch cuda_axes_integer_product(weft_dtype dtype) {
    return of_integer<axes_integer_product, axes_integer_product<uint64_t>>(dtype);
}
axes_launch cuda_axes_count(weft_dtype dtype) {
    if (dtype == WEFT_F32) return axes_launch_of<axes_count<float>, axes_integer_sum<uint64_t>>();
    if (dtype == WEFT_F64) return axes_launch_of<axes_count<double>, axes_integer_sum<uint64_t>>();
    if (dtype == WEFT_F16) return axes_launch_of<axes_count<f16>, axes_integer_sum<uint64_t>>();
    if (dtype == WEFT_BF16) return axes_launch_of<axes_count<bf16>, axes_integer_sum<uint64_t>>();
    return of_width<axes_count, axes_integer_sum<uint64_t>>(dtype);
}
axes_launch cuda_axes_or(weft_dtype dtype) { return of_width<axes_or, axes_or<uint64_t>>(dtype); }
axes_launch cuda_axes_xor(weft_dtype dtype) { return of_width<axes_xor, axes_xor<uint64_t>>(dtype); }
