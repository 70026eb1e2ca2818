/* A formula as a kernel argument, with device addresses of its arrays. */
#ifndef WEFT_CUDA_MAP_PARAMS_H
#define WEFT_CUDA_MAP_PARAMS_H

#include "cuda/runtime/arrays.h"

typedef struct map_program {
    weft_dtype dtype, result; /* types of the evaluation and of the values: those of map_call */
    uint32_t step_count, leaf_count;
    map_step steps[MAP_STEPS];
    map_leaf leaves[MAP_LEAVES];
    bool is_complex; /* this and the following members are those of map_call */
    uint8_t results[2];
    int64_t imaginary;
} map_program;

static_assert(sizeof(map_program) <= 4000, "a kernel's arguments have 4 KB");

/* Writes a formula. The addresses of its arrays are those of the call. */
void gpu_map_program(const map_call *c, map_program *program);

/* Arrays of a call, followed by its output if it has one. */
typedef struct map_arrays {
    gpu_array list[MAP_LEAVES + 1];
    int count;
    void *scratch;
} map_arrays;

/* Makes the call's arrays available in device memory; the last one is the output of `out_bytes` bytes, if there is
 * one. Provides `scratch_bytes` bytes of workspace, and writes the program. */
weft_status gpu_map_copy_in(gpu *g, const map_call *c, size_t out_bytes, size_t scratch_bytes, map_arrays *arrays,
                            map_program *program, weft_error *error);

/* Computes n values, from element `first` on, to `out` in device memory. */
weft_status gpu_map_part(gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                         weft_error *error);

#endif
