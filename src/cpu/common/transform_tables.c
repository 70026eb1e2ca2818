/* Tables of the CPU's transforms (ORDER.md 14.1). They are created once per length and kept in the context. */
#include "arith/turns.h"
#include "core/watch.h"
#include "cpu/common/transform.h"
#include "cpu/runtime/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR_LOG = 10
}; /* T[k] is the product of entry k % 2^NEAR_LOG of `turns` and entry k / 2^NEAR_LOG of `far_turns` */

/* ---------------------------------------------------------------------------------- memory */

/* Returns the bytes to allocate for a table of `bytes` bytes: at least one cache line. */
static size_t lines(size_t bytes) {
    return bytes ? (bytes + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT : CPU_ALIGNMENT;
}

static weft_status hold(const cpu_context *ctx, size_t bytes, void **p, weft_error *error) {
    RETURN_IF_ERROR(heap_allocate_host(ctx->heap, WEFT_DEVICE, lines(bytes), CPU_ALIGNMENT, p, error));
    ctx->transforms->bytes += lines(bytes);
    return WEFT_OK;
}

static void drop(const cpu_context *ctx, size_t bytes, void *p) {
    heap_free_host(ctx->heap, p);
    ctx->transforms->bytes -= lines(bytes);
}

/* Returns the context's tables; creates empty ones if there are none. */
static weft_status find_tables(cpu_context *ctx, transform_tables **t, weft_error *error) {
    if (!ctx->transforms) ctx->transforms = calloc(1, sizeof *ctx->transforms);
    *t = ctx->transforms;
    RETURN_IF(!*t, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof **t);
    return WEFT_OK;
}

void cpu_transform_free(cpu_context *ctx) {
    transform_tables *t = ctx->transforms;
    if (!t) return;
    for (int type = 0; type < 2; type++)
        for (int log = 0; log < TRANSFORM_LENGTHS; log++) {
            heap_free_host(ctx->heap, t->plans[type][log].twiddles);
            heap_free_host(ctx->heap, t->plans[type][log].lane_twiddles);
            heap_free_host(ctx->heap, t->plans[type][log].half_twiddles);
        }
    heap_free_host(ctx->heap, t->turns);
    heap_free_host(ctx->heap, t->far_turns);
    free(t);
    ctx->transforms = NULL;
}

/* --------------------------------------------------------------------------------- twiddles */

/* Extends the tables so that put can compute T[k] for all k < 2^log. */
static weft_status reach(const cpu_context *ctx, transform_tables *t, int log, weft_error *error) {
    const int far = log > NEAR_LOG ? log - NEAR_LOG : 0;
    if (!t->turns) {
        RETURN_IF_ERROR(hold(ctx, sizeof(weft_turn) << NEAR_LOG, &t->turns, error));
        weft_turn_table(0, NEAR_LOG, t->turns);
        t->far_log = -1;
    }
    if (far <= t->far_log) return WEFT_OK;
    void *table;
    RETURN_IF_ERROR(hold(ctx, sizeof(weft_turn) << far, &table, error));
    if (t->far_log >= 0) drop(ctx, sizeof(weft_turn) << t->far_log, t->far_turns);
    t->far_turns = table;
    t->far_log = far;
    weft_turn_table(NEAR_LOG, far, t->far_turns);
    return WEFT_OK;
}

/* Stores T[k] as entry i of a table. */
static void put(const transform_tables *t, weft_dtype dtype, size_t k, void *table, size_t i) {
    const weft_turn *near = t->turns, *far = t->far_turns;
    const weft_turn w = weft_turn_combine(near[k % ((size_t)1 << NEAR_LOG)], far[k >> NEAR_LOG]);
    if (dtype == WEFT_F32) {
        ((float *)table)[2 * i] = weft_pair_f32(w.re);
        ((float *)table)[2 * i + 1] = weft_pair_f32(w.im);
    } else {
        ((double *)table)[2 * i] = w.re.hi;
        ((double *)table)[2 * i + 1] = w.im.hi;
    }
}

/* Fills the twiddles of a tile, in the order in which the second pass uses them (lane_sweep in
 * cpu/kernels/bodies/transform_body.h): two vectors per block of a sweep; if the number of stages is odd, one vector
 * before them. Returns the number of vectors. With table = NULL it only counts them. */
static size_t put_tile(const transform_tables *t, weft_dtype dtype, const transform_plan *plan, size_t tile,
                       void *table) {
    const int rows_log = transform_log2(plan->rows), odd = transform_log2(plan->columns) % 2;
    size_t vectors = 0, first[16]; /* first: the row of each lane */
    for (size_t c = 0; c < plan->lanes; c++) first[c] = transform_mirrored(tile * plan->lanes + c, rows_log);
    for (size_t c = 0; table && odd && c < plan->lanes; c++) put(t, dtype, first[c], table, c);
    vectors += (size_t)odd;
    for (int s = odd; plan->columns >> s >= 4; s += 2)
        for (size_t k = 0; k < (size_t)1 << s; k++, vectors += 2)
            for (size_t c = 0; table && c < plan->lanes; c++) {
                const size_t block = (first[c] << s) + k;
                put(t, dtype, block, table, vectors * plan->lanes + c);
                put(t, dtype, 2 * block, table, (vectors + 1) * plan->lanes + c);
            }
    return vectors;
}

/* Twiddles of all tiles. */
typedef struct tile_tables {
    const transform_tables *t;
    weft_dtype dtype;
    const transform_plan *plan;
    size_t bytes; /* bytes per tile */
    char *table;
} tile_tables;

static void make_tile(void *self, size_t tile) {
    const tile_tables *w = self;
    put_tile(w->t, w->dtype, w->plan, tile, w->table + tile * w->bytes);
}

static weft_status make_lane_twiddles(const cpu_context *ctx, transform_tables *t, weft_dtype dtype,
                                      transform_plan *plan, weft_error *error) {
    const size_t tiles = plan->rows / plan->lanes, number = 2 * weft_dtype_size(dtype);
    plan->tile_twiddles = put_tile(t, dtype, plan, 0, NULL);
    const size_t bytes = plan->tile_twiddles * plan->lanes * number;
    void *table;
    RETURN_IF_ERROR(hold(ctx, tiles * bytes, &table, error));
    tile_tables all = {t, dtype, plan, bytes, table};
    cpu_parallel_for(plan->n >= (size_t)1 << 15 ? ctx->threads : 1, tiles, PARALLEL_RANGES, make_tile, &all);
    if (cpu_cancelled()) {
        drop(ctx, tiles * bytes, table);
        return progress_refuse(error);
    }
    plan->lane_twiddles = table;
    return WEFT_OK;
}

/* Creates the missing tables of a plan. Tables that exist are kept: a plan that could not be completed can be
 * completed later. */
static weft_status make_plan(const cpu_context *ctx, transform_tables *t, weft_dtype dtype, int n_log,
                             transform_plan *plan, weft_error *error) {
    const size_t number = 2 * weft_dtype_size(dtype),
                 lanes = transform_kernels_of(ctx->level->transforms, dtype)->lanes;
    const size_t n = (size_t)1 << n_log;
    const bool two_passes = n >= 16 && n >= lanes * lanes;
    plan->lanes = lanes;
    plan->rows = two_passes ? (size_t)1 << n_log / 2 : 0;
    plan->columns = two_passes ? n / plan->rows : 0;
    const size_t count = two_passes ? plan->rows / 2 : n > 1 ? n / 2 : 1;
    if (!plan->twiddles) RETURN_IF_ERROR(hold(ctx, count * number, &plan->twiddles, error));
    for (size_t k = 0; k < count; k++) put(t, dtype, k, plan->twiddles, k);
    if (two_passes && !plan->lane_twiddles) RETURN_IF_ERROR(make_lane_twiddles(ctx, t, dtype, plan, error));
    plan->n = n;
    return WEFT_OK;
}

weft_status cpu_transform_plan(cpu_context *ctx, weft_dtype dtype, int n_log, bool half, const transform_plan **found,
                               weft_error *error) {
    transform_tables *t;
    RETURN_IF_ERROR(find_tables(ctx, &t, error));
    const size_t n = (size_t)1 << n_log;
    transform_plan *plan = &t->plans[dtype == WEFT_F64][n_log];
    RETURN_IF_ERROR(reach(ctx, t, n_log, error));
    if (!plan->n) RETURN_IF_ERROR(make_plan(ctx, t, dtype, n_log, plan, error));
    if (half && !plan->half_twiddles) {
        void *table;
        RETURN_IF_ERROR(hold(ctx, (n / 2 + 1) * 2 * weft_dtype_size(dtype), &table, error));
        for (size_t f = 0; f <= n / 2; f++) put(t, dtype, transform_mirrored(f, n_log), table, f);
        plan->half_twiddles = table;
    }
    *found = plan;
    return WEFT_OK;
}
