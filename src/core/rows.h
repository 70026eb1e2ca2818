/* Operations along one axis of views, computed by kernels that process rows: vectors without gaps, one after another.
 * Vectors that are not rows are copied to scratch memory of the context, a block of them at a time. */
#ifndef WEFT_CORE_ROWS_H
#define WEFT_CORE_ROWS_H

#include "core/views.h"

enum { ROW_ARRAYS = 4 };

/* The vectors of an array: their elements, which are one row in memory if element k is at k * element bytes. */
typedef struct row_array {
    char *p;
    size_t element; /* bytes: 1, 2, 4 or 8 */
    size_t n;       /* elements of a vector */
    ptrdiff_t stride;
    size_t parts; /* 1; or 2 for complex numbers, an element of which is a real or an imaginary part */
    ptrdiff_t part;
} row_array;

/* A dimension of the set of vectors: the distances in bytes of adjacent ones in each array. */
typedef struct row_dimension {
    size_t n;
    ptrdiff_t of[ROW_ARRAYS];
} row_dimension;

/* The vectors of all arrays of a call. The last array is written, the others are read. */
typedef struct row_set {
    size_t arrays;
    row_array array[ROW_ARRAYS];
    size_t count;
    row_dimension outer[WEFT_DIMENSIONS_MAX];
    bool in_place; /* the operation can write its rows over those of array 0 */
} row_set;

/* Returns the vectors along an axis of v. The parts of complex numbers are its last axis. */
row_array row_vectors(const weft_view *v, size_t axis, bool is_complex);

/* Sets *row to a row that contains the first vector of an array: its copy in scratch memory SCRATCH_ARRAY, or the
 * vector itself if it is a row. */
weft_status row_of_vector(weft_context *ctx, const row_array *a, const void **row, weft_error *error);

/* Computes `rows` rows of a call. row[a]: the first row of array a. */
typedef weft_status rows_step(weft_context *ctx, const void *call, size_t rows, char *const *row, weft_error *error);

/* Calls `step` for all vectors. The distances of `outer` in the array that is written must not be 0 for a length of 2
 * or more. No length may be 0. */
weft_status rows_run(weft_context *ctx, row_set *set, rows_step *step, const void *call, weft_error *error);

#endif
