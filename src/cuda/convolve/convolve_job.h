/* What one launch of a convolution's kernels is told, and the geometry of some. */
#ifndef WEFT_CUDA_CONVOLVE_JOB_H
#define WEFT_CUDA_CONVOLVE_JOB_H

#include "cuda/fft/fft_job.h"

#include <stddef.h>

/* The longest block that is convolved in shared memory, in binary digits. */
#define BLOCK_LOG_LEAST 8
#define BLOCK_LOG_F32 14
#define BLOCK_LOG_F64 13

struct convolve_job {
    const void *x, *h;     /* signal and taps */
    uint64_t n, m;         /* of them; m <= n */
    uint64_t first, count; /* of the full convolution, values that are wanted */
    void *y;
    bool x_aligned, y_aligned; /* to whole complex numbers */
    /* By transforms: ORDER.md 15.3. An item is a block, or a pair of blocks if values are real. */
    const void *table;
    void *filter;         /* the filter's transform, as the kernels that use it want it */
    void *numbers;        /* of items that are convolved in passes over memory */
    uint64_t size;        /* of a block */
    uint64_t step;        /* results of a block */
    uint64_t item, items; /* the first one, and how many */
    uint64_t blocks;      /* of the stages that a pass over rows finds done */
    double scale;
};

#endif
