/* Sorting by several threads: a radix sort from the least significant digit on (sort_passes.c), and of keys alone in
 * buckets, by vectors (sort_buckets.c). */
#ifndef WEFT_CPU_SORT_PASSES_H
#define WEFT_CPU_SORT_PASSES_H

#include "cpu/parallel.h"

/* The keys, or their values, on their way: every pass moves them from one array to another. */
typedef struct sort_lane {
    size_t bytes;     /* of one; 0: there are none */
    const void *from; /* NULL: the keys' indices */
    void *to;         /* == from, or apart from it */
    void *spare;      /* scratch memory for all of them */
} sort_lane;

typedef struct sort_job {
    const sort_kernel *kernel;
    const sort_vector_kernel *vectors; /* NULL: none can sort these */
    weft_sort_rule rule;
    uint64_t window; /* the bits of the codes that count */
    size_t n;
    sort_lane keys, values;
    bool only_values; /* keys.to is scratch memory too: nobody asks for it */
    size_t chunks;    /* parts of the keys, each for one thread */
    uint64_t *all, *any;
    size_t *next;         /* places of chunks' buckets: SORT_BUCKETS_MAX a chunk */
    unsigned char *lines; /* 2 * SORT_LINES_BYTES a chunk, when keys go past the caches; else NULL */
} sort_job;

/* Bytes of scratch memory, whole lines. */
static inline size_t in_lines(size_t bytes) {
    return (bytes + SORT_LINE_BYTES - 1) / SORT_LINE_BYTES * SORT_LINE_BYTES;
}

void cpu_sort_passes(sort_job *job);

/* With job->vectors; it lays its own memory out. */
weft_status cpu_sort_buckets(cpu_context *ctx, sort_job *job, weft_error *error);

#endif
