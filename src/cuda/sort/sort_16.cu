/* Sorts of keys of 16 bits. */
#include "cuda/sort/sort_cub.cuh"

cudaError_t cuda_sort_16(sort_params *j) { return sort_by_values<uint16_t, false>(j); }
