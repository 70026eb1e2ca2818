/* Tiled products of f32 summed in f32. */
#include "cuda/matmul/matmul_launch.cuh"
#include "cuda/runtime/gpu.h"

static __device__ __forceinline__ uint4 *matmul_shared() {
    extern __shared__ uint4 dynamic[];
    return dynamic;
}

#define BARE(...) __VA_ARGS__ /* removes the parentheses around an argument that contains commas */

int cuda_matmul_tiles_f32(const matmul_tile_launch **launches) {
    static const matmul_tile_launch list[] = {
#define TILE(name, mma, efficiency) matmul_launch_of<float, BARE mma>(efficiency, efficiency),
#include "cuda/matmul/matmul_tiles.def"
    };
    *launches = list;
    return sizeof list / sizeof *list;
}

size_t cuda_matmul_f32_shared(size_t tile) {
    const matmul_tile_launch *list;
    size_t most = 0;
    (void)cuda_matmul_tiles_f32(&list);
    for (int i = 0; i < 4; i++)
        if (list[tile].shared_bytes[i / 2][i % 2] > most) most = list[tile].shared_bytes[i / 2][i % 2];
    return most;
}
