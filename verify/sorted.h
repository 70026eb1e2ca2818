/* Test inputs in ascending order: by value, with -0 before +0 and NaN after all numbers. */
#ifndef WEFT_TESTS_SORTED_H
#define WEFT_TESTS_SORTED_H

#include "verify/match.h"

/* Returns the unsigned key of element i. The order of keys is that of the elements; all NaN have the greatest
 * key. */
uint64_t sorted_key(weft_dtype dtype, const void *x, size_t i);

/* Sorts n elements. NaNs, whose keys are equal, are sorted by their bits. Returns false without memory. */
bool sorted_sort(weft_dtype dtype, size_t n, void *x);

/* Returns the first `count` elements of input number `stream` of a case, sorted, or NULL without memory. Valid until
 * the next call for the stream. */
const void *sorted_input(const match_case *c, int stream, size_t count);
/* Returns one memory block per thread, initialized with zeros, or NULL without memory. All calls of a thread must
 * pass equal `bytes`. */
void *sorted_scratch(size_t bytes);
/* Frees all memory that this thread holds for sorted_input and sorted_scratch. */
void sorted_release(void);

#endif
