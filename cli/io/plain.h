/* Straightforward loops as a baseline for weft: one thread, one accumulator, float. */
#ifndef WEFT_CLI_PLAIN_H
#define WEFT_CLI_PLAIN_H

#include "cli/operations.h"

/* Returns the operation's value over x[0..n) (and y[0..n) for dot). and, or and xor use the bits of the floats. */
double plain_loop(const operation *operation, size_t n, const float *x, const float *y);

/* Computes y[i] = x[0] + ... + x[i]. */
void plain_scan_f32(size_t n, const float *x, float *y);
void plain_scan_f64(size_t n, const double *x, double *y);

/* Computes v[i] = s[i] * v[i - 1] + u[i], with v[-1] = 0. */
void plain_recurrence_f64(size_t n, const double *s, const double *u, double *v);

#endif
