/* weft_scan_axis on views of random shapes and strides. The operator, the kind, the initial value, the axis and
 * whether y is x vary with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"

#include <string.h>

static weft_op op_of(const match_case *c) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR};
    const bool widens = c->accumulate != WEFT_DEFAULT;
    return ops[view_draw(c, 40) % (widens ? 3 : type_is_real(c->dtype) ? 5 : 8)];
}

static size_t out_bytes(const match_case *c) {
    const weft_dtype wide = c->dtype == WEFT_F32                          ? WEFT_F64
                            : c->dtype >= WEFT_I8 && c->dtype <= WEFT_I32 ? WEFT_I64
                            : c->dtype >= WEFT_U8 && c->dtype <= WEFT_U32 ? WEFT_U64
                                                                          : WEFT_DEFAULT;
    const bool offered = type_is_half(c->dtype) ? type_is_float(c->accumulate) : c->accumulate == wide;
    if (c->accumulate == WEFT_DEFAULT) return weft_dtype_size(c->dtype);
    return offered ? weft_dtype_size(c->accumulate) : 0;
}

typedef struct arguments {
    weft_view x, y;
    weft_scan_kind kind;
    bool in_place, has_init;
    int axis;
    size_t span; /* number of elements that y spans */
} arguments;

static arguments choose(const match_case *c) {
    const uint64_t r = view_draw(c, 41);
    arguments a = {.kind = r % 2 ? WEFT_EXCLUSIVE : WEFT_INCLUSIVE, .has_init = (r >> 1) % 2};
    a.in_place = c->accumulate == WEFT_DEFAULT && (r >> 2) % 4 == 0;
    view_of_input(c, a.in_place, &a.x);
    a.y = a.x;
    a.y.dtype = c->accumulate == WEFT_DEFAULT ? c->dtype : c->accumulate;
    a.span = a.in_place ? c->n : view_of_output(c, &a.y);
    a.axis = (int)((r >> 8) % a.x.dimensions);
    if ((r >> 16) % 4 == 0) a.axis -= (int)a.x.dimensions;
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

/* In place, the elements are first copied to the output, since the inputs are used again. */
static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view y = view_at(&a.y, out), x = a.in_place ? y : view_at(&a.x, inputs[0]);
    uint64_t init;
    input_fill(type_is_real(y.dtype) ? INPUT_MIXED : INPUT_EXTREMES, y.dtype, view_draw(c, 42), 1, &init);
    const weft_status status = a.in_place ? weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out)
                                          : view_prepare_output(c, ctx, y.dtype, a.span, out);
    if (status != WEFT_OK) return status;
    return weft_scan_axis(ctx, op_of(c), a.kind, c->accumulate, &x, a.axis, a.has_init ? &init : NULL, &y);
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    snprintf(text, 100, "%s%s%s%s, axis %d", weft_op_name(op_of(c)), a.kind ? ", exclusive" : "",
             a.has_init ? ", init" : "", a.in_place ? ", in place" : "", a.axis);
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_scan_axis = {.inputs = 1,
                                     .parameters = 3,
                                     .accumulates = MATCH_ACCUMULATE_COUNT,
                                     .halves = true,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
