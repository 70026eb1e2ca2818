/* weft_take_axis on views of random shapes and strides. The parameter is 1 if the call may fail, because of an index
 * that is out of range. The axis, its length in y, the type, shape and values of the index, and what happens to
 * indices out of range vary with match_case.turn. */
#include "verify/index_failure.h"
#include "verify/random_views.h"

#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    weft_view x, index, y;
    size_t along;      /* the axis */
    size_t span;       /* number of elements that y spans */
    size_t index_span; /* number of indices that the index spans */
    weft_range range;
    bool leaves; /* some indices are out of range */
} arguments;

/* -------------------------------------------------------------------------------- arguments */

/* Returns the length of y along the axis. */
static size_t choose_length(const match_case *c, size_t vectors, size_t n) {
    const uint64_t r = view_draw(c, 41);
    const size_t few = (size_t)((r >> 8) % 40);
    if (r % 4 == 0) return 2 * n + 1;
    if (r % 4 == 1) return n;
    return r % 4 == 2 || vectors * few > 4 * c->n + 40 ? n / 3 : few;
}

/* Sets the type and shape of the index: that of y, or without all axes but the axis, or without some axes. */
static void choose_index(const match_case *c, arguments *a) {
    static const weft_dtype types[] = {WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    const uint64_t r = view_draw(c, 42);
    a->index = a->y;
    a->index.dtype = types[r % 4];
    for (size_t k = 0; k < a->y.dimensions; k++)
        if (((r >> 2) % 4 == 0 && k != a->along) || ((r >> 2) % 4 == 1 && (r >> (8 + k)) % 2)) a->index.shape[k] = 1;
    while (a->index.dimensions > 0 && a->index.shape[0] == 1 && (r >> 16) % 2) {
        a->index.dimensions--;
        memmove(a->index.shape, a->index.shape + 1, a->index.dimensions * sizeof *a->index.shape);
    }
    a->index_span = view_of_index(c, &a->index);
}

static arguments choose(const match_case *c) {
    arguments a = {.range = view_draw(c, 43) % 2 ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR};
    size_t vectors = 1;
    view_of_input(c, false, &a.x);
    a.along = view_draw(c, 44) % a.x.dimensions;
    for (size_t k = 0; k < a.x.dimensions; k++)
        if (k != a.along) vectors *= a.x.shape[k];
    a.y = a.x;
    a.y.shape[a.along] = choose_length(c, vectors, a.x.shape[a.along]);
    a.span = view_of_output(c, &a.y);
    choose_index(c, &a);
    if (a.x.shape[a.along] == 0 && c->parameter == 0) a.range = WEFT_RANGE_SKIP;
    a.leaves = view_draw(c, 45) % 2 && (a.range == WEFT_RANGE_SKIP || c->parameter == 1);
    return a;
}

/* Returns one of the index's values. One in eight is out of range if the case has such indices, from a random one
 * on. */
static int64_t index_at(const match_case *c, const arguments *a, size_t i) {
    static const int64_t outside[] = {-1, INT32_MIN, INT32_MAX, -7};
    const uint64_t n = a->x.shape[a->along], r = view_draw(c, 1000 + i);
    const size_t from = view_draw(c, 46) % (2 * a->index_span);
    if (n == 0) return 0;
    if (a->leaves && r % 8 == 0 && (a->range == WEFT_RANGE_SKIP || i >= from))
        return r % 16 ? outside[(r >> 8) % 4] : (int64_t)n;
    return (int64_t)(view_draw(c, 47) % 4 ? (r >> 8) % n : i % n);
}

static void *new_index(const match_case *c, const arguments *a) {
    const size_t size = weft_dtype_size(a->index.dtype);
    char *const index = malloc(a->index_span * size + 1);
    for (size_t i = 0; index && i < a->index_span; i++) {
        const int64_t wide = index_at(c, a, i);
        const int32_t narrow = (int32_t)wide;
        memcpy(index + i * size, size == 4 ? (const void *)&narrow : (const void *)&wide, size);
    }
    return index;
}

/* ------------------------------------------------------------------------------------- case */

static size_t values(const match_case *c) { return choose(c).span; }

static size_t out_bytes(const match_case *c) { return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0; }

/* Copies the index to the device if the case has it there. */
static weft_status copy_index(const match_case *c, weft_context *ctx, const arguments *a, const void *index,
                              void **on_device) {
    const size_t bytes = a->index_span * weft_dtype_size(a->index.dtype);
    if (bytes == 0 || view_draw(c, 48) % 2) return WEFT_OK;
    const weft_status status = weft_alloc(ctx, WEFT_DEVICE, bytes, on_device);
    return status == WEFT_OK ? weft_copy(ctx, bytes, index, *on_device) : status;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const size_t bytes = a.span * weft_dtype_size(c->dtype);
    void *const index = new_index(c, &a), *const before = malloc(bytes + 1);
    void *on_device = NULL;
    weft_status status = index && before ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    if (status == WEFT_OK) status = copy_index(c, ctx, &a, index, &on_device);
    if (status == WEFT_OK) status = view_prepare_output(c, ctx, c->dtype, a.span, out);
    if (status == WEFT_OK) status = weft_copy(ctx, bytes, out, before);
    if (status == WEFT_OK) {
        const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.y, out),
                        by = view_at(&a.index, on_device ? on_device : index);
        const int axis = view_draw(c, 49) % 2 ? (int)a.along - (int)a.x.dimensions : (int)a.along;
        status = weft_take_axis(ctx, a.range, &x, axis, &by, &y);
    }
    if (status == WEFT_INVALID && c->parameter == 1) status = index_failure_to_result(c, ctx, bytes, before, out);
    weft_free(ctx, WEFT_DEVICE, on_device);
    free(before);
    free(index);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    snprintf(text, 100, "axis %zu to %zu, %s%s%s", a.along, a.y.shape[a.along], weft_dtype_name(a.index.dtype),
             a.leaves ? ", some out of range" : "", a.range == WEFT_RANGE_SKIP ? ", skip" : "");
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_take_axis = {.inputs = 1,
                                     .parameters = 2,
                                     .accumulates = 1,
                                     .halves = true,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
