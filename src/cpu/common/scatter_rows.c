/* weft_scatter_reduce of rows with several columns. A thread copies the columns of the rows of a target, one column
 * after the other, to a buffer, in which each is a segment; the kernel of segmented reductions then reduces all
 * segments of the buffer. All threads together process each target whose columns do not fit in a buffer. */
#include "cpu/common/scatter.h"

#include <string.h>

enum {
    BUFFER = 1 << 14,    /* elements of a buffer */
    SEGMENTS = 1 << 12,  /* maximum segments of a buffer */
    PART_COST = 1 << 15, /* minimum elements of a part */
    PARTS_MAX = 1024,
    SEGMENT_COST = 8,      /* cost of a segment in addition to its elements, in elements */
    COLUMNS_AT_ONCE = 16,  /* maximum columns of a long target that are copied together */
    ROWS_AT_ONCE = 1 << 12 /* rows of a long target that are copied together */
};

typedef struct params {
    const scatter *s;
    const void *list;
    size_t bytes; /* of a number of the list */
    size_t size;  /* of an element */
    segment_kernel *reduce;
    kernel *whole;
    char *buffers;
    uint64_t cost; /* of a part */
    size_t parts;
    /* Copy of columns of a long target. */
    size_t first, count, column, width;
    char *copies;
} params;

static size_t buffer_bytes(const scatter *s) {
    return round_up(BUFFER * weft_dtype_size(s->c->dtype) + (SEGMENTS + 1) * sizeof(uint64_t), CPU_ALIGNMENT);
}

static size_t columns_at_once(const scatter *s) { return (size_t)min_u64(s->c->columns, COLUMNS_AT_ONCE); }

size_t scatter_rows_workspace(const scatter *s) {
    const size_t copies = s->c->n > BUFFER ? s->c->n * columns_at_once(s) * weft_dtype_size(s->c->dtype) : 0;
    return buffer_bytes(s) * (size_t)s->threads + round_up(copies, CPU_ALIGNMENT);
}

static size_t row_at(const params *j, size_t i) {
    if (!j->list) return i;
    return j->bytes == 4 ? ((const uint32_t *)j->list)[i] : (size_t)((const uint64_t *)j->list)[i];
}

/* Copies elements column .. column + width - 1 of the listed rows first .. first + count - 1: of each column
 * consecutively, `stride` elements after the column before it. `size` is a constant. */
static inline __attribute__((always_inline)) void copy_columns_of(const params *j, size_t size, size_t first,
                                                                  size_t count, size_t column, size_t width,
                                                                  size_t stride, char *to) {
    for (size_t r = 0; r < count; r++) {
        const char *const from = (const char *)j->s->c->x + (row_at(j, first + r) * j->s->c->columns + column) * size;
        for (size_t k = 0; k < width; k++) memcpy(to + (k * stride + r) * size, from + k * size, size);
    }
}

static void copy_columns(const params *j, size_t first, size_t count, size_t column, size_t width, size_t stride,
                         char *to) {
    switch (j->size) {
    case 1: copy_columns_of(j, 1, first, count, column, width, stride, to); break;
    case 2: copy_columns_of(j, 2, first, count, column, width, stride, to); break;
    case 4: copy_columns_of(j, 4, first, count, column, width, stride, to); break;
    default: copy_columns_of(j, 8, first, count, column, width, stride, to); break;
    }
}

/* -------------------------------------------------------------------------- short targets */

/* Segments of a buffer that are not yet reduced: results `first` and following. */
typedef struct batch {
    char *elements;
    uint64_t *offsets;
    size_t count, first;
} batch;

static void reduce_batch(const params *j, batch *b) {
    if (b->count)
        j->reduce(&(segment_params){b->elements, j->whole}, b->offsets, b->count, SIZE_MAX,
                  (char *)j->s->reduced + b->first * weft_dtype_size(j->s->type));
    b->first += b->count;
    b->count = 0;
}

/* Adds the columns of a target of n elements each, and reduces the buffer whenever it is full. */
static void add_target(const params *j, batch *b, size_t first, size_t n) {
    const size_t columns = j->s->c->columns;
    for (size_t column = 0, width; column < columns; column += width) {
        const size_t used = (size_t)b->offsets[b->count], free_segments = SEGMENTS - b->count;
        const size_t fit = n ? (BUFFER - used) / n : columns, wanted = (size_t)min_u64(columns - column, 8);
        if (b->count && (fit < wanted || free_segments < wanted)) {
            reduce_batch(j, b);
            width = 0;
            continue;
        }
        width = (size_t)min_u64(min_u64(columns - column, fit), free_segments);
        copy_columns(j, first, n, column, width, n, b->elements + used * j->size);
        for (size_t k = 0; k < width; k++, b->count++) b->offsets[b->count + 1] = b->offsets[b->count] + n;
    }
}

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
    char *const buffer = j->buffers + (size_t)cpu_thread_number() * buffer_bytes(s);
    const size_t begin = target_at(s, part * j->cost);
    const size_t end = part + 1 < j->parts ? target_at(s, (part + 1) * j->cost) : s->c->m;
    batch b = {.elements = buffer, .offsets = (void *)(buffer + BUFFER * j->size), .first = begin * s->c->columns};
    b.offsets[0] = 0;
    for (size_t t = begin; t < end && !cpu_cancelled(); t++) {
        const size_t first = (size_t)s->offsets[t], n = (size_t)(s->offsets[t + 1] - s->offsets[t]);
        if (n <= BUFFER) {
            add_target(j, &b, first, n);
        } else {
            reduce_batch(j, &b);
            b.first = (t + 1) * s->c->columns;
        }
    }
    reduce_batch(j, &b);
}

/* --------------------------------------------------------------------------- long targets */

static void copy_part(void *self, size_t part) {
    const params *j = self;
    const size_t first = part * ROWS_AT_ONCE, count = (size_t)min_u64(j->count - first, ROWS_AT_ONCE);
    copy_columns(j, j->first + first, count, j->column, j->width, j->count, j->copies + first * j->size);
}

static weft_status do_long(params *j, size_t target, weft_error *error) {
    const scatter_reduce_call *c = j->s->c;
    j->first = (size_t)j->s->offsets[target];
    j->count = (size_t)(j->s->offsets[target + 1] - j->s->offsets[target]);
    for (j->column = 0; j->column < c->columns && !cpu_cancelled(); j->column += j->width) {
        j->width = (size_t)min_u64(c->columns - j->column, columns_at_once(j->s));
        cpu_parallel_for(j->s->threads, ceil_div(j->count, ROWS_AT_ONCE), PARALLEL_RANGES, copy_part, j);
        for (size_t k = 0; k < j->width && !cpu_cancelled(); k++) {
            const size_t at = target * c->columns + j->column + k;
            const reduce_call call = {.op = c->op,
                                      .dtype = c->dtype,
                                      .result = j->s->type,
                                      .n = j->count,
                                      .x = j->copies + k * j->count * j->size,
                                      .out = (char *)j->s->reduced + at * weft_dtype_size(j->s->type)};
            RETURN_IF_ERROR(cpu_reduce(j->s->ctx, &call, error));
        }
    }
    return WEFT_OK;
}

weft_status scatter_reduce_rows(const scatter *s, const void *list, size_t bytes, void *workspace,
                                weft_error *error) {
    params j = {.s = s, .list = list, .bytes = bytes, .size = weft_dtype_size(s->c->dtype), .buffers = workspace};
    const uint64_t all = (s->offsets[s->c->m] + SEGMENT_COST * (uint64_t)s->c->m) * s->c->columns;
    j.reduce = cpu_segment_kernel(s->ctx, s->c->op, s->c->dtype, s->type, &j.whole);
    j.copies = j.buffers + buffer_bytes(s) * (size_t)s->threads;
    j.cost = PART_COST;
    while ((all - 1) / j.cost >= PARTS_MAX) j.cost *= 2;
    j.parts = (size_t)((all - 1) / j.cost) + 1;
    cpu_parallel_for(s->threads, j.parts, PARALLEL_IN_ORDER, do_part, &j);
    if (s->c->n <= BUFFER) return WEFT_OK;
    for (size_t t = 0; t < s->c->m && !cpu_cancelled(); t++)
        if (s->offsets[t + 1] - s->offsets[t] > BUFFER) RETURN_IF_ERROR(do_long(&j, t, error));
    return WEFT_OK;
}
