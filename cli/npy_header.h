/* The header of a .npy file: the Python dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)}. */
#ifndef WEFT_CLI_NPY_HEADER_H
#define WEFT_CLI_NPY_HEADER_H

#include "cli/npy.h"

typedef struct npy_header {
    weft_dtype dtype;
    bool swapped; /* the file's byte order is not this machine's */
    size_t n;     /* product of the shape; n elements are known to fit in memory */
} npy_header;

/* Parses the `length` characters of the dictionary. Returns false and leaves a sentence in `error` for
 * anything that NumPy would not have written, and for element types that weft does not have. */
bool npy_parse_header(const char *text, size_t length, npy_header *header, npy_error *error);

/* Writes the sentence and returns false, so that a failure is one statement. */
__attribute__((format(printf, 2, 3))) bool npy_fail(npy_error *error, const char *format, ...);

#endif
