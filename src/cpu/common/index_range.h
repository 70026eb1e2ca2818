/* Searches for indices that are out of range, and for equal ones. */
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

/* Two equal indices. */
typedef struct index_pair {
    size_t first, second; /* their numbers */
    uint64_t bits;
} index_pair;

/* Returns true if an index in range names the same slot as one before it, and sets *found to the first such index and
 * the one before it. An index names the slot with the number of its distance y plus the index. `map` has at least one
 * bit for each of `slots` slots, with any values. These are two regions of at most `threads` threads. */
bool cpu_find_equal_indices(int threads, const index_array *a, size_t slots, uint64_t *map, index_pair *found);

#endif
