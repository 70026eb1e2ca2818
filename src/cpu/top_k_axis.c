/* weft_top_k_axis on the CPU (ORDER.md 32). A thread selects from ranges of vectors. Vectors that are not contiguous
 * are gathered into its memory, with vectors that are adjacent in x. The results of several vectors are written to
 * its memory and copied from there. If k is a large part of a vector, the vector is sorted. All threads select from
 * each of few long vectors. */
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/common/sort_passes.h"
#include "cpu/common/top_k_list.h"

#include <string.h>

enum {
    ITEM_BYTES = 1 << 16, /* of the vectors that a thread takes at a time */
    LONG_BYTES = 1 << 19, /* least bytes of a vector from which all threads select, if there are fewer than threads */
    ROWS_BYTES = 1 << 22, /* of gathered vectors in the memory of a thread, unless one is larger */
    LINE = 64,
    LINES_BYTES = 1 << 16,   /* of gathered vectors of several cache lines */
    LINES = 4,               /* most cache lines of them */
    RESULTS_BYTES = 1 << 14, /* of the results of contiguous vectors that are copied together */
    SORTED_PART = 4,         /* a vector of at most SORTED_PART * k elements is sorted, */
    SORTED_FROM = 33         /* if it has at least this many elements */
};

typedef struct params {
    cpu_context *ctx;
    const top_k_axis_call *c;
    int threads;
    size_t size, index; /* bytes of an element and of an index */
    top_k_params list;
    sort_params sort;   /* of one vector, whose arrays are set later */
    bool sorts, direct; /* vectors are sorted; are contiguous */
    vectors vectors;
    view_dimension values_outer[WEFT_DIMENSIONS_MAX]; /* the last one is that of adjacent vectors */
    view_dimension indices_outer[WEFT_DIMENSIONS_MAX];
    vector_results values, indices;
    size_t at_once, item; /* vectors whose results are copied together, and vectors of an item */
    /* Bytes of the parts of a thread's memory: gathered vectors, their results, the indices of one vector, and the
     * workspace. */
    size_t x_bytes, values_bytes, indices_bytes, order_bytes, work_bytes;
    char *memory;
} params;

static size_t memory_of_thread(const params *j) {
    return j->x_bytes + j->values_bytes + j->indices_bytes + j->order_bytes + j->work_bytes;
}

/* Widens or narrows indices of 64 bits to those of the call. `to` may be `from`. */
static void convert(const params *j, const uint64_t *from, char *to) {
    for (size_t i = 0; i < j->c->k; i++) {
        const uint64_t wide = from[i];
        const uint32_t narrow = (uint32_t)wide;
        memcpy(to + i * j->index, j->index == sizeof narrow ? (const void *)&narrow : &wide, j->index);
    }
}

/* ------------------------------------------------------------------------------------- one vector */

/* The memory of a thread. */
typedef struct memory {
    char *x, *values, *indices, *order, *work;
} memory;

static memory memory_at(const params *j, int thread) {
    memory m;
    m.x = j->memory + (size_t)thread * memory_of_thread(j);
    m.values = m.x + j->x_bytes;
    m.indices = m.values + j->values_bytes;
    m.order = m.indices + j->indices_bytes;
    m.work = m.order + j->order_bytes;
    return m;
}

/* Sorts the indices of a vector and takes the first k of them. */
static void sort_vector(const params *j, const char *x, const memory *m, char *values, char *indices) {
    sort_params sort = j->sort;
    sort.keys.from = x;
    sort.values.to = m->order;
    cpu_sort_run(&sort, m->work);
    for (size_t i = 0; i < j->c->k; i++) {
        uint64_t wide = 0;
        uint32_t narrow;
        memcpy(&wide, m->order + i * j->index, j->index);
        memcpy(&narrow, m->order + i * j->index, sizeof narrow);
        const size_t at = j->index == sizeof narrow ? narrow : (size_t)wide;
        memcpy(values + i * j->size, x + at * j->size, j->size);
    }
    if (indices) memcpy(indices, m->order, j->c->k * j->index);
}

static void select_from_vector(const params *j, const char *x, const memory *m, char *values, char *indices) {
    candidate *const list = (candidate *)(void *)m->work, *const other = list + j->list.capacity;
    uint64_t *const order = (uint64_t *)(void *)m->order;
    const size_t count = cpu_top_k_list(&j->list, x, 0, j->c->n, list);
    if (cpu_cancelled()) return;
    cpu_top_k_store(&j->list, x, cpu_top_k_first(&j->list, list, other, count), values, order);
    if (indices) convert(j, order, indices);
}

/* ----------------------------------------------------------------------------- many vectors */

static void do_item(void *self, size_t item) {
    const params *j = self;
    const size_t n = j->c->n, k = j->c->k, end = (size_t)min_u64(j->c->vectors, (item + 1) * j->item);
    const size_t x_row = n * j->size, values_row = k * j->size, indices_row = k * j->index;
    const bool wanted = j->indices.y;
    const memory m = memory_at(j, cpu_thread_number());
    for (size_t v = item * j->item, count; v < end && !cpu_cancelled(); v += count) {
        count = (size_t)min_u64(end - v, j->at_once);
        if (!j->direct) cpu_gather_vectors(j->ctx, &j->vectors, v, count, 0, n, m.x, x_row);
        for (size_t i = 0; i < count; i++) {
            const char *const x =
                j->direct ? views_at(j->c->x, views_x(j->c->outer_count, j->values_outer, v + i)) : m.x + i * x_row;
            (j->sorts ? sort_vector : select_from_vector)(j, x, &m, m.values + i * values_row,
                                                          wanted ? m.indices + i * indices_row : NULL);
        }
        if (cpu_cancelled()) return;
        cpu_scatter_vectors(j->ctx, &j->values, v, count, 0, k, m.values, values_row);
        if (wanted) cpu_scatter_vectors(j->ctx, &j->indices, v, count, 0, k, m.indices, indices_row);
    }
}

/* Chooses the number of vectors that are gathered together: those of several cache lines if they are short, or of
 * one, if they fit. Of contiguous vectors, those whose results fit in RESULTS_BYTES. */
static size_t taken_together(const params *j) {
    const size_t x_row = j->c->n * j->size, line = LINE / j->size;
    if (j->direct) return (size_t)max_u64(1, RESULTS_BYTES / (j->c->k * 8));
    const size_t lines = (size_t)max_u64(1, min_u64(LINES, LINES_BYTES / x_row / line));
    return (size_t)max_u64(1, min_u64(lines * line, ROWS_BYTES / x_row));
}

static weft_status run_many(params *j, weft_error *error) {
    const size_t n = j->c->n, k = j->c->k;
    void *workspace;
    j->at_once = (size_t)min_u64(taken_together(j), j->c->vectors);
    j->item = (size_t)round_up(max_u64(1, ITEM_BYTES / (n * j->size)), j->at_once);
    j->x_bytes = j->direct ? 0 : in_lines(j->at_once * n * j->size);
    j->values_bytes = in_lines(j->at_once * k * j->size);
    j->indices_bytes = in_lines(j->at_once * k * j->index);
    j->order_bytes = in_lines(j->sorts ? n * j->index : k * sizeof(uint64_t));
    j->work_bytes = in_lines(j->sorts ? cpu_sort_bytes(&j->sort) : (j->list.capacity + k) * sizeof(candidate));
    RETURN_IF_ERROR(cpu_workspace(j->ctx, (size_t)j->threads * memory_of_thread(j), &workspace, error));
    j->memory = workspace;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(j->c->vectors, j->item), PARALLEL_RANGES, do_item, j);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- few long vectors */

static void select_from_long_vector(const params *j, size_t v) {
    const top_k_axis_call *c = j->c;
    const ptrdiff_t size = (ptrdiff_t)j->size;
    const memory m = memory_at(j, 0);
    const char *x = views_at(c->x, views_x(c->outer_count, j->values_outer, v));
    if (!j->direct) {
        cpu_copy_vector(j->ctx, j->threads, j->size, (view_dimension){c->n, c->x_stride, size}, x, m.x);
        x = m.x;
    }
    const top_k_call call = {c->dtype, c->extreme, c->n, x, c->k, m.values, (uint64_t *)(void *)m.order};
    cpu_top_k_run(j->ctx, j->threads, &call, m.work);
    if (cpu_cancelled()) return;
    cpu_scatter_vectors(j->ctx, &j->values, v, 1, 0, c->k, m.values, c->k * j->size);
    if (!j->indices.y) return;
    convert(j, call.indices, m.order);
    cpu_scatter_vectors(j->ctx, &j->indices, v, 1, 0, c->k, m.order, c->k * j->index);
}

static weft_status run_long(params *j, weft_error *error) {
    const top_k_axis_call *c = j->c;
    const top_k_call call = {.dtype = c->dtype, .extreme = c->extreme, .n = c->n, .k = c->k};
    const size_t bytes = cpu_top_k_bytes(j->ctx, j->threads, &call);
    void *workspace;
    j->x_bytes = j->direct ? 0 : in_lines(c->n * j->size);
    j->values_bytes = in_lines(c->k * j->size);
    j->order_bytes = in_lines(c->k * sizeof(uint64_t));
    j->work_bytes = bytes;
    RETURN_IF(memory_of_thread(j) < bytes, WEFT_OUT_OF_MEMORY,
              "cannot allocate host memory for the %zu largest of %zu elements", c->k, c->n);
    RETURN_IF_ERROR(cpu_workspace(j->ctx, memory_of_thread(j), &workspace, error));
    j->memory = workspace;
    cpu_plan_regions(c->vectors * (j->direct ? 1 : 2));
    for (size_t v = 0; v < c->vectors && !cpu_cancelled(); v++) select_from_long_vector(j, v);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- call */

/* Moves the outer dimension of vectors that are closest in x to the end. */
static void choose_last(params *j) {
    size_t count = j->c->outer_count, also = count;
    memcpy(j->values_outer, j->c->values.outer, count * sizeof *j->values_outer);
    memcpy(j->indices_outer, j->c->indices.outer, count * sizeof *j->indices_outer);
    if (count == 0) return;
    const size_t last = cpu_closest_dimension(count, j->values_outer);
    const view_dimension values = views_take(&count, j->values_outer, last);
    const view_dimension indices = views_take(&also, j->indices_outer, last);
    j->values_outer[count] = values;
    j->indices_outer[count] = indices;
}

weft_status cpu_top_k_axis(void *state, const top_k_axis_call *c, weft_error *error) {
    params j = {.ctx = state, .c = c, .size = weft_dtype_size(c->dtype), .index = weft_dtype_size(c->index)};
    const view_dimension inner = {c->n, c->x_stride, 0};
    const size_t row = c->n * j.size, most = sizeof(size_t) > 4 ? SIZE_MAX >> 20 : SIZE_MAX >> 8;
    RETURN_IF(c->n > most, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu elements of a vector", c->n);
    j.direct = c->n == 1 || c->x_stride == (ptrdiff_t)j.size;
    choose_last(&j);
    j.vectors = (vectors){j.size, 1, c->outer_count, &inner, j.values_outer, c->x};
    j.values = (vector_results){j.size, c->outer_count, j.values_outer, c->values.stride, c->values.y, false};
    j.indices = (vector_results){j.index, c->outer_count, j.indices_outer, c->indices.stride, c->indices.y, false};
    j.threads = cpu_threads_for(j.ctx->threads, saturated_product(c->vectors, row));
    if (c->vectors < (size_t)j.ctx->threads && row >= LONG_BYTES) return run_long(&j, error);
    j.sorts = c->n >= SORTED_FROM && c->n / SORTED_PART < c->k;
    j.list = cpu_top_k_params(j.ctx, c->dtype, c->extreme, c->k, c->n);
    const weft_order_of_sort order = c->extreme == WEFT_LARGEST ? WEFT_DESCENDING : WEFT_ASCENDING;
    const argsort_call sort = {.dtype = c->dtype, .order = order, .index = c->index, .n = c->n};
    if (j.sorts) j.sort = cpu_argsort_params(j.ctx, 1, &sort);
    return run_many(&j, error);
}
