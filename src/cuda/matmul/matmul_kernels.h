/* The kernels of products. Each takes one `matmul_params`. */
#ifndef WEFT_CUDA_MATMUL_KERNELS_H
#define WEFT_CUDA_MATMUL_KERNELS_H

#include "cuda/matmul/matmul_params.h"
#include "weft.h"

#include <stddef.h>

/* A tiled kernel (matmul_f32.cu, matmul_f64.cu) and its cost. `efficiency` is relative, measured on a full GPU;
 * `alone` if a multiprocessor has at most one block. */
typedef struct matmul_tile_launch {
    const void *kernels[2][2]; /* indices: across of A, of B (matmul_factor.across) */
    size_t shared_bytes[2][2];
    const void *resumed;                     /* continues from params.sums; matrices must not be transposed */
    uint32_t rows, columns, threads, blocks; /* blocks: per multiprocessor */
    double efficiency, alone;
} matmul_tile_launch;

/* Sets *launches to the tile shapes for these types and returns their number. */
int cuda_matmul_tiles(weft_dtype dtype, weft_dtype accumulate, const matmul_tile_launch **launches);
int cuda_matmul_tiles_f32(const matmul_tile_launch **launches);

/* A matrix-vector product (matmul_vector.cu). `across`: the rows of a term are adjacent in memory. */
typedef struct matmul_vector_launch {
    const void *kernel;
    uint32_t member, members, threads; /* rows per member, members per block, threads per block */
    size_t shared_bytes;
} matmul_vector_launch;

/* in_pairs: of a matrix that is `across`, a thread takes two adjacent rows, which must be aligned. */
matmul_vector_launch cuda_matmul_vector(weft_dtype dtype, weft_dtype accumulate, bool across, bool in_pairs);

/* matmul_epilogue.cu. The combine kernel combines the sums of MATMUL_COMBINED adjacent parts to one, from j.sums to
 * `to`. In the last such launch `to` must be NULL; it writes C. The scale kernel computes C = beta C. */
#define MATMUL_COMBINED 16
const void *cuda_matmul_combine_kernel(weft_dtype dtype, weft_dtype accumulate);
const void *cuda_matmul_scale_kernel(weft_dtype dtype, weft_dtype accumulate);

#endif
