/* Launches of compactions (compact.cuh), which selections and runs share. */
#ifndef WEFT_CUDA_COMPACT_H
#define WEFT_CUDA_COMPACT_H

#include "cuda/runtime/arrays.h"
#include "cuda/select/compact_params.h"

typedef struct compact_kernels {
    const void *compact;
    const void *count;          /* counts the marked elements before the compaction; or NULL */
    size_t tile_bytes;          /* bytes of an element, which determine the size of a tile */
    size_t shared_bytes;        /* shared memory of a block */
    uint32_t prefetch_distance; /* tiles per multiprocessor */
} compact_kernels;

/* The arrays of a call, in this order. */
enum { COMPACT_X, COMPACT_FLAGS, COMPACT_Y, COMPACT_LENGTHS, COMPACT_COUNT, COMPACT_ARRAYS };

/* Copies the arrays to the GPU, compacts them by the parameters j, whose pointers it sets, and copies the outputs
 * back. Of y, `out_bytes` are copied back for each marked element, or all if out_bytes is 0. */
weft_status compact_run(gpu *g, const char *operation, const compact_kernels *kernels, compact_params *j,
                        gpu_array arrays[COMPACT_ARRAYS], size_t out_bytes, weft_error *error);

#endif
