/* The twiddles of ORDER.md 14.1 and 14.5, and W(a, b) of 14.7. */
#ifndef WEFT_REF_TWIDDLE_H
#define WEFT_REF_TWIDDLE_H

#include <stddef.h>
#include <stdint.h>

/* Compute c[k] and t[k] of 14.1. */
void ref_twiddle_f32(size_t k, float *scale, float *slope);
void ref_twiddle_f64(size_t k, double *scale, double *slope);

/* Compute c and t of 14.5 for f and N = half. */
void ref_half_f32(uint64_t f, uint64_t half, float *scale, float *slope);
void ref_half_f64(uint64_t f, uint64_t half, double *scale, double *slope);

/* Compute exp(-2 pi i a / b), in f64 or rounded to f32; a < b < 2^53. A zero is +0. */
void ref_turn_f32(uint64_t a, uint64_t b, float *re, float *im);
void ref_turn_f64(uint64_t a, uint64_t b, double *re, double *im);

#endif
