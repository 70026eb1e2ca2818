/* Code shared by the kernels that scan many vectors: totals of tiles that one block takes one after the other, and
 * the results of a group. */
#ifndef WEFT_CUDA_AXIS_LEVELS_CUH
#define WEFT_CUDA_AXIS_LEVELS_CUH

#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/runtime/device.cuh"
#include "cuda/scan/scan_look_back.cuh"
#include "cuda/scan/scan_ops.cuh"
#include "cuda/scan_axis/axis_params.h"

#define AXIS_GROUP WEFT_SCAN_GROUP

/* Totals of tiles, level by level. Level 0 contains the totals of tiles; the total of 16 values of a level is a value
 * of the next one. For each level: 1, 2, 4 and 8 values of the open group before the steps of ORDER.md 6.2 with the
 * distances 1, 2, 4 and 8, which the next steps need; and the prefix of the group. Values of one level are `apart`
 * values apart. */
template <class A> struct axis_levels {
    static constexpr int VALUES = AXIS_GROUP;
    A *values;
    uint32_t apart;
    __device__ __forceinline__ A &at(uint32_t level, uint32_t i) const {
        return values[(level * VALUES + i) * apart];
    }
    __device__ __forceinline__ A &prefix(uint32_t level) const { return at(level, VALUES - 1); }
};

template <class A>
static __device__ __forceinline__ void start_levels(const axis_levels<A> &l, uint32_t levels, A init) {
    for (uint32_t k = 0; k < levels; k++) l.prefix(k) = init;
}

/* Adds the total of tile number `tile`. Returns the prefix of the tile after it (ORDER.md 6.3). */
template <class Op>
static __device__ __forceinline__ typename Op::value add_tile(const Op &op, const axis_levels<typename Op::value> &l,
                                                              uint32_t levels, uint64_t tile,
                                                              typename Op::value total) {
    typedef typename Op::value A;
    for (uint32_t level = 0; level < levels; level++, tile /= AXIS_GROUP) {
        const uint32_t digit = (uint32_t)(tile % AXIS_GROUP);
#pragma unroll
        for (uint32_t w = 1; w < AXIS_GROUP; w *= 2) {
            A &held = l.at(level, w - 1 + digit % w);
            const A left = held;
            held = total;
            if (digit >= w) total = op.combine(left, total);
        }
        if (digit == AXIS_GROUP - 1) continue;
        const A v = op.combine(l.prefix(level), total);
        for (uint32_t below = 0; below < level; below++) l.prefix(below) = v;
        return v;
    }
    return total; /* not reached: 16^levels > number of tiles */
}

template <class Op> static __device__ __forceinline__ typename Op::value initial(const Op &op, const axis_params &a) {
    typename Op::result init;
    if (!a.scan.has_init) return op.identity();
    memcpy(&init, &a.scan.init, sizeof init);
    return op.enter(init);
}

/* Returns result number j of a group, of elements `first` + 0 ... 15, from its scan v, its prefix and the one of the
 * next group. */
template <class Op>
static __device__ __forceinline__ typename Op::result
axis_result(const Op &op, const axis_params &a, uint64_t first, int j, const typename Op::value (&v)[AXIS_GROUP],
            typename Op::value prefix, typename Op::value next) {
    if (a.scan.exclusive) {
        if (j > 0) return op.store(op.combine(prefix, v[j - 1]));
        return first == 0 && !a.scan.has_init ? op.empty() : op.store(prefix);
    }
    return op.store(j < AXIS_GROUP - 1 ? op.combine(prefix, v[j]) : next);
}

#endif
