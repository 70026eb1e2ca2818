/* weft_take_axis and weft_put_axis on the CPU (ORDER.md 32.6, 32.7). All indices are checked before an element is
 * written. Where the index is the same along the last dimension, and the table and the list are adjacent there, an
 * index moves a row of this dimension, else one element. Threads take blocks of rows. */
#include "core/indices.h"
#include "core/types.h"
#include "cpu/common/index_range.h"
#include "cpu/common/planes.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    ITEM_BYTES = 1 << 18,  /* bytes of the rows of a work item */
    SLICE_BYTES = 1 << 16, /* a longer row is divided */
    ITEM_ROWS = 1 << 14,   /* most rows of a work item */
    CACHE_BYTES = 1 << 19, /* rows of the table that one index can choose from are in a cache up to this size */
    AHEAD = 32             /* number of rows between a prefetch and the access */
};

/* Addresses of a row: in the table with the index 0. */
typedef struct addresses {
    char *table, *list;
    const char *index;
} addresses;

/* How rows are moved. */
typedef enum move_way {
    NEAR,  /* the rows of the table that one index can choose from are in a cache */
    TIGHT, /* so they are, and rows of the list and their indices are adjacent and choose from the same rows */
    FAR    /* prefetches the rows of the table */
} move_way;

typedef struct params {
    const take_axis_call *c;
    size_t index_bytes; /* 4 or 8 */
    uint64_t end;       /* number of indices in range: indices_end */
    move_way way;
    size_t row_bytes;
    take_dimension rows;  /* of a line */
    take_dimension lines; /* of a plane */
    size_t count;         /* dimensions of the array of planes: the first ones of the call */
    size_t all_lines;
    size_t slices;      /* of a row */
    size_t part, parts; /* rows of a part of a line; parts of a line */
    size_t at_once;     /* lines of a work item; 1 if a line has several parts */
    size_t items;
} params;

/* ------------------------------------------------------------------------------------ rows */

static inline uint64_t index_at(size_t width, const char *p) {
    return width == 4 ? *(const uint32_t *)(const void *)p : *(const uint64_t *)(const void *)p;
}

/* Moves n rows of `size` bytes of each of several lines. Constant arguments make one loop for each width of the
 * indices and size of the rows. */
static inline __attribute__((always_inline)) void move(const params *j, bool put, size_t width, size_t size,
                                                       move_way way, addresses line, size_t lines, size_t n) {
    const take_dimension tight = {n, 0, (ptrdiff_t)width, (ptrdiff_t)size}, down = j->lines;
    const take_dimension d = way == TIGHT ? tight : j->rows;
    const ptrdiff_t stride = j->c->stride;
    const uint64_t end = j->end;
    for (; lines-- > 0; line.table += down.table, line.index += down.index, line.list += down.list) {
        addresses at = line;
        for (size_t i = 0; i < n; i++, at.table += d.table, at.index += d.index, at.list += d.list) {
            const uint64_t index = index_at(width, at.index);
            if (way == FAR && i + AHEAD < n) {
                const uint64_t next = index_at(width, at.index + AHEAD * d.index);
                const char *const row = at.table + AHEAD * d.table + (ptrdiff_t)next * stride;
                if (next < end && put) __builtin_prefetch(row, 1);
                if (next < end && !put) __builtin_prefetch(row, 0);
            }
            if (index >= end) continue;
            if (put)
                memcpy(at.table + (ptrdiff_t)index * stride, at.list, size);
            else
                memcpy(at.list, at.table + (ptrdiff_t)index * stride, size);
        }
    }
}

static inline __attribute__((always_inline)) void move_sizes(const params *j, bool put, size_t width, move_way way,
                                                             addresses at, size_t lines, size_t n, size_t size) {
    switch (size) {
    case 1: move(j, put, width, 1, way, at, lines, n); break;
    case 2: move(j, put, width, 2, way, at, lines, n); break;
    case 4: move(j, put, width, 4, way, at, lines, n); break;
    case 8: move(j, put, width, 8, way, at, lines, n); break;
    case 16: move(j, put, width, 16, way, at, lines, n); break;
    default: move(j, put, width, size, way, at, lines, n); break;
    }
}

static inline __attribute__((always_inline)) void move_by(const params *j, bool put, size_t width, addresses at,
                                                          size_t lines, size_t n, size_t size) {
    switch (j->way) {
    case NEAR: move_sizes(j, put, width, NEAR, at, lines, n, size); break;
    case TIGHT: move_sizes(j, put, width, TIGHT, at, lines, n, size); break;
    case FAR: move_sizes(j, put, width, FAR, at, lines, n, size); break;
    }
}

static void move_rows(const params *j, addresses at, size_t lines, size_t n, size_t size) {
    if (j->c->put && j->index_bytes == 4)
        move_by(j, true, 4, at, lines, n, size);
    else if (j->c->put)
        move_by(j, true, 8, at, lines, n, size);
    else if (j->index_bytes == 4)
        move_by(j, false, 4, at, lines, n, size);
    else
        move_by(j, false, 8, at, lines, n, size);
}

/* ----------------------------------------------------------------------------------- items */

static void advance(addresses *p, const take_dimension *d, size_t n) {
    p->table = views_at(p->table, (ptrdiff_t)n * d->table);
    p->index += (ptrdiff_t)n * d->index;
    p->list += (ptrdiff_t)n * d->list;
}

/* Returns the addresses of the first row of a line. */
static addresses line_at(const params *j, size_t line) {
    addresses at = {j->c->table, j->c->list, j->c->index};
    advance(&at, &j->lines, line % j->lines.n);
    line /= j->lines.n;
    for (size_t k = j->count; k-- > 0; line /= j->c->dimensions[k].n)
        advance(&at, &j->c->dimensions[k], line % j->c->dimensions[k].n);
    return at;
}

static void move_item(void *self, size_t item) {
    const params *j = self;
    const size_t slice = item % j->slices * SLICE_BYTES, part = item / j->slices % j->parts * j->part;
    const size_t first = item / j->slices / j->parts * j->at_once;
    const size_t end = (size_t)min_u64(j->all_lines, first + j->at_once);
    const size_t size = j->slices > 1 ? (size_t)min_u64(SLICE_BYTES, j->row_bytes - slice) : j->row_bytes;
    for (size_t line = first, lines; line < end; line += lines) {
        addresses at = line_at(j, line);
        lines = (size_t)min_u64(end - line, j->lines.n - line % j->lines.n);
        advance(&at, &j->rows, part);
        at.table += slice;
        at.list += slice;
        move_rows(j, at, lines, (size_t)min_u64(j->part, j->rows.n - part), size);
    }
}

/* ------------------------------------------------------------------------------------ call */

/* Takes the last of the dimensions that are left; without one, a dimension of one element. */
static take_dimension take_last(params *j) {
    return j->count > 0 ? j->c->dimensions[--j->count] : (take_dimension){1, 0, 0, 0};
}

/* Divides the dimensions into planes of lines of rows. */
static void set_rows(params *j) {
    const ptrdiff_t size = (ptrdiff_t)j->c->element;
    j->count = j->c->count;
    j->row_bytes = j->c->element;
    j->rows = take_last(j);
    if (j->rows.index == 0 && j->rows.table == size && j->rows.list == size) {
        j->row_bytes *= j->rows.n;
        j->rows = take_last(j);
    }
    j->lines = take_last(j);
    j->all_lines = j->lines.n;
    for (size_t k = 0; k < j->count; k++) j->all_lines *= j->c->dimensions[k].n;
}

static move_way choose_way(const params *j) {
    const ptrdiff_t stride = j->c->stride;
    if (saturated_product(j->c->m, (size_t)(stride < 0 ? -stride : stride)) > CACHE_BYTES) return FAR;
    const bool tight = j->rows.table == 0 && j->rows.index == (ptrdiff_t)j->index_bytes &&
                       j->rows.list == (ptrdiff_t)j->row_bytes && j->row_bytes <= SLICE_BYTES;
    return tight ? TIGHT : NEAR;
}

/* Divides rows into slices, lines into parts, and the lines into items. */
static void divide(params *j) {
    const size_t bytes = (size_t)max_u64(1, min_u64(j->row_bytes, SLICE_BYTES));
    const size_t rows = (size_t)max_u64(1, min_u64(ITEM_ROWS, ITEM_BYTES / bytes)); /* of an item */
    j->slices = (size_t)ceil_div(j->row_bytes, SLICE_BYTES);
    j->part = (size_t)min_u64(rows, j->rows.n);
    j->parts = (size_t)ceil_div(j->rows.n, j->part);
    j->at_once = j->parts > 1 || j->slices > 1 ? 1 : rows / j->part;
    j->items = (size_t)ceil_div(j->all_lines, j->at_once) * j->parts * j->slices;
}

static weft_status check_range(const take_axis_call *c, int threads, const index_array *all, weft_error *error) {
    uint64_t bits;
    if (c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    const size_t bad = cpu_find_bad_index(threads, all, &bits);
    if (bad == SIZE_MAX || cpu_cancelled()) return WEFT_OK;
    return indices_fail(error, c->index_dtype, bad, bits, c->m);
}

static weft_status check_different(cpu_context *ctx, const take_axis_call *c, int threads, const index_array *all,
                                   weft_error *error) {
    void *map;
    index_pair equal;
    if (c->slots == 0 || cpu_cancelled()) return WEFT_OK;
    RETURN_IF_ERROR(cpu_workspace(ctx, ceil_div(c->slots, 64) * sizeof(uint64_t), &map, error));
    if (!cpu_find_equal_indices(threads, all, c->slots, map, &equal)) return WEFT_OK;
    return indices_fail_equal(error, "put_axis", c->index_dtype, equal.first, equal.second, equal.bits);
}

weft_status cpu_take_axis(void *state, const take_axis_call *c, weft_error *error) {
    cpu_context *ctx = state;
    params j = {.c = c, .index_bytes = weft_dtype_size(c->index_dtype), .end = indices_end(c->index_dtype, c->m)};
    set_rows(&j);
    j.way = choose_way(&j);
    divide(&j);
    const size_t bytes = saturated_product(j.all_lines * j.rows.n, j.index_bytes + j.row_bytes);
    const int threads = cpu_threads_for(ctx->threads, bytes);
    const index_array all = {j.index_bytes, j.end, c->indices_count, c->indices, c->first_index};
    cpu_plan_regions(c->slots > 0 ? 4 : 2);
    RETURN_IF_ERROR(check_range(c, threads, &all, error));
    RETURN_IF_ERROR(check_different(ctx, c, threads, &all, error));
    if (!cpu_cancelled()) cpu_parallel_for(threads, j.items, PARALLEL_RANGES, move_item, &j);
    return WEFT_OK;
}
