/* weft_scan_axis on the CPU (ORDER.md 32). The strides choose the method, which does not affect the result:
 *
 *   - A thread scans ranges of vectors as rows. Rows that are not adjacent elements are gathered into its memory, and
 *     copied from there to y. All threads scan each of few long rows, as weft_scan does.
 *   - Vectors that are columns in both arrays are scanned by kernels that read rows of columns, if there are enough.
 *   - Other long vectors are scanned in blocks of adjacent vectors, part by part, which are gathered. */
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/common/scan_state.h"
#include "cpu/runtime/parallel.h"
#include "cpu/runtime/relay.h"

#include <string.h>

enum {
    ITEM_BYTES = 1 << 18,     /* of elements */
    LONG_BYTES = 1 << 19,     /* least bytes of a row that all threads scan */
    LONGER_BYTES = 1 << 24,   /* least bytes of a row that all threads scan even if there are many */
    ROWS_FOR_THREADS = 4,     /* rows for each thread, from which each is scanned by one thread */
    SHORT_BYTES = 1 << 15,    /* most bytes of results of a vector that is gathered as a whole */
    ROWS_BYTES = 1 << 16,     /* of results in the memory of a thread */
    ROWS_MAX = 256,           /* most rows of a call of the kernel */
    LINE = 64,                /* bytes of the results of a row of a block */
    COLUMN_BYTES = 1 << 12,   /* most bytes of the results of a row of a block of columns */
    LEAST_BYTES = 1 << 8,     /* least bytes of them, if there are as many columns */
    COLUMNS_AT_ONCE = 1 << 12 /* elements of a column between two checks for cancellation */
};

typedef struct params {
    cpu_context *ctx;
    const scan_axis_call *c;
    size_t size, result_size; /* bytes of an element and of a result */
    int threads;
    const scan_kernel *kernel;
    scan_params scan;
    vectors vectors;
    vector_results results;
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* the last one is that of adjacent vectors */
    view_dimension last;
    bool x_direct, y_direct, streams;
    size_t at_once, item; /* rows of a call of the kernel, and of an item */
    uint64_t *offsets;    /* multiples of the length */
    char *scratch;        /* of the threads: rows of x and rows of y */
    size_t x_bytes, y_bytes;
    size_t across, blocks, number; /* blocks along the last dimension; all blocks; current block of a relay */
    char *states;                  /* of the current block */
    const scan_column_kernel *column;
    size_t width; /* columns of a block */
} params;

static char *thread_memory(const params *j, size_t bytes_of_thread) {
    return j->scratch + (size_t)cpu_thread_number() * bytes_of_thread;
}

/* -------------------------------------------------------------------------------------- rows */

/* Scans rows that are x_row and y_row bytes apart. */
static void scan_rows(const params *j, size_t count, const char *x, ptrdiff_t x_row, char *y, ptrdiff_t y_row) {
    const size_t n = j->c->inner.n;
    if (x_row == (ptrdiff_t)(n * j->size) && y_row == (ptrdiff_t)(n * j->result_size)) {
        j->kernel->segments(&j->scan, x, j->offsets, count, SIZE_MAX, y);
        return;
    }
    for (size_t r = 0; r < count; r++, x += x_row, y += y_row)
        j->kernel->segments(&j->scan, x, j->offsets, 1, SIZE_MAX, y);
}

static void do_rows(void *self, size_t item) {
    const params *j = self;
    const size_t n = j->c->inner.n, end = (size_t)min_u64(j->c->vectors, (item + 1) * j->item);
    const size_t dimensions = j->vectors.outer_count;
    char *const own_x = thread_memory(j, j->x_bytes + j->y_bytes), *const own_y = own_x + j->x_bytes;
    for (size_t v = item * j->item, count; v < end; v += count) {
        const char *x = own_x;
        char *y = own_y;
        ptrdiff_t x_row = (ptrdiff_t)(n * j->size), y_row = (ptrdiff_t)(n * j->result_size);
        count = (size_t)min_u64(end - v, j->at_once);
        if (j->x_direct || j->y_direct) count = (size_t)min_u64(count, j->last.n - v % j->last.n);
        if (j->x_direct) {
            x = views_at(j->c->x, views_x(dimensions, j->outer, v));
            x_row = j->last.x;
        } else {
            cpu_gather_vectors(j->ctx, &j->vectors, v, count, 0, n, own_x, (size_t)x_row);
        }
        if (j->y_direct) {
            y = views_at(j->c->y, views_y(dimensions, j->outer, v));
            y_row = j->last.y;
        }
        scan_rows(j, count, x, x_row, y, y_row);
        if (!j->y_direct) cpu_scatter_vectors(j->ctx, &j->results, v, count, 0, n, own_y, (size_t)y_row);
    }
    if (j->streams) cpu_copies_end(j->ctx);
}

static weft_status run_rows(params *j, weft_error *error) {
    const size_t n = j->c->inner.n, x_row = n * j->size, y_row = n * j->result_size;
    const size_t offsets_bytes = (size_t)round_up((ROWS_MAX + 1) * sizeof *j->offsets, CPU_ALIGNMENT);
    void *workspace;
    if (j->y_direct && j->streams && y_row <= ROWS_BYTES) j->y_direct = false;
    j->scan.streams = j->y_direct && j->streams;
    j->at_once = ROWS_MAX;
    if (!j->x_direct || !j->y_direct)
        j->at_once = (size_t)max_u64(1, min_u64(ROWS_MAX, ROWS_BYTES / max_u64(x_row, y_row)));
    j->x_bytes = j->x_direct ? 0 : (size_t)round_up(j->at_once * x_row, CPU_ALIGNMENT);
    j->y_bytes = j->y_direct ? 0 : (size_t)round_up(j->at_once * y_row, CPU_ALIGNMENT);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the analyzer does not know that n >= 1 */
    j->item = (size_t)max_u64(1, ITEM_BYTES / x_row);
    RETURN_IF_ERROR(
        cpu_workspace(j->ctx, offsets_bytes + (size_t)j->threads * (j->x_bytes + j->y_bytes), &workspace, error));
    j->offsets = workspace;
    j->scratch = (char *)workspace + offsets_bytes;
    for (size_t r = 0; r <= ROWS_MAX; r++) j->offsets[r] = r * n;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(j->c->vectors, j->item), PARALLEL_RANGES, do_rows, j);
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- long rows */

static weft_status scan_long_rows(const params *j, weft_error *error) {
    const scan_axis_call *c = j->c;
    for (size_t v = 0; v < c->vectors && !cpu_cancelled(); v++) {
        const scan_call row = {.op = c->op,
                               .kind = c->kind,
                               .dtype = c->dtype,
                               .result = c->result,
                               .n = c->inner.n,
                               .x = views_at(c->x, views_x(c->outer_count, c->outer, v)),
                               .init = c->init,
                               .y = views_at(c->y, views_y(c->outer_count, c->outer, v))};
        RETURN_IF_ERROR(cpu_scan(j->ctx, &row, error));
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ blocks */

enum { PART = SCAN_TILE }; /* elements of a vector that are gathered together */

static size_t block_width(const params *j) { return (size_t)min_u64(j->last.n, LINE / j->result_size); }

/* Scans part i of a block from its states, which it advances. With `turns`, other threads process other parts. */
static void scan_block_part(const params *j, size_t block, size_t i, scan_state *states, relay *turns) {
    const size_t n = j->c->inner.n, first = i * PART, count = (size_t)min_u64(n - first, PART);
    const size_t at = block % j->across * block_width(j), width = (size_t)min_u64(j->last.n - at, block_width(j));
    const size_t v = block / j->across * j->last.n + at;
    const size_t x_row = PART * j->size + LINE, y_row = PART * j->result_size + LINE;
    const bool last = first + count == n;
    char *const x = thread_memory(j, j->x_bytes + j->y_bytes), *const y = x + j->x_bytes;
    scan_totals *const totals = (void *)(y + block_width(j) * y_row);
    scan_state *const own = (void *)(totals + block_width(j));
    cpu_gather_vectors(j->ctx, &j->vectors, v, width, first, count, x, x_row);
    if (turns) {
        for (size_t k = 0; k < width && !last; k++) j->kernel->totals(&j->scan, x + k * x_row, 1, &totals[k]);
        relay_wait(turns, i);
        memcpy(own, states, width * sizeof *own);
        for (size_t k = 0; k < width && !last; k++) j->kernel->pass(&totals[k], 1, &states[k]);
        relay_pass(turns, i);
        states = own;
    }
    for (size_t k = 0; k < width; k++) j->kernel->scan(&j->scan, x + k * x_row, count, &states[k], y + k * y_row);
    /* An exclusive sum starts from -0.0, but the empty sum is +0.0. */
    if (first == 0 && j->c->op == WEFT_SUM && j->scan.exclusive && !j->c->init)
        for (size_t k = 0; k < width; k++) memset(y + k * y_row, 0, j->result_size);
    cpu_scatter_vectors(j->ctx, &j->results, v, width, first, count, y, y_row);
    if (j->streams) cpu_copies_end(j->ctx);
}

static void begin_states(const params *j, scan_state *states) {
    for (size_t k = 0; k < block_width(j); k++) j->kernel->begin(&j->scan, &states[k]);
}

/* Scans a block with one thread. */
static void do_block(void *self, size_t block) {
    const params *j = self;
    char *const own = thread_memory(j, j->x_bytes + j->y_bytes) + j->x_bytes + j->y_bytes;
    scan_state *const states = (scan_state *)(void *)own - block_width(j);
    begin_states(j, states);
    for (size_t i = 0; i < ceil_div(j->c->inner.n, PART) && !cpu_cancelled(); i++)
        scan_block_part(j, block, i, states, NULL);
}

static void do_part(void *self, size_t i, relay *turns) {
    const params *j = self;
    scan_block_part(j, j->number, i, (void *)j->states, turns);
}

static weft_status run_blocks(params *j, weft_error *error) {
    const size_t width = block_width(j);
    const size_t states_bytes = (size_t)round_up(width * sizeof(scan_state), CPU_ALIGNMENT);
    void *workspace;
    j->across = (size_t)ceil_div(j->last.n, width);
    j->blocks = j->c->vectors / j->last.n * j->across;
    j->x_bytes = (size_t)round_up(width * (PART * j->size + LINE), CPU_ALIGNMENT);
    j->y_bytes =
        (size_t)round_up(width * (PART * j->result_size + LINE + sizeof(scan_totals)), CPU_ALIGNMENT) + states_bytes;
    RETURN_IF_ERROR(
        cpu_workspace(j->ctx, states_bytes + (size_t)j->threads * (j->x_bytes + j->y_bytes), &workspace, error));
    j->states = workspace;
    j->scratch = j->states + states_bytes;
    if (j->blocks >= (size_t)j->threads) {
        cpu_plan_regions(1);
        cpu_parallel_for(j->threads, j->blocks, PARALLEL_RANGES, do_block, j);
        return WEFT_OK;
    }
    cpu_plan_regions(j->blocks);
    for (j->number = 0; j->number < j->blocks && !cpu_cancelled(); j->number++) {
        begin_states(j, (void *)j->states);
        relay_run(j->threads, (size_t)ceil_div(j->c->inner.n, PART), do_part, j);
    }
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------- columns */

static void do_columns(void *self, size_t block) {
    const params *j = self;
    const scan_axis_call *c = j->c;
    const size_t at = block % j->across * j->width, width = (size_t)min_u64(j->last.n - at, j->width);
    const size_t v = block / j->across * j->last.n + at, n = c->inner.n;
    char *const x = views_at(c->x, views_x(j->vectors.outer_count, j->outer, v));
    char *const y = views_at(c->y, views_y(j->vectors.outer_count, j->outer, v));
    void *const state = thread_memory(j, j->x_bytes);
    const bool aligned = ((uintptr_t)y | (uintptr_t)c->inner.y) % VIEWS_LINE == 0;
    j->column->begin(&j->scan, n, width, state);
    for (size_t i = 0; i < n && !cpu_cancelled(); i += COLUMNS_AT_ONCE) {
        const scan_columns part = {.x = x + (ptrdiff_t)i * c->inner.x,
                                   .y = y + (ptrdiff_t)i * c->inner.y,
                                   .x_row = c->inner.x,
                                   .y_row = c->inner.y,
                                   .n = (size_t)min_u64(n - i, COLUMNS_AT_ONCE),
                                   .columns = width,
                                   .streams = j->streams && aligned};
        j->column->scan(&j->scan, &part, state);
        /* An exclusive sum starts from -0.0, but the empty sum is +0.0. */
        if (i == 0 && c->op == WEFT_SUM && j->scan.exclusive && !c->init) memset(y, 0, width * j->result_size);
    }
}

/* Sets the width of the blocks. Returns false if the vectors are not columns, or if there are too few of them for all
 * threads. */
static bool divide_columns(params *j) {
    const size_t size = j->result_size, columns = j->last.n, least = LEAST_BYTES / size;
    if (j->last.x != (ptrdiff_t)j->size || j->last.y != (ptrdiff_t)size) return false;
    j->width = COLUMN_BYTES / size;
    while (j->width > least && j->c->vectors / columns * ceil_div(columns, j->width) < 4 * (size_t)j->threads)
        j->width /= 2;
    j->across = (size_t)ceil_div(columns, j->width);
    j->blocks = j->c->vectors / columns * j->across;
    return columns >= LINE / size && j->blocks >= (size_t)j->threads;
}

static weft_status run_columns(params *j, weft_error *error) {
    void *workspace;
    j->x_bytes = (size_t)round_up(scan_columns_bytes(j->column, j->c->inner.n, j->width), CPU_ALIGNMENT);
    RETURN_IF_ERROR(cpu_workspace(j->ctx, (size_t)j->threads * j->x_bytes, &workspace, error));
    j->scratch = workspace;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, j->blocks, PARALLEL_RANGES, do_columns, j);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- call */

/* Moves the outer dimension of adjacent vectors to the end: of rows the last one, else the closest one. */
static void choose_last(params *j, bool direct) {
    size_t count = j->c->outer_count;
    j->last = (view_dimension){1, 0, 0};
    if (count == 0) return;
    j->last = views_take(&count, j->outer, direct ? count - 1 : cpu_closest_dimension(count, j->outer));
    j->outer[count] = j->last;
}

weft_status cpu_scan_axis(void *state, const scan_axis_call *c, weft_error *error) {
    const scan_call row = {.op = c->op, .kind = c->kind, .dtype = c->dtype, .result = c->result, .init = c->init};
    params j = {.ctx = state, .c = c, .size = weft_dtype_size(c->dtype), .result_size = weft_dtype_size(c->result)};
    const size_t n = c->inner.n, bytes = n * j.result_size;
    const bool few = c->vectors < (size_t)j.ctx->threads * ROWS_FOR_THREADS;
    j.kernel = cpu_scan_kernel(j.ctx, &row, &j.scan);
    j.threads = cpu_threads_for(j.ctx->threads, saturated_product(saturated_product(c->vectors, n), j.size));
    j.x_direct = n == 1 || c->inner.x == (ptrdiff_t)j.size;
    j.y_direct = n == 1 || c->inner.y == (ptrdiff_t)j.result_size;
    j.streams = c->x != c->y && c->vectors * bytes > VIEWS_STREAM_BYTES;
    const bool direct = j.x_direct && j.y_direct;
    if (direct && ((few && bytes >= LONG_BYTES) || bytes >= LONGER_BYTES || c->vectors == 1))
        return scan_long_rows(&j, error);
    for (size_t k = 0; k < c->outer_count; k++) j.outer[k] = c->outer[k];
    choose_last(&j, direct);
    j.vectors = (vectors){j.size, 1, c->outer_count, &c->inner, j.outer, c->x};
    j.results = (vector_results){j.result_size, c->outer_count, j.outer, c->inner.y, c->y, j.streams};
    j.column = cpu_scan_column_kernel(j.ctx, j.kernel);
    if (!direct && divide_columns(&j)) return run_columns(&j, error);
    return direct || bytes <= SHORT_BYTES ? run_rows(&j, error) : run_blocks(&j, error);
}
