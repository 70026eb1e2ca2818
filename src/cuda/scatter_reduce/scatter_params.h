/* Parameters of the kernels of weft_scatter_reduce that reduce rows of several columns, and of those that write the
 * results (ORDER.md 25). */
#ifndef WEFT_CUDA_SCATTER_PARAMS_H
#define WEFT_CUDA_SCATTER_PARAMS_H

#include "cuda/scan/scan_params.h"

#define SCATTER_THREADS 256

/* All pointers are to device memory. */
struct scatter_params {
    scan_params scan; /* only xor_mask is set */
    const void *x;
    uint64_t n, m, columns;
    const void *list; /* numbers of the rows in the order of their targets; NULL: x is in this order */
    bool wide_list;   /* the numbers have 8 bytes, otherwise 4 */
    const uint64_t *offsets;
    unsigned group_log2; /* the threads that reduce a tile: up to 32, each one or more adjacent columns */
    void *first, *rest;  /* values of tiles of targets with more than one (scatter_rows.cuh) */
    const void *init;    /* or NULL */
    void *out;
    const void *reduced; /* for the kernel `store`: the reductions of one column; for a mean: sums in f64 */
};

/* The kernels of one operator and its types. Each takes a scatter_params. */
struct scatter_launch {
    const void *rows, *rows_in_packs; /* a thread reduces one column, or `pack` adjacent columns */
    const void *fold;                 /* combines the tiles of the targets that have more than one */
    const void *store;                /* writes the results of one column */
    uint32_t pack, pack_bytes;        /* pack_bytes: the alignment of x and its rows that packs require */
    uint32_t tile;                    /* elements of a tile */
};

/* scatter_sums.cu, scatter_products.cu, scatter_unordered.cu */
scatter_launch cuda_scatter_sum_kernels(weft_dtype dtype, weft_dtype result);
scatter_launch cuda_scatter_mean_kernels(weft_dtype dtype, weft_dtype result);
scatter_launch cuda_scatter_product_kernels(weft_dtype dtype, weft_dtype result);
scatter_launch cuda_scatter_extreme_kernels(weft_dtype dtype);
scatter_launch cuda_scatter_or_kernels(weft_dtype dtype);
scatter_launch cuda_scatter_xor_kernels(weft_dtype dtype);

#endif
