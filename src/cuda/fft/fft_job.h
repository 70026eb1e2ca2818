/* What one launch of a transform's kernels is told. */
#ifndef WEFT_CUDA_FFT_JOB_H
#define WEFT_CUDA_FFT_JOB_H

#include <stdint.h>

/* The longest transform that one block does by itself, in binary digits; and how many of that length there must be,
 * or passes of many blocks are quicker. */
#define FFT_WHOLE_LOG_F32 14
#define FFT_WHOLE_LOG_F64 13
#define FFT_WHOLE_BATCH 16
/* A pass of a longer one takes so many stages. */
#define FFT_PASS_LOG_LEAST 5
#define FFT_PASS_LOG_MOST 10
/* With less shared memory than this, no more than so many. */
#define FFT_PASS_SHARED (84 << 10)
#define FFT_PASS_LOG_SMALL 8

/* One pass over `batch` arrays. Numbers, not bytes, are counted. */
struct fft_job {
    const void *x;
    void *y;
    const void *table;       /* T[2k] */
    uint64_t batch, n;       /* of the whole transform */
    uint64_t x_step, y_step; /* from one array to the next */
    uint64_t blocks;         /* of the pass: what the passes before it have made of an array */
    double scale;            /* of the results of the last pass */
    bool x_aligned, y_aligned;
    bool swap_in, swap_out; /* an inverse is the transform with real and imaginary parts swapped before and after */
};

/* A kernel, and a launch of it. */
struct fft_launch {
    const void *kernel;
    uint64_t blocks;
    int threads;
    unsigned shared_bytes;
};

#endif
