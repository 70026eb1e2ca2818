/* Sorts of arrays in device memory, for operations that sort parts of their arrays (sort.cu). */
#ifndef WEFT_CUDA_DEVICE_SORT_H
#define WEFT_CUDA_DEVICE_SORT_H

#include "cuda/runtime/gpu.h"

/* Sort as cuda_sort and cuda_argsort do. If `scratch` is NULL, only set *bytes to the device memory that they take
 * for the length and types of the call, and for keys whether they are sorted in place. The memory must be aligned to
 * 256 bytes. Only launch kernels and copies. */
weft_status gpu_sort_array(gpu *g, const sort_call *c, void *scratch, size_t *bytes, weft_error *error);
weft_status gpu_argsort_array(gpu *g, const argsort_call *c, void *scratch, size_t *bytes, weft_error *error);

/* Sort vectors as cuda_sort_axis does, with `bytes` bytes of scratch memory, which may be 0 (sort_axis.cu). */
weft_status gpu_sort_vectors_bytes(gpu *g, const sort_axis_call *c, size_t *bytes, weft_error *error);
weft_status gpu_sort_vectors(gpu *g, const sort_axis_call *c, void *scratch, weft_error *error);

#endif
