/* The kernels of weft_fft, each for f32 or f64; all take one `fft_job`. */
#ifndef WEFT_CUDA_FFT_PASSES_H
#define WEFT_CUDA_FFT_PASSES_H

#include "cuda/fft/fft_job.h"
#include "weft.h"

/* All of each transform of 2^log values by one block. */
fft_launch cuda_fft_whole(weft_dtype dtype, int log, const fft_job *j);
/* One pass of 2^log points: down columns, or along rows, to natural places. */
fft_launch cuda_fft_columns(weft_dtype dtype, int log, const fft_job *j);
fft_launch cuda_fft_rows(weft_dtype dtype, int log, const fft_job *j);
/* R2C: of transforms of pairs at y, n each, in place. C2R: x, n + 1 each, to y. */
fft_launch cuda_fft_split(weft_dtype dtype, const fft_job *j);
fft_launch cuda_fft_join(weft_dtype dtype, const fft_job *j);
/* Transforms of one value: from a real one to a complex one, or back. */
fft_launch cuda_fft_single(weft_dtype dtype, bool from_real, const fft_job *j);

#endif
