/* weft_block_tridiag and weft_pentadiag. The parameter selects one or many systems and, for block_tridiag, the size
 * of the blocks. The memory layout, the length of the systems, periodic or not, the coefficients, and in place or not
 * vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

enum { MAX = 4, LINES = 5, KINDS = 2 };
typedef enum layout { CONTIGUOUS, INTERLEAVED, SPREAD, LAYOUTS } layout;

/* Numbers of elements of a line: around the ends of chunks, levels and parts of vectors. */
static const size_t LENGTHS[] = {64, 1,  2,  3,   4,   7,   8,   9,   15,  16,  17,   24,   31,   32,  33,  40,
                                 41, 48, 63, 100, 128, 255, 256, 257, 264, 265, 1000, 2049, 4096, 700, 129, 20};

/* Coefficients, from the arrays x and y of the case and from constants. */
typedef enum coefficients { DIAGONAL, DOMINANT, CONSTANT, SHARED, ANY, COEFFICIENTS } coefficients;

typedef struct variant {
    bool pentadiagonal, in_place;
    coefficients coefficients;
    weft_boundary boundary;
    size_t block, systems, n, row, line; /* strides of d and x */
} variant;

static bool is_pentadiagonal(const match_case *c) { return c->operation->shape == &match_pentadiag; }

static variant variant_of(const match_case *c) {
    const uint64_t draw = input_random(c->turn, 11 + (uint64_t)c->parameter);
    const bool one = c->parameter % KINDS == 0;
    const layout how = one ? CONTIGUOUS : (layout)(draw % LAYOUTS);
    variant v = {.pentadiagonal = is_pentadiagonal(c), .block = 2 + (size_t)c->parameter / KINDS};
    v.coefficients = (coefficients)((draw >> 8) % COEFFICIENTS);
    v.boundary = (draw >> 16) % 3 == 0 ? WEFT_PERIODIC : WEFT_OPEN_ENDS;
    v.in_place = draw >> 24 & 1;
    const size_t most = v.pentadiagonal ? c->n : c->n / (v.block * v.block);
    v.n = one ? most : min_u64(most, LENGTHS[(draw >> 32) % (sizeof LENGTHS / sizeof *LENGTHS)]);
    if (v.pentadiagonal && v.boundary == WEFT_PERIODIC) v.n -= v.n % 2;
    v.systems = v.n ? most / v.n : draw % 3;
    v.row = 1;
    v.line = v.n;
    if (how == INTERLEAVED) {
        v.row = v.systems;
        v.line = 1;
    }
    if (how == SPREAD && v.systems > 3) {
        v.systems = v.systems / 2;
        v.row = draw >> 28 & 1 ? 1 : 2;
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

/* Elements of the case's type, used for all rows. */
typedef struct constants {
    double f64[LINES][MAX * MAX];
    float f32[LINES][MAX * MAX];
} constants;

/* Returns a constant element with `value` on its diagonal and other values next to it. */
static weft_lines constant(const match_case *c, constants *k, int i, double value) {
    const size_t side = variant_of(c).block;
    for (size_t j = 0; j < side * side; j++) {
        k->f64[i][j] = j % (side + 1) == 0 ? value : 0.125 * value * (j % 3 ? 1 : -2);
        k->f32[i][j] = (float)k->f64[i][j];
    }
    return (weft_lines){c->dtype == WEFT_F32 ? (const void *)k->f32[i] : k->f64[i], 0, 0};
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    const weft_lines x = {inputs[0], v.row, v.line}, y = {inputs[1], v.row, v.line};
    uint64_t *singular = (uint64_t *)(void *)((char *)out + failure_at(c, out));
    constants k;
    weft_lines e = y, a = x, b = constant(c, &k, 2, 6), d = {v.in_place ? out : inputs[1], v.row, v.line}, g = y,
               f = x;
    switch (v.coefficients) {
    case DIAGONAL: break;
    case DOMINANT:
        e = f = constant(c, &k, 0, 0.125);
        a = constant(c, &k, 1, -1);
        b = x;
        g = constant(c, &k, 3, -0.25);
        break;
    case CONSTANT:
        e = f = constant(c, &k, 0, 1);
        a = g = constant(c, &k, 1, v.pentadiagonal ? -4 : -1.5);
        b = constant(c, &k, 2, 6.0625);
        break;
    case SHARED: e.line = a.line = g.line = 0; break;
    case ANY:
    default: b = x; break;
    }
    if (v.in_place) {
        const weft_status status = weft_copy(ctx, bytes, inputs[1], out);
        if (status != WEFT_OK) return status;
    }
    if (v.pentadiagonal)
        return weft_pentadiag(ctx, v.boundary, c->dtype, v.systems, v.n, e, a, b, g, f, d, out, singular);
    return weft_block_tridiag(ctx, v.boundary, c->dtype, v.block, v.systems, v.n, a, b, g, d, out, singular);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const names[] = {"b = 6", "b = x", "constant", "one matrix", "a = b = x"};
    const variant v = variant_of(c);
    snprintf(text, 100, "%zu%s systems of %zu in %zu, %zu, block %zu; %s%s", v.systems,
             v.boundary == WEFT_PERIODIC ? " periodic" : "", v.n, v.row, v.line, v.block, names[v.coefficients],
             v.in_place ? ", in place" : "");
}

const match_shape match_block_tridiag = {.inputs = 2,
                                         .parameters = 3 * KINDS,
                                         .accumulates = 1,
                                         .values = values,
                                         .out_bytes = out_bytes,
                                         .parts = parts,
                                         .call = call,
                                         .tell = tell};
const match_shape match_pentadiag = {.inputs = 2,
                                     .parameters = KINDS,
                                     .accumulates = 1,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .parts = parts,
                                     .call = call,
                                     .tell = tell};
