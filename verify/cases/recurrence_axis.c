/* weft_recurrence_axis on views of random shapes and strides. The parameter is the direction. The axis, the axes
 * along which s, u and the initial values are repeated, and whether v is s or u vary with match_case.turn. */
#include "core/types.h"
#include "verify/random_views.h"
#include "verify/vector_copies.h"

#include <string.h>

typedef enum output { APART, ON_FACTORS, ON_TERMS } output;

typedef struct arguments {
    weft_view s, u, init, v, starts; /* starts: the shape to which init is broadcast */
    bool has_init;
    output output;
    size_t along, span; /* span: number of elements that v spans */
} arguments;

static size_t out_bytes(const match_case *c) {
    return type_is_float(c->dtype) && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

static arguments choose(const match_case *c) {
    static const output outputs[] = {APART, APART, ON_FACTORS, ON_TERMS};
    const uint64_t r = view_draw(c, 40);
    arguments a = {.has_init = r % 2 && c->n > 0, .output = outputs[r / 2 % 4]};
    view_of_input(c, false, &a.s);
    a.v = a.s;
    a.along = (size_t)((r >> 8) % a.v.dimensions);
    a.span = view_of_output(c, &a.v);
    view_of_operand(c, 51, (r >> 16) % 4 ? 0 : (r >> 20) % (a.v.dimensions + 1), &a.v, &a.u);
    a.starts = a.v;
    a.starts.shape[a.along] = 1;
    view_of_operand(c, 61, (r >> 24) % (a.v.dimensions + 1), &a.starts, &a.init);
    return a;
}

static size_t values(const match_case *c) { return choose(c).span; }

/* Sets the addresses of the views, and copies s or u to v if the call is in place. */
static weft_status prepare(const match_case *c, weft_context *ctx, const void *const *inputs, void *out,
                           arguments *a) {
    a->s = view_at(&a->s, inputs[0]);
    a->u = view_at(&a->u, inputs[1]);
    a->init = view_at(&a->init, inputs[1]);
    a->v = view_at(&a->v, out);
    weft_view *const on_v = a->output == ON_FACTORS ? &a->s : &a->u;
    weft_status status = view_prepare_output(c, ctx, c->dtype, a->span, out);
    if (status != WEFT_OK || a->output == APART) return status;
    status = weft_copy_view(ctx, on_v, &a->v);
    *on_v = a->v;
    return status;
}

static weft_direction direction_of(const match_case *c) { return c->parameter ? WEFT_REVERSE : WEFT_FORWARD; }

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    arguments a = choose(c);
    const weft_status status = prepare(c, ctx, inputs, out, &a);
    const int axis = view_draw(c, 41) % 4 ? (int)a.along : (int)a.along - (int)a.v.dimensions;
    if (status != WEFT_OK) return status;
    return weft_recurrence_axis(ctx, direction_of(c), &a.s, &a.u, axis, a.has_init ? &a.init : NULL, &a.v);
}

static weft_status define(const match_case *c, weft_context *ref, const void *const *inputs, void *out) {
    arguments a = choose(c);
    vectors s = {.count = 0}, u = s, init = s, v = s;
    const size_t n = a.v.shape[a.along];
    weft_status status = prepare(c, ref, inputs, out, &a);
    if (status == WEFT_OK) status = vectors_of(ref, &a.s, &a.v, a.along, false, &s);
    if (status == WEFT_OK) status = vectors_of(ref, &a.u, &a.v, a.along, false, &u);
    if (status == WEFT_OK && a.has_init) status = vectors_of(ref, &a.init, &a.starts, a.along, false, &init);
    if (status == WEFT_OK) status = vectors_new(&a.v, a.along, false, &v);
    for (size_t i = 0; status == WEFT_OK && i < v.count; i++)
        status = weft_recurrence(ref, direction_of(c), c->dtype, 1, n, vectors_at(&s, i), vectors_at(&u, i),
                                 a.has_init ? vectors_at(&init, i) : NULL, vectors_at(&v, i));
    vectors_free(&s);
    vectors_free(&u);
    vectors_free(&init);
    return vectors_store(ref, status, &v, &a.v);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const outputs[] = {"", ", v is s", ", v is u"};
    const arguments a = choose(c);
    snprintf(text, 50, "%s, axis %zu%s%s", c->parameter ? "reverse" : "forward", a.along, a.has_init ? ", init" : "",
             outputs[a.output]);
    view_tell(&a.v, ", v", text + strlen(text));
}

const match_shape match_recurrence_axis = {.inputs = 2,
                                           .parameters = 2,
                                           .accumulates = 1,
                                           .values = values,
                                           .out_bytes = out_bytes,
                                           .call = call,
                                           .define = define,
                                           .tell = tell};
