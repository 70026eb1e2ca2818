/* Reductions of the values of a tile of lanes. */
#ifndef WEFT_EXECUTOR_COOPERATIVE_GROUPS_REDUCE_H
#define WEFT_EXECUTOR_COOPERATIVE_GROUPS_REDUCE_H

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    T operator()(T a, T b) const { return std::min(a, b); }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return std::max(a, b); }
};
/* Exchanges values with the lane at distance SIZE / 2, ..., 2, 1. NVIDIA does not state the order. */
template <unsigned SIZE, class PARENT, class T, class OP>
__forceinline__ T reduce(const thread_block_tile<SIZE, PARENT> &tile, T v, OP op) {
    for (int distance = SIZE / 2; distance > 0; distance /= 2) v = op(v, tile.shfl_xor(v, distance));
    return v;
}

} // namespace cooperative_groups

#endif
