/* A library of one kernel, as a program in C sees it: C's types, arrays of the host, a code for what went wrong. No
 * word of CUDA, so that whoever includes this needs neither its headers nor its compiler. */
#ifndef LADDER_SQUARES_H
#define LADDER_SQUARES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* y[i] = x[i] x[i] for n numbers, on the GPU. Returns 0, or a number whose sentence squares_error gives. */
int squares(size_t n, const float *x, float *y);
const char *squares_error(int code);

#ifdef __cplusplus
}
#endif

#endif
