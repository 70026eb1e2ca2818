/* Sums and products of floats, and sums in f64 of elements of any type (ORDER.md 3.1, 3.3). */
#include "cuda/reduce_axes/reduce_axes.cuh"

template <class T, class A> static axes_launch sum_of() { return axes_launch_of<axes_sum<T, A>, axes_sum<A, A>>(); }

template <class T, class A> static axes_launch product_of() {
    return axes_launch_of<axes_product<T, A>, axes_product<A, A>>();
}

template <class T> static axes_launch magnitudes_of() {
    return axes_launch_of<axes_magnitudes<T>, axes_sum<double, double>>();
}

axes_launch cuda_axes_sum(weft_dtype dtype, weft_dtype accumulate) {
    const bool narrow = accumulate == WEFT_F32;
    if (dtype == WEFT_F32 && narrow) return sum_of<float, float>();
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return sum_of<ctype, double>();
#include "core/types.def"
#define HALF(ID, name, npy) \
    if (dtype == WEFT_##ID) return narrow ? sum_of<name, float>() : sum_of<name, double>();
#include "core/halves.def"
    return axes_launch();
}

axes_launch cuda_axes_product(weft_dtype dtype, weft_dtype accumulate) {
    const bool narrow = accumulate == WEFT_F32;
#define HALF(ID, name, npy) \
    if (dtype == WEFT_##ID) return narrow ? product_of<name, float>() : product_of<name, double>();
#include "core/halves.def"
    if (narrow) return product_of<float, float>();
    return dtype == WEFT_F32 ? product_of<float, double>() : product_of<double, double>();
}

axes_launch cuda_axes_magnitudes(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_I8: return magnitudes_of<int8_t>();
    case WEFT_I16: return magnitudes_of<int16_t>();
    case WEFT_I32: return magnitudes_of<int32_t>();
    case WEFT_I64: return magnitudes_of<int64_t>();
    case WEFT_F32: return magnitudes_of<float>();
    case WEFT_F64: return magnitudes_of<double>();
    case WEFT_F16: return magnitudes_of<f16>();
    case WEFT_BF16: return magnitudes_of<bf16>();
    default: return cuda_axes_sum(dtype, WEFT_F64); /* unsigned: |x| is x */
    }
}
