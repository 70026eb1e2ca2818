/* Parameters of the kernels that select from many vectors. */
#ifndef WEFT_CUDA_TOP_K_AXIS_PARAMS_H
#define WEFT_CUDA_TOP_K_AXIS_PARAMS_H

#include "cuda/sort_axis/sort_axis_params.h"

#define TOP_K_FIRST 32 /* greatest k of the kernel that takes the first item k times */

/* Vectors are selected from one after the other, by all blocks, if there are so few of them that each has this many
 * elements for each vector. The emulated GPU of the tests uses less, and less scratch memory. */
#ifndef TOP_K_ONE_BY_ONE
#define TOP_K_ONE_BY_ONE ((size_t)1 << 18)
#define TOP_K_ORDER_BYTES ((size_t)512 << 20) /* most bytes of the indices of sorted vectors, unless one has more */
#endif

/* An output: values or indices. */
struct top_k_target {
    char *y;        /* NULL: not wanted */
    uint32_t bytes; /* of an element */
    int64_t stride;
    view_dims outer;
};

struct top_k_axis_params {
    sort_axis_params keys; /* without an output */
    uint32_t k;
    bool across; /* adjacent threads store to adjacent vectors */
    top_k_target values, indices;
};

/* Parameters of the kernel that stores the elements that are named by lists of indices. */
struct top_k_take_params {
    const char *x, *list; /* of the first vector */
    int64_t x_stride;
    uint32_t bytes, list_bytes; /* of an element and of an index of the lists */
    uint64_t k, vectors, list_length;
    top_k_target values, indices;
};

#endif
