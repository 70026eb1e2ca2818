/* weft_copy_view on the CPU (ORDER.md 32.1). The last dimension is adjacent, or nearly, in y. Together with the
 * dimension that is adjacent in x it is a plane; if both are the same, the plane has whole rows. A block of a plane,
 * or several small planes, are an item that a thread copies. */
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/runtime/parallel.h"

enum {
    ITEM_BYTES = 1 << 18,
    ROW_BYTES = 1 << 17, /* most bytes of a row of a block */
    BLOCK_ROWS = 512     /* most bytes of a column of a block that is transposed */
};

typedef struct params {
    const cpu_context *ctx;
    size_t element;
    view_dimension rows, columns; /* of a plane */
    size_t count;                 /* dimensions of the array of planes */
    view_dimension outer[WEFT_DIMENSIONS_MAX];
    const char *x;
    char *y;
    size_t block_rows, block_columns; /* of a block */
    size_t down, across;              /* blocks of a plane */
    size_t blocks, at_once;           /* all blocks; blocks of an item */
    bool streams;
} params;

static void copy_block(const params *j, size_t block) {
    const size_t plane = block / (j->down * j->across), in_plane = block % (j->down * j->across);
    const size_t row = in_plane / j->across * j->block_rows, column = in_plane % j->across * j->block_columns;
    const ptrdiff_t down = (ptrdiff_t)row, across = (ptrdiff_t)column;
    view_dimension rows = j->rows, columns = j->columns;
    const char *const x = j->x + views_x(j->count, j->outer, plane) + down * rows.x + across * columns.x;
    char *const y = j->y + views_y(j->count, j->outer, plane) + down * rows.y + across * columns.y;
    rows.n = (size_t)min_u64(rows.n - row, j->block_rows);
    columns.n = (size_t)min_u64(columns.n - column, j->block_columns);
    cpu_copy_plane(j->ctx, j->element, rows, columns, x, y, j->streams);
}

static void copy_item(void *self, size_t item) {
    const params *j = self;
    const size_t first = item * j->at_once, end = (size_t)min_u64(j->blocks, first + j->at_once);
    for (size_t block = first; block < end; block++) copy_block(j, block);
    if (j->streams) cpu_copies_end(j->ctx);
}

/* Takes the dimension that becomes the rows of the planes: the next one in y if the columns are adjacent in both
 * arrays, else that with the smallest distance in x. */
static view_dimension take_rows(params *j) {
    const ptrdiff_t size = (ptrdiff_t)j->element;
    if (j->count == 0) return (view_dimension){1, size, size};
    const bool whole = j->columns.x == size && j->columns.y == size;
    return views_take(&j->count, j->outer, whole ? j->count - 1 : cpu_closest_dimension(j->count, j->outer));
}

/* Divides the planes into blocks, and the blocks into items. */
static void divide(params *j, size_t elements) {
    const size_t row = j->columns.n * j->element;
    const bool whole = j->columns.x == j->columns.y && j->columns.x == (ptrdiff_t)j->element;
    j->block_rows = BLOCK_ROWS / j->element;
    if (whole) j->block_rows = (size_t)max_u64(1, ITEM_BYTES / min_u64(row, ROW_BYTES));
    j->block_columns = whole ? ROW_BYTES / j->element : ITEM_BYTES / BLOCK_ROWS;
    j->down = (size_t)ceil_div(j->rows.n, j->block_rows);
    j->across = (size_t)ceil_div(j->columns.n, j->block_columns);
    j->blocks = elements / (j->rows.n * j->columns.n) * j->down * j->across;
    const size_t block = (size_t)min_u64(j->rows.n, j->block_rows) * (size_t)min_u64(j->columns.n, j->block_columns);
    j->at_once = (size_t)max_u64(1, ITEM_BYTES / j->element / max_u64(1, block));
}

/* Returns true if the last dimension consists of the two parts of a complex f64, or of another pair of 8 bytes. */
static bool ends_with_pairs(const params *j) {
    const ptrdiff_t size = sizeof(double);
    if (j->count == 0 || j->element != sizeof(double)) return false;
    const view_dimension last = j->outer[j->count - 1];
    return last.n == 2 && last.x == size && last.y == size;
}

weft_status cpu_copy_view(void *state, const copy_view_call *c, weft_error *error) {
    params j = {.ctx = state, .element = c->element, .count = c->count, .x = c->x, .y = c->y};
    size_t elements = 1;
    (void)error;
    for (size_t k = 0; k < c->count; k++) {
        j.outer[k] = c->dimensions[k];
        elements *= c->dimensions[k].n;
    }
    if (ends_with_pairs(&j)) {
        j.element *= 2;
        j.count--;
        elements /= 2;
    }
    j.columns = (view_dimension){1, (ptrdiff_t)j.element, (ptrdiff_t)j.element};
    if (j.count > 0) j.columns = views_take(&j.count, j.outer, j.count - 1);
    j.rows = take_rows(&j);
    j.streams = elements * j.element > VIEWS_STREAM_BYTES;
    divide(&j, elements);
    cpu_plan_regions(1);
    cpu_parallel_for(cpu_threads_for(j.ctx->threads, saturated_product(elements, j.element)),
                     (size_t)ceil_div(j.blocks, j.at_once), PARALLEL_RANGES, copy_item, &j);
    return WEFT_OK;
}
