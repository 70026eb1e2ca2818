/* weft_recurrence_source: a chunk has 16^k elements, so its map is one of level k of ORDER.md 9.3, and the value
 * before the next chunk is B_k. A chunk with fewer elements is the last one, and its map is not needed. All levels
 * combine maps by one rule, so the level used for the chunks does not affect the result. */
#include "arith/affine.h"
#include "core/check.h"
#include "core/parts.h"
#include "stream/results.h"
#include "stream/terms.h"

typedef struct solving {
    const terms *t;
    uint64_t init;    /* the caller's initial value, or +0.0 */
    uint64_t before;  /* value before the current chunk */
    affine_chain all; /* maps of the chunks so far */
} solving;

static void pass(solving *s, const uint64_t map[2]) {
    affine_append(&s->all, 1, (affine){map[0], map[1]});
    s->before = affine_before(&s->all, s->init);
}

static weft_status solve_chunks(solving *s, chunks *p, results *r) {
    for (;;) {
        uint64_t map[2] = {0, 0};
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return results_end(r);
        const bool whole = p->n == p->elements;
        RETURN_IF_ERROR(weft_part_recurrence(s->t->ctx, WEFT_FORWARD, s->t->dtype, p->n, p->x[0], p->x[1], &s->before,
                                             results_capacity(r), whole ? map : NULL));
        if (whole) pass(s, map);
        RETURN_IF_ERROR(results_give(r, p->n, NULL));
    }
}

static weft_status solve(solving *s, const weft_sink *v) {
    const terms *t = s->t;
    const size_t size = weft_dtype_size(t->dtype);
    const size_t bytes = (2 * transfer_inputs(t->ctx) + transfer_results(t->ctx)) * size;
    size_t elements;
    chunks p = {.ctx = t->ctx};
    results r;
    RETURN_IF_ERROR(chunks_elements(t->ctx, 1 << 12, WEFT_SCAN_GROUP, bytes, &elements)); /* 16^3, 16^4, ... */
    weft_status status = results_open(&r, t->ctx, v, t->dtype, elements);
    if (status == WEFT_OK) status = chunks_open(&p, t->ctx, t->count, t->sources, t->names, elements);
    if (status == WEFT_OK) status = solve_chunks(s, &p, &r);
    chunks_close(&p);
    results_close(&r);
    return status;
}

static weft_status run_recurrence(weft_context *ctx, const weft_source *s, const weft_source *u, const void *init,
                                  const weft_sink *v) {
    weft_error *error = &ctx->error;
    RETURN_IF_ERROR(chunks_check(ctx, "s", s));
    RETURN_IF_ERROR(chunks_check(ctx, "u", u));
    RETURN_IF(s == u, WEFT_INVALID, "s and u are the same source: two different sources are required");
    RETURN_IF(s->dtype != u->dtype, WEFT_INVALID,
              "s has elements of type %s and u of type %s: both must have the same type", weft_dtype_name(s->dtype),
              weft_dtype_name(u->dtype));
    RETURN_IF_ERROR(weft_recurrence(ctx, WEFT_FORWARD, s->dtype, 1, 0, NULL, NULL, NULL, NULL)); /* checks the type */
    RETURN_IF_ERROR(check_host_value("init", init, error));
    RETURN_IF_ERROR(chunks_check_sink(ctx, "v", v));
    const terms t = {.ctx = ctx, .dtype = s->dtype, .count = 2, .sources = {s, u}, .names = {"s", "u"}};
    solving all = {.t = &t, .all = {.f32 = s->dtype == WEFT_F32}};
    if (init) memcpy(&all.init, init, weft_dtype_size(s->dtype));
    all.before = all.init;
    return solve(&all, v);
}

weft_status weft_recurrence_source(weft_context *ctx, const weft_source *s, const weft_source *u, const void *init,
                                   const weft_sink *v) {
    RETURN_STREAMED(ctx, run_recurrence(ctx, s, u, init, v));
}
