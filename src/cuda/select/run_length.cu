/* weft_unique and weft_run_length: the marked elements are those that differ from the one before them. */
#include "cuda/select/compact.cuh"
#include "cuda/select/compact.h"

#include <string.h>

template <class T, compact_to TO> static compact_kernels kernels_to() {
    return compact_kernels{(const void *)compact_kernel<T, BY_RUNS, TO>, NULL, sizeof(T), sizeof(buffers<T, TO>),
                           COMPACT_PREFETCH_DISTANCE(BY_RUNS, TO)};
}

template <class T> static compact_kernels kernels_of(bool lengths) {
    return lengths ? kernels_to<T, TO_LENGTHS>() : kernels_to<T, TO_VALUES>();
}

static compact_kernels find_kernels(weft_dtype dtype, bool lengths) {
    if (dtype == WEFT_F32) return kernels_of<float>(lengths);
    if (dtype == WEFT_F64) return kernels_of<double>(lengths);
    switch (cuda_type_bytes(dtype)) {
    case 1: return kernels_of<uint8_t>(lengths);
    case 2: return kernels_of<uint16_t>(lengths);
    case 4: return kernels_of<uint32_t>(lengths);
    default: return kernels_of<uint64_t>(lengths);
    }
}

weft_status cuda_run_length(void *state, const run_length_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype);
    const compact_kernels kernels = find_kernels(c->dtype, c->lengths != NULL);
    gpu_array arrays[COMPACT_ARRAYS];
    compact_params j;
    memset(&j, 0, sizeof j);
    memset(arrays, 0, sizeof arrays);
    arrays[COMPACT_X] = gpu_array{"x", c->x, c->n * size, ARRAY_IN, false, NULL};
    arrays[COMPACT_Y] = gpu_array{c->lengths ? "values" : "y", c->values, c->n * size, ARRAY_OUT, false, NULL};
    arrays[COMPACT_LENGTHS] = gpu_array{"lengths", c->lengths, c->n * sizeof *c->lengths, ARRAY_OUT, false, NULL};
    arrays[COMPACT_COUNT] = gpu_array{"count", c->count, sizeof *c->count, ARRAY_OUT, false, NULL};
    j.n = c->n;
    return compact_run(g, c->lengths ? "run_length" : "unique", &kernels, &j, arrays, size, error);
}
