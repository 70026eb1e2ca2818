/* Reading arrays in NumPy's .npy format, versions 1 to 3. */
#ifndef WEFT_CLI_NPY_H
#define WEFT_CLI_NPY_H

#include "weft.h"

#include <stdbool.h>

typedef struct npy_array {
    weft_dtype dtype; /* bool is read as u8 */
    size_t n;         /* elements: the product of the shape, 1 for a scalar */
    const void *data; /* n elements in the order of the file, in this machine's byte order, aligned */
    void *mapped;     /* what npy_free releases: a mapping, or memory, or neither */
    size_t mapped_bytes;
    void *owned;
} npy_array;

typedef struct npy_error {
    char message[320];
} npy_error;

/* Reads the array in the file at `path`, or in standard input for "-". Files are mapped, not read, when
 * their bytes can be used as they lie; a shape is believed only as far as there is data for it.
 * Returns false and leaves a sentence in `error` when there is no readable array; *a is then empty. */
bool npy_read(const char *path, npy_array *a, npy_error *error);

/* Releases what npy_read took. An array of zeros is allowed. */
void npy_free(npy_array *a);

#endif
