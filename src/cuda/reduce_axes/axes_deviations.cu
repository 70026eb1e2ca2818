/* Sums of squared deviations (ORDER.md 3.3 norm2, 4). */
#include "cuda/reduce_axes/reduce_axes.cuh"

axes_launch cuda_axes_deviations(weft_dtype dtype) {
    switch (dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    case WEFT_##ID:                      \
        return axes_launch_of<axes_deviations<ctype>, axes_sum<double, double>>();
#include "core/types.def"
    default: return axes_launch();
    }
}

axes_launch cuda_axes_rescaled_squares(void) {
    return axes_launch_of<axes_rescaled_squares, axes_sum<double, double>>();
}
