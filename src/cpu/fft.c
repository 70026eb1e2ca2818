/* weft_fft on the CPU (ORDER.md 14). Either all threads share each transform, or each thread computes whole
 * transforms. */
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

/* One call. x_step and y_step: distance of consecutive arrays in reals. */
typedef struct fft_work {
    const fft_call *call;
    const transform_kernels *kernels;
    /* Plan for n values, or for n/2 if one side is real; NULL for one real value. */
    const transform_plan *plan;
    size_t size, x_step, y_step;
    char *workspace;
    size_t between_bytes,
        buffer_bytes; /* bytes of the intermediate array of a transform, and of the buffer of a tile */
} fft_work;

enum { UNINTERRUPTED = 1 << SHORT_LOG }; /* values between two checks for cancellation, at least */

static bool is_real(const fft_call *c) { return c->kind >= WEFT_R2C; }

/* Returns the parameters that all transforms of the call share. */
static transform_pass pass_of(const fft_work *w) {
    const bool inverse = w->call->kind == WEFT_C2C_INVERSE || w->call->kind == WEFT_C2R;
    return (transform_pass){.plan = w->plan, .inverse = inverse, .scale = inverse ? 1 / (double)w->call->n : 1};
}

typedef void transform_kernel(const transform_pass *p);

/* Returns the kernel of a way that has no passes. */
static transform_kernel *kernel_of(const transform_kernels *kernels, transform_way way) {
    return way == TRANSFORM_REGISTERS ? kernels->registers : way == TRANSFORM_WHOLE ? kernels->whole : kernels->plain;
}

/* Transforms the array of x to y, or the arrays [p->from, p->to) of a batch of complex transforms that do not need
 * two passes. `between` is the intermediate array between the passes. Overwrites the arrays of *p. */
static void transform(const fft_work *w, transform_pass *p, const void *x, void *y, void *between,
                      const transform_team *team) {
    p->x = x;
    if (w->call->kind == WEFT_C2R) {
        p->y = between;
        w->kernels->combine(p);
        p->x = between;
    }
    if (w->plan->way == TRANSFORM_PASSES) {
        p->y = between;
        transform_run(w->kernels->columns, p, true, team);
        p->x = between;
        p->y = y;
        transform_run(w->kernels->rows, p, false, team);
    } else {
        p->y = y;
        p->buffer = team->buffers;
        kernel_of(w->kernels, w->plan->way)(p);
    }
    if (w->call->kind == WEFT_R2C) {
        p->x = y;
        w->kernels->split(p);
    }
}

/* Transforms one real value (n = 1), as a complex value. */
static void transform_one_value(const fft_work *w, const void *x, void *y) {
    double number[2] = {0, 0}, result[2] = {0, 0};
    memcpy(number, x, w->size);
    w->kernels->plain(&(transform_pass){.plan = w->plan, .scale = 1, .x = number, .y = result, .to = 1});
    memcpy(y, result, w->call->kind == WEFT_R2C ? 2 * w->size : w->size);
}

static void transform_number(const fft_work *w, transform_pass *p, size_t b, void *between,
                             const transform_team *team) {
    const char *x = (const char *)w->call->x + b * w->x_step * w->size;
    char *y = (char *)w->call->y + b * w->y_step * w->size;
    p->from = 0;
    p->to = 1;
    if (is_real(w->call) && w->call->n == 1)
        transform_one_value(w, x, y);
    else
        transform(w, p, x, y, between, team);
}

/* Transforms [first, end) of the batch on one thread, in workspace number `part`. */
static void transform_range(const fft_work *w, size_t first, size_t end, size_t part) {
    transform_pass p = pass_of(w);
    char *between = w->workspace + part * (w->between_bytes + w->buffer_bytes);
    const transform_team alone = {1, between + w->between_bytes, w->buffer_bytes};
    if (!is_real(w->call) && w->plan->way != TRANSFORM_PASSES) {
        p.from = first;
        p.to = end;
        transform(w, &p, w->call->x, w->call->y, between, &alone);
    } else
        for (size_t b = first; b < end; b++) transform_number(w, &p, b, between, &alone);
}

/* Transforms part `part` of the batch on one thread. */
static void transform_part(void *self, int part, int parts) {
    const fft_work *w = self;
    const size_t from = w->call->batch / (size_t)parts * (size_t)part, rest = w->call->batch % (size_t)parts;
    const size_t first = from + ((size_t)part < rest ? (size_t)part : rest);
    const size_t end = first + w->call->batch / (size_t)parts + ((size_t)part < rest);
    const size_t at_once = UNINTERRUPTED / w->call->n + 1; /* transforms between two checks for cancellation */
    for (size_t b = first, stop; b < end && !cpu_cancelled(); b = stop) {
        stop = end - b < at_once ? end : b + at_once;
        transform_range(w, b, stop, (size_t)part);
    }
}

/* Returns true for a call that is too short for several threads, for two passes and for a check for cancellation. */
static bool is_short(const fft_call *c) {
    return c->n <= UNINTERRUPTED && c->batch <= UNINTERRUPTED && c->batch * c->n <= UNINTERRUPTED;
}

/* Finds or creates the plan of a short call for 2^log complex values; with `half`, including half_twiddles. Its way
 * does not depend on the number of threads. */
static inline weft_status find_short_plan(cpu_context *ctx, weft_dtype dtype, int log, bool half,
                                          const transform_plan **plan, weft_error *error) {
    const int type = dtype == WEFT_F64;
    *plan = ctx->transforms ? ctx->transforms->of_short[type][log] : NULL;
    if (*plan && (!half || (*plan)->half_twiddles)) return WEFT_OK;
    const transform_way way = cpu_transform_way(ctx, dtype, log);
    RETURN_IF_ERROR(cpu_transform_plan(ctx, dtype, way, log, half, plan, error));
    ctx->transforms->of_short[type][log] = *plan;
    return WEFT_OK;
}

/* Computes a short call. Its fixed cost is a large part of the time of one transform. */
static inline weft_status transform_short(cpu_context *ctx, const fft_call *c, weft_error *error) {
    const transform_kernels *kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    const bool inverse = c->kind == WEFT_C2C_INVERSE;
    transform_pass p = {.inverse = inverse, .scale = inverse ? 1 / (double)c->n : 1, .x = c->x, .to = c->batch};
    RETURN_IF_ERROR(find_short_plan(ctx, c->dtype, transform_log2(c->n), false, &p.plan, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, 2 * sizeof(double) * c->n, &p.buffer, error));
    p.y = c->y; /* not with x: GCC would copy both as a vector, which waits for the caller's two stores */
    kernel_of(kernels, p.plan->way)(&p);
    return WEFT_OK;
}

/* Sets the members of a call's work that neither its plan nor the workspace determines. */
static void describe(const cpu_context *ctx, const fft_call *c, fft_work *w) {
    const size_t half = 2 * (c->n / 2 + 1);
    *w = (fft_work){.call = c,
                    .kernels = transform_kernels_of(ctx->level->transforms, c->dtype),
                    .size = weft_dtype_size(c->dtype),
                    .x_step = c->kind == WEFT_R2C   ? c->n
                              : c->kind == WEFT_C2R ? half
                                                    : 2 * c->n,
                    .y_step = c->kind == WEFT_C2R   ? c->n
                              : c->kind == WEFT_R2C ? half
                                                    : 2 * c->n};
}

/* Computes a short call of real transforms, n > 1. */
static __attribute__((noinline)) weft_status transform_short_reals(cpu_context *ctx, const fft_call *c,
                                                                   weft_error *error) {
    const size_t bytes =
        (c->n * sizeof(double) + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT; /* n/2 numbers */
    fft_work w;
    void *workspace;
    describe(ctx, c, &w);
    RETURN_IF_ERROR(find_short_plan(ctx, c->dtype, transform_log2(c->n) - 1, true, &w.plan, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, 2 * bytes, &workspace, error));
    const transform_team alone = {1, (char *)workspace + bytes, bytes};
    transform_pass p = pass_of(&w);
    for (size_t b = 0; b < c->batch; b++) transform_number(&w, &p, b, workspace, &alone);
    return WEFT_OK;
}

/* Computes any other call. Not inlined, so that short calls need no memory for its variables. */
static __attribute__((noinline)) weft_status transform_long(cpu_context *ctx, const fft_call *c, weft_error *error) {
    const size_t complex_values = is_real(c) && c->n > 1 ? c->n / 2 : c->n;
    const int log = transform_log2(complex_values);
    fft_work w;
    describe(ctx, c, &w);
    const transform_way way = cpu_transform_way(ctx, c->dtype, log);
    RETURN_IF_ERROR(cpu_transform_plan(ctx, c->dtype, way, log, is_real(c), &w.plan, error));
    const bool needs_between = way == TRANSFORM_PASSES || c->kind == WEFT_C2R;
    w.between_bytes = needs_between ? (2 * complex_values * w.size + 63) / 64 * 64 : 0;
    w.buffer_bytes = transform_buffer_bytes(w.plan, c->dtype);
    const int threads = transform_threads(ctx, saturated_product(c->batch, w.x_step * w.size));
    const bool apart = c->batch >= (size_t)threads || way != TRANSFORM_PASSES;
    const size_t betweens = apart ? (size_t)threads : 1;
    void *workspace;
    RETURN_IF_ERROR(
        cpu_workspace(ctx, betweens * w.between_bytes + (size_t)threads * w.buffer_bytes, &workspace, error));
    w.workspace = workspace;
    if (apart) {
        transform_share(threads, transform_part, &w);
        return WEFT_OK;
    }
    const transform_team team = {threads, w.workspace + w.between_bytes, w.buffer_bytes};
    transform_pass p = pass_of(&w);
    for (size_t b = 0; b < c->batch && !cpu_cancelled(); b++) transform_number(&w, &p, b, w.workspace, &team);
    return WEFT_OK;
}

weft_status cpu_fft(void *state, const fft_call *c, weft_error *error) {
    if (!is_short(c)) return transform_long(state, c, error);
    if (!is_real(c)) return transform_short(state, c, error);
    return c->n > 1 ? transform_short_reals(state, c, error) : transform_long(state, c, error);
}
