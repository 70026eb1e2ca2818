/* Tables of the CPU's transforms: the scale c and the slope t of twiddles (ORDER.md 14.1). They are created once per
 * length and kept in the context. */
#include "arith/turns.h"
#include "core/types.h"
#include "core/watch.h"
#include "cpu/common/transform.h"
#include "cpu/runtime/parallel.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Maximum bytes of a transform that is computed as a whole: with one thread, with fewer than FEW, with more. */
    WHOLE_BYTES_ALONE = 1 << 27,
    WHOLE_BYTES_FEW = 1 << 24,
    WHOLE_BYTES = 1 << 18,
    FEW = 4,
    NEAR_LOG = 10 /* T[k] is the product of entry k % 2^NEAR_LOG of `turns` and entry k / 2^NEAR_LOG of `far_turns` */
};

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

static void free_plan(cpu_context *ctx, const transform_plan *plan) {
    heap_free_host(ctx->heap, plan->twiddles);
    heap_free_host(ctx->heap, plan->lane_twiddles);
    heap_free_host(ctx->heap, plan->group_twiddles);
    heap_free_host(ctx->heap, plan->register_twiddles[0]);
    heap_free_host(ctx->heap, plan->half_twiddles);
}

void cpu_transform_free(cpu_context *ctx) {
    transform_tables *t = ctx->transforms;
    if (!t) return;
    for (int type = 0; type < 2; type++)
        for (int way = 0; way < TRANSFORM_WAYS; way++)
            for (int log = 0; log < TRANSFORM_LENGTHS; log++) free_plan(ctx, &t->plans[type][way][log]);
    for (int type = 0; type < 2; type++)
        for (int i = 0; i < BLOCK_PLANS; i++) free_plan(ctx, &t->of_blocks[type][i]);
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

/* Stores the scale and the slope of T[k] as reals number `scale` and `slope` of a table. */
static void put_parts(const transform_tables *t, weft_dtype dtype, size_t k, void *table, size_t scale,
                      size_t slope) {
    const weft_turn *near = t->turns, *far = t->far_turns;
    const size_t even = k & ~(size_t)1;
    const weft_turn w = weft_turn_combine(near[even % ((size_t)1 << NEAR_LOG)], far[even >> NEAR_LOG]);
    const weft_turn u = weft_turn_upright(w, k & 2);
    if (dtype == WEFT_F32)
        weft_slope_f32(u, (float *)table + scale, (float *)table + slope);
    else
        weft_slope_f64(u, (double *)table + scale, (double *)table + slope);
}

/* Stores the constants of T[k] as entry i of a table. */
static void put(const transform_tables *t, weft_dtype dtype, size_t k, void *table, size_t i) {
    put_parts(t, dtype, k, table, 2 * i, 2 * i + 1);
}

/* Fills the twiddles of a tile, in the order in which the second pass uses them (lane_sweep in
 * cpu/kernels/bodies/transform_body.h): two vectors per block of a sweep; if the number of stages is odd, one vector
 * before them. Returns the number of vectors. With table = NULL it only counts them. */
static size_t put_tile(const transform_tables *t, weft_dtype dtype, const transform_plan *plan, size_t tile,
                       void *table) {
    const int odd = transform_log2(plan->columns) % 2;
    size_t vectors = 0, first[16]; /* first: the block of each lane */
    for (size_t c = 0; c < plan->lanes; c++)
        first[c] = transform_block(plan, transform_row(plan, tile * plan->lanes + c));
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
    const size_t tiles = ceil_div(plan->rows, plan->lanes), number = 2 * weft_dtype_size(dtype);
    plan->tile_twiddles = put_tile(t, dtype, plan, 0, NULL);
    const size_t bytes = plan->tile_twiddles * plan->lanes * number;
    void *table;
    RETURN_IF_ERROR(hold(ctx, tiles * bytes, &table, error));
    tile_tables all = {t, dtype, plan, bytes, table};
    cpu_parallel_for(plan->rows * plan->columns >= (size_t)1 << 15 ? ctx->threads : 1, tiles, PARALLEL_RANGES,
                     make_tile, &all);
    if (cpu_cancelled()) {
        drop(ctx, tiles * bytes, table);
        return progress_refuse(error);
    }
    plan->lane_twiddles = table;
    return WEFT_OK;
}

/* A group of 2^log pairs of vectors (kernels/bodies/whole_body.h), in which the numbers of the pairs end with the
 * bits of `rest`. */
typedef struct pair_group {
    int width_log, pairs_log, log; /* log2 of: values per pair, pairs of the transform, pairs of the group */
    size_t rest;
} pair_group;

/* Returns the block of stage s to which lane `lane` of pair i of the group belongs. The upper bits of the block's
 * number are the number that the pair had before the exchanges: bits that the exchanges inserted in the number of the
 * lane, then `rest`. The others are the bits that the stages m < s combined. They are in the number of the pair, or
 * in that of the lane after another exchange. */
static size_t group_block(const pair_group *g, size_t size, int s, size_t i, size_t lane) {
    const int exchanges = s < g->log ? g->log : s + 1;
    size_t block = 0;
    for (int m = 0; m < g->log; m++)
        block = 2 * block + (lane >> transform_inserted_bit(m, exchanges, g->width_log, size) & 1);
    block = (block << (g->pairs_log - g->log)) + g->rest;
    for (int m = 0; m < s; m++) {
        const bool in_lane = m + g->log < exchanges;
        const int at =
            in_lane ? transform_inserted_bit(m + g->log, exchanges, g->width_log, size) : g->log - 1 - m % g->log;
        block = 2 * block + ((in_lane ? lane : i) >> at & 1);
    }
    return block;
}

/* Returns true if T[k] differs from U(k) by one quarter turn (ORDER.md 14.1). */
static bool is_turned(size_t k) { return (k ^ k >> 1) & 1; }

/* Changes the sign of number i of a table. */
static void negate(weft_dtype dtype, void *table, size_t i) {
    if (dtype == WEFT_F32)
        ((float *)table)[i] = -((float *)table)[i];
    else
        ((double *)table)[i] = -((double *)table)[i];
}

/* Stores T[k] for a lane of an entry for mixed lanes (mixed_butterfly in kernels/bodies/whole_body.h), of `width`
 * lanes. */
static void put_mixed(const transform_tables *t, weft_dtype dtype, size_t k, size_t width, size_t lane, void *entry) {
    const size_t size = weft_dtype_size(dtype), re = width + lane, im = 2 * width + lane;
    put_parts(t, dtype, k, entry, re, lane);
    put_parts(t, dtype, k, entry, im, lane);
    if (is_turned(k)) negate(dtype, entry, lane);
    if (k % 4 == 3) negate(dtype, entry, re);
    if (k % 4 != 0) negate(dtype, entry, im);
    memset((char *)entry + (3 * width + lane) * size, is_turned(k) ? 0xff : 0, size);
}

/* Fills the twiddles of a group in the order of their use (stages_within in kernels/bodies/whole_body.h). Returns the
 * number of pairs of vectors. With table = NULL it only counts them. */
static size_t put_group(const transform_tables *t, weft_dtype dtype, const pair_group *g, void *table) {
    const size_t width = (size_t)1 << g->width_log, size = weft_dtype_size(dtype);
    const bool mixed = g->pairs_log - g->log < 2;
    size_t used = 0;
    for (int s = 0; s < g->width_log; s++) {
        const size_t pair = (size_t)1 << (g->log - 1 - s % g->log), shared = s < g->log ? pair - 1 : 0;
        const size_t last = s && !mixed ? (size_t)1 << (g->log - 1 - (s - 1) % g->log) : 0;
        for (size_t i = 0; i < (size_t)1 << g->log; i++) {
            if (i & (pair | shared | last)) continue;
            char *const entry = table ? (char *)table + 2 * width * used * size : NULL;
            for (size_t l = 0; table && l < width; l++) {
                const size_t k = group_block(g, size, s, i, l);
                mixed ? put_mixed(t, dtype, k, width, l, entry) : put_parts(t, dtype, k, entry, l, width + l);
            }
            used += mixed ? 2 : 1;
        }
    }
    return used;
}

static weft_status make_group_twiddles(const cpu_context *ctx, transform_tables *t, weft_dtype dtype, int n_log,
                                       transform_plan *plan, weft_error *error) {
    pair_group g = {.width_log = transform_log2(2 * plan->lanes)};
    g.pairs_log = n_log - g.width_log;
    g.log = g.width_log < 3 ? g.width_log : 3;
    if (g.log > g.pairs_log) g.log = g.pairs_log;
    const int rest_log = g.pairs_log - g.log;
    plan->group_pairs = put_group(t, dtype, &g, NULL);
    const size_t bytes = plan->group_pairs * 4 * plan->lanes * weft_dtype_size(dtype);
    RETURN_IF_ERROR(hold(ctx, bytes << rest_log, &plan->group_twiddles, error));
    for (size_t i = 0; i < (size_t)1 << rest_log; i++) {
        g.rest = transform_mirrored(i, rest_log);
        put_group(t, dtype, &g, (char *)plan->group_twiddles + i * bytes);
    }
    return WEFT_OK;
}

/* The vectors of a transform in registers (kernels/bodies/registers_body.h): first * middle blocks of `each` vectors
 * of `lanes` complex numbers. each = 0: no such transform. */
typedef struct register_blocks {
    size_t lanes, first, middle, each;
    bool inverse;
} register_blocks;

/* Divides a transform of 2^n_log values into vectors of `lanes` complex values. size: bytes of a real. */
static register_blocks register_blocks_of(size_t lanes, size_t size, int n_log) {
    const size_t most = 2 * lanes * size == 64 ? REGISTER_VECTORS_V4 : REGISTER_VECTORS;
    const size_t vectors = ((size_t)1 << n_log) / lanes, each = vectors <= most ? 1 : most / lanes;
    const size_t blocks = vectors / each, middle = blocks <= most ? 1 : blocks <= 4 * most ? 4 : blocks / most;
    const bool fits = vectors >= lanes && blocks <= 16 * most; /* as many blocks as lanes are transposed */
    return (register_blocks){.lanes = lanes, .first = blocks / middle, .middle = middle, .each = fits ? each : 0};
}

/* Returns the complex values of a vector for a transform of 2^n_log values in registers, or 0 if there is none.
 * lanes: transform_kernels.lanes. */
static size_t register_lanes(size_t lanes, size_t size, int n_log) {
    const int most = 2 * lanes * size == 64 ? REGISTER_LOG_V4 : REGISTER_LOG;
    for (; n_log >= 4 && n_log <= most && 2 * lanes * size >= 32; lanes /= 2)
        if (register_blocks_of(lanes, size, n_log).each) return lanes;
    return 0;
}

/* Stores T[k] for lane `lane` of an entry of a table (register_butterfly in kernels/bodies/registers_body.h), of
 * `lanes` complex numbers. With `inverse` it is the conjugate. */
static void put_register(const transform_tables *t, weft_dtype dtype, size_t k, size_t lanes, size_t lane,
                         bool inverse, void *entry) {
    const size_t re = 2 * lane, im = re + 1, slope = 2 * (lanes + lane);
    const bool turned = is_turned(k), half = k % 4 == 3;
    put_parts(t, dtype, k, entry, re, slope);
    put_parts(t, dtype, k, entry, im, slope + 1);
    negate(dtype, entry, slope + (turned != inverse));
    if (half || (turned && inverse)) negate(dtype, entry, re);
    if (half || (turned && !inverse)) negate(dtype, entry, im);
}

/* Stores T[k 2^s + q] of all stages s < log2 count and q < 2^s as entries of `lanes` complex numbers, from real
 * number `used` of the table on. k is first[lane], the block of the lane. Returns the reals that are then used. */
static size_t put_stages(const transform_tables *t, weft_dtype dtype, bool inverse, const size_t *first, size_t lanes,
                         size_t count, size_t used, char *table) {
    for (int s = 0; (size_t)1 << s < count; s++)
        for (size_t q = 0; q < (size_t)1 << s; q++, used += 4 * lanes)
            for (size_t l = 0; table && l < lanes; l++)
                put_register(t, dtype, (first[l] << s) + q, lanes, l, inverse, table + used * weft_dtype_size(dtype));
    return used;
}

/* Calls put_stages for block k, which all lanes have. */
static size_t put_block(const transform_tables *t, weft_dtype dtype, const register_blocks *r, size_t k, size_t count,
                        size_t used, char *table) {
    return put_stages(t, dtype, r->inverse, &k, 1, count, used, table);
}

/* Fills the twiddles of a transform in registers: T[q] of the stages that are computed first; those of the stages
 * that divide each of the first blocks; then, for each group of `lanes` blocks, those of the stages between the
 * vectors of each block, and of those within each vector, whose lanes are then blocks. Returns the number of reals.
 * With table = NULL it only counts them. */
static size_t put_registers(const transform_tables *t, weft_dtype dtype, const register_blocks *r, char *table) {
    const size_t groups = r->first * r->middle / r->lanes;
    size_t used = 0, first[16];
    for (size_t q = 0; q < r->first / 2; q++) used = put_block(t, dtype, r, q, 2, used, table);
    for (size_t blocks = r->first, rest = r->middle, count; rest > 1; blocks *= count, rest /= count) {
        count = transform_blocks_of(rest);
        for (size_t k = 0; k < blocks; k++) used = put_block(t, dtype, r, k, count, used, table);
    }
    for (size_t g = 0; g < groups; g++) {
        for (size_t i = 0; i < r->lanes; i++) {
            const size_t block = transform_mirrored(i, transform_log2(r->lanes)) * groups + g;
            used = put_block(t, dtype, r, block, r->each, used, table);
        }
        for (size_t e = 0; e < r->each; e++) {
            for (size_t l = 0; l < r->lanes; l++)
                first[l] = (transform_mirrored(l, transform_log2(r->lanes)) * groups + g) * r->each + e;
            used = put_stages(t, dtype, r->inverse, first, r->lanes, r->lanes, used, table);
        }
    }
    return used;
}

static weft_status make_register_twiddles(const cpu_context *ctx, const transform_tables *t, weft_dtype dtype,
                                          int n_log, transform_plan *plan, weft_error *error) {
    const size_t size = weft_dtype_size(dtype), lanes = register_lanes(plan->lanes, size, n_log);
    if (lanes == 0) return WEFT_OK; /* not TRANSFORM_REGISTERS */
    register_blocks r = register_blocks_of(lanes, size, n_log);
    const size_t bytes = put_registers(t, dtype, &r, NULL) * size;
    void *table;
    RETURN_IF_ERROR(hold(ctx, 2 * bytes, &table, error));
    for (int inverse = 0; inverse < 2; inverse++) {
        r.inverse = inverse;
        plan->register_twiddles[inverse] = (char *)table + (inverse ? bytes : 0);
        put_registers(t, dtype, &r, plan->register_twiddles[inverse]);
    }
    plan->lanes = lanes;
    return WEFT_OK;
}

transform_way cpu_transform_way(const cpu_context *ctx, weft_dtype dtype, int n_log) {
    const size_t n = (size_t)1 << n_log, lanes = transform_kernels_of(ctx->level->transforms, dtype)->lanes;
    if (register_lanes(lanes, weft_dtype_size(dtype), n_log)) return TRANSFORM_REGISTERS;
    if (n < 4 * lanes) return TRANSFORM_PLAIN;
    const size_t most = ctx->threads == 1 ? WHOLE_BYTES_ALONE : ctx->threads < FEW ? WHOLE_BYTES_FEW : WHOLE_BYTES;
    return n * 2 * weft_dtype_size(dtype) <= most ? TRANSFORM_WHOLE : TRANSFORM_PASSES;
}

/* Creates the missing tables of a plan. Tables that exist are kept: a plan that could not be completed can be
 * completed later. */
static weft_status make_plan(const cpu_context *ctx, transform_tables *t, weft_dtype dtype, transform_way way,
                             int n_log, transform_plan *plan, weft_error *error) {
    const size_t n = (size_t)1 << n_log, number = 2 * weft_dtype_size(dtype);
    plan->way = way;
    plan->lanes = transform_kernels_of(ctx->level->transforms, dtype)->lanes;
    plan->rows = way == TRANSFORM_PASSES ? (size_t)1 << n_log / 2 : 1;
    plan->columns = n / plan->rows;
    plan->blocks = plan->rows;
    const size_t first = way == TRANSFORM_PASSES ? plan->rows : way == TRANSFORM_WHOLE ? n / (2 * plan->lanes) : n;
    const size_t count = first > 1 ? first / 2 : 1;
    if (!plan->twiddles) RETURN_IF_ERROR(hold(ctx, count * number, &plan->twiddles, error));
    for (size_t k = 0; k < count; k++) put(t, dtype, k, plan->twiddles, k);
    if (way == TRANSFORM_PASSES && !plan->lane_twiddles)
        RETURN_IF_ERROR(make_lane_twiddles(ctx, t, dtype, plan, error));
    if (way == TRANSFORM_WHOLE && !plan->group_twiddles)
        RETURN_IF_ERROR(make_group_twiddles(ctx, t, dtype, n_log, plan, error));
    if (way == TRANSFORM_REGISTERS && !plan->register_twiddles[0])
        RETURN_IF_ERROR(make_register_twiddles(ctx, t, dtype, n_log, plan, error));
    plan->n = n;
    return WEFT_OK;
}

weft_status cpu_transform_plan(cpu_context *ctx, weft_dtype dtype, transform_way way, int n_log, bool half,
                               const transform_plan **found, weft_error *error) {
    transform_tables *t = ctx->transforms;
    if (t) {
        *found = &t->plans[dtype == WEFT_F64][way][n_log];
        if ((*found)->n && (!half || (*found)->half_twiddles)) return WEFT_OK;
    }
    RETURN_IF_ERROR(find_tables(ctx, &t, error));
    const size_t n = (size_t)1 << n_log;
    transform_plan *plan = &t->plans[dtype == WEFT_F64][way][n_log];
    RETURN_IF_ERROR(reach(ctx, t, n_log, error));
    if (!plan->n) RETURN_IF_ERROR(make_plan(ctx, t, dtype, way, n_log, plan, error));
    if (half && !plan->half_twiddles) {
        void *table;
        RETURN_IF_ERROR(hold(ctx, (n / 2 + 1) * 2 * weft_dtype_size(dtype), &table, error));
        for (size_t f = 0; f <= n / 2; f++) put(t, dtype, transform_mirrored(f, n_log), table, f);
        plan->half_twiddles = table;
    }
    *found = plan;
    return WEFT_OK;
}

/* Returns the bytes of lane_twiddles. */
static size_t lane_bytes(weft_dtype dtype, const transform_plan *plan) {
    return ceil_div(plan->rows, plan->lanes) * plan->tile_twiddles * plan->lanes * 2 * weft_dtype_size(dtype);
}

weft_status cpu_transform_blocks_plan(cpu_context *ctx, const fft_blocks_call *c, const transform_plan **found,
                                      weft_error *error) {
    const int type = c->dtype == WEFT_F64;
    transform_tables *t;
    RETURN_IF_ERROR(find_tables(ctx, &t, error));
    for (size_t i = 0; i < BLOCK_PLANS; i++) {
        const transform_plan *const p = *found = &t->of_blocks[type][i];
        if (p->lane_twiddles && p->blocks == c->blocks && p->columns == c->n && p->first == c->first &&
            p->rows == c->count)
            return WEFT_OK;
    }
    transform_plan *const plan = &t->of_blocks[type][t->next[type]];
    if (plan->lane_twiddles) drop(ctx, lane_bytes(c->dtype, plan), plan->lane_twiddles);
    *plan = (transform_plan){.way = TRANSFORM_PASSES,
                             .rows = c->count,
                             .columns = c->n,
                             .lanes = transform_kernels_of(ctx->level->transforms, c->dtype)->lanes,
                             .blocks = c->blocks,
                             .first = c->first,
                             .in_order = true};
    RETURN_IF_ERROR(reach(ctx, t, transform_log2(c->blocks) + transform_log2(c->n), error));
    RETURN_IF_ERROR(make_lane_twiddles(ctx, t, c->dtype, plan, error));
    t->next[type] = (t->next[type] + 1) % BLOCK_PLANS;
    *found = plan;
    return WEFT_OK;
}
