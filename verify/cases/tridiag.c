/* weft_tridiag and weft_tridiag_pivot. The parameter selects the memory layout of the systems. Their length, periodic
 * or not, the coefficients, and in place or not vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

typedef enum layout { ONE, CONTIGUOUS, INTERLEAVED, SPREAD, LAYOUTS } layout;

/* Numbers of rows: around the ends of chunks, warps, blocks and levels. */
static const size_t LENGTHS[] = {128,  1,    2,    3,    5,    16,   17,    31,  32,  33,  47,
                                 48,   64,   100,  255,  257,  511,  512,   513, 128, 530, 999,
                                 2048, 1000, 4096, 8192, 8193, 9000, 20000, 256, 40,  4};

/* Coefficients a, b, c, from the arrays x and y of the case and from constants. */
typedef enum coefficients {
    DIAGONAL,
    DOMINANT,
    HEAT,
    SHARED,
    ANY,
    COEFFICIENTS, /* the ones above, for weft_tridiag; weft_tridiag_pivot has all */
    FULL = COEFFICIENTS,
    HOLLOW,
    PIVOT_COEFFICIENTS
} coefficients;

typedef weft_status solver(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                           weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular);

typedef struct variant {
    coefficients coefficients;
    weft_boundary boundary;
    bool in_place;
    size_t systems, n, row, line; /* strides of d and x */
} variant;

static variant variant_of(const match_case *c, int kinds) {
    const uint64_t draw = input_random(c->turn, 7 + (uint64_t)c->parameter);
    const layout how = (layout)c->parameter;
    variant v = {.coefficients = (coefficients)(draw % (uint64_t)kinds), .in_place = draw >> 8 & 1};
    v.boundary = (draw >> 9) % 3 == 0 ? WEFT_PERIODIC : WEFT_OPEN_ENDS;
    v.n = how == ONE ? c->n : LENGTHS[(draw >> 16) % (sizeof LENGTHS / sizeof *LENGTHS)];
    if (v.n > c->n) v.n = c->n;
    v.systems = v.n ? c->n / v.n : draw % 3;
    v.row = 1;
    v.line = v.n;
    if (how == INTERLEAVED) {
        v.row = v.systems;
        v.line = 1;
    }
    if (how == SPREAD && v.systems > 3) {
        v.systems = v.systems / 2;
        v.row = draw >> 24 & 1 ? 1 : 2;
        v.line = 2 * v.n;
    }
    return v;
}

static size_t out_bytes(const match_case *c) { return type_is_float(c->dtype) ? weft_dtype_size(c->dtype) : 0; }

/* Returns the size of the output: x, and the first failure with padding for its alignment. */
static size_t values(const match_case *c) {
    const size_t size = out_bytes(c);
    return size ? c->n + 16 / size : 0;
}

/* Returns the offset of the number of the first failure. */
static size_t failure_at(const match_case *c, const void *out) {
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    return bytes + (8 - ((uintptr_t)out + bytes) % 8) % 8;
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    parts[0] = (match_part){0, out_bytes(c), c->n};
    parts[1] = (match_part){failure_at(c, out), sizeof(uint64_t), 1};
    return 2;
}

/* Constants of the case's type, used for all rows. */
typedef struct constants {
    double f64[3];
    float f32[3];
} constants;

static weft_lines constant(const match_case *c, constants *k, int i, double value) {
    k->f64[i] = value;
    k->f32[i] = (float)value;
    return (weft_lines){c->dtype == WEFT_F32 ? (const void *)&k->f32[i] : &k->f64[i], 0, 0};
}

static weft_status solve(solver *run, int kinds, const match_case *c, weft_context *ctx, const void *const *inputs,
                         void *out) {
    const variant v = variant_of(c, kinds);
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    const weft_lines x = {inputs[0], v.row, v.line}, y = {inputs[1], v.row, v.line};
    uint64_t *singular = (uint64_t *)(void *)((char *)out + failure_at(c, out));
    constants k;
    weft_lines lines[3] = {x, constant(c, &k, 1, 4), y};
    if (v.coefficients == DOMINANT) {
        lines[0] = constant(c, &k, 0, -1);
        lines[1] = (weft_lines){inputs[0], v.row, v.line};
        lines[2] = constant(c, &k, 2, -0.25);
    } else if (v.coefficients == HEAT) {
        lines[0] = constant(c, &k, 0, -1);
        lines[1] = constant(c, &k, 1, 2.0625);
        lines[2] = constant(c, &k, 2, -1);
    } else if (v.coefficients == SHARED) {
        lines[0].line = lines[2].line = 0;
    } else if (v.coefficients == ANY) {
        lines[1] = x;
    } else if (v.coefficients == FULL) {
        lines[1] = y;
        lines[2] = x;
    } else if (v.coefficients == HOLLOW) {
        lines[1] = constant(c, &k, 1, 0);
    }
    if (v.in_place) {
        const weft_status status = weft_copy(ctx, bytes, inputs[1], out);
        if (status != WEFT_OK) return status;
    }
    const weft_lines d = {v.in_place ? out : inputs[1], v.row, v.line};
    return run(ctx, v.boundary, c->dtype, v.systems, v.n, lines[0], lines[1], lines[2], d, out, singular);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return solve(weft_tridiag, COEFFICIENTS, c, ctx, inputs, out);
}

static weft_status call_pivot(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    return solve(weft_tridiag_pivot, PIVOT_COEFFICIENTS, c, ctx, inputs, out);
}

static void describe(const match_case *c, int kinds, char text[100]) {
    static const char *const names[] = {"b = 4", "b = x", "constant", "one matrix", "a = b = x", "a = c = x, b = y",
                                        "b = 0"};
    const variant v = variant_of(c, kinds);
    snprintf(text, 100, "%zu%s systems of %zu in %zu, %zu; %s%s", v.systems,
             v.boundary == WEFT_PERIODIC ? " periodic" : "", v.n, v.row, v.line, names[v.coefficients],
             v.in_place ? ", in place" : "");
}

static void tell(const match_case *c, char text[100]) { describe(c, COEFFICIENTS, text); }
static void tell_pivot(const match_case *c, char text[100]) { describe(c, PIVOT_COEFFICIENTS, text); }

const match_shape match_tridiag = {.inputs = 2,
                                   .parameters = LAYOUTS,
                                   .accumulates = 1,
                                   .values = values,
                                   .out_bytes = out_bytes,
                                   .parts = parts,
                                   .call = call,
                                   .tell = tell};

const match_shape match_tridiag_pivot = {.inputs = 2,
                                         .parameters = LAYOUTS,
                                         .accumulates = 1,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .parts = parts,
                                         .call = call_pivot,
                                         .tell = tell_pivot};
