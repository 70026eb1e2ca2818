/* weft_convolve2d and weft_correlate2d: argument checks, copies of arrays whose numbers are not adjacent, and the
 * choice between the direct method and transforms. */
#include "core/image_blocks.h"
#include "core/views.h"

enum { ALIGNMENT = 256 };

/* Arguments of the caller. */
typedef struct request {
    weft_convolve_mode mode;
    weft_field field;
    const weft_view *x, *h, *y;
} request;

static bool is_complex(const request *r) { return r->field == WEFT_COMPLEX; }

/* ----------------------------------------------------------------------------------- arrays */

/* An array of the caller, as matrices of adjacent numbers: itself, or a copy in scratch memory. Distances are in
 * numbers. */
typedef struct matrices {
    const weft_view *view;
    void *p;
    size_t row, matrix;
    bool copied;
} matrices;

/* Sets *distance to a stride in numbers. Returns false if it is negative or between two numbers. */
static bool in_numbers(ptrdiff_t stride, size_t bytes, size_t *distance) {
    if (stride < 0 || (size_t)stride % bytes != 0) return false;
    *distance = (size_t)stride / bytes;
    return true;
}

/* Finds the distances of the matrices of a view. Returns false if its columns are not adjacent numbers or its
 * matrices do not have one distance. */
static bool find_distances(const weft_view *v, bool complex_numbers, matrices *m) {
    const size_t size = weft_dtype_size(v->dtype), bytes = complex_numbers ? 2 * size : size;
    const size_t columns = v->dimensions - complex_numbers - 1, rows = columns - 1;
    bool several = false;
    size_t span = 0;
    m->row = v->shape[columns];
    if (complex_numbers && v->stride[columns + 1] != (ptrdiff_t)size) return false;
    if (v->shape[columns] > 1 && v->stride[columns] != (ptrdiff_t)bytes) return false;
    if (v->shape[rows] > 1 && !in_numbers(v->stride[rows], bytes, &m->row)) return false;
    m->matrix = v->shape[rows] * m->row;
    for (size_t k = rows; k-- > 0;) {
        if (v->shape[k] == 1) continue;
        if (several ? v->stride[k] != (ptrdiff_t)(span * bytes) : !in_numbers(v->stride[k], bytes, &m->matrix))
            return false;
        span = (several ? span : m->matrix) * v->shape[k];
        several = true;
    }
    return true;
}

/* Describes an array: without gaps if `dense`, else with any distances. */
static matrices find_matrices(const weft_view *v, bool complex_numbers, bool dense) {
    matrices m = {.view = v, .p = v->data};
    const size_t columns = v->dimensions - complex_numbers - 1, rows = columns - 1;
    const bool found = find_distances(v, complex_numbers, &m);
    const size_t matrix = v->shape[rows] * v->shape[columns];
    m.copied = !found || (dense && (m.row != v->shape[columns] || m.matrix != matrix));
    if (m.copied) m.row = v->shape[columns], m.matrix = matrix;
    return m;
}

/* Returns the bytes of the copy of an array, or 0. */
static size_t copy_bytes(const matrices *m) {
    return m->copied ? (size_t)round_up(view_elements(m->view) * weft_dtype_size(m->view->dtype), ALIGNMENT) : 0;
}

/* Sets *copy to a view of the copy at *at, and moves *at after it. */
static void locate_copy(matrices *m, char **at, weft_view *copy) {
    if (!m->copied) return;
    m->p = *at;
    weft_view_of(m->view->dtype, m->view->dimensions, m->view->shape, *at, copy);
    *at += copy_bytes(m);
}

/* ------------------------------------------------------------------------------------- call */

/* Returns true if the backend computes this call in one step. */
static bool is_direct(const weft_context *ctx, const convolve2d_call *c) {
    return c->m[0] * c->m[1] <= WEFT_CONVOLVE2D_DIRECT || !ctx->backend->fft_pass;
}

static weft_status compute(weft_context *ctx, const convolve2d_call *c, const convolve2d_blocks *b, char *scratch,
                           weft_error *error) {
    if (is_direct(ctx, c)) return ctx->backend->convolve2d(ctx->state, c, error);
    return convolve2d_by_transform(ctx, c, b, scratch, error);
}

static weft_status run(weft_context *ctx, const request *r, convolve2d_call *c, weft_error *error) {
    matrices x = find_matrices(r->x, is_complex(r), false), h = find_matrices(r->h, is_complex(r), true);
    matrices y = find_matrices(r->y, is_complex(r), true);
    weft_view x_copy, h_copy, y_copy;
    convolve2d_blocks blocks = {.bytes = 0};
    void *scratch;
    if (!is_direct(ctx, c)) {
        blocks = convolve2d_plan(ctx, c);
        /* The parts of x are read by several calls of the backend, each of which would copy all of it to a device. */
        if (ctx->backend->device_only && !ctx->backend->device_only(r->x->data) && !x.copied) {
            x.copied = true;
            x.row = c->n[1], x.matrix = c->n[0] * c->n[1];
        }
    }
    const size_t copies = copy_bytes(&x) + copy_bytes(&h) + copy_bytes(&y);
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, copies + blocks.bytes, &scratch, error));
    char *at = scratch;
    locate_copy(&x, &at, &x_copy);
    locate_copy(&h, &at, &h_copy);
    locate_copy(&y, &at, &y_copy);
    if (x.copied) RETURN_IF_ERROR(view_copy(ctx, r->x, &x_copy, error));
    if (h.copied) RETURN_IF_ERROR(view_copy(ctx, r->h, &h_copy, error));
    c->x = x.p, c->x_row = x.row, c->x_matrix = x.matrix;
    c->h = h.p;
    c->y = y.p;
    RETURN_IF_ERROR(compute(ctx, c, &blocks, at, error));
    return y.copied ? view_copy(ctx, &y_copy, r->y, error) : WEFT_OK;
}

/* -------------------------------------------------------------------------------------- checks */

/* Checks one of the three arrays: its type, its axes of numbers and the parts of complex numbers. */
static weft_status check_numbers(const request *r, const char *name, const weft_view *v, weft_error *error) {
    RETURN_IF_ERROR(check_view_type(name, v, r->x->dtype, error));
    RETURN_IF(v->dimensions < 2u + is_complex(r), WEFT_INVALID, "%s has %zu dimension%s: at least %d are required",
              name, v->dimensions, v->dimensions == 1 ? "" : "s", 2 + is_complex(r));
    return is_complex(r) ? check_view_parts(name, v, error) : WEFT_OK;
}

/* Finds the part of the full convolution that a mode returns. */
static weft_status find_part(const request *r, convolve2d_call *c, weft_error *error) {
    const bool x_shorter = c->n[0] < c->m[0] || c->n[1] < c->m[1], h_shorter = c->m[0] < c->n[0] || c->m[1] < c->n[1];
    RETURN_IF(r->mode == WEFT_VALID && x_shorter && h_shorter, WEFT_INVALID,
              "x is %zu x %zu and h %zu x %zu: one of them must have at least as many rows and columns as the other",
              c->n[0], c->n[1], c->m[0], c->m[1]);
    for (int k = 0; k < 2; k++) {
        const size_t n = c->n[k], m = c->m[k], shorter = (size_t)min_u64(n, m), longer = (size_t)max_u64(n, m);
        const size_t same = c->correlate ? m / 2 : (m - 1) / 2;
        c->first[k] = (ptrdiff_t)(r->mode == WEFT_FULL ? 0 : r->mode == WEFT_SAME ? same : shorter - 1);
        c->count[k] = r->mode == WEFT_FULL ? n + m - 1 : r->mode == WEFT_SAME ? n : longer - shorter + 1;
    }
    return WEFT_OK;
}

/* Sets the type, the lengths and the part of the call. */
static weft_status check_lengths(const request *r, convolve2d_call *c, weft_error *error) {
    const char *const name = c->correlate ? "correlation" : "convolution";
    const size_t axes = r->x->dimensions - is_complex(r);
    const size_t taps = r->h->dimensions - is_complex(r);
    RETURN_IF(taps != 2, WEFT_INVALID, "h has %zu dimension%s of numbers: expected 2", taps, taps == 1 ? "" : "s");
    c->dtype = r->x->dtype;
    c->is_complex = is_complex(r);
    for (int k = 0; k < 2; k++) c->n[k] = r->x->shape[axes - 2 + (size_t)k], c->m[k] = r->h->shape[k];
    RETURN_IF(c->n[0] == 0 || c->n[1] == 0 || c->m[0] == 0 || c->m[1] == 0, WEFT_EMPTY,
              "%s of %zu x %zu and %zu x %zu values is undefined", name, c->n[0], c->n[1], c->m[0], c->m[1]);
    RETURN_IF_ERROR(find_part(r, c, error));
    weft_view expected = *r->x;
    expected.shape[axes - 2] = c->count[0];
    return check_view_length("y", r->y, &expected, axes - 1, c->count[1], error);
}

/* Checks the mode, the border and its value. */
static weft_status check_border(const request *r, const convolve2d_call *c, weft_error *error) {
    RETURN_IF((unsigned)r->mode > WEFT_VALID, WEFT_INVALID, "invalid convolution mode %d", (int)r->mode);
    RETURN_IF((unsigned)c->border > WEFT_BORDER_SYMMETRIC, WEFT_INVALID, "invalid border %d", (int)c->border);
    RETURN_IF((unsigned)r->field > WEFT_COMPLEX, WEFT_INVALID, "invalid field %d", (int)r->field);
    return check_host_value("fill", c->fill, error);
}

/* Most elements of arrays and filters. A block needs at most 2^17 bytes for each element of the filter. With
 * addresses of 64 bits, only arrays with strides of 0 have more. */
static const size_t MOST_X = sizeof(size_t) > 4 ? SIZE_MAX >> 24 : SIZE_MAX >> 8;
static const size_t MOST_H = sizeof(size_t) > 4 ? SIZE_MAX >> 24 : SIZE_MAX >> 18;

/* Fails if the sizes of blocks could overflow. */
static weft_status check_elements(const char *name, const weft_view *v, size_t most, weft_error *error) {
    RETURN_IF(view_elements(v) > most, WEFT_INVALID, "%s has %zu elements: at most %zu are supported", name,
              view_elements(v), most);
    return WEFT_OK;
}

static weft_status convolve2d(weft_context *ctx, request *r, convolve2d_call *c, weft_error *error) {
    static const double zero[2] = {0, 0};
    range from_x, from_h, to;
    RETURN_IF_ERROR(check_border(r, c, error));
    RETURN_IF_ERROR(check_view(ctx, "x", r->x, &from_x, error));
    RETURN_IF_ERROR(check_view(ctx, "h", r->h, &from_h, error));
    RETURN_IF_ERROR(check_output_view(ctx, "y", r->y, &to, error));
    RETURN_IF_ERROR(check_float(c->correlate ? "correlation" : "convolution", r->x->dtype, error));
    RETURN_IF_ERROR(check_numbers(r, "x", r->x, error));
    RETURN_IF_ERROR(check_numbers(r, "h", r->h, error));
    RETURN_IF_ERROR(check_numbers(r, "y", r->y, error));
    RETURN_IF_ERROR(check_elements("x", r->x, MOST_X, error));
    RETURN_IF_ERROR(check_elements("h", r->h, MOST_H, error));
    RETURN_IF_ERROR(check_lengths(r, c, error));
    RETURN_IF_ERROR(check_apart(&to, &from_x, error));
    RETURN_IF_ERROR(check_apart(&to, &from_h, error));
    if (view_elements(r->y) == 0) return WEFT_OK;
    if (r->mode == WEFT_VALID) c->border = WEFT_BORDER_FILL, c->fill = zero;
    if (!c->fill) c->fill = zero;
    c->matrices = view_elements(r->y) / (c->count[0] * c->count[1] * (is_complex(r) ? 2 : 1));
    return run(ctx, r, c, error);
}

weft_status weft_convolve2d(weft_context *ctx, weft_convolve_mode mode, weft_border border, const void *fill,
                            weft_field field, const weft_view *x, const weft_view *h, const weft_view *y) {
    request r = {.mode = mode, .field = field, .x = x, .h = h, .y = y};
    convolve2d_call call = {.border = border, .fill = fill};
    RETURN_GUARDED(ctx, convolve2d(ctx, &r, &call, error));
}

weft_status weft_correlate2d(weft_context *ctx, weft_convolve_mode mode, weft_border border, const void *fill,
                             weft_field field, const weft_view *x, const weft_view *h, const weft_view *y) {
    request r = {.mode = mode, .field = field, .x = x, .h = h, .y = y};
    convolve2d_call call = {.correlate = true, .border = border, .fill = fill};
    RETURN_GUARDED(ctx, convolve2d(ctx, &r, &call, error));
}
