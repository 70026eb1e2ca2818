/* weft_fft_axes: argument checks, and the transforms along each axis. */
#include "core/fft_lengths.h"
#include "core/rows.h"

/* Arguments of the caller. */
typedef struct request {
    weft_fft_kind kind;
    size_t count; /* >= 1 */
    size_t axes[WEFT_DIMENSIONS_MAX];
    size_t dimensions; /* of the arrays of numbers: without the parts */
} request;

/* One transform of all vectors along an axis. The parts of complex numbers are the last axis of a view. */
typedef struct pass {
    weft_fft_kind kind;
    size_t axis;
    const weft_view *x, *y;
} pass;

static bool from_real(weft_fft_kind kind) { return kind == WEFT_R2C; }
static bool to_real(weft_fft_kind kind) { return kind == WEFT_C2R; }
static bool is_inverse(weft_fft_kind kind) { return kind == WEFT_C2C_INVERSE || kind == WEFT_C2R; }

/* ------------------------------------------------------------------------------------ a pass */

typedef struct pass_call {
    weft_fft_kind kind;
    weft_dtype dtype;
    size_t n;
} pass_call;

static weft_status transform_rows(weft_context *ctx, const void *call, size_t rows, char *const *row,
                                  weft_error *error) {
    const pass_call *const p = call;
    const fft_call c = {.dtype = p->dtype, .kind = p->kind, .batch = rows, .n = p->n, .x = row[0], .y = row[1]};
    return fft_run(ctx, &c, error);
}

/* Returns the dimension in which the distance of adjacent indices is `step` bytes in x and y, or `count` if there is
 * none. Dimensions of length 1 have no distance. */
static size_t dimension_of_step(const pass *p, size_t count, ptrdiff_t step) {
    for (size_t k = 0; k < count; k++)
        if (p->x->shape[k] > 1 && p->x->stride[k] == step && p->y->stride[k] == step) return k;
    return count;
}

/* Describes a pass as transforms along the columns of arrays without gaps. Returns false if x and y have another
 * layout, or the backend has no kernel for it. */
static bool as_columns(const weft_context *ctx, const pass *p, size_t dimensions, fft_call *c) {
    const weft_view *const x = p->x, *const y = p->y;
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(x->dtype);
    const size_t n = x->shape[p->axis];
    if (!ctx->backend->fft_takes_columns || (n & (n - 1)) != 0 || from_real(p->kind) || to_real(p->kind))
        return false;
    if (x->stride[dimensions] != size || y->stride[dimensions] != size) return false;
    *c = (fft_call){.dtype = x->dtype, .kind = p->kind, .batch = 1, .columns = 1, .x = x->data, .y = y->data};
    for (size_t step = 2 * (size_t)size; step < view_elements(x) * (size_t)size;) {
        const size_t k = dimension_of_step(p, dimensions, (ptrdiff_t)step);
        if (k == dimensions) return false;
        if (k == p->axis)
            c->n = x->shape[k];
        else
            *(c->n ? &c->batch : &c->columns) *= x->shape[k];
        step *= x->shape[k];
    }
    return c->n > 0 && c->columns > 1 && ctx->backend->fft_takes_columns(ctx->state, c);
}

static weft_status run_pass(weft_context *ctx, const pass *p, size_t dimensions, weft_error *error) {
    const bool real = from_real(p->kind) || to_real(p->kind);
    fft_call columns;
    if (as_columns(ctx, p, dimensions, &columns)) return ctx->backend->fft(ctx->state, &columns, error);
    row_set set = {.arrays = 2, .in_place = !real};
    set.array[0] = row_vectors(p->x, p->axis, !from_real(p->kind));
    set.array[1] = row_vectors(p->y, p->axis, !to_real(p->kind));
    for (size_t k = 0; k < dimensions; k++)
        if (k != p->axis)
            set.outer[set.count++] = (row_dimension){p->y->shape[k], {p->x->stride[k], p->y->stride[k]}};
    const pass_call call = {p->kind, p->y->dtype, to_real(p->kind) ? p->y->shape[p->axis] : p->x->shape[p->axis]};
    return rows_run(ctx, &set, transform_rows, &call, error);
}

weft_status fft_along(weft_context *ctx, weft_fft_kind kind, size_t dimensions, size_t axis, const weft_view *x,
                      const weft_view *y, weft_error *error) {
    return run_pass(ctx, &(pass){kind, axis, x, y}, dimensions, error);
}

/* --------------------------------------------------------------------------------- the passes */

/* Makes a view of the shape of x in scratch memory. */
static weft_status make_copy(weft_context *ctx, const weft_view *x, weft_view *copy, weft_error *error) {
    void *p;
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, view_elements(x) * weft_dtype_size(x->dtype), &p, error));
    return weft_view_of(x->dtype, x->dimensions, x->shape, p, copy);
}

/* Returns pass number `number` of a call: forward from the last axis of the list, inverse from the first one. The
 * first pass reads x and writes `to`; the others transform `to` in place, but the last pass of WEFT_C2R writes y. */
static pass pass_of(const request *r, size_t number, const weft_view *x, const weft_view *to, const weft_view *y) {
    const bool first = number == 0, last = number == r->count - 1, inverse = is_inverse(r->kind);
    pass p = {inverse ? WEFT_C2C_INVERSE : WEFT_C2C, 0, first ? x : to, to};
    p.axis = r->axes[inverse ? number : r->count - 1 - number];
    if (from_real(r->kind) && first) p.kind = WEFT_R2C;
    if (to_real(r->kind) && last) p = (pass){WEFT_C2R, p.axis, p.x, y};
    return p;
}

static weft_status run(weft_context *ctx, const request *r, const weft_view *x, const weft_view *y,
                       weft_error *error) {
    weft_watch *const watch = context_watch();
    weft_view copy;
    const weft_view *to = y;
    if (to_real(r->kind) && r->count > 1) {
        RETURN_IF_ERROR(make_copy(ctx, x, &copy, error));
        to = &copy;
    }
    if (r->count == 1) return fft_along(ctx, r->kind, r->dimensions, r->axes[0], x, y, error);
    progress_plan(watch, r->count);
    for (size_t i = 0; i < r->count; i++) {
        const pass p = pass_of(r, i, x, to, y);
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, run_pass(ctx, &p, r->dimensions, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- checks */

/* Checks the axes and the lengths along them. `numbers` is the view whose lengths are those of the transforms. */
static weft_status check_lengths(request *r, const weft_view *numbers, const int *axes, weft_error *error) {
    weft_view v = *numbers;
    v.dimensions = r->dimensions;
    RETURN_IF(r->count == 0, WEFT_INVALID, "0 axes: at least 1 is required");
    RETURN_IF_ERROR(check_axes(&v, r->count, axes, r->axes, error));
    for (size_t a = 0; a < r->count; a++) {
        const size_t n = v.shape[r->axes[a]];
        RETURN_IF(n == 0, WEFT_INVALID, "fft of 0 values along axis %d: at least 1 is required", axes[a]);
    }
    return WEFT_OK;
}

/* Fails unless y has the shape that x and the kind determine. */
static weft_status check_shapes(const request *r, const weft_view *x, const weft_view *y, weft_error *error) {
    const size_t last = r->axes[r->count - 1];
    const weft_view *const real = from_real(r->kind) ? x : y, *const other = from_real(r->kind) ? y : x;
    weft_view expected = *real;
    if (!from_real(r->kind) && !to_real(r->kind)) return check_view_shape("y", y, x, error);
    expected.shape[last] = real->shape[last] / 2 + 1;
    expected.shape[expected.dimensions++] = 2;
    bool equal = other->dimensions == expected.dimensions;
    for (size_t k = 0; equal && k < expected.dimensions; k++) equal = other->shape[k] == expected.shape[k];
    RETURN_IF(!equal, WEFT_INVALID, "%s has shape %s: expected %s for the %s of shape %s",
              from_real(r->kind) ? "y" : "x", view_shape_text(other->dimensions, other->shape).text,
              view_shape_text(expected.dimensions, expected.shape).text, from_real(r->kind) ? "x" : "y",
              view_shape_text(real->dimensions, real->shape).text);
    return WEFT_OK;
}

static weft_status fft_axes(weft_context *ctx, request *r, const weft_view *x, const int *axes, const weft_view *y,
                            weft_error *error) {
    range from, to;
    RETURN_IF((unsigned)r->kind > WEFT_C2R, WEFT_INVALID, "invalid fft kind %d", (int)r->kind);
    RETURN_IF_ERROR(check_view(ctx, "x", x, &from, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", y, &to, error));
    RETURN_IF_ERROR(check_float("fft", x->dtype, error));
    RETURN_IF_ERROR(check_view_type("y", y, x->dtype, error));
    if (!from_real(r->kind)) RETURN_IF_ERROR(check_view_parts("x", x, error));
    if (!to_real(r->kind)) RETURN_IF_ERROR(check_view_parts("y", y, error));
    r->dimensions = to_real(r->kind) ? y->dimensions : x->dimensions - !from_real(r->kind);
    RETURN_IF(r->dimensions == WEFT_DIMENSIONS_MAX, WEFT_INVALID,
              "%zu dimensions of numbers: at most %d are supported, for their parts are one more", r->dimensions,
              WEFT_DIMENSIONS_MAX - 1);
    RETURN_IF_ERROR(check_lengths(r, to_real(r->kind) ? y : x, axes, error));
    RETURN_IF_ERROR(check_shapes(r, x, y, error));
    if (!view_equal(x, y)) RETURN_IF_ERROR(check_apart(&to, &from, error));
    return view_elements(y) ? run(ctx, r, x, y, error) : WEFT_OK;
}

weft_status weft_fft_axes(weft_context *ctx, weft_fft_kind kind, const weft_view *x, size_t count, const int *axes,
                          const weft_view *y) {
    request r = {.kind = kind, .count = count};
    RETURN_GUARDED(ctx, fft_axes(ctx, &r, x, axes, y, error));
}
