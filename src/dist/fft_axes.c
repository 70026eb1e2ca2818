/* weft_dist_fft_axes: transforms of divided arrays along their two or three axes. A rank transforms along the axes
 * that it has as a whole. Between two axes, the ranks exchange parts of their blocks, so that they have the next axis
 * as a whole. Each vector is transformed by one call of the library, as on one rank.
 *
 *     a grid of P rows of Q ranks          a rank has of axis 0, 1, 2      transforms along
 *     LAYOUT_ARRAY                         n0 / P    n1 / Q    n2          axis 2
 *     LAYOUT_BETWEEN                       n0 / P    n1        n2 / Q      axis 1
 *     LAYOUT_SPECTRUM                      n0        n1 / P    n2 / Q      axis 0
 *
 * Forward transforms use the layouts in this order, inverse ones in the opposite order, which is the order of the
 * axes in ORDER.md 32.8. With Q = 1 the first two are equal, with P = 1 the last two. An array of two axes has a
 * third one of length 1 here, and Q = 1. A spectrum that is divided as the array needs one more exchange, between
 * LAYOUT_ARRAY and LAYOUT_SPECTRUM. */
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

enum { AXES = 3 };

typedef enum layout { LAYOUT_ARRAY, LAYOUT_BETWEEN, LAYOUT_SPECTRUM } layout;

/* Part of an array of complex numbers: elements first to first + count - 1 along each axis. */
typedef struct block {
    uint64_t first[AXES];
    size_t count[AXES];
} block;

typedef struct transform {
    weft_dist *d;
    weft_fft_kind kind;
    weft_spectrum spectrum;
    weft_dtype dtype;
    size_t across, batch;
    size_t axes;          /* 2 or 3 */
    size_t n[AXES];       /* lengths of the transforms */
    size_t numbers[AXES]; /* lengths of the array of complex numbers: n, or along the last axis n/2 + 1 */
    char *x, *y;
    char *at;           /* numbers of this rank after the previous step: x, or in a workspace */
    char *work[2];      /* workspaces, each for the largest block of this rank */
    weft_status status; /* of this rank's steps since the last exchange */
} transform;

static bool is_inverse(const transform *t) { return t->kind == WEFT_C2C_INVERSE || t->kind == WEFT_C2R; }
static bool is_real(const transform *t) { return t->kind == WEFT_R2C || t->kind == WEFT_C2R; }

/* Returns the layout of the complex spectrum: y of a forward transform, x of an inverse one. */
static layout layout_of_spectrum(const transform *t) {
    return t->spectrum == WEFT_SPECTRUM_TRANSPOSED ? LAYOUT_SPECTRUM : LAYOUT_ARRAY;
}

/* ----------------------------------------------------------------------------------- blocks */

/* Returns the block of a rank. */
static block block_of(const transform *t, layout where, int rank) {
    const int columns = (int)t->across, rows = t->d->size / columns;
    const size_t by_row = where == LAYOUT_SPECTRUM ? 1 : 0, by_column = where == LAYOUT_ARRAY ? 1 : 2;
    block b;
    for (size_t k = 0; k < AXES; k++) {
        weft_slice part = {t->numbers[k], 0, t->numbers[k]};
        if (k == by_row) part = weft_slice_share(t->numbers[k], rows, rank / columns);
        if (k == by_column && columns > 1) part = weft_slice_share(t->numbers[k], columns, rank % columns);
        b.first[k] = part.offset;
        b.count[k] = part.count;
    }
    return b;
}

/* Returns the numbers that two blocks have in common. */
static block common(block a, block b) {
    block both;
    for (size_t k = 0; k < AXES; k++) {
        const uint64_t end = min_u64(a.first[k] + a.count[k], b.first[k] + b.count[k]);
        both.first[k] = max_u64(a.first[k], b.first[k]);
        both.count[k] = end > both.first[k] ? (size_t)(end - both.first[k]) : 0;
    }
    return both;
}

/* Returns the number of values of a block in all arrays of the batch, or the largest size_t. */
static size_t values_of(const transform *t, block b) {
    size_t values = t->batch;
    for (size_t k = 0; k < AXES; k++) values = saturated_product(values, b.count[k]);
    return values;
}

/* Returns the number of reals of this rank's block, or the largest size_t. real: the values are real numbers. */
static size_t reals_of(const transform *t, layout where, bool real) {
    block b = block_of(t, where, t->d->rank);
    if (real) b.count[t->axes - 1] = t->n[t->axes - 1];
    return saturated_product(values_of(t, b), real ? 1 : 2);
}

static size_t reals_of_x(const transform *t) {
    return is_inverse(t) ? reals_of(t, layout_of_spectrum(t), false) : reals_of(t, LAYOUT_ARRAY, t->kind == WEFT_R2C);
}

static size_t reals_of_y(const transform *t) {
    return is_inverse(t) ? reals_of(t, LAYOUT_ARRAY, t->kind == WEFT_C2R) : reals_of(t, layout_of_spectrum(t), false);
}

/* Describes blocks of the batch without gaps. The parts of complex numbers are the last of five axes. */
static weft_status view_of(const transform *t, const size_t count[AXES], bool real, const char *p, weft_view *v) {
    const size_t shape[] = {t->batch, count[0], count[1], count[2], 2};
    return dist_took(t->d, weft_view_of(t->dtype, real ? 4 : 5, shape, p, v));
}

/* --------------------------------------------------------------------------------- exchange */

static char *other_workspace(const transform *t, const char *p) { return t->work[p == t->work[0]]; }

/* Sets ranges[r] to the consecutive byte ranges of the parts that this rank, in layout `here`, and rank r, in layout
 * `there`, have in common. Returns true if this is also their order in the memory of this rank's block. */
static bool list_parts(const transform *t, layout here, layout there, extent *ranges) {
    const block own = block_of(t, here, t->d->rank);
    const size_t size = 2 * weft_dtype_size(t->dtype);
    bool in_order = t->batch == 1;
    uint64_t at = 0;
    for (int r = 0; r < t->d->size; r++) {
        const block part = common(own, block_of(t, there, r));
        const size_t values = values_of(t, part);
        if (values && (part.count[1] < own.count[1] || part.count[2] < own.count[2])) in_order = false;
        ranges[r] = (extent){at, at + values * size};
        at = ranges[r].end;
    }
    return in_order;
}

/* Copies the parts of list_parts from this rank's block to consecutive memory, or back. */
static weft_status copy_parts(const transform *t, layout here, layout there, bool back, const char *numbers,
                              const char *packed) {
    const block own = block_of(t, here, t->d->rank);
    weft_view all, side;
    RETURN_IF_ERROR(view_of(t, own.count, false, numbers, &all));
    for (int r = 0; r < t->d->size; r++) {
        const block part = common(own, block_of(t, there, r));
        weft_view inner = all;
        if (values_of(t, part) == 0) continue;
        for (size_t k = 0; k < AXES; k++) {
            inner.shape[k + 1] = part.count[k];
            inner.data = (char *)inner.data + (ptrdiff_t)(part.first[k] - own.first[k]) * inner.stride[k + 1];
        }
        RETURN_IF_ERROR(view_of(t, part.count, false, packed, &side));
        RETURN_IF_ERROR(dist_took(t->d, weft_copy_view(t->d->ctx, back ? &side : &inner, back ? &inner : &side)));
        packed += values_of(t, part) * 2 * weft_dtype_size(t->dtype);
    }
    return WEFT_OK;
}

/* Returns true if all ranks have the same blocks in both layouts. */
static bool are_equal(const transform *t, layout a, layout b) {
    if (a == LAYOUT_SPECTRUM || b == LAYOUT_SPECTRUM)
        return (size_t)t->d->size == t->across && a != LAYOUT_ARRAY && b != LAYOUT_ARRAY;
    return t->across == 1;
}

/* Exchanges numbers, so that the ranks have their blocks of layout `to`, in a workspace or, if `y` is not NULL, at y.
 */
static weft_status exchange(transform *t, layout from, layout to, char *y) {
    weft_dist *const d = t->d;
    if (are_equal(t, from, to)) return WEFT_OK;
    const bool send_directly = list_parts(t, from, to, d->out);
    const bool receive_directly = list_parts(t, to, from, d->in) && !y;
    char *const sent = send_directly ? t->at : other_workspace(t, t->at);
    char *const received = other_workspace(t, sent);
    if (t->status == WEFT_OK && !send_directly) t->status = copy_parts(t, from, to, false, t->at, sent);
    RETURN_IF_ERROR(dist_agree(d, t->status));
    RETURN_IF_ERROR(dist_move(d, sent, received));
    t->at = received;
    if (receive_directly) return WEFT_OK;
    t->at = y ? y : other_workspace(t, received);
    t->status = copy_parts(t, to, from, true, t->at, received);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- transforms */

/* Transforms all vectors of this rank along `count` axes, from `axis` on, from x to y. Only the last axis of a real
 * transform is real. */
static weft_status transform_axes(const transform *t, layout where, size_t axis, size_t count, const char *x,
                                  char *y) {
    const bool last = axis + count == t->axes, from_real = last && t->kind == WEFT_R2C,
               to_real = last && t->kind == WEFT_C2R;
    const weft_fft_kind kind = last ? t->kind : is_inverse(t) ? WEFT_C2C_INVERSE : WEFT_C2C;
    const int axes[] = {(int)axis + 1, (int)axis + 2, (int)axis + 3};
    const block own = block_of(t, where, t->d->rank);
    block real = own;
    weft_view in, out;
    if (last) real.count[t->axes - 1] = t->n[t->axes - 1];
    if (values_of(t, own) == 0) return WEFT_OK;
    RETURN_IF_ERROR(view_of(t, (from_real ? real : own).count, from_real, x, &in));
    RETURN_IF_ERROR(view_of(t, (to_real ? real : own).count, to_real, y, &out));
    return dist_took(t->d, weft_fft_axes(t->d->ctx, kind, &in, count, axes, &out));
}

/* Transforms along one axis, in a workspace or, if `y` is not NULL, to y. */
static void transform_along(transform *t, layout where, size_t axis, char *y) {
    char *const to = y ? y : t->at == t->x ? t->work[0] : t->at;
    if (t->status == WEFT_OK) t->status = transform_axes(t, where, axis, 1, t->at, to);
    t->at = to;
}

static weft_status run_forward(transform *t) {
    const bool back = layout_of_spectrum(t) == LAYOUT_ARRAY;
    if (t->axes == 3) transform_along(t, LAYOUT_ARRAY, 2, NULL);
    RETURN_IF_ERROR(exchange(t, LAYOUT_ARRAY, LAYOUT_BETWEEN, NULL));
    transform_along(t, LAYOUT_BETWEEN, 1, NULL);
    RETURN_IF_ERROR(exchange(t, LAYOUT_BETWEEN, LAYOUT_SPECTRUM, NULL));
    transform_along(t, LAYOUT_SPECTRUM, 0, back ? NULL : t->y);
    return back ? exchange(t, LAYOUT_SPECTRUM, LAYOUT_ARRAY, t->y) : WEFT_OK;
}

static weft_status run_inverse(transform *t) {
    if (layout_of_spectrum(t) == LAYOUT_ARRAY) RETURN_IF_ERROR(exchange(t, LAYOUT_ARRAY, LAYOUT_SPECTRUM, NULL));
    transform_along(t, LAYOUT_SPECTRUM, 0, NULL);
    RETURN_IF_ERROR(exchange(t, LAYOUT_SPECTRUM, LAYOUT_BETWEEN, NULL));
    transform_along(t, LAYOUT_BETWEEN, 1, t->axes == 2 ? t->y : NULL);
    RETURN_IF_ERROR(exchange(t, LAYOUT_BETWEEN, LAYOUT_ARRAY, NULL));
    if (t->axes == 3) transform_along(t, LAYOUT_ARRAY, 2, t->y);
    return WEFT_OK;
}

/* Provides the workspaces. On a GPU, a spectrum in host memory is copied to the first one as a whole. */
static weft_status hold_workspaces(transform *t) {
    weft_dist *const d = t->d;
    const size_t size = weft_dtype_size(t->dtype);
    size_t reals = 0;
    for (layout where = LAYOUT_ARRAY; where <= LAYOUT_SPECTRUM; where++)
        reals = max_u64(reals, reals_of(t, where, false));
    for (size_t i = 0; i < 2; i++) RETURN_IF_ERROR(dist_workspace(d, i, reals * size, &t->work[i]));
    if (d->ctx == d->host || !is_inverse(t) || weft_part_device_only(d->ctx, t->x)) return WEFT_OK;
    RETURN_IF_ERROR(dist_copy(d, reals_of_x(t) * size, t->x, t->work[0]));
    t->at = t->work[0];
    return WEFT_OK;
}

static weft_status run_transform(transform *t) {
    weft_dist *const d = t->d;
    if (t->batch == 0) return WEFT_OK;
    if (d->size == 1) return dist_finish(d, transform_axes(t, LAYOUT_ARRAY, 0, t->axes, t->x, t->y));
    t->at = t->x;
    RETURN_IF_ERROR(dist_agree(d, hold_workspaces(t)));
    RETURN_IF_ERROR(is_inverse(t) ? run_inverse(t) : run_forward(t));
    return dist_finish(d, t->status);
}

/* ---------------------------------------------------------------------------------- the call */

/* Checks the lengths and sets those of *t, which are 1 before. */
static weft_status check_lengths(transform *t, const size_t *shape) {
    weft_dist *const d = t->d;
    weft_error *error = &d->error;
    RETURN_IF(t->axes != 2 && t->axes != 3, WEFT_INVALID, "invalid number of axes %zu: expected 2 or 3", t->axes);
    RETURN_IF(!shape, WEFT_INVALID, "shape is NULL");
    for (size_t k = 0; k < t->axes; k++) {
        RETURN_IF_ERROR(dist_took(d, weft_fft(d->ctx, t->kind, t->dtype, 0, shape[k], NULL, NULL)));
        t->n[k] = t->numbers[k] = shape[k];
    }
    if (is_real(t)) t->numbers[t->axes - 1] = t->n[t->axes - 1] / 2 + 1;
    return WEFT_OK;
}

static weft_status check_arrays(const transform *t) {
    weft_dist *const d = t->d;
    weft_error *error = &d->error;
    const size_t size = weft_dtype_size(t->dtype);
    for (layout where = LAYOUT_ARRAY; where <= LAYOUT_SPECTRUM; where++)
        RETURN_IF(reals_of(t, where, false) > SIZE_MAX / 16, WEFT_INVALID,
                  "blocks of %zu arrays of %zu x %zu x %zu values do not fit in memory", t->batch, t->n[0], t->n[1],
                  t->n[2]);
    RETURN_IF_ERROR(dist_check_array(d, "x", t->x, reals_of_x(t), size));
    RETURN_IF_ERROR(dist_check_array(d, "y", t->y, reals_of_y(t), size));
    if (t->x == t->y && !is_real(t)) return WEFT_OK;
    return dist_check_apart(d, "y", t->y, reals_of_y(t) * size, "x", t->x, reals_of_x(t) * size);
}

static weft_status check_transform(transform *t, size_t across, const size_t *shape) {
    weft_error *error = &t->d->error;
    RETURN_IF_ERROR(check_lengths(t, shape));
    RETURN_IF((unsigned)t->spectrum > WEFT_SPECTRUM_TRANSPOSED, WEFT_INVALID, "invalid spectrum %d",
              (int)t->spectrum);
    RETURN_IF_ERROR(dist_check_grid(t->d, across));
    RETURN_IF(t->axes == 2 && across != 1, WEFT_INVALID,
              "invalid number of ranks per row of the grid %zu: expected 1 for two axes", across);
    t->across = across;
    return check_arrays(t);
}

weft_status weft_dist_fft_axes(weft_dist *d, weft_fft_kind kind, weft_spectrum spectrum, weft_dtype dtype,
                               size_t across, size_t batch, size_t axes, const size_t *shape, const void *x,
                               void *y) {
    if (!d) return WEFT_INVALID;
    transform t = {.d = d,
                   .kind = kind,
                   .spectrum = spectrum,
                   .dtype = dtype,
                   .across = 1,
                   .batch = batch,
                   .axes = axes,
                   .n = {1, 1, 1},
                   .numbers = {1, 1, 1},
                   .x = (char *)(uintptr_t)x,
                   .y = y};
    const weft_status checked = check_transform(&t, across, shape);
    const agreed list[] = {{"dtype", AS_TYPE, dtype},
                           {"the kind", AS_NUMBER, kind},
                           {"the layout of the spectrum", AS_NUMBER, spectrum},
                           {"the number of ranks in a row of the grid", AS_NUMBER, across},
                           {"the number of arrays", AS_NUMBER, batch},
                           {"the length of axis 0", AS_NUMBER, t.n[0]},
                           {"the length of axis 1", AS_NUMBER, t.n[1]},
                           {"the length of axis 2", AS_NUMBER, axes == 3 ? t.n[2] : 0}};
    RETURN_IF_ERROR(dist_begin(d, "fft_axes", list, 8, weft_slice_of(0), checked));
    return run_transform(&t);
}
