/* weft_segmented_reduce, weft_segmented_scan and weft_reduce_by_key on the CPU (ORDER.md 8).
 *
 * The segments are split into parts of about equal numbers of elements, which threads take. One thread processes a
 * whole segment unless the segment is longer than a part. After the parts are done, all threads together process
 * each of these long segments, as weft_reduce or weft_scan. A segment longer than a part can only be the last one
 * that begins in its part. */
#include "arith/exact.h"
#include "core/offsets.h"
#include "core/types.h"
#include "cpu/common/columns.h"
#include "cpu/common/segments.h"
#include "cpu/runtime/parallel.h"

#include <stdatomic.h>

enum {
    PART_ELEMENTS = 1 << 16,
    PARTS_MAX = 1024,
    SEGMENT_COST = 8 /* cost of a segment in addition to its elements, in elements */
};

/* A call and its kernels. */
typedef struct params {
    cpu_context *ctx;
    const segmented_call *c;
    segment_params reduce;
    segment_kernel *reduce_segments;
    scan_params scan;
    const scan_kernel *scan_segments;
    size_t longest; /* maximum length of a segment that a single thread processes */
    int threads;
} params;

/* --------------------------------------------------------------------------------- kernels */

/* Returns p + bytes; p may be NULL if bytes is 0. */
static void *at(const void *p, size_t bytes) { return bytes ? (char *)p + bytes : (char *)p; }

/* Returns the scan of one segment. */
static scan_call scan_of(const segmented_call *c, size_t begin, size_t n) {
    return (scan_call){.op = c->op,
                       .kind = c->kind,
                       .dtype = c->dtype,
                       .result = c->result,
                       .n = n,
                       .x = at(c->x, begin * weft_dtype_size(c->dtype)),
                       .y = at(c->y, begin * weft_dtype_size(c->result))};
}

segment_kernel *cpu_segment_kernel(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result,
                                   kernel **whole) {
    const level *l = ctx->level;
    const bool is_float = type_is_float(dtype), in_f64 = dtype == WEFT_F32 && result == WEFT_F64;
    const bool f32 = result == WEFT_F32;
    segment_kernel *const *const segments = op == WEFT_MEAN ? l->segments->mean : l->segments->reduce[op];
    switch (op) {
    case WEFT_SUM:
        *whole = !is_float ? l->integers->sum[dtype] : f32 ? l->sums->sum_f32 : l->sums->sum_f64[dtype];
        return in_f64 ? l->segments->sum_f32_in_f64 : segments[dtype];
    case WEFT_PROD:
        *whole = !is_float ? l->integers->prod[dtype] : f32 ? l->sums->prod_f32 : l->sums->prod_f64[dtype];
        return in_f64 ? l->segments->prod_f32_in_f64 : segments[dtype];
    case WEFT_MEAN: *whole = l->sums->sum_f64[dtype]; break;
    case WEFT_MIN: *whole = l->extremes->lowest[dtype]; break;
    case WEFT_MAX: *whole = l->extremes->highest[dtype]; break;
    case WEFT_AND: *whole = l->integers->bits_and; break;
    case WEFT_OR: *whole = l->integers->bits_or; break;
    default: *whole = l->integers->bits_xor; break;
    }
    return segments[dtype];
}

const column_kernel *cpu_column_kernel(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result) {
    const column_kernels *kernels = ctx->level->columns;
    if (op == WEFT_MEAN) return kernels->mean[dtype];
    if (op > WEFT_XOR) return NULL;
    if (dtype == WEFT_F32 && result == WEFT_F64)
        return op == WEFT_SUM ? kernels->sum_f32_in_f64 : kernels->prod_f32_in_f64;
    return kernels->reduce[op][dtype];
}

column_products *cpu_column_products(const cpu_context *ctx, weft_dtype dtype, weft_dtype result) {
    const column_kernels *kernels = ctx->level->columns;
    column_products *const *const in_f64 = kernels->dot_f64;
    return result == WEFT_F32 ? kernels->dot_f32 : in_f64[dtype];
}

segment_kernel *cpu_exact_segment_kernel(const cpu_context *ctx, weft_dtype dtype, exact_kernel **add) {
    *add = ctx->level->exact->add[EXACT_VALUES][dtype];
    segment_kernel *const *const kernels = ctx->level->exact_segments->sum;
    return kernels[dtype];
}

static void find_kernels(params *j) {
    const scan_call first = scan_of(j->c, 0, j->c->n);
    j->reduce.x = j->c->x;
    j->reduce.mean = j->c->op == WEFT_MEAN;
    j->reduce.init_stride = j->c->init_stride;
    if (j->c->exact)
        j->reduce_segments = cpu_exact_segment_kernel(j->ctx, j->c->dtype, &j->reduce.add);
    else if (j->c->scan)
        j->scan_segments = cpu_scan_kernel(j->ctx, &first, &j->scan);
    else
        j->reduce_segments = cpu_segment_kernel(j->ctx, j->c->op, j->c->dtype, j->c->result, &j->reduce.whole);
}

/* Returns the initial value of a segment, or NULL. */
static const void *init_of(const segmented_call *c, size_t segment) {
    return c->init ? at(c->init, segment * c->init_stride * weft_dtype_size(c->dtype)) : NULL;
}

/* Processes `count` segments; `first` is the number of the first one. */
static void do_segments(const params *j, size_t first, const uint64_t *offsets, size_t count) {
    const segmented_call *c = j->c;
    if (count == 0) return;
    if (j->scan_segments)
        j->scan_segments->segments(&j->scan, c->x, offsets, count, j->longest, c->y);
    else {
        segment_params reduce = j->reduce;
        reduce.init = init_of(c, first);
        j->reduce_segments(&reduce, offsets, count, j->longest, (char *)c->y + first * weft_dtype_size(c->result));
    }
}

/* Sums n elements at x, and init if it is not NULL, with all threads. */
static weft_status sum_exactly(const params *j, size_t n, const void *x, const void *init, void *out,
                               weft_error *error) {
    const segmented_call *c = j->c;
    const exact_finish finish = c->op == WEFT_MEAN ? EXACT_MEAN : EXACT_TOTAL;
    int64_t state[WEFT_EXACT_WORDS];
    exact_call sum = {.finish = finish, .dtype = c->dtype, .n = n, .x = x, .state = state};
    RETURN_IF_ERROR(cpu_exact(j->ctx, &sum, error));
    if (init) j->reduce.add(init, NULL, 1, state);
    if (!cpu_cancelled()) weft_exact_store(state, finish, c->dtype == WEFT_F32, out);
    return WEFT_OK;
}

/* Processes segment s if do_segments has skipped it because of its length. */
static weft_status do_if_long(const params *j, size_t s, size_t begin, size_t end, weft_error *error) {
    const segmented_call *c = j->c;
    const size_t n = end - begin;
    const scan_call scan = scan_of(c, begin, n);
    if (n <= j->longest) return WEFT_OK;
    if (c->scan) return cpu_scan(j->ctx, &scan, error);
    void *out = (char *)c->y + s * weft_dtype_size(c->result);
    if (c->exact) return sum_exactly(j, n, scan.x, init_of(c, s), out, error);
    return cpu_reduce(j->ctx, &(reduce_call){c->op, c->dtype, c->result, n, scan.x, out, NULL}, error);
}

/* ------------------------------------------------------------------------------ by offsets */

/* Returns the first segment whose preceding segments cost at least `cost`. */
static size_t segment_at(const segmented_call *c, uint64_t cost) {
    size_t low = 0, high = c->segments;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->offsets[middle] - c->offsets[0] + SEGMENT_COST * (uint64_t)middle < cost)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct check {
    const segmented_call *call;
    atomic_bool good;
} check;

static void check_part(void *self, size_t i) {
    check *k = self;
    const segmented_call *c = k->call;
    const size_t first = i * PART_ELEMENTS, left = c->segments - first;
    if (!offsets_all_good(c->offsets + first, left < PART_ELEMENTS ? left : PART_ELEMENTS, c->n)) k->good = false;
}

static bool check_offsets(const params *j) {
    check k = {.call = j->c, .good = true};
    cpu_parallel_for(j->threads, (j->c->segments - 1) / PART_ELEMENTS + 1, PARALLEL_RANGES, check_part, &k);
    return k.good;
}

/* Division into parts of about equal cost. */
typedef struct cut {
    const params *params;
    uint64_t cost;
    size_t parts;
} cut;

static size_t end_of_part(const cut *k, size_t p) {
    return p + 1 < k->parts ? segment_at(k->params->c, (p + 1) * k->cost) : k->params->c->segments;
}

static void do_cut(void *self, size_t p) {
    const cut *k = self;
    const size_t first = segment_at(k->params->c, p * k->cost);
    do_segments(k->params, first, k->params->c->offsets + first, end_of_part(k, p) - first);
}

static weft_status run_by_offsets(params *j, weft_error *error) {
    const segmented_call *c = j->c;
    cpu_plan_regions(2);
    if (!check_offsets(j)) return offsets_fail_first(error, c->offsets, c->n);
    if (cpu_cancelled()) return WEFT_OK;
    const uint64_t all = c->offsets[c->segments] - c->offsets[0] + SEGMENT_COST * (uint64_t)c->segments;
    uint64_t cost = PART_ELEMENTS;
    while ((all - 1) / cost >= PARTS_MAX) cost *= 2;
    cut k = {j, cost, (size_t)((all - 1) / cost) + 1};
    if (k.parts > 1) j->longest = (size_t)cost;
    cpu_parallel_for(j->threads, k.parts, PARALLEL_IN_ORDER, do_cut, &k);
    for (size_t p = 0; p < k.parts && !cpu_cancelled(); p++) {
        const size_t end = end_of_part(&k, p);
        if (end > segment_at(c, p * cost))
            RETURN_IF_ERROR(do_if_long(j, end - 1, (size_t)c->offsets[end - 1], (size_t)c->offsets[end], error));
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------- by heads or keys */

/* Processes a part. Returns the number of segments that begin before the part's end. */
static size_t do_part(const params *j, const segment_part *part) {
    segment_batch batch;
    segments_begin(part, &batch);
    while (segments_next(j->c, part, &batch) && !cpu_cancelled())
        do_segments(j, batch.first, batch.offsets, batch.count);
    return batch.first;
}

/* Sets `before` and `next` of all parts. Returns the number of segments. */
static size_t link_parts(segment_part *parts, size_t count, size_t n) {
    size_t before = 0, next = n;
    for (size_t p = 0; p < count; p++) {
        parts[p].before = before;
        before += parts[p].count;
    }
    for (size_t p = count; p-- > 0;) {
        parts[p].next = next;
        if (parts[p].count) next = parts[p].first;
    }
    return before;
}

static void run_alone(const params *j) {
    const size_t count = do_part(j, &(segment_part){.end = j->c->n, .next = j->c->n});
    if (j->c->count) *j->c->count = count;
}

typedef struct flagged {
    const params *params;
    segment_part *parts;
    size_t size; /* elements per part, except the last */
} flagged;

static void count_flagged(void *self, size_t p) {
    const flagged *f = self;
    const segmented_call *c = f->params->c;
    const size_t begin = p * f->size;
    f->parts[p] = (segment_part){.begin = begin, .end = c->n - begin < f->size ? c->n : begin + f->size};
    segments_count(c, &f->parts[p]);
}

static void do_flagged(void *self, size_t p) {
    const flagged *f = self;
    (void)do_part(f->params, &f->parts[p]);
}

static weft_status run_by_flags(params *j, weft_error *error) {
    const segmented_call *c = j->c;
    size_t size = PART_ELEMENTS;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(j->ctx, PARTS_MAX * sizeof(segment_part), &workspace, error));
    segment_part *const parts = workspace;
    while ((c->n - 1) / size >= PARTS_MAX) size *= 2;
    const size_t count = (c->n - 1) / size + 1;
    flagged f = {j, parts, size};
    j->longest = size;
    cpu_plan_regions(2);
    cpu_parallel_for(j->threads, count, PARALLEL_IN_ORDER, count_flagged, &f);
    if (cpu_cancelled()) return WEFT_OK;
    const size_t all = link_parts(parts, count, c->n);
    if (c->count) *c->count = all;
    cpu_parallel_for(j->threads, count, PARALLEL_IN_ORDER, do_flagged, &f);
    for (size_t p = 0; p < count && !cpu_cancelled(); p++)
        if (parts[p].count)
            RETURN_IF_ERROR(do_if_long(j, parts[p].before + parts[p].count - 1, parts[p].last, parts[p].next, error));
    return WEFT_OK;
}

weft_status cpu_segmented(void *state, const segmented_call *c, weft_error *error) {
    params j = {.ctx = state, .c = c, .longest = SIZE_MAX};
    const size_t work = c->n + (c->source == SEGMENTS_BY_OFFSETS ? SEGMENT_COST * c->segments : 0);
    j.threads = work >= PART_ELEMENTS ? j.ctx->threads : 1;
    find_kernels(&j);
    if (c->source == SEGMENTS_BY_OFFSETS) return run_by_offsets(&j, error);
    if (j.threads > 1) return run_by_flags(&j, error);
    run_alone(&j);
    return WEFT_OK;
}
