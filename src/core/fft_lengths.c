/* Transforms of any length (ORDER.md 14.7 to 14.11): sequences of the backend's passes and of its transforms of 2^k
 * values. */
#include "core/fft_lengths.h"
#include "core/check.h"
#include "core/fft_plan.h"

/* Most bytes of a buffer, unless one transform is longer. On a CPU both should stay in its caches. */
static const size_t HOST_BYTES = (size_t)1 << 18, DEVICE_BYTES = (size_t)1 << 27;

/* Arrays of complex numbers, or of real ones at one end of a real transform. step: distance of arrays, in reals. */
typedef struct arrays {
    char *p;
    size_t step;
} arrays;

/* A part of the batch of a call. */
typedef struct params {
    weft_context *ctx;
    fft_plan *plan;
    weft_dtype dtype;
    size_t batch;
    bool inverse, even, odd; /* even, odd: the length of a real transform */
    arrays buffer[2];
} params;

/* Runs a call, after setting its type and batch. */
static weft_status run_pass(const params *j, fft_pass_call *c, weft_error *error) {
    c->dtype = j->dtype;
    c->batch = j->batch;
    return j->ctx->backend->fft_pass(j->ctx->state, c, error);
}

/* Returns the buffer that does not contain x. */
static arrays other_buffer(const params *j, arrays x) { return j->buffer[x.p == j->buffer[0].p]; }

/* The factor of an inverse transform, or 0. */
static double scale_of(const params *j, size_t divisor) {
    return j->inverse ? fft_scale(j->dtype, divisor, j->even) : 0;
}

/* ------------------------------------------------------------------------------- mixed radices */

/* Returns how many passes, from pass `first` on, the backend computes in one call. */
static size_t passes_at_once(const params *j, size_t first) {
    const weft_backend *const b = j->ctx->backend;
    return b->fft_radices ? b->fft_radices(j->plan->n, j->plan->passes - first, j->plan->radices + first) : 1;
}

/* Returns how many calls of the backend compute all passes. */
static size_t count_calls(const params *j) {
    size_t calls = 0;
    for (size_t i = 0; i < j->plan->passes; i += passes_at_once(j, i)) calls++;
    return calls;
}

/* Describes `count` of the passes, from pass `first` on. */
static void set_radices(const params *j, size_t first, size_t count, arrays x, arrays y, fft_pass_call *c) {
    const fft_plan *const p = j->plan;
    const bool last = first + count == p->passes;
    *c = (fft_pass_call){.kind = FFT_RADICES,
                         .dtype = j->dtype,
                         .n = p->n,
                         .count = count,
                         .x = x.p,
                         .y = y.p,
                         .x_step = x.step,
                         .y_step = y.step,
                         .exchange_in = first == 0 && j->inverse,
                         .exchange_out = last && j->inverse,
                         .scale = last ? scale_of(j, p->m) : 0,
                         .radices = p->radices + first,
                         .factors = last && p->length > 1 ? fft_table(p, p->factors) : NULL};
}

/* The transform of 14.8. */
static weft_status mix_radices(const params *j, arrays x, arrays y, weft_error *error) {
    const fft_plan *const p = j->plan;
    fft_pass_call c;
    for (size_t i = 0, count; i < p->passes; i += count) {
        count = passes_at_once(j, i);
        const arrays to = i + count == p->passes && p->length == 1 ? y : other_buffer(j, x);
        set_radices(j, i, count, x, to, &c);
        RETURN_IF_ERROR(run_pass(j, &c, error));
        x = to;
    }
    if (p->length == 1) return WEFT_OK;
    c = (fft_pass_call){.kind = FFT_ROWS,
                        .n = p->n,
                        .count = p->m,
                        .x = x.p,
                        .y = y.p,
                        .x_step = x.step,
                        .y_step = y.step,
                        .inverse = j->inverse};
    return run_pass(j, &c, error);
}

/* ------------------------------------------------------------------------- large prime factors */

/* Multiplies the n numbers of each array of x by factors, followed by zeros up to `count` numbers. */
static weft_status multiply(const params *j, fft_pass_call c, arrays x, arrays y, size_t factors, weft_error *error) {
    c.kind = FFT_PRODUCT;
    c.x = x.p;
    c.y = y.p;
    c.x_step = x.step;
    c.y_step = y.step;
    c.factors = fft_table(j->plan, factors);
    return run_pass(j, &c, error);
}

/* Transforms the buffers of M numbers in place. */
static weft_status transform_padded(const params *j, weft_fft_kind kind, arrays z, weft_error *error) {
    const fft_call c = {.dtype = j->dtype, .kind = kind, .batch = j->batch, .n = j->plan->padded, .x = z.p, .y = z.p};
    return j->ctx->backend->fft(j->ctx->state, &c, error);
}

/* The transform of 14.10. */
static weft_status convolve_chirp(const params *j, arrays x, arrays y, weft_error *error) {
    const fft_plan *const p = j->plan;
    const arrays z = other_buffer(j, x);
    const fft_pass_call first = {.n = p->n, .count = p->padded, .exchange_in = j->inverse};
    const fft_pass_call product = {.n = p->padded, .count = p->padded};
    const fft_pass_call last = {.n = p->n, .count = p->n, .exchange_out = j->inverse, .scale = scale_of(j, p->n)};
    RETURN_IF_ERROR(multiply(j, first, x, z, p->factors, error));
    RETURN_IF_ERROR(transform_padded(j, WEFT_C2C, z, error));
    RETURN_IF_ERROR(multiply(j, product, z, z, p->filter, error));
    RETURN_IF_ERROR(transform_padded(j, WEFT_C2C_INVERSE, z, error));
    return multiply(j, last, z, y, p->factors, error);
}

/* ------------------------------------------------------------------------------ the whole call */

/* Sets the call that computes 14.8 or 14.10 as a whole. Returns false if the backend does not compute it in one call.
 */
static bool takes_whole(const params *j, arrays x, arrays y, fft_pass_call *c) {
    const weft_backend *const b = j->ctx->backend;
    const fft_plan *const p = j->plan;
    set_radices(j, 0, p->passes, x, y, c);
    c->batch = j->batch;
    c->whole = !p->padded;
    if (p->padded) {
        c->kind = FFT_CHIRP;
        c->count = p->padded;
        c->exchange_in = c->exchange_out = j->inverse;
        c->scale = scale_of(j, p->n);
        c->factors = fft_table(p, p->factors);
        c->filter = fft_table(p, p->filter);
    }
    return b->fft_takes_whole && b->fft_takes_whole(j->ctx->state, c);
}

/* Transforms one array by a call that its plan contains. kind: index of the call. */
static weft_status transform_one(weft_context *ctx, fft_plan *p, size_t kind, const void *x, void *y,
                                 weft_error *error) {
    p->one[kind].x = x;
    p->one[kind].y = y;
    return ctx->backend->fft_pass(ctx->state, &p->one[kind], error);
}

/* Converts between the real or complex numbers of a real transform and those of the complex one. */
static weft_status convert(const params *j, fft_pass_kind kind, arrays x, arrays y, weft_error *error) {
    fft_pass_call c = {.kind = kind,
                       .n = j->plan->n,
                       .x = x.p,
                       .y = y.p,
                       .x_step = x.step,
                       .y_step = y.step,
                       .to_real = j->inverse,
                       .factors = j->even ? fft_table(j->plan, j->plan->half) : NULL};
    return run_pass(j, &c, error);
}

/* Transforms the arrays of x to those of y. */
static weft_status transform(const params *j, arrays x, arrays y, weft_error *error) {
    arrays from = x, to = j->odd ? j->buffer[0] : y;
    if (j->odd || (j->even && j->inverse)) {
        from = j->buffer[1];
        RETURN_IF_ERROR(convert(j, j->odd ? FFT_EXTEND : FFT_COMBINE, x, from, error));
    }
    /* The calls of 14.8 write the two buffers in turn. */
    if (j->odd && !j->plan->padded && count_calls(j) % 2 == 0) to = j->buffer[1];
    fft_pass_call c;
    const size_t kind = !j->inverse ? 0 : j->even ? 2 : 1;
    RETURN_IF_ERROR(j->batch == 1 && j->plan->takes_one ? transform_one(j->ctx, j->plan, kind, from.p, to.p, error)
                    : takes_whole(j, from, to, &c)      ? run_pass(j, &c, error)
                    : j->plan->padded                   ? convolve_chirp(j, from, to, error)
                                                        : mix_radices(j, from, to, error));
    if (j->odd) return convert(j, FFT_REDUCE, to, y, error);
    return j->even && !j->inverse ? convert(j, FFT_SPLIT, y, y, error) : WEFT_OK;
}

/* Returns the reals of an array of x, or of y. */
static size_t reals_of(const fft_call *c, weft_fft_kind real, weft_fft_kind half) {
    return c->kind == real ? c->n : c->kind == half ? 2 * (c->n / 2 + 1) : 2 * c->n;
}

/* Computes the call in parts of the batch whose scratch arrays have limited sizes. */
static weft_status run_parts(params *j, const fft_call *c, weft_error *error) {
    weft_context *const ctx = j->ctx;
    weft_watch *const watch = context_watch();
    const size_t size = weft_dtype_size(c->dtype), most = ctx->backend->device_only ? DEVICE_BYTES : HOST_BYTES;
    const size_t numbers = j->plan->padded ? j->plan->padded : j->plan->n, bytes = 2 * size * numbers;
    const size_t part = c->batch == 1 ? 1 : (size_t)min_u64(c->batch, max_u64(most / bytes, 1));
    void *scratch;
    RETURN_IF_ERROR(context_scratch(ctx, SCRATCH_FFT, saturated_product(2 * part, bytes), &scratch, error));
    for (size_t i = 0; i < 2; i++) j->buffer[i] = (arrays){(char *)scratch + i * part * bytes, 2 * numbers};
    const size_t x_step = reals_of(c, WEFT_R2C, WEFT_C2R), y_step = reals_of(c, WEFT_C2R, WEFT_R2C);
    progress_plan(watch, part == c->batch ? 1 : (size_t)ceil_div(c->batch, part));
    for (size_t first = 0; first < c->batch; first += part) {
        j->batch = (size_t)min_u64(part, c->batch - first);
        const arrays x = {(char *)c->x + first * x_step * size, x_step};
        const arrays y = {(char *)c->y + first * y_step * size, y_step};
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, transform(j, x, y, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}

static weft_status run(weft_context *ctx, const fft_call *c, weft_error *error) {
    const bool real = c->kind == WEFT_R2C || c->kind == WEFT_C2R, even = real && c->n % 2 == 0;
    params j = {.ctx = ctx, .dtype = c->dtype, .batch = c->batch, .even = even, .odd = real && !even};
    j.inverse = c->kind == WEFT_C2C_INVERSE || c->kind == WEFT_C2R;
    RETURN_IF_ERROR(fft_find_plan(ctx, c->dtype, even ? c->n / 2 : c->n, even, &j.plan, error));
    if (!real) {
        /* The backend divides the call itself, and needs no buffers. */
        fft_pass_call whole;
        const arrays x = {(char *)c->x, 2 * c->n}, y = {c->y, 2 * c->n};
        if (takes_whole(&j, x, y, &whole)) return run_pass(&j, &whole, error);
    }
    return run_parts(&j, c, error);
}

/* Computes a call of another length. Not inlined, so that powers of two need no memory for its variables. */
static __attribute__((noinline)) weft_status compute_other(weft_context *ctx, const fft_call *c, weft_error *error) {
    if (c->batch != 1 || c->kind > WEFT_C2C_INVERSE) return run(ctx, c, error);
    fft_plan *plan;
    RETURN_IF_ERROR(fft_find_plan(ctx, c->dtype, c->n, false, &plan, error));
    return plan->takes_one ? transform_one(ctx, plan, c->kind == WEFT_C2C_INVERSE, c->x, c->y, error)
                           : run(ctx, c, error);
}

static weft_status compute(weft_context *ctx, const fft_call *c, weft_error *error) {
    const bool power = (c->n & (c->n - 1)) == 0;
    return power || !ctx->backend->fft_pass ? ctx->backend->fft(ctx->state, c, error) : compute_other(ctx, c, error);
}

/* ------------------------------------------------------------------------------------- the batch */

/* Returns how many arrays of the batch are computed together. A GPU copies arrays in host memory in parts, which
 * limits the memory that they take there, and the time until a cancelled call returns. */
static size_t arrays_together(const weft_context *ctx, const fft_call *c, size_t bytes) {
    const weft_backend *const b = ctx->backend;
    if (c->batch <= DEVICE_BYTES / bytes || (b->device_only(c->x) && b->device_only(c->y))) return c->batch;
    return (size_t)max_u64(DEVICE_BYTES / bytes, 1);
}

/* Computes several transforms on a GPU. Not inlined, so that other calls need no memory for its variables. */
static __attribute__((noinline)) weft_status run_batch(weft_context *ctx, const fft_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    const size_t x_bytes = reals_of(c, WEFT_R2C, WEFT_C2R) * size, y_bytes = reals_of(c, WEFT_C2R, WEFT_R2C) * size;
    const size_t part = arrays_together(ctx, c, (size_t)max_u64(x_bytes, y_bytes));
    if (part == c->batch) return compute(ctx, c, error);
    weft_watch *const watch = context_watch();
    progress_plan(watch, ceil_div(c->batch, part));
    for (size_t first = 0; first < c->batch; first += part) {
        fft_call arrays = *c;
        arrays.batch = (size_t)min_u64(part, c->batch - first);
        arrays.x = (const char *)c->x + first * x_bytes;
        arrays.y = (char *)c->y + first * y_bytes;
        RETURN_IF_ERROR(progress_begin(watch, error));
        RETURN_IF_ERROR(progress_end(watch, compute(ctx, &arrays, error), error));
        progress_advance(watch, 1);
    }
    return WEFT_OK;
}

weft_status fft_run(weft_context *ctx, const fft_call *c, weft_error *error) {
    return c->batch <= 1 || !ctx->backend->device_only ? compute(ctx, c, error) : run_batch(ctx, c, error);
}
