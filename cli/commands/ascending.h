/* Checks that arrays are sorted, as merge and search_sorted require. */
#ifndef WEFT_CLI_ASCENDING_H
#define WEFT_CLI_ASCENDING_H

#include "cli/io/npy.h"

/* Returns true if the array is sorted in the order of `weft sort` (ORDER.md): ascending, -0 before +0, NaNs last.
 * Otherwise prints the first element that is out of order and returns false. */
bool ascending_check(const char *command, const char *path, const npy_array *a);

#endif
