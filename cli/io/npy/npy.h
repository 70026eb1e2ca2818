/* Reading arrays in NumPy's .npy format, versions 1 to 3, and writing them in version 1. */
#ifndef WEFT_CLI_NPY_H
#define WEFT_CLI_NPY_H

#include "weft.h"

#include <stdbool.h>

enum { NPY_RANK = 64 }; /* largest number of dimensions in NumPy */

typedef struct npy_shape {
    size_t rank, dimensions[NPY_RANK];
} npy_shape;

/* Text of a shape: "(3, 4)", "(3,)", with "..." in place of dimensions after the NPY_RANK-th. */
typedef struct npy_shape_text {
    char text[NPY_RANK * 22 + 8];
} npy_shape_text;
npy_shape_text npy_text_of_shape(const npy_shape *shape);

/* Sets *n to the number of elements. Returns false if a length multiplied by the ones before it exceeds SIZE_MAX. */
bool npy_count(const npy_shape *shape, size_t *n);

/* Extends *shape so that an array of the shape `added` can be broadcast to it. Returns false if that is impossible.
 */
bool npy_broadcast(npy_shape *shape, const npy_shape *added);

typedef struct npy_array {
    size_t n;         /* number of elements: the product of the shape, 1 for a scalar */
    const void *data; /* n elements in file order, in native byte order, aligned */
    void *mapped;     /* released by npy_free: a mapping, allocated memory, or NULL */
    size_t mapped_bytes;
    void *owned;
    npy_shape shape;  /* shape whose C order is that of the elements: flat for an array in Fortran order */
    npy_shape given;  /* shape stated in the file */
    weft_dtype dtype; /* bool is read as u8; for complex elements, the type of their parts */
    bool is_complex;
    bool flat;    /* `shape` differs from that of the file: Fortran order, or more than NPY_RANK dimensions */
    bool fortran; /* the first index runs fastest in the file */
} npy_array;

/* Sets *v to the elements of an array of at most WEFT_DIMENSIONS_MAX dimensions, with the shape of the file. */
void npy_view(const npy_array *a, weft_view *v);

typedef struct npy_error {
    char message[320];
} npy_error;

/* Reads the array in the file at `path`, or in standard input for "-". A file is mapped instead of read if its bytes
 * can be used in place. A shape is accepted only if the file has data for all of it. Returns false and writes a
 * sentence to `error` if there is no readable array; *a is then empty. */
bool npy_read(const char *path, npy_array *a, npy_error *error);
/* Reads an array like npy_read. Its elements may also be complex. */
bool npy_read_numbers(const char *path, npy_array *a, npy_error *error);

/* An array that is read in chunks; it is never in memory as a whole. */
typedef struct npy_stream {
    npy_array array; /* header data; has no elements */
    int descriptor;  /* file descriptor, positioned at the first element */
    bool swapped;    /* elements are not in native byte order */
    bool ordinary;   /* a regular file, which can be read again from offset `start` */
    long long start;
    const unsigned char
        *mapped; /* mapping of `mapped_bytes` bytes of a regular file; NULL if its elements cannot be used in place */
    size_t mapped_bytes;
} npy_stream;

/* Opens the array in the file at `path`, or in standard input for "-", and reads its header. Checks that a regular
 * file contains all elements. Returns false and writes a sentence to `error` on failure. */
bool npy_open(const char *path, npy_stream *s, npy_error *error);
void npy_close(npy_stream *s);
/* Reads all elements into memory, as npy_read does. Must be called before any element was read. npy_close must still
 * be called. */
bool npy_load(npy_stream *s, npy_array *a, npy_error *error);
/* Writes to `error` that only `bytes` bytes of the array are present. Returns false. */
bool npy_truncated(const npy_array *a, unsigned long long bytes, npy_error *error);

/* Writes an array to the file at `path`, or to standard output for "-". A file appears complete or not at all: the
 * array is written to a temporary file in its directory, flushed to disk, and renamed. What is not a regular file (a
 * pipe, a device) is written directly. Returns false and writes a sentence to `error` on failure. */
bool npy_write(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data, npy_error *error);
/* Writes an array like npy_write. With `is_complex`, its elements are complex, with parts of `dtype`. */
bool npy_write_numbers(const char *path, weft_dtype dtype, bool is_complex, const npy_shape *shape, const void *data,
                       npy_error *error);

/* Releases the resources of npy_read. A zero-initialized array is allowed. */
void npy_free(npy_array *a);

#endif
