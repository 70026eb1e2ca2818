/* Files that are not .npy: which format they are of, and what to do. */
#ifndef WEFT_CLI_FOREIGN_H
#define WEFT_CLI_FOREIGN_H

#include "cli/io/npy.h"

/* Leaves a sentence about a file that begins with these bytes, which are not those of a .npy file; false. */
bool foreign_fail(const unsigned char *p, size_t bytes, npy_error *error);

#endif
