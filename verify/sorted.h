/* Test inputs in ascending order: by value, -0 before +0, NaN behind all. */
#ifndef WEFT_TESTS_SORTED_H
#define WEFT_TESTS_SORTED_H

#include "verify/match.h"

/* Unsigned keys whose order is that of the elements; all NaN have the greatest. */
uint64_t sorted_key(weft_dtype dtype, const void *x, size_t i);

/* Sorts n elements; NaN with the same place among them by their bits. False without memory. */
bool sorted_sort(weft_dtype dtype, size_t n, void *x);

/* The first `count` elements of input number `stream` of a case, sorted. Valid until the next call for the stream;
 * NULL without memory. */
const void *sorted_input(const match_case *c, int stream, size_t count);
/* The same memory in each call of a thread, zeros at first; `bytes` must be the same too. NULL without memory. */
void *sorted_scratch(size_t bytes);
/* Frees what this thread keeps of both. */
void sorted_release(void);

#endif
