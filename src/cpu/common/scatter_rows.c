/* weft_scatter_reduce of rows with several columns. Each tile of a target is reduced to one value per column. One
 * thread processes all tiles of a target. If the target is long, all threads together process its tiles. */
#include "cpu/common/columns.h"
#include "cpu/common/scatter.h"

enum {
    PART_COST = 1 << 15, /* minimum elements of a part */
    PARTS_MAX = 1024,
    SEGMENT_COST = 8,      /* cost of a target in addition to its rows, in rows */
    LONG = 1 << 18,        /* maximum elements of a target of several tiles that one thread processes */
    COLUMNS_AT_ONCE = 64,  /* columns of a long target that a thread processes */
    SHORT_BYTES = 1 << 15, /* of a target whose next rows are prefetched */
    PREFETCHED = 32,       /* rows */
    PREFETCHED_BYTES = 256 /* maximum of a row */
};

typedef struct params {
    const scatter *s;
    const void *list;
    size_t bytes; /* of a number of the list */
    size_t size;  /* of an element */
    size_t tile;  /* rows */
    const column_kernel *kernel;
    char *threads; /* memory of each thread */
    uint64_t cost; /* of a part */
    size_t parts;
    /* A long target. */
    size_t first, n, ranges; /* of columns */
    char *values;
} params;

/* A thread has the addresses of the rows of a tile, and the values of the tiles of a target. */
static size_t thread_bytes(const scatter *s) {
    const size_t tile = WEFT_TILE(weft_dtype_size(s->c->dtype));
    return round_up(tile * sizeof(char *) + (LONG / tile + 2 * s->c->columns) * sizeof(uint64_t), CPU_ALIGNMENT);
}

size_t scatter_rows_workspace(const scatter *s) {
    const size_t tiles = s->c->n / WEFT_TILE(weft_dtype_size(s->c->dtype)) + 1;
    return thread_bytes(s) * (size_t)s->threads + tiles * s->c->columns * sizeof(uint64_t);
}

static size_t row_at(const params *j, size_t i) {
    if (!j->list) return i;
    return j->bytes == 4 ? ((const uint32_t *)j->list)[i] : (size_t)((const uint64_t *)j->list)[i];
}

/* Reduces `width` columns from `column` on of listed rows first ... first + n - 1, at most a tile. Prefetches the
 * rows after them: otherwise the processor would wait for the rows of each short target. */
static void reduce_tile(const params *j, size_t first, size_t n, size_t column, size_t width, void *values) {
    const size_t row_bytes = j->s->c->columns * j->size, all = (size_t)j->s->offsets[j->s->c->m];
    const char *const x = j->s->c->x;
    const char **const rows = (void *)(j->threads + (size_t)cpu_thread_number() * thread_bytes(j->s));
    for (size_t r = 0; r < n; r++) rows[r] = x + row_at(j, first + r) * row_bytes + column * j->size;
    if (j->list && n * row_bytes <= SHORT_BYTES)
        for (size_t i = first + PREFETCHED; i < first + n + PREFETCHED && i < all; i++) {
            const char *const row = x + row_at(j, i) * row_bytes;
            for (size_t b = 0; b < row_bytes && b < PREFETCHED_BYTES; b += CPU_ALIGNMENT) __builtin_prefetch(row + b);
            __builtin_prefetch(row + row_bytes - 1);
        }
    j->kernel->tile(rows, n, width, values);
}

static void finish(const params *j, void *values, size_t n, size_t target) {
    const scatter *s = j->s;
    j->kernel->finish(values, (size_t)ceil_div(n, j->tile), s->c->columns, n,
                      (char *)s->reduced + target * s->c->columns * weft_dtype_size(s->type));
}

static bool is_long(const params *j, size_t n) { return n > j->tile && n > LONG / j->s->c->columns; }

/* -------------------------------------------------------------------------- short targets */

/* Returns the first target whose preceding targets cost at least `cost`. */
static size_t target_at(const scatter *s, uint64_t cost) {
    size_t low = 0, high = s->c->m;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((s->offsets[middle] + SEGMENT_COST * (uint64_t)middle) * s->c->columns < cost)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void do_part(void *self, size_t part) {
    const params *j = self;
    const scatter *s = j->s;
    char *const values = j->threads + (size_t)cpu_thread_number() * thread_bytes(s) + j->tile * sizeof(char *);
    const size_t end = part + 1 < j->parts ? target_at(s, (part + 1) * j->cost) : s->c->m;
    for (size_t t = target_at(s, part * j->cost); t < end && !cpu_cancelled(); t++) {
        const size_t first = (size_t)s->offsets[t], n = (size_t)s->offsets[t + 1] - first;
        if (is_long(j, n)) continue;
        char *to = values;
        for (size_t r = 0; r < n; r += j->tile, to += s->c->columns * j->kernel->value_bytes)
            reduce_tile(j, first + r, (size_t)min_u64(n - r, j->tile), 0, s->c->columns, to);
        finish(j, values, n, t);
    }
}

/* --------------------------------------------------------------------------- long targets */

static void do_tile(void *self, size_t item) {
    const params *j = self;
    const size_t columns = j->s->c->columns, column = item % j->ranges * COLUMNS_AT_ONCE;
    const size_t tile = item / j->ranges, row = tile * j->tile;
    reduce_tile(j, j->first + row, (size_t)min_u64(j->n - row, j->tile), column,
                (size_t)min_u64(columns - column, COLUMNS_AT_ONCE),
                j->values + (tile * columns + column) * j->kernel->value_bytes);
}

void scatter_reduce_rows(const scatter *s, const void *list, size_t bytes, void *workspace) {
    params j = {.s = s, .list = list, .bytes = bytes, .size = weft_dtype_size(s->c->dtype), .threads = workspace};
    const uint64_t all = (s->offsets[s->c->m] + SEGMENT_COST * (uint64_t)s->c->m) * s->c->columns;
    j.kernel = cpu_column_kernel(s->ctx, s->c->op, s->c->dtype, s->type);
    j.tile = WEFT_TILE(j.size);
    j.values = j.threads + thread_bytes(s) * (size_t)s->threads;
    j.ranges = (size_t)ceil_div(s->c->columns, COLUMNS_AT_ONCE);
    j.cost = PART_COST;
    while ((all - 1) / j.cost >= PARTS_MAX) j.cost *= 2;
    j.parts = (size_t)((all - 1) / j.cost) + 1;
    cpu_parallel_for(s->threads, j.parts, PARALLEL_IN_ORDER, do_part, &j);
    for (size_t t = 0; t < s->c->m && !cpu_cancelled(); t++) {
        j.first = (size_t)s->offsets[t];
        j.n = (size_t)s->offsets[t + 1] - j.first;
        if (!is_long(&j, j.n)) continue;
        cpu_parallel_for(s->threads, (size_t)ceil_div(j.n, j.tile) * j.ranges, PARALLEL_RANGES, do_tile, &j);
        if (!cpu_cancelled()) finish(&j, j.values, j.n, t);
    }
}
