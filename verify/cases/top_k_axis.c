/* weft_top_k_axis on views of random shapes and strides. k, largest or smallest, the axis and whether there are
 * indices vary with match_case.turn, and the type of the indices with the parameter. */
#include "verify/random_views.h"

#include <string.h>

typedef struct arguments {
    weft_view x, values, indices;
    weft_extreme extreme;
    int axis;
    size_t k;
    bool has_indices;
    size_t value_words, index_words; /* number of 8-byte words that the outputs span */
} arguments;

static size_t words(size_t values, weft_dtype dtype) {
    return (values * weft_dtype_size(dtype) + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* Returns k for vectors of n elements. */
static size_t choose_k(uint64_t r, size_t n) {
    const size_t some[] = {0, 1, 5, 32, 33, n / 5, n / 2, n - n / 50, n}, k = some[r % 9];
    return k < n ? k : n;
}

static arguments choose(const match_case *c) {
    const uint64_t r = view_draw(c, 42);
    match_case other = *c;
    arguments a = {.extreme = r % 2 ? WEFT_SMALLEST : WEFT_LARGEST, .has_indices = (r >> 1) % 4 != 0};
    view_of_input(c, false, &a.x);
    const size_t axis = (size_t)((r >> 8) % a.x.dimensions);
    a.axis = (r >> 16) % 4 == 0 ? (int)axis - (int)a.x.dimensions : (int)axis;
    a.k = choose_k(r >> 20, a.x.shape[axis]);
    a.values = a.x;
    a.values.shape[axis] = a.k;
    a.indices = a.values;
    a.indices.dtype = c->parameter == 0 ? WEFT_U32 : WEFT_U64;
    a.value_words = words(view_of_output(c, &a.values), a.values.dtype);
    other.turn += 1 << 20; /* other strides for the indices */
    a.index_words = words(view_of_output(&other, &a.indices), a.indices.dtype);
    if (!a.has_indices) a.index_words = 0;
    return a;
}

static size_t values(const match_case *c) {
    const arguments a = choose(c);
    return a.value_words + a.index_words;
}

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const arguments a = choose(c);
    const size_t size = weft_dtype_size(a.values.dtype), index = weft_dtype_size(a.indices.dtype);
    (void)out;
    parts[0] = (match_part){0, size, a.value_words * sizeof(uint64_t) / size};
    parts[1] = (match_part){a.value_words * sizeof(uint64_t), index, a.index_words * sizeof(uint64_t) / index};
    return 2;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const arguments a = choose(c);
    const weft_view x = view_at(&a.x, inputs[0]), y = view_at(&a.values, out);
    const weft_view indices = view_at(&a.indices, (uint64_t *)out + a.value_words);
    const weft_status status = view_prepare_output(c, ctx, WEFT_U64, a.value_words + a.index_words, out);
    return status == WEFT_OK ? weft_top_k_axis(ctx, a.extreme, &x, a.axis, a.k, &y, a.has_indices ? &indices : NULL)
                             : status;
}

static void tell(const match_case *c, char text[100]) {
    const arguments a = choose(c);
    snprintf(text, 100, "%zu %s%s, axis %d", a.k, a.extreme == WEFT_LARGEST ? "largest" : "smallest",
             a.has_indices ? "" : ", no indices", a.axis);
    view_tell(&a.x, ", x", text + strlen(text));
}

const match_shape match_top_k_axis = {.inputs = 1,
                                      .parameters = 2,
                                      .accumulates = 1,
                                      .halves = true,
                                      .values = values,
                                      .out_bytes = out_bytes,
                                      .parts = parts,
                                      .call = call,
                                      .tell = tell};
