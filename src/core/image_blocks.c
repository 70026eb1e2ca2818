/* Blocks of the array are copied, with its border, to scratch memory, transformed, multiplied by the transform of the
 * filter and transformed back. A group of blocks is transformed at a time: blocks that are adjacent in an array, or
 * all blocks of several arrays. */
#include "core/image_blocks.h"
#include "core/fft_lengths.h"
#include "core/views.h"

/* Most bytes of the values of a group, unless one block has more. On a CPU they should stay in its caches. */
static const size_t HOST_BYTES = (size_t)1 << 21, DEVICE_BYTES = (size_t)1 << 27;
enum { ALIGNMENT = 256 };

typedef struct work {
    weft_context *ctx;
    const convolve2d_call *call;
    const convolve2d_blocks *blocks;
    char *filter, *values, *numbers, *window;
    size_t value; /* bytes of a number of the array */
} work;

/* A group: its first block and first array, and their numbers. */
typedef struct group {
    size_t matrix, matrices, from[2], count[2];
} group;

/* ------------------------------------------------------------------------------------- plan */

/* Returns the length along an axis of the part of the extended array that `count` blocks need. */
static size_t window_length(const convolve2d_blocks *b, int axis, size_t count) {
    return (count - 1) * b->step[axis] + b->size[axis];
}

/* Chooses the blocks that are transformed at a time: at most `most`. */
static void choose_group(convolve2d_blocks *b, size_t matrices, size_t most) {
    const size_t all = b->count[0] * b->count[1];
    most = (size_t)max_u64(most, 1);
    b->matrices = (size_t)min_u64(matrices, max_u64(most / all, 1));
    b->group[0] = (size_t)min_u64(b->count[0], max_u64(most / b->count[1], 1));
    b->group[1] = (size_t)min_u64(b->count[1], most);
}

convolve2d_blocks convolve2d_plan(const weft_context *ctx, const convolve2d_call *c) {
    const size_t size = weft_dtype_size(c->dtype), value = c->is_complex ? 2 * size : size;
    const size_t most = ctx->backend->device_only ? DEVICE_BYTES : HOST_BYTES;
    convolve2d_blocks b = {.bytes = 0};
    for (int k = 0; k < 2; k++) {
        b.size[k] = weft_convolve2d_block(c->n[k] + 2 * (c->m[k] - 1), c->m[k]);
        b.step[k] = b.size[k] - c->m[k] + 1;
        b.count[k] = ((size_t)c->first[k] + c->count[k] - 1) / b.step[k] + 1; /* first < step */
    }
    const size_t values = b.size[0] * b.size[1];
    b.numbers = b.size[0] * (c->is_complex ? b.size[1] : b.size[1] / 2 + 1);
    choose_group(&b, c->matrices, most / (values * value));
    const size_t at_once = b.matrices * b.group[0] * b.group[1];
    const size_t window = b.matrices * window_length(&b, 0, b.group[0]) * window_length(&b, 1, b.group[1]) * value;
    b.values_at = (size_t)round_up(2 * b.numbers * size, ALIGNMENT);
    b.numbers_at = b.values_at + (c->is_complex ? 0 : (size_t)round_up(at_once * values * value, ALIGNMENT));
    b.window_at = b.numbers_at + (size_t)round_up(2 * at_once * b.numbers * size, ALIGNMENT);
    b.bytes = b.window_at + (b.group[0] * b.group[1] > 1 ? window : 0);
    return b;
}

/* -------------------------------------------------------------------------------- transforms */

/* Transforms `count` blocks of values to numbers, or back. For complex numbers both may have the same address. */
static weft_status transform(const work *w, bool inverse, size_t count, char *values, char *numbers,
                             weft_error *error) {
    const convolve2d_call *const c = w->call;
    const size_t rows = w->blocks->size[0], columns = w->blocks->size[1];
    const weft_fft_kind along_rows = c->is_complex ? inverse ? WEFT_C2C_INVERSE : WEFT_C2C
                                     : inverse     ? WEFT_C2R
                                                   : WEFT_R2C;
    weft_view v, f;
    weft_view_of(c->dtype, c->is_complex ? 4 : 3, (size_t[]){count, rows, columns, 2}, values, &v);
    weft_view_of(c->dtype, 4, (size_t[]){count, rows, w->blocks->numbers / rows, 2}, numbers, &f);
    if (!inverse) {
        RETURN_IF_ERROR(fft_along(w->ctx, along_rows, 3, 2, &v, &f, error));
        return fft_along(w->ctx, WEFT_C2C, 3, 1, &f, &f, error);
    }
    RETURN_IF_ERROR(fft_along(w->ctx, WEFT_C2C_INVERSE, 3, 1, &f, &f, error));
    return fft_along(w->ctx, along_rows, 3, 2, &f, &v, error);
}

/* Multiplies the numbers of `count` blocks by those of the filter. The product of two numbers whose parts are
 * exchanged, with its parts exchanged, is the product of the one and the conjugate of the other. */
static weft_status multiply(const work *w, size_t count, weft_error *error) {
    const size_t numbers = w->blocks->numbers;
    const fft_pass_call product = {.kind = FFT_PRODUCT,
                                   .dtype = w->call->dtype,
                                   .batch = count,
                                   .n = numbers,
                                   .count = numbers,
                                   .x = w->numbers,
                                   .y = w->numbers,
                                   .x_step = 2 * numbers,
                                   .y_step = 2 * numbers,
                                   .exchange_in = w->call->correlate,
                                   .exchange_out = w->call->correlate,
                                   .factors = w->filter};
    return w->ctx->backend->fft_pass(w->ctx->state, &product, error);
}

/* Transforms the filter, followed by zeros. */
static weft_status transform_filter(const work *w, weft_error *error) {
    static const double zero[2] = {0, 0};
    const convolve2d_call *const c = w->call;
    char *const values = c->is_complex ? w->filter : w->values;
    const convolve2d_call padded = {.dtype = c->dtype,
                                    .is_complex = c->is_complex,
                                    .border = WEFT_BORDER_FILL,
                                    .fill = zero,
                                    .matrices = 1,
                                    .n = {c->m[0], c->m[1]},
                                    .x = c->h,
                                    .x_row = c->m[1],
                                    .m = {1, 1},
                                    .count = {w->blocks->size[0], w->blocks->size[1]},
                                    .y = values};
    RETURN_IF_ERROR(w->ctx->backend->convolve2d(w->ctx->state, &padded, error));
    return transform(w, false, 1, values, w->filter, error);
}

/* ----------------------------------------------------------------------------------- copies */

/* An array of several dimensions in memory, of which the innermost are rows and columns. Distances are in numbers. */
static weft_view strided(const work *w, const size_t shape[5], const size_t distance[5], const char *p,
                         size_t offset) {
    const weft_dtype dtype = w->call->dtype;
    weft_view v = {.size = sizeof v, .dtype = dtype, .dimensions = w->call->is_complex ? 6 : 5};
    for (size_t k = 0; k < 5; k++) v.shape[k] = shape[k], v.stride[k] = (ptrdiff_t)(distance[k] * w->value);
    v.shape[5] = 2;
    v.stride[5] = (ptrdiff_t)weft_dtype_size(dtype);
    v.data = (char *)p + offset * w->value;
    return v;
}

/* Copies the values of the blocks of a group. Blocks overlap, so that several are first extended as one array. */
static weft_status load(const work *w, const group *g, weft_error *error) {
    const convolve2d_blocks *const b = w->blocks;
    const bool one_block = g->count[0] * g->count[1] == 1;
    convolve2d_call window = *w->call;
    window.x = (const char *)window.x + g->matrix * window.x_matrix * w->value;
    window.h = NULL;
    window.y = one_block ? w->values : w->window;
    window.matrices = g->matrices;
    for (int k = 0; k < 2; k++) {
        window.m[k] = 1;
        window.first[k] = (ptrdiff_t)(g->from[k] * b->step[k]) - (ptrdiff_t)(w->call->m[k] - 1);
        window.count[k] = window_length(b, k, g->count[k]);
    }
    RETURN_IF_ERROR(w->ctx->backend->convolve2d(w->ctx->state, &window, error));
    if (one_block) return WEFT_OK;
    const size_t shape[] = {g->matrices, g->count[0], g->count[1], b->size[0], b->size[1]};
    const size_t columns = window.count[1],
                 distance[] = {window.count[0] * columns, b->step[0] * columns, b->step[1], columns, 1};
    const weft_view from = strided(w, shape, distance, w->window, 0);
    weft_view to;
    weft_view_of(from.dtype, from.dimensions, from.shape, w->values, &to);
    return view_copy(w->ctx, &from, &to, error);
}

/* Blocks along an axis of which the same values are requested: their first and their number, the first value and the
 * number of values of each, and the position of the first value in y. */
typedef struct run {
    size_t block, blocks, from, length, to;
} run;

/* Divides the blocks of a group into at most 3 runs along an axis. */
static size_t find_runs(const work *w, const group *g, int axis, run runs[3]) {
    const size_t step = w->blocks->step[axis], first = (size_t)w->call->first[axis];
    const size_t end = first + w->call->count[axis], blocks_end = g->from[axis] + g->count[axis];
    size_t count = 0;
    for (size_t block = g->from[axis]; block < blocks_end; block += runs[count++].blocks) {
        const size_t begin = block * step, low = (size_t)max_u64(begin, first);
        const size_t high = (size_t)min_u64(begin + step, end);
        const bool all = high - low == step;
        const size_t blocks = all ? (size_t)min_u64(blocks_end - block, (end - begin) / step) : 1;
        runs[count] = (run){block - g->from[axis], blocks, low - begin, high - low, low - first};
    }
    return count;
}

/* Copies the values of one run of rows and one of columns to y. */
static weft_status store_runs(const work *w, const group *g, const run *r, const run *q, weft_error *error) {
    const convolve2d_call *const c = w->call;
    const size_t *const size = w->blocks->size, *const step = w->blocks->step, block = size[0] * size[1];
    const size_t skipped[] = {c->correlate ? 0 : c->m[0] - 1, c->correlate ? 0 : c->m[1] - 1};
    const size_t shape[] = {g->matrices, r->blocks, q->blocks, r->length, q->length};
    const size_t from_distance[] = {g->count[0] * g->count[1] * block, g->count[1] * block, block, size[1], 1};
    const size_t from_offset =
        (r->block * g->count[1] + q->block) * block + (skipped[0] + r->from) * size[1] + skipped[1] + q->from;
    const size_t columns = c->count[1];
    const size_t to_distance[] = {c->count[0] * columns, step[0] * columns, step[1], columns, 1};
    const size_t to_offset = g->matrix * c->count[0] * columns + r->to * columns + q->to;
    const weft_view from = strided(w, shape, from_distance, w->values, from_offset);
    const weft_view to = strided(w, shape, to_distance, c->y, to_offset);
    return view_copy(w->ctx, &from, &to, error);
}

static weft_status store(const work *w, const group *g, weft_error *error) {
    run rows[3], columns[3];
    const size_t row_runs = find_runs(w, g, 0, rows), column_runs = find_runs(w, g, 1, columns);
    for (size_t r = 0; r < row_runs; r++)
        for (size_t q = 0; q < column_runs; q++) RETURN_IF_ERROR(store_runs(w, g, &rows[r], &columns[q], error));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ a call */

static weft_status run_group(const work *w, const group *g, weft_error *error) {
    const size_t count = g->matrices * g->count[0] * g->count[1];
    RETURN_IF_ERROR(load(w, g, error));
    RETURN_IF_ERROR(transform(w, false, count, w->values, w->numbers, error));
    RETURN_IF_ERROR(multiply(w, count, error));
    RETURN_IF_ERROR(transform(w, true, count, w->values, w->numbers, error));
    return store(w, g, error);
}

/* Returns group number `number`. */
static group find_group(const work *w, size_t number) {
    const convolve2d_blocks *const b = w->blocks;
    const size_t across = (size_t)ceil_div(b->count[1], b->group[1]),
                 down = (size_t)ceil_div(b->count[0], b->group[0]);
    const size_t matrix = number / across / down * b->matrices;
    const size_t at[] = {number / across % down * b->group[0], number % across * b->group[1]};
    group g = {.matrix = matrix, .matrices = (size_t)min_u64(b->matrices, w->call->matrices - matrix)};
    for (int k = 0; k < 2; k++) {
        g.from[k] = at[k];
        g.count[k] = (size_t)min_u64(b->group[k], b->count[k] - at[k]);
    }
    return g;
}

weft_status convolve2d_by_transform(weft_context *ctx, const convolve2d_call *c, const convolve2d_blocks *b,
                                    char *scratch, weft_error *error) {
    weft_watch *const watch = context_watch();
    const work w = {.ctx = ctx,
                    .call = c,
                    .blocks = b,
                    .filter = scratch,
                    .values = scratch + b->values_at,
                    .numbers = scratch + b->numbers_at,
                    .window = scratch + b->window_at,
                    .value = weft_dtype_size(c->dtype) * (c->is_complex ? 2 : 1)};
    size_t groups = (size_t)ceil_div(c->matrices, b->matrices);
    for (int k = 0; k < 2; k++) groups *= (size_t)ceil_div(b->count[k], b->group[k]);
    RETURN_IF_ERROR(transform_filter(&w, error));
    progress_plan(watch, groups);
    for (size_t i = 0; i < groups; i++) {
        const group g = find_group(&w, i);
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, run_group(&w, &g, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}
