/* The loops anyone would write, to measure weft against: one thread, one accumulator, float. */
#ifndef WEFT_CLI_PLAIN_H
#define WEFT_CLI_PLAIN_H

#include "cli/operations.h"

/* The operation over x[0..n) (and y[0..n) for dot); and, or, xor take the bits. */
double plain_loop(const operation *operation, size_t n, const float *x, const float *y);

/* y[i] = x[0] + ... + x[i]. */
void plain_scan_f32(size_t n, const float *x, float *y);
void plain_scan_f64(size_t n, const double *x, double *y);

/* v[i] = s[i] * v[i - 1] + u[i], from 0. */
void plain_recurrence_f64(size_t n, const double *s, const double *u, double *v);

#endif
