/* What a radix sort on the GPU is told, and its entry points: one for each width of keys. */
#ifndef WEFT_CUDA_SORT_JOB_H
#define WEFT_CUDA_SORT_JOB_H

#include "arith/sort_code.h"

#include <cuda_runtime.h>

/* All memory is the device's. */
typedef struct sort_job {
    weft_sort_rule rule;
    bool is_float;
    int first_bit, last_bit; /* of the codes: those that count, without last_bit */
    size_t n;
    size_t value_bytes; /* 0, 1, 2, 4 or 8 */
    /* Keys and values lie in [0]. `overwrite`: either array may be written, and `*_at` is told where the result is;
     * else [0] stays as it is and the result is in [1]. */
    bool overwrite;
    void *keys[2], *values[2];
    int keys_at, values_at;
    void *scratch; /* NULL: only asks for scratch_bytes */
    size_t scratch_bytes;
    cudaStream_t stream;
} sort_job;

cudaError_t cuda_sort_8(sort_job *j);
cudaError_t cuda_sort_16(sort_job *j);
cudaError_t cuda_sort_32(sort_job *j);
cudaError_t cuda_sort_64(sort_job *j);

#endif
