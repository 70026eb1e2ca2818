/* weft_dist_fft_values: the transform of one array of n = 2^k values. The array is a matrix of n1 rows of n2 values.
 * The first stages of ORDER.md 14.3 are transforms along its columns; the others transform each row. Row f of the
 * transformed columns, in natural order, is block m(f) of these stages, and its result is column f of a matrix of n2
 * rows and n1 columns, which is the spectrum in natural order. Between the steps the ranks exchange all values:
 *
 *     a rank has                                   then
 *     its slice of x
 *     columns of the n1 x n2 values, in work[1]    transforms along them
 *     rows of the n1 x n2 values, in work[1]       computes their other stages
 *     columns of the n2 x n1 results               a transposed spectrum is complete
 *     its slice of y
 *
 * An inverse transform has n1 and n2 exchanged, so that it can begin with the columns of a transposed spectrum. Its
 * columns are transformed by forward transforms of numbers whose parts are exchanged: the results of inverse ones
 * would be multiplied by 1/n1, but the order has only one factor, 1/n. */
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

#include <inttypes.h>
#include <string.h>

/* A transform of fewer values is computed by every rank, from all of them. */
enum { VALUES_FEW = 256 };

typedef struct transform {
    weft_dist *d;
    bool inverse, turned; /* turned: the spectrum is transposed */
    weft_dtype dtype;
    size_t number; /* bytes of a complex number */
    size_t n, n1, n2;
    char *x, *y;
    char *work[2]; /* workspaces, each for the largest part of this rank in any layout */
} transform;

/* ----------------------------------------------------------------------------------- parts */

static weft_slice share_of(const transform *t, size_t n, int rank) { return weft_slice_share(n, t->d->size, rank); }

/* Returns the number of values in the slice of a rank. */
static size_t values_of(const transform *t, int rank) { return t->d->begin[rank + 1] - t->d->begin[rank]; }

static size_t values_of_x(const transform *t, int rank) {
    return t->inverse && t->turned ? t->n1 * share_of(t, t->n2, rank).count : values_of(t, rank);
}

static size_t values_of_y(const transform *t, int rank) {
    return !t->inverse && t->turned ? t->n2 * share_of(t, t->n1, rank).count : values_of(t, rank);
}

/* Returns how many of the first `end` values of a matrix with rows of `width` values are in the given columns. */
static uint64_t count_before(uint64_t end, size_t width, weft_slice columns) {
    const uint64_t row = end / width, rest = end % width;
    return row * columns.count + (rest > columns.offset ? min_u64(rest - columns.offset, columns.count) : 0);
}

/* Returns the bytes that the slice of rank `values` has in the columns of rank `columns`, as a range of the part that
 * has these columns. */
static extent common(const transform *t, int values, size_t width, int columns) {
    const weft_slice part = share_of(t, width, columns);
    return (extent){count_before(t->d->begin[values], width, part) * t->number,
                    count_before(t->d->begin[values + 1], width, part) * t->number};
}

/* Moves ranges so that they follow one another. */
static void line_up(const transform *t, extent *ranges) {
    uint64_t at = 0;
    for (int r = 0; r < t->d->size; r++) {
        const uint64_t bytes = ranges[r].end - ranges[r].first;
        ranges[r] = (extent){at, at + bytes};
        at += bytes;
    }
}

/* -------------------------------------------------------------------------------- copies */

/* Describes rows x columns numbers at p, whose rows are `width` numbers apart. swap: with the parts of each number
 * exchanged. */
static weft_view view_of(const transform *t, const char *p, size_t rows, size_t columns, size_t width, bool swap) {
    const ptrdiff_t number = (ptrdiff_t)t->number, real = number / 2;
    return (weft_view){.size = sizeof(weft_view),
                       .dtype = t->dtype,
                       .dimensions = 3,
                       .shape = {rows, columns, 2},
                       .stride = {(ptrdiff_t)width * number, number, swap ? -real : real},
                       .data = (char *)(uintptr_t)p + (swap ? real : 0)};
}

static weft_status copy_view(const transform *t, weft_view from, weft_view to) {
    return dist_took(t->d, weft_copy_view(t->d->ctx, &from, &to));
}

/* Copies those values of this rank's slice, at p, that are in the given columns to *packed, in their order, or back.
 * Advances *packed. The parts of each number of x are exchanged if the transform is inverse. */
static weft_status copy_slice(const transform *t, const char *p, size_t width, weft_slice columns, bool back,
                              const char **packed) {
    const uint64_t begin = dist_first(t->d), end = begin + values_of(t, t->d->rank);
    for (uint64_t at = begin, next; at < end; at = next) { /* a part of a row, or whole rows */
        const uint64_t start = at % width, stop = min_u64(start + (end - at), width);
        const size_t rows = start == 0 && stop == width ? (size_t)((end - at) / width) : 1;
        const uint64_t first = max_u64(start, columns.offset), last = min_u64(stop, columns.offset + columns.count);
        next = at + (rows - 1) * width + (stop - start);
        if (first >= last) continue;
        const size_t count = (size_t)(last - first);
        const weft_view inner = view_of(t, p + (at - begin + first - start) * t->number, rows, count, width, false);
        const weft_view side = view_of(t, *packed, rows, count, count, t->inverse && !back);
        RETURN_IF_ERROR(copy_view(t, back ? side : inner, back ? inner : side));
        *packed += rows * count * t->number;
    }
    return WEFT_OK;
}

/* Copies the values of the slice at p that each rank has in its columns to consecutive memory, or back. */
static weft_status copy_slices(const transform *t, const char *p, size_t width, bool back, const char *packed) {
    for (int r = 0; r < t->d->size; r++)
        RETURN_IF_ERROR(copy_slice(t, p, width, share_of(t, width, r), back, &packed));
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- layouts */

/* Copies the columns of x, a transposed spectrum, to work[1], with the parts of each number exchanged. */
static weft_status take_columns(const transform *t) {
    const size_t columns = share_of(t, t->n2, t->d->rank).count;
    if (columns == 0) return WEFT_OK;
    return copy_view(t, view_of(t, t->x, t->n1, columns, columns, true),
                     view_of(t, t->work[1], t->n1, columns, columns, false));
}

/* Copies the parts of this rank's slice of x to work[0]. On a GPU, x in host memory is first copied as a whole. */
static weft_status take_slice(const transform *t) {
    weft_dist *const d = t->d;
    const bool staged = d->ctx != d->host && !weft_part_device_only(d->ctx, t->x);
    if (staged) RETURN_IF_ERROR(dist_copy(d, values_of(t, d->rank) * t->number, t->x, t->work[1]));
    return copy_slices(t, staged ? t->work[1] : t->x, t->n2, false, t->work[0]);
}

/* From slices of x to columns of n1 x n2 values in work[1]. */
static weft_status exchange_values(const transform *t) {
    weft_dist *const d = t->d;
    RETURN_IF_ERROR(dist_agree(d, take_slice(t)));
    for (int r = 0; r < d->size; r++) {
        d->out[r] = common(t, d->rank, t->n2, r);
        d->in[r] = common(t, r, t->n2, d->rank);
    }
    line_up(t, d->out);
    return dist_move(d, t->work[0], t->work[1]);
}

/* Copies the parts of this rank's rows in work[0], one for the columns of each rank, to work[1]. */
static weft_status join_rows(const transform *t) {
    const size_t rows = share_of(t, t->n1, t->d->rank).count;
    const char *packed = t->work[0];
    for (int r = 0; r < t->d->size; r++) {
        const weft_slice part = share_of(t, t->n2, r);
        if (rows == 0 || part.count == 0) continue;
        RETURN_IF_ERROR(copy_view(t, view_of(t, packed, rows, part.count, part.count, t->inverse),
                                  view_of(t, t->work[1] + part.offset * t->number, rows, part.count, t->n2, false)));
        packed += rows * part.count * t->number;
    }
    return WEFT_OK;
}

/* From columns in work[1] to parts of rows in work[0]. */
static weft_status exchange_columns(const transform *t) {
    weft_dist *const d = t->d;
    const uint64_t own = share_of(t, t->n2, d->rank).count, rows = share_of(t, t->n1, d->rank).count;
    for (int r = 0; r < d->size; r++) {
        d->out[r] = (extent){0, share_of(t, t->n1, r).count * own * t->number};
        d->in[r] = (extent){0, share_of(t, t->n2, r).count * rows * t->number};
    }
    line_up(t, d->out);
    line_up(t, d->in);
    return dist_move(d, t->work[1], t->work[0]);
}

/* From columns of n2 x n1 results in work[0] to parts of slices in work[1]. */
static weft_status exchange_results(const transform *t) {
    weft_dist *const d = t->d;
    for (int r = 0; r < d->size; r++) {
        d->out[r] = common(t, r, t->n1, d->rank);
        d->in[r] = common(t, d->rank, t->n1, r);
    }
    line_up(t, d->in);
    return dist_move(d, t->work[0], t->work[1]);
}

/* -------------------------------------------------------------------------------- transforms */

static weft_status transform_columns(const transform *t) {
    const size_t columns = share_of(t, t->n2, t->d->rank).count;
    const weft_view v = view_of(t, t->work[1], t->n1, columns, columns, false);
    if (columns == 0) return WEFT_OK;
    return dist_took(t->d, weft_fft_axes(t->d->ctx, WEFT_C2C, &v, 1, (const int[]){0}, &v));
}

static weft_status transform_rows(const transform *t, char *y) {
    const weft_slice rows = share_of(t, t->n1, t->d->rank);
    if (rows.count == 0) return WEFT_OK;
    return dist_took(t->d, weft_part_fft_blocks(t->d->ctx, t->dtype, t->inverse, t->n1, t->n2, rows.offset,
                                                rows.count, t->work[1], y));
}

static weft_status hold_workspaces(transform *t) {
    const int rank = t->d->rank;
    const uint64_t columns = t->n1 * share_of(t, t->n2, rank).count, rows = t->n2 * share_of(t, t->n1, rank).count;
    const size_t most = (size_t)max_u64(max_u64(columns, rows), values_of(t, rank));
    for (size_t i = 0; i < 2; i++) RETURN_IF_ERROR(dist_workspace(t->d, i, most * t->number, &t->work[i]));
    return WEFT_OK;
}

static weft_status run_divided(transform *t) {
    weft_dist *const d = t->d;
    const bool from_columns = t->inverse && t->turned, to_columns = !t->inverse && t->turned;
    RETURN_IF_ERROR(dist_agree(d, hold_workspaces(t)));
    weft_status status = from_columns ? take_columns(t) : WEFT_OK;
    if (!from_columns) RETURN_IF_ERROR(exchange_values(t));
    if (status == WEFT_OK) status = transform_columns(t);
    RETURN_IF_ERROR(dist_agree(d, status));
    RETURN_IF_ERROR(exchange_columns(t));
    status = join_rows(t);
    if (status == WEFT_OK) status = transform_rows(t, to_columns ? t->y : t->work[0]);
    if (to_columns) return dist_finish(d, status);
    RETURN_IF_ERROR(dist_agree(d, status));
    RETURN_IF_ERROR(exchange_results(t));
    return dist_finish(d, copy_slices(t, t->y, t->n1, true, t->work[1]));
}

/* ---------------------------------------------------------------------------- short transforms */

/* Copies the part of a rank to the whole array, or back. turned: the part is columns of the spectrum. */
static void copy_part(const transform *t, bool turned, int rank, bool back, char *array, char *part) {
    const size_t width = t->inverse ? t->n2 : t->n1, begin = (size_t)t->d->begin[rank];
    const weft_slice own = turned ? share_of(t, width, rank) : (weft_slice){values_of(t, rank), begin, t->n};
    for (size_t row = 0; row < (turned ? t->n / width : 1); row++) {
        char *const whole = array + (row * width + own.offset) * t->number;
        char *const own_row = part + row * own.count * t->number;
        memcpy(back ? own_row : whole, back ? whole : own_row, own.count * t->number);
    }
}

/* Every rank receives all values, in host memory, and computes all results. */
static weft_status run_short(const transform *t) {
    weft_dist *const d = t->d;
    const size_t in = values_of_x(t, d->rank) * t->number, out = values_of_y(t, d->rank) * t->number;
    double own[2 * VALUES_FEW], parts[2 * VALUES_FEW], x[2 * VALUES_FEW], y[2 * VALUES_FEW];
    char *part = (char *)parts;
    RETURN_IF_ERROR(dist_agree(d, dist_copy(d, in, t->x, own)));
    for (int r = 0; r < d->size; r++) d->counts[r] = (int)(values_of_x(t, r) * t->number);
    RETURN_IF_ERROR(dist_gather_parts(d, own, parts, "gathering the values"));
    for (int r = 0; r < d->size; part += values_of_x(t, r++) * t->number)
        copy_part(t, t->inverse && t->turned, r, false, (char *)x, part);
    const weft_fft_kind kind = t->inverse ? WEFT_C2C_INVERSE : WEFT_C2C;
    weft_status status = dist_took_host(d, weft_fft(d->host, kind, t->dtype, 1, t->n, x, y));
    copy_part(t, !t->inverse && t->turned, d->rank, true, (char *)y, (char *)own);
    if (status == WEFT_OK) status = dist_copy(d, out, own, t->y);
    return dist_finish(d, status);
}

/* ---------------------------------------------------------------------------------- the call */

/* Checks what does not depend on the length. */
static weft_status check_kind(weft_dist *d, weft_fft_kind kind, weft_spectrum spectrum, weft_dtype dtype,
                              size_t count) {
    weft_error *error = &d->error;
    RETURN_IF_ERROR(dist_took(d, weft_fft(d->ctx, kind, dtype, 0, 1, NULL, NULL)));
    RETURN_IF(kind > WEFT_C2C_INVERSE, WEFT_UNSUPPORTED,
              "fft_values of kind %d: only WEFT_C2C and WEFT_C2C_INVERSE are supported", (int)kind);
    RETURN_IF((unsigned)spectrum > WEFT_SPECTRUM_TRANSPOSED, WEFT_INVALID, "invalid spectrum %d", (int)spectrum);
    RETURN_IF(count > SIZE_MAX / 64, WEFT_INVALID, "%zu complex values do not fit in memory", count);
    return WEFT_OK;
}

static weft_status check_length(weft_dist *d) {
    weft_error *error = &d->error;
    const uint64_t n = dist_total(d);
    RETURN_IF(n == 0, WEFT_INVALID, "fft of 0 values: at least 1 is required");
    RETURN_IF((n & (n - 1)) != 0 || n > SIZE_MAX / 64, WEFT_UNSUPPORTED,
              "fft_values of %" PRIu64 " values: the length must be a power of two, at most 2^57", n);
    return WEFT_OK;
}

/* Sets n1 and n2, whose product is n. */
static void divide_length(transform *t) {
    int log = 0;
    while (t->n >> log > 1) log++;
    t->n1 = (size_t)1 << (t->inverse ? log - log / 2 : log / 2);
    t->n2 = t->n / t->n1;
}

static weft_status check_arrays(const transform *t) {
    weft_dist *const d = t->d;
    const size_t real = t->number / 2, in = 2 * values_of_x(t, d->rank), out = 2 * values_of_y(t, d->rank);
    RETURN_IF_ERROR(dist_check_array(d, "x", t->x, in, real));
    RETURN_IF_ERROR(dist_check_array(d, "y", t->y, out, real));
    return t->x == t->y ? WEFT_OK : dist_check_apart(d, "y", t->y, out * real, "x", t->x, in * real);
}

weft_status weft_dist_fft_values(weft_dist *d, weft_fft_kind kind, weft_spectrum spectrum, weft_dtype dtype,
                                 weft_slice values, const void *x, void *y) {
    if (!d) return WEFT_INVALID;
    const agreed list[] = {{"dtype", AS_TYPE, dtype},
                           {"the kind", AS_NUMBER, kind},
                           {"the layout of the spectrum", AS_NUMBER, spectrum}};
    RETURN_IF_ERROR(dist_begin(d, "fft_values", list, 3, values, check_kind(d, kind, spectrum, dtype, values.count)));
    RETURN_IF_ERROR(check_length(d));
    transform t = {.d = d,
                   .inverse = kind == WEFT_C2C_INVERSE,
                   .turned = spectrum == WEFT_SPECTRUM_TRANSPOSED,
                   .dtype = dtype,
                   .number = 2 * weft_dtype_size(dtype),
                   .n = (size_t)dist_total(d),
                   .x = (char *)(uintptr_t)x,
                   .y = y};
    divide_length(&t);
    RETURN_IF_ERROR(dist_agree(d, check_arrays(&t)));
    if (d->size == 1) return dist_finish(d, dist_took(d, weft_fft(d->ctx, kind, dtype, 1, t.n, x, y)));
    return t.n < VALUES_FEW ? run_short(&t) : run_divided(&t);
}
