/* The header of a .npy file: magic, version, length and the Python dictionary {'descr': '<f4', 'fortran_order':
 * False, 'shape': (3, 4)}. */
#ifndef WEFT_CLI_NPY_HEADER_H
#define WEFT_CLI_NPY_HEADER_H

#include "cli/io/npy/npy.h"

#define NPY_MAGIC "\x93NUMPY"
enum { NPY_MAGIC_BYTES = 6 };

/* Letter of the native byte order in `descr`. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NPY_NATIVE '<'
#else
#define NPY_NATIVE '>'
#endif

typedef struct npy_header {
    weft_dtype dtype; /* for complex elements, the type of their parts */
    bool is_complex;
    char descr[8]; /* type of complex and 16-bit elements as written in the file */
    bool swapped;  /* the file is not in native byte order */
    size_t n;      /* product of the shape; n elements are guaranteed to fit in the address space */
    npy_shape shape;
    bool fortran; /* the first index runs fastest */
} npy_header;

/* Parses the `length` characters of the dictionary. Returns false and writes a sentence to `error` for anything that
 * NumPy would not have written, and for element types that weft does not support. */
bool npy_parse_header(const char *text, size_t length, npy_header *header, npy_error *error);

/* Writes the header of a little-endian array as NumPy writes it, from the magic on. Returns its size in bytes, a
 * multiple of 64.
 */
enum { NPY_HEADER_CAPACITY = 2048 };
size_t npy_format_header(weft_dtype dtype, bool is_complex, const npy_shape *shape,
                         unsigned char header[NPY_HEADER_CAPACITY]);

/* Writes the sentence to `error` and returns false, so that a failure is one statement. */
__attribute__((format(printf, 2, 3))) bool npy_fail(npy_error *error, const char *format, ...);

#endif
