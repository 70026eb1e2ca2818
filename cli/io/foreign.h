/* Recognizes input files that are not .npy and suggests how to convert them. */
#ifndef WEFT_CLI_FOREIGN_H
#define WEFT_CLI_FOREIGN_H

#include "cli/io/npy/npy.h"

/* Writes a sentence to `error` about a file that begins with these bytes, which must not be those of a .npy file.
 * Returns false. */
bool foreign_fail(const unsigned char *p, size_t bytes, npy_error *error);

#endif
