/* weft_recurrence_axis: argument checks. */
#include "core/rows.h"

#include <string.h>

/* Arguments of the caller. */
typedef struct request {
    weft_direction direction;
    const weft_view *s, *u, *init, *v; /* init: or NULL */
    size_t along;
} request;

/* The recurrence of a block of rows: the arrays s, u, init if there is one, and v. */
static weft_status recur_rows(weft_context *ctx, const void *call, size_t rows, char *const *row, weft_error *error) {
    const request *const r = call;
    const recurrence_call c = {.dtype = r->v->dtype,
                               .reverse = r->direction == WEFT_REVERSE,
                               .rows = rows,
                               .n = r->v->shape[r->along],
                               .s = row[0],
                               .u = row[1],
                               .init = r->init ? row[2] : NULL,
                               .v = row[r->init ? 3 : 2]};
    return ctx->backend->recurrence(ctx->state, &c, error);
}

/* Adds an array with n elements along the axis. */
static void add_array(row_set *set, const request *r, void *p, size_t n, const ptrdiff_t *stride) {
    const size_t number = set->arrays++;
    set->array[number] = (row_array){p, weft_dtype_size(r->v->dtype), n, stride[r->along], 1, 0};
    set->count = 0;
    for (size_t k = 0; k < r->v->dimensions; k++) {
        if (k == r->along) continue;
        set->outer[set->count].n = r->v->shape[k];
        set->outer[set->count++].of[number] = stride[k];
    }
}

/* Adds an input, which is broadcast to the shape of v with length n along the axis. `target` describes that shape. */
static weft_status add_input(row_set *set, const request *r, const char *name, const weft_view *x, const char *target,
                             size_t n, weft_error *error) {
    ptrdiff_t stride[WEFT_DIMENSIONS_MAX];
    weft_view shape = *r->v;
    shape.shape[r->along] = n;
    RETURN_IF_ERROR(view_broadcast(name, x, target, &shape, shape.dimensions, stride, error));
    add_array(set, r, x->data, n, stride);
    return WEFT_OK;
}

/* Checks an input, which must not overlap v, or with `in_place` may be equal to it. */
static weft_status check_input(weft_context *ctx, const request *r, const char *name, const weft_view *x,
                               bool in_place, const range *to, weft_error *error) {
    range from;
    RETURN_IF_ERROR(check_view(ctx, name, x, &from, error));
    RETURN_IF_ERROR(check_view_type(name, x, r->v->dtype, error));
    return in_place && view_equal(x, r->v) ? WEFT_OK : check_apart(to, &from, error);
}

static weft_status recurrence_axis(weft_context *ctx, request *r, int axis, weft_error *error) {
    range to;
    row_set set = {.arrays = 0};
    RETURN_IF((unsigned)r->direction > WEFT_REVERSE, WEFT_INVALID, "invalid direction %d", (int)r->direction);
    RETURN_IF_ERROR(check_output_view(ctx, "v", r->v, &to, error));
    RETURN_IF_ERROR(check_float("recurrence", r->v->dtype, error));
    RETURN_IF_ERROR(check_axes(r->v, 1, &axis, &r->along, error));
    RETURN_IF_ERROR(check_input(ctx, r, "s", r->s, true, &to, error));
    RETURN_IF_ERROR(check_input(ctx, r, "u", r->u, true, &to, error));
    if (r->init) RETURN_IF_ERROR(check_input(ctx, r, "init", r->init, false, &to, error));
    const size_t n = r->v->shape[r->along];
    RETURN_IF_ERROR(add_input(&set, r, "s", r->s, "v", n, error));
    RETURN_IF_ERROR(add_input(&set, r, "u", r->u, "v", n, error));
    if (r->init) RETURN_IF_ERROR(add_input(&set, r, "init", r->init, "the initial values", 1, error));
    add_array(&set, r, r->v->data, n, r->v->stride);
    set.in_place = !view_equal(r->u, r->v);
    return view_elements(r->v) ? rows_run(ctx, &set, recur_rows, r, error) : WEFT_OK;
}

weft_status weft_recurrence_axis(weft_context *ctx, weft_direction direction, const weft_view *s, const weft_view *u,
                                 int axis, const weft_view *init, const weft_view *v) {
    request r = {.direction = direction, .s = s, .u = u, .init = init, .v = v};
    RETURN_GUARDED(ctx, recurrence_axis(ctx, &r, axis, error));
}
