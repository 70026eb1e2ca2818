/* weft_scan. The parameter is the operator. Inclusive or exclusive, with or without an initial value, and in place
 * or not vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

enum { OFFERS_WIDE = true, OFFERS_SAME = true, OFFERS_INDEX = false, OFFERS_TRUTH = false, OFFERS_REAL = false };

/* Every operator of core/ops.def. The parameters number those that scan supports. */
static const struct {
    weft_op op;
    bool offered, widens, integers;
} OPERATORS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {WEFT_##ID, OFFERS_##result, #result[0] == 'W', #domain[0] == 'I'},
#include "core/ops.def"
};
enum { PARAMETERS = 7 };

static size_t operator_of(const match_case *c) {
    size_t i = 0;
    for (int left = c->parameter; left > 0 || !OPERATORS[i].offered; i++) left -= OPERATORS[i].offered;
    return i;
}

static weft_dtype result_type(const match_case *c) {
    return c->accumulate == WEFT_DEFAULT ? c->dtype : c->accumulate;
}

static size_t out_bytes(const match_case *c) {
    const size_t i = operator_of(c);
    const weft_dtype wide = c->dtype == WEFT_F32                          ? WEFT_F64
                            : c->dtype >= WEFT_I8 && c->dtype <= WEFT_I32 ? WEFT_I64
                            : c->dtype >= WEFT_U8 && c->dtype <= WEFT_U32 ? WEFT_U64
                                                                          : WEFT_DEFAULT;
    const bool offered = type_is_half(c->dtype) ? type_is_float(c->accumulate) : c->accumulate == wide;
    if (OPERATORS[i].integers && type_is_real(c->dtype)) return 0;
    if (c->accumulate != WEFT_DEFAULT && !(OPERATORS[i].widens && offered)) return 0;
    return weft_dtype_size(result_type(c));
}

/* --------------------------------------------------------------------------------- in turn */

typedef struct variant {
    weft_scan_kind kind;
    bool init, in_place;
} variant;

static const variant VARIANTS[] = {
    {WEFT_INCLUSIVE, false, false}, {WEFT_EXCLUSIVE, false, false}, {WEFT_INCLUSIVE, true, false},
    {WEFT_EXCLUSIVE, true, false},  {WEFT_INCLUSIVE, false, true},  {WEFT_EXCLUSIVE, true, true},
};

/* Kinds of initial values: a value is an input of one element of this kind. */
static const input_kind FLOAT_INITS[] = {INPUT_NEGATIVE_ZEROS, INPUT_MIXED,   INPUT_NAN_FIRST, INPUT_ZEROS,
                                         INPUT_LARGEST,        INPUT_INF_ONE, INPUT_SUBNORMAL, INPUT_NEAR_ONE};
static const input_kind INTEGER_INITS[] = {INPUT_EXTREMES, INPUT_PATTERNS, INPUT_EXTREMES, INPUT_SMALL};

static variant variant_of(const match_case *c) {
    variant v = VARIANTS[(c->turn + (uint64_t)c->parameter) % (sizeof VARIANTS / sizeof *VARIANTS)];
    v.in_place = v.in_place && result_type(c) == c->dtype;
    return v;
}

static void make_init(const match_case *c, void *init) {
    const weft_dtype type = result_type(c);
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    const input_kind kind = type_is_real(type) ? FLOAT_INITS[r % (sizeof FLOAT_INITS / sizeof *FLOAT_INITS)]
                                               : INTEGER_INITS[r % (sizeof INTEGER_INITS / sizeof *INTEGER_INITS)];
    input_fill(kind, type, r >> 8, 1, init);
}

/* In place, the elements are first copied to the output, since the inputs are used again. */
static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    uint64_t init;
    make_init(c, &init);
    if (v.in_place) {
        const weft_status status = weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    return weft_scan(ctx, OPERATORS[operator_of(c)].op, v.kind, c->dtype, c->accumulate, c->n,
                     v.in_place ? out : inputs[0], v.init ? &init : NULL, out);
}

static void tell(const match_case *c, char text[100]) {
    const variant v = variant_of(c);
    uint64_t init = 0;
    make_init(c, &init);
    snprintf(text, 100, "%s %s%s", v.kind == WEFT_EXCLUSIVE ? "exclusive" : "inclusive",
             weft_op_name(OPERATORS[operator_of(c)].op), v.in_place ? " in place" : "");
    if (v.init) snprintf(text + strlen(text), 100 - strlen(text), ", init 0x%llx", (unsigned long long)init);
}

const match_shape match_scan = {.inputs = 1,
                                .parameters = PARAMETERS,
                                .accumulates = 5,
                                .halves = true,
                                .values = match_each,
                                .out_bytes = out_bytes,
                                .call = call,
                                .tell = tell};
