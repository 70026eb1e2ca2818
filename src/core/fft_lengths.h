/* Fourier transforms of any length. */
#ifndef WEFT_CORE_FFT_LENGTHS_H
#define WEFT_CORE_FFT_LENGTHS_H

#include "core/context.h"

/* Computes a call. If its length is not a power of two, it is computed in passes of the backend, with scratch memory
 * for a part of the batch. c->columns must then be 0. */
weft_status fft_run(weft_context *ctx, const fft_call *c, weft_error *error);

#endif
