/* weft_quantile_axis on the CPU (ORDER.md 32.4). A thread sorts copies of vectors in its memory, and takes the
 * quantiles from there. If there are few quantiles, it partitions a long vector by splitters near them, and sorts
 * only the parts that contain them (R. W. Floyd and R. L. Rivest, Commun. ACM 18 (3), 1975). Vectors that are not
 * contiguous are gathered together with vectors that are adjacent in x. All threads sort each of few long vectors. */
#include "arith/formats.h"
#include "arith/quantile.h"
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/common/sort_passes.h"

#include <math.h>
#include <string.h>

enum {
    ITEM_BYTES = 1 << 16, /* of the vectors that a thread takes at a time */
    LONG_BYTES = 1 << 19, /* least bytes of a vector that all threads sort, if there are fewer vectors than threads */
    LONGER_BYTES = 1 << 24, /* least bytes of a vector that all threads always sort */
    ROWS_BYTES = 1 << 22,   /* of gathered vectors in the memory of a thread, unless one is larger */
    LINE = 64,
    LINES_BYTES = 1 << 16, /* of gathered vectors of several cache lines */
    LINES = 4,             /* most cache lines of them */
    SPLITTERS = 31,        /* from which those near the quantiles are chosen */
    SELECTED_FROM = 4096,  /* least elements of a vector that is partitioned, */
    SELECTED_MOST = 8      /* if there are at most this many quantiles */
};

_Static_assert((int)WEFT_QUANTILE_LINEAR == WEFT_LINEAR && (int)WEFT_QUANTILE_LOWER == WEFT_LOWER &&
                   (int)WEFT_QUANTILE_HIGHER == WEFT_HIGHER && (int)WEFT_QUANTILE_NEAREST == WEFT_NEAREST &&
                   (int)WEFT_QUANTILE_MIDPOINT == WEFT_MIDPOINT,
               "a rule has the number of its method");

typedef struct params {
    cpu_context *ctx;
    const quantile_axis_call *c;
    int threads;
    sort_params sort;     /* of one vector, whose arrays are set later */
    bool selects;         /* a vector is partitioned, */
    bool kept[SPLITTERS]; /* by these splitters */
    vectors vectors;
    view_dimension outer[WEFT_DIMENSIONS_MAX]; /* the last one is that of adjacent vectors */
    bool direct;                               /* the vectors are contiguous */
    size_t row;                                /* bytes of a vector */
    size_t at_once, item;                      /* vectors that are gathered together, and vectors of an item */
    size_t rows_bytes, sort_bytes;             /* of copies of vectors, and of the workspace of a sort */
    char *scratch;                             /* of the threads: these two */
} params;

/* ----------------------------------------------------------------------------------- results */

/* Returns the value of an element. */
static double value_of(weft_dtype dtype, const char *p) {
    switch (dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    case WEFT_##ID: {                    \
        ctype v;                         \
        memcpy(&v, p, sizeof v);         \
        return (double)v;                \
    }
#define HALF(ID, name, npy)                 \
    case WEFT_##ID: {                       \
        uint16_t bits;                      \
        memcpy(&bits, p, sizeof bits);      \
        return weft_from_bits_##name(bits); \
    }
#include "core/halves.def"
#include "core/types.def"
    default: return 0;
    }
}

static void store_value(weft_dtype dtype, double v, char *y) {
    const double wide = weft_canonical_f64(v);
    const float narrow = weft_canonical_f32((float)v);
    const uint16_t half = weft_half_bits(v, dtype == WEFT_F16 ? 11 : 8);
    memcpy(y,
           type_is_half(dtype) ? (const void *)&half
           : dtype == WEFT_F32 ? (const void *)&narrow
                               : &wide,
           weft_dtype_size(dtype));
}

/* Stores the quantiles of vector v, whose sorted elements are at s. */
static void store_quantiles(const params *j, size_t v, const char *s, bool has_nan) {
    const quantile_axis_call *c = j->c;
    const size_t size = j->vectors.element;
    char *y = views_at(c->y, views_y(c->outer_count, j->outer, v));
    for (size_t k = 0; k < c->count; k++, y += c->inner.y) {
        const weft_quantile at = weft_quantile_of((weft_quantile_rule)c->method, c->q[k], c->inner.n);
        const char *const a = s + (size_t)at.index * size;
        if (has_nan)
            store_value(c->result, (double)NAN, y);
        else if (at.w > 0)
            store_value(c->result, weft_quantile_mean(value_of(c->dtype, a), value_of(c->dtype, a + size), at.w), y);
        else if (c->result != c->dtype)
            store_value(c->result, value_of(c->dtype, a), y);
        else
            memcpy(y, a, size);
    }
}

/* --------------------------------------------------------------------------------- selection */

/* Sorts the part of a vector that contains element i, if it is not sorted. */
static void sort_part_of(const params *j, size_t i, const size_t *sizes, bool *done, char *parts, char *other) {
    const size_t size = j->vectors.element;
    size_t b = 0, begin = 0;
    while (begin + sizes[b] <= i) begin += sizes[b++];
    if (!done[b]) j->sort.vectors->finish(&j->sort.rule, parts + begin * size, sizes[b], other + begin * size);
    done[b] = true;
}

/* Writes the elements that the quantiles need to their sorted positions in `parts`. Returns false if the vector
 * contains a NaN. parts may be x. */
static bool select_elements(const params *j, const char *x, char *parts, char *workspace) {
    const sort_vector_kernel *const kernel = j->sort.vectors;
    const size_t n = j->c->inner.n, size = j->vectors.element;
    uint64_t splitters[SPLITTERS];
    size_t sizes[SPLITTERS + 1], count = 0;
    bool done[SPLITTERS + 1] = {false};
    char *const ranks = workspace, *const sample = ranks + in_lines(j->row), *const all = (char *)splitters;
    if (kernel->rank(&j->sort.rule, x, n, ranks) < n) return false;
    kernel->choose(&j->sort.rule, x, n, sample, SPLITTERS, splitters);
    for (size_t k = 0; k < SPLITTERS; k++)
        if (j->kept[k]) memmove(all + count++ * size, all + k * size, size);
    kernel->part(ranks, n, parts, count, splitters, sizes);
    for (size_t k = 0; k < j->c->count; k++) {
        const weft_quantile at = weft_quantile_of((weft_quantile_rule)j->c->method, j->c->q[k], n);
        sort_part_of(j, (size_t)at.index, sizes, done, parts, ranks);
        if (at.w > 0) sort_part_of(j, (size_t)at.index + 1, sizes, done, parts, ranks);
    }
    return true;
}

/* Chooses splitters before and after each quantile, more than one part of the elements away from it. */
static void keep_splitters(params *j) {
    const size_t n = j->c->inner.n;
    for (size_t k = 0; k < j->c->count; k++) {
        const weft_quantile at = weft_quantile_of((weft_quantile_rule)j->c->method, j->c->q[k], n);
        const size_t part = (size_t)((double)at.index / (double)n * (SPLITTERS + 1));
        if (part >= 2) j->kept[part - 2] = true;
        if (part + 1 < SPLITTERS) j->kept[part + 1] = true;
    }
}

/* -------------------------------------------------------------------------------- one vector */

/* Sorts a vector. Returns false if it contains a NaN. `sorted` may be x. */
static bool sort_elements(const params *j, const char *x, char *sorted, char *workspace) {
    sort_params sort = j->sort;
    sort.keys.from = x;
    sort.keys.to = sorted;
    cpu_sort_run(&sort, workspace);
    if (!type_is_real(j->c->dtype) || cpu_cancelled()) return true;
    return !isnan(value_of(j->c->dtype, sorted + j->row - j->vectors.element));
}

/* Stores the quantiles of vector v, which is at x. Its sorted elements are written to `sorted`. */
static void do_vector(const params *j, size_t v, const char *x, char *sorted, char *workspace) {
    const bool has_nan = !(j->selects ? select_elements : sort_elements)(j, x, sorted, workspace);
    if (!cpu_cancelled()) store_quantiles(j, v, sorted, has_nan);
}

/* ------------------------------------------------------------------------------ many vectors */

static void do_item(void *self, size_t item) {
    const params *j = self;
    const size_t end = (size_t)min_u64(j->c->vectors, (item + 1) * j->item);
    char *const rows = j->scratch + (size_t)cpu_thread_number() * (j->rows_bytes + j->sort_bytes);
    char *const workspace = rows + j->rows_bytes;
    for (size_t v = item * j->item, count; v < end && !cpu_cancelled(); v += count) {
        count = (size_t)min_u64(end - v, j->at_once);
        if (!j->direct) cpu_gather_vectors(j->ctx, &j->vectors, v, count, 0, j->c->inner.n, rows, j->row);
        for (size_t k = 0; k < count; k++) {
            char *const sorted = rows + k * j->row;
            const char *const x = j->direct ? views_at(j->c->x, views_x(j->c->outer_count, j->outer, v + k)) : sorted;
            do_vector(j, v + k, x, sorted, workspace);
        }
    }
}

/* Chooses the number of vectors that are gathered together: those of several cache lines if they are short, or of
 * one, if they fit. */
static size_t gathered_together(const params *j) {
    const size_t line = LINE / j->vectors.element;
    const size_t lines = (size_t)max_u64(1, min_u64(LINES, LINES_BYTES / j->row / line));
    return (size_t)max_u64(1, min_u64(lines * line, ROWS_BYTES / j->row));
}

static weft_status run_many(params *j, weft_error *error) {
    void *workspace;
    j->at_once = j->direct ? 1 : gathered_together(j);
    j->item = (size_t)max_u64(1, ITEM_BYTES / j->row / j->at_once) * j->at_once;
    j->rows_bytes = in_lines(j->at_once * j->row);
    RETURN_IF_ERROR(cpu_workspace(j->ctx, (size_t)j->threads * (j->rows_bytes + j->sort_bytes), &workspace, error));
    j->scratch = workspace;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(j->c->vectors, j->item), PARALLEL_RANGES, do_item, j);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- few long vectors */

static weft_status run_long(params *j, weft_error *error) {
    const view_dimension copy = {j->c->inner.n, j->c->inner.x, (ptrdiff_t)j->vectors.element};
    void *workspace;
    j->rows_bytes = in_lines(j->row);
    RETURN_IF_ERROR(cpu_workspace(j->ctx, j->rows_bytes + j->sort_bytes, &workspace, error));
    j->scratch = workspace;
    for (size_t v = 0; v < j->c->vectors && !cpu_cancelled(); v++) {
        const char *x = views_at(j->c->x, views_x(j->c->outer_count, j->outer, v));
        if (!j->direct) {
            cpu_copy_vector(j->ctx, j->threads, j->vectors.element, copy, x, j->scratch);
            x = j->scratch;
        }
        do_vector(j, v, x, j->scratch, j->scratch + j->rows_bytes);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------------- call */

/* Copies the outer dimensions. Moves that of vectors that are closest in x to the end. */
static void choose_last(params *j) {
    size_t count = j->c->outer_count;
    memcpy(j->outer, j->c->outer, count * sizeof *j->outer);
    if (count == 0) return;
    const view_dimension last = views_take(&count, j->outer, cpu_closest_dimension(count, j->outer));
    j->outer[count] = last;
}

weft_status cpu_quantile_axis(void *state, const quantile_axis_call *c, weft_error *error) {
    params j = {.ctx = state, .c = c};
    const size_t size = weft_dtype_size(c->dtype), n = c->inner.n;
    const sort_call sort = {.dtype = c->dtype, .order = WEFT_ASCENDING, .bits = 8 * (unsigned)size, .n = n};
    j.row = n * size;
    j.direct = n == 1 || c->inner.x == (ptrdiff_t)size;
    choose_last(&j);
    j.vectors = (vectors){size, 1, c->outer_count, &c->inner, j.outer, c->x};
    const bool few = c->vectors < (size_t)j.ctx->threads;
    const bool together = (few && j.row >= LONG_BYTES) || j.row >= LONGER_BYTES || c->vectors == 1;
    j.threads = cpu_threads_for(j.ctx->threads, saturated_product(c->vectors, j.row));
    j.sort = cpu_sort_params(j.ctx, together ? j.threads : 1, &sort);
    j.selects = j.sort.vectors && j.sort.chunks == 1 && n >= SELECTED_FROM && j.row < LONGER_BYTES &&
                c->count <= SELECTED_MOST;
    if (j.selects) keep_splitters(&j);
    const size_t sample_bytes = SORT_SAMPLE * (SPLITTERS + 1) * size;
    j.sort_bytes = in_lines(j.selects ? in_lines(j.row) + sample_bytes : cpu_sort_bytes(&j.sort));
    return together ? run_long(&j, error) : run_many(&j, error);
}
