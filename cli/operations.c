#include "cli/operations.h"

#include "cli/nearest.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- a call of each operation */

/* Finds the result type of variance and dot by the rules of mean and sum. */
static void find_type(weft_op rule, const operands *in, weft_dtype *type) {
    if (weft_reduce_result(rule, in->dtype, in->accumulate, type) != WEFT_OK) *type = WEFT_DEFAULT;
}

static weft_status run_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    find_type(o->op, in, type);
    return weft_reduce(ctx, o->op, in->dtype, in->accumulate, in->n, in->x, out);
}

static weft_status run_variance(const operation *o, weft_context *ctx, const operands *in, value *out,
                                weft_dtype *type) {
    (void)o;
    find_type(WEFT_MEAN, in, type);
    return weft_variance(ctx, in->dtype, in->accumulate, in->n, in->ddof, in->x, out);
}

static weft_status run_dot(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o;
    find_type(WEFT_SUM, in, type);
    return weft_dot(ctx, in->dtype, in->accumulate, in->n, in->x, in->y, out);
}

static weft_status run_scan(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    return weft_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->init, in->to);
}

/* Runs one sweep of the largest cube that the elements fill. */
static weft_status run_laplace(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    size_t edge = 1;
    (void)o, (void)out;
    while ((edge + 1) * (edge + 1) * (edge + 1) <= in->n) edge++;
    *type = in->dtype;
    return weft_laplace(ctx, in->dtype, edge, edge, in->n / (edge * edge), 1, in->x, in->to, NULL);
}

/* Keeps the elements that are at least 1.5: half of the elements in [1, 2). */
static weft_status run_select(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    const float middle = 1.5F;
    (void)o;
    *type = WEFT_U64;
    return weft_select_if(ctx, WEFT_GE, WEFT_F32, in->n, in->x, &middle, in->to, &out->u64);
}

static weft_status run_partition(const operation *o, weft_context *ctx, const operands *in, value *out,
                                 weft_dtype *type) {
    const float middle = 1.5F;
    (void)o;
    *type = WEFT_U64;
    return weft_partition_if(ctx, WEFT_GE, WEFT_F32, in->n, in->x, &middle, in->to, &out->u64);
}

static weft_status run_unique(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    (void)o;
    *type = WEFT_U64;
    return weft_unique(ctx, in->dtype, in->n, in->x, in->to, &out->u64);
}

/* Stores the lengths before the values, for alignment. */
static weft_status run_run_length(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    uint64_t *lengths = in->to;
    (void)o;
    *type = WEFT_U64;
    return weft_run_length(ctx, in->dtype, in->n, in->x, lengths + in->n, lengths, &out->u64);
}

static weft_status run_segmented_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                                        weft_dtype *type) {
    (void)o, (void)out;
    find_type(in->op, in, type);
    if (in->offsets)
        return weft_segmented_reduce(ctx, in->op, in->dtype, in->accumulate, in->n, in->x, in->segments, in->offsets,
                                     in->to);
    return weft_segmented_reduce_heads(ctx, in->op, in->dtype, in->accumulate, in->n, in->x, in->heads, in->to,
                                       in->count);
}

static weft_status run_segmented_scan(const operation *o, weft_context *ctx, const operands *in, value *out,
                                      weft_dtype *type) {
    (void)o, (void)out;
    *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    if (in->offsets)
        return weft_segmented_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->segments,
                                   in->offsets, in->to);
    return weft_segmented_scan_heads(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->heads,
                                     in->to);
}

static weft_status run_reduce_by_key(const operation *o, weft_context *ctx, const operands *in, value *out,
                                     weft_dtype *type) {
    (void)o, (void)out;
    find_type(in->op, in, type);
    return weft_reduce_by_key(ctx, in->op, in->key_type, in->dtype, in->accumulate, in->n, in->keys, in->x,
                              in->keys_to, in->to, in->count);
}

static weft_status run_recurrence(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_recurrence(ctx, in->direction, in->dtype, in->rows ? in->rows : 1, in->n, in->x, in->y, in->init,
                           in->to);
}

/* Uses n elements in [1, 2). The greatest k, or the counts in 256 bins, fit where n elements can be written. */
static weft_status run_histogram(const operation *o, weft_context *ctx, const operands *in, value *out,
                                 weft_dtype *type) {
    const float lower = 1, upper = 2;
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_histogram_even(ctx, in->dtype, in->n, in->x, OPERATION_BINS, &lower, &upper, in->to);
}

static weft_status run_top_k(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    const size_t k = in->n < 100 ? in->n : 100;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_top_k(ctx, WEFT_LARGEST, in->dtype, in->n, in->x, k, in->to, NULL);
}

/* Merges the halves of in->halves, or searches for the second half of x in the first. */
static weft_status run_merge(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    const size_t na = in->n / 2;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_merge(ctx, in->dtype, na, in->halves, in->n - na,
                      (const char *)in->halves + na * weft_dtype_size(in->dtype), in->to);
}

static weft_status run_search_sorted(const operation *o, weft_context *ctx, const operands *in, value *out,
                                     weft_dtype *type) {
    const size_t n = in->n / 2;
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_search_sorted(ctx, WEFT_LEFT, in->dtype, n, in->halves, n, in->x, in->to);
}

/* Multiplies x, as a matrix of 64 columns, by the first 64 x 64 elements of y. */
static weft_status run_matmul(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    enum { SIDE = 64 };
    const size_t side = in->n < (size_t)SIDE * SIDE ? 1 : SIDE;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, in->dtype, in->accumulate,
                       in->n / side, side, side, NULL, in->x, side, in->y, side, NULL, in->to, side);
}

/* Transforms the array as complex values; their number is the largest power of two that fits. */
static weft_status run_fft(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    size_t n = 1;
    (void)o, (void)out;
    while (n <= in->n / 4) n *= 2;
    *type = in->dtype;
    return weft_fft(ctx, WEFT_C2C, in->dtype, in->n < 2 ? 0 : 1, n, in->x, in->to);
}

/* Convolves x with a short filter: the first values of y. */
static weft_status run_convolve(const operation *o, weft_context *ctx, const operands *in, value *out,
                                weft_dtype *type) {
    enum { TAPS = 11 };
    (void)o, (void)out;
    *type = in->dtype;
    return weft_convolve(ctx, WEFT_SAME, in->dtype, WEFT_REAL, in->n, in->x, in->n < TAPS ? in->n : TAPS, in->y,
                         in->to);
}

/* Solves systems of 128 rows with constant coefficients, as in heat conduction. Elements after the last complete
 * system are not used. */
static weft_status run_tridiag(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    enum { ROWS = 128 };
    static const double f64[] = {-1, 3, -1};
    static const float f32[] = {-1, 3, -1};
    const bool single = in->dtype == WEFT_F32;
    const size_t systems = in->n < ROWS ? 1 : in->n / ROWS, rows = in->n < ROWS ? in->n : ROWS;
    weft_lines k[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    uint64_t singular;
    (void)o, (void)out;
    for (int i = 0; i < 3; i++) k[i].p = single ? (const void *)&f32[i] : &f64[i];
    *type = in->dtype;
    return weft_tridiag(ctx, WEFT_OPEN_ENDS, in->dtype, systems, rows, k[0], k[1], k[2], (weft_lines){in->x, 1, rows},

                        in->to, &singular);
}

/* Runs two steps on lines of 128 points. Elements after the last complete line are not used. */
static weft_status run_heat(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    enum { POINTS = 128 };
    static const double lambda = 1;
    const size_t points = in->n < POINTS ? in->n : POINTS, lines = in->n < POINTS ? 1 : in->n / POINTS;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_heat(ctx, WEFT_BACKWARD_EULER, in->dtype, 1, &points, lines, &lambda, 2, in->x, in->to);
}

static weft_status run_sort(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_sort(ctx, WEFT_ASCENDING, in->dtype, in->n, in->x, in->to);
}

static weft_status run_argsort(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    (void)o, (void)out;
    *type = WEFT_U32;
    return weft_argsort(ctx, WEFT_ASCENDING, in->dtype, *type, in->n, in->x, in->to);
}

/* Generates as many samples as x has elements. */
static weft_status run_random(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_random(ctx, WEFT_UNIFORM, in->dtype, 1, 0, 0, in->n, 0, 1, in->to);
}

/* Generates Owen-scrambled points of 8 coordinates. In total, at most as many coordinates as x has elements. */
static weft_status run_sobol(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    enum { DIMENSIONS = 8 };
    (void)o, (void)out;
    *type = in->dtype;
    return weft_sobol(ctx, WEFT_OWEN, in->dtype, 1, 0, DIMENSIONS, 0, in->n / DIMENSIONS, in->to);
}

/* Simulates as many paths as there are elements for the classic option: two correlated assets and one step. */
static weft_status run_price(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    static const double starts[] = {1, 1}, volatilities[] = {0.1, 0.1}, correlation[] = {1, 0.5, 0.5, 1};
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CORRIDOR,
                                .width = 0.1,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 2,
                                .start = starts,
                                .volatility = volatilities,
                                .correlation = correlation};
    const weft_simulation simulation = {.size = sizeof simulation,
                                        .dtype = in->dtype,
                                        .scheme = WEFT_EULER,
                                        .steps = 1,
                                        .paths = in->n < 2 ? 2 : in->n};
    weft_valuation v = {.size = sizeof v};
    (void)o;
    *type = WEFT_F64;
    const weft_status status = weft_price(ctx, &option, &simulation, &v);
    out->f64 = v.price;
    return status;
}

/* Searches for four words of four bytes in the array's bytes. */
static weft_status run_match(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    static const uint64_t offsets[] = {0, 4, 8, 12, 16};
    const weft_patterns words = {4, offsets, "datatextwarpweft"};
    const size_t bytes = in->n * weft_dtype_size(in->dtype);
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_match_count(ctx, bytes, in->x, 0, bytes, &words, WEFT_MATCH_BYTES, in->to);
}

/* Computes the sum of two arrays, element by element. run_map_reduce computes the mean of a quadratic function. */
static weft_status run_map(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const weft_binding bindings[] = {{"x", in->dtype, in->x, NULL}, {"y", in->dtype, in->y, NULL}};
    weft_expr *expr = NULL;
    (void)o, (void)out;
    *type = in->dtype;
    weft_status status = weft_expr_compile(ctx, "x + y", &expr);
    if (status == WEFT_OK) status = weft_map(ctx, expr, in->dtype, in->n, bindings, 2, in->to);
    weft_expr_free(expr);
    return status;
}

static weft_status run_map_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    const weft_binding binding = {"x", in->dtype, in->x, NULL};
    weft_expr *expr = NULL;
    (void)o;
    find_type(WEFT_MEAN, in, type);
    weft_status status = weft_expr_compile(ctx, "x^2 + 2*x + 3", &expr);
    if (status == WEFT_OK)
        status = weft_map_reduce(ctx, WEFT_MEAN, expr, in->dtype, in->accumulate, in->n, &binding, 1, out);
    weft_expr_free(expr);
    return status;
}

static weft_status run_map_scan(const operation *o, weft_context *ctx, const operands *in, value *out,
                                weft_dtype *type) {
    const weft_binding binding = {"x", in->dtype, in->x, NULL};
    weft_expr *expr = NULL;
    (void)o, (void)out;
    *type = in->dtype;
    weft_status status = weft_expr_compile(ctx, "x^2 + 2*x + 3", &expr);
    if (status == WEFT_OK)
        status = weft_map_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, expr, in->dtype, WEFT_DEFAULT, in->n, &binding, 1, NULL,
                               in->to);
    weft_expr_free(expr);
    return status;
}

/* ------------------------------------------------------------------------------- the table */

#define OPERATION_IS_ANY false
#define OPERATION_IS_INTEGER true
#define OPERATION_IS_VALUE true
#define OPERATION_IS_ARRAY false

const operation OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, help, run_reduce, WEFT_##ID, OPERATION_IS_##domain, true, 1, 1, 0},
#define CALL(stem, form, reads, passes, writes, help) \
    {#stem, help, run_##stem, (weft_op)0, false, OPERATION_IS_##form, reads, passes, writes},
#include "core/ops.def"
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

const operation *operation_find(const char *name, size_t length) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < sizeof wanted ? length : 0), name);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (same_name(wanted, OPERATIONS[i].name)) return &OPERATIONS[i];
    return NULL;
}

double operation_bytes(const operation *operation, size_t n, size_t size) {
    const double written = operation->outputs > 0 ? operation->outputs : 0;
    return (double)n * (double)size * (operation->inputs * operation->passes + written);
}

bool operation_is(const operation *operation, const char *stem) {
    return operation->run != run_reduce && strcmp(operation->name, stem) == 0;
}

weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type) {
    *out = (value){0};
    return operation->run(operation, ctx, in, out, type);
}
