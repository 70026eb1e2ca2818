/* Kernels of fft_single.c, for those of fft.c. */
#ifndef WEFT_CPU_FFT_SINGLE_H
#define WEFT_CPU_FFT_SINGLE_H

#include "cpu/common/transform.h"
#include "cpu/kernels/vectors.h"

/* 1 if transform_kernels.single is defined: for vectors of at least 32 bytes and fused instructions. */
#if VECTOR_BYTES >= 32 && FMA_INSTRUCTION
#define SINGLE_KERNELS 1
#else
#define SINGLE_KERNELS 0
#endif

/* transform_kernels.single. */
void LEVELED(cpu_single_f32)(const single_call *w);
void LEVELED(cpu_single_f64)(const single_call *w);

#endif
