/* Direction numbers and keys of Sobol points, computed on the GPU. */
#ifndef WEFT_CUDA_SOBOL_TABLES_H
#define WEFT_CUDA_SOBOL_TABLES_H

#include "cuda/runtime/gpu.h"

/* Returns the bytes of the tables of `dimensions` coordinates for points whose indexes have `bits` bits: the
 * direction number of coordinate j for bit b at [b * dimensions + j], followed by one key per coordinate. */
static inline size_t sobol_table_bytes(unsigned bits, size_t dimensions) {
    return (bits + 1) * dimensions * sizeof(uint64_t);
}

/* Computes the tables in device memory. If `scrambled` is false, all keys are 0. */
weft_status gpu_sobol_tables(const gpu *g, uint64_t seed, uint64_t stream, bool scrambled, size_t dimensions,
                             unsigned bits, uint64_t *tables, weft_error *error);

#endif
