/* weft_scatter_reduce and weft_scatter_count. The parameter is the operator, or the count. The number of columns and
 * of targets, the type and distribution of the indices, the initial value and what happens to indices out of range
 * vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

static const weft_op OPS[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR, WEFT_MEAN};
enum { COUNT = sizeof OPS / sizeof *OPS, PARAMETERS };

static uint64_t draw(const match_case *c, uint64_t what) {
    return input_random(c->turn * 64 + (uint64_t)c->parameter * 8 + (uint64_t)c->accumulate, what);
}

static bool counts(const match_case *c) { return c->parameter == COUNT; }
static weft_op op_of(const match_case *c) { return counts(c) ? WEFT_SUM : OPS[c->parameter]; }

/* ------------------------------------------------------------------------------- dimensions */

static size_t columns_of(const match_case *c) {
    static const size_t some[] = {1, 1, 1, 2, 3, 8, 33, 100};
    return counts(c) ? 1 : some[draw(c, 1) % 8];
}

static size_t rows_of(const match_case *c) { return c->n / columns_of(c); }

/* Returns m. 2^11 and 2^22 are the limits of one and of two passes on a CPU. */
static size_t targets_of(const match_case *c) {
    static const size_t some[] = {1, 2, 16, 255, 256, 1000, 2047, 2048, 2049, 5000, 65536, 70000};
    const uint64_t r = draw(c, 2);
    const size_t m = r % 16 < 12 ? some[r % 16] : r % 16 == 12 ? rows_of(c) / 3 + 1 : 1 + (size_t)((r >> 8) % 40);
    if (r % 1024 == 15 && columns_of(c) == 1) return ((size_t)1 << 22) + 5;
    return columns_of(c) > 1 && m > 300 ? m / columns_of(c) + 2 : m;
}

static weft_dtype index_type(const match_case *c) {
    static const weft_dtype types[] = {WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    return types[draw(c, 3) % 4];
}

enum { UNIFORM, CONSTANT, SORTED, FEW, ONE_LONG, STRIPES, SHAPES };
static unsigned shape_of(const match_case *c) { return (unsigned)(draw(c, 4) % SHAPES); }
static bool skips(const match_case *c) { return draw(c, 5) % 3 == 0; }
static bool has_init(const match_case *c) { return !counts(c) && op_of(c) != WEFT_MEAN && draw(c, 6) % 2; }
static bool in_place(const match_case *c) { return has_init(c) && draw(c, 7) % 2; }

static weft_dtype result_type(const match_case *c) {
    weft_dtype type;
    if (counts(c)) return c->accumulate == WEFT_DEFAULT ? WEFT_U64 : WEFT_DEFAULT;
    if (weft_reduce_result(op_of(c), c->dtype, c->accumulate, &type) != WEFT_OK) return WEFT_DEFAULT;
    return op_of(c) == WEFT_MEAN && type_is_half(type) ? WEFT_DEFAULT : type; /* means are f32 or f64 */
}

static size_t values(const match_case *c) { return targets_of(c) * columns_of(c); }
static size_t out_bytes(const match_case *c) { return weft_dtype_size(result_type(c)); }

/* -------------------------------------------------------------------------------- arguments */

/* Returns index i. With `skips`, one in eight is out of range. */
static int64_t index_at(const match_case *c, size_t i) {
    static const int64_t outside[] = {-1, INT32_MIN, INT32_MAX, -7};
    const uint64_t m = targets_of(c), r = draw(c, 1000 + i);
    if (skips(c) && r % 8 == 0) return r % 16 ? outside[(r >> 8) % 4] : (int64_t)m;
    switch (shape_of(c)) {
    case CONSTANT: return (int64_t)(draw(c, 8) % m);
    case SORTED: return (int64_t)(i * m / (rows_of(c) + 1));
    case FEW: return (int64_t)((r >> 8) % 3 * (m / 3));
    case ONE_LONG: return (int64_t)((r >> 8) % 4 ? m / 2 : (r >> 16) % m);
    case STRIPES: return (int64_t)(i % m);
    default: return (int64_t)((r >> 8) % m);
    }
}

static void *new_index(const match_case *c) {
    const size_t n = rows_of(c), size = weft_dtype_size(index_type(c));
    char *const index = malloc(n ? n * size : 1);
    for (size_t i = 0; index && i < n; i++) {
        const int64_t wide = index_at(c, i);
        const int32_t narrow = (int32_t)wide;
        memcpy(index + i * size, size == 4 ? (const void *)&narrow : (const void *)&wide, size);
    }
    return index;
}

/* Returns initial values: small numbers, or random bits, with NaNs among them. */
static void *new_init(const match_case *c) {
    const size_t count = values(c), size = out_bytes(c);
    char *const init = malloc(count * size + 1);
    if (init) input_fill(draw(c, 11) % 2 ? INPUT_PATTERNS : INPUT_TIES, result_type(c), draw(c, 9), count, init);
    return init;
}

static weft_status copy_in(const match_case *c, weft_context *ctx, size_t bytes, void *host, void **device) {
    if (!host || bytes == 0 || draw(c, 10) % 2) return WEFT_OK;
    weft_status status = weft_alloc(ctx, WEFT_DEVICE, bytes, device);
    return status == WEFT_OK ? weft_copy(ctx, bytes, host, *device) : status;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    void *const index = new_index(c), *const init = has_init(c) ? new_init(c) : NULL;
    void *index_device = NULL, *init_device = NULL;
    const size_t n = rows_of(c), m = targets_of(c), bytes = values(c) * out_bytes(c);
    const weft_range range = skips(c) ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR;
    weft_status status = index && (init || !has_init(c)) ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    if (status == WEFT_OK) status = copy_in(c, ctx, n * weft_dtype_size(index_type(c)), index, &index_device);
    if (status == WEFT_OK && !in_place(c)) status = copy_in(c, ctx, bytes, init, &init_device);
    if (status == WEFT_OK && in_place(c)) status = weft_copy(ctx, bytes, init, out);
    const void *const use_index = index_device ? index_device : index;
    const void *const use_init = in_place(c) ? out : init_device ? init_device : init;
    if (status == WEFT_OK && counts(c))
        status = weft_scatter_count(ctx, range, index_type(c), n, m, use_index, out);
    else if (status == WEFT_OK)
        status = weft_scatter_reduce(ctx, op_of(c), range, c->dtype, c->accumulate, index_type(c), n, columns_of(c),
                                     m, inputs[0], use_index, use_init, out);
    weft_free(ctx, WEFT_DEVICE, index_device);
    weft_free(ctx, WEFT_DEVICE, init_device);
    free(init);
    free(index);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    static const char *const shapes[] = {"uniform", "constant", "sorted", "few", "one long", "striped"};
    snprintf(text, 100, "%s by %s %s indices, %zu columns, %zu targets%s%s",
             counts(c) ? "count" : weft_op_name(op_of(c)), shapes[shape_of(c)], weft_dtype_name(index_type(c)),
             columns_of(c), targets_of(c),
             in_place(c)   ? ", in place"
             : has_init(c) ? ", init"
                           : "",
             skips(c) ? ", skip" : "");
}

const match_shape match_scatter_reduce = {.inputs = 1,
                                          .parameters = PARAMETERS,
                                          .accumulates = 3,
                                          .halves = true,
                                          .values = values,
                                          .out_bytes = out_bytes,
                                          .call = call,
                                          .tell = tell};
