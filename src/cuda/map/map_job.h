/* A formula as a kernel's argument, its arrays where the GPU reads them. */
#ifndef WEFT_CUDA_MAP_JOB_H
#define WEFT_CUDA_MAP_JOB_H

#include "cuda/runtime/arrays.h"

typedef struct map_program {
    weft_dtype dtype;
    uint32_t step_count, leaf_count;
    map_step steps[MAP_STEPS];
    map_leaf leaves[MAP_LEAVES];
} map_program;

static_assert(sizeof(map_program) <= 4000, "a kernel's arguments have 4 KB");

/* The arrays of a call, and its output where it has one. */
typedef struct map_arrays {
    gpu_array list[MAP_LEAVES + 1];
    int count;
    void *scratch;
} map_arrays;

/* Brings the call's arrays to the GPU, the last of which is the output of `out_bytes` bytes where it has one, makes
 * room for `scratch_bytes` more, and writes its program. */
weft_status gpu_map_bring(gpu *g, const map_call *c, size_t out_bytes, size_t scratch_bytes, map_arrays *arrays,
                          map_program *program, weft_error *error);

/* The values at elements first, first + 1, ..., n of them, to `out` on the GPU. */
weft_status gpu_map_part(gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                         weft_error *error);

#endif
