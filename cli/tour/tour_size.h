/* How large the tour's arrays are. */
#ifndef WEFT_CLI_TOUR_SIZE_H
#define WEFT_CLI_TOUR_SIZE_H

#include <stddef.h>

/* Bytes of memory that are free for this process: what the system has available, and what the limits of its control
 * group and of its address space leave. */
double tour_free_memory(void);

/* The number of elements, 1, 2 or 5 times a power of ten, at most `most` and at least 1000, with which the tour takes
 * no more than a quarter of `available` bytes. */
size_t tour_size(double available, size_t most);

#endif
