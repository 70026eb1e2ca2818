/* Offsets of the elements of views in kernels. */
#ifndef WEFT_CUDA_VIEW_OFFSETS_CUH
#define WEFT_CUDA_VIEW_OFFSETS_CUH

#include "cuda/copy_view/device_views.h"
#include "cuda/copy_view/view_index.cuh"

/* Adds the distances in bytes of element number i from the first one. The last dimension varies fastest. */
static __device__ __forceinline__ void view_offsets(const view_dims &d, uint64_t i, int64_t &x, int64_t &y) {
    uint32_t left = (uint32_t)i;
    if (d.count == 0) return;
#pragma unroll 1
    for (uint32_t k = d.count - 1; k > 0; k--) {
        uint64_t own;
        if (d.narrow) {
            own = next_index(d.lengths, k, left);
        } else {
            own = i % d.n[k];
            i /= d.n[k];
        }
        x += (int64_t)own * d.x[k];
        y += (int64_t)own * d.y[k];
    }
    const uint64_t first = d.narrow ? left : i;
    x += (int64_t)first * d.x[0];
    y += (int64_t)first * d.y[0];
}

#endif
