/* weft_scatter_reduce_source and weft_scatter_count_source. If the order of the elements is free, the results of the
 * previous chunks are the initial values of the next one. Sums, products and means of floats have an order; the host
 * adds their elements one by one (stream/lanes.h), those of f16 and bf16 in f32 or f64. */
#include "core/check.h"
#include "core/indices.h"
#include "core/part.h"
#include "stream/chunks.h"
#include "stream/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INDICES, X, SOURCES };

#define COLUMNS_MAX (SIZE_MAX / 64) /* so that the bytes of the rows of all buffers are a size_t */

typedef struct scatter {
    weft_context *ctx;
    weft_op op;
    weft_range range;
    weft_dtype accumulate, result;
    size_t columns, m;
    const weft_source *sources[SOURCES];
    int count;    /* number of sources: 1 if only the indices are counted */
    bool ordered; /* the state is `lanes`, else `all` or `counts` */
    lanes lanes;
    void *all;                /* m * columns results, in memory of the context's device */
    uint64_t *chunk, *counts; /* counts of a chunk, and of all chunks */
    void *host[SOURCES];      /* copy of the current chunk, if it must be in host memory or in f32 */
} scatter;

static size_t row_bytes(const scatter *s, int i) {
    return (i == X ? s->columns : 1) * weft_dtype_size(s->sources[i]->dtype);
}

/* ------------------------------------------------------------------------------- one chunk */

/* Returns the bytes of a row of the copy of source i. */
static size_t copied_bytes(const scatter *s, int i) {
    return (i == X ? s->columns : 1) * weft_dtype_size(type_widened(s->sources[i]->dtype));
}

/* Returns source i of the current chunk in host memory. Elements of f16 and bf16 are converted to f32. */
static weft_status near(scatter *s, const chunks *p, int i, const void **x) {
    const weft_dtype dtype = s->sources[i]->dtype;
    *x = p->x[i];
    if (!transfer_needed(s->ctx) && !type_is_half(dtype)) return WEFT_OK;
    if (!s->host[i]) RETURN_IF_ERROR(buffer_take(s->ctx, WEFT_PINNED, p->elements * copied_bytes(s, i), &s->host[i]));
    *x = s->host[i];
    if (type_is_half(dtype)) return part_convert(s->ctx, p->n * s->columns, dtype, p->x[i], WEFT_F32, s->host[i]);
    return weft_copy(s->ctx, p->n * row_bytes(s, i), p->x[i], s->host[i]);
}

/* Fails if an index of the chunk is out of range and the call does not skip it. `index` is in host memory. */
static weft_status indices_in_range(const scatter *s, const chunks *p, const void *index) {
    const weft_dtype dtype = s->sources[INDICES]->dtype;
    if (s->range == WEFT_RANGE_SKIP) return WEFT_OK;
    const size_t i = indices_find(dtype, p->n, index, s->m);
    if (i == p->n) return WEFT_OK;
    return indices_fail(&s->ctx->error, dtype, p->first + i, indices_at(dtype, index, i), s->m);
}

/* Returns the status of a call on the chunk. If an index is out of range, its position in the message is that in the
 * source. */
static weft_status locate(scatter *s, const chunks *p, weft_status status) {
    const void *index;
    if (status != WEFT_INVALID) return status;
    RETURN_IF_ERROR(near(s, p, INDICES, &index));
    RETURN_IF_ERROR(indices_in_range(s, p, index));
    return status;
}

static weft_status add_in_order(scatter *s, const chunks *p) {
    const void *index, *x;
    RETURN_IF_ERROR(near(s, p, INDICES, &index));
    RETURN_IF_ERROR(indices_in_range(s, p, index));
    RETURN_IF_ERROR(near(s, p, X, &x));
    return lanes_add(&s->lanes, s->sources[INDICES]->dtype, p->n, index, x, &s->ctx->error);
}

static weft_status count(scatter *s, const chunks *p) {
    RETURN_IF_ERROR(locate(
        s, p, weft_scatter_count(s->ctx, s->range, s->sources[INDICES]->dtype, p->n, s->m, p->x[INDICES], s->chunk)));
    for (size_t j = 0; j < s->m; j++) s->counts[j] += s->chunk[j];
    return WEFT_OK;
}

/* Reduces n rows with the results so far as initial values, or with `init`. */
static weft_status reduce(const scatter *s, size_t n, const void *x, const void *index, const void *init) {
    return weft_scatter_reduce(s->ctx, s->op, s->range, s->sources[X]->dtype, s->accumulate,
                               s->sources[INDICES]->dtype, n, s->columns, s->m, x, index, init, s->all);
}

static weft_status add_chunk(scatter *s, const chunks *p) {
    if (s->ordered) return add_in_order(s, p);
    return s->count == 1 ? count(s, p) : locate(s, p, reduce(s, p->n, p->x[X], p->x[INDICES], s->all));
}

/* ------------------------------------------------------------------------------ all chunks */

static weft_status add_chunks(scatter *s, chunks *p) {
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return WEFT_OK;
        RETURN_IF_ERROR(add_chunk(s, p));
    }
}

static weft_status add_all(scatter *s) {
    static const char *const names[] = {"index", "x"};
    const size_t columns[] = {1, s->columns};
    size_t bytes = 0, elements;
    for (int i = 0; i < s->count; i++) bytes += transfer_inputs(s->ctx) * row_bytes(s, i);
    if (s->ordered && type_is_half(s->sources[X]->dtype)) bytes += copied_bytes(s, X);
    RETURN_IF_ERROR(chunks_elements(s->ctx, 1, 2, bytes, &elements));
    chunks p = {.ctx = s->ctx, .columns = columns};
    weft_status status = chunks_open(&p, s->ctx, s->count, s->sources, names, elements);
    if (status == WEFT_OK) status = add_chunks(s, &p);
    chunks_close(&p);
    for (int i = 0; i < s->count; i++) buffer_leave(s->ctx, WEFT_PINNED, elements * copied_bytes(s, i), s->host[i]);
    return status;
}

/* -------------------------------------------------------------------------------- reduction */

/* lanes_results for results of f16 or bf16: computes them and the initial values in f32. */
static weft_status round_results(scatter *s, const void *init, void *out) {
    weft_error *error = &s->ctx->error;
    const size_t results = s->m * s->columns;
    float *const values = malloc(saturated_product(results + 1, sizeof *values));
    weft_status status = WEFT_OK;
    RETURN_IF(!values, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for %zu results of f32", results);
    if (init) status = part_convert(s->ctx, results, s->result, init, WEFT_F32, values);
    if (status == WEFT_OK) lanes_results(&s->lanes, init ? values : NULL, values);
    if (status == WEFT_OK) status = part_convert(s->ctx, results, WEFT_F32, values, s->result, out);
    free(values);
    return status;
}

static weft_status reduce_in_order(scatter *s, const void *init, void *out) {
    s->lanes = (lanes){.op = s->op,
                       .dtype = type_widened(s->sources[X]->dtype),
                       .result = type_widened(s->result),
                       .m = s->m,
                       .columns = s->columns};
    weft_status status = lanes_open(&s->lanes, &s->ctx->error);
    if (status == WEFT_OK) status = add_all(s);
    if (status == WEFT_OK && type_is_half(s->result)) status = round_results(s, init, out);
    if (status == WEFT_OK && !type_is_half(s->result)) lanes_results(&s->lanes, init, out);
    lanes_close(&s->lanes);
    return status;
}

/* Reduces with an operator whose order is free. The first call reduces no rows and sets the initial values. */
static weft_status reduce_in_any_order(scatter *s, const void *init, void *out) {
    const size_t bytes = s->m * s->columns * weft_dtype_size(s->result);
    RETURN_IF_ERROR(weft_alloc(s->ctx, WEFT_DEVICE, bytes, &s->all));
    weft_status status = reduce(s, 0, NULL, NULL, init);
    if (status == WEFT_OK) status = add_all(s);
    if (status == WEFT_OK) status = weft_copy(s->ctx, bytes, s->all, out);
    buffer_leave(s->ctx, WEFT_DEVICE, bytes, s->all);
    return status;
}

/* Checks the sources. The number of x must be a multiple of that of the indices, if both are known. */
static weft_status check_sources(const scatter *s, weft_error *error) {
    const weft_source *const index = s->sources[INDICES], *const x = s->sources[X];
    RETURN_IF_ERROR(chunks_check(s->ctx, "x", x));
    RETURN_IF_ERROR(chunks_check(s->ctx, "index", index));
    RETURN_IF(x == index, WEFT_INVALID, "x and index are the same source: two different sources are required");
    RETURN_IF(s->columns == 0 || s->columns > COLUMNS_MAX, WEFT_INVALID,
              "invalid number of columns %zu: expected 1 to %zu", s->columns, (size_t)COLUMNS_MAX);
    if (x->n == WEFT_TO_THE_END || index->n == WEFT_TO_THE_END) return WEFT_OK;
    RETURN_IF(x->n / s->columns != index->n || x->n % s->columns != 0, WEFT_INVALID,
              "x has %" PRIu64 " elements and index has %" PRIu64 ": expected %zu elements for each index", x->n,
              index->n, s->columns);
    return WEFT_OK;
}

/* Checks all arguments. The first call has no rows and no targets, and checks the types. */
static weft_status check_reduction(scatter *s, const void *init, void *out, weft_error *error) {
    const weft_dtype dtype = s->sources[X]->dtype;
    size_t results;
    range r;
    RETURN_IF(s->accumulate == WEFT_EXACT_SUM, WEFT_UNSUPPORTED,
              "scatter_reduce cannot accumulate in exact from sources");
    RETURN_IF_ERROR(weft_scatter_reduce(s->ctx, s->op, s->range, dtype, s->accumulate, s->sources[INDICES]->dtype, 0,
                                        s->columns, 0, NULL, NULL, init, NULL));
    RETURN_IF_ERROR(check_reduction_type(s->op, dtype, s->accumulate, &s->result, error));
    RETURN_IF(__builtin_mul_overflow(s->m, s->columns, &results), WEFT_INVALID,
              "%zu results of %zu columns do not fit in memory", s->m, s->columns);
    RETURN_IF_ERROR(check_array(s->ctx, "out", out, results, weft_dtype_size(s->result), &r, error));
    RETURN_IF_ERROR(check_host_value("out", out, error));
    RETURN_IF_ERROR(check_array(s->ctx, "init", init, init ? results : 0, weft_dtype_size(s->result), &r, error));
    return check_host_value("init", init, error);
}

static weft_status run_reduce(scatter *s, const void *init, void *out) {
    weft_error *error = &s->ctx->error;
    RETURN_IF_ERROR(check_sources(s, error));
    RETURN_IF_ERROR(check_reduction(s, init, out, error));
    s->ordered = s->op == WEFT_MEAN || (type_is_real(s->result) && (s->op == WEFT_SUM || s->op == WEFT_PROD));
    return s->ordered ? reduce_in_order(s, init, out) : reduce_in_any_order(s, init, out);
}

weft_status weft_scatter_reduce_source(weft_context *ctx, weft_op op, weft_range range, weft_dtype accumulate,
                                       size_t columns, size_t m, const weft_source *x, const weft_source *index,
                                       const void *init, void *out) {
    scatter s = {.ctx = ctx,
                 .op = op,
                 .range = range,
                 .accumulate = accumulate,
                 .columns = columns,
                 .m = m,
                 .sources = {index, x},
                 .count = SOURCES};
    RETURN_STREAMED(ctx, run_reduce(&s, init, out));
}

/* ----------------------------------------------------------------------------------- counts */

static weft_status run_count(scatter *s, uint64_t *counts) {
    weft_error *error = &s->ctx->error;
    const size_t m = s->m;
    range r;
    RETURN_IF_ERROR(chunks_check(s->ctx, "index", s->sources[INDICES]));
    RETURN_IF_ERROR(weft_scatter_count(s->ctx, s->range, s->sources[INDICES]->dtype, 0, 0, NULL, NULL));
    RETURN_IF_ERROR(check_array(s->ctx, "counts", counts, m, sizeof *counts, &r, error));
    RETURN_IF_ERROR(check_host_value("counts", counts, error));
    s->chunk = calloc(m + 1, 2 * sizeof *s->chunk);
    RETURN_IF(!s->chunk, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the counts of %zu targets", m);
    s->counts = s->chunk + m;
    const weft_status status = add_all(s);
    if (status == WEFT_OK && m) memcpy(counts, s->counts, m * sizeof *counts);
    free(s->chunk);
    return status;
}

weft_status weft_scatter_count_source(weft_context *ctx, weft_range range, size_t m, const weft_source *index,
                                      uint64_t *counts) {
    scatter s = {.ctx = ctx, .range = range, .columns = 1, .m = m, .sources = {index, NULL}, .count = 1};
    RETURN_STREAMED(ctx, run_count(&s, counts));
}
