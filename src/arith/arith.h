/* Leaf arithmetic of the fast backends, compiled as C for the CPU and as CUDA for the GPU. Only
 * operations that IEEE 754 rounds correctly on both: + - * / sqrt fma and conversions. */
#ifndef WEFT_ARITH_ARITH_H
#define WEFT_ARITH_ARITH_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define WEFT_ARITH static __host__ __device__ __forceinline__
#else
#define WEFT_ARITH static inline __attribute__((always_inline))
#endif

#endif
