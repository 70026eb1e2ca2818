/* weft_gather and weft_scatter. The parameter is 1 if the call may fail, because of an index that is out of range or
 * equal to another one. The numbers of columns and rows, the type and distribution of the indices, and what happens
 * to indices out of range vary with match_case.turn. */
#include "verify/index_failure.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

static uint64_t draw(const match_case *c, uint64_t what) {
    return input_random(c->turn * 2 + (uint64_t)c->parameter, what);
}

static bool scatters(const match_case *c) { return c->operation->shape == &match_scatter; }

/* ------------------------------------------------------------------------------- dimensions */

static size_t columns_of(const match_case *c) {
    static const size_t some[] = {1, 1, 1, 2, 3, 4, 16, 33, 64, 100};
    return some[draw(c, 1) % 10];
}

static size_t rows_of_x(const match_case *c) { return c->n / columns_of(c); }

/* Returns the number of rows of the result. A scatter to more than 512 times as many rows as x has uses a hash table
 * on a CPU. */
static size_t rows_of_out(const match_case *c) {
    const size_t rows = rows_of_x(c);
    const uint64_t r = draw(c, 2);
    if (scatters(c))
        return r % 4 == 0 ? rows : r % 4 == 1 ? 3 * rows + 2 : r % 4 == 2 || rows > 500 ? rows + 1 : 600 * rows;
    return r % 4 == 0 ? rows : r % 4 == 1 ? 2 * rows + 1 : r % 4 == 2 ? rows / 3 : (size_t)((r >> 8) % 300);
}

static size_t indices_of(const match_case *c) { return scatters(c) ? rows_of_x(c) : rows_of_out(c); }
static size_t indexed_of(const match_case *c) { return scatters(c) ? rows_of_out(c) : rows_of_x(c); }

static weft_dtype index_type(const match_case *c) {
    static const weft_dtype types[] = {WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    return types[draw(c, 3) % 4];
}

static bool skips(const match_case *c) { return draw(c, 4) % 2 || (indexed_of(c) == 0 && c->parameter == 0); }
static bool may_fail(const match_case *c) { return c->parameter == 1; }
/* Returns true if some indices are out of range. */
static bool leaves(const match_case *c) { return draw(c, 5) % 2 && (skips(c) || may_fail(c)); }
/* Returns true if some indices of a scatter are equal. */
static bool repeats(const match_case *c) { return scatters(c) && may_fail(c) && draw(c, 6) % 4; }

static size_t values(const match_case *c) { return rows_of_out(c) * columns_of(c); }
static size_t out_bytes(const match_case *c) { return c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0; }

/* -------------------------------------------------------------------------------- arguments */

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns a factor that has no divisor in common with m: i * factor % m are different for i < m. */
static uint64_t factor_of(const match_case *c, uint64_t m) {
    const uint64_t r = draw(c, 7);
    uint64_t factor = r % 4 == 0 ? 1 : r % 4 == 1 ? m - 1 : 1 + (r >> 8) % m;
    while (common_divisor(factor, m) != 1) factor++;
    return factor;
}

/* Returns index i. One in eight is out of range if the case has such indices. */
static int64_t index_at(const match_case *c, size_t i, uint64_t factor) {
    static const int64_t outside[] = {-1, INT32_MIN, INT32_MAX, -7};
    const uint64_t m = indexed_of(c), r = draw(c, 1000 + i), from = draw(c, 11) % (2 * indices_of(c));
    if (m == 0) return 0;
    if (leaves(c) && r % 8 == 0 && (skips(c) || i >= from)) return r % 16 ? outside[(r >> 8) % 4] : (int64_t)m;
    if (repeats(c) && i >= from && (r >> 4) % 8 == 0) i /= 2;
    if (scatters(c) || draw(c, 8) % 4 == 0) return (int64_t)(i % m * factor % m);
    return draw(c, 8) % 4 == 1 ? (int64_t)((i / 3) % m) : (int64_t)((r >> 8) % m);
}

static void *new_index(const match_case *c) {
    const size_t n = indices_of(c), m = indexed_of(c), size = weft_dtype_size(index_type(c));
    const uint64_t factor = m ? factor_of(c, m) : 0;
    char *const index = malloc(n * size + 1);
    for (size_t i = 0; index && i < n; i++) {
        const int64_t wide = index_at(c, i, factor);
        const int32_t narrow = (int32_t)wide;
        memcpy(index + i * size, size == 4 ? (const void *)&narrow : (const void *)&wide, size);
    }
    return index;
}

/* Returns the values that the result has before the call. */
static void *new_out(const match_case *c) {
    void *const out = malloc(values(c) * out_bytes(c) + 1);
    if (out) input_fill(INPUT_PATTERNS, c->dtype, draw(c, 9), values(c), out);
    return out;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    void *const index = new_index(c), *const before = new_out(c);
    void *index_device = NULL;
    const size_t bytes = indices_of(c) * weft_dtype_size(index_type(c));
    const weft_range range = skips(c) ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR;
    weft_status status = index && before ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    if (status == WEFT_OK && bytes && draw(c, 10) % 2) {
        status = weft_alloc(ctx, WEFT_DEVICE, bytes, &index_device);
        if (status == WEFT_OK) status = weft_copy(ctx, bytes, index, index_device);
    }
    if (status == WEFT_OK) status = weft_copy(ctx, values(c) * out_bytes(c), before, out);
    if (status == WEFT_OK)
        status = (scatters(c) ? weft_scatter : weft_gather)(ctx, range, c->dtype, index_type(c), indices_of(c),
                                                            columns_of(c), indexed_of(c), inputs[0],
                                                            index_device ? index_device : index, out);
    if (status == WEFT_INVALID && may_fail(c))
        status = index_failure_to_result(c, ctx, values(c) * out_bytes(c), before, out);
    weft_free(ctx, WEFT_DEVICE, index_device);
    free(before);
    free(index);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    snprintf(text, 100, "%zu %s indices%s%s, %zu columns, %zu rows%s", indices_of(c), weft_dtype_name(index_type(c)),
             leaves(c) ? ", some out of range" : "", repeats(c) ? ", some equal" : "", columns_of(c), indexed_of(c),
             skips(c) ? ", skip" : "");
}

const match_shape match_gather = {.inputs = 1,
                                  .parameters = 2,
                                  .accumulates = 1,
                                  .values = values,
                                  .out_bytes = out_bytes,
                                  .call = call,
                                  .tell = tell};
const match_shape match_scatter = {.inputs = 1,
                                   .parameters = 2,
                                   .accumulates = 1,
                                   .values = values,
                                   .out_bytes = out_bytes,
                                   .call = call,
                                   .tell = tell};
