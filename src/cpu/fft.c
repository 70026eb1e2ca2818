/* weft_fft on the CPU (ORDER.md 14). Either all threads share each transform, or each thread computes whole
 * transforms. */
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

enum { UNINTERRUPTED = 1 << 12 }; /* values between two checks for cancellation, at least */

static bool is_real(const fft_call *c) { return c->kind >= WEFT_R2C; }

/* Returns the parameters of a transform without its addresses. */
static transform_pass pass_of(const fft_work *w) {
    const bool inverse = w->call->kind == WEFT_C2C_INVERSE || w->call->kind == WEFT_C2R;
    return (transform_pass){.plan = w->plan, .inverse = inverse, .scale = inverse ? 1 / (double)w->call->n : 1};
}

/* Transforms x to y. `between` is the intermediate array between the passes. Sets the addresses in *p: a copy of
 * the structure would wait for the stores of its members. */
static void transform(const fft_work *w, transform_pass *p, const void *x, void *y, void *between,
                      const transform_team *team) {
    p->x = x;
    p->y = between;
    if (w->call->kind == WEFT_C2R) {
        w->kernels->combine(p);
        p->x = between;
    }
    if (w->plan->way == TRANSFORM_PASSES) {
        transform_run(w->kernels->columns, p, true, team);
        p->x = between;
        p->y = y;
        transform_run(w->kernels->rows, p, false, team);
    } else {
        p->y = y;
        p->buffer = team->buffers;
        (w->plan->way == TRANSFORM_WHOLE ? w->kernels->whole : w->kernels->plain)(p);
    }
    p->x = p->y = y;
    if (w->call->kind == WEFT_R2C) w->kernels->split(p);
}

/* Transforms one real value (n = 1), as a complex value. */
static void transform_one_value(const fft_work *w, const void *x, void *y, const transform_team *team) {
    double number[2] = {0, 0}, result[2] = {0, 0};
    memcpy(number, x, w->size);
    w->kernels->plain(
        &(transform_pass){.plan = w->plan, .scale = 1, .x = number, .y = result, .buffer = team->buffers});
    memcpy(y, result, w->call->kind == WEFT_R2C ? 2 * w->size : w->size);
}

static void transform_number(const fft_work *w, transform_pass *p, size_t b, void *between,
                             const transform_team *team) {
    const char *x = (const char *)w->call->x + b * w->x_step * w->size;
    char *y = (char *)w->call->y + b * w->y_step * w->size;
    if (is_real(w->call) && w->call->n == 1)
        transform_one_value(w, x, y, team);
    else
        transform(w, p, x, y, between, team);
}

/* Transforms part `part` of the batch on one thread. */
static void transform_part(void *self, int part, int parts) {
    const fft_work *w = self;
    transform_pass p = pass_of(w);
    char *between = w->workspace + (size_t)part * (w->between_bytes + w->buffer_bytes);
    const transform_team alone = {1, between + w->between_bytes, w->buffer_bytes};
    const size_t from = w->call->batch / (size_t)parts * (size_t)part, rest = w->call->batch % (size_t)parts;
    const size_t first = from + ((size_t)part < rest ? (size_t)part : rest);
    const size_t end = first + w->call->batch / (size_t)parts + ((size_t)part < rest);
    const size_t at_once = UNINTERRUPTED / w->call->n + 1; /* transforms between two checks for cancellation */
    for (size_t b = first, stop; b < end && !cpu_cancelled(); b = stop) {
        stop = end - b < at_once ? end : b + at_once;
        for (size_t i = b; i < stop; i++) transform_number(w, &p, i, between, &alone);
    }
}

weft_status cpu_fft(void *state, const fft_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t complex_values = is_real(c) && c->n > 1 ? c->n / 2 : c->n;
    const int log = transform_log2(complex_values);
    fft_work w = {.call = c, .size = weft_dtype_size(c->dtype)};
    w.kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    w.x_step = c->kind == WEFT_R2C ? c->n : c->kind == WEFT_C2R ? 2 * (c->n / 2 + 1) : 2 * c->n;
    w.y_step = c->kind == WEFT_C2R ? c->n : c->kind == WEFT_R2C ? 2 * (c->n / 2 + 1) : 2 * c->n;
    const transform_way way = cpu_transform_way(ctx, c->dtype, log);
    RETURN_IF_ERROR(cpu_transform_plan(ctx, c->dtype, way, log, is_real(c), &w.plan, error));
    const bool needs_between = way == TRANSFORM_PASSES || c->kind == WEFT_C2R;
    w.between_bytes = needs_between ? (2 * complex_values * w.size + 63) / 64 * 64 : 0;
    w.buffer_bytes = transform_buffer_bytes(w.plan, c->dtype);
    const int threads = transform_threads(ctx, (double)c->batch * (double)w.x_step * (double)w.size);
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
