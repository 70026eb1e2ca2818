/* Division of the numbers of elements into indices. */
#ifndef WEFT_CUDA_VIEW_INDEX_CUH
#define WEFT_CUDA_VIEW_INDEX_CUH

#include "cuda/copy_view/view_length.h"

/* Divides i, less than 2^31, by a length of at least 2. Returns the remainder. */
static __device__ __forceinline__ uint32_t split_index(const view_length &length, uint32_t &i) {
    const uint32_t above = __umulhi(i, length.multiplier) >> length.shift, index = i - above * length.n;
    i = above;
    return index;
}

/* Returns the index in dimension k, and sets i to the number of the element without it. Call it for the last
 * dimension first. */
static __device__ __forceinline__ uint32_t next_index(const view_length *lengths, uint32_t k, uint32_t &i) {
    return k == 0 ? i : split_index(lengths[k], i);
}

#endif
