/* Passes of transforms whose length is not a power of two, with x and y in device memory. */
#ifndef WEFT_CUDA_FFT_CALLS_H
#define WEFT_CUDA_FFT_CALLS_H

#include "cuda/runtime/gpu.h"

/* FFT_RADICES, but not a whole transform. */
weft_status cuda_fft_run_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* FFT_ROWS. */
weft_status cuda_fft_run_rows(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* FFT_RADICES of a whole transform. */
weft_status cuda_fft_run_whole(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);

#endif
