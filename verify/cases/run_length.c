/* weft_unique and weft_run_length. With parameter 1 the array is the running maximum of the input. Its runs are
 * long, and some are longer than the elements of one thread or block. The output contains the values, then that
 * array, the lengths, if any, and the count. */
#include "verify/match.h"

typedef struct outputs {
    char *values, *held;
    uint64_t *lengths, *count;
} outputs;

static size_t element_bytes(const match_case *c) { return weft_dtype_size(c->dtype); }

/* Returns the size of the output: 2 n values and `more` values of 8 bytes, with padding for any alignment of the
 * array. */
static size_t values_and(const match_case *c, size_t more) {
    const size_t size = element_bytes(c);
    return 2 * c->n + (more * sizeof(uint64_t) + sizeof(uint64_t) - 1) / size;
}

static size_t unique_values(const match_case *c) { return values_and(c, 1); }

static size_t run_length_values(const match_case *c) { return values_and(c, c->n + 1); }

static outputs lay_out(const match_case *c, void *out, bool lengths) {
    const size_t bytes = c->n * element_bytes(c);
    const uintptr_t end = (uintptr_t)out + 2 * bytes;
    outputs o = {.values = out, .held = (char *)out + bytes};
    o.lengths = (uint64_t *)((end + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t));
    o.count = o.lengths + (lengths ? c->n : 0);
    return o;
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const uintptr_t begin = (uintptr_t)out, end = begin + match_out_bytes(c);
    const uintptr_t numbers = (begin + 2 * c->n * element_bytes(c) + 7) / 8 * 8;
    parts[0] = (match_part){0, element_bytes(c), 2 * c->n};
    parts[1] = (match_part){numbers - begin, sizeof(uint64_t), (end - numbers) / sizeof(uint64_t)};
    return 2;
}

static weft_status choose(const match_case *c, weft_context *ctx, const void *input, char *held, const void **x) {
    *x = c->parameter ? held : input;
    if (c->parameter == 0) return WEFT_OK;
    return weft_scan(ctx, WEFT_MAX, WEFT_INCLUSIVE, c->dtype, WEFT_DEFAULT, c->n, input, NULL, held);
}

static weft_status call_unique(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const outputs o = lay_out(c, out, false);
    const void *x;
    const weft_status status = choose(c, ctx, inputs[0], o.held, &x);
    return status == WEFT_OK ? weft_unique(ctx, c->dtype, c->n, x, o.values, o.count) : status;
}

static weft_status call_run_length(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const outputs o = lay_out(c, out, true);
    const void *x;
    const weft_status status = choose(c, ctx, inputs[0], o.held, &x);
    return status == WEFT_OK ? weft_run_length(ctx, c->dtype, c->n, x, o.values, o.lengths, o.count) : status;
}

const match_shape match_unique = {.inputs = 1,
                                  .parameters = 2,
                                  .accumulates = 1,
                                  .values = unique_values,
                                  .out_bytes = element_bytes,
                                  .parts = parts,
                                  .call = call_unique};
const match_shape match_run_length = {.inputs = 1,
                                      .parameters = 2,
                                      .accumulates = 1,
                                      .values = run_length_values,
                                      .out_bytes = element_bytes,
                                      .parts = parts,
                                      .call = call_run_length};
