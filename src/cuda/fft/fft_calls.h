/* Passes of transforms whose length is not a power of two, with x and y in device memory. */
#ifndef WEFT_CUDA_FFT_CALLS_H
#define WEFT_CUDA_FFT_CALLS_H

#include "cuda/runtime/gpu.h"

/* Returns true if one launch computes all passes of a whole transform that has no rows. */
bool cuda_fft_takes_radices(const gpu *g, const fft_pass_call *c);
/* FFT_RADICES without rows. */
weft_status cuda_fft_run_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* FFT_ROWS. */
weft_status cuda_fft_run_rows(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* FFT_RADICES of a whole transform. */
weft_status cuda_fft_run_whole(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* Returns true if there is a kernel for the product of the odd radices and the length of the rows of a whole
 * transform, and the batch has enough arrays for it. */
bool cuda_fft_takes_fixed(const gpu *g, const fft_pass_call *c);
/* Runs it; table: of gpu_twiddles. */
weft_status cuda_fft_run_fixed(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                               weft_error *error);
/* Returns true if there is a kernel of phases (fft_phases.cuh) for a whole transform, and the batch has enough arrays
 * for it. */
bool cuda_fft_takes_phases(const gpu *g, const fft_pass_call *c);
/* Runs it; table: of gpu_twiddles. */
weft_status cuda_fft_run_phases(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                                weft_error *error);
/* Returns true if one pass computes FFT_CHIRP. */
bool cuda_fft_takes_chirp(const gpu *g, const fft_pass_call *c);
weft_status cuda_fft_run_chirp(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error);
/* Returns true if there is a kernel for the product of the radices of FFT_RADICES, without rows. */
bool cuda_fft_has_radices(const gpu *g, const fft_pass_call *c);
weft_status cuda_fft_run_fixed_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y,
                                       weft_error *error);

#endif
