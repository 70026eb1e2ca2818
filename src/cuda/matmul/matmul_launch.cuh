/* Launch parameters of a tile shape. */
#ifndef WEFT_CUDA_MATMUL_LAUNCH_CUH
#define WEFT_CUDA_MATMUL_LAUNCH_CUH

#include "cuda/matmul/matmul_kernels.h"
#include "cuda/matmul/matmul_mma.cuh"

template <class E, class MMA> static matmul_tile_launch matmul_launch_of(double efficiency, double alone) {
    return matmul_tile_launch{{{(const void *)matmul_kernel<E, MMA, false, false, false>,
                                (const void *)matmul_kernel<E, MMA, false, true, false>},
                               {(const void *)matmul_kernel<E, MMA, true, false, false>,
                                (const void *)matmul_kernel<E, MMA, true, true, false>}},
                              {{matmul_shared_bytes<E, MMA>(false, false), matmul_shared_bytes<E, MMA>(false, true)},
                               {matmul_shared_bytes<E, MMA>(true, false), matmul_shared_bytes<E, MMA>(true, true)}},
                              (const void *)matmul_kernel<E, MMA, false, true, true>,
                              MMA::ROWS,
                              MMA::COLUMNS,
                              MMA::THREADS,
                              MMA::BLOCKS,
                              efficiency,
                              alone};
}

#endif
