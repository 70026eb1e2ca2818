/* Memory that tells on whoever reads or writes beside what it was given: arrays between unreadable
 * pages, and outputs between fences. */
#ifndef WEFT_TESTS_MEMORY_H
#define WEFT_TESTS_MEMORY_H

#include "verify/match.h"

typedef struct memory_array {
    unsigned char *map, *begin, *end; /* [begin, end) can be read; a page on either side cannot */
    size_t map_bytes;
} memory_array;

/* Room for `bytes` and for the elements that a place skips. */
bool memory_map(memory_array *a, size_t bytes);
void memory_unmap(memory_array *a);
/* Where n elements go. What lies around them is filled with ones, which are NaN. */
void *memory_place(memory_array *a, match_place place, size_t n, size_t element_bytes);

/* An output with fences round it. One of zeros is empty; it grows as needed and memory_drop frees it. */
typedef struct memory_out {
    unsigned char *bytes; /* all of it, from a 64-byte boundary */
    size_t count, capacity;
    size_t at; /* the output's place in it */
} memory_out;

/* Makes room for the output of a case and fills all of it with poison. Arrays begin an element or more
 * behind a 64-byte boundary, but for a case in four. Returns the output's place, or NULL without memory. */
void *memory_poison(memory_out *o, const match_case *c);
void memory_drop(memory_out *o);
/* The output's place. */
static inline unsigned char *memory_output(const memory_out *o) { return o->bytes + o->at; }
/* Whether everything but the first `written` bytes of the output still is poison. */
bool memory_intact(const memory_out *o, size_t written);

#endif
