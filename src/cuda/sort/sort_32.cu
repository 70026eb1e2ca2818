/* Sorts of keys of 32 bits: integers and floats. */
#include "cuda/sort/sort_cub.cuh"

cudaError_t cuda_sort_32(sort_params *j) {
    return j->is_float ? sort_by_values<uint32_t, true>(j) : sort_by_values<uint32_t, false>(j);
}
