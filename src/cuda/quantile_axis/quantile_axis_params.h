/* Parameters of the kernels that compute quantiles of many vectors. */
#ifndef WEFT_CUDA_QUANTILE_AXIS_PARAMS_H
#define WEFT_CUDA_QUANTILE_AXIS_PARAMS_H

#include "arith/quantile.h"
#include "cuda/sort_axis/sort_axis_params.h"

/* The emulated GPU of the tests uses less, so that short inputs reach all ways. */
#ifndef QUANTILE_SHORT
#define QUANTILE_SHORT SORT_TILE /* most elements of a vector that the kernel for short vectors sorts */
#define QUANTILES_AT_ONCE 128    /* most quantiles of a launch */
#define QUANTILE_SORTED_BYTES ((size_t)512 << 20) /* most bytes of sorted vectors, unless one has more */
#endif

/* The quantiles that a launch computes. */
struct quantile_results {
    weft_quantile_rule rule;
    weft_dtype dtype, result;
    uint32_t result_bytes, count;
    bool across; /* adjacent threads store to adjacent vectors */
    uint64_t n;  /* elements of a vector */
    char *y;
    int64_t stride; /* between the results of a vector */
    view_dims outer;
    double q[QUANTILES_AT_ONCE];
};

/* Parameters of the kernel that sorts short vectors. */
struct quantile_sort_params {
    sort_axis_params keys; /* without an output */
    quantile_results results;
};

/* Parameters of the kernel that reads sorted vectors, which have no gaps. */
struct quantile_take_params {
    const char *sorted;
    uint32_t bytes; /* of an element */
    uint64_t vectors;
    quantile_results results;
};

#endif
