/* Cooperative groups: the block, and tiles of 1, 2, 4, 8, 16 or 32 lanes of a warp. There is no group of all blocks,
 * because blocks run one after another. */
#ifndef WEFT_EXECUTOR_COOPERATIVE_GROUPS_H
#define WEFT_EXECUTOR_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

namespace cooperative_groups {

struct thread_block {
    __forceinline__ static void sync() { __syncthreads(); }
    static unsigned thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
};
static inline thread_block this_thread_block() { return {}; }

template <unsigned SIZE, class PARENT = void> struct thread_block_tile {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0, "a power of two of at most 32 lanes");
    static unsigned thread_rank() { return (unsigned)emulated::lane() % SIZE; }
    static constexpr unsigned num_threads() { return SIZE; }
    static constexpr unsigned size() { return SIZE; }
    static unsigned meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    static unsigned meta_group_size() { return (thread_block::num_threads() + SIZE - 1) / SIZE; }

    __forceinline__ void sync() const { __syncwarp(mask()); }
    template <class T> __forceinline__ T shfl(T v, int from) const { return __shfl_sync(mask(), v, from, SIZE); }
    template <class T> __forceinline__ T shfl_up(T v, unsigned by) const {
        return __shfl_up_sync(mask(), v, by, SIZE);
    }
    template <class T> __forceinline__ T shfl_down(T v, unsigned by) const {
        return __shfl_down_sync(mask(), v, by, SIZE);
    }
    template <class T> __forceinline__ T shfl_xor(T v, int distance) const {
        return __shfl_xor_sync(mask(), v, distance, SIZE);
    }
    __forceinline__ int any(int is) const { return __any_sync(mask(), is); }
    __forceinline__ int all(int is) const { return __all_sync(mask(), is); }
    __forceinline__ unsigned ballot(int is) const { return __ballot_sync(mask(), is) >> first(); }

  private:
    static unsigned first() { return (unsigned)emulated::lane() / SIZE * SIZE; }
    static unsigned mask() { return (SIZE == 32 ? 0xffffffffu : (1u << SIZE % 32) - 1) << first(); }
};
template <unsigned SIZE, class PARENT> thread_block_tile<SIZE, PARENT> tiled_partition(const PARENT &) { return {}; }

template <class GROUP> __forceinline__ void sync(const GROUP &group) { group.sync(); }

} // namespace cooperative_groups

#endif
