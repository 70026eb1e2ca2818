/* Products of f32 summed in f32, by tiles. */
#include "cuda/matmul_launch.cuh"

typedef fma_core<float, 8, 8, 4, 4, 2, 16, 2, 3> large;  /* 128 x 128 */
typedef fma_core<float, 8, 8, 4, 2, 2, 16, 4, 3> middle; /* 64 x 128 */
typedef fma_core<float, 8, 4, 4, 2, 2, 16, 4, 3> small;  /* 64 x 64 */
typedef fma_core<float, 4, 4, 4, 2, 2, 16, 6, 3> least;  /* 32 x 64 */

int cuda_matmul_tiles_f32(const matmul_tile_launch **launches) {
    static const matmul_tile_launch list[] = {
        matmul_launch_of<float, large>(1.0), matmul_launch_of<float, middle>(0.97),
        matmul_launch_of<float, small>(0.75), matmul_launch_of<float, least>(0.6)};
    *launches = list;
    return sizeof list / sizeof *list;
}
