/* Parameters of a radix sort on the GPU, and its entry points, one for each width of keys. */
#ifndef WEFT_CUDA_SORT_PARAMS_H
#define WEFT_CUDA_SORT_PARAMS_H

#include "arith/sort_code.h"

#include <cuda_runtime.h>

/* All pointers are to device memory. */
typedef struct sort_params {
    weft_sort_rule rule;
    bool is_float;
    int first_bit, last_bit; /* sorts by bits first_bit .. last_bit - 1 of the codes */
    size_t n;
    size_t value_bytes; /* 0, 1, 2, 4, 8 or 16 */
    /* Input keys and values are in [0]. With `overwrite` both arrays may be written, and keys_at and values_at are
     * set to the index of the result. Otherwise [0] is not written and the result is in [1]. */
    bool overwrite;
    void *keys[2], *values[2];
    int keys_at, values_at;
    void *scratch; /* NULL: only sets scratch_bytes */
    size_t scratch_bytes;
    cudaStream_t stream;
} sort_params;

cudaError_t cuda_sort_8(sort_params *j);
cudaError_t cuda_sort_16(sort_params *j);
cudaError_t cuda_sort_32(sort_params *j);
cudaError_t cuda_sort_64(sort_params *j);

#endif
