/* weft_scan on the CPU (ORDER.md 6): which kernel, and several threads.
 *
 * The array is cut in parts of whole tiles that fit in the caches of a core. A thread takes the next
 * part, reads it for the totals of its tiles, waits for its turn, takes the state that the parts before
 * it have left, appends its totals to it for the next, and only then scans its part, which it finds in
 * its cache. Where the elements are a formula's values, a thread computes those of its part into memory of its
 * own. So memory is read once, and only the short middle goes one thread after the other. A thread alone needs no
 * totals: the state goes with it. How large parts are and which thread takes which is free: it changes no bit. */
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/common/scan_state.h"
#include "cpu/runtime/parallel.h"
#include "cpu/runtime/relay.h"

#include <math.h>
#include <string.h>

enum {
    PART_BYTES = 1 << 19,   /* bytes of a part, input plus output */
    STREAM_BYTES = 1 << 25, /* results above this size use nontemporal stores, unless they overwrite the input */
    SCANNED_AT_ONCE = 4096 * SCAN_TILE, /* elements between two checks for cancellation */
    VALUES =
        8 * SCAN_BLOCK /* values of a formula that a single thread computes at a time: they fit in the L1 cache */
};

/* --------------------------------------------------------------------------------- one call */

static size_t part_elements(const scan_call *c) {
    const size_t tile_bytes = SCAN_TILE * (weft_dtype_size(c->dtype) + weft_dtype_size(c->result));
    const size_t tiles = PART_BYTES / tile_bytes;
    return SCAN_TILE * (tiles < SCAN_TILES_MAX ? tiles : SCAN_TILES_MAX);
}

static void scan_alone(const scan_call *c, const scan_kernel *kernel, const scan_params *params) {
    scan_state state;
    kernel->begin(params, &state);
    for (size_t done = 0, n; done < c->n && !cpu_cancelled(); done += n) {
        n = c->n - done < SCANNED_AT_ONCE ? c->n - done : SCANNED_AT_ONCE;
        kernel->scan(params, (const char *)c->x + done * weft_dtype_size(c->dtype), n, &state,
                     (char *)c->y + done * weft_dtype_size(c->result));
    }
}

typedef struct scan_parts {
    const cpu_context *ctx;
    const scan_call *call;
    const scan_kernel *kernel;
    const scan_params *params;
    size_t part;     /* elements per part, except the last */
    scan_state left; /* state after the parts before the one whose turn it is */
} scan_parts;

static void scan_part(void *parts, size_t i, relay *turns) {
    scan_parts *shared = parts;
    const scan_call *c = shared->call;
    const scan_kernel *kernel = shared->kernel;
    const scan_params *params = shared->params;
    const size_t part = shared->part;
    char *y = (char *)c->y + i * part * weft_dtype_size(c->result);
    const size_t left = c->n - i * part, n = left < part ? left : part;
    const bool last = left <= part;
    scan_totals totals;
    const void *x;
    if (c->map) {
        const map_values v = cpu_map_values(shared->ctx, c->map, part);
        x = cpu_map_evaluate(&v, i * part, n);
    } else {
        x = (const char *)c->x + i * part * weft_dtype_size(c->dtype);
    }
    if (!last) kernel->totals(params, x, part / SCAN_TILE, &totals);
    relay_wait(turns, i);
    scan_state state = shared->left;
    if (!last) kernel->pass(&totals, part / SCAN_TILE, &shared->left);
    relay_pass(turns, i);
    kernel->scan(params, x, n, &state, y);
}

/* Scans all values of a formula on one thread. */
static void scan_values(void *parts, size_t i, relay *turns) {
    scan_parts *shared = parts;
    const scan_call *c = shared->call;
    const map_values v = cpu_map_values(shared->ctx, c->map, VALUES);
    (void)i, (void)turns;
    for (size_t done = 0; done < c->n && !cpu_cancelled(); done += VALUES) {
        const size_t n = c->n - done < VALUES ? c->n - done : VALUES;
        char *y = (char *)c->y + done * weft_dtype_size(c->result);
        shared->kernel->scan(shared->params, cpu_map_evaluate(&v, done, n), n, &shared->left, y);
    }
}

static void scan_in_parts(const cpu_context *ctx, const scan_call *c, const scan_kernel *kernel,
                          const scan_params *params, int threads) {
    scan_parts shared = {.ctx = ctx, .call = c, .kernel = kernel, .params = params, .part = part_elements(c)};
    kernel->begin(params, &shared.left);
    if (threads == 1)
        relay_run(1, 1, scan_values, &shared);
    else
        relay_run(threads, ceil_div(c->n, shared.part), scan_part, &shared);
}

/* ----------------------------------------------------------------------- choice of the kernel */

/* Returns the unsigned integer type of equal size: most kernels do not depend on the sign. */
static weft_dtype without_sign(weft_dtype dtype) {
    return type_is_signed(dtype) ? (weft_dtype)(dtype - WEFT_I8 + WEFT_U8) : dtype;
}

static const scan_kernel *find_kernel(const scan_kernels *kernels, const scan_call *c) {
    const weft_dtype dtype = without_sign(c->dtype);
    const bool single = type_is_half(c->dtype) && c->result == WEFT_F32, wide = c->result != c->dtype && !single;
    switch (c->op) {
    case WEFT_SUM:
        if (single) return &kernels->single_sum[dtype];
        return wide ? &kernels->wide_sum[c->dtype] : &kernels->sum[dtype];
    case WEFT_PROD:
        if (single) return &kernels->single_prod[dtype];
        return wide ? &kernels->wide_prod[c->dtype] : &kernels->prod[dtype];
    case WEFT_MIN:
    case WEFT_MAX: return &kernels->highest[dtype];
    case WEFT_AND:
    case WEFT_OR: return &kernels->bits_or[dtype];
    default: return &kernels->bits_xor[dtype];
    }
}

/* Returns the XOR mask that turns a minimum into a maximum and an AND into an OR, and that orders unsigned integers
 * like signed ones. */
static uint64_t xor_mask(const scan_call *c) {
    const bool order = c->op == WEFT_MIN || c->op == WEFT_MAX;
    const uint64_t sign = (uint64_t)1 << (8 * weft_dtype_size(c->dtype) - 1);
    const uint64_t other_sign = order && !type_is_signed(c->dtype) && !type_is_real(c->dtype) ? sign : 0;
    return c->op == WEFT_MIN || c->op == WEFT_AND ? ~other_sign : other_sign;
}

/* Returns the initial value of a minimum or maximum of floats. */
static const void *infinity_of(weft_dtype dtype, bool negative) {
    static const uint16_t f16[] = {0x7c00, 0xfc00}, bf16[] = {0x7f80, 0xff80};
    static const float f32[] = {INFINITY, -INFINITY};
    static const double f64[] = {INFINITY, -INFINITY};
    switch (dtype) {
    case WEFT_F16: return &f16[negative];
    case WEFT_BF16: return &bf16[negative];
    case WEFT_F32: return &f32[negative];
    default: return &f64[negative];
    }
}

static uint64_t nan_of(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_F16: return WEFT_NAN_F16;
    case WEFT_BF16: return WEFT_NAN_BF16;
    case WEFT_F32: return WEFT_NAN_F32;
    default: return WEFT_NAN_F64;
    }
}

const scan_kernel *cpu_scan_kernel(const cpu_context *ctx, const scan_call *c, scan_params *params) {
    const bool order = c->op == WEFT_MIN || c->op == WEFT_MAX;
    const weft_dtype combined = !order && type_is_half(c->result) ? WEFT_F32 : c->result;
    *params = (scan_params){.init = c->init, .xor_mask = xor_mask(c), .exclusive = c->kind == WEFT_EXCLUSIVE};
    params->nan = nan_of(combined);
    params->infinity = type_infinity(combined);
    if (!c->init && order && type_is_real(c->dtype)) params->init = infinity_of(c->dtype, c->op == WEFT_MAX);
    return find_kernel(ctx->level->scans, c);
}

/* Both structs have the same members. */
const scan_column_kernel *cpu_scan_column_kernel(const cpu_context *ctx, const scan_kernel *kernel) {
    const scan_kernel *const first = (const void *)ctx->level->scans;
    return (const scan_column_kernel *)(const void *)ctx->level->scan_columns + (kernel - first);
}

/* Parameters of scan_totals, which computes only the totals of all tiles. */
typedef struct totals_params {
    const scan_totals_call *call;
    const scan_kernel *kernel;
    const scan_params *params;
} totals_params;

enum { TOTALS_PART = SCAN_TILES_MAX * SCAN_TILE };

static void find_part_totals(void *self, size_t i) {
    const totals_params *t = self;
    const scan_totals_call *c = t->call;
    const size_t in = weft_dtype_size(c->dtype), out = weft_dtype_size(c->result);
    const size_t tiles = min_u64(c->blocks - i * SCAN_TILES_MAX, SCAN_TILES_MAX);
    scan_totals totals;
    t->kernel->totals(t->params, (const char *)c->x + i * TOTALS_PART * in, tiles, &totals);
    memcpy((char *)c->totals + i * SCAN_TILES_MAX * out, &totals, tiles * out);
}

weft_status cpu_scan_totals(void *state, const scan_totals_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    const scan_call scan = {.op = c->op, .dtype = c->dtype, .result = c->result};
    scan_params params;
    const scan_kernel *kernel = cpu_scan_kernel(ctx, &scan, &params);
    (void)error;
    cpu_parallel_for(ctx->threads, ceil_div(c->blocks, SCAN_TILES_MAX), PARALLEL_IN_ORDER, find_part_totals,
                     &(totals_params){c, kernel, &params});
    return WEFT_OK;
}

weft_status cpu_scan(void *state, const scan_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t bytes = c->n * (weft_dtype_size(c->dtype) + weft_dtype_size(c->result));
    const int threads = cpu_threads_for(ctx->threads, bytes);
    scan_params params;
    const scan_kernel *kernel = cpu_scan_kernel(ctx, c, &params);
    const bool in_place = c->map ? cpu_map_reads(c->map, c->y) : c->x == c->y;
    if (c->map) RETURN_IF_ERROR(cpu_map_hold_values(ctx, c->map, threads == 1 ? VALUES : part_elements(c), error));
    cpu_plan_regions(1);
    params.streams = !in_place && c->n * weft_dtype_size(c->result) > STREAM_BYTES;
    if (threads == 1 && !c->map)
        scan_alone(c, kernel, &params);
    else
        scan_in_parts(ctx, c, kernel, &params, threads);
    /* The sum starts from -0.0, but the empty sum is +0.0. */
    if (c->op == WEFT_SUM && params.exclusive && !c->init) memset(c->y, 0, weft_dtype_size(c->result));
    return WEFT_OK;
}
