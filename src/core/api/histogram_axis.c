/* weft_histogram_axis and weft_histogram_even_axis: argument checks. */
#include "core/histogram_checks.h"
#include "core/rows.h"

/* Arguments of the caller but the edges or bounds. */
typedef struct request {
    const weft_view *x, *counts;
    size_t along;
} request;

/* ---------------------------------------------------------------------------------------- rows */

/* Counts the elements of a block of rows: the arrays x, unless its rows have no elements, and counts. A GPU takes all
 * rows at once; on a CPU, each of several rows is a unit of the call's progress. */
static weft_status count_rows(weft_context *ctx, const void *call, size_t rows, char *const *row, weft_error *error) {
    weft_watch *const watch = context_watch();
    histogram_call c = *(const histogram_call *)call;
    const size_t bytes = c.n * weft_dtype_size(c.dtype);
    c.x = c.n ? row[0] : NULL;
    c.counts = (uint64_t *)row[c.n ? 1 : 0];
    if (rows == 1 || ctx->backend->device_only) {
        c.rows = rows;
        return ctx->backend->histogram(ctx->state, &c, error);
    }
    progress_plan(watch, rows);
    for (size_t i = 0; i < rows; i++) {
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, ctx->backend->histogram(ctx->state, &c, error), error));
        progress_advance(watch, 1);
        if (c.n) c.x = (const char *)c.x + bytes;
        c.counts += c.bins;
    }
    return WEFT_OK;
}

static weft_status run(weft_context *ctx, const request *r, const histogram_call *c, weft_error *error) {
    row_set set = {.arrays = 0};
    if (c->n) set.array[set.arrays++] = row_vectors(r->x, r->along, false);
    set.array[set.arrays++] = row_vectors(r->counts, r->along, false);
    for (size_t k = 0; k < r->x->dimensions; k++) {
        if (k == r->along) continue;
        row_dimension *const d = &set.outer[set.count++];
        *d = (row_dimension){r->x->shape[k], {r->x->stride[k]}};
        d->of[set.arrays - 1] = r->counts->stride[k];
    }
    return rows_run(ctx, &set, count_rows, c, error);
}

/* -------------------------------------------------------------------------------------- checks */

/* Checks the arguments that both functions have. Fills *to with the memory of the counts. */
static weft_status check_counts(weft_context *ctx, request *r, histogram_call *c, int axis, range *to,
                                weft_error *error) {
    range from;
    RETURN_IF_ERROR(check_view(ctx, "x", r->x, &from, error));
    RETURN_IF_ERROR(check_output_view(ctx, "counts", r->counts, to, error));
    RETURN_IF_ERROR(check_axes(r->x, 1, &axis, &r->along, error));
    c->dtype = r->x->dtype;
    RETURN_IF_ERROR(check_bins(c, error));
    RETURN_IF_ERROR(check_view_type("counts", r->counts, WEFT_U64, error));
    RETURN_IF_ERROR(check_view_length("counts", r->counts, r->x, r->along, c->bins, error));
    c->n = r->x->shape[r->along];
    return check_apart(to, &from, error);
}

static weft_status histogram_axis(weft_context *ctx, request *r, histogram_call *c, int axis, weft_error *error) {
    range counts;
    RETURN_IF_ERROR(check_counts(ctx, r, c, axis, &counts, error));
    RETURN_IF_ERROR(check_edges_memory(ctx, c, &counts, error));
    if (view_elements(r->counts) == 0) return WEFT_OK; /* a backend that checks the edges has no vector to do so */
    RETURN_IF_ERROR(check_edges_values(ctx, c, error));
    return run(ctx, r, c, error);
}

weft_status weft_histogram_axis(weft_context *ctx, const weft_view *x, int axis, size_t bins, const void *edges,
                                const weft_view *counts) {
    request r = {.x = x, .counts = counts};
    histogram_call call = {.rows = 1, .bins = bins, .edges = edges};
    RETURN_GUARDED(ctx, histogram_axis(ctx, &r, &call, axis, error));
}

static weft_status histogram_even_axis(weft_context *ctx, request *r, histogram_call *c, int axis, const void *lower,
                                       const void *upper, weft_error *error) {
    range counts;
    RETURN_IF_ERROR(check_counts(ctx, r, c, axis, &counts, error));
    RETURN_IF_ERROR(check_even_bounds(ctx, c, lower, upper, error));
    return view_elements(r->counts) ? run(ctx, r, c, error) : WEFT_OK;
}

weft_status weft_histogram_even_axis(weft_context *ctx, const weft_view *x, int axis, size_t bins, const void *lower,
                                     const void *upper, const weft_view *counts) {
    request r = {.x = x, .counts = counts};
    histogram_call call = {.rows = 1, .bins = bins};
    RETURN_GUARDED(ctx, histogram_even_axis(ctx, &r, &call, axis, lower, upper, error));
}
