/* Offsets of the elements of views in kernels. */
#ifndef WEFT_CUDA_VIEW_OFFSETS_CUH
#define WEFT_CUDA_VIEW_OFFSETS_CUH

#include "cuda/copy_view/device_views.h"

template <class Index>
static __device__ __forceinline__ void view_offsets_as(const view_dims &d, Index i, int64_t &x, int64_t &y) {
    for (uint32_t k = d.count; k-- > 1;) {
        const Index n = (Index)d.n[k], above = i / n, own = i - above * n;
        x += (int64_t)own * d.x[k];
        y += (int64_t)own * d.y[k];
        i = above;
    }
    if (d.count == 0) return;
    x += (int64_t)i * d.x[0];
    y += (int64_t)i * d.y[0];
}

/* Adds the distances in bytes of element number i from the first one. The last dimension varies fastest. */
static __device__ __forceinline__ void view_offsets(const view_dims &d, uint64_t i, int64_t &x, int64_t &y) {
    if (d.narrow)
        view_offsets_as<uint32_t>(d, (uint32_t)i, x, y);
    else
        view_offsets_as<uint64_t>(d, i, x, y);
}

#endif
