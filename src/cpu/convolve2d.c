/* weft_convolve2d and weft_correlate2d on the CPU, by the direct method (ORDER.md 15.5). Threads compute tiles of the
 * results. The kernels read the part of the array that a tile depends on, its window. A window that is not inside the
 * array is first copied, with the border. */
#include "arith/border.h"
#include "core/order.h"
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum { TILE_ROWS = 32, TILE_BYTES = 4096 }; /* rows of a tile, and bytes of a row of it */

typedef struct work {
    const convolve2d_call *call;
    const transform_kernels *kernels;
    size_t size;           /* bytes of a number */
    const char *h;         /* the taps, turned if the call is a correlation; NULL: the windows are the results */
    size_t tile[2];        /* rows and columns of a tile */
    size_t down, across;   /* tiles of a matrix */
    size_t window_columns; /* of a copied window */
    char *windows;         /* copied windows, one per thread */
    size_t window_bytes;
} work;

/* ---------------------------------------------------------------------------------- windows */

static int64_t period_of(weft_border border, size_t n) {
    return border == WEFT_BORDER_FILL ? 0 : border == WEFT_BORDER_WRAP ? (int64_t)n : 2 * (int64_t)n;
}

/* Writes `count` fill values. */
static void copy_fill(const work *w, size_t count, char *to) {
    memcpy(to, w->call->fill, w->size);
    for (size_t done = 1; done < count; done *= 2)
        memcpy(to + done * w->size, to, (size_t)min_u64(done, count - done) * w->size);
}

/* Copies elements [from, from + count) of row i of the extended matrix x. */
static void copy_row(const work *w, const char *x, ptrdiff_t i, ptrdiff_t from, size_t count, char *to) {
    const convolve2d_call *const c = w->call;
    const ptrdiff_t n = (ptrdiff_t)c->n[1];
    const int64_t row = weft_border_index(i, (int64_t)c->n[0], period_of(c->border, c->n[0]));
    for (size_t done = 0, run; done < count; done += run) {
        const ptrdiff_t j = from + (ptrdiff_t)done;
        const int64_t column = weft_border_index(j, n, period_of(c->border, c->n[1]));
        run = count - done;
        if (row < 0 || column < 0) {
            if (row >= 0 && j < 0) run = (size_t)min_u64(run, (uint64_t)-j);
            copy_fill(w, run, to + done * w->size);
            continue;
        }
        run = column == j ? (size_t)min_u64(run, (uint64_t)(n - j)) : 1;
        memcpy(to + done * w->size, x + ((size_t)row * c->x_row + (size_t)column) * w->size, run * w->size);
    }
}

/* Part of the extended matrix: its first row and column, and the numbers of them. */
typedef struct part {
    ptrdiff_t first[2];
    size_t count[2];
} part;

static bool is_inside(const convolve2d_call *c, const part *p) {
    for (int k = 0; k < 2; k++)
        if (p->first[k] < 0 || p->first[k] + (ptrdiff_t)p->count[k] > (ptrdiff_t)c->n[k]) return false;
    return true;
}

/* Copies a part of the extended matrix x to rows that are `row` numbers apart. */
static void copy_part(const work *w, const char *x, const part *p, char *to, size_t row) {
    for (size_t i = 0; i < p->count[0]; i++)
        copy_row(w, x, p->first[0] + (ptrdiff_t)i, p->first[1], p->count[1], to + i * row * w->size);
}

/* ------------------------------------------------------------------------------------ tiles */

/* Computes a tile of count[0] x count[1] results from its window, whose rows are `row` numbers apart. */
static void compute_tile(const work *w, const char *window, size_t row, const size_t count[2], char *y) {
    const convolve2d_call *const c = w->call;
    direct_slice s = {.h = w->h, .m = c->m[1], .rows = c->m[0], .row = row};
    s.n = count[1] + c->m[1] - 1;
    s.from = c->m[1] - 1;
    s.to = s.n;
    for (size_t i = 0; i < count[0]; i++) {
        s.x = window + (i + c->m[0] - 1) * row * w->size;
        s.y = y + i * c->count[1] * w->size;
        (c->is_complex ? w->kernels->direct_complex : w->kernels->direct_real)(&s);
    }
}

static void take_tile(void *self, size_t item) {
    const work *const w = self;
    const convolve2d_call *const c = w->call;
    const size_t matrix = item / w->across / w->down;
    const size_t at[] = {item / w->across % w->down * w->tile[0], item % w->across * w->tile[1]};
    const char *const x = (const char *)c->x + matrix * c->x_matrix * w->size;
    char *const y = (char *)c->y + ((matrix * c->count[0] + at[0]) * c->count[1] + at[1]) * w->size;
    char *const copy = w->windows + (size_t)cpu_thread_number() * w->window_bytes;
    size_t count[2];
    part window;
    for (int k = 0; k < 2; k++) {
        count[k] = (size_t)min_u64(w->tile[k], c->count[k] - at[k]);
        window.first[k] = c->first[k] + (ptrdiff_t)at[k] - (ptrdiff_t)(c->m[k] - 1);
        window.count[k] = count[k] + c->m[k] - 1;
    }
    if (!w->h) {
        copy_part(w, x, &window, y, c->count[1]);
    } else if (is_inside(c, &window)) {
        const size_t offset = (size_t)window.first[0] * c->x_row + (size_t)window.first[1];
        compute_tile(w, x + offset * w->size, c->x_row, count, y);
    } else {
        copy_part(w, x, &window, copy, w->window_columns);
        compute_tile(w, copy, w->window_columns, count, y);
    }
}

/* ------------------------------------------------------------------------------------ a call */

weft_status cpu_convolve2d(void *state, const convolve2d_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    const size_t size = weft_dtype_size(c->dtype) * (c->is_complex ? 2 : 1), taps = c->m[0] * c->m[1];
    const size_t values = saturated_product(c->matrices, c->count[0] * c->count[1]);
    const int threads = transform_threads(ctx, saturated_product(values, 2 * size));
    const size_t turned_bytes = c->h && c->correlate ? round_up(taps * size, 64) : 0;
    void *workspace;
    work w = {.call = c, .kernels = transform_kernels_of(ctx->level->transforms, c->dtype), .size = size, .h = c->h};
    w.tile[0] = TILE_ROWS;
    w.tile[1] = TILE_BYTES / size;
    w.down = ceil_div(c->count[0], w.tile[0]);
    w.across = ceil_div(c->count[1], w.tile[1]);
    w.window_columns = (size_t)min_u64(w.tile[1], c->count[1]) + c->m[1] - 1;
    if (c->h) w.window_bytes = round_up((TILE_ROWS + c->m[0] - 1) * w.window_columns * size, 64);
    RETURN_IF_ERROR(cpu_workspace(ctx, turned_bytes + (size_t)threads * w.window_bytes, &workspace, error));
    w.windows = (char *)workspace + turned_bytes;
    if (turned_bytes > 0) {
        transform_turn_taps(c->dtype, c->is_complex, taps, c->h, workspace);
        w.h = workspace;
    }
    cpu_parallel_for(threads, c->matrices * w.down * w.across, PARALLEL_RANGES, take_tile, &w);
    return WEFT_OK;
}
