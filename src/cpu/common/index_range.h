/* Search for indices that are out of range. */
#ifndef WEFT_CPU_INDEX_RANGE_H
#define WEFT_CPU_INDEX_RANGE_H

#include "cpu/runtime/cpu.h"

/* Indices of `bytes` bytes, 4 or 8, from `first` on. They are in range if they are less than `end`, which is that of
 * indices_end, when they are read as unsigned numbers. */
typedef struct index_array {
    size_t bytes;
    uint64_t end;
    size_t count; /* dimensions with distances x, of which the last one varies fastest */
    const view_dimension *dimensions;
    const void *first;
} index_array;

/* Returns the number of the first index out of range, or SIZE_MAX if there is none. Sets *bits to the index. This is
 * one region (cpu_plan_regions) of at most `threads` threads. */
size_t cpu_find_bad_index(int threads, const index_array *a, uint64_t *bits);

#endif
