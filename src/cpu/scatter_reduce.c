/* weft_scatter_reduce and weft_scatter_count on the CPU (ORDER.md 25).
 *
 * The elements are moved to a list in which those of a target are consecutive, in the order of their rows: a stable
 * distribution by the index. The segments of the list are then reduced as by weft_segmented_reduce. If x has several
 * columns, row numbers are moved instead of elements (cpu/common/scatter_rows.c). The method that makes the list does
 * not affect the result:
 *
 *   - ASCENDING, if the indices ascend: x is the list.
 *   - ONE_PASS, for up to 2^SCATTER_BITS_MAX targets: one distribution.
 *   - TWO_PASSES, for the square of that: a distribution by the high digit of the index. One thread then distributes
 *     each bucket, which fits in a cache, by the low digit and reduces it. All threads process each longer bucket.
 *   - SORT, for more targets: a radix sort. */
#include "core/indices.h"
#include "core/types.h"
#include "cpu/common/scatter.h"
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    BUCKET = 1 << 16,      /* maximum elements of a bucket that one thread processes */
    BUCKET_GOAL = 1 << 15, /* mean number of elements of a bucket, from which the length of the high digit follows */
    SPLIT_BYTES = 16       /* maximum of a row whose columns are reduced one after the other */
};

typedef struct params {
    scatter s;
    const scatter_reduce_call *c;
    scatter_keys keys;
    scatter_list list;
    uint64_t *offsets;
    size_t value_bytes;  /* bytes of a moved value: an element, or the number of a row */
    size_t to_key_bytes; /* of normalized keys */
    /* Two passes. */
    char *buckets;    /* memory of the threads */
    uint64_t *starts; /* of the buckets, and then the offsets of the targets of a long bucket */
    segment_kernel *reduce;
    kernel *whole;
    exact_kernel *add;
    size_t init_stride; /* columns of c->init; exact sums only */
} params;

/* Returns true if the call is cancelled, or must begin again because of an index out of range. */
static bool stopped(const params *j) { return j->list.above || cpu_cancelled(); }

/* ------------------------------------------------------------------------------- reduction */

/* Returns the initial value of a target if it is a term of an exact sum, else NULL. */
static const void *exact_init(const params *j, size_t target) {
    if (!j->c->exact || !j->c->init) return NULL;
    return (const char *)j->c->init + target * j->init_stride * weft_dtype_size(j->c->result);
}

/* Reduces the elements of `count` targets from `first` on, whose offsets in x are `offsets`, with all threads. */
static weft_status reduce_list(const params *j, const void *x, size_t n, const uint64_t *offsets, size_t first,
                               size_t count, weft_error *error) {
    const segmented_call call = {.name = "scatter_reduce",
                                 .op = j->c->op,
                                 .dtype = j->c->dtype,
                                 .result = j->s.type,
                                 .n = n,
                                 .x = x,
                                 .y = (char *)j->s.reduced + first * weft_dtype_size(j->s.type),
                                 .source = SEGMENTS_BY_OFFSETS,
                                 .segments = count,
                                 .offsets = offsets,
                                 .exact = j->c->exact,
                                 .init = exact_init(j, first),
                                 .init_stride = j->init_stride};
    if (cpu_cancelled()) return WEFT_OK;
    return cpu_segmented(j->s.ctx, &call, error);
}

/* ------------------------------------------------------------------------------ two passes */

enum { LOW_MAX = SCATTER_BUCKETS_MAX };

static size_t bucket_bytes(const params *j) {
    return round_up(BUCKET * j->value_bytes + (LOW_MAX + 1) * (sizeof(uint64_t) + sizeof(uint32_t)), CPU_ALIGNMENT);
}

static size_t bucket_targets(const params *j, size_t bucket) {
    const size_t first = bucket << j->list.digit.shift;
    return first < j->c->m ? scatter_end(first, (size_t)1 << j->list.digit.shift, j->c->m) - first : 0;
}

/* Stores the offsets of a bucket's targets in the whole list, from which scatter_store finds the empty ones. */
static void note_offsets(const params *j, size_t bucket, const uint64_t *offsets, size_t targets) {
    const size_t first = bucket << j->list.digit.shift;
    if (!j->c->init) return;
    for (size_t t = 0; t < targets; t++) j->offsets[first + t] = j->starts[bucket] + offsets[t];
    if (first + targets == j->c->m) j->offsets[j->c->m] = j->starts[bucket] + offsets[targets];
}

/* Distributes n elements by the low digit, in a cache. next[d] is the position of the next element of digit d. `size`
 * is a constant. */
static inline __attribute__((always_inline)) void move_low(size_t size, const uint16_t *keys, const char *values,
                                                           size_t n, uint32_t mask, uint32_t *next, char *to) {
    for (size_t i = 0; i < n; i++) memcpy(to + next[keys[i] & mask]++ * size, values + i * size, size);
}

/* Processes a bucket that fits in a cache. */
static void do_bucket(void *self, size_t bucket) {
    const params *j = self;
    const size_t n = j->starts[bucket + 1] - j->starts[bucket];
    const size_t low = (size_t)1 << j->list.digit.shift, targets = bucket_targets(j, bucket);
    const uint32_t mask = (uint32_t)low - 1;
    char *const to = j->buckets + (size_t)cpu_thread_number() * bucket_bytes(j);
    uint64_t *const offsets = (void *)(to + BUCKET * j->value_bytes);
    uint32_t *const next = (void *)(offsets + LOW_MAX + 1);
    const uint16_t *const keys = j->list.to_keys + j->starts[bucket];
    const char *const values = scatter_at(j->list.to_values, j->starts[bucket] * j->value_bytes);
    if (n > BUCKET || !targets) return;
    memset(next, 0, low * sizeof *next);
    for (size_t i = 0; i < n; i++) next[keys[i] & mask]++;
    uint32_t start = 0;
    for (size_t t = 0; t < low; t++) {
        const uint32_t count = next[t];
        offsets[t] = next[t] = start;
        start += count;
    }
    offsets[low] = start;
    switch (j->value_bytes) {
    case 1: move_low(1, keys, values, n, mask, next, to); break;
    case 2: move_low(2, keys, values, n, mask, next, to); break;
    case 4: move_low(4, keys, values, n, mask, next, to); break;
    default: move_low(8, keys, values, n, mask, next, to); break;
    }
    note_offsets(j, bucket, offsets, targets);
    const segment_params reduce = {.x = to,
                                   .whole = j->whole,
                                   .add = j->add,
                                   .mean = j->c->op == WEFT_MEAN,
                                   .init = exact_init(j, bucket << j->list.digit.shift),
                                   .init_stride = j->init_stride};
    j->reduce(&reduce, offsets, targets, SIZE_MAX,
              (char *)j->s.reduced + (bucket << j->list.digit.shift) * weft_dtype_size(j->s.type));
}

/* Processes a bucket with all threads. */
static weft_status do_long_bucket(const params *j, size_t bucket, void *list, weft_error *error) {
    uint64_t *const offsets = j->starts + SCATTER_BUCKETS_MAX + 1;
    const size_t begin = j->starts[bucket], targets = bucket_targets(j, bucket);
    const unsigned shift = j->list.digit.shift;
    if (!targets) return WEFT_OK;
    scatter_list low = j->list;
    low.n = j->starts[bucket + 1] - begin;
    low.keys = j->list.to_keys + begin;
    low.key_bytes = sizeof *j->list.to_keys;
    low.last = UINT16_MAX;
    low.values = scatter_at(j->list.to_values, begin * j->value_bytes);
    low.to_values = list;
    low.to_keys = NULL;
    low.digit = (sort_digit){0, shift};
    scatter_distribute(&low, offsets, targets + 1);
    if (cpu_cancelled()) return WEFT_OK;
    note_offsets(j, bucket, offsets, targets);
    return reduce_list(j, list, low.n, offsets, bucket << shift, targets, error);
}

static weft_status two_passes(params *j, unsigned bits, unsigned top, void *list, weft_error *error) {
    const size_t buckets = (size_t)1 << top;
    j->list.digit = (sort_digit){bits - top, top};
    scatter_distribute(&j->list, j->starts, buckets + 1);
    if (stopped(j)) return WEFT_OK;
    j->reduce = j->c->exact ? cpu_exact_segment_kernel(j->s.ctx, j->c->dtype, &j->add)
                            : cpu_segment_kernel(j->s.ctx, j->c->op, j->c->dtype, j->s.type, &j->whole);
    cpu_parallel_for(j->s.threads, buckets, PARALLEL_IN_ORDER, do_bucket, j);
    for (size_t b = 0; b < buckets && !cpu_cancelled(); b++)
        if (j->starts[b + 1] - j->starts[b] > BUCKET) RETURN_IF_ERROR(do_long_bucket(j, b, list, error));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ sort */

/* Sorts the normalized keys at `keys` with the values. */
static void sort(const params *j, void *keys, void *keys_spare, void *values_spare, void *words) {
    const scatter_list *l = &j->list;
    sort_params params = {.kernel = j->s.ctx->level->sorts->width[l->key_bytes == 4 ? 2 : 3],
                          .rule = {0, 0, 0, UINT64_MAX},
                          .window = UINT64_MAX,
                          .n = l->n,
                          .keys = {l->key_bytes, keys, keys, keys_spare},
                          .values = {l->value_bytes, l->values, l->to_values, values_spare},
                          .chunks = scatter_chunks(l->n, l->threads),
                          .all = words,
                          .any = (uint64_t *)words + l->threads,
                          .next = l->next,
                          .lines = (unsigned char *)l->lines};
    cpu_sort_passes(&params);
}

/* ------------------------------------------------------------------------------------ call */

typedef enum method { ASCENDING, ONE_PASS, TWO_PASSES, SORT } method;

/* Offsets of the arrays in the workspace. */
typedef struct plan {
    method method;
    unsigned bits, top;    /* bits of the keys, and of the high digit of two passes */
    bool normalize, split; /* split: each column is reduced as an array of its own */
    size_t bytes;          /* of the workspace */
    size_t offsets, reduced, keys, keys_spare, list, list_spare, next, lines, words, starts, buckets, rows;
    size_t column, column_reduced;
} plan;

/* Returns the offset of a further array of n elements in the workspace. */
static size_t reserve(plan *p, size_t n, size_t size) {
    const size_t offset = p->bytes;
    p->bytes += round_up(n * size, CPU_ALIGNMENT);
    return offset;
}

static unsigned bits_of(uint64_t v) { return v ? 64 - (unsigned)__builtin_clzll(v) : 1; }

/* Returns the number of bits of the high digit, for buckets of about BUCKET_GOAL elements. */
static unsigned top_bits(unsigned bits, size_t n) {
    const unsigned goal = bits_of(n / BUCKET_GOAL), least = bits > SCATTER_BITS_MAX ? bits - SCATTER_BITS_MAX : 1;
    const unsigned most = SCATTER_BITS_MAX;
    return goal < least ? least : goal > most ? most : goal;
}

/* Returns true if the columns of rows are reduced one after the other. */
static bool splits(const scatter_reduce_call *c) {
    return c->columns > 1 && (c->exact || c->columns * weft_dtype_size(c->dtype) <= SPLIT_BYTES);
}

/* Returns the method for indices of `bits` bits that do not ascend. */
static method method_for(unsigned bits, bool one_column) {
    if (bits <= SCATTER_BITS_MAX) return ONE_PASS;
    return one_column && bits <= 2 * SCATTER_BITS_MAX ? TWO_PASSES : SORT;
}

static plan make_plan(params *j) {
    const scatter_reduce_call *c = j->c;
    const bool bad = j->keys.bad < c->n, in_order = !bad && !j->keys.falls;
    const uint64_t greatest = bad ? c->m : c->m - 1;
    plan p = {.bits = bits_of(greatest)};
    p.split = splits(c) && (c->exact || !in_order);
    const bool one_column = c->columns == 1 || p.split;
    p.method = in_order ? ASCENDING : method_for(p.bits, one_column);
    p.top = top_bits(p.bits, c->n);
    j->value_bytes = one_column ? weft_dtype_size(c->dtype) : c->n <= UINT32_MAX ? 4 : 8;
    j->to_key_bytes = j->keys.bytes == 4 || greatest <= UINT32_MAX ? 4 : 8;
    p.normalize = bad || p.method == SORT;
    j->s.type = c->op == WEFT_MEAN && !c->exact ? WEFT_F64 : c->result;
    const bool stores = (c->init && !c->exact) || j->s.type != c->result, sorts = p.method == SORT,
               twice = p.method == TWO_PASSES;
    p.offsets = reserve(&p, c->m + 1, sizeof(uint64_t));
    p.reduced = stores ? reserve(&p, c->m * c->columns, weft_dtype_size(j->s.type)) : SIZE_MAX;
    if (p.normalize) p.keys = reserve(&p, c->n, j->to_key_bytes);
    if (p.method != ASCENDING) {
        const size_t chunks = (size_t)j->s.threads;
        const unsigned bits = !twice ? p.bits : p.top > p.bits - p.top ? p.top : p.bits - p.top;
        j->list.line_bytes = sorts ? 2 * SORT_LINES_BYTES : scatter_line_bytes(j->value_bytes, twice, bits);
        p.next = reserve(&p, chunks * SCATTER_BUCKETS_MAX, sizeof *j->list.next);
        p.list = reserve(&p, c->n, j->value_bytes);
        p.lines = reserve(&p, chunks, j->list.line_bytes);
        if (sorts || twice) p.list_spare = reserve(&p, c->n, j->value_bytes);
        if (sorts || twice) p.keys_spare = reserve(&p, c->n, sorts ? j->to_key_bytes : sizeof *j->list.to_keys);
        if (sorts) p.words = reserve(&p, 2 * chunks, sizeof(uint64_t));
        if (twice) p.starts = reserve(&p, SCATTER_BUCKETS_MAX + 1 + LOW_MAX + 1, sizeof *j->starts);
        if (twice) p.buckets = reserve(&p, chunks, bucket_bytes(j));
    }
    if (p.split) p.column = reserve(&p, c->n, weft_dtype_size(c->dtype));
    if (p.split) p.column_reduced = reserve(&p, c->m, weft_dtype_size(j->s.type));
    if (!one_column) p.rows = reserve(&p, 1, scatter_rows_workspace(&j->s));
    return p;
}

/* Returns the distribution, whose digit the method sets. */
static scatter_list list_of(const params *j, const plan *p, char *w) {
    return (scatter_list){.ctx = j->s.ctx,
                          .threads = j->s.threads,
                          .keys = j->keys.keys,
                          .key_bytes = j->keys.bytes,
                          .value_bytes = j->value_bytes,
                          .n = j->c->n,
                          .last = j->keys.last,
                          .values = j->c->columns == 1 ? j->c->x : NULL,
                          .digit = {0, p->bits},
                          .next = (void *)(w + p->next),
                          .lines = w + p->lines,
                          .line_bytes = j->list.line_bytes,
                          .to_values = w + p->list,
                          .to_keys = p->method == TWO_PASSES ? (void *)(w + p->keys_spare) : NULL};
}

/* Writes the results before the last step to `reduced`. */
static weft_status run(params *j, const plan *p, char *w, void *reduced, weft_error *error) {
    const scatter_reduce_call *c = j->c;
    method method = p->method;
    j->s.offsets = j->offsets = (void *)(w + p->offsets);
    j->s.reduced = reduced;
    if (p->normalize) {
        scatter_normalize(&j->keys, j->to_key_bytes, w + p->keys);
        if (!j->keys.falls) method = ASCENDING;
    }
    if (cpu_cancelled()) return WEFT_OK;
    j->list = list_of(j, p, w);
    const void *const list = method == ASCENDING ? j->list.values : j->list.to_values;
    if (method == TWO_PASSES) {
        j->starts = (void *)(w + p->starts);
        j->buckets = w + p->buckets;
        return two_passes(j, p->bits, p->top, w + p->list_spare, error);
    }
    if (method == ONE_PASS) scatter_distribute(&j->list, j->offsets, c->m + 1);
    if (method == SORT) sort(j, w + p->keys, w + p->keys_spare, w + p->list_spare, w + p->words);
    if (stopped(j)) return WEFT_OK;
    if (method == SORT || method == ASCENDING) scatter_find_offsets(&j->keys, j->offsets);
    if (cpu_cancelled()) return WEFT_OK;
    if (c->columns == 1) return reduce_list(j, list, c->n, j->offsets, 0, c->m, error);
    scatter_reduce_rows(&j->s, list, j->value_bytes, w + p->rows);
    return WEFT_OK;
}

/* Reduces each column as an array of its own. */
static weft_status run_columns(params *j, const plan *p, char *w, weft_error *error) {
    const scatter_reduce_call *c = j->c;
    const size_t size = weft_dtype_size(c->dtype), result = weft_dtype_size(j->s.type);
    char *const x = w + p->column, *const reduced = w + p->column_reduced;
    scatter_reduce_call one = *c;
    one.columns = 1;
    one.x = x;
    j->s.offsets = (void *)(w + p->offsets);
    j->s.reduced = p->reduced == SIZE_MAX ? c->out : w + p->reduced;
    for (size_t k = 0; k < c->columns && !stopped(j); k++) {
        params of_column = *j;
        of_column.c = &one;
        one.init = c->init ? (const char *)c->init + k * result : NULL;
        scatter_copy(j->s.threads, c->n, size, (const char *)c->x + k * size, c->columns, x, 1);
        RETURN_IF_ERROR(run(&of_column, p, w, reduced, error));
        j->list.above = of_column.list.above;
        if (!stopped(j))
            scatter_copy(j->s.threads, c->m, result, reduced, 1, (char *)j->s.reduced + k * result, c->columns);
    }
    return WEFT_OK;
}

/* Sets j->list.above and writes nothing if an index is out of range that the survey has not found. */
static weft_status reduce(params *j, weft_error *error) {
    void *workspace;
    const plan p = make_plan(j);
    RETURN_IF_ERROR(cpu_workspace(j->s.ctx, p.bytes, &workspace, error));
    char *const w = workspace;
    params k = *j;
    k.list.above = false;
    if (p.split)
        RETURN_IF_ERROR(run_columns(&k, &p, w, error));
    else
        RETURN_IF_ERROR(run(&k, &p, w, p.reduced == SIZE_MAX ? j->c->out : w + p.reduced, error));
    j->list.above = k.list.above;
    j->s = k.s;
    return WEFT_OK;
}

/* Returns an error if an index is known to be out of range and may not be. */
static weft_status check(const params *j, weft_error *error) {
    const scatter_keys *k = &j->keys;
    const size_t bad = k->bad;
    if (cpu_cancelled() || bad == k->n || j->c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    return indices_fail(error, j->c->index_dtype, bad, scatter_key(k->bytes, k->keys, bad), k->m);
}

weft_status cpu_scatter_reduce(void *state, const scatter_reduce_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const uint64_t end = indices_end(c->index_dtype, c->m);
    const size_t rows = c->n < SIZE_MAX - c->m ? c->n + c->m : SIZE_MAX;
    const int threads = cpu_threads_for(ctx->threads, saturated_product(rows, max_u64(2, 2 * c->columns)));
    params j = {.s = {.ctx = ctx, .c = c, .threads = threads},
                .c = c,
                .init_stride = c->columns,
                .keys = {.ctx = ctx,
                         .threads = threads,
                         .m = c->m,
                         .keys = c->index,
                         .bytes = weft_dtype_size(c->index_dtype),
                         .n = c->n,
                         .last = end ? end - 1 : 0,
                         .none = end == 0,
                         .bad = c->n}};
    cpu_plan_regions(c->counts ? 3 : 8);
    scatter_survey(&j.keys, c->counts || method_for(bits_of(c->m), c->columns == 1 || splits(c)) == SORT);
    if (j.keys.bad < c->n && !j.keys.surveyed) scatter_survey(&j.keys, true);
    RETURN_IF_ERROR(check(&j, error));
    if (c->m == 0 || c->columns == 0 || cpu_cancelled()) return WEFT_OK;
    if (c->counts) return scatter_count(ctx, &j.keys, c->counts, error);
    RETURN_IF_ERROR(reduce(&j, error));
    if (j.list.above && !cpu_cancelled()) {
        scatter_survey(&j.keys, true);
        RETURN_IF_ERROR(check(&j, error));
        if (!cpu_cancelled()) RETURN_IF_ERROR(reduce(&j, error));
    }
    if (!cpu_cancelled()) scatter_store(&j.s);
    return WEFT_OK;
}
