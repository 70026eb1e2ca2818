/* All segmented kernels of an operator. */
#ifndef WEFT_CUDA_SEGMENTED_KERNELS_CUH
#define WEFT_CUDA_SEGMENTED_KERNELS_CUH

#include "cuda/scan/scan_ops.cuh"
#include "cuda/segmented/segmented_reduce.cuh"
#include "cuda/segmented/segmented_scan.cuh"

template <class Op> struct segmented_of {
    static segments_launch launch(const char *) {
        segments_launch l;
        l.reduce_short = (const void *)reduce_short_kernel<Op>;
        l.reduce_long = (const void *)reduce_long_kernel<Op>;
        l.scan_short = (const void *)scan_short_kernel<Op>;
        l.scan_long = scan_launch{(const void *)scan_long_kernel<Op>, sizeof(scan_shared<Op>),
                                  sizeof(scan_shared<Op>().buffer[0])};
        l.reduce_short_blocks = REDUCE_SHORT_BLOCKS(sizeof(typename Op::value));
        l.scan_short_blocks = SCAN_SHORT_BLOCKS(sizeof(typename Op::value));
        l.reduce_short_max = (uint32_t)tree_operator<Op>::SHORT;
        l.reduce_middle_max = (uint32_t)tree_operator<Op>::MIDDLE;
        return l;
    }
};

#endif
