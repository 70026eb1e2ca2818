#include "cpu/common/planes.h"

#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

/* -------------------------------------------------------------------------------- dimensions */

static size_t magnitude(ptrdiff_t stride) { return stride < 0 ? -(size_t)stride : (size_t)stride; }

size_t cpu_closest_dimension(size_t count, const view_dimension *d) {
    size_t best = count - 1;
    for (size_t k = count; k-- > 0;)
        if (d[k].x != 0 && (d[best].x == 0 || magnitude(d[k].x) < magnitude(d[best].x))) best = k;
    return best;
}

/* ------------------------------------------------------------------------------------ planes */

/* Copies elements one by one. `size` is a constant. */
static inline __attribute__((always_inline)) void copy_elements(size_t size, view_dimension rows,
                                                                view_dimension columns, const char *x, char *y) {
    for (size_t r = 0; r < rows.n; r++, x += rows.x, y += rows.y) {
        const char *from = x;
        char *to = y;
        for (size_t c = 0; c < columns.n; c++, from += columns.x, to += columns.y) memcpy(to, from, size);
    }
}

static void copy_any(size_t element, view_dimension rows, view_dimension columns, const char *x, char *y) {
    switch (element) {
    case 1: copy_elements(1, rows, columns, x, y); break;
    case 2: copy_elements(2, rows, columns, x, y); break;
    case 4: copy_elements(4, rows, columns, x, y); break;
    case 8: copy_elements(8, rows, columns, x, y); break;
    default: copy_elements(16, rows, columns, x, y); break;
    }
}

void cpu_copy_plane(const cpu_context *ctx, size_t element, view_dimension rows, view_dimension columns,
                    const void *x, void *y, bool streams) {
    const copy_kernels *kernels = ctx->level->copies;
    const ptrdiff_t size = (ptrdiff_t)element;
    if ((rows.y == size && rows.n > 1) || columns.n == 1) {
        const view_dimension swapped = rows;
        rows = columns;
        columns = swapped;
    }
    const bool narrow = columns.n * element < 16;
    if (columns.y == size && columns.x == size && !narrow)
        kernels->rows(columns.n * element, &rows, x, y, streams);
    else if (columns.y == size && rows.x == size && rows.n > 1)
        kernels->transpose[__builtin_ctzll(element)](&rows, &columns, x, y, streams);
    else
        copy_any(element, rows, columns, x, y);
}

void cpu_copies_end(const cpu_context *ctx) { ctx->level->copies->end(); }

/* ----------------------------------------------------------------------------------- vectors */

enum { PART_BYTES = 1 << 16 }; /* of a long vector that a thread copies at a time */

/* Copy of a vector. */
typedef struct copy {
    const cpu_context *ctx;
    size_t element;
    view_dimension d;
    const char *x;
    char *y;
} copy;

static void copy_part(void *self, size_t i) {
    const copy *c = self;
    const size_t part = PART_BYTES / c->element, first = i * part;
    const view_dimension all = c->d, d = {(size_t)min_u64(all.n - first, part), all.x, all.y};
    cpu_copy_plane(c->ctx, c->element, (view_dimension){1, 0, 0}, d, c->x + (ptrdiff_t)first * d.x,
                   c->y + (ptrdiff_t)first * d.y, false);
}

void cpu_copy_vector(const cpu_context *ctx, int threads, size_t element, view_dimension d, const void *x, void *y) {
    const size_t parts = (size_t)ceil_div(d.n, PART_BYTES / element);
    cpu_parallel_for(threads, parts, PARALLEL_RANGES, copy_part, &(copy){ctx, element, d, x, y});
}

/* Copies elements [first, first + n) of rows.n vectors, whose first elements are rows.x bytes apart, to rows that are
 * rows.y bytes apart. */
static void gather_run(const cpu_context *ctx, const vectors *s, const char *x, view_dimension rows, size_t first,
                       size_t n, char *to) {
    const ptrdiff_t size = (ptrdiff_t)s->element;
    view_dimension last = {1, size, size};
    if (s->inner_count > 0) last = s->inner[s->inner_count - 1];
    last.y = size;
    for (size_t done = 0; done < n;) {
        const size_t at = first + done;
        view_dimension run = last;
        run.n = (size_t)min_u64(n - done, last.n - at % last.n);
        cpu_copy_plane(ctx, s->element, rows, run, x + views_x(s->inner_count, s->inner, at), to + done * s->element,
                       false);
        done += run.n;
    }
}

void cpu_gather_vectors(const cpu_context *ctx, const vectors *s, size_t v, size_t count, size_t first, size_t n,
                        char *to, size_t row) {
    const view_dimension last = s->outer_count > 0 ? s->outer[s->outer_count - 1] : (view_dimension){1, 0, 0};
    while (count > 0) {
        const size_t run = (size_t)min_u64(count, last.n - v % last.n);
        const char *const x = views_at(s->x, views_x(s->outer_count, s->outer, v));
        gather_run(ctx, s, x, (view_dimension){run, last.x, (ptrdiff_t)row}, first, n, to);
        v += run;
        count -= run;
        to += run * row;
    }
}

/* Converts rows of n elements, which are rows.x bytes apart, to rows that are rows.y bytes apart. */
static void widen_rows(const cpu_context *ctx, weft_dtype half, view_dimension rows, size_t n, const char *x,
                       char *to) {
    const copy_kernels *kernels = ctx->level->copies;
    if (rows.x == (ptrdiff_t)(n * sizeof(uint16_t)) && rows.y == (ptrdiff_t)(n * sizeof(float)))
        n *= rows.n, rows.n = 1;
    for (; rows.n > 0; rows.n--, x += rows.x, to += rows.y)
        (half == WEFT_F16 ? kernels->widen_f16 : kernels->widen_bf16)(n, x, (float *)(void *)to);
}

/* Elements of a vector that are adjacent are not copied before they are converted. */
void cpu_gather_halves(const cpu_context *ctx, weft_dtype half, const vectors *s, size_t v, size_t count,
                       size_t first, size_t n, char *to, size_t row) {
    const view_dimension last = s->outer_count > 0 ? s->outer[s->outer_count - 1] : (view_dimension){1, 0, 0};
    const bool adjacent = s->inner_count == 1 && s->inner->x == (ptrdiff_t)s->element;
    char *const copied = to + n * (sizeof(float) - s->element);
    if (!adjacent) {
        cpu_gather_vectors(ctx, s, v, count, first, n, copied, row);
        for (size_t r = 0; r < count; r++, to += row)
            widen_rows(ctx, half, (view_dimension){1, 0, 0}, n, copied + r * row, to);
        return;
    }
    while (count > 0) {
        const size_t run = (size_t)min_u64(count, last.n - v % last.n);
        const char *const x = views_at(s->x, views_x(s->outer_count, s->outer, v));
        widen_rows(ctx, half, (view_dimension){run, last.x, (ptrdiff_t)row}, n, x + first * s->element, to);
        v += run;
        count -= run;
        to += run * row;
    }
}

void cpu_scatter_vectors(const cpu_context *ctx, const vector_results *s, size_t v, size_t count, size_t first,
                         size_t n, const char *rows, size_t row) {
    const view_dimension last = s->outer_count > 0 ? s->outer[s->outer_count - 1] : (view_dimension){1, 0, 0};
    while (count > 0) {
        const size_t run = (size_t)min_u64(count, last.n - v % last.n);
        char *const y = views_at(s->y, views_y(s->outer_count, s->outer, v));
        cpu_copy_plane(ctx, s->element, (view_dimension){run, (ptrdiff_t)row, last.y},
                       (view_dimension){n, (ptrdiff_t)s->element, s->stride}, rows,
                       views_at(y, (ptrdiff_t)first * s->stride), s->streams);
        v += run;
        count -= run;
        rows += run * row;
    }
}
