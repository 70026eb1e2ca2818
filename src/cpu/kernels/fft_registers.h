/* Kernels of fft_registers.c, for those of fft.c. */
#ifndef WEFT_CPU_FFT_REGISTERS_H
#define WEFT_CPU_FFT_REGISTERS_H

#include "cpu/common/transform.h"
#include "cpu/kernels/vectors.h"

/* transform_kernels.registers, for vectors of at least 32 bytes. */
void LEVELED(cpu_registers_f32)(const transform_pass *p);
void LEVELED(cpu_registers_f64)(const transform_pass *p);

#endif
