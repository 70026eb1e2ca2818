/* Kernels of weft_convolve for f32 or f64, real or complex values; all take one `convolve_params`. */
#ifndef WEFT_CUDA_CONVOLVE_KERNELS_H
#define WEFT_CUDA_CONVOLVE_KERNELS_H

#include "cuda/convolve/convolve_params.h"
#include "weft.h"

/* convolve_direct.cu: direct summation of all rows; the rows of h in reverse order and conjugated, written to
 * j->filter. */
fft_launch cuda_convolve_direct(weft_dtype dtype, bool is_complex, const convolve_params *j);
fft_launch cuda_convolve_turn(weft_dtype dtype, bool is_complex, const convolve_params *j);

/* convolve_blocks.cu: items of 2^log numbers, each in one thread block; the filter's transform. */
fft_launch cuda_convolve_blocks(weft_dtype dtype, bool is_complex, int log, const convolve_params *j);
fft_launch cuda_convolve_block_filter(weft_dtype dtype, bool is_complex, int log, const convolve_params *j);

/* convolve_passes.cu: longer blocks, in passes. In order: from the signal (or the taps) to numbers; rows of 2^log to
 * the filter's transform; rows multiplied by it and transformed back; columns transformed back; from numbers to
 * results. */
fft_launch cuda_convolve_fill(weft_dtype dtype, bool is_complex, const convolve_params *j);
fft_launch cuda_convolve_row_filter(weft_dtype dtype, int log, const convolve_params *j);
fft_launch cuda_convolve_row_product(weft_dtype dtype, int log, const convolve_params *j);
fft_launch cuda_convolve_columns_back(weft_dtype dtype, int log, const fft_params *j);
fft_launch cuda_convolve_give(weft_dtype dtype, bool is_complex, const convolve_params *j);

#endif
