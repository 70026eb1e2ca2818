/* Sorts of keys of 64 bits: integers and floats. */
#include "cuda/sort/sort_cub.cuh"

cudaError_t cuda_sort_64(sort_params *j) {
    return j->is_float ? sort_by_values<uint64_t, true>(j) : sort_by_values<uint64_t, false>(j);
}
