/* top_k of arrays in device memory, for operations that select from parts of their arrays (top_k.cu). */
#ifndef WEFT_CUDA_DEVICE_TOP_K_H
#define WEFT_CUDA_DEVICE_TOP_K_H

#include "cuda/runtime/gpu.h"

/* Selects as cuda_top_k does. If `scratch` is NULL, only sets *bytes to the device memory that it takes for the k and
 * the type of the call. The memory must be aligned to 256 bytes. Only launches kernels. */
weft_status gpu_top_k_array(gpu *g, const top_k_call *c, void *scratch, size_t *bytes, weft_error *error);

#endif
