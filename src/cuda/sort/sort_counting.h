/* Sorts of integer keys of 8 and 16 bits without values, by counting (sort_counting.cu). */
#ifndef WEFT_CUDA_SORT_COUNTING_H
#define WEFT_CUDA_SORT_COUNTING_H

#include "cuda/runtime/gpu.h"

/* Returns true if the keys of a call are sorted by counting. */
bool cuda_sort_counts(const gpu *g, const sort_call *c);

/* Returns the bytes of scratch memory that this takes. */
size_t cuda_sort_counting_bytes(const gpu *g, const sort_call *c);

/* Sorts the keys of a call, which are at `from` in device memory, to `to`, which may be the same memory. Key k
 * precedes key l if k ^ xor_mask < l ^ xor_mask as unsigned numbers. */
weft_status cuda_sort_by_counting(const gpu *g, const sort_call *c, uint32_t xor_mask, const void *from, void *to,
                                  void *scratch, weft_error *error);

#endif
