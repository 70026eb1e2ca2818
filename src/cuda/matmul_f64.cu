/* Products summed in f64, by tiles, on the FP64 tensor cores. */
#include "cuda/matmul_cores.cuh"
#include "cuda/matmul_kernels.h"

typedef mma_core<4, 4, 2, 4, 16, 1, 3> large;  /* 128 x 128 */
typedef mma_core<4, 4, 1, 4, 16, 2, 3> middle; /* 64 x 128 */
typedef mma_core<2, 4, 2, 2, 16, 3, 3> small;  /* 64 x 64 */
typedef mma_core<1, 2, 2, 2, 16, 6, 3> least;  /* 32 x 32 */

template <class E, class CORE> static constexpr matmul_tile_launch launch_of(double efficiency) {
    return matmul_tile_launch{
        (const void *)matmul_kernel<E, CORE>, CORE::ROWS, CORE::COLUMNS, CORE::THREADS, CORE::BLOCKS,
        matmul_shared_bytes<CORE>(),          efficiency};
}

template <class E> static int list_of(const matmul_tile_launch **launches) {
    static const matmul_tile_launch list[] = {launch_of<E, large>(1.0), launch_of<E, middle>(0.95),
                                              launch_of<E, small>(0.85), launch_of<E, least>(0.5)};
    *launches = list;
    return sizeof list / sizeof *list;
}

int cuda_matmul_tiles(weft_dtype dtype, weft_dtype accumulate, const matmul_tile_launch **launches) {
    if (accumulate == WEFT_F32) return cuda_matmul_tiles_f32(launches);
    return dtype == WEFT_F64 ? list_of<double>(launches) : list_of<float>(launches);
}
