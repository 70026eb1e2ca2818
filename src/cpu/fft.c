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

static bool is_real(const fft_call *c) { return c->kind >= WEFT_R2C; }

/* Transforms x to y. `between` is the intermediate array between the passes. */
static void transform(const fft_work *w, const void *x, void *y, void *between, const transform_team *team) {
    const bool inverse = w->call->kind == WEFT_C2C_INVERSE || w->call->kind == WEFT_C2R;
    transform_pass p = {.plan = w->plan, .inverse = inverse, .scale = inverse ? 1 / (double)w->call->n : 1};
    p.x = x;
    p.y = between;
    if (w->call->kind == WEFT_C2R) {
        w->kernels->combine(&p);
        p.x = between;
    }
    if (w->plan->rows) {
        transform_run(w->kernels->columns, &p, true, team);
        p.x = between;
        p.y = y;
        transform_run(w->kernels->rows, &p, false, team);
    } else {
        p.y = y;
        p.buffer = team->buffers;
        w->kernels->plain(&p);
    }
    p.x = p.y = y;
    if (w->call->kind == WEFT_R2C) w->kernels->split(&p);
}

/* Transforms one real value (n = 1), as a complex value. */
static void transform_one_value(const fft_work *w, const void *x, void *y, const transform_team *team) {
    double number[2] = {0, 0}, result[2] = {0, 0};
    memcpy(number, x, w->size);
    w->kernels->plain(
        &(transform_pass){.plan = w->plan, .scale = 1, .x = number, .y = result, .buffer = team->buffers});
    memcpy(y, result, w->call->kind == WEFT_R2C ? 2 * w->size : w->size);
}

static void transform_number(const fft_work *w, size_t b, void *between, const transform_team *team) {
    const char *x = (const char *)w->call->x + b * w->x_step * w->size;
    char *y = (char *)w->call->y + b * w->y_step * w->size;
    if (is_real(w->call) && w->call->n == 1)
        transform_one_value(w, x, y, team);
    else
        transform(w, x, y, between, team);
}

/* Transforms part `part` of the batch on one thread. */
static void transform_part(void *self, int part, int parts) {
    const fft_work *w = self;
    char *between = w->workspace + (size_t)part * (w->between_bytes + w->buffer_bytes);
    const transform_team alone = {1, between + w->between_bytes, w->buffer_bytes};
    const size_t from = w->call->batch / (size_t)parts * (size_t)part, rest = w->call->batch % (size_t)parts;
    const size_t first = from + ((size_t)part < rest ? (size_t)part : rest);
    const size_t count = w->call->batch / (size_t)parts + ((size_t)part < rest);
    for (size_t b = first; b < first + count && !cpu_cancelled(); b++) transform_number(w, b, between, &alone);
}

weft_status cpu_fft(void *state, const fft_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t complex_values = is_real(c) && c->n > 1 ? c->n / 2 : c->n;
    fft_work w = {.call = c, .size = weft_dtype_size(c->dtype)};
    w.kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    w.x_step = c->kind == WEFT_R2C ? c->n : c->kind == WEFT_C2R ? 2 * (c->n / 2 + 1) : 2 * c->n;
    w.y_step = c->kind == WEFT_C2R ? c->n : c->kind == WEFT_R2C ? 2 * (c->n / 2 + 1) : 2 * c->n;
    RETURN_IF_ERROR(cpu_transform_plan(ctx, c->dtype, transform_log2(complex_values), is_real(c), &w.plan, error));
    w.between_bytes = (2 * complex_values * w.size + 63) / 64 * 64;
    w.buffer_bytes = transform_buffer_bytes(w.plan, c->dtype);
    const int threads = transform_threads(ctx, (double)c->batch * (double)w.x_step * (double)w.size);
    const bool apart = c->batch >= (size_t)threads || !w.plan->rows;
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
    for (size_t b = 0; b < c->batch && !cpu_cancelled(); b++) transform_number(&w, b, w.workspace, &team);
    return WEFT_OK;
}
