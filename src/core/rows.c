#include "core/rows.h"

#include <string.h>

/* Most bytes of the rows of an array that are in scratch memory at a time, unless one row is longer. On a CPU they
 * should stay in its caches. */
static const size_t HOST_BYTES = (size_t)1 << 21, DEVICE_BYTES = (size_t)1 << 27;
/* From 1 / FEW of these bytes on, rows that need no copies are a block of their own. */
enum { FEW = 16, ALIGNMENT = 256 };

/* A block: all vectors of the dimensions from `whole` on, for `range` indices of the dimension before them. */
typedef struct blocks {
    size_t whole, range;
    size_t rows, count;           /* vectors of a block, and number of blocks */
    bool direct[ROW_ARRAYS];      /* the vectors of a block are rows of the array */
    size_t at[ROW_ARRAYS], bytes; /* of the rows in the scratch memory, and its size */
} blocks;

static size_t row_bytes(const row_array *a) { return a->n * a->parts * a->element; }

/* ----------------------------------------------------------------------------------- arrays */

row_array row_vectors(const weft_view *v, size_t axis, bool is_complex) {
    const ptrdiff_t part = is_complex ? v->stride[v->dimensions - 1] : 0;
    return (row_array){v->data, weft_dtype_size(v->dtype), v->shape[axis], v->stride[axis], is_complex ? 2 : 1, part};
}

/* Returns true if a vector is a row. */
static bool is_row(const row_array *a) {
    const ptrdiff_t value = (ptrdiff_t)(a->parts * a->element);
    return (a->n == 1 || a->stride == value) && (a->parts == 1 || a->part == (ptrdiff_t)a->element);
}

/* Returns the first dimension from which on the vectors of an array are rows, one after another; count + 1 if they
 * are no rows. */
static size_t rows_from(const row_set *set, size_t number) {
    size_t k = set->count, step = row_bytes(&set->array[number]);
    if (!is_row(&set->array[number])) return set->count + 1;
    for (; k > 0 && set->outer[k - 1].of[number] == (ptrdiff_t)step; k--) step *= set->outer[k - 1].n;
    return k;
}

/* Copies `range` indices of a block from the array, at p, to rows, or back. */
static weft_status copy_block(weft_context *ctx, const row_set *set, const blocks *b, size_t number, size_t range,
                              char *p, char *rows, bool back, weft_error *error) {
    const row_array *const a = &set->array[number];
    copy_view_call c = {.element = a->element, .x = back ? rows : p, .y = back ? p : rows};
    view_dimension d[WEFT_DIMENSIONS_MAX];
    size_t count = 0;
    ptrdiff_t step = (ptrdiff_t)a->element;
    if (a->parts > 1) d[count++] = (view_dimension){a->parts, a->part, 0};
    d[count++] = (view_dimension){a->n, a->stride, 0};
    for (size_t k = set->count; k-- > b->whole;)
        d[count++] = (view_dimension){set->outer[k].n, set->outer[k].of[number], 0};
    if (b->whole > 0) d[count++] = (view_dimension){range, set->outer[b->whole - 1].of[number], 0};
    for (size_t k = 0; k < count; k++) {
        d[k] = back ? (view_dimension){d[k].n, step, d[k].x} : (view_dimension){d[k].n, d[k].x, step};
        step *= (ptrdiff_t)d[k].n;
    }
    memcpy(c.dimensions, d, count * sizeof *d);
    view_order_copy(&c, count);
    return ctx->backend->copy_view(ctx->state, &c, error);
}

weft_status row_of_vector(weft_context *ctx, const row_array *a, const void **row, weft_error *error) {
    const row_set set = {.arrays = 1, .array = {*a}};
    const blocks one = {.whole = 0};
    void *scratch;
    *row = a->p;
    if (is_row(a)) return WEFT_OK;
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ARRAY, row_bytes(a), &scratch, error));
    *row = scratch;
    return copy_block(ctx, &set, &one, 0, 1, a->p, scratch, false, error);
}

/* ----------------------------------------------------------------------------------- blocks */

/* Makes the vectors of the dimensions from `whole` on a block, with several indices of the dimension before them if
 * it has at most `most` rows. */
static void divide_at(const row_set *set, size_t whole, size_t most, blocks *b) {
    b->whole = whole;
    b->range = b->rows = b->count = 1;
    for (size_t k = whole; k < set->count; k++) b->rows *= set->outer[k].n;
    if (whole > 0 && most / b->rows > 1) b->range = (size_t)min_u64(most / b->rows, set->outer[whole - 1].n);
    b->rows *= b->range;
    for (size_t k = 0; k < whole; k++)
        b->count *= k == whole - 1 ? ceil_div(set->outer[k].n, b->range) : set->outer[k].n;
}

/* Chooses the blocks: large ones that need no copies, else those whose copies have at most `limit` bytes. */
static void divide(const row_set *set, size_t limit, blocks *b) {
    size_t from[ROW_ARRAYS] = {0}, all = 0, longest = 1, whole = set->count, rows = 1;
    for (size_t a = 0; a < set->arrays; a++) {
        from[a] = rows_from(set, a);
        all = (size_t)max_u64(all, from[a]);
        longest = (size_t)max_u64(longest, row_bytes(&set->array[a]));
    }
    const size_t most = (size_t)max_u64(1, limit / longest);
    divide_at(set, (size_t)min_u64(all, set->count), 1, b);
    if (all > set->count || (all > 0 && b->rows < most / FEW)) {
        for (; whole > 0 && set->outer[whole - 1].n <= most / rows; whole--) rows *= set->outer[whole - 1].n;
        divide_at(set, whole, most, b);
    }
    for (size_t a = 0; a < set->arrays; a++) b->direct[a] = from[a] + (b->range > 1) <= b->whole;
}

/* Returns true if the rows of array a need scratch memory of their own. */
static bool needs_memory(const row_set *set, const blocks *b, size_t a) {
    return !b->direct[a] && !(a == 0 && set->in_place);
}

static void set_offsets(const row_set *set, blocks *b) {
    b->bytes = 0;
    for (size_t a = 0; a < set->arrays; a++) {
        if (!needs_memory(set, b, a)) continue;
        b->at[a] = b->bytes;
        b->bytes += (size_t)round_up(b->rows * row_bytes(&set->array[a]), ALIGNMENT);
    }
}

/* ------------------------------------------------------------------------------------- call */

/* Finds the first vector of block number `number` in each array. Returns the range of indices of the block. */
static size_t find_block(const row_set *set, const blocks *b, size_t number, char **p) {
    size_t range = 1;
    for (size_t a = 0; a < set->arrays; a++) p[a] = set->array[a].p;
    for (size_t k = b->whole; k-- > 0;) {
        const row_dimension *const d = &set->outer[k];
        const size_t step = k == b->whole - 1 ? b->range : 1, steps = (size_t)ceil_div(d->n, step);
        const size_t index = number % steps * step;
        if (k == b->whole - 1) range = (size_t)min_u64(step, d->n - index);
        for (size_t a = 0; a < set->arrays; a++) p[a] += (ptrdiff_t)index * d->of[a];
        number /= steps;
    }
    return range;
}

static weft_status run_block(weft_context *ctx, const row_set *set, const blocks *b, size_t number, char *scratch,
                             rows_step *step, const void *call, weft_error *error) {
    const size_t out = set->arrays - 1;
    char *p[ROW_ARRAYS] = {NULL}, *row[ROW_ARRAYS] = {NULL};
    const size_t range = find_block(set, b, number, p);
    for (size_t a = 0; a < set->arrays; a++) row[a] = b->direct[a] ? p[a] : scratch + b->at[a];
    if (set->in_place && !b->direct[0]) row[0] = row[out];
    for (size_t a = 0; a < out; a++)
        if (!b->direct[a]) RETURN_IF_ERROR(copy_block(ctx, set, b, a, range, p[a], row[a], false, error));
    RETURN_IF_ERROR(step(ctx, call, b->rows / b->range * range, row, error));
    return b->direct[out] ? WEFT_OK : copy_block(ctx, set, b, out, range, p[out], row[out], true, error);
}

/* Sorts and merges the dimensions by the array that is written. */
static void sort_dimensions(row_set *set) {
    ptrdiff_t moved[ROW_ARRAYS];
    set->count = view_sort_dimensions(set->count, set->outer, sizeof *set->outer, ROW_ARRAYS, set->arrays - 1, moved);
    for (size_t a = 0; a < set->arrays; a++) set->array[a].p += moved[a];
}

weft_status rows_run(weft_context *ctx, row_set *set, rows_step *step, const void *call, weft_error *error) {
    weft_watch *const watch = context_watch();
    blocks b = {0};
    void *scratch = NULL;
    sort_dimensions(set);
    divide(set, ctx->backend->device_only ? DEVICE_BYTES : HOST_BYTES, &b);
    set_offsets(set, &b);
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_ROWS, b.bytes, &scratch, error));
    if (b.count == 1 && b.bytes == 0) return run_block(ctx, set, &b, 0, scratch, step, call, error);
    progress_plan(watch, b.count);
    for (size_t i = 0; i < b.count; i++) {
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, run_block(ctx, set, &b, i, scratch, step, call, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}
