/* Reading arrays in NumPy's .npy format, versions 1 to 3, and writing them in version 1. */
#ifndef WEFT_CLI_NPY_H
#define WEFT_CLI_NPY_H

#include "weft.h"

#include <stdbool.h>

enum { NPY_RANK = 64 }; /* the most dimensions that NumPy has */

typedef struct npy_shape {
    size_t rank, dimensions[NPY_RANK];
} npy_shape;

typedef struct npy_array {
    size_t n;         /* elements: the product of the shape, 1 for a scalar */
    const void *data; /* n elements in the order of the file, in this machine's byte order, aligned */
    void *mapped;     /* what npy_free releases: a mapping, or memory, or neither */
    size_t mapped_bytes;
    void *owned;
    npy_shape shape;  /* in which the elements lie in C order: flat for an array that is in Fortran order */
    npy_shape given;  /* as the file says */
    weft_dtype dtype; /* bool is read as u8; of complex elements: the type of their parts */
    bool is_complex;
    bool flat;    /* the shape is not that of the file: Fortran order, or more dimensions than NPY_RANK */
    bool fortran; /* in the file the first index runs fastest */
} npy_array;

typedef struct npy_error {
    char message[320];
} npy_error;

/* Reads the array in the file at `path`, or in standard input for "-". Files are mapped, not read, when
 * their bytes can be used as they lie; a shape is believed only as far as there is data for it.
 * Returns false and leaves a sentence in `error` when there is no readable array; *a is then empty. */
bool npy_read(const char *path, npy_array *a, npy_error *error);
/* The same, and elements may be complex. */
bool npy_read_numbers(const char *path, npy_array *a, npy_error *error);

/* An array that is read as it comes: nothing of it is in memory. */
typedef struct npy_stream {
    npy_array array; /* without elements */
    int descriptor;  /* at the first element */
    bool swapped;    /* elements are not in this machine's byte order */
    bool ordinary;   /* a file, which can be read again from `start` on */
    long long start;
    const unsigned char
        *mapped; /* such a file's `mapped_bytes` bytes; NULL where the elements cannot be used there */
    size_t mapped_bytes;
} npy_stream;

/* Opens the array in the file at `path`, or in standard input for "-", and reads its header; an ordinary file has all
 * its elements. False and a sentence as for npy_read. */
bool npy_open(const char *path, npy_stream *s, npy_error *error);
void npy_close(npy_stream *s);
/* All its elements after all, as npy_read gives them. Before any of them was read; npy_close is due still. */
bool npy_load(npy_stream *s, npy_array *a, npy_error *error);
/* The sentence for an array of which only `bytes` bytes are there; false. */
bool npy_truncated(const npy_array *a, unsigned long long bytes, npy_error *error);
/* Turns the bytes of each of n elements of `size` bytes around. */
void npy_swap(void *p, size_t n, size_t size);

/* Writes an array to the file at `path`, or to standard output for "-". A file is there in whole or not at
 * all: the array is written beside it, brought to the disk, and renamed to it; what is no ordinary file (a
 * pipe, a device) is written to. Returns false and leaves a sentence in `error` when it could not be. */
bool npy_write(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data, npy_error *error);
/* The same of elements that may be complex, with parts of `dtype`. */
bool npy_write_numbers(const char *path, weft_dtype dtype, bool is_complex, const npy_shape *shape, const void *data,
                       npy_error *error);

/* Releases what npy_read took. An array of zeros is allowed. */
void npy_free(npy_array *a);

#endif
