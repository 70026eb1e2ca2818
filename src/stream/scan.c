/* weft_scan_source: a piece has 16^k elements, so it is one value of level k of docs/ORDER.md 6.2, and the prefixes
 * within it are a scan by itself that starts from P_k(q), q being its number. P_k is the scan of the pieces' totals
 * by the same rule; so the library's own scans of up to 16 totals give it. Where no order matters, what comes before
 * the next piece is simply the last prefix of this one. */
#include "core/check.h"
#include "core/order.h"
#include "stream/fold.h"
#include "stream/pieces.h"

#include <string.h>

/* Groups of totals that are not full yet, level by level from that of the pieces up. */
typedef struct level {
    size_t digit; /* how many totals */
    uint64_t totals[WEFT_SCAN_GROUP];
} level;

typedef struct prefixes {
    weft_context *ctx;
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, accumulate, result;
    size_t size;    /* of a result */
    bool ordered;   /* bits depend on the order */
    bool begins;    /* `before` is there */
    uint64_t start; /* the caller's initial value, */
    bool has_start; /* where there is one */
    uint64_t before;
    level levels[WEFT_SCAN_LEVELS];
} prefixes;

/* The scan of n totals from *from, or from nothing, and of it the last. */
static weft_status scan_totals(const prefixes *s, size_t n, const void *totals, const void *from, uint64_t *last) {
    uint64_t scanned[WEFT_SCAN_GROUP];
    FORWARD(weft_scan(s->ctx, s->op, WEFT_INCLUSIVE, s->result, WEFT_DEFAULT, n, totals, from, scanned));
    memcpy(last, (const char *)scanned + (n - 1) * s->size, s->size);
    return WEFT_OK;
}

/* Takes the total of a piece; a full group's total goes one level up. */
static weft_status add_total(prefixes *s, uint64_t total) {
    for (level *l = s->levels;; l++) {
        memcpy((char *)l->totals + l->digit * s->size, &total, s->size);
        if (++l->digit < WEFT_SCAN_GROUP) return WEFT_OK;
        FORWARD(scan_totals(s, WEFT_SCAN_GROUP, l->totals, NULL, &total));
        l->digit = 0;
    }
}

/* P_k of the pieces so far, from the highest digit of their number to the lowest. */
static weft_status find_prefix(prefixes *s) {
    s->begins = s->has_start;
    s->before = s->start;
    for (int k = WEFT_SCAN_LEVELS - 1; k >= 0; k--) {
        const level *l = &s->levels[k];
        if (l->digit == 0) continue;
        const uint64_t from = s->before;
        FORWARD(scan_totals(s, l->digit, l->totals, s->begins ? &from : NULL, &s->before));
        s->begins = true;
    }
    return WEFT_OK;
}

/* What stands before the piece behind this one. */
static weft_status pass_ordered(prefixes *s, const pieces *p, char *y, void *room) {
    char *const last = y + (p->n - 1) * s->size;
    uint64_t total = 0;
    FORWARD(weft_scan(s->ctx, s->op, WEFT_INCLUSIVE, s->dtype, s->accumulate, p->n, p->x[0], NULL, room));
    memcpy(&total, (const char *)room + (p->n - 1) * s->size, s->size);
    FORWARD(add_total(s, total));
    FORWARD(find_prefix(s));
    if (s->kind == WEFT_INCLUSIVE) memcpy(last, &s->before, s->size); /* it is a prefix of whole pieces */
    return WEFT_OK;
}

static weft_status pass_unordered(prefixes *s, const pieces *p, const char *y) {
    const char *x = (const char *)p->x[0] + (p->n - 1) * weft_dtype_size(s->dtype);
    memcpy(&s->before, y + (p->n - 1) * s->size, s->size);
    const uint64_t from = s->before;
    s->begins = true;
    if (s->kind == WEFT_INCLUSIVE) return WEFT_OK;
    return weft_scan(s->ctx, s->op, WEFT_INCLUSIVE, s->dtype, s->accumulate, 1, x, &from, &s->before);
}

static weft_status scan_pieces(prefixes *s, pieces *p, const weft_sink *sink, char *y, void *room) {
    for (;;) {
        FORWARD(pieces_next(p));
        if (p->n == 0) return WEFT_OK;
        FORWARD(weft_scan(s->ctx, s->op, s->kind, s->dtype, s->accumulate, p->n, p->x[0],
                          s->begins ? &s->before : NULL, y));
        if (p->n == p->elements) FORWARD(s->ordered ? pass_ordered(s, p, y, room) : pass_unordered(s, p, y));
        FORWARD(pieces_write(s->ctx, sink, s->result, y, p->n));
    }
}

static weft_status scan_source(prefixes *s, const weft_source *x, const weft_sink *sink) {
    const char *const names[] = {"x"};
    const size_t results = s->ordered ? 2 : 1;
    const size_t bytes = 2 * weft_dtype_size(s->dtype) + results * s->size;
    pieces p = {.ctx = s->ctx};
    size_t elements;
    char *y = NULL;
    FORWARD(pieces_elements(s->ctx, 1 << 12, WEFT_SCAN_GROUP, bytes, &elements)); /* 16^3, 16^4 or 16^5 */
    FORWARD(weft_alloc(s->ctx, WEFT_PINNED, results * elements * s->size, (void **)&y));
    weft_status status = pieces_open(&p, s->ctx, 1, &x, names, elements);
    if (status == WEFT_OK) status = scan_pieces(s, &p, sink, y, y + elements * s->size);
    pieces_close(&p);
    pieces_free(s->ctx, y);
    return status;
}

weft_status weft_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                             const weft_source *x, const void *init, const weft_sink *y) {
    FORWARD(pieces_check_context(ctx));
    weft_error *error = &ctx->error;
    prefixes s = {.ctx = ctx, .op = op, .kind = kind, .accumulate = accumulate};
    FORWARD(pieces_check(ctx, "x", x));
    s.dtype = x->dtype;
    FORWARD(check_scan_type("scan", op, s.dtype, accumulate, &s.result, error));
    RETURN_IF((unsigned)kind > WEFT_EXCLUSIVE, WEFT_INVALID, "%d is no kind of scan", (int)kind);
    FORWARD(check_host_value("init", init, error));
    FORWARD(pieces_check_sink(ctx, "y", y));
    s.size = weft_dtype_size(s.result);
    s.ordered = (op == WEFT_SUM || op == WEFT_PROD) && (s.result == WEFT_F32 || s.result == WEFT_F64);
    s.has_start = s.begins = init != NULL;
    if (init) memcpy(&s.start, init, s.size);
    s.before = s.start;
    return scan_source(&s, x, y);
}
