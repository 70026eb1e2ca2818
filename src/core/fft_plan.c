/* Tables of transforms of any length: made in host memory, then copied to the device. */
#include "core/fft_plan.h"
#include "arith/turns.h"
#include "core/types.h"

#include <stdlib.h>
#include <string.h>

enum { PLANS = 8 }; /* plans that a context keeps */

struct fft_plans {
    fft_plan *plan[PLANS]; /* or NULL */
    size_t next, last;     /* indices of the next plan and of the one that was found last */
};

/* ------------------------------------------------------------------------------------- factors */

/* Returns the largest prime factor of an odd number n > 1. */
static size_t largest_factor(size_t n) {
    for (size_t p = 3; p * p <= n; p += 2)
        while (n > p && n % p == 0) n /= p;
    return n;
}

/* Adds the passes of 14.8, and the tables that they need. */
static void plan_passes(fft_plan *p, size_t *numbers) {
    size_t primes = 0;
    for (size_t s = 1; s < p->m; s *= p->radices[p->passes++].points->p) {
        const size_t factor = largest_factor(p->m / s);
        if (primes == 0 || p->points[primes - 1].p != factor) p->points[primes++].p = factor;
        p->radices[p->passes] = (fft_radix){.s = s, .points = &p->points[primes - 1]};
        p->twiddles[p->passes] = *numbers;
        if (s > 1) *numbers += s * (factor - 1);
    }
    p->factors = *numbers;
    if (p->length > 1) *numbers += p->n;
}

/* Fills all members but the tables; sets *numbers to their complex numbers. Fails if a size overflows. */
static weft_status make_layout(fft_plan *p, size_t *numbers, weft_error *error) {
    size_t bytes;
    RETURN_IF(p->n > SIZE_MAX / 1024, WEFT_INVALID, "fft: the tables of %zu values do not fit in memory", p->n);
    p->length = p->n & -p->n;
    p->m = p->n / p->length;
    *numbers = 0;
    if (largest_factor(p->m) <= FFT_RADIX_MOST) {
        plan_passes(p, numbers);
    } else {
        for (p->padded = 1; p->padded < 2 * p->n - 1;) p->padded *= 2;
        p->filter = p->n;
        *numbers = p->n + p->padded;
    }
    p->half = *numbers;
    if (p->real) *numbers += p->n / 2 + 1;
    bytes = *numbers * 2 * weft_dtype_size(p->dtype);
    p->bytes = bytes ? bytes : 1;
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- the tables */

/* A host copy of the tables, and the circle of 2n numbers from which they are filled. */
typedef struct host_tables {
    weft_dtype dtype;
    weft_circle circle;
    void *tables;
} host_tables;

/* Stores re + i im as complex number `at`. */
static void put_number(const host_tables *t, size_t at, weft_pair re, weft_pair im) {
    if (t->dtype == WEFT_F32) {
        float *const to = (float *)t->tables + 2 * at;
        to[0] = weft_pair_f32(re);
        to[1] = weft_pair_f32(im);
    } else {
        double *const to = (double *)t->tables + 2 * at;
        to[0] = re.hi;
        to[1] = im.hi;
    }
}

/* Stores W(a, b) as complex number `at`; b divides 2n. */
static void put_turn(const host_tables *t, size_t at, uint64_t a, uint64_t b) {
    const weft_turn w = weft_circle_at(&t->circle, a % b * (t->circle.n / b));
    put_number(t, at, w.re, w.im);
}

/* Fills the tables of 14.8. */
static void fill_mixed(const host_tables *t, fft_plan *p) {
    for (size_t i = 1; i < p->passes; i++) {
        const size_t s = p->radices[i].s, radix = p->radices[i].points->p;
        for (size_t c = 1; c < radix; c++)
            for (size_t q = 0; q < s; q++) put_turn(t, p->twiddles[i] + (c - 1) * s + q, c * q, s * radix);
    }
    for (size_t i = 0; p->length > 1 && i < p->n; i++)
        put_turn(t, p->factors + i, i / p->length * (i % p->length), p->n);
}

/* Stores c and t of 14.5 for number f as complex number `at`. */
static void put_half(const host_tables *t, size_t at, uint64_t f) {
    const weft_turn u = weft_turn_upright(weft_circle_at(&t->circle, f), 8 * f >= t->circle.n);
    if (t->dtype == WEFT_F32)
        weft_slope_f32(u, (float *)t->tables + 2 * at, (float *)t->tables + 2 * at + 1);
    else
        weft_slope_f64(u, (double *)t->tables + 2 * at, (double *)t->tables + 2 * at + 1);
}

/* Fills g of 14.10, and h in f64, whose values are zeros. */
static void fill_chirp(const host_tables *t, const fft_plan *p, double *h) {
    size_t square = 0; /* j^2 modulo 2n */
    for (size_t j = 0; j < p->n; square = (square + 2 * j + 1) % (2 * p->n), j++) {
        const weft_turn w = weft_circle_at(&t->circle, square);
        const size_t mirrored = (p->padded - j) % p->padded;
        put_number(t, p->factors + j, w.re, w.im);
        h[2 * j] = h[2 * mirrored] = w.re.hi;
        h[2 * j + 1] = h[2 * mirrored + 1] = 0 - w.im.hi;
    }
}

static void fill_points(const host_tables *t, fft_points *points) {
    for (size_t j = 1; j <= points->p / 2; j++) {
        const weft_turn w = weft_circle_at(&t->circle, j * (t->circle.n / points->p));
        const bool f32 = t->dtype == WEFT_F32;
        points->cosine[j] = f32 ? (double)weft_pair_f32(w.re) : w.re.hi;
        points->sine[j] = f32 ? 0 - (double)weft_pair_f32(w.im) : 0 - w.im.hi;
    }
}

/* Replaces the f64 numbers of h, which are in host memory, by H of 14.10. on_device: as much memory of the device. */
static weft_status transform_filter(weft_context *ctx, size_t padded, double *h, void *on_device, weft_error *error) {
    const size_t bytes = padded * 2 * sizeof *h;
    const fft_call c = {.dtype = WEFT_F64, .kind = WEFT_C2C, .batch = 1, .n = padded, .x = on_device, .y = on_device};
    RETURN_IF_ERROR(ctx->backend->copy(ctx->state, bytes, h, on_device, error));
    RETURN_IF_ERROR(ctx->backend->fft(ctx->state, &c, error));
    return ctx->backend->copy(ctx->state, bytes, on_device, h, error);
}

/* Fills the tables of 14.10. */
static weft_status fill_filter(weft_context *ctx, const fft_plan *p, const host_tables *t, weft_error *error) {
    const size_t bytes = p->padded * 2 * sizeof(double);
    double *const h = calloc(p->padded, 2 * sizeof *h);
    void *on_device;
    weft_error ignored;
    RETURN_IF(!h, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", bytes);
    fill_chirp(t, p, h);
    weft_status status = ctx->backend->alloc(ctx->state, WEFT_DEVICE, bytes, &on_device, error);
    if (status == WEFT_OK) {
        status = transform_filter(ctx, p->padded, h, on_device, error);
        (void)ctx->backend->free(ctx->state, WEFT_DEVICE, on_device, &ignored);
    }
    for (size_t f = 0; f < p->padded; f++)
        put_number(t, p->filter + f, weft_pair_of(h[2 * f], 0), weft_pair_of(h[2 * f + 1], 0));
    free(h);
    return status;
}

/* Fills the tables in host memory and copies them to the device. */
static weft_status fill_plan(weft_context *ctx, fft_plan *p, const host_tables *t, weft_error *error) {
    weft_circle_fill(&t->circle);
    if (p->padded)
        RETURN_IF_ERROR(fill_filter(ctx, p, t, error));
    else
        fill_mixed(t, p);
    for (size_t i = 0; i < FFT_PRIMES_MOST && p->points[i].p; i++) fill_points(t, &p->points[i]);
    for (size_t f = 0; p->real && f <= p->n / 2; f++) put_half(t, p->half + f, f);
    return ctx->backend->copy(ctx->state, p->bytes, t->tables, p->tables, error);
}

/* Allocates the tables of the device and fills them. turns: memory for the circle; near_log: see weft_circle. */
static weft_status make_device_tables(weft_context *ctx, fft_plan *p, weft_turn *turns, int near_log, void *tables,
                                      weft_error *error) {
    const host_tables t = {p->dtype, {2 * p->n, near_log, turns, turns + ((size_t)1 << near_log)}, tables};
    void *on_device;
    RETURN_IF_ERROR(ctx->backend->alloc(ctx->state, WEFT_DEVICE, p->bytes, &on_device, error));
    p->tables = on_device;
    for (size_t i = 1; i < p->passes; i++) p->radices[i].twiddles = fft_table(p, p->twiddles[i]);
    return fill_plan(ctx, p, &t, error);
}

static weft_status make_tables(weft_context *ctx, fft_plan *p, weft_error *error) {
    const int near_log = weft_circle_near_log(2 * p->n);
    const size_t near = (size_t)1 << near_log, far = (p->n >> near_log) + 1;
    weft_turn *const turns = malloc((near + far) * sizeof *turns);
    void *const tables = malloc(p->bytes);
    const weft_status status =
        turns && tables ? make_device_tables(ctx, p, turns, near_log, tables, error)
                        : weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", p->bytes);
    free(turns);
    free(tables);
    return status;
}

/* ----------------------------------------------------------------------------------- the plans */

/* Makes the calls for one transform. */
static void make_calls(const weft_context *ctx, fft_plan *p) {
    const weft_backend *const b = ctx->backend;
    if (p->padded || !b->fft_takes_whole || b->device_only) return;
    for (int i = 0; i < 3; i++)
        p->one[i] = (fft_pass_call){.kind = FFT_RADICES,
                                    .dtype = p->dtype,
                                    .batch = 1,
                                    .n = p->n,
                                    .count = p->passes,
                                    .x_step = 2 * p->n,
                                    .y_step = 2 * p->n,
                                    .whole = true,
                                    .exchange_in = i > 0,
                                    .exchange_out = i > 0,
                                    .scale = i > 0 ? fft_scale(p->dtype, p->m, i == 2) : 0,
                                    .radices = p->radices,
                                    .factors = p->length > 1 ? fft_table(p, p->factors) : NULL};
    p->takes_one = b->fft_takes_whole(ctx->state, &p->one[0]);
}

static void free_plan(weft_context *ctx, fft_plan *p) {
    weft_error ignored;
    if (p && p->tables) (void)ctx->backend->free(ctx->state, WEFT_DEVICE, p->tables, &ignored);
    free(p);
}

static weft_status make_plan(weft_context *ctx, const fft_plan *wanted, fft_plan **made, weft_error *error) {
    fft_plan *const p = malloc(sizeof *p);
    size_t numbers;
    RETURN_IF(!p, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *p);
    *p = *wanted;
    weft_status status = make_layout(p, &numbers, error);
    if (status == WEFT_OK) status = make_tables(ctx, p, error);
    if (status != WEFT_OK) {
        free_plan(ctx, p);
        return status;
    }
    make_calls(ctx, p);
    *made = p;
    return WEFT_OK;
}

/* Returns true if a plan, or NULL, has the tables of a transform. */
static bool serves(const fft_plan *p, weft_dtype dtype, size_t n, bool real) {
    return p && p->n == n && p->dtype == dtype && p->real >= real;
}

/* Makes a plan in place of the oldest one. */
static __attribute__((noinline)) weft_status add_plan(weft_context *ctx, const fft_plan *wanted, fft_plan **plan,
                                                      weft_error *error) {
    fft_plans *const all = ctx->transforms;
    RETURN_IF_ERROR(make_plan(ctx, wanted, plan, error));
    free_plan(ctx, all->plan[all->next]);
    all->plan[all->next] = *plan;
    all->last = all->next;
    all->next = (all->next + 1) % PLANS;
    return WEFT_OK;
}

weft_status fft_find_plan(weft_context *ctx, weft_dtype dtype, size_t n, bool real, fft_plan **plan,
                          weft_error *error) {
    if (!ctx->transforms) ctx->transforms = calloc(1, sizeof *ctx->transforms);
    fft_plans *const all = ctx->transforms;
    RETURN_IF(!all, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *all);
    *plan = all->plan[all->last];
    if (serves(*plan, dtype, n, real)) return WEFT_OK;
    for (size_t i = 0; i < PLANS; i++) {
        *plan = all->plan[i];
        if (!serves(*plan, dtype, n, real)) continue;
        all->last = i;
        return WEFT_OK;
    }
    return add_plan(ctx, &(fft_plan){.dtype = dtype, .n = n, .real = real}, plan, error);
}

void fft_free_plans(weft_context *ctx) {
    for (size_t i = 0; ctx->transforms && i < PLANS; i++) free_plan(ctx, ctx->transforms->plan[i]);
    free(ctx->transforms);
    ctx->transforms = NULL;
}

size_t fft_plan_bytes(const weft_context *ctx) {
    size_t bytes = 0;
    for (size_t i = 0; ctx->transforms && i < PLANS; i++)
        if (ctx->transforms->plan[i]) bytes += ctx->transforms->plan[i]->bytes;
    return bytes;
}
