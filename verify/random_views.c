#include "verify/random_views.h"
#include "core/byte_order.h"

#include <stdlib.h>
#include <string.h>

enum { LAYOUT_X = 100, LAYOUT_Y = 200, LAYOUT_INDEX = 300 }; /* first numbers of the draws of each layout */

uint64_t view_draw(const match_case *c, uint64_t what) {
    return input_random(c->turn * 8 + (uint64_t)c->parameter, what) >> 8;
}

/* Chooses lengths whose product is at most `capacity`. */
static void choose_shape(const match_case *c, size_t capacity, weft_view *v) {
    static const size_t some[] = {1, 2, 3, 4, 7, 16, 31, 64, 100, 130, 260, 1000};
    v->dimensions = 1 + view_draw(c, 1) % 4;
    for (size_t k = 0; k < v->dimensions; k++) {
        size_t n = some[view_draw(c, 2 + k) % 12];
        if (n > capacity || k + 1 == v->dimensions) n = capacity;
        v->shape[k] = n;
        capacity = n ? capacity / n : 0;
    }
    const size_t last = v->dimensions - 1, with = view_draw(c, 10) % v->dimensions, n = v->shape[last];
    v->shape[last] = v->shape[with];
    v->shape[with] = n;
}

size_t view_lay_out(const match_case *c, uint64_t first, bool gaps, weft_view *v) {
    const size_t size = weft_dtype_size(v->dtype), rotation = view_draw(c, first) % 3;
    size_t reach = 1, before = 0, order[WEFT_DIMENSIONS_MAX];
    for (size_t k = 0; k < v->dimensions; k++) {
        const size_t from_end = v->dimensions - 1 - k;
        order[k] = rotation == 0 ? from_end : rotation == 1 ? k : (from_end + 1) % v->dimensions;
    }
    for (size_t k = 0; k < v->dimensions; k++) {
        const size_t axis = order[k], n = v->shape[axis];
        const uint64_t r = view_draw(c, first + 1 + k);
        const size_t stride = reach + (gaps && r % 3 == 0 ? (r >> 4) % 3 : 0);
        const bool reversed = (r >> 8) % 4 == 0;
        v->stride[axis] = (ptrdiff_t)(stride * size) * (reversed ? -1 : 1);
        if (n == 0) continue;
        if (reversed) before += (n - 1) * stride;
        reach += (n - 1) * stride;
    }
    v->data = (void *)(before * size);
    return reach;
}

void view_of_input(const match_case *c, bool distinct, weft_view *v) {
    *v = (weft_view){.size = sizeof *v, .dtype = c->dtype};
    choose_shape(c, c->n, v);
    if (view_lay_out(c, LAYOUT_X, true, v) > c->n) view_lay_out(c, LAYOUT_X, false, v);
    if (distinct || view_draw(c, 11) % 6) return;
    v->shape[v->dimensions] = 1 + view_draw(c, 12) % 3;
    v->stride[v->dimensions++] = 0;
}

static size_t view_in_layout(const match_case *c, uint64_t layout, bool gaps, weft_view *v) {
    const size_t span = view_lay_out(c, layout, gaps, v);
    for (size_t k = 0; k < v->dimensions; k++)
        if (v->shape[k] == 0) return 0;
    return span;
}

size_t view_of_output(const match_case *c, weft_view *v) {
    return view_in_layout(c, LAYOUT_Y, c->n > 0 && view_draw(c, 13) % 2, v);
}

size_t view_of_index(const match_case *c, weft_view *v) {
    return view_in_layout(c, LAYOUT_INDEX, view_draw(c, 15) % 2, v);
}

void view_of_factor(const match_case *c, weft_view *v) {
    if (view_lay_out(c, LAYOUT_INDEX, true, v) > c->n) view_lay_out(c, LAYOUT_INDEX, false, v);
}

void view_repeat(const match_case *c, weft_view *x, weft_view *all) {
    const size_t repeated = view_draw(c, 43) % x->dimensions;
    memmove(all->shape + 1, x->shape, x->dimensions * sizeof *x->shape);
    all->shape[0] = 1 + view_draw(c, 44) % 3;
    all->dimensions++;
    if (x->shape[repeated] > 1) x->shape[repeated] = 1;
}

void view_of_operand(const match_case *c, uint64_t first, size_t missing, const weft_view *shape, weft_view *y) {
    const size_t size = weft_dtype_size(c->dtype);
    size_t left = c->n, reach = 1, before = 0;
    *y = (weft_view){.size = sizeof *y, .dtype = c->dtype, .dimensions = shape->dimensions - missing};
    for (size_t k = y->dimensions; k-- > 0;) {
        const size_t n = shape->shape[missing + k];
        const uint64_t r = view_draw(c, first + k);
        const bool repeats = n > 0 && (r % 3 == 0 || n > left), reversed = r / 3 % 4 == 0;
        y->shape[k] = repeats ? 1 : n;
        y->stride[k] = (ptrdiff_t)(reach * size) * (reversed ? -1 : 1);
        if (repeats || n == 0) continue;
        if (reversed) before += (n - 1) * reach;
        reach *= n;
        left /= n;
    }
    y->data = (void *)(before * size);
}

void view_add_parts(const match_case *c, uint64_t what, size_t span, weft_view *v) {
    const size_t size = weft_dtype_size(v->dtype);
    const uint64_t r = view_draw(c, what);
    const bool adjacent = r % 4 != 0, reversed = r / 4 % 4 == 0;
    const size_t part = (adjacent ? 1 : span) * size;
    size_t before = (size_t)(uintptr_t)v->data;
    if (adjacent) {
        before *= 2;
        for (size_t k = 0; k < v->dimensions; k++) v->stride[k] *= 2;
    }
    v->data = (void *)(before + (reversed ? part : 0));
    v->shape[v->dimensions] = 2;
    v->stride[v->dimensions++] = (ptrdiff_t)part * (reversed ? -1 : 1);
}

size_t view_axes(const match_case *c, size_t dimensions, int *axes) {
    const size_t first = view_draw(c, 31) % dimensions;
    const uint64_t taken = view_draw(c, 32);
    size_t count = 0;
    for (size_t k = 0; k < dimensions; k++) {
        const size_t axis = (first + k) % dimensions;
        const bool only = k == 0 && taken % 8 != 0;
        if (!only && (taken >> (8 + k)) % 3 != 0) continue;
        axes[count++] = (taken >> (16 + 2 * k)) % 4 == 0 ? (int)axis - (int)dimensions : (int)axis;
    }
    return count;
}

weft_status view_fill_output(const match_case *c, weft_context *ctx, input_kind kind, weft_dtype dtype, size_t values,
                             void *out) {
    const size_t bytes = values * weft_dtype_size(dtype);
    void *const before = malloc(bytes + 1);
    if (!before) return WEFT_OUT_OF_MEMORY;
    input_fill(kind, dtype, view_draw(c, 14), values, before);
    if (is_big_endian()) bytes_reverse(before, values, weft_dtype_size(dtype));
    match_convert(c, before); /* values of other sizes than `dtype` have the same bits on every machine */
    const weft_status status = weft_copy(ctx, bytes, before, out);
    free(before);
    return status;
}

weft_status view_prepare_output(const match_case *c, weft_context *ctx, weft_dtype dtype, size_t values, void *out) {
    return view_fill_output(c, ctx, INPUT_PATTERNS, dtype, values, out);
}

weft_view view_at(const weft_view *v, const void *base) {
    weft_view moved = *v;
    moved.data = (char *)base + (uintptr_t)v->data;
    return moved;
}

void view_tell(const weft_view *v, const char *name, char text[50]) {
    size_t at = (size_t)snprintf(text, 50, "%s", name);
    for (size_t k = 0; k < v->dimensions && at < 50; k++)
        at += (size_t)snprintf(text + at, 50 - at, " %zu:%td", v->shape[k], v->stride[k]);
}
