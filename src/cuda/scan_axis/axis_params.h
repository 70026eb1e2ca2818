/* Parameters of the kernels that scan many vectors. Nothing here affects a result, except the operator's. */
#ifndef WEFT_CUDA_AXIS_PARAMS_H
#define WEFT_CUDA_AXIS_PARAMS_H

#include "cuda/copy_view/device_views.h"
#include "cuda/scan/scan_params.h"

#define ROWS_THREADS 256
#define ROWS_TILE (ROWS_THREADS * WEFT_SCAN_GROUP) /* elements; 16^3 */
#define COLUMNS_THREADS 512
#define COLUMNS_SLOTS (COLUMNS_THREADS / 32)           /* groups of a column that a block scans at a time */
#define COLUMNS_TILE (COLUMNS_SLOTS * WEFT_SCAN_GROUP) /* elements of a column; 16^2 */

struct axis_params {
    scan_params scan; /* xor_mask, exclusive, has_init and init */
    const char *x;
    char *y;
    uint64_t n, vectors;
    int64_t x_stride, y_stride; /* bytes between adjacent elements of a vector; rows: those of the types */
    view_dims outer;
    bool quads;          /* rows: groups of four 4-byte elements are aligned to 16 bytes in x and y */
    uint32_t slots_log2; /* threads of a vector: each has a group of 16 adjacent elements at a time */
    uint32_t levels;     /* of the totals of tiles */
    uint64_t blocks;
    uint64_t columns, column_blocks; /* tickets: vectors, a multiple of 32, and 32ths of them */
};

/* The kernels of one operator and its types, and the bytes of shared memory for each level. */
struct axis_launch {
    void (*rows)(axis_params), (*columns)(axis_params), (*tickets)(axis_params);
    uint32_t row_level_bytes, column_level_bytes;
};

axis_launch cuda_axis_sum(weft_dtype dtype, weft_dtype result);
axis_launch cuda_axis_product(weft_dtype dtype, weft_dtype result);
axis_launch cuda_axis_extreme(weft_dtype dtype);
axis_launch cuda_axis_or(weft_dtype dtype);
axis_launch cuda_axis_xor(weft_dtype dtype);

#endif
