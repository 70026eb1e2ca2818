/* weft_sort_axis and weft_argsort_axis on the CPU (ORDER.md 32). A thread sorts ranges of vectors. Vectors that are
 * not contiguous are gathered into its memory, with vectors that are adjacent in x, and copied from there to y. All
 * threads sort each of few long vectors. */
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    ITEM_BYTES = 1 << 16, /* of the vectors that a thread takes at a time */
    LONG_BYTES = 1 << 19, /* least bytes of a vector that all threads sort, if there are fewer vectors than threads */
    LONGER_BYTES = 1 << 24, /* least bytes of a vector that all threads always sort */
    ROWS_BYTES = 1 << 22,   /* of gathered vectors in the memory of a thread, unless one is larger */
    LINE = 64,
    LINES_BYTES = 1 << 16, /* of gathered vectors of several cache lines */
    LINES = 4              /* most cache lines of them */
};

typedef struct params {
    cpu_context *ctx;
    const sort_axis_call *c;
    int threads;
    sort_params sort; /* of one vector, whose arrays are set later */
    vectors vectors;
    vector_results results;
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* the last one is that of adjacent vectors */
    view_dimension last;
    bool x_direct, y_direct; /* the vectors are contiguous */
    size_t x_row, y_row;     /* bytes of a vector and of its results */
    size_t at_once, item;    /* vectors that are gathered together, and vectors of an item */
    size_t x_bytes, y_bytes; /* of gathered vectors and of their results */
    size_t sort_bytes;       /* of the workspace of a sort */
    char *scratch;           /* of the threads: these three */
} params;

/* Sorts one vector. */
static void sort_vector(const params *j, const char *x, char *y, void *workspace) {
    sort_params sort = j->sort;
    sort.keys.from = x;
    sort.keys.to = j->c->indices ? NULL : y;
    sort.values.to = j->c->indices ? y : NULL;
    cpu_sort_run(&sort, workspace);
}

/* Keys that were gathered are sorted in place. */
static bool sorts_copies_in_place(const params *j) { return !j->x_direct && !j->c->indices; }

/* ----------------------------------------------------------------------------- many vectors */

static void do_item(void *self, size_t item) {
    const params *j = self;
    const size_t n = j->c->inner.n, end = (size_t)min_u64(j->c->vectors, (item + 1) * j->item);
    const size_t dimensions = j->vectors.outer_count;
    char *const own_x = j->scratch + (size_t)cpu_thread_number() * (j->x_bytes + j->y_bytes + j->sort_bytes);
    char *const own_y = sorts_copies_in_place(j) ? own_x : own_x + j->x_bytes;
    void *const workspace = own_x + j->x_bytes + j->y_bytes;
    for (size_t v = item * j->item, count; v < end && !cpu_cancelled(); v += count) {
        const char *x = own_x;
        char *y = own_y;
        ptrdiff_t x_row = (ptrdiff_t)j->x_row, y_row = (ptrdiff_t)j->y_row;
        count = (size_t)min_u64(end - v, j->at_once);
        if (j->x_direct || j->y_direct) count = (size_t)min_u64(count, j->last.n - v % j->last.n);
        if (j->x_direct) {
            x = views_at(j->c->x, views_x(dimensions, j->outer, v));
            x_row = j->last.x;
        } else {
            cpu_gather_vectors(j->ctx, &j->vectors, v, count, 0, n, own_x, j->x_row);
        }
        if (j->y_direct) {
            y = views_at(j->c->y, views_y(dimensions, j->outer, v));
            y_row = j->last.y;
        }
        for (size_t k = 0; k < count; k++)
            sort_vector(j, x + (ptrdiff_t)k * x_row, y + (ptrdiff_t)k * y_row, workspace);
        if (!j->y_direct) cpu_scatter_vectors(j->ctx, &j->results, v, count, 0, n, own_y, j->y_row);
    }
}

/* Chooses the number of vectors that are gathered together: those of several cache lines if they are short, or of
 * one, if they fit. */
static size_t gathered_together(const params *j) {
    const size_t row = j->x_row > j->y_row ? j->x_row : j->y_row;
    const size_t line = (size_t)(LINE / min_u64(j->vectors.element, j->results.element));
    const size_t lines = (size_t)max_u64(1, min_u64(LINES, LINES_BYTES / row / line));
    return (size_t)max_u64(1, min_u64(lines * line, ROWS_BYTES / row));
}

static weft_status run_many(params *j, weft_error *error) {
    void *workspace;
    const bool direct = j->x_direct && j->y_direct;
    j->at_once = direct ? j->c->vectors : gathered_together(j);
    j->item = (size_t)max_u64(1, ITEM_BYTES / j->x_row);
    if (!direct) j->item = (size_t)round_up(j->item, j->at_once);
    j->x_bytes = j->x_direct ? 0 : in_lines(j->at_once * j->x_row);
    j->y_bytes = j->y_direct || sorts_copies_in_place(j) ? 0 : in_lines(j->at_once * j->y_row);
    RETURN_IF_ERROR(
        cpu_workspace(j->ctx, (size_t)j->threads * (j->x_bytes + j->y_bytes + j->sort_bytes), &workspace, error));
    j->scratch = workspace;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(j->c->vectors, j->item), PARALLEL_RANGES, do_item, j);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- few long vectors */

static void sort_long_vector(const params *j, size_t v) {
    const size_t dimensions = j->vectors.outer_count, size = j->vectors.element, result = j->results.element;
    const view_dimension inner = j->c->inner;
    char *const own_x = j->scratch, *const own_y = sorts_copies_in_place(j) ? own_x : own_x + j->x_bytes;
    const char *x = views_at(j->c->x, views_x(dimensions, j->outer, v));
    char *const y = views_at(j->c->y, views_y(dimensions, j->outer, v));
    if (!j->x_direct) {
        cpu_copy_vector(j->ctx, j->threads, size, (view_dimension){inner.n, inner.x, (ptrdiff_t)size}, x, own_x);
        x = own_x;
    }
    sort_vector(j, x, j->y_direct ? y : own_y, own_x + j->x_bytes + j->y_bytes);
    if (!j->y_direct)
        cpu_copy_vector(j->ctx, j->threads, result, (view_dimension){inner.n, (ptrdiff_t)result, inner.y}, own_y, y);
}

static weft_status run_long(params *j, weft_error *error) {
    void *workspace;
    j->x_bytes = j->x_direct ? 0 : in_lines(j->x_row);
    j->y_bytes = j->y_direct || sorts_copies_in_place(j) ? 0 : in_lines(j->y_row);
    RETURN_IF_ERROR(cpu_workspace(j->ctx, j->x_bytes + j->y_bytes + j->sort_bytes, &workspace, error));
    j->scratch = workspace;
    for (size_t v = 0; v < j->c->vectors && !cpu_cancelled(); v++) sort_long_vector(j, v);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- call */

/* Moves the outer dimension of adjacent vectors to the end: the last one of contiguous vectors, else the closest. */
static void choose_last(params *j) {
    size_t count = j->c->outer_count;
    for (size_t k = 0; k < count; k++) j->outer[k] = j->c->outer[k];
    j->last = (view_dimension){1, 0, 0};
    if (count == 0) return;
    const size_t last = j->x_direct && j->y_direct ? count - 1 : cpu_closest_dimension(count, j->outer);
    j->last = views_take(&count, j->outer, last);
    j->outer[count] = j->last;
}

static sort_params params_of_vector(const params *j, int threads) {
    const sort_axis_call *c = j->c;
    const argsort_call indices = {.dtype = c->dtype, .order = c->order, .index = c->result, .n = c->inner.n};
    const sort_call keys = {
        .dtype = c->dtype, .order = c->order, .bits = 8 * (unsigned)j->vectors.element, .n = c->inner.n};
    return c->indices ? cpu_argsort_params(j->ctx, threads, &indices) : cpu_sort_params(j->ctx, threads, &keys);
}

weft_status cpu_sort_axis(void *state, const sort_axis_call *c, weft_error *error) {
    params j = {.ctx = state, .c = c};
    const size_t size = weft_dtype_size(c->dtype), result = weft_dtype_size(c->result), n = c->inner.n;
    j.x_row = n * size;
    j.y_row = n * result;
    j.x_direct = n == 1 || c->inner.x == (ptrdiff_t)size;
    j.y_direct = n == 1 || c->inner.y == (ptrdiff_t)result;
    choose_last(&j);
    j.vectors = (vectors){size, 1, c->outer_count, &c->inner, j.outer, c->x};
    j.results = (vector_results){result, c->outer_count, j.outer, c->inner.y, c->y, false};
    const bool few = c->vectors < (size_t)j.ctx->threads;
    const bool together = (few && j.x_row >= LONG_BYTES) || j.x_row >= LONGER_BYTES || c->vectors == 1;
    j.threads = cpu_threads_for(j.ctx->threads, saturated_product(c->vectors, j.x_row));
    j.sort = params_of_vector(&j, together ? j.threads : 1);
    j.sort_bytes = in_lines(cpu_sort_bytes(&j.sort));
    return together ? run_long(&j, error) : run_many(&j, error);
}
