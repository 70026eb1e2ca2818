/* The kernels of products; all take one `matmul_job`. */
#ifndef WEFT_CUDA_MATMUL_KERNELS_H
#define WEFT_CUDA_MATMUL_KERNELS_H

#include "cuda/matmul/matmul_job.h"
#include "weft.h"

#include <stddef.h>

/* A kernel by tiles (matmul_f32.cu, matmul_f64.cu), and what it costs: `efficiency` is that of a full GPU. */
typedef struct matmul_tile_launch {
    const void *kernels[2][2]; /* by whether lanes of A, of B lie side by side (matmul_factor.across) */
    size_t shared_bytes[2][2];
    const void *resumed;                     /* that goes on from sums, of matrices without transposes */
    uint32_t rows, columns, threads, blocks; /* blocks: that a multiprocessor holds */
    double efficiency;
} matmul_tile_launch;

/* The shapes there are for these types; their number. */
int cuda_matmul_tiles(weft_dtype dtype, weft_dtype accumulate, const matmul_tile_launch **launches);
int cuda_matmul_tiles_f32(const matmul_tile_launch **launches);

/* A product with a vector (matmul_vector.cu); across: the rows of a term lie side by side. */
typedef struct matmul_vector_launch {
    const void *kernel;
    uint32_t member, members, threads; /* rows of each member of a block, members, threads */
    size_t shared_bytes;
} matmul_vector_launch;

matmul_vector_launch cuda_matmul_vector(weft_dtype dtype, weft_dtype accumulate, bool across);

/* matmul_end.cu: adjacent parts' sums join, MATMUL_JOINED to one, from j.sums to `to`; the last such launch, whose
 * `to` is NULL, writes C. And C = beta C. */
#define MATMUL_JOINED 16
const void *cuda_matmul_join_kernel(weft_dtype dtype, weft_dtype accumulate);
const void *cuda_matmul_scale_kernel(weft_dtype dtype, weft_dtype accumulate);

#endif
