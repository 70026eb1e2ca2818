/* weft_convolve_axis and weft_correlate_axis: argument checks. */
#include "core/rows.h"

/* Arguments of the caller. */
typedef struct request {
    weft_convolve_mode mode;
    weft_field field;
    const weft_view *x, *h, *y;
    size_t dimensions; /* of x, without the parts */
    size_t along, along_h;
} request;

static bool is_complex(const request *r) { return r->field == WEFT_COMPLEX; }

/* Convolves a block of rows: the arrays x, h unless all rows share it, and y. */
static weft_status convolve_rows(weft_context *ctx, const void *call, size_t rows, char *const *row,
                                 weft_error *error) {
    convolve_call c = *(const convolve_call *)call;
    c.rows = rows;
    c.x = row[0];
    c.y = row[1];
    if (!c.h) {
        c.filters = rows;
        c.h = row[1];
        c.y = row[2];
    }
    return ctx->backend->convolve(ctx->state, &c, error);
}

/* -------------------------------------------------------------------------------------- checks */

/* Checks one of the three arrays, and that the parts of complex numbers are its last axis. */
static weft_status check_numbers(const request *r, const char *name, const weft_view *v, weft_error *error) {
    RETURN_IF_ERROR(check_view_type(name, v, r->x->dtype, error));
    return is_complex(r) ? check_view_parts(name, v, error) : WEFT_OK;
}

/* Finds the axis of h that contains the filters. */
static weft_status check_filters(request *r, weft_error *error) {
    const size_t count = r->h->dimensions - is_complex(r);
    RETURN_IF(count != 1 && count != r->dimensions, WEFT_INVALID,
              "h has %zu dimensions of numbers: expected 1, or %zu as x has", count, r->dimensions);
    r->along_h = count == 1 ? 0 : r->along;
    return WEFT_OK;
}

/* Sets the distances of the filters of adjacent vectors of x. */
static weft_status broadcast_filters(const request *r, ptrdiff_t *stride, weft_error *error) {
    weft_view filters = *r->x, h = *r->h;
    filters.dimensions = r->dimensions;
    for (size_t k = 0; k < r->dimensions; k++) stride[k] = 0;
    if (h.dimensions - is_complex(r) < r->dimensions) return WEFT_OK;
    h.dimensions = r->dimensions;
    filters.shape[r->along] = h.shape[r->along];
    return view_broadcast("h", &h, "the filters", &filters, r->dimensions, stride, error);
}

/* ---------------------------------------------------------------------------------------- call */

static weft_status run(weft_context *ctx, const request *r, convolve_call *c, const ptrdiff_t *filter_stride,
                       weft_error *error) {
    const row_array filter = row_vectors(r->h, r->along_h, is_complex(r));
    row_set set = {.arrays = 2};
    bool shared = true;
    for (size_t k = 0; k < r->dimensions; k++)
        if (k != r->along && r->x->shape[k] > 1 && filter_stride[k] != 0) shared = false;
    set.array[0] = row_vectors(r->x, r->along, is_complex(r));
    if (shared)
        RETURN_IF_ERROR(row_of_vector(ctx, &filter, &c->h, error));
    else
        set.array[1] = filter, set.arrays = 3;
    set.array[set.arrays - 1] = row_vectors(r->y, r->along, is_complex(r));
    for (size_t k = 0; k < r->dimensions; k++) {
        if (k == r->along) continue;
        row_dimension *const d = &set.outer[set.count++];
        *d = (row_dimension){r->y->shape[k], {r->x->stride[k], filter_stride[k]}};
        d->of[set.arrays - 1] = r->y->stride[k];
    }
    return rows_run(ctx, &set, convolve_rows, c, error);
}

static weft_status convolve_axis(weft_context *ctx, request *r, convolve_call *c, int axis, weft_error *error) {
    range from_x, from_h, to;
    ptrdiff_t filter_stride[WEFT_DIMENSIONS_MAX];
    RETURN_IF_ERROR(check_view(ctx, "x", r->x, &from_x, error));
    RETURN_IF_ERROR(check_view(ctx, "h", r->h, &from_h, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", r->y, &to, error));
    RETURN_IF((unsigned)r->field > WEFT_COMPLEX, WEFT_INVALID, "invalid field %d", (int)r->field);
    RETURN_IF_ERROR(check_float(c->correlate ? "correlation" : "convolution", r->x->dtype, error));
    RETURN_IF_ERROR(check_numbers(r, "x", r->x, error));
    RETURN_IF_ERROR(check_numbers(r, "h", r->h, error));
    RETURN_IF_ERROR(check_numbers(r, "y", r->y, error));
    weft_view numbers = *r->x;
    numbers.dimensions = r->dimensions = r->x->dimensions - is_complex(r);
    RETURN_IF_ERROR(check_axes(&numbers, 1, &axis, &r->along, error));
    RETURN_IF_ERROR(check_filters(r, error));
    c->dtype = r->x->dtype;
    c->n = r->x->shape[r->along];
    c->m = r->h->shape[r->along_h];
    RETURN_IF_ERROR(check_convolution(c, r->field, r->mode, error));
    RETURN_IF_ERROR(broadcast_filters(r, filter_stride, error));
    RETURN_IF_ERROR(check_view_length("y", r->y, r->x, r->along, c->count, error));
    RETURN_IF_ERROR(check_apart(&to, &from_x, error));
    RETURN_IF_ERROR(check_apart(&to, &from_h, error));
    return view_elements(r->y) ? run(ctx, r, c, filter_stride, error) : WEFT_OK;
}

weft_status weft_convolve_axis(weft_context *ctx, weft_convolve_mode mode, weft_field field, const weft_view *x,
                               int axis, const weft_view *h, const weft_view *y) {
    request r = {.mode = mode, .field = field, .x = x, .h = h, .y = y};
    convolve_call call = {.rows = 1, .filters = 1};
    RETURN_GUARDED(ctx, convolve_axis(ctx, &r, &call, axis, error));
}

weft_status weft_correlate_axis(weft_context *ctx, weft_convolve_mode mode, weft_field field, const weft_view *x,
                                int axis, const weft_view *h, const weft_view *y) {
    request r = {.mode = mode, .field = field, .x = x, .h = h, .y = y};
    convolve_call call = {.correlate = true, .rows = 1, .filters = 1};
    RETURN_GUARDED(ctx, convolve_axis(ctx, &r, &call, axis, error));
}
