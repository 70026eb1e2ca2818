/* Sorts of many keys of 4 and 8 bytes without values, by the most significant digit first (sort_buckets.cu). */
#ifndef WEFT_CUDA_SORT_BUCKETS_H
#define WEFT_CUDA_SORT_BUCKETS_H

#include "cuda/runtime/gpu.h"
#include "cuda/sort/sort_params.h"

/* Returns true if the keys of a call are sorted in this way. */
bool cuda_sort_has_buckets(const gpu *g, const sort_call *c);

/* Returns the bytes of scratch memory that this takes. */
size_t cuda_sort_buckets_bytes(const gpu *g, const sort_call *c);

/* Sorts the keys of a call, which are at `from` in device memory, to `to`, which may be the same memory. */
weft_status cuda_sort_by_buckets(const gpu *g, const sort_call *c, const weft_sort_rule *rule, const void *from,
                                 void *to, void *scratch, weft_error *error);

#endif
