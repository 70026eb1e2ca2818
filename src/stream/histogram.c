/* weft_histogram_source and weft_histogram_even_source: add the counts of all chunks. */
#include "core/order.h"
#include "stream/chunks.h"

#include <stdlib.h>
#include <string.h>

/* Bins between `edges`, or bins of equal width from lower to upper if `edges` is NULL. */
typedef struct bins {
    size_t count;
    const void *edges, *lower, *upper;
    uint64_t *chunk, *all; /* counts of a chunk, and of all chunks */
} bins;

static weft_status count(weft_context *ctx, const bins *b, weft_dtype dtype, size_t n, const void *x,
                         uint64_t *counts) {
    if (b->edges) return weft_histogram(ctx, dtype, n, x, b->count, b->edges, counts);
    return weft_histogram_even(ctx, dtype, n, x, b->count, b->lower, b->upper, counts);
}

static weft_status count_chunks(chunks *p, const bins *b, weft_dtype dtype) {
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return WEFT_OK;
        RETURN_IF_ERROR(count(p->ctx, b, dtype, p->n, p->x[0], b->chunk));
        for (size_t i = 0; i < b->count; i++) b->all[i] += b->chunk[i];
    }
}

/* Counts all elements. The first call counts no elements: it checks all arguments and sets the counts to 0. */
static weft_status count_all(weft_context *ctx, const bins *b, const weft_source *x) {
    const char *const names[] = {"x"};
    const size_t size = weft_dtype_size(x->dtype);
    size_t elements;
    RETURN_IF_ERROR(count(ctx, b, x->dtype, 0, NULL, b->all));
    RETURN_IF_ERROR(chunks_elements(ctx, WEFT_TILE(size), 2, transfer_inputs(ctx) * size, &elements));
    chunks p = {.ctx = ctx};
    weft_status status = chunks_open(&p, ctx, 1, &x, names, elements);
    if (status == WEFT_OK) status = count_chunks(&p, b, x->dtype);
    chunks_close(&p);
    return status;
}

static weft_status histogram(weft_context *ctx, bins *b, const weft_source *x, uint64_t *counts) {
    weft_error *error = &ctx->error;
    RETURN_IF_ERROR(chunks_check(ctx, "x", x));
    RETURN_IF(!counts, WEFT_INVALID, "counts is NULL");
    RETURN_IF(b->count == 0 || b->count > WEFT_BINS_MAX, WEFT_INVALID,
              "invalid number of bins %zu: expected 1 to %zu", b->count, (size_t)WEFT_BINS_MAX);
    b->chunk = malloc(2 * b->count * sizeof *b->chunk);
    RETURN_IF(!b->chunk, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the counts of %zu bins", b->count);
    b->all = b->chunk + b->count;
    const weft_status status = count_all(ctx, b, x);
    if (status == WEFT_OK) memcpy(counts, b->all, b->count * sizeof *counts);
    free(b->chunk);
    return status;
}

static weft_status run_histogram(weft_context *ctx, const weft_source *x, size_t bins_wanted, const void *edges,
                                 uint64_t *counts) {
    weft_error *error = &ctx->error;
    RETURN_IF(!edges, WEFT_INVALID, "edges is NULL");
    return histogram(ctx, &(bins){.count = bins_wanted, .edges = edges}, x, counts);
}

weft_status weft_histogram_source(weft_context *ctx, const weft_source *x, size_t bins_wanted, const void *edges,
                                  uint64_t *counts) {
    RETURN_STREAMED(ctx, run_histogram(ctx, x, bins_wanted, edges, counts));
}

static weft_status run_histogram_even(weft_context *ctx, const weft_source *x, size_t bins_wanted, const void *lower,
                                      const void *upper, uint64_t *counts) {
    return histogram(ctx, &(bins){.count = bins_wanted, .lower = lower, .upper = upper}, x, counts);
}

weft_status weft_histogram_even_source(weft_context *ctx, const weft_source *x, size_t bins_wanted, const void *lower,
                                       const void *upper, uint64_t *counts) {
    RETURN_STREAMED(ctx, run_histogram_even(ctx, x, bins_wanted, lower, upper, counts));
}
