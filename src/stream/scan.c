/* weft_scan_source, and functions shared with weft_map_scan_source. A chunk has 16^k elements, so it is one value of
 * level k of ORDER.md 6.2. The prefixes within chunk q are a scan of its own that starts from P_k(q). P_k is the
 * scan of the chunks' totals by the same rule, so the library's own scans of up to 16 totals compute it. If the
 * result does not depend on the order, the value before the next chunk is the last inclusive prefix of this one. Sums
 * and products of f16 and bf16 are computed in f32 and rounded when they are written. */
#include "core/check.h"
#include "core/order.h"
#include "core/part.h"
#include "core/reals.h"
#include "core/types.h"
#include "stream/results.h"
#include "stream/terms.h"

#include <string.h>

/* Groups of totals that are not full yet, from the level of the chunks up. */
typedef struct level {
    size_t digit; /* number of totals */
    uint64_t totals[WEFT_SCAN_GROUP];
} level;

typedef struct prefixes {
    const terms *t;
    weft_context *combiner; /* context for scans of totals */
    weft_op op;
    weft_scan_kind kind;
    weft_dtype accumulate, result; /* result: type of the prefixes */
    weft_dtype written;            /* type of the results: `result`, or f16 or bf16 if the prefixes are f32 */
    size_t size;                   /* bytes of a prefix */
    bool ordered;                  /* the bits of the result depend on the order */
    char *again; /* for a second scan of a chunk, if the first one does not contain its last value, and for prefixes
                  * that are rounded; else NULL */
    bool begins; /* `before` is valid */
    uint64_t start; /* the caller's initial value */
    bool has_start; /* `start` is valid */
    uint64_t before;
    level levels[WEFT_SCAN_LEVELS];
} prefixes;

/* Scans n totals, starting from *from unless it is NULL. Sets *last to the last prefix. */
static weft_status scan_totals(const prefixes *s, size_t n, const void *totals, const void *from, uint64_t *last) {
    uint64_t scanned[WEFT_SCAN_GROUP];
    RETURN_IF_ERROR(weft_scan(s->combiner, s->op, WEFT_INCLUSIVE, s->result, WEFT_DEFAULT, n, totals, from, scanned));
    memcpy(last, (const char *)scanned + (n - 1) * s->size, s->size);
    return WEFT_OK;
}

/* Appends the total of a chunk. The total of a full group is appended to the next level. */
static weft_status add_total(prefixes *s, uint64_t total) {
    for (level *l = s->levels;; l++) {
        memcpy((char *)l->totals + l->digit * s->size, &total, s->size);
        if (++l->digit < WEFT_SCAN_GROUP) return WEFT_OK;
        RETURN_IF_ERROR(scan_totals(s, WEFT_SCAN_GROUP, l->totals, NULL, &total));
        l->digit = 0;
    }
}

/* Computes P_k of the chunks so far, from the highest hexadecimal digit of their number to the lowest. */
static weft_status find_prefix(prefixes *s) {
    s->begins = s->has_start;
    s->before = s->start;
    for (int k = WEFT_SCAN_LEVELS - 1; k >= 0; k--) {
        const level *l = &s->levels[k];
        if (l->digit == 0) continue;
        const uint64_t from = s->before;
        RETURN_IF_ERROR(scan_totals(s, l->digit, l->totals, s->begins ? &from : NULL, &s->before));
        s->begins = true;
    }
    return WEFT_OK;
}

/* Sets *last to the last value of the inclusive scan of a chunk that starts from *from, or from nothing if it is
 * NULL. The value is read from y, or from a second scan of the chunk. */
static weft_status find_last(const prefixes *s, const chunks *p, const void *from, const char *y, uint64_t *last) {
    const char *values = y;
    if (s->again) {
        RETURN_IF_ERROR(s->t->scan(s->t, p, s->op, WEFT_INCLUSIVE, s->accumulate, from, s->again));
        values = s->again;
    }
    *last = 0;
    return weft_copy(s->t->ctx, s->size, values + (p->n - 1) * s->size, last);
}

/* Computes the value before the next chunk. */
static weft_status pass(prefixes *s, const chunks *p, const char *y) {
    const uint64_t from = s->before;
    uint64_t total;
    if (!s->ordered) {
        RETURN_IF_ERROR(find_last(s, p, s->begins ? &from : NULL, y, &s->before));
        s->begins = true;
        return WEFT_OK;
    }
    RETURN_IF_ERROR(find_last(s, p, NULL, y, &total));
    RETURN_IF_ERROR(add_total(s, total));
    return find_prefix(s);
}

/* Scans a chunk to y. */
static weft_status scan_chunk_to(const prefixes *s, const chunks *p, void *y) {
    const bool rounds = s->written != s->result;
    const terms *t = s->t;
    RETURN_IF_ERROR(
        t->scan(t, p, s->op, s->kind, s->accumulate, s->begins ? &s->before : NULL, rounds ? s->again : y));
    return rounds ? part_convert(t->ctx, p->n, s->result, s->again, s->written, y) : WEFT_OK;
}

/* Returns the prefix of all chunks so far as it is written. */
static uint64_t written_prefix(const prefixes *s) {
    uint64_t bits = 0;
    float value;
    if (s->written == s->result) return s->before;
    memcpy(&value, &s->before, sizeof value);
    store_real(s->written, (double)value, &bits);
    return bits;
}

/* Scans all chunks. The last inclusive prefix of a full chunk is the prefix of all chunks so far. */
static weft_status scan_chunks(prefixes *s, chunks *p, results *r) {
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return results_end(r);
        const bool whole = p->n == p->elements;
        void *y = results_capacity(r);
        RETURN_IF_ERROR(scan_chunk_to(s, p, y));
        if (whole) RETURN_IF_ERROR(pass(s, p, y));
        const uint64_t last = written_prefix(s);
        RETURN_IF_ERROR(results_give(r, p->n, whole && s->ordered && s->kind == WEFT_INCLUSIVE ? &last : NULL));
    }
}

static weft_status scan_terms(prefixes *s, const weft_sink *sink) {
    const terms *t = s->t;
    const bool twice = s->ordered || s->kind == WEFT_EXCLUSIVE;
    size_t bytes = transfer_results(t->ctx) * weft_dtype_size(s->written) + twice * s->size, elements;
    chunks p = {.ctx = t->ctx};
    results r;
    for (int i = 0; i < t->count; i++) bytes += transfer_inputs(t->ctx) * weft_dtype_size(t->sources[i]->dtype);
    RETURN_IF_ERROR(chunks_elements(t->ctx, 1 << 12, WEFT_SCAN_GROUP, bytes, &elements)); /* 16^3 to 16^6 */
    weft_status status = results_open(&r, t->ctx, sink, s->written, elements);
    if (status == WEFT_OK && twice) status = buffer_take(t->ctx, WEFT_DEVICE, elements * s->size, (void **)&s->again);
    if (status == WEFT_OK) status = chunks_open(&p, t->ctx, t->count, t->sources, t->names, elements);
    if (status == WEFT_OK) status = scan_chunks(s, &p, &r);
    chunks_close(&p);
    buffer_leave(t->ctx, WEFT_DEVICE, elements * s->size, s->again);
    results_close(&r);
    return status;
}

/* Sets the initial value, which has the type of the results. */
static void load_start(prefixes *s, const void *init) {
    const float value = s->written == s->result ? 0 : load_half(s->written, init);
    memcpy(&s->start, s->written == s->result ? init : &value, s->size);
}

weft_status terms_scan(const terms *t, const char *what, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                       const void *init, const weft_sink *sink) {
    weft_error *error = &t->ctx->error;
    prefixes s = {.t = t, .op = op, .kind = kind, .accumulate = accumulate};
    RETURN_IF_ERROR(check_array_scan_type(what, op, t->dtype, accumulate, &s.written, error));
    RETURN_IF((unsigned)kind > WEFT_EXCLUSIVE, WEFT_INVALID, "invalid scan kind %d", (int)kind);
    RETURN_IF_ERROR(check_host_value("init", init, error));
    RETURN_IF_ERROR(chunks_check_sink(t->ctx, "y", sink));
    RETURN_IF_ERROR(chunks_combiner(t->ctx, &s.combiner));
    const bool sums = op == WEFT_SUM || op == WEFT_PROD;
    s.result = sums ? type_widened(s.written) : s.written;
    if (s.result != s.written) s.accumulate = s.result;
    s.size = weft_dtype_size(s.result);
    s.ordered = sums && type_is_float(s.result);
    s.has_start = s.begins = init != NULL;
    if (init) load_start(&s, init);
    s.before = s.start;
    return scan_terms(&s, sink);
}

/* ------------------------------------------------------------------------------- one source */

static weft_status scan_chunk(const terms *t, const chunks *p, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                              const void *init, void *y) {
    return weft_scan(t->ctx, op, kind, t->dtype, accumulate, p->n, p->x[0], init, y);
}

static weft_status run_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                            const weft_source *x, const void *init, const weft_sink *y) {
    RETURN_IF_ERROR(chunks_check(ctx, "x", x));
    const terms t = {.ctx = ctx, .dtype = x->dtype, .count = 1, .sources = {x}, .names = {"x"}, .scan = scan_chunk};
    return terms_scan(&t, "scan", op, kind, accumulate, init, y);
}

weft_status weft_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                             const weft_source *x, const void *init, const weft_sink *y) {
    RETURN_STREAMED(ctx, run_scan(ctx, op, kind, accumulate, x, init, y));
}
