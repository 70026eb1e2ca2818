/* weft_sort and weft_argsort on the GPU (ORDER.md 17). Keys without values are sorted by sort_counting.cu and
 * sort_buckets.cu, all others by CUB (sort_cub.cuh); this file handles the arrays, and the indices of argsort. */
#include "core/types.h"
#include "cuda/runtime/arrays.h"
#include "cuda/sort/device_sort.h"
#include "cuda/sort/sort_buckets.h"
#include "cuda/sort/sort_counting.h"
#include "cuda/sort/sort_params.h"

#include <string.h>

enum { THREADS = 256, ALIGNED = 256 };

/* --------------------------------------------------------------------------------- kernels */

template <class Index> struct __align__(16) numbers { Index of[16 / sizeof(Index)]; };

/* Sets to[i] = i for all i < n, and up to 15 bytes more. A thread writes 16 bytes. */
template <class Index> static __global__ void number_kernel(numbers<Index> *to, size_t n) {
    enum { EACH = 16 / sizeof(Index) };
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i * EACH >= n) return;
    numbers<Index> v;
    for (int k = 0; k < EACH; k++) v.of[k] = (Index)(i * EACH + k);
    to[i] = v;
}

static __global__ void widen_kernel(const uint32_t *from, uint64_t *to, size_t n) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n) to[i] = from[i];
}

static weft_status check_blocks(size_t n, weft_error *error) {
    RETURN_IF((n - 1) / THREADS >= INT32_MAX, WEFT_INVALID, "sort of %zu keys: a GPU supports at most 2^38", n);
    return WEFT_OK;
}

/* Writes the integers 0, 1, 2, ... of `bytes` bytes each to scratch memory. */
static weft_status number(cudaStream_t stream, void *to, size_t bytes, size_t n, weft_error *error) {
    const size_t each = 16 / bytes, threads = (n + each - 1) / each;
    const unsigned blocks = (unsigned)((threads - 1) / THREADS + 1);
    RETURN_IF_ERROR(check_blocks(threads, error));
    if (bytes == 4)
        number_kernel<uint32_t><<<blocks, THREADS, 0, stream>>>((numbers<uint32_t> *)to, n);
    else
        number_kernel<uint64_t><<<blocks, THREADS, 0, stream>>>((numbers<uint64_t> *)to, n);
    CUDA_TRY(cudaGetLastError(), "sort");
    return WEFT_OK;
}

static weft_status widen(cudaStream_t stream, const void *from, void *to, size_t n, weft_error *error) {
    RETURN_IF_ERROR(check_blocks(n, error));
    widen_kernel<<<(unsigned)((n - 1) / THREADS + 1), THREADS, 0, stream>>>((const uint32_t *)from, (uint64_t *)to,
                                                                            n);
    CUDA_TRY(cudaGetLastError(), "sort");
    return WEFT_OK;
}

static weft_status copy(cudaStream_t stream, void *to, const void *from, size_t bytes, weft_error *error) {
    if (to != from && bytes > 0) CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "sort");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------- CUB */

static sort_params new_params(const gpu *g, weft_dtype dtype, weft_order_of_sort order, size_t n) {
    const unsigned bits = 8 * (unsigned)cuda_type_bytes(dtype);
    sort_params j;
    memset(&j, 0, sizeof j);
    j.is_float = type_is_real(dtype);
    j.rule = weft_sort_rule_of(bits, type_infinity(dtype), type_is_signed(dtype), order == WEFT_DESCENDING);
    j.last_bit = (int)bits;
    j.n = n;
    j.stream = g->stream;
    return j;
}

/* Sorts. If j->scratch is NULL, only sets j->scratch_bytes to the scratch memory that sorting takes. */
static weft_status run(sort_params *j, weft_dtype dtype, weft_error *error) {
    switch (cuda_type_bytes(dtype)) {
    case 1: CUDA_TRY(cuda_sort_8(j), "sort"); break;
    case 2: CUDA_TRY(cuda_sort_16(j), "sort"); break;
    case 4: CUDA_TRY(cuda_sort_32(j), "sort"); break;
    default: CUDA_TRY(cuda_sort_64(j), "sort"); break;
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------- scratch memory */

/* Sections of the scratch memory, one after another. */
typedef struct parts {
    size_t used;
    char *base;
} parts;

static size_t reserve(parts *p, size_t bytes) {
    const size_t at = p->used;
    p->used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return at;
}

static size_t index_bytes(size_t n) { return n <= (size_t)UINT32_MAX + 1 ? sizeof(uint32_t) : sizeof(uint64_t); }

/* ------------------------------------------------------------------------------------ sort */

/* The keys, or the values that are sorted with them. For an array that is sorted in place, from == to. */
typedef struct lane {
    void *from, *to;
    size_t bytes;    /* of all elements */
    size_t spare_at; /* offset of a second buffer of `bytes` in the scratch memory; used with j.overwrite */
} lane;

typedef enum sort_method { BY_CUB, BY_COUNTING, BY_BUCKETS } sort_method;

typedef struct plan {
    const sort_call *c;
    sort_params j;
    sort_method method;
    bool keys_in_place, values_in_place;
    lane keys, values;
    size_t work_at; /* scratch memory of the method */
    parts scratch;
} plan;

static weft_status make_plan(const gpu *g, const sort_call *c, plan *p, weft_error *error) {
    memset(p, 0, sizeof *p);
    p->c = c;
    p->j = new_params(g, c->dtype, c->order, c->n);
    p->j.first_bit = (int)c->first_bit;
    p->j.last_bit = (int)(c->first_bit + c->bits);
    p->keys_in_place = c->keys == c->sorted_keys;
    p->values_in_place = c->value_bytes > 0 && c->values == c->sorted_values;
    p->j.value_bytes = c->value_bytes;
    p->j.overwrite = p->keys_in_place || p->values_in_place;
    p->keys.bytes = c->n * cuda_type_bytes(c->dtype);
    p->values.bytes = c->n * c->value_bytes;
    if (c->bits == 0) return WEFT_OK; /* only copies */
    p->method = cuda_sort_counts(g, c) ? BY_COUNTING : cuda_sort_has_buckets(g, c) ? BY_BUCKETS : BY_CUB;
    switch (p->method) {
    case BY_COUNTING: p->j.scratch_bytes = cuda_sort_counting_bytes(g, c); break;
    case BY_BUCKETS: p->j.scratch_bytes = cuda_sort_buckets_bytes(g, c); break;
    case BY_CUB: RETURN_IF_ERROR(run(&p->j, c->dtype, error)); break;
    }
    p->work_at = reserve(&p->scratch, p->j.scratch_bytes);
    if (p->j.overwrite && p->method == BY_CUB) {
        p->keys.spare_at = reserve(&p->scratch, p->keys.bytes);
        p->values.spare_at = reserve(&p->scratch, p->values.bytes);
    }
    return WEFT_OK;
}

/* Sets CUB's two arrays for a lane. With `overwrite` they are the result, to which the input is copied, and the
 * second buffer in the scratch memory. */
static weft_status pair_up(const plan *p, const lane *l, void *arrays[2], weft_error *error) {
    arrays[0] = p->j.overwrite ? l->to : l->from;
    arrays[1] = p->j.overwrite ? p->scratch.base + l->spare_at : l->to;
    return copy(p->j.stream, arrays[0], p->j.overwrite ? l->from : arrays[0], l->bytes, error);
}

static weft_status run_plan(const gpu *g, plan *p, weft_error *error) {
    sort_params *j = &p->j;
    void *const work = p->scratch.base + p->work_at;
    if (p->c->bits == 0) {
        RETURN_IF_ERROR(copy(j->stream, p->keys.to, p->keys.from, p->keys.bytes, error));
        return copy(j->stream, p->values.to, p->values.from, p->values.bytes, error);
    }
    if (p->method == BY_COUNTING)
        return cuda_sort_by_counting(g, p->c, (uint32_t)j->rule.xor_mask, p->keys.from, p->keys.to, work, error);
    if (p->method == BY_BUCKETS)
        return cuda_sort_by_buckets(g, p->c, &j->rule, p->keys.from, p->keys.to, work, error);
    RETURN_IF_ERROR(pair_up(p, &p->keys, j->keys, error));
    RETURN_IF_ERROR(pair_up(p, &p->values, j->values, error));
    j->scratch = work;
    RETURN_IF_ERROR(run(j, p->c->dtype, error));
    RETURN_IF_ERROR(copy(j->stream, p->keys.to, j->keys[j->keys_at], p->keys.bytes, error));
    return copy(j->stream, p->values.to, j->values[j->values_at], p->values.bytes, error);
}

/* Describes an array of a call. An array that is sorted in place is listed once, as input and output. */
static gpu_array array_of(const char *name, const void *p, size_t bytes, array_use use) {
    const gpu_array a = {name, p, bytes, use, false, NULL};
    return a;
}

weft_status cuda_sort(void *state, const sort_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    plan p;
    void *base;
    RETURN_IF_ERROR(make_plan(g, c, &p, error));
    const size_t keys = p.keys.bytes, values = p.values.bytes;
    gpu_array arrays[] = {
        array_of("keys", c->keys, keys, p.keys_in_place ? ARRAY_BOTH : ARRAY_IN),
        array_of("sorted_keys", p.keys_in_place ? NULL : c->sorted_keys, keys, ARRAY_OUT),
        array_of("values", values ? c->values : NULL, values, p.values_in_place ? ARRAY_BOTH : ARRAY_IN),
        array_of("sorted_values", p.values_in_place ? NULL : c->sorted_values, values, ARRAY_OUT)};
    RETURN_IF_ERROR(arrays_copy_in(g, "sort", arrays, 4, p.scratch.used, &base, error));
    p.scratch.base = (char *)base;
    p.keys.from = arrays[0].at;
    p.keys.to = p.keys_in_place ? arrays[0].at : arrays[1].at;
    p.values.from = arrays[2].at;
    p.values.to = p.values_in_place ? arrays[2].at : arrays[3].at;
    RETURN_IF_ERROR(run_plan(g, &p, error));
    return arrays_copy_out(g, "sort", arrays, 4, error);
}

weft_status gpu_sort_array(gpu *g, const sort_call *c, void *scratch, size_t *bytes, weft_error *error) {
    plan p;
    RETURN_IF_ERROR(make_plan(g, c, &p, error));
    *bytes = p.scratch.used;
    if (!scratch) return WEFT_OK;
    p.scratch.base = (char *)scratch;
    p.keys.from = (void *)c->keys;
    p.keys.to = c->sorted_keys;
    p.values.from = (void *)c->values;
    p.values.to = c->sorted_values;
    return run_plan(g, &p, error);
}

/* --------------------------------------------------------------------------------- argsort */

/* Offsets of the parts of the scratch memory. 8-byte indices that fit in 4 bytes are sorted as 4-byte ones and
 * widened afterwards. */
typedef struct argsort_plan {
    sort_params j;
    bool widens;
    size_t cub_at, keys_at, indices_at, sorted_at;
    parts scratch;
} argsort_plan;

static weft_status plan_argsort(const gpu *g, const argsort_call *c, argsort_plan *p, weft_error *error) {
    const size_t wanted = cuda_type_bytes(c->index);
    memset(p, 0, sizeof *p);
    p->j = new_params(g, c->dtype, c->order, c->n);
    p->j.value_bytes = wanted == 4 ? wanted : index_bytes(c->n);
    p->widens = p->j.value_bytes != wanted;
    RETURN_IF_ERROR(run(&p->j, c->dtype, error));
    p->cub_at = reserve(&p->scratch, p->j.scratch_bytes);
    p->keys_at = reserve(&p->scratch, c->n * cuda_type_bytes(c->dtype));
    p->indices_at = reserve(&p->scratch, c->n * p->j.value_bytes);
    p->sorted_at = reserve(&p->scratch, p->widens ? c->n * p->j.value_bytes : 0);
    return WEFT_OK;
}

/* Sorts the indices 0, 1, 2, ... with the keys. */
static weft_status run_argsort(argsort_plan *p, weft_dtype dtype, const void *keys, void *indices, char *scratch,
                               weft_error *error) {
    sort_params *const j = &p->j;
    j->scratch = scratch + p->cub_at;
    j->keys[0] = (void *)keys;
    j->keys[1] = scratch + p->keys_at;
    j->values[0] = scratch + p->indices_at;
    j->values[1] = p->widens ? scratch + p->sorted_at : indices;
    RETURN_IF_ERROR(number(j->stream, j->values[0], j->value_bytes, j->n, error));
    RETURN_IF_ERROR(run(j, dtype, error));
    return p->widens ? widen(j->stream, j->values[1], indices, j->n, error) : WEFT_OK;
}

weft_status gpu_argsort_array(gpu *g, const argsort_call *c, void *scratch, size_t *bytes, weft_error *error) {
    argsort_plan p;
    RETURN_IF_ERROR(plan_argsort(g, c, &p, error));
    *bytes = p.scratch.used;
    return scratch ? run_argsort(&p, c->dtype, c->keys, c->indices, (char *)scratch, error) : WEFT_OK;
}

weft_status cuda_argsort(void *state, const argsort_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    argsort_plan p;
    void *base;
    RETURN_IF_ERROR(plan_argsort(g, c, &p, error));
    gpu_array arrays[] = {array_of("keys", c->keys, c->n * cuda_type_bytes(c->dtype), ARRAY_IN),
                          array_of("indices", c->indices, c->n * cuda_type_bytes(c->index), ARRAY_OUT)};
    RETURN_IF_ERROR(arrays_copy_in(g, "argsort", arrays, 2, p.scratch.used, &base, error));
    RETURN_IF_ERROR(run_argsort(&p, c->dtype, arrays[0].at, arrays[1].at, (char *)base, error));
    return arrays_copy_out(g, "argsort", arrays, 2, error);
}
