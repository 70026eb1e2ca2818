/* Minimum and maximum, their indices, and the largest magnitude (ORDER.md 1.4, 3.2). */
#include "cuda/reduce_axes/reduce_axes.cuh"

/* Returns the launch of Op<T> with the fold Fold<key of T>. */
template <template <class> class Op, template <class> class Fold> static axes_launch of_keys(weft_dtype dtype) {
    if (dtype == WEFT_F32) return axes_launch_of<Op<float>, Fold<uint32_t>>();
    if (dtype == WEFT_F64) return axes_launch_of<Op<double>, Fold<uint64_t>>();
    if (dtype == WEFT_F16) return axes_launch_of<Op<f16>, Fold<uint32_t>>();
    if (dtype == WEFT_BF16) return axes_launch_of<Op<bf16>, Fold<uint32_t>>();
    switch (cuda_type_bytes(dtype)) {
    case 1: return axes_launch_of<Op<uint8_t>, Fold<uint32_t>>();
    case 2: return axes_launch_of<Op<uint16_t>, Fold<uint32_t>>();
    case 4: return axes_launch_of<Op<uint32_t>, Fold<uint32_t>>();
    default: return axes_launch_of<Op<uint64_t>, Fold<uint64_t>>();
    }
}

axes_launch cuda_axes_extreme(weft_dtype dtype) { return of_keys<axes_extreme, axes_extreme>(dtype); }
axes_launch cuda_axes_extreme_index(weft_dtype dtype) {
    return of_keys<axes_extreme_index, axes_extreme_index>(dtype);
}

axes_launch cuda_axes_largest_magnitude(weft_dtype dtype) {
    typedef axes_largest_magnitude<int64_t> fold;
    switch (dtype) {
    case WEFT_I8: return axes_launch_of<axes_largest_magnitude<int8_t>, fold>();
    case WEFT_I16: return axes_launch_of<axes_largest_magnitude<int16_t>, fold>();
    case WEFT_I32: return axes_launch_of<axes_largest_magnitude<int32_t>, fold>();
    case WEFT_F16: return axes_launch_of<axes_largest_half<f16>, axes_extreme<uint32_t>>();
    case WEFT_BF16: return axes_launch_of<axes_largest_half<bf16>, axes_extreme<uint32_t>>();
    default: return axes_launch_of<axes_largest_magnitude<int64_t>, fold>();
    }
}
