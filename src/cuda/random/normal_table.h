/* The table of cuda/random/normals.cuh, computed on the GPU. */
#ifndef WEFT_CUDA_NORMAL_TABLE_H
#define WEFT_CUDA_NORMAL_TABLE_H

#include "cuda/random/normals.cuh"
#include "cuda/runtime/gpu.h"

/* Returns the number of octaves that fit in a block's shared memory in addition to `used` bytes. */
static inline uint32_t normal_octaves(const gpu *g, size_t used) {
    uint32_t octaves = NORMAL_OCTAVES;
    while (octaves > 0 && used + normal_table_bytes(octaves) > g->shared_bytes) octaves--;
    return octaves;
}

/* Computes the table in device memory. */
weft_status gpu_normal_table(const gpu *g, uint32_t octaves, normal_part *table, weft_error *error);

#endif
