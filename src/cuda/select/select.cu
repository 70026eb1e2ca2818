/* weft_select, weft_select_indices, weft_partition. */
#include "cuda/select/compact.cuh"
#include "cuda/select/compact.h"

#include <string.h>

/* ------------------------------------------------------------------------- choice of a kernel */

template <class T, compact_by BY, compact_to TO> static compact_kernels kernels_of(const void *count) {
    return compact_kernels{(const void *)compact_kernel<T, BY, TO>, count, sizeof(T), sizeof(buffers<T, TO>),
                           COMPACT_PREFETCH_DISTANCE(BY, TO)};
}

/* With flags, only the size of the elements matters. The flags themselves are counted. */
template <compact_to TO> static compact_kernels by_flags(size_t size, const void *count) {
    switch (size) {
    case 1: return kernels_of<uint8_t, BY_FLAGS, TO>(count);
    case 2: return kernels_of<uint16_t, BY_FLAGS, TO>(count);
    case 4: return kernels_of<uint32_t, BY_FLAGS, TO>(count);
    default: return kernels_of<uint64_t, BY_FLAGS, TO>(count);
    }
}

template <class T> static compact_kernels by_comparison_of(select_kind kind) {
    switch (kind) {
    case SELECT_VALUES: return kernels_of<T, BY_COMPARISON, TO_VALUES>(NULL);
    case SELECT_INDICES: return kernels_of<T, BY_COMPARISON, TO_INDICES>(NULL);
    default: return kernels_of<T, BY_COMPARISON, TO_BOTH_SIDES>((const void *)count_kernel<T, BY_COMPARISON>);
    }
}

/* Unsigned integers are compared as signed ones with inverted sign bit. The kernels of uint16_t are those of f16 and
 * bf16. */
static compact_kernels by_comparison(const select_call *c) {
    if (c->dtype == WEFT_F32) return by_comparison_of<float>(c->kind);
    if (c->dtype == WEFT_F64) return by_comparison_of<double>(c->kind);
    if (type_is_half(c->dtype)) return by_comparison_of<uint16_t>(c->kind);
    switch (cuda_type_bytes(c->dtype)) {
    case 1: return by_comparison_of<int8_t>(c->kind);
    case 2: return by_comparison_of<int16_t>(c->kind);
    case 4: return by_comparison_of<int32_t>(c->kind);
    default: return by_comparison_of<int64_t>(c->kind);
    }
}

static compact_kernels find_kernels(const select_call *c) {
    const size_t size = cuda_type_bytes(c->dtype);
    if (!c->by_flags) return by_comparison(c);
    switch (c->kind) {
    case SELECT_VALUES: return by_flags<TO_VALUES>(size, NULL);
    case SELECT_INDICES: return kernels_of<uint8_t, BY_FLAGS, TO_INDICES>(NULL);
    default: return by_flags<TO_BOTH_SIDES>(size, (const void *)count_kernel<uint8_t, BY_FLAGS>);
    }
}

/* ------------------------------------------------------------------------------------ a call */

weft_status cuda_select(void *state, const select_call *c, weft_error *error) {
    static const char *const names[] = {"select", "select_indices", "partition"};
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), out_size = c->kind == SELECT_INDICES ? sizeof(uint64_t) : size;
    const compact_kernels kernels = find_kernels(c);
    gpu_array arrays[COMPACT_ARRAYS];
    compact_params j;
    memset(&j, 0, sizeof j);
    memset(arrays, 0, sizeof arrays);
    arrays[COMPACT_X] = gpu_array{"x", c->x, c->n * size, ARRAY_IN, false, NULL};
    arrays[COMPACT_FLAGS] = gpu_array{"flags", c->flags, c->n, ARRAY_IN, false, NULL};
    arrays[COMPACT_Y] = gpu_array{"y", c->y, c->n * out_size, ARRAY_OUT, false, NULL};
    arrays[COMPACT_COUNT] = gpu_array{"count", c->count, sizeof *c->count, ARRAY_OUT, false, NULL};
    j.n = c->n;
    if (!c->by_flags) j.compare = weft_comparator(c->comparison, c->dtype, size, c->value);
    return compact_run(g, names[c->kind], &kernels, &j, arrays, c->kind == SELECT_PARTITION ? 0 : out_size, error);
}
