/* Memory that detects accesses out of bounds: arrays between unreadable pages, and outputs between fences. */
#ifndef WEFT_TESTS_MEMORY_H
#define WEFT_TESTS_MEMORY_H

#include "verify/match.h"

typedef struct memory_array {
    unsigned char *map, *begin, *end; /* [begin, end) is readable; the pages before and after it are not */
    size_t map_bytes;
} memory_array;

/* Maps memory for `bytes` bytes and for the elements that an offset skips. */
bool memory_map(memory_array *a, size_t bytes);
void memory_unmap(memory_array *a);
/* Returns the address of n elements. At most 1024 bytes on either side are filled with ones, which are NaN. */
void *memory_at(memory_array *a, match_offset offset, size_t n, size_t element_bytes);

/* An output between fences. A zero-initialized one is empty. It grows as required and is freed by memory_drop. */
typedef struct memory_out {
    unsigned char *bytes; /* output and fences, from a 64-byte boundary */
    size_t count, capacity;
    size_t at; /* offset of the output */
} memory_out;

/* Allocates memory for the output of a case and fills all of it with poison. Arrays begin one to three elements
 * after a 64-byte boundary, except in one case of four. Returns the address of the output, or NULL without
 * memory. */
void *memory_poison(memory_out *o, const match_case *c);
void memory_drop(memory_out *o);
/* Returns the address of the output. */
static inline unsigned char *memory_output(const memory_out *o) { return o->bytes + o->at; }
/* Returns true if all bytes except the first `written` bytes of the output are still poison. */
bool memory_intact(const memory_out *o, size_t written);

#endif
