/* Lists of the candidates for the first k elements of an array, for weft_top_k and weft_top_k_axis. */
#ifndef WEFT_CPU_TOP_K_LIST_H
#define WEFT_CPU_TOP_K_LIST_H

#include "cpu/runtime/cpu.h"

typedef struct top_k_params {
    filter *filter;
    key_bound *bound;
    size_t size, k;    /* bytes of an element; k >= 1 */
    uint64_t xor_mask; /* inverts the bits of keys for the smallest elements */
    size_t capacity;   /* candidates of a list */
} top_k_params;

/* Returns the parameters for lists of the first k of at most `most` elements. */
top_k_params cpu_top_k_params(const cpu_context *ctx, weft_dtype dtype, weft_extreme extreme, size_t k, size_t most);

/* Lists candidates for the first k of elements `first` to end - 1 of x, in their order. Returns their number: at
 * least k, if there are so many elements. Returns early if the call is cancelled. */
size_t cpu_top_k_list(const top_k_params *p, const void *x, size_t first, size_t end, candidate *list);

/* Returns the first k of `count` candidates, sorted, in list or in `other`, which has k entries. */
candidate *cpu_top_k_first(const top_k_params *p, candidate *list, candidate *other, size_t count);

/* Stores the elements of x that candidates name, and their indices unless `indices` is NULL. */
void cpu_top_k_store(const top_k_params *p, const void *x, const candidate *list, void *values, uint64_t *indices);

/* weft_top_k in a workspace of cpu_top_k_bytes bytes, or SIZE_MAX if that is too much. */
size_t cpu_top_k_bytes(const cpu_context *ctx, int threads, const top_k_call *c);
void cpu_top_k_run(const cpu_context *ctx, int threads, const top_k_call *c, void *workspace);

#endif
