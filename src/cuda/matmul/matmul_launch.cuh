/* Launch parameters of a tile shape. */
#ifndef WEFT_CUDA_MATMUL_LAUNCH_CUH
#define WEFT_CUDA_MATMUL_LAUNCH_CUH

#include "cuda/matmul/matmul_kernels.h"
#include "cuda/matmul/matmul_mma.cuh"

template <class E, class CORE> static matmul_tile_launch matmul_launch_of(double efficiency) {
    constexpr bool STRAIGHT = same_type<E, typename CORE::real>::value;
    return matmul_tile_launch{
        {{(const void *)matmul_kernel<E, CORE, false, false, false>,
          (const void *)matmul_kernel<E, CORE, false, true, false>},
         {(const void *)matmul_kernel<E, CORE, true, false, false>,
          (const void *)matmul_kernel<E, CORE, true, true, false>}},
        {{matmul_shared_bytes<CORE>(STRAIGHT, false, false), matmul_shared_bytes<CORE>(STRAIGHT, false, true)},
         {matmul_shared_bytes<CORE>(STRAIGHT, true, false), matmul_shared_bytes<CORE>(STRAIGHT, true, true)}},
        (const void *)matmul_kernel<E, CORE, false, true, true>,
        CORE::ROWS,
        CORE::COLUMNS,
        CORE::THREADS,
        CORE::BLOCKS,
        efficiency};
}

#endif
