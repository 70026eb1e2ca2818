/* Sorts of keys of 8 bits. */
#include "cuda/sort/sort_cub.cuh"

cudaError_t cuda_sort_8(sort_params *j) { return sort_by_values<uint8_t, false>(j); }
