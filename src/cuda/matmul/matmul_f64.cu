/* Tiled products summed in f64, on the FP64 tensor cores. */
#include "cuda/matmul/matmul_launch.cuh"

static __device__ __forceinline__ uint4 *matmul_shared() {
    extern __shared__ uint4 dynamic[];
    return dynamic;
}

/* Elements of f32 need half the shared memory, and then more blocks of small tiles reach the speed of large ones. */
template <class E> static int list_of(const matmul_tile_launch **launches) {
    constexpr bool F32 = sizeof(E) == 4;
    typedef tensor_mma<E, 2, 4, 2, 4, 32, 1, 4> wide;                       /* 64 x 128 */
    typedef tensor_mma<E, 2, 4, 2, 2, 16, 3, 3> middle;                     /* 64 x 64 */
    typedef tensor_mma<E, 1, 4, 2, 2, 32, 2, 3> low;                        /* 32 x 64 */
    typedef tensor_mma<E, 1, 2, 2, 2, F32 ? 32 : 16, F32 ? 4 : 5, 3> small; /* 32 x 32 */
    static const matmul_tile_launch list[] = {matmul_launch_of<E, wide>(1.0, F32 ? 1.05 : 1.0),
                                              matmul_launch_of<E, middle>(F32 ? 1.03 : 0.98, 0.7),
                                              matmul_launch_of<E, low>(F32 ? 1.0 : 0.83, F32 ? 0.6 : 0.55),
                                              matmul_launch_of<E, small>(F32 ? 0.85 : 0.65, 0.4)};
    *launches = list;
    return sizeof list / sizeof *list;
}

int cuda_matmul_tiles(weft_dtype dtype, weft_dtype accumulate, const matmul_tile_launch **launches) {
    if (accumulate == WEFT_F32) return cuda_matmul_tiles_f32(launches);
    return dtype == WEFT_F64 ? list_of<double>(launches) : list_of<float>(launches);
}
