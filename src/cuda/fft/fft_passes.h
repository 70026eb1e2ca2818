/* Kernels of weft_fft for f32 or f64; all take one `fft_params`. */
#ifndef WEFT_CUDA_FFT_PASSES_H
#define WEFT_CUDA_FFT_PASSES_H

#include "cuda/fft/fft_params.h"
#include "weft.h"

/* Transforms of 2^log values, each complete in one block. */
fft_launch cuda_fft_full(weft_dtype dtype, int log, const fft_params *j);
/* One pass of 2^log points: along columns, or along rows with results in natural order. `blocks` is the number of
 * blocks that the GPU needs: narrower ones are used if there would be fewer. */
fft_launch cuda_fft_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j);
fft_launch cuda_fft_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j);
/* Complete transforms of 2^log values along the j->columns columns of arrays. Without a kernel if log is less than
 * FFT_PASS_LOG_MIN or more than FFT_COLUMNS_LOG. */
fft_launch cuda_fft_axis(weft_dtype dtype, int log, unsigned blocks, const fft_params *j);
/* The first pass of C2R, on the n + 1 numbers at x, and the last pass of R2C, with n + 1 results. */
fft_launch cuda_fft_combine_columns(weft_dtype dtype, int log, unsigned blocks, const fft_params *j);
fft_launch cuda_fft_split_rows(weft_dtype dtype, int log, unsigned blocks, const fft_params *j);
/* R2C: computes the results, in place, from the transforms of n pairs at y. C2R: computes n numbers at y from n + 1
 * at x. */
fft_launch cuda_fft_split(weft_dtype dtype, const fft_params *j);
fft_launch cuda_fft_combine(weft_dtype dtype, const fft_params *j);
/* Transforms of one value: from real to complex, or back. */
fft_launch cuda_fft_single(weft_dtype dtype, bool from_real, const fft_params *j);

#endif
