/* Division of the numbers of elements into indices. */
#ifndef WEFT_CUDA_VIEW_INDEX_CUH
#define WEFT_CUDA_VIEW_INDEX_CUH

#include "cuda/copy_view/view_length.h"

/* Returns the index in dimension k, and sets i to the number of the element without it. Call it for the last
 * dimension first. */
static __device__ __forceinline__ uint32_t next_index(const view_length *lengths, uint32_t k, uint32_t &i) {
    if (k == 0) return i;
    const uint32_t above = __umulhi(i, lengths[k].multiplier) >> lengths[k].shift, index = i - above * lengths[k].n;
    i = above;
    return index;
}

#endif
