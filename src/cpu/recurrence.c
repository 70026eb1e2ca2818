/* weft_recurrence on the CPU (ORDER.md 9): choice of the kernel, and threads.
 *
 * A row that fits in the caches of a core is computed by one thread. A longer row is split into parts of whole
 * tiles. A thread takes the next part, computes the maps of its groups, and waits for its turn. Then it computes
 * the values before its tiles from the state left by the parts before, passes the state on, and finally computes
 * the values of its part, whose input is still in its cache. Memory is therefore read once. The part size and the
 * assignment of parts to threads do not change the results. */
#include "core/types.h"
#include "cpu/common/recurrence_state.h"
#include "cpu/runtime/cpu.h"
#include "cpu/runtime/relay.h"

enum {
    SHORT_BYTES = 1 << 17, /* up to this size, one thread computes the rows without checks for cancellation */
    ROWS_BYTES = 1 << 16,  /* minimum bytes of short rows per work item */
    ROWS_ITEMS = 64,       /* maximum number of such items per thread */
    STREAM_ROW = 1 << 8,   /* minimum row length in elements for nontemporal stores without `rows` of the kernel */
    STREAM_BYTES = 1 << 25 /* results above this size use nontemporal stores, unless they overwrite an input */
};

/* One call. Part sizes in bytes are equal for both types. */
typedef struct work {
    const recurrence_call *call;
    const recurrence_kernel *kernel;
    size_t size;      /* bytes of an element */
    size_t tile;      /* elements of a part if one thread computes the whole row */
    size_t part;      /* elements of a part if several threads share the row */
    size_t row_parts; /* number of such parts per row */
    size_t rows;      /* rows per work item if a row is one part */
    bool streams;
    uint64_t *map; /* recurrence_map_call.map, or NULL */
} work;

/* Part p of a row, in the order of the recurrence. */
typedef struct part_of_row {
    const char *s, *u;
    char *v;
    size_t n;
    bool first;
} part_of_row;

static part_of_row find_part(const work *w, size_t row, size_t p, size_t part) {
    const recurrence_call *c = w->call;
    const size_t from = p * part, left = c->n - from;
    const size_t at = (row * c->n + (c->reverse ? c->n - 1 - from : from)) * w->size;
    return (part_of_row){(const char *)c->s + at, (const char *)c->u + at, (char *)c->v + at,
                         left < part ? left : part, p == 0};
}

static const void *init_of(const work *w, size_t row) {
    return w->call->init ? (const char *)w->call->init + row * w->size : NULL;
}

static void run_row(const work *w, size_t row) {
    recurrence_state state;
    recurrence_maps maps;
    w->kernel->begin(init_of(w, row), &state);
    for (size_t p = 0; p * w->tile < w->call->n; p++) {
        const part_of_row own = find_part(w, row, p, w->tile);
        w->kernel->maps(own.s, own.u, own.n, &maps);
        w->kernel->pass(&maps, own.n, &state);
        w->kernel->run(&maps, own.s, own.u, own.n, w->streams, own.v);
    }
    if (w->map) w->kernel->map(&state, w->call->n / RECURRENCE_TILE, w->map);
}

/* Computes adjacent short rows. */
static void run_rows(const work *w, size_t first, size_t rows) {
    const recurrence_call *c = w->call;
    const size_t at = first * c->n * w->size;
    size_t done = 0;
    if (w->kernel->rows && c->n <= RECURRENCE_TILE && !w->map)
        done = w->kernel->rows(&(recurrence_rows){.s = (const char *)c->s + at,
                                                  .u = (const char *)c->u + at,
                                                  .init = init_of(w, first),
                                                  .v = (char *)c->v + at,
                                                  .n = c->n,
                                                  .rows = rows,
                                                  .streams = w->streams});
    for (size_t row = first + done; row < first + rows; row++) run_row(w, row);
    w->kernel->end();
}

/* ---------------------------------------------------------------------------------- threads */

/* State shared by the threads. Only the thread whose turn it is may access `left`. */
typedef struct recurrence_parts {
    const work *work;
    recurrence_state left; /* state after the parts before */
} recurrence_parts;

static void run_item(void *parts, size_t i, relay *turns) {
    const work *w = ((recurrence_parts *)parts)->work;
    const size_t first = i * w->rows, left = w->call->rows - first;
    (void)turns;
    run_rows(w, first, left < w->rows ? left : w->rows);
}

/* Computes one part of a long row. */
static void run_part(void *parts, size_t i, relay *turns) {
    recurrence_parts *shared = parts;
    const work *w = shared->work;
    const size_t row = i / w->row_parts;
    const part_of_row own = find_part(w, row, i % w->row_parts, w->part);
    recurrence_maps maps;
    w->kernel->maps(own.s, own.u, own.n, &maps);
    relay_wait(turns, i);
    if (own.first) w->kernel->begin(init_of(w, row), &shared->left);
    w->kernel->pass(&maps, own.n, &shared->left);
    relay_pass(turns, i);
    w->kernel->run(&maps, own.s, own.u, own.n, w->streams, own.v);
    w->kernel->end();
}

static void run_on_threads(const work *w, int threads) {
    recurrence_parts shared = {.work = w};
    if (w->row_parts == 1)
        relay_run(threads, (w->call->rows - 1) / w->rows + 1, run_item, &shared);
    else
        relay_run(threads, w->call->rows * w->row_parts, run_part, &shared);
    if (w->map && w->row_parts > 1) w->kernel->map(&shared.left, w->call->n / RECURRENCE_TILE, w->map);
}

/* Adjacent rows of one thread are read as one stream, without gaps. */
static size_t rows_of_item(size_t rows, size_t row_bytes, int threads) {
    const size_t least = row_bytes < ROWS_BYTES ? ROWS_BYTES / row_bytes : 1;
    const size_t even = rows / ((size_t)threads * ROWS_ITEMS);
    return even > least ? even : least;
}

static void run(const cpu_context *ctx, const recurrence_call *c, uint64_t *map) {
    const recurrence_kernels *kernels = ctx->level->recurrences;
    const size_t size = weft_dtype_size(c->dtype), row_bytes = 3 * size * c->n;
    const size_t part = RECURRENCE_TILE * RECURRENCE_TILES_MAX * sizeof(float) / size;
    const size_t tile = RECURRENCE_TILE * sizeof(double) / size;
    const int threads = cpu_threads_for(ctx->threads, saturated_product(c->rows, row_bytes));
    const recurrence_kernel *kernel = &(c->dtype == WEFT_F32 ? kernels->f32 : kernels->f64)[c->reverse];
    const work w = {.call = c,
                    .kernel = kernel,
                    .size = size,
                    .tile = tile,
                    .part = part,
                    .row_parts = (c->n - 1) / part + 1,
                    .rows = rows_of_item(c->rows, row_bytes, threads),
                    .streams = c->v != c->s && c->v != c->u && (c->n > STREAM_ROW || kernel->rows) &&
                               c->rows * row_bytes / 3 > STREAM_BYTES,
                    .map = map};
    cpu_plan_regions(1);
    if (threads == 1 && c->rows * row_bytes < SHORT_BYTES)
        run_rows(&w, 0, c->rows);
    else
        run_on_threads(&w, threads);
}

weft_status cpu_recurrence(void *state, const recurrence_call *c, weft_error *error) {
    (void)error;
    run(state, c, NULL);
    return WEFT_OK;
}

weft_status cpu_recurrence_map(void *state, const recurrence_map_call *c, weft_error *error) {
    (void)error;
    run(state, &c->row, c->map);
    return WEFT_OK;
}
