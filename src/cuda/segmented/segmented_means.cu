/* Segmented sums in f64 of elements of any type, for the means of weft_scatter_reduce (ORDER.md 25.3). */
#include "cuda/scan/scan_ops.cuh"
#include "cuda/segmented/segmented_reduce.cuh"

template <class T> static segments_launch sums_of() {
    typedef scan_sum<T, double, double> Op;
    segments_launch l = {};
    l.reduce_short = (const void *)reduce_short_kernel<Op>;
    l.reduce_long = (const void *)reduce_long_kernel<Op>;
    l.reduce_short_blocks = REDUCE_SHORT_BLOCKS(sizeof(double));
    l.reduce_short_max = (uint32_t)tree_operator<Op>::SHORT;
    l.reduce_middle_max = (uint32_t)tree_operator<Op>::MIDDLE;
    return l;
}

segments_launch cuda_segmented_mean_kernels(weft_dtype dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return sums_of<ctype>();
#include "core/types.def"
    return segments_launch();
}
