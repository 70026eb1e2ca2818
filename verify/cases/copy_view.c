/* weft_copy_view between views of random shapes and strides. The parameter is 1 if x is broadcast to y. */
#include "verify/random_views.h"

#include <string.h>

/* Chooses both views. Returns the number of elements that y spans. */
static size_t choose(const match_case *c, weft_view *x, weft_view *y) {
    view_of_input(c, false, x);
    *y = *x;
    if (c->parameter == 1) {
        const size_t added = 1 + view_draw(c, 20) % 2, repeated = view_draw(c, 21) % x->dimensions;
        memmove(y->shape + added, x->shape, x->dimensions * sizeof *x->shape);
        for (size_t k = 0; k < added; k++) y->shape[k] = 1 + view_draw(c, 22 + k) % 3;
        y->dimensions += added;
        if (x->shape[repeated] == 1) y->shape[added + repeated] = view_draw(c, 25) % 4;
    }
    return view_of_output(c, y);
}

static size_t values(const match_case *c) {
    weft_view x, y;
    return choose(c, &x, &y);
}

static size_t out_bytes(const match_case *c) { return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0; }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    weft_view x, y;
    const size_t span = choose(c, &x, &y);
    const weft_status status = view_prepare_output(c, ctx, c->dtype, span, out);
    x = view_at(&x, inputs[0]);
    y = view_at(&y, out);
    return status == WEFT_OK ? weft_copy_view(ctx, &x, &y) : status;
}

static void tell(const match_case *c, char text[100]) {
    weft_view x, y;
    choose(c, &x, &y);
    view_tell(&x, "x", text);
    view_tell(&y, ", y", text + strlen(text));
}

const match_shape match_copy_view = {.inputs = 1,
                                     .parameters = 2,
                                     .accumulates = 1,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
