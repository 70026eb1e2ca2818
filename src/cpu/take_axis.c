/* weft_take_axis on the CPU (ORDER.md 32.6). All indices are checked before an element is written. Where the index is
 * the same along the last dimension, and x and y are adjacent there, an index moves a row of this dimension, else one
 * element. Threads take blocks of rows. */
#include "core/indices.h"
#include "core/types.h"
#include "cpu/common/index_range.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    ITEM_BYTES = 1 << 18,  /* bytes of the rows of a work item */
    SLICE_BYTES = 1 << 16, /* a longer row is divided */
    ITEM_ROWS = 1 << 14,   /* most rows of a work item */
    CACHE_BYTES = 1 << 19, /* rows of x that one index can choose from are in a cache up to this size */
    AHEAD = 32             /* number of rows between a prefetch and the access */
};

/* Addresses of an element: in x with the index 0. */
typedef struct addresses {
    const char *x, *index;
    char *y;
} addresses;

typedef struct params {
    const take_axis_call *c;
    size_t index_bytes; /* 4 or 8 */
    uint64_t end;       /* number of indices in range: indices_end */
    bool far;           /* the rows of x that one index can choose from are not in a cache */
    size_t row_bytes;
    take_dimension rows; /* the rows of a line */
    size_t count;        /* dimensions of the array of lines: the first ones of the call */
    size_t lines;        /* their number */
    size_t slices;       /* of a row */
    size_t part, parts;  /* rows of a part of a line; parts of a line */
    size_t at_once;      /* lines of a work item; 1 if a line has several parts */
    size_t items;
} params;

/* ------------------------------------------------------------------------------------ rows */

static inline uint64_t index_at(size_t width, const char *p) {
    return width == 4 ? *(const uint32_t *)(const void *)p : *(const uint64_t *)(const void *)p;
}

/* Constant arguments make one loop for each width of the indices and size of the rows. */
static inline __attribute__((always_inline)) void move(const params *j, size_t width, size_t size, bool far,
                                                       addresses at, size_t n) {
    const take_dimension d = j->rows;
    const ptrdiff_t stride = j->c->stride;
    const uint64_t end = j->end;
    for (size_t i = 0; i < n; i++, at.x += d.x, at.index += d.index, at.y += d.y) {
        const uint64_t index = index_at(width, at.index);
        if (far && i + AHEAD < n) {
            const uint64_t next = index_at(width, at.index + AHEAD * d.index);
            if (next < end) __builtin_prefetch(at.x + AHEAD * d.x + (ptrdiff_t)next * stride, 0);
        }
        if (index < end) memcpy(at.y, at.x + (ptrdiff_t)index * stride, size);
    }
}

static inline __attribute__((always_inline)) void move_sizes(const params *j, size_t width, bool far, addresses at,
                                                             size_t n, size_t size) {
    switch (size) {
    case 1: move(j, width, 1, far, at, n); break;
    case 2: move(j, width, 2, far, at, n); break;
    case 4: move(j, width, 4, far, at, n); break;
    case 8: move(j, width, 8, far, at, n); break;
    case 16: move(j, width, 16, far, at, n); break;
    default: move(j, width, size, far, at, n); break;
    }
}

/* Moves `size` bytes of each of n rows from `at` on. */
static void move_rows(const params *j, addresses at, size_t n, size_t size) {
    if (j->index_bytes == 4 && j->far)
        move_sizes(j, 4, true, at, n, size);
    else if (j->index_bytes == 4)
        move_sizes(j, 4, false, at, n, size);
    else if (j->far)
        move_sizes(j, 8, true, at, n, size);
    else
        move_sizes(j, 8, false, at, n, size);
}

/* ----------------------------------------------------------------------------------- lines */

/* Position among the lines. */
typedef struct walk {
    size_t at[WEFT_DIMENSIONS_MAX];
    addresses first; /* of the line */
} walk;

static void move_by(addresses *p, const take_dimension *d, ptrdiff_t n) {
    p->x += n * d->x;
    p->index += n * d->index;
    p->y += n * d->y;
}

static walk walk_from(const params *j, size_t line) {
    walk w = {.first = {j->c->x, j->c->index, j->c->y}};
    for (size_t k = j->count; k-- > 0; line /= j->c->dimensions[k].n) {
        w.at[k] = line % j->c->dimensions[k].n;
        move_by(&w.first, &j->c->dimensions[k], (ptrdiff_t)w.at[k]);
    }
    return w;
}

static void walk_on(const params *j, walk *w) {
    for (size_t k = j->count; k-- > 0;) {
        const take_dimension *const d = &j->c->dimensions[k];
        move_by(&w->first, d, 1);
        if (++w->at[k] < d->n) return;
        move_by(&w->first, d, -(ptrdiff_t)d->n);
        w->at[k] = 0;
    }
}

static void move_item(void *self, size_t item) {
    const params *j = self;
    const size_t slice = item % j->slices * SLICE_BYTES, part = item / j->slices % j->parts * j->part;
    const size_t first = item / j->slices / j->parts * j->at_once;
    const size_t size = j->slices > 1 ? (size_t)min_u64(SLICE_BYTES, j->row_bytes - slice) : j->row_bytes;
    walk w = walk_from(j, first);
    for (size_t line = first; line < j->lines && line < first + j->at_once; line++, walk_on(j, &w)) {
        addresses at = w.first;
        move_by(&at, &j->rows, (ptrdiff_t)part);
        at.x += slice;
        at.y += slice;
        move_rows(j, at, (size_t)min_u64(j->part, j->rows.n - part), size);
    }
}

/* ------------------------------------------------------------------------------------ call */

/* Divides the dimensions into lines of rows. */
static void set_rows(params *j) {
    const take_axis_call *const c = j->c;
    const ptrdiff_t size = (ptrdiff_t)c->element;
    j->count = c->count;
    j->row_bytes = c->element;
    const take_dimension *const last = c->count > 0 ? &c->dimensions[c->count - 1] : NULL;
    if (last && last->index == 0 && last->x == size && last->y == size) {
        j->row_bytes *= last->n;
        j->count--;
    }
    j->rows = j->count > 0 ? c->dimensions[--j->count] : (take_dimension){1, 0, 0, 0};
    j->lines = 1;
    for (size_t k = 0; k < j->count; k++) j->lines *= c->dimensions[k].n;
}

/* Divides rows into slices, lines into parts, and the lines into items. */
static void divide(params *j) {
    const size_t bytes = (size_t)min_u64(j->row_bytes, SLICE_BYTES);
    const size_t rows = (size_t)max_u64(1, min_u64(ITEM_ROWS, ITEM_BYTES / bytes)); /* of an item */
    j->slices = (size_t)ceil_div(j->row_bytes, SLICE_BYTES);
    j->part = (size_t)min_u64(rows, j->rows.n);
    j->parts = (size_t)ceil_div(j->rows.n, j->part);
    j->at_once = j->parts > 1 || j->slices > 1 ? 1 : rows / j->part;
    j->items = (size_t)ceil_div(j->lines, j->at_once) * j->parts * j->slices;
}

static weft_status check_range(const params *j, int threads, weft_error *error) {
    const take_axis_call *const c = j->c;
    const index_array all = {j->index_bytes, j->end, c->indices_count, c->indices, c->first_index};
    uint64_t bits;
    if (c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    const size_t bad = cpu_find_bad_index(threads, &all, &bits);
    if (bad == SIZE_MAX || cpu_cancelled()) return WEFT_OK;
    return indices_fail(error, c->index_dtype, bad, bits, c->m);
}

weft_status cpu_take_axis(void *state, const take_axis_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    params j = {.c = c, .index_bytes = weft_dtype_size(c->index_dtype), .end = indices_end(c->index_dtype, c->m)};
    j.far = saturated_product(c->m, (size_t)(c->stride < 0 ? -c->stride : c->stride)) > CACHE_BYTES;
    set_rows(&j);
    divide(&j);
    const size_t bytes = saturated_product(j.lines * j.rows.n, j.index_bytes + j.row_bytes);
    const int threads = cpu_threads_for(ctx->threads, bytes);
    cpu_plan_regions(2);
    RETURN_IF_ERROR(check_range(&j, threads, error));
    if (!cpu_cancelled()) cpu_parallel_for(threads, j.items, PARALLEL_RANGES, move_item, &j);
    return WEFT_OK;
}
