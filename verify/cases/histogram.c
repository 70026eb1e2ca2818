/* weft_histogram_even (parameters 0 to 3) and weft_histogram. The parameter selects the number of bins. The position
 * of the bins varies with match_case.turn. Edges are in host memory, or after the counts in the output. */
#include "core/types.h"
#include "verify/sorted.h"

#include <math.h>
#include <string.h>

enum { EVEN = 4, PARAMETERS = 7, EDGES_MAX = 5001 };
static const size_t COUNTS[PARAMETERS] = {1, 10, 257, 3001, 2, 100, EDGES_MAX}; /* bins, or edges at most */

/* Returns the number of bins. One case in 16 of the largest even parameter has so many that another algorithm counts
 * them. */
static size_t count_of(const match_case *c) {
    if (c->parameter != EVEN - 1 || c->turn % 16 != 0) return COUNTS[c->parameter];
    return c->turn % 128 == 0 ? 600011 : 40003;
}

static double real(weft_dtype dtype, const void *x) {
    return dtype == WEFT_F32 ? (double)*(const float *)x : *(const double *)x;
}

/* ------------------------------------------------------------------------------ even bins */

typedef struct bounds {
    uint64_t lower, upper; /* bits of elements */
} bounds;

static uint64_t bits_of_real(weft_dtype dtype, double v) {
    const float narrow = (float)v;
    uint64_t bits = 0;
    if (dtype == WEFT_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &v, sizeof v);
    return bits;
}

/* Returns one of several ranges that split every kind of input. */
static bounds fixed_bounds(weft_dtype dtype, uint64_t turn) {
    static const struct {
        double lower, upper;
    } reals[] = {{0, 1}, {-1000000, 1000000}, {-1e38, 1e38}, {-0.0, 1e-40}, {-2, 2}, {0.1, 0.7}};
    static const bounds integers[] = {{0, 127}, {1, 3}, {0, 1}, {17, 100}};
    const uint64_t sign = UINT64_C(1) << (8 * weft_dtype_size(dtype) - 1);
    if (type_is_float(dtype))
        return (bounds){bits_of_real(dtype, reals[turn % 6].lower), bits_of_real(dtype, reals[turn % 6].upper)};
    if (turn % 5 < 4) return integers[turn % 5];
    return type_is_signed(dtype) ? (bounds){sign, sign - 1} : (bounds){0, 2 * sign - 1};
}

/* Sets *b to two elements of the array in ascending order. Returns false if they are not a valid range. */
static bool found_bounds(const match_case *c, bounds *b) {
    uint64_t pair[2] = {0}, bits[2] = {0};
    const size_t size = weft_dtype_size(c->dtype);
    input_fill(c->kind, c->dtype, c->seed * MATCH_INPUTS, 2, pair);
    for (size_t i = 0; i < 2; i++) memcpy(&bits[i], (char *)pair + i * size, size);
    const bool ascend = sorted_key(c->dtype, pair, 0) < sorted_key(c->dtype, pair, 1);
    *b = ascend ? (bounds){bits[0], bits[1]} : (bounds){bits[1], bits[0]};
    if (bits[0] == bits[1]) return false;
    if (!type_is_float(c->dtype)) return true;
    const double width = real(c->dtype, &b->upper) - real(c->dtype, &b->lower);
    return width > 0 && isfinite(width) && isfinite((double)count_of(c) / width);
}

static bounds bounds_of(const match_case *c) {
    bounds b;
    if (c->turn % 3 == 0 && found_bounds(c, &b)) return b;
    return fixed_bounds(c->dtype, c->turn / 3);
}

/* ---------------------------------------------------------------------------------- edges */

/* Edges, and the case that they belong to. */
typedef struct made_edges {
    uint64_t elements[EDGES_MAX + 2];
    size_t count; /* 0: not made yet */
    match_case of;
} made_edges;

/* Sets *edges to elements of an array of the case's kind: sorted, distinct, and without NaN. They are kept from call
 * to call. Returns their number, or 0 without memory. */
static size_t edges_of(const match_case *c, const void **edges) {
    made_edges *const made = sorted_scratch(sizeof *made);
    const size_t size = weft_dtype_size(c->dtype);
    if (!made) return 0;
    *edges = made->elements;
    if (made->count && made->of.dtype == c->dtype && made->of.kind == c->kind && made->of.seed == c->seed &&
        made->of.turn == c->turn && made->of.parameter == c->parameter)
        return made->count;
    const size_t n = COUNTS[c->parameter];
    size_t count = made->count = 0;
    char *const x = (char *)made->elements;
    input_fill(c->turn % 2 ? c->kind : INPUT_PATTERNS, c->dtype, c->seed * MATCH_INPUTS, n, x);
    input_fill(INPUT_PATTERNS, c->dtype, c->seed + 99, 2, x + (n - 1) * size);
    if (!sorted_sort(c->dtype, n + 1, x)) return 0;
    made->of = *c;
    for (size_t i = 0; i <= n; i++) {
        const bool nan = type_is_float(c->dtype) && isnan(real(c->dtype, x + i * size));
        const bool zero = type_is_float(c->dtype) && count && real(c->dtype, x + i * size) == 0 &&
                          real(c->dtype, x + (count - 1) * size) == 0;
        if (nan || zero || (count && memcmp(x + i * size, x + (count - 1) * size, size) == 0)) continue;
        memmove(x + count++ * size, x + i * size, size);
    }
    made->count = count < 2 ? 2 : count;
    if (count >= 2) return count;
    const bounds b = fixed_bounds(c->dtype, 0);
    memcpy(x, &b.lower, size);
    memcpy(x + size, &b.upper, size);
    return made->count;
}

/* ----------------------------------------------------------------------------------- cases */

static size_t bins_of(const match_case *c) {
    const void *edges;
    return c->parameter < EVEN ? count_of(c) : edges_of(c, &edges) - 1;
}

static bool edges_follow(const match_case *c) { return c->parameter >= EVEN && c->turn / 2 % 2; }

static size_t out_bytes(const match_case *c) {
    (void)c;
    return sizeof(uint64_t);
}

static size_t values(const match_case *c) {
    const size_t bins = bins_of(c), edge_bytes = edges_follow(c) ? (bins + 1) * weft_dtype_size(c->dtype) : 0;
    return bins + (edge_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const bounds b = bounds_of(c);
    const size_t bins = bins_of(c);
    uint64_t *const counts = out;
    const void *edges;
    if (c->parameter < EVEN)
        return weft_histogram_even(ctx, c->dtype, c->n, inputs[0], bins, &b.lower, &b.upper, counts);
    edges_of(c, &edges);
    if (!edges_follow(c)) return weft_histogram(ctx, c->dtype, c->n, inputs[0], bins, edges, counts);
    const weft_status status = weft_copy(ctx, (bins + 1) * weft_dtype_size(c->dtype), edges, counts + bins);
    return status == WEFT_OK ? weft_histogram(ctx, c->dtype, c->n, inputs[0], bins, counts + bins, counts) : status;
}

static void tell(const match_case *c, char text[100]) {
    const bounds b = bounds_of(c);
    snprintf(text, 100, "%zu bins", bins_of(c));
    if (c->parameter < EVEN)
        snprintf(text + strlen(text), 60, " from 0x%llx to 0x%llx", (unsigned long long)b.lower,
                 (unsigned long long)b.upper);
}

const match_shape match_histogram = {.inputs = 1,
                                     .parameters = PARAMETERS,
                                     .accumulates = 1,
                                     .values = values,
                                     .out_bytes = out_bytes,
                                     .call = call,
                                     .tell = tell};
