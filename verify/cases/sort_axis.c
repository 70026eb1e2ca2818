/* weft_sort_axis and weft_argsort_axis on views of random shapes and strides. The order, the axis, the type of the
 * indices and whether y is x vary with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"

#include <string.h>

typedef struct arguments {
    weft_view x, y;
    weft_order_of_sort order;
    bool in_place;
    int axis;
    size_t span; /* number of elements that y spans */
} arguments;

static arguments choose(const match_case *c, bool indices) {
    const uint64_t r = view_draw(c, 41);
    arguments a = {.order = r % 2 ? WEFT_DESCENDING : WEFT_ASCENDING};
    a.in_place = !indices && (r >> 2) % 4 == 0;
    view_of_input(c, a.in_place, &a.x);
    a.y = a.x;
    if (indices) a.y.dtype = c->parameter == 0 ? WEFT_U32 : WEFT_U64;
    a.span = a.in_place ? c->n : view_of_output(c, &a.y);
    a.axis = (int)((r >> 8) % a.x.dimensions);
    if ((r >> 16) % 4 == 0) a.axis -= (int)a.x.dimensions;
    return a;
}

static void tell(const arguments *a, char text[100]) {
    snprintf(text, 100, "%s%s, axis %d", a->order == WEFT_DESCENDING ? "descending" : "ascending",
             a->in_place ? ", in place" : "", a->axis);
    view_tell(&a->x, ", x", text + strlen(text));
}

/* ------------------------------------------------------------------------------------ keys */

static size_t key_values(const match_case *c) { return choose(c, false).span; }

static size_t key_bytes(const match_case *c) { return weft_dtype_size(c->dtype); }

/* In place, the elements are first copied to the output, since the inputs are used again. */
static weft_status sort(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c, false);
    const weft_view y = view_at(&a.y, out), x = a.in_place ? y : view_at(&a.x, inputs[0]);
    const weft_status status = a.in_place ? weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out)
                                          : view_prepare_output(c, ctx, y.dtype, a.span, out);
    return status == WEFT_OK ? weft_sort_axis(ctx, a.order, &x, a.axis, &y) : status;
}

static void tell_sort(const match_case *c, char text[100]) {
    const arguments a = choose(c, false);
    tell(&a, text);
}

const match_shape match_sort_axis = {.inputs = 1,
                                     .parameters = 2,
                                     .accumulates = 1,
                                     .halves = true,
                                     .values = key_values,
                                     .out_bytes = key_bytes,
                                     .call = sort,
                                     .tell = tell_sort};

/* --------------------------------------------------------------------------------- indices */

static size_t index_values(const match_case *c) { return choose(c, true).span; }

static size_t index_bytes(const match_case *c) { return weft_dtype_size(choose(c, true).y.dtype); }

static weft_status argsort(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c, true);
    const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.y, out);
    const weft_status status = view_prepare_output(c, ctx, y.dtype, a.span, out);
    return status == WEFT_OK ? weft_argsort_axis(ctx, a.order, &x, a.axis, &y) : status;
}

static void tell_argsort(const match_case *c, char text[100]) {
    const arguments a = choose(c, true);
    tell(&a, text);
}

const match_shape match_argsort_axis = {.inputs = 1,
                                        .parameters = 2,
                                        .accumulates = 1,
                                        .halves = true,
                                        .values = index_values,
                                        .out_bytes = index_bytes,
                                        .call = argsort,
                                        .tell = tell_argsort};
