/* Products of f32 summed in f32, by tiles. */
#include "cuda/matmul_cores.cuh"
#include "cuda/matmul_kernels.h"

typedef fma_core<float, 8, 8, 4, 4, 2, 16, 2, 3> large;  /* 128 x 128 */
typedef fma_core<float, 8, 8, 4, 2, 2, 16, 3, 3> middle; /* 64 x 128 */
typedef fma_core<float, 8, 4, 4, 2, 2, 16, 4, 3> small;  /* 64 x 64 */
typedef fma_core<float, 4, 4, 4, 2, 1, 16, 8, 3> least;  /* 32 x 32 */

template <class CORE> static constexpr matmul_tile_launch launch_of(double efficiency) {
    return matmul_tile_launch{(const void *)matmul_kernel<float, CORE>,
                              CORE::ROWS,
                              CORE::COLUMNS,
                              CORE::THREADS,
                              CORE::BLOCKS,
                              matmul_shared_bytes<CORE>(),
                              efficiency};
}

int cuda_matmul_tiles_f32(const matmul_tile_launch **launches) {
    static const matmul_tile_launch list[] = {launch_of<large>(1.0), launch_of<middle>(0.95), launch_of<small>(0.8),
                                              launch_of<least>(0.5)};
    *launches = list;
    return sizeof list / sizeof *list;
}
