/* weft_reduce_source, weft_variance_source and weft_dot_source, and functions shared with weft_map_reduce_source. */
#include "arith/exact_variance.h"
#include "arith/finish.h"
#include "core/check.h"
#include "core/exact_ops.h"
#include "core/part.h"
#include "core/reals.h"
#include "stream/reduction.h"
#include "stream/terms.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------- over the terms */

weft_status terms_elements(const terms *t, size_t *elements) {
    size_t bytes = 0;
    for (int i = 0; i < t->count; i++) bytes += transfer_inputs(t->ctx) * weft_dtype_size(t->sources[i]->dtype);
    return chunks_elements(t->ctx, WEFT_TILE(weft_dtype_size(t->dtype)), 2, bytes, elements);
}

weft_status terms_rewind(const terms *t, const char *why) {
    for (int i = 0; i < t->count; i++) RETURN_IF_ERROR(chunks_rewind(t->ctx, t->names[i], t->sources[i], why));
    return WEFT_OK;
}

/* Function called for each chunk. */
typedef weft_status visitor(const terms *t, const chunks *p, void *state);

/* Calls `visit` for all chunks. Sets *n to the number of elements. */
static weft_status visit_chunks(const terms *t, chunks *p, visitor *visit, void *state, uint64_t *n) {
    size_t elements;
    RETURN_IF_ERROR(terms_elements(t, &elements));
    RETURN_IF_ERROR(chunks_open(p, t->ctx, t->count, t->sources, t->names, elements));
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) break;
        RETURN_IF_ERROR(visit(t, p, state));
    }
    *n = p->first;
    return WEFT_OK;
}

static weft_status visit_all(const terms *t, visitor *visit, void *state, uint64_t *n) {
    chunks p = {.ctx = t->ctx};
    const weft_status status = visit_chunks(t, &p, visit, state, n);
    chunks_close(&p);
    return status;
}

/* ------------------------------------------------------------------------ by the tree alone */

/* A pass that combines the values of all chunks. */
typedef struct pass {
    reduction reduction;
    weft_op op;
    weft_dtype accumulate;
    const double *squares; /* argument `squares` of terms.reduce */
    double mean;           /* visit_deviations: mean of all elements */
} pass;

static weft_status visit_value(const terms *t, const chunks *p, void *state) {
    pass *s = state;
    stream_value value;
    RETURN_IF_ERROR(t->reduce(t, p, s->op, s->accumulate, s->squares, &value));
    return reduction_add(&s->reduction, &value);
}

/* Returns the operator that combines the values of chunks. */
static weft_op combine_of(weft_op op) {
    switch (op) {
    case WEFT_COUNT_NONZERO:
    case WEFT_MEAN:
    case WEFT_NORM1:
    case WEFT_NORM2: return WEFT_SUM;
    case WEFT_NORMINF: return WEFT_MAX;
    default: return op;
    }
}

/* Returns the type of the values of chunks. Sums and products of f16 and bf16 are f32, and rounded to `result` last.
 */
static weft_dtype type_of_values(weft_op op, weft_dtype result) {
    return op == WEFT_SUM || op == WEFT_PROD ? type_widened(result) : result;
}

/* Stores the value of all chunks, of the type `dtype`. */
static void store_total(weft_dtype dtype, const stream_value *value, weft_dtype result, void *out) {
    if (dtype == result)
        memcpy(out, value, weft_dtype_size(result));
    else
        store_real(result, (double)value->f32, out);
}

static weft_status reduce_by_tree(const terms *t, weft_op op, weft_dtype accumulate, weft_dtype result, void *out) {
    const weft_dtype dtype = type_of_values(op, result);
    pass s = {.reduction = {.ctx = t->ctx, .combine = combine_of(op), .dtype = dtype},
              .op = op,
              .accumulate = dtype == result ? accumulate : dtype};
    stream_value value;
    uint64_t n;
    RETURN_IF_ERROR(visit_all(t, visit_value, &s, &n));
    if (n == 0) return t->reduce_none(t, op, accumulate, out);
    RETURN_IF_ERROR(reduction_end(&s.reduction, &value));
    store_total(dtype, &value, result, out);
    return WEFT_OK;
}

/* ------------------------------------------------------------------- the first of the extremes */

/* The extreme value so far, and its index. */
typedef struct extreme {
    weft_op op; /* WEFT_ARGMIN or WEFT_ARGMAX */
    stream_value value;
    uint64_t index;
    bool there;
} extreme;

static weft_status visit_extreme(const terms *t, const chunks *p, void *state) {
    extreme *e = state;
    const size_t size = weft_dtype_size(t->dtype);
    stream_value value, pair[2];
    uint64_t index, later = 1;
    weft_context *combiner;
    RETURN_IF_ERROR(chunks_combiner(t->ctx, &combiner));
    RETURN_IF_ERROR(t->reduce(t, p, e->op, WEFT_DEFAULT, NULL, &index));
    RETURN_IF_ERROR(t->reduce(t, p, e->op == WEFT_ARGMIN ? WEFT_MIN : WEFT_MAX, WEFT_DEFAULT, NULL, &value));
    if (e->there) {
        memcpy(pair, &e->value, size);
        memcpy((char *)pair + size, &value, size);
        RETURN_IF_ERROR(weft_reduce(combiner, e->op, t->dtype, WEFT_DEFAULT, 2, pair, &later));
    }
    if (later) *e = (extreme){e->op, value, p->first + index, true};
    return WEFT_OK;
}

static weft_status reduce_extreme(const terms *t, weft_op op, void *out) {
    extreme e = {.op = op};
    uint64_t n;
    RETURN_IF_ERROR(visit_all(t, visit_extreme, &e, &n));
    if (n == 0) return t->reduce_none(t, op, WEFT_DEFAULT, out);
    memcpy(out, &e.index, sizeof e.index);
    return WEFT_OK;
}

/* -------------------------------------------------------------- sums in f64, and a last step */

static weft_status sum_in_f64(const terms *t, visitor *visit, pass *s, double *sum, uint64_t *n) {
    stream_value value = {.f64 = 0};
    s->reduction = (reduction){.ctx = t->ctx, .combine = WEFT_SUM, .dtype = WEFT_F64};
    RETURN_IF_ERROR(visit_all(t, visit, s, n));
    if (*n) RETURN_IF_ERROR(reduction_end(&s->reduction, &value));
    *sum = value.f64;
    return WEFT_OK;
}

/* Computes the norm from the sum of squares. Only squares of f64 can leave the range of f64; they are then summed
 * again with scaling (ORDER.md 3.3). */
static weft_status finish_norm2(const terms *t, double squares, double *norm) {
    const double scale = t->dtype == WEFT_F64 ? weft_norm2_scale(squares) : 1.0;
    if (scale != 1.0) {
        pass again = {.op = WEFT_NORM2, .accumulate = WEFT_F64, .squares = &squares};
        double scaled;
        uint64_t n;
        RETURN_IF_ERROR(terms_rewind(t, "norm2 must read it twice because its squares exceed the range of f64"));
        RETURN_IF_ERROR(sum_in_f64(t, visit_value, &again, &scaled, &n));
        *norm = weft_finish_norm2(sqrt(scaled), scale);
        return WEFT_OK;
    }
    *norm = sqrt(squares);
    return WEFT_OK;
}

static weft_status reduce_in_f64(const terms *t, weft_op op, weft_dtype accumulate, weft_dtype result, void *out) {
    static const double unscaled = 1;
    pass s = {.op = op, .accumulate = accumulate, .squares = &unscaled};
    double value;
    uint64_t n;
    RETURN_IF_ERROR(sum_in_f64(t, visit_value, &s, &value, &n));
    if (n == 0) return t->reduce_none(t, op, accumulate, out);
    if (op == WEFT_MEAN) value = weft_finish_mean(value, n);
    if (op == WEFT_NORM2) RETURN_IF_ERROR(finish_norm2(t, value, &value));
    store_real(result, value, out);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- exact sums */

/* An exact sum of the chunks so far. */
typedef struct exact_pass {
    exact_terms terms;
    int64_t state[WEFT_EXACT_WORDS];
} exact_pass;

static weft_status visit_exact(const terms *t, const chunks *p, void *state) {
    exact_pass *s = state;
    int64_t part[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(t->exact(t, p, s->terms, part));
    for (int i = 0; i < WEFT_EXACT_WORDS; i++) s->state[i] += part[i];
    weft_exact_carry(s->state);
    return WEFT_OK;
}

/* Sums the terms of one or two sources, which are not empty or for which *n becomes 0. */
static weft_status sum_exactly(const terms *t, exact_terms kind, exact_finish finish, uint64_t *n, void *out) {
    exact_pass s = {.terms = kind};
    RETURN_IF_ERROR(visit_all(t, visit_exact, &s, n));
    if (*n) weft_exact_store(s.state, finish, t->dtype == WEFT_F32, out);
    return WEFT_OK;
}

static weft_status reduce_exactly(const terms *t, weft_op op, void *out) {
    uint64_t n;
    RETURN_IF_ERROR(sum_exactly(t, exact_terms_of(op), exact_finish_of(op), &n, out));
    return n ? WEFT_OK : t->reduce_none(t, op, WEFT_EXACT_SUM, out);
}

/* ------------------------------------------------------------------------------ any operator */

weft_status terms_reduce(const terms *t, weft_op op, weft_dtype accumulate, void *out) {
    weft_error *error = &t->ctx->error;
    weft_dtype result;
    RETURN_IF_ERROR(check_reduction_type(op, t->dtype, accumulate, &result, error));
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    if (accumulate == WEFT_EXACT_SUM) return reduce_exactly(t, op, out);
    if (op == WEFT_ARGMIN || op == WEFT_ARGMAX) return reduce_extreme(t, op, out);
    if (op != WEFT_MEAN && op != WEFT_NORM1 && op != WEFT_NORM2)
        return reduce_by_tree(t, op, accumulate, result, out);
    return reduce_in_f64(t, op, accumulate, result, out);
}

/* ------------------------------------------------------------------------------- one source */

static weft_status reduce_chunk(const terms *t, const chunks *p, weft_op op, weft_dtype accumulate,
                                const double *squares, void *out) {
    if (squares) return part_sum(t->ctx, op, t->dtype, p->n, p->x[0], *squares, out);
    return weft_reduce(t->ctx, op, t->dtype, accumulate, p->n, p->x[0], out);
}

static weft_status sum_chunk(const terms *t, const chunks *p, exact_terms kind, int64_t *state) {
    return part_exact(t->ctx, kind, t->dtype, p->n, p->x[0], t->count > 1 ? p->x[1] : NULL, state);
}

static weft_status reduce_no_chunk(const terms *t, weft_op op, weft_dtype accumulate, void *out) {
    return weft_reduce(t->ctx, op, t->dtype, accumulate, 0, NULL, out);
}

static terms terms_of(weft_context *ctx, const weft_source *x) {
    return (terms){.ctx = ctx,
                   .dtype = x->dtype,
                   .count = 1,
                   .sources = {x},
                   .names = {"x"},
                   .reduce = reduce_chunk,
                   .exact = sum_chunk,
                   .reduce_none = reduce_no_chunk};
}

static weft_status run_reduce(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_source *x, void *out) {
    RETURN_IF_ERROR(chunks_check(ctx, "x", x));
    const terms t = terms_of(ctx, x);
    return terms_reduce(&t, op, accumulate, out);
}

weft_status weft_reduce_source(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_source *x,
                               void *out) {
    RETURN_STREAMED(ctx, run_reduce(ctx, op, accumulate, x, out));
}

/* --------------------------------------------------------------------------------- variance */

/* Adds the squared deviations from the mean. */
static weft_status visit_deviations(const terms *t, const chunks *p, void *state) {
    pass *s = state;
    stream_value value;
    RETURN_IF_ERROR(part_deviations(t->ctx, t->dtype, p->n, p->x[0], s->mean, &value.f64));
    return reduction_add(&s->reduction, &value);
}

static weft_status variance(const terms *t, weft_dtype accumulate, weft_dtype result, size_t ddof, void *out) {
    static const double unscaled = 1;
    pass sums = {.op = WEFT_MEAN, .accumulate = accumulate, .squares = &unscaled}, deviations = {.op = WEFT_MEAN};
    double mean, squares;
    uint64_t n;
    if (t->sources[0]->n < UINT64_MAX / 2) progress_plan(&t->ctx->watch, 2 * t->sources[0]->n); /* two passes */
    RETURN_IF_ERROR(sum_in_f64(t, visit_value, &sums, &mean, &n));
    if (ddof >= n) return weft_variance(t->ctx, t->dtype, accumulate, (size_t)n, ddof, NULL, out);
    mean = weft_finish_mean(mean, n);
    RETURN_IF_ERROR(terms_rewind(t, "variance must read it twice"));
    deviations.mean = mean;
    RETURN_IF_ERROR(sum_in_f64(t, visit_deviations, &deviations, &squares, &n));
    store_real(result, weft_finish_variance(squares, n, ddof), out);
    return WEFT_OK;
}

/* Sums each chunk twice, so that the source is read once. */
static weft_status visit_exact_variance(const terms *t, const chunks *p, void *state) {
    exact_pass *s = state;
    RETURN_IF_ERROR(visit_exact(t, p, &s[0]));
    return visit_exact(t, p, &s[1]);
}

static weft_status exact_variance(const terms *t, size_t ddof, void *out) {
    exact_pass s[] = {{.terms = EXACT_VALUES}, {.terms = EXACT_SQUARES}};
    uint64_t n;
    RETURN_IF_ERROR(visit_all(t, visit_exact_variance, s, &n));
    if (ddof >= n) return weft_variance(t->ctx, t->dtype, WEFT_EXACT_SUM, (size_t)n, ddof, NULL, out);
    weft_exact_store_variance(s[0].state, s[1].state, ddof, t->dtype == WEFT_F32, out);
    return WEFT_OK;
}

static weft_status run_variance(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_source *x,
                                void *out) {
    weft_error *error = &ctx->error;
    const bool exact = accumulate == WEFT_EXACT_SUM;
    weft_dtype result;
    RETURN_IF_ERROR(chunks_check(ctx, "x", x));
    RETURN_IF_ERROR(check_variance_type(x->dtype, accumulate, &result, error));
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    const terms t = terms_of(ctx, x);
    if (exact) return exact_variance(&t, ddof, out);
    RETURN_IF(!x->rewind, WEFT_INVALID, "the source x cannot be rewound, but variance must read it twice");
    return variance(&t, accumulate, result, ddof, out);
}

weft_status weft_variance_source(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_source *x,
                                 void *out) {
    RETURN_STREAMED(ctx, run_variance(ctx, accumulate, ddof, x, out));
}

/* -------------------------------------------------------------------------------------- dot */

static weft_status visit_products(const terms *t, const chunks *p, void *state) {
    pass *s = state;
    stream_value value;
    RETURN_IF_ERROR(weft_dot(t->ctx, t->dtype, s->accumulate, p->n, p->x[0], p->x[1], &value));
    return reduction_add(&s->reduction, &value);
}

static weft_status run_dot(weft_context *ctx, weft_dtype accumulate, const weft_source *x, const weft_source *y,
                           void *out) {
    weft_error *error = &ctx->error;
    weft_dtype result;
    stream_value value;
    uint64_t n;
    RETURN_IF_ERROR(chunks_check(ctx, "x", x));
    RETURN_IF_ERROR(chunks_check(ctx, "y", y));
    RETURN_IF(x == y, WEFT_INVALID, "x and y are the same source: two different sources are required");
    RETURN_IF(x->dtype != y->dtype, WEFT_INVALID,
              "x has elements of type %s and y of type %s: both must have the same type", weft_dtype_name(x->dtype),
              weft_dtype_name(y->dtype));
    const bool exact = accumulate == WEFT_EXACT_SUM;
    RETURN_IF_ERROR(check_dot_type(x->dtype, accumulate, &result, error));
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    const weft_dtype dtype = type_of_values(WEFT_SUM, result);
    const terms t = {
        .ctx = ctx, .dtype = x->dtype, .count = 2, .sources = {x, y}, .names = {"x", "y"}, .exact = sum_chunk};
    pass s = {.reduction = {.ctx = ctx, .combine = WEFT_SUM, .dtype = dtype},
              .accumulate = dtype == result ? accumulate : dtype};
    RETURN_IF_ERROR(exact ? sum_exactly(&t, EXACT_PRODUCTS, EXACT_TOTAL, &n, out)
                          : visit_all(&t, visit_products, &s, &n));
    if (exact && n > 0) return WEFT_OK;
    if (n == 0) return weft_dot(ctx, x->dtype, accumulate, 0, NULL, NULL, out);
    RETURN_IF_ERROR(reduction_end(&s.reduction, &value));
    store_total(dtype, &value, result, out);
    return WEFT_OK;
}

weft_status weft_dot_source(weft_context *ctx, weft_dtype accumulate, const weft_source *x, const weft_source *y,
                            void *out) {
    RETURN_STREAMED(ctx, run_dot(ctx, accumulate, x, y, out));
}
