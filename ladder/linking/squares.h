/* A library of one kernel, for programs in C: types of C, arrays in host
 * memory, and an error code. The header does not use CUDA, so a program
 * that includes it needs neither the headers nor the compiler of CUDA. */
#ifndef LADDER_SQUARES_H
#define LADDER_SQUARES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes y[i] = x[i] x[i] for n numbers, on the GPU. Returns 0, or an
 * error code, which squares_error describes. */
int squares(size_t n, const float *x, float *y);
const char *squares_error(int code);

#ifdef __cplusplus
}
#endif

#endif
