/* A column of a table in a text file (CSV as in RFC 4180, or TSV), whose first line is its header. */
#ifndef WEFT_CLI_COLUMN_H
#define WEFT_CLI_COLUMN_H

#include "cli/io/input.h"
#include "cli/io/npy.h"

/* Reads the column that the settings name, as a flat array in memory that it owns. Returns false and leaves a
 * sentence in `error`, with the number of the line, when a field is not a value of the type. `path` is for warnings.
 */
bool column_read(const char *path, const unsigned char *text, size_t bytes, const input_settings *settings,
                 npy_array *a, npy_error *error);

#endif
