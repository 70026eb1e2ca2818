/* Parameters of one launch of a convolution's kernels, and their geometry. */
#ifndef WEFT_CUDA_CONVOLVE_PARAMS_H
#define WEFT_CUDA_CONVOLVE_PARAMS_H

#include "cuda/fft/fft_params.h"

#include <stddef.h>

/* log2 of the shortest and the longest block that is convolved in shared memory. */
#define BLOCK_LOG_MIN 8
#define BLOCK_LOG_F32 14
#define BLOCK_LOG_F64 13
/* log2 of the longest block of which those of several rows are convolved at once. */
#define ROWS_LOG 12

struct convolve_params {
    const void *x, *h;     /* signal and taps */
    uint64_t n, m;         /* lengths of x and h; m <= n */
    uint64_t first, count; /* requested results, as a range of the full convolution */
    void *y;
    bool x_aligned, y_aligned; /* aligned to full complex numbers */
    /* Number of rows. x_step, h_step: values from one row of x or h to the next, or 0 if all rows have the same. */
    uint64_t rows, x_step, h_step;
    /* Members for convolution by transforms (ORDER.md 15.3). An item is a block of complex values, or a pair of
     * blocks of real ones. */
    const void *table;
    void *filter;         /* transform of the filter, in the layout of the kernels that read it */
    void *numbers;        /* items that are convolved in passes over memory */
    uint64_t size;        /* numbers per block */
    uint64_t step;        /* results per block */
    uint64_t item, items; /* index of the first item of each row, and number of items of all rows */
    uint64_t row_items;   /* number of items of a row */
    uint64_t blocks;      /* rows per item of a pass along rows */
    double scale;
};

#endif
