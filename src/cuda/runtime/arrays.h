/* The arrays of a call that works on whole arrays: what the caller has in host memory visits the GPU. */
#ifndef WEFT_CUDA_ARRAYS_H
#define WEFT_CUDA_ARRAYS_H

#include "cuda/runtime/gpu.h"

typedef enum array_use { ARRAY_IN = 1, ARRAY_OUT = 2, ARRAY_BOTH = 3 } array_use;

/* Filled by the caller up to `use`; the same memory may stand in several arrays of a call. */
typedef struct gpu_array {
    const char *name; /* of the argument, for messages */
    const void *p;    /* the caller's; NULL for an argument that is left out */
    size_t bytes;     /* of an output only part of which is written: lowered before arrays_return */
    array_use use;
    bool on_host; /* by arrays_bring */
    void *at;     /* likewise: where kernels find it, or NULL; aligned as p is, up to 256 bytes */
} gpu_array;

/* Finds every array, makes room for those in host memory and for `scratch_bytes` more (*scratch, aligned to 256),
 * and starts to copy the inputs there. In steady state nothing is allocated; a stream that is being captured gets a
 * sentence where something would have to be, or where an array is in host memory. */
weft_status arrays_bring(gpu *g, const char *operation, gpu_array *arrays, int count, size_t scratch_bytes,
                         void **scratch, weft_error *error);

/* Brings the outputs back to host memory and waits for all of it, if there is any. */
weft_status arrays_return(gpu *g, const char *operation, const gpu_array *arrays, int count, weft_error *error);

#endif
