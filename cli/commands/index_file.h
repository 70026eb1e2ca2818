/* The file of indices that scatter_reduce, gather and scatter read. */
#ifndef WEFT_CLI_INDEX_FILE_H
#define WEFT_CLI_INDEX_FILE_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"

#include <stdint.h>

typedef struct index_file {
    const char *name;
    npy_array array;
    int64_t *wide; /* copy of the indices as i64, if the file has a type of less than four bytes */
    weft_dtype dtype;
    const void *data; /* array.n indices of type dtype */
} index_file;

/* Reads the file at f->name. Prints the error and returns false on failure. index_file_free must be called in any
 * case. */
bool index_file_read(const char *command, index_file *f);
/* The same for an array that was read to f->array. The data of an array of four or eight bytes may be missing. */
bool index_file_use(const char *command, index_file *f);
void index_file_free(index_file *f);

/* Returns true if there is one index for each of the `rows` rows of the file `x`. Prints the error otherwise. */
bool index_file_fits(const char *command, const index_file *f, const char *x, size_t rows);

/* Returns true if the rows of an array are one after the other in the file. Prints the error otherwise. */
bool index_file_has_rows(const char *command, const char *name, const npy_array *a);

/* Reads an array of values for the command. Prints the error and returns false on failure. */
bool index_file_read_array(const char *command, const char *name, npy_array *a);

#endif
