/* Views of random shapes and strides, for the cases of operations on views. */
#ifndef WEFT_VERIFY_RANDOM_VIEWS_H
#define WEFT_VERIFY_RANDOM_VIEWS_H

#include "verify/match.h"

/* Returns random number `what` of a case. */
uint64_t view_draw(const match_case *c, uint64_t what);

/* Sets *v to a view whose elements are inside an array of c->n elements of c->dtype: one to five dimensions, axes in
 * any order in memory, strides of both signs and with gaps, sometimes a stride of 0. `data` is the offset of element
 * (0, ..., 0) in bytes. If c->n is 0, the view has no elements. */
void view_of_input(const match_case *c, bool distinct, weft_view *v);

/* Sets the strides of a view whose type and shape are in *v, and its `data`: axes in a random order from the smallest
 * stride to the largest. The draws are number `first` and those after it. Returns the number of elements that the
 * view spans. */
size_t view_lay_out(const match_case *c, uint64_t first, bool gaps, weft_view *v);

/* Sets the strides of an output whose type and shape are in *v, and its `data`, to an offset as above. The output has
 * no gaps if c->n is 0. Returns the number of elements from the first to the last byte of the output. */
size_t view_of_output(const match_case *c, weft_view *v);

/* Sets the strides and `data` of an input whose type and shape are in *v, as view_of_output does. */
size_t view_of_index(const match_case *c, weft_view *v);

/* Sets the strides and `data` of a second operand whose type and shape, of at most c->n elements, are in *v: inside
 * an array of c->n elements. */
void view_of_factor(const match_case *c, weft_view *v);

/* Adds an axis to *all, which has the shape of x, and shortens an axis of x to 1: x is broadcast to *all. */
void view_repeat(const match_case *c, weft_view *x, weft_view *all);

/* Sets *y to a view, inside an array of c->n elements of c->dtype, that can be broadcast to *shape, without its first
 * `missing` axes. The draws are number `first` and those after it. */
void view_of_operand(const match_case *c, uint64_t first, size_t missing, const weft_view *shape, weft_view *y);

/* Makes each element of a view, which spans `span` elements, a complex number: adds an axis of the two parts, which
 * are adjacent or in two arrays. The view then spans 2 span elements. */
void view_add_parts(const match_case *c, uint64_t what, size_t span, weft_view *v);

/* Chooses axes in random order, one in four as a negative number. Returns their number, which may be 0. */
size_t view_axes(const match_case *c, size_t dimensions, int *axes);

/* Fills the output with an input of this kind, and returns the status of the copy. */
weft_status view_fill_output(const match_case *c, weft_context *ctx, input_kind kind, weft_dtype dtype, size_t values,
                             void *out);

/* Fills the output with a pattern, which must remain between its elements, and returns the status of the copy. */
weft_status view_prepare_output(const match_case *c, weft_context *ctx, weft_dtype dtype, size_t values, void *out);

/* Returns *v with the address `base` added to `data`. */
weft_view view_at(const weft_view *v, const void *base);

/* Writes the shape and the strides of a view to text. */
void view_tell(const weft_view *v, const char *name, char text[50]);

#endif
