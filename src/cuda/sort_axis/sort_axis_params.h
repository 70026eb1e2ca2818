/* Parameters of the kernels that sort many vectors. */
#ifndef WEFT_CUDA_SORT_AXIS_PARAMS_H
#define WEFT_CUDA_SORT_AXIS_PARAMS_H

#include "arith/sort_code.h"
#include "cuda/copy_view/device_views.h"

#define SORT_THREADS_LOG2 8
#define SORT_THREADS (1 << SORT_THREADS_LOG2)
#define SORT_EACH 8                          /* items of a thread */
#define SORT_TILE (SORT_THREADS * SORT_EACH) /* items of a block; the longest vector */

struct sort_axis_params {
    weft_sort_rule rule;
    const char *x;
    char *y;
    uint32_t n, bytes, result_bytes; /* elements of a vector; bytes of a key and of a result */
    uint32_t threads_log2;           /* threads of a vector */
    bool has_nans;                   /* the keys are floats */
    bool across_x, across_y;         /* adjacent threads access adjacent vectors, not adjacent elements */
    int64_t x_stride, y_stride;      /* bytes between adjacent elements of a vector */
    uint64_t vectors, tiles;
    view_dims outer;
};

#endif
