/* Scans of many vectors on a GPU (ORDER.md 6, 32): three kernels.
 *
 *     rows      vectors are contiguous: a block scans a tile of 16^3 elements at a time, of one vector or of several
 *               short ones, which it reads and writes through shared memory
 *     columns   adjacent vectors are adjacent in memory: a block scans tiles of 16^2 elements of 32 vectors
 *     tickets   the same, for few vectors: each block scans any tiles, and finds the totals before them in memory
 *
 * A thread scans a group of 16 elements. A block takes the tiles of a vector one after the other, and keeps what the
 * prefixes of the next tiles need: for each level the steps of the open group of totals (axis_levels).
 *
 * Traffic: each element is read and written once. */
#ifndef WEFT_CUDA_SCAN_AXIS_CUH
#define WEFT_CUDA_SCAN_AXIS_CUH

#include "cuda/scan_axis/axis_columns.cuh"
#include "cuda/scan_axis/axis_rows.cuh"
#include "cuda/scan_axis/axis_tickets.cuh"

template <class Op> struct axis_of {
    static axis_launch launch(const char *) {
        typedef typename Op::value A;
        return axis_launch{axis_rows_kernel<Op>, axis_columns_kernel<Op>, axis_tickets_kernel<Op>,
                           axis_levels<A>::VALUES * sizeof(A), 32 * axis_levels<A>::VALUES * sizeof(A)};
    }
};

#endif
