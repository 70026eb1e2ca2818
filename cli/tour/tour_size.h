/* Size of the tour's arrays. */
#ifndef WEFT_CLI_TOUR_SIZE_H
#define WEFT_CLI_TOUR_SIZE_H

#include <stddef.h>

/* Returns the number of bytes of memory that this process can still use: the minimum of the system's available memory
 * and the limits of its control group and address space. */
double tour_free_memory(void);

/* Returns the number of elements for which the tour needs at most a quarter of `available` bytes: 1, 2 or 5 times a
 * power of ten, at most `most` and at least 1000. */
size_t tour_size(double available, size_t most);

#endif
