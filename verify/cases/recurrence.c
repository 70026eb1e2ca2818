/* weft_recurrence. The parameter selects one row or several, forward or reverse. The length of several rows, the
 * initial values, and in place or not vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <stdlib.h>

enum { REVERSE = 1, ROWS = 2, PARAMETERS = 4 }; /* bits of the parameter */

static size_t out_bytes(const match_case *c) {
    return type_is_float(c->dtype) && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

/* --------------------------------------------------------------------------------- in turn */

/* Lengths of rows, which end within a group, at its end, or at the first or last element of a block or tile. */
static const size_t LENGTHS[] = {1,   2,   7,   15,  16,   17,   31,   33,   64,   100,  255,   256,   257,
                                 300, 511, 513, 999, 1025, 2048, 4095, 4096, 4097, 5000, 12289, 20000, 40000};

enum { COUNT = sizeof LENGTHS / sizeof *LENGTHS, LONG = 60000 };

typedef enum start { FROM_NOTHING, FROM_TERMS, FROM_HOST } start;
typedef enum output { APART, ON_FACTORS, ON_TERMS, ON_ZEROS, OUTPUTS } output;

typedef struct variant {
    size_t rows, n;
    start start;
    output output;
} variant;

static variant variant_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    variant v = {1, c->n, (start)(r % 3), (output)(r / 3 % OUTPUTS)};
    if (v.output == ON_ZEROS) v.start = FROM_NOTHING;
    if (!(c->parameter & ROWS)) return v;
    const size_t first = c->n < LONG ? 0 : COUNT - 4; /* limits the number of cases with several long rows */
    v.n = LENGTHS[first + r / 16 % (COUNT - first)];
    if (v.n > c->n) v.n = c->n;
    v.rows = v.n ? c->n / v.n : r % 5;
    return v;
}

static size_t values(const match_case *c) {
    const variant v = variant_of(c);
    return v.rows * v.n;
}

/* Returns the initial values. Those taken from u are in the arrays' memory. The kind of a value in host memory
 * varies with match_case.turn. */
static const void *make_init(const match_case *c, const variant *v, const void *const *inputs, uint64_t *host) {
    static const input_kind KINDS[] = {INPUT_MIXED,   INPUT_NEAR_ONE, INPUT_NAN_FIRST, INPUT_NEGATIVE_ZEROS,
                                       INPUT_LARGEST, INPUT_INF_ONE,  INPUT_SUBNORMAL, INPUT_UNIFORM};
    if (v->start == FROM_NOTHING) return NULL;
    if (v->start == FROM_TERMS || v->rows > 1) return inputs[1];
    input_fill(KINDS[c->turn % (sizeof KINDS / sizeof *KINDS)], c->dtype, c->turn, 1, host);
    return host;
}

/* Fills u with zeros except for one element, so that v remains an exact zero for many elements while products of s
 * leave the range of the type. */
static weft_status copy_in_zeros(const match_case *c, weft_context *ctx, size_t n, void *out) {
    const size_t size = weft_dtype_size(c->dtype);
    void *const zeros = malloc(n ? n * size : 1);
    if (!zeros) return WEFT_OUT_OF_MEMORY;
    input_fill(INPUT_LONE, c->dtype, c->turn, n, zeros);
    const weft_status status = weft_copy(ctx, n * size, zeros, out);
    free(zeros);
    return status;
}

/* Copies the array to the output if the call is in place, since the inputs are used again. */
static weft_status copy_in(const match_case *c, weft_context *ctx, const variant *v, const void *const *inputs,
                           void *out) {
    const size_t n = v->rows * v->n;
    if (v->output == APART) return WEFT_OK;
    if (v->output == ON_ZEROS) return copy_in_zeros(c, ctx, n, out);
    return weft_copy(ctx, n * weft_dtype_size(c->dtype), inputs[v->output == ON_TERMS], out);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    const bool on_u = v.output == ON_TERMS || v.output == ON_ZEROS;
    uint64_t host;
    const void *const init = make_init(c, &v, inputs, &host);
    const weft_status status = copy_in(c, ctx, &v, inputs, out);
    if (status != WEFT_OK) return status;
    return weft_recurrence(ctx, c->parameter & REVERSE ? WEFT_REVERSE : WEFT_FORWARD, c->dtype, v.rows, v.n,
                           v.output == ON_FACTORS ? out : inputs[0], on_u ? out : inputs[1], init, out);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const starts[] = {"from 0", "from values of u", "from a value on the host"};
    static const char *const outputs[] = {"", ", v is s", ", v is u", ", v is u, zeros but for one"};
    const variant v = variant_of(c);
    snprintf(text, 100, "%s, %zu rows of %zu, %s%s", c->parameter & REVERSE ? "reverse" : "forward", v.rows, v.n,
             starts[v.start], outputs[v.output]);
}

const match_shape match_recurrence = {.inputs = 2,
                                      .parameters = PARAMETERS,
                                      .accumulates = 1,
                                      .values = values,
                                      .out_bytes = out_bytes,
                                      .call = call,
                                      .tell = tell};
