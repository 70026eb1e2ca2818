/* Sorts of keys of 16 bits: integers and floats. */
#include "cuda/sort/sort_cub.cuh"

cudaError_t cuda_sort_16(sort_params *j) {
    return j->is_float ? sort_by_values<uint16_t, true>(j) : sort_by_values<uint16_t, false>(j);
}
