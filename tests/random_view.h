/* Views of random shapes and strides, and copies of their elements, for test programs. */
#ifndef WEFT_TESTS_RANDOM_VIEW_H
#define WEFT_TESTS_RANDOM_VIEW_H

#include "tests/expect.h"

static uint64_t draw_state; /* seed of `draw` */

/* Returns a random number less than n. */
static inline size_t draw(size_t n) {
    draw_state = draw_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(draw_state >> 33) % n;
}

/* Returns the number of elements of a view. */
static inline size_t elements_of(const weft_view *v) {
    size_t n = 1;
    for (size_t k = 0; k < v->dimensions; k++) n *= v->shape[k];
    return n;
}

/* Sets random strides: the axes in any order in memory, with gaps and of both signs. The memory has `most` elements.
 */
static inline void lay_out(weft_view *v, char *memory, size_t most) {
    const size_t size = weft_dtype_size(v->dtype), n = v->dimensions, first = n ? draw(n) : 0, step = draw(2) ? 1 : n;
    size_t reach = 1, before = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t axis = (first + k * (step == 1 ? 1 : n - 1)) % n, stride = reach + (draw(4) ? 0 : draw(3));
        const size_t span = v->shape[axis] ? (v->shape[axis] - 1) * stride : 0;
        const bool reversed = draw(4) == 0;
        v->stride[axis] = (ptrdiff_t)(stride * size) * (reversed ? -1 : 1);
        if (reversed) before += span;
        reach += span;
    }
    EXPECT(reach <= most, "the array is too long: %zu elements", reach);
    v->data = memory + before * size;
}

/* Lays out a view of numbers in memory of `most` elements, and adds the axis of their parts if they are complex. */
static inline weft_view numbers_in(weft_view v, bool is_complex, char *memory, size_t most) {
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(v.dtype);
    if (!is_complex) {
        lay_out(&v, memory, most);
        return v;
    }
    const bool adjacent = draw(4) > 0;
    if (!adjacent) v.shape[v.dimensions++] = 2;
    lay_out(&v, memory, adjacent ? most / 2 : most);
    if (!adjacent) return v;
    v.data = memory + 2 * ((char *)v.data - memory);
    for (size_t k = 0; k < v.dimensions; k++) v.stride[k] *= 2;
    v.shape[v.dimensions] = 2;
    v.stride[v.dimensions++] = size;
    return v;
}

/* Returns a view that can be broadcast to `out`: some axes have length 1 or are missing. */
static inline weft_view factor_of(const weft_view *out, weft_dtype dtype, char *memory, size_t most) {
    weft_view v = {.size = sizeof v, .dtype = dtype};
    const size_t missing = draw(3) ? 0 : draw(out->dimensions + 1);
    for (size_t k = missing; k < out->dimensions; k++) v.shape[v.dimensions++] = draw(3) ? out->shape[k] : 1;
    lay_out(&v, memory, most);
    return v;
}

/* Copies a view that is broadcast to the shape of `out` to an array without gaps. */
static inline void gather(const weft_view *v, const weft_view *out, char *to) {
    const size_t size = weft_dtype_size(v->dtype), missing = out->dimensions - v->dimensions, n = elements_of(out);
    for (size_t i = 0; i < n; i++) {
        const char *from = v->data;
        size_t rest = i;
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a shape with a length of 0 has no element i */
        for (size_t k = out->dimensions; k-- > 0; rest /= out->shape[k])
            if (k >= missing && v->shape[k - missing] > 1)
                from += (ptrdiff_t)(rest % out->shape[k]) * v->stride[k - missing];
        memcpy(to + i * size, from, size);
    }
}

/* An array without gaps, whose elements along an axis are at i * stride. */
typedef struct line {
    size_t first, n, stride;
} line;

/* Returns line number `number` along an axis of a shape. */
static inline line line_of(const weft_view *v, size_t dimensions, size_t axis, size_t number) {
    line l = {.n = v->shape[axis], .stride = 1};
    for (size_t k = axis + 1; k < dimensions; k++) l.stride *= v->shape[k];
    l.first = number / l.stride * l.n * l.stride + number % l.stride;
    return l;
}

/* Copies numbers of `bytes` bytes between a line of an array and one after another. */
static inline void copy_line(const line *l, size_t bytes, char *array, char *row, bool back) {
    for (size_t i = 0; i < l->n; i++) {
        char *const at = array + (l->first + i * l->stride) * bytes;
        memcpy(back ? at : row + i * bytes, back ? row + i * bytes : at, bytes);
    }
}

#endif
