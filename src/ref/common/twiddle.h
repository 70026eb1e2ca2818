/* T[k] of ORDER.md 14.1. */
#ifndef WEFT_REF_TWIDDLE_H
#define WEFT_REF_TWIDDLE_H

#include <stddef.h>

/* Compute cos(pi v(k)) and -sin(pi v(k)), in f64 or rounded to f32. */
void ref_twiddle_f32(size_t k, float *re, float *im);
void ref_twiddle_f64(size_t k, double *re, double *im);

#endif
