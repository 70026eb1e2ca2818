/* weft_map_source, weft_map_reduce_source and weft_map_scan_source. */
#include "core/bindings.h"
#include "core/part.h"
#include "stream/results.h"
#include "stream/terms.h"

#include <string.h>

/* A formula and its bindings. Its arrays are the current chunks of the sources. */
typedef struct formula {
    const weft_expr *expr;
    size_t count;
    weft_binding bindings[CHUNKS_SOURCES];
    int source[CHUNKS_SOURCES]; /* index of the source of each binding; -1: a scalar */
} formula;

static weft_status take_source(terms *t, formula *f, size_t i, const weft_source_binding *b, weft_error *error) {
    RETURN_IF_ERROR(chunks_check(t->ctx, b->name, b->source));
    for (int k = 0; k < t->count; k++)
        RETURN_IF(t->sources[k] == b->source, WEFT_INVALID,
                  "%.64s and %.64s are the same source: two different sources are required", t->names[k], b->name);
    f->bindings[i].dtype = b->source->dtype;
    f->source[i] = t->count;
    t->sources[t->count] = b->source;
    t->names[t->count++] = b->name;
    return WEFT_OK;
}

static weft_status take_bindings(terms *t, formula *f, const weft_source_binding *bindings, weft_error *error) {
    RETURN_IF(f->count > CHUNKS_SOURCES, WEFT_INVALID,
              "invalid number of bindings %zu: a formula has at most %d variables", f->count, CHUNKS_SOURCES);
    RETURN_IF(f->count && !bindings, WEFT_INVALID, "bindings is NULL");
    for (size_t i = 0; i < f->count; i++) {
        const weft_source_binding *b = &bindings[i];
        RETURN_IF(!b->name, WEFT_INVALID, "the name of binding %zu is NULL", i);
        RETURN_IF(!b->source == !b->scalar, WEFT_INVALID, "the variable %.64s is bound to %s", b->name,
                  b->source ? "both a source and a scalar" : "neither a source nor a scalar");
        f->bindings[i] = (weft_binding){b->name, b->dtype, NULL, b->scalar};
        f->source[i] = -1;
        if (b->source) RETURN_IF_ERROR(take_source(t, f, i, b, error));
    }
    RETURN_IF(t->count == 0, WEFT_INVALID,
              "the number of elements is unknown: at least one variable must be bound to a source");
    return WEFT_OK;
}

/* Binds the variables to the current chunk. */
static const weft_binding *bind(const formula *f, const chunks *p, weft_binding bound[CHUNKS_SOURCES]) {
    memcpy(bound, f->bindings, f->count * sizeof *bound);
    for (size_t i = 0; i < f->count; i++)
        if (f->source[i] >= 0) bound[i].array = p->x[f->source[i]];
    return bound;
}

/* ------------------------------------------------------------------------------------ reduced */

static weft_status reduce_chunk(const terms *t, const chunks *p, weft_op op, weft_dtype accumulate,
                                const double *squares, void *out) {
    const formula *f = t->formula;
    weft_binding bound[CHUNKS_SOURCES];
    return part_map_reduce(t->ctx, op, f->expr, t->dtype, accumulate, p->first, p->n, bind(f, p, bound), f->count,
                           squares, out);
}

static weft_status sum_chunk(const terms *t, const chunks *p, exact_terms kind, int64_t *state) {
    const formula *f = t->formula;
    weft_binding bound[CHUNKS_SOURCES];
    return part_map_exact(t->ctx, kind, f->expr, t->dtype, p->first, p->n, bind(f, p, bound), f->count, state);
}

static weft_status reduce_no_chunk(const terms *t, weft_op op, weft_dtype accumulate, void *out) {
    const formula *f = t->formula;
    return weft_map_reduce(t->ctx, op, f->expr, t->dtype, accumulate, 0, f->bindings, f->count, out);
}

static weft_status run_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                  weft_dtype accumulate, const weft_source_binding *bindings, size_t count,
                                  void *out) {
    formula f = {.expr = expr, .count = count};
    terms t = {.ctx = ctx,
               .dtype = dtype,
               .reduce = reduce_chunk,
               .exact = sum_chunk,
               .reduce_none = reduce_no_chunk,
               .formula = &f};
    RETURN_IF_ERROR(take_bindings(&t, &f, bindings, &ctx->error));
    RETURN_IF_ERROR(check_evaluation_type(dtype, &ctx->error));
    RETURN_IF_ERROR(part_map(ctx, expr, dtype, 0, 0, f.bindings, count, NULL)); /* checks the arguments */
    return terms_reduce(&t, op, accumulate, out);
}

weft_status weft_map_reduce_source(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                   weft_dtype accumulate, const weft_source_binding *bindings, size_t count,
                                   void *out) {
    RETURN_STREAMED(ctx, run_map_reduce(ctx, op, expr, dtype, accumulate, bindings, count, out));
}

/* ----------------------------------------------------------------------------------- scanned */

static weft_status scan_chunk(const terms *t, const chunks *p, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                              const void *init, void *y) {
    const formula *f = t->formula;
    weft_binding bound[CHUNKS_SOURCES];
    return part_map_scan(t->ctx, op, kind, f->expr, t->dtype, accumulate, p->first, p->n, bind(f, p, bound), f->count,
                         init, y);
}

static weft_status run_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr,
                                weft_dtype dtype, weft_dtype accumulate, const weft_source_binding *bindings,
                                size_t count, const void *init, const weft_sink *y) {
    formula f = {.expr = expr, .count = count};
    terms t = {.ctx = ctx, .dtype = dtype, .scan = scan_chunk, .formula = &f};
    RETURN_IF_ERROR(take_bindings(&t, &f, bindings, &ctx->error));
    RETURN_IF_ERROR(check_evaluation_type(dtype, &ctx->error));
    RETURN_IF_ERROR(part_map(ctx, expr, dtype, 0, 0, f.bindings, count, NULL)); /* checks the arguments */
    return terms_scan(&t, "map_scan", op, kind, accumulate, init, y);
}

weft_status weft_map_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr,
                                 weft_dtype dtype, weft_dtype accumulate, const weft_source_binding *bindings,
                                 size_t count, const void *init, const weft_sink *y) {
    RETURN_STREAMED(ctx, run_map_scan(ctx, op, kind, expr, dtype, accumulate, bindings, count, init, y));
}

/* ------------------------------------------------------------------------------------- stored */

static weft_status map_chunks(const terms *t, chunks *p, results *r) {
    const formula *f = t->formula;
    weft_binding bound[CHUNKS_SOURCES];
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return results_end(r);
        RETURN_IF_ERROR(
            part_map(t->ctx, f->expr, t->dtype, p->first, p->n, bind(f, p, bound), f->count, results_capacity(r)));
        RETURN_IF_ERROR(results_give(r, p->n, NULL));
    }
}

static weft_status map_source(const terms *t, const weft_sink *sink) {
    const size_t size = weft_dtype_size(t->dtype);
    chunks p = {.ctx = t->ctx};
    results r;
    size_t bytes = transfer_results(t->ctx) * size, elements;
    for (int i = 0; i < t->count; i++) bytes += transfer_inputs(t->ctx) * weft_dtype_size(t->sources[i]->dtype);
    RETURN_IF_ERROR(chunks_elements(t->ctx, WEFT_TILE(size), 2, bytes, &elements));
    weft_status status = results_open(&r, t->ctx, sink, t->dtype, elements);
    if (status == WEFT_OK) status = chunks_open(&p, t->ctx, t->count, t->sources, t->names, elements);
    if (status == WEFT_OK) status = map_chunks(t, &p, &r);
    chunks_close(&p);
    results_close(&r);
    return status;
}

static weft_status run_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                           const weft_source_binding *bindings, size_t count, const weft_sink *out) {
    formula f = {.expr = expr, .count = count};
    terms t = {.ctx = ctx, .dtype = dtype, .formula = &f};
    RETURN_IF_ERROR(take_bindings(&t, &f, bindings, &ctx->error));
    RETURN_IF_ERROR(part_map(ctx, expr, dtype, 0, 0, f.bindings, count, NULL)); /* checks the arguments */
    RETURN_IF_ERROR(chunks_check_sink(ctx, "out", out));
    return map_source(&t, out);
}

weft_status weft_map_source(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                            const weft_source_binding *bindings, size_t count, const weft_sink *out) {
    RETURN_STREAMED(ctx, run_map(ctx, expr, dtype, bindings, count, out));
}
