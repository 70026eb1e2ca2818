/* Tiled products summed in f64, on the FP64 tensor cores. */
#include "cuda/matmul/matmul_launch.cuh"

static __device__ __forceinline__ uint4 *matmul_shared() {
    extern __shared__ uint4 dynamic[];
    return dynamic;
}

typedef tensor_mma<4, 4, 1, 4, 16, 2, 3> large;  /* 64 x 128 */
typedef tensor_mma<2, 4, 2, 4, 16, 1, 4> wide;   /* 64 x 128, by twice as many warps */
typedef tensor_mma<2, 4, 2, 2, 16, 3, 3> middle; /* 64 x 64 */
typedef tensor_mma<1, 2, 2, 2, 16, 6, 3> small;  /* 32 x 32 */

template <class E> static int list_of(const matmul_tile_launch **launches) {
    static const matmul_tile_launch list[] = {
        matmul_launch_of<E, large>(1.0, 0.92), matmul_launch_of<E, wide>(0.84, 1.0),
        matmul_launch_of<E, middle>(0.9, 0.9), matmul_launch_of<E, small>(0.5, 0.5)};
    *launches = list;
    return sizeof list / sizeof *list;
}

int cuda_matmul_tiles(weft_dtype dtype, weft_dtype accumulate, const matmul_tile_launch **launches) {
    if (accumulate == WEFT_F32) return cuda_matmul_tiles_f32(launches);
    return dtype == WEFT_F64 ? list_of<double>(launches) : list_of<float>(launches);
}
