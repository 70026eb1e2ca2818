/* Vectors that are rows. A thread reduces AXES_ROWS of them together. */
#include "arith/formats.h"
#include "core/types.h"
#include "cpu/common/axes.h"
#include "cpu/runtime/parallel.h"

enum {
    PREFETCHED = 1 << 10, /* least bytes of a row that is prefetched */
    CORE_BYTES = 1 << 20  /* up to this size, the caches of one core contain the array */
};

typedef struct rows {
    const axes *axes;
    bool direct, prefetch;
    size_t at_once, item; /* vectors of a call of the kernel, and of an item */
} rows;

/* Rows that are x_row bytes apart, and of dot products the rows of the second operand. */
typedef struct operand_rows {
    const char *x, *y;
    ptrdiff_t x_row, y_row;
} operand_rows;

void axes_gather(const axes *j, const vectors *operand, size_t v, size_t count, size_t first, size_t n, char *to,
                 size_t row) {
    if (j->half)
        cpu_gather_halves(j->ctx, j->half, operand, v, count, first, n, to, row);
    else
        cpu_gather_vectors(j->ctx, operand, v, count, first, n, to, row);
}

void axes_store(const axes *j, size_t v, size_t count, const void *results) {
    const ptrdiff_t size = (ptrdiff_t)j->result_size;
    const size_t dimensions = j->vectors.outer_count;
    const view_dimension last = dimensions > 0 ? j->outer[dimensions - 1] : (view_dimension){1, 0, size};
    const char *from = results;
    while (count > 0) {
        const size_t run = (size_t)min_u64(count, last.n - v % last.n);
        cpu_copy_plane(j->ctx, j->result_size, (view_dimension){1, size, size}, (view_dimension){run, size, last.y},
                       from, views_at(j->c->y, views_y(dimensions, j->outer, v)), false);
        v += run;
        count -= run;
        from += run * j->result_size;
    }
}

void axes_round(const axes *j, size_t count, const void *values, void *results) {
    const int digits = j->c->result == WEFT_F16 ? 11 : 8;
    for (size_t i = 0; i < count; i++) {
        const double v = j->computed == WEFT_F64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
        if (j->c->result == WEFT_F32)
            ((float *)results)[i] = weft_canonical_f32((float)v);
        else
            ((uint16_t *)results)[i] = weft_half_bits(v, digits);
    }
}

/* Reduces rows that are `row` bytes apart with the kernel of segments. */
static void reduce_segments(const axes *j, const char *x, ptrdiff_t row, size_t count, char *results) {
    uint64_t values[AXES_ROWS];
    const bool rounds = j->computed != j->c->result;
    char *const to = rounds ? (char *)values : results;
    const size_t bytes = weft_dtype_size(j->computed);
    segment_params p = j->segment;
    p.x = x;
    if (row == (ptrdiff_t)(j->c->n * j->size)) {
        j->segments(&p, j->offsets, count, SIZE_MAX, to);
    } else {
        for (size_t r = 0; r < count; r++) {
            p.x = x + (ptrdiff_t)r * row;
            j->segments(&p, j->offsets, 1, SIZE_MAX, to + r * bytes);
        }
    }
    if (rounds) axes_round(j, count, values, results);
}

static void reduce_row(const axes *j, bool prefetch, const char *x, const char *y, char *result) {
    double parameter = reduction_parameter(&j->r);
    reduce_chunk p = reduction_chunk(&j->r, x, j->c->n, parameter);
    partial v;
    p.y = y;
    p.prefetch = prefetch;
    j->r.run(&p, &v);
    if (reduction_repeats(&j->r, j->c->n, &v, &parameter)) {
        p.parameter = parameter;
        j->r.again(&p, &v);
    }
    reduction_store(&j->r, j->c->n, parameter, &v, result);
}

static void sum_rows_exactly(const axes *j, operand_rows rows, size_t count, char *results) {
    cpu_context alone = {.level = j->ctx->level, .threads = 1};
    for (size_t r = 0; r < count; r++) {
        exact_call sum = j->exact;
        sum.x = rows.x + (ptrdiff_t)r * rows.x_row;
        sum.y = views_at(rows.y, (ptrdiff_t)r * rows.y_row);
        sum.out = results + r * j->result_size;
        (void)cpu_exact(&alone, &sum, NULL); /* fails only for a formula */
    }
}

/* The kernels of segments do not prefetch. */
static void reduce_rows(const rows *w, operand_rows at, size_t count, char *results) {
    const axes *j = w->axes;
    if (j->segments && (j->c->exact || !w->prefetch))
        reduce_segments(j, at.x, at.x_row, count, results);
    else if (j->c->exact)
        sum_rows_exactly(j, at, count, results);
    else
        for (size_t r = 0; r < count; r++)
            reduce_row(j, w->prefetch, at.x + (ptrdiff_t)r * at.x_row, views_at(at.y, (ptrdiff_t)r * at.y_row),
                       results + r * j->result_size);
}

/* Returns the rows from vector v on, in place. */
static operand_rows rows_in_place(const axes *j, size_t v) {
    const size_t dimensions = j->vectors.outer_count;
    operand_rows at = {.x = views_at(j->c->x, views_x(dimensions, j->outer, v))};
    if (dimensions > 0) at.x_row = j->outer[dimensions - 1].x;
    if (!j->c->dot) return at;
    at.y = views_at(j->factor.x, views_x(dimensions, j->factor_outer, v));
    if (dimensions > 0) at.y_row = j->factor_outer[dimensions - 1].x;
    return at;
}

/* Gathers vectors v ... v + count - 1 in the memory of the thread. */
static operand_rows gathered_rows(const axes *j, size_t v, size_t count) {
    char *const memory = j->scratch + (size_t)cpu_thread_number() * j->scratch_bytes;
    const size_t row = j->c->n * j->size;
    operand_rows at = {.x = memory, .x_row = (ptrdiff_t)row};
    axes_gather(j, &j->vectors, v, count, 0, j->c->n, memory, row);
    if (!j->c->dot) return at;
    char *const factors = memory + j->scratch_bytes / 2;
    axes_gather(j, &j->factor, v, count, 0, j->c->n, factors, row);
    at.y = factors;
    at.y_row = (ptrdiff_t)row;
    return at;
}

static void do_item(void *self, size_t item) {
    const rows *w = self;
    const axes *j = w->axes;
    const size_t end = (size_t)min_u64(j->c->vectors, (item + 1) * w->item);
    const size_t dimensions = j->vectors.outer_count;
    const view_dimension last = dimensions > 0 ? j->outer[dimensions - 1] : (view_dimension){1, 0, 0};
    uint64_t results[AXES_ROWS];
    for (size_t v = item * w->item, count; v < end; v += count) {
        count = (size_t)min_u64(end - v, w->at_once);
        if (w->direct) count = (size_t)min_u64(count, last.n - v % last.n);
        reduce_rows(w, w->direct ? rows_in_place(j, v) : gathered_rows(j, v, count), count, (char *)results);
        axes_store(j, v, count, results);
    }
}

weft_status axes_reduce_rows(axes *j, bool direct, weft_error *error) {
    const size_t n = j->c->n, row = n * j->size;
    rows w = {.axes = j, .direct = direct, .at_once = AXES_ROWS};
    if (!direct) w.at_once = (size_t)max_u64(1, min_u64(AXES_ROWS, AXES_SCRATCH_BYTES / row));
    w.item = (size_t)max_u64(1, AXES_ITEM_BYTES / row);
    w.prefetch = direct && row >= PREFETCHED && j->c->vectors > CORE_BYTES / row;
    j->scratch_bytes = direct ? 0 : (size_t)round_up(w.at_once * row, CPU_ALIGNMENT) * (j->c->dot ? 2 : 1);
    const size_t offsets_bytes = (size_t)round_up((AXES_ROWS + 1) * sizeof *j->offsets, CPU_ALIGNMENT);
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(j->ctx, offsets_bytes + (size_t)j->threads * j->scratch_bytes, &workspace, error));
    j->offsets = workspace;
    j->scratch = (char *)workspace + offsets_bytes;
    for (size_t r = 0; r <= AXES_ROWS; r++) j->offsets[r] = r * n;
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(j->c->vectors, w.item), PARALLEL_RANGES, do_item, &w);
    return WEFT_OK;
}
