/* Device copies of the host arrays of a call that works on whole arrays. */
#ifndef WEFT_CUDA_ARRAYS_H
#define WEFT_CUDA_ARRAYS_H

#include "cuda/runtime/gpu.h"

typedef enum array_use { ARRAY_IN = 1, ARRAY_OUT = 2, ARRAY_BOTH = 3 } array_use;

/* The caller fills the members up to `use`; arrays_copy_in fills the others. Several arrays of a call may have the
 * same address. */
typedef struct gpu_array {
    const char *name; /* name of the argument, for messages */
    const void *p;    /* the caller's address; NULL for an omitted argument */
    size_t bytes;     /* may be lowered before arrays_copy_out, if only part of an output was written */
    array_use use;
    bool on_host; /* set by arrays_copy_in */
    void *at;     /* set by arrays_copy_in: device address for kernels, or NULL; equal to p modulo 256 */
} gpu_array;

/* Locates every array, provides device memory for those in host memory and `scratch_bytes` more (*scratch, aligned to
 * 256), and starts to copy the inputs there. Allocates only if the context's buffer is too small. Returns
 * WEFT_INVALID if the stream is being captured and memory must be allocated or an array is in host memory. */
weft_status arrays_copy_in(gpu *g, const char *operation, gpu_array *arrays, int count, size_t scratch_bytes,
                           void **scratch, weft_error *error);

/* Copies the outputs back to host memory. Synchronizes the stream if any array is in host memory. */
weft_status arrays_copy_out(gpu *g, const char *operation, const gpu_array *arrays, int count, weft_error *error);

#endif
