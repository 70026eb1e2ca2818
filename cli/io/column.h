/* Reads a column of a table in a text file (CSV as in RFC 4180, or TSV). The first line is the header. */
#ifndef WEFT_CLI_COLUMN_H
#define WEFT_CLI_COLUMN_H

#include "cli/io/input.h"
#include "cli/io/npy/npy.h"

/* Reads the column named by the settings into a flat array that owns its memory. Returns false and writes a sentence
 * with the line number to `error` if a field is not a value of the type. `path` is used in warnings only. */
bool column_read(const char *path, const unsigned char *text, size_t bytes, const input_settings *settings,
                 npy_array *a, npy_error *error);

#endif
