/* Fourier transforms of any length. */
#ifndef WEFT_CORE_FFT_LENGTHS_H
#define WEFT_CORE_FFT_LENGTHS_H

#include "core/context.h"

/* Computes a call. If its length is not a power of two, it is computed in passes of the backend, with scratch memory
 * for a part of the batch. c->columns must then be 0. */
weft_status fft_run(weft_context *ctx, const fft_call *c, weft_error *error);

/* Transforms all vectors along axis number `axis` of views that have been checked and have elements. `dimensions`:
 * the number of axes, without that of the parts of complex numbers. */
weft_status fft_along(weft_context *ctx, weft_fft_kind kind, size_t dimensions, size_t axis, const weft_view *x,
                      const weft_view *y, weft_error *error);

#endif
