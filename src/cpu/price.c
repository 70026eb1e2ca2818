/* weft_price on the CPU (ORDER.md 21). A thread simulates one tile of paths at a time. The sums of a tile are
 * computed by the kernels of weft_reduce and weft_dot from values in the thread's cache. Tiles are processed in
 * batches, each a node of the canonical tree, so that the memory for their sums does not grow with the number of
 * paths. */
#include "arith/price.h"
#include "arith/sobol.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum { TILE = WEFT_TILE(8), BATCH = 128 /* tiles per batch: a power of two */, LEVELS = 64 };

typedef struct work {
    const cpu_context *ctx;
    const price_call *call;
    uint64_t begin, end; /* the paths */
    uint64_t tiles;
    price_points points;           /* used if paths are Sobol points */
    double (*workspaces)[2][TILE]; /* per thread: the payoffs and the controls of a tile's paths */
    uint64_t first;                /* first tile of the batch */
    weft_price_sums sums[BATCH];   /* one entry per tile of the batch */
} work;

static double reduce(kernel *run, const double *x, const double *y, size_t n) {
    partial out;
    run(&(reduce_chunk){.x = x, .y = y, .n = n}, &out);
    return out.f64;
}

static weft_price_sums sums_of_tile(const work *w, uint64_t tile, size_t thread) {
    double *const v = w->workspaces[thread][0], *const controls = w->workspaces[thread][1];
    const price_call *const c = w->call;
    const level *const l = w->ctx->level;
    kernel *const sum = l->sums->sum_f64[WEFT_F64], *const products = l->products->dot_f64[WEFT_F64];
    const uint64_t first = w->begin + tile * TILE, left = w->end - first;
    const size_t n = left < TILE ? (size_t)left : TILE;
    weft_price_sums s = {.value = 0};
    (c->dtype == WEFT_F32 ? l->prices->f32 : l->prices->f64)(c, &w->points, first, n, v, controls);
    s.value = reduce(sum, v, NULL, n);
    s.value_value = reduce(products, v, v, n);
    if (c->control == CONTROL_NONE) return s;
    s.control = reduce(sum, controls, NULL, n);
    s.control_control = reduce(products, controls, controls, n);
    s.value_control = reduce(products, v, controls, n);
    return s;
}

static void sum_tile(void *self, size_t i) {
    work *w = self;
    w->sums[i] = sums_of_tile(w, w->first + i, (size_t)cpu_thread_number());
}

/* Reduces `count` tiles, at most a batch, starting at tile `first`. */
static weft_price_sums sums_of_batch(work *w, uint64_t first, size_t count) {
    w->first = first;
    cpu_parallel_for(w->ctx->threads, count, PARALLEL_IN_ORDER, sum_tile, w);
    for (; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++) w->sums[i] = weft_price_combine(w->sums[2 * i], w->sums[2 * i + 1]);
        if (count % 2) w->sums[count / 2] = w->sums[count - 1];
    }
    return w->sums[0];
}

/* Reduces all batches with a binary counter: waiting[k] contains the value of 2^k batches if bit k of the number of
 * finished batches is set. The last batch is combined with all of them, skipping missing levels. */
static weft_price_sums sums_of_all(work *w) {
    const uint64_t batches = (w->tiles - 1) / BATCH + 1;
    weft_price_sums waiting[LEVELS], s;
    cpu_plan_regions(batches);
    for (uint64_t done = 0;; done++) {
        const uint64_t first = done * BATCH, left = w->tiles - first;
        const bool is_last = done + 1 == batches || cpu_cancelled();
        s = sums_of_batch(w, first, left < BATCH ? (size_t)left : BATCH);
        int k = 0;
        for (; is_last ? done >> k != 0 : done >> k & 1; k++)
            if (done >> k & 1) s = weft_price_combine(waiting[k], s);
        if (is_last) return s;
        waiting[k] = s;
    }
}

/* Returns the expected value of the control variate. */
static double worth_of_control(const price_call *c) {
    const price_leg *const leg = &c->leg[0];
    switch (c->control) {
    case CONTROL_END:
        return weft_price_end(c->scheme == WEFT_EULER, c->assets, c->weights, leg->start, leg->drift, c->steps,
                              c->rate, c->maturity);
    case CONTROL_GEOMETRIC:
        return weft_price_geometric(c->payoff == WEFT_CALL, leg->start[0], c->strike, c->rate, c->volatility,
                                    c->maturity, (double)c->steps);
    default: return 0;
    }
}

/* Allocates the workspace: payoffs and controls per thread, then the tables for Sobol points. */
static weft_status take_workspace(cpu_context *ctx, const price_call *c, work *w, weft_error *error) {
    const size_t dimensions = c->sobol ? c->steps * c->assets : 0,
                 workspaces = (size_t)ctx->threads * sizeof *w->workspaces;
    price_points *const p = &w->points;
    void *workspace;
    while (c->sobol && (c->paths + TILE) >> p->bits) p->bits++;
    RETURN_IF_ERROR(
        cpu_workspace(ctx, workspaces + dimensions * (p->bits + 1) * sizeof(uint64_t), &workspace, error));
    w->workspaces = workspace;
    p->directions = (uint64_t *)((char *)workspace + workspaces);
    p->keys = p->directions + dimensions * p->bits;
    for (size_t j = 0; j < dimensions; j++) {
        cpu_sobol_directions(j, p->bits, 1, p->directions + j * p->bits);
        p->keys[j] = weft_sobol_key(c->seed, c->stream, j);
    }
    return WEFT_OK;
}

weft_status cpu_price_sums(void *state, const price_sums_call *c, weft_error *error) {
    work w = {.ctx = state, .call = c->price, .begin = c->first, .end = c->first + c->count};
    w.tiles = (c->count - 1) / TILE + 1;
    RETURN_IF_ERROR(take_workspace(state, c->price, &w, error));
    const weft_price_sums sums = sums_of_all(&w);
    memcpy(c->sums, &sums, sizeof sums);
    return WEFT_OK;
}

weft_status cpu_price_estimate(void *state, const price_estimate_call *c, weft_error *error) {
    const price_call *p = c->price;
    (void)state, (void)error;
    weft_price_estimate(weft_price_given(c->sums), p->paths, worth_of_control(p), p->rate, p->maturity, c->estimate);
    return WEFT_OK;
}
