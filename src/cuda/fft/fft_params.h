/* Parameters of one launch of a transform's kernels. */
#ifndef WEFT_CUDA_FFT_PARAMS_H
#define WEFT_CUDA_FFT_PARAMS_H

#include <stdint.h>

/* log2 of the longest transform that one block computes. The two longest lengths also require a batch of at least
 * FFT_FULL_BATCH; with fewer, passes of many blocks are faster. */
#define FFT_FULL_LOG_F32 14
#define FFT_FULL_LOG_F64 13
#define FFT_FULL_BATCH 16
/* Minimum and maximum number of stages per pass of a longer transform. Transforms of f32 take up to
 * FFT_PASS_LOG_F32, so that up to 2^24 complex numbers need two passes. With less shared memory per block than
 * FFT_PASS_SHARED, a pass has at most FFT_PASS_LOG_SMALL stages; with less than FFT_PASS_SHARED_F32, at most
 * FFT_PASS_LOG_MAX. */
#define FFT_PASS_LOG_MIN 5
#define FFT_PASS_LOG_MAX 10
#define FFT_PASS_LOG_F32 12
#define FFT_PASS_LOG_SMALL 8
/* log2 of the longest transforms along the columns of an array in one pass. */
#define FFT_COLUMNS_LOG 12
#define FFT_PASS_SHARED (72 << 10)
#define FFT_PASS_SHARED_F32 (136 << 10)

/* One pass over `batch` arrays. Counts and steps are in complex numbers, not bytes. */
struct fft_params {
    const void *x;
    void *y;
    const void *table;       /* scales and slopes of T[2k] */
    uint64_t batch, n;       /* n: length of the complete transform */
    uint64_t columns;        /* transforms along columns: their number, in each array */
    uint64_t x_step, y_step; /* distance from one array to the next */
    uint64_t blocks;         /* number of blocks into which earlier passes divided each array */
    double scale;            /* factor of the results, applied by the last pass */
    bool x_aligned, y_aligned;
    bool swap_in, swap_out; /* exchange real and imaginary parts before or after; an inverse transform does both */
    /* Array a is block m(row + a) of a longer transform, where m reverses row_digits digits. 0 digits: each array is
     * a transform. Only passes along columns, and of rows that become columns, read these. */
    uint32_t row;
    int row_digits;
};

/* A kernel and its launch configuration. */
struct fft_launch {
    const void *kernel;
    uint64_t blocks;
    int threads;
    unsigned shared_bytes;
    bool early = false; /* the kernel calls wait_for_stream (overlap.cuh) */
};

#endif
