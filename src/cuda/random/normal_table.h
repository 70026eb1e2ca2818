/* The table of cuda/random/normals.cuh, made on the GPU. */
#ifndef WEFT_CUDA_NORMAL_TABLE_H
#define WEFT_CUDA_NORMAL_TABLE_H

#include "cuda/random/normals.cuh"
#include "cuda/runtime/gpu.h"

/* As many octaves as a block has room for beside `used` bytes. */
static inline uint32_t normal_octaves(const gpu *g, size_t used) {
    uint32_t octaves = NORMAL_OCTAVES;
    while (octaves > 0 && used + normal_table_bytes(octaves) > g->shared_bytes) octaves--;
    return octaves;
}

/* Makes it in GPU memory. */
weft_status gpu_normal_table(const gpu *g, uint32_t octaves, normal_piece *table, weft_error *error);

#endif
