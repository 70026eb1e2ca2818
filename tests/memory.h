/* Memory that tells on whoever reads or writes beside what it was given: arrays between unreadable
 * pages, and outputs between fences. */
#ifndef WEFT_TESTS_MEMORY_H
#define WEFT_TESTS_MEMORY_H

#include "tests/match.h"

typedef struct memory_array {
    unsigned char *map, *begin, *end; /* [begin, end) can be read; a page on either side cannot */
    size_t map_bytes;
} memory_array;

/* Room for `bytes` and for the elements that a place skips. */
bool memory_map(memory_array *a, size_t bytes);
void memory_unmap(memory_array *a);
/* Where n elements go. What lies around them is filled with ones, which are NaN. */
void *memory_place(memory_array *a, match_place place, size_t n, size_t element_bytes);

enum { MEMORY_FENCE = 64, MEMORY_OUT = 64 };

/* An output of up to MEMORY_OUT bytes with fences round it. */
typedef struct memory_out {
    _Alignas(64) unsigned char bytes[MEMORY_FENCE + MEMORY_OUT + MEMORY_FENCE];
} memory_out;

/* Fills all of it with poison; the output's place. */
void *memory_poison(memory_out *o);
/* Whether everything but the first `written` bytes of the output still is poison. */
bool memory_intact(const memory_out *o, size_t written);

#endif
