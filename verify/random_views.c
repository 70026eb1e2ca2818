#include "verify/random_views.h"

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

/* Sets strides: axes in a random order from the smallest stride to the largest. Returns the number of elements that
 * the view spans. */
static size_t lay_out(const match_case *c, uint64_t first, bool gaps, weft_view *v) {
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
    if (lay_out(c, LAYOUT_X, true, v) > c->n) lay_out(c, LAYOUT_X, false, v);
    if (distinct || view_draw(c, 11) % 6) return;
    v->shape[v->dimensions] = 1 + view_draw(c, 12) % 3;
    v->stride[v->dimensions++] = 0;
}

static size_t view_in_layout(const match_case *c, uint64_t layout, bool gaps, weft_view *v) {
    const size_t span = lay_out(c, layout, gaps, v);
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
    if (lay_out(c, LAYOUT_INDEX, true, v) > c->n) lay_out(c, LAYOUT_INDEX, false, v);
}

weft_status view_prepare_output(const match_case *c, weft_context *ctx, weft_dtype dtype, size_t values, void *out) {
    const size_t bytes = values * weft_dtype_size(dtype);
    void *const before = malloc(bytes + 1);
    if (!before) return WEFT_OUT_OF_MEMORY;
    input_fill(INPUT_PATTERNS, dtype, view_draw(c, 14), values, before);
    const weft_status status = weft_copy(ctx, bytes, before, out);
    free(before);
    return status;
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
