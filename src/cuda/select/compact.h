/* Launching compactions (compact.cuh), which selections and runs share. */
#ifndef WEFT_CUDA_COMPACT_H
#define WEFT_CUDA_COMPACT_H

#include "cuda/runtime/arrays.h"
#include "cuda/select/compact_job.h"

typedef struct compact_kernels {
    const void *compact;
    const void *count;   /* NULL, or what counts the marked elements first */
    size_t tile_bytes;   /* of an element, which decides the tile */
    size_t shared_bytes; /* of a block */
} compact_kernels;

/* The arrays of a call, in this order. */
enum { COMPACT_X, COMPACT_FLAGS, COMPACT_Y, COMPACT_LENGTHS, COMPACT_COUNT, COMPACT_ARRAYS };

/* Brings the arrays to the GPU, compacts them as j says, whose pointers it fills, and returns the outputs: of y
 * `out_bytes` for each marked element, or all when that is 0. */
weft_status compact_run(gpu *g, const char *operation, const compact_kernels *kernels, compact_job *j,
                        gpu_array arrays[COMPACT_ARRAYS], size_t out_bytes, weft_error *error);

#endif
