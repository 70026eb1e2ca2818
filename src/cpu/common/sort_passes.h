/* Multithreaded sorting: LSD radix sort (sort_passes.c), and vectorized samplesort of keys without values
 * (sort_buckets.c). */
#ifndef WEFT_CPU_SORT_PASSES_H
#define WEFT_CPU_SORT_PASSES_H

#include "core/types.h"
#include "cpu/runtime/parallel.h"

/* Arrays of the keys or of the values: every pass moves them from one array to another. */
typedef struct sort_lane {
    size_t bytes;     /* bytes of an element; 0: there are none */
    const void *from; /* NULL: the values are the indices of the keys */
    void *to;         /* == from, or does not overlap it */
    void *spare;      /* workspace for all elements */
} sort_lane;

typedef struct sort_params {
    const sort_kernel *kernel;
    const sort_vector_kernel *vectors; /* NULL: no vectorized kernel for these keys */
    weft_sort_rule rule;
    uint64_t window; /* bits of the codes to sort by */
    size_t n;
    sort_lane keys, values;
    bool only_values; /* argsort: the sorted keys are not an output, and keys.to is workspace */
    size_t chunks;    /* number of parts of the keys, one per thread */
    uint64_t *all, *any;
    size_t *next;         /* next output index of each bucket: SORT_BUCKETS_MAX per chunk */
    unsigned char *lines; /* write-combining buffers, 2 * SORT_LINES_BYTES per chunk; NULL: write directly */
} sort_params;

/* Rounds a number of bytes up to whole cache lines. */
static inline size_t in_lines(size_t bytes) { return round_up(bytes, SORT_LINE_BYTES); }

void cpu_sort_passes(sort_params *params);

/* Sorts with params->vectors, which must not be NULL, in a workspace of cpu_sort_buckets_bytes bytes. */
size_t cpu_sort_buckets_bytes(const sort_params *params);
void cpu_sort_buckets(sort_params *params, void *workspace);

/* Return the parameters of a sort and of an argsort on at most `threads` threads. The arrays of the call may be set
 * later, also repeatedly: keys.from, keys.to and values.to. */
sort_params cpu_sort_params(const cpu_context *ctx, int threads, const sort_call *c);
sort_params cpu_argsort_params(const cpu_context *ctx, int threads, const argsort_call *c);

/* Returns the bytes of the workspace of a sort, which is aligned to CPU_ALIGNMENT. 0 for few keys. */
size_t cpu_sort_bytes(const sort_params *params);
/* Sorts in a workspace of cpu_sort_bytes bytes. */
void cpu_sort_run(sort_params *params, void *workspace);

#endif
