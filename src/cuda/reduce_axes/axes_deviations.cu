/* Sums of squared deviations (ORDER.md 3.3 norm2, 4). */
#include "cuda/reduce_axes/reduce_axes.cuh"

template <class T> static axes_launch deviations_of() {
    return axes_launch_of<axes_deviations<T>, axes_sum<double, double>>();
}

axes_launch cuda_axes_deviations(weft_dtype dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return deviations_of<ctype>();
#include "core/types.def"
    return axes_launch();
}

axes_launch cuda_axes_rescaled_squares(void) {
    return axes_launch_of<axes_rescaled_squares, axes_sum<double, double>>();
}
