/* Checks of views, and their reduction to the dimensions that the backends loop over. */
#ifndef WEFT_CORE_VIEWS_H
#define WEFT_CORE_VIEWS_H

#include "core/check.h"
#include "core/view_dimensions.h"

/* Text of a shape or of strides for messages: "(3, 4)". */
typedef struct view_text {
    char text[WEFT_DIMENSIONS_MAX * 22 + 3];
} view_text;
view_text view_shape_text(size_t dimensions, const size_t *shape);

/* Checks all members of a view. Fills *r with the memory that its elements span, which is empty if it has none. */
weft_status check_view(const weft_context *ctx, const char *name, const weft_view *v, range *r, weft_error *error);

/* check_view for an output: also fails if two of its elements could have the same address (weft_view). */
weft_status check_output_view(const weft_context *ctx, const char *name, const weft_view *v, range *r,
                              weft_error *error);

/* Returns the number of elements of a view that has been checked. */
size_t view_elements(const weft_view *v);

/* Checks `count` axes of a view and writes them as `count` numbers from 0 to v->dimensions - 1. */
weft_status check_axes(const weft_view *v, size_t count, const int *axes, size_t *numbers, weft_error *error);

/* check_axes that also sets reduced[k] to whether axis number k is one of them. */
weft_status check_reduced_axes(const weft_view *v, size_t count, const int *axes, size_t *numbers,
                               bool reduced[WEFT_DIMENSIONS_MAX], weft_error *error);

/* Fails unless a view has the element type `dtype`. */
weft_status check_view_type(const char *name, const weft_view *v, weft_dtype dtype, weft_error *error);

/* Fails unless the last axis of an array of complex numbers contains the two parts. */
weft_status check_view_parts(const char *name, const weft_view *v, weft_error *error);

/* Returns the view of the real parts, part 0, or of the imaginary parts, part 1, of complex numbers. */
weft_view view_part(const weft_view *v, size_t part);

/* Fails unless x and y have the same shape. */
weft_status check_view_shape(const char *name, const weft_view *y, const weft_view *x, weft_error *error);

/* Fails unless y has the shape of x with length n along axis number `along`. */
weft_status check_view_length(const char *name, const weft_view *y, const weft_view *x, size_t along, size_t n,
                              weft_error *error);

/* Writes the strides of x, broadcast to the shape of y, along the first `axes` axes of y. The lengths of the other
 * axes are not compared. */
weft_status view_broadcast(const char *name_x, const weft_view *x, const char *name_y, const weft_view *y,
                           size_t axes, ptrdiff_t *strides, weft_error *error);

/* Sets *both_x and *both_y to x and y, broadcast to one shape. */
weft_status view_broadcast_both(const weft_view *x, const weft_view *y, weft_view *both_x, weft_view *both_y,
                                weft_error *error);

/* The arguments of a reduction along axes but its arrays. */
typedef struct view_reduction {
    weft_op op;
    weft_dtype accumulate;
    size_t count;
    const int *axes;
} view_reduction;

/* Checks the arguments of weft_reduce_axes except the memory of x, of which only the shape and the type are used.
 * Fills *to with the memory of out. */
weft_status check_view_reduction(const weft_context *ctx, const view_reduction *v, const weft_view *x,
                                 const weft_view *out, range *to, weft_error *error);
/* Computes a reduction that has been checked. */
weft_status run_view_reduction(weft_context *ctx, const view_reduction *v, const weft_view *x, const weft_view *out,
                               weft_error *error);

/* Copies x to y, of the same type and shape. Both have been checked and have elements. */
weft_status view_copy(weft_context *ctx, const weft_view *x, const weft_view *y, weft_error *error);

/* Returns true if two views have the same members, except the buffer. */
bool view_equal(const weft_view *x, const weft_view *y);

/* The vectors along one axis of x, which is read, and of y, which is written. Only along the axis, the length of y
 * may be another one than that of x. */
typedef struct view_vectors {
    size_t vectors, outer_count;
    view_dimension inner;
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* sorted by y, the largest first, and y > 0 */
    const void *x;
    void *y;
} view_vectors;

/* Returns the vectors along axis number `along` of views that have been checked and have elements. */
view_vectors view_vectors_of(const weft_view *x, size_t along, const weft_view *y);

/* Returns the call that reduces an array of n elements, without its operator. */
reduce_axes_call view_reduction_of(weft_dtype dtype, weft_dtype result, size_t n, const void *x, void *out);

/* Sorts and merges the dimensions of several arrays. Each of the `count` dimensions is a struct of `bytes` bytes
 * that begins with its length n, a size_t, and the distances of the arrays, `arrays` numbers of type ptrdiff_t.
 * Removes dimensions of length 1, makes distance number `key` of the others positive or 0, sorts by it, the largest
 * first, and merges each dimension with the next one if both are one in memory in all arrays. Writes to moved[a] by
 * how much the first element of array a moves. Returns the number of dimensions that are left. */
size_t view_sort_dimensions(size_t count, void *dimensions, size_t bytes, size_t arrays, size_t key,
                            ptrdiff_t *moved);
/* Returns the call that computes the dot product of arrays of n elements. */
reduce_axes_call view_dot_of(weft_dtype dtype, weft_dtype result, size_t n, const void *x, const void *y, void *out);

/* view_merge for dimensions whose order does not matter: first makes each y of more than one element
 * positive, for which it moves *x and *y to the other end of the dimension, and sorts the dimensions by y, the
 * largest first. */
size_t view_sort_and_merge(size_t count, view_dimension *d, const void **x, void **y);
/* Sorts and merges the first `count` dimensions of a copy. Pairs of elements that are adjacent in both arrays, such
 * as the parts of complex numbers, become one element. */
void view_order_copy(copy_view_call *c, size_t count);
/* view_sort_and_merge for dimensions that have distances `factor` in one more array that is read, whose first element
 * is at *factor_at. */
size_t view_sort_and_merge_with(size_t count, view_dimension *d, ptrdiff_t *factor, const void **x,
                                const void **factor_at, void **y);

#endif
