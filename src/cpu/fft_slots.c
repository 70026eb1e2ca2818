/* Whole transforms of short arrays, in one call for all passes (kernels/bodies/slots_body.h). */
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

enum {
    UNINTERRUPTED = 1 << 12, /* values between two checks for cancellation, at least */
    BUFFERS_BYTES = 1 << 19, /* most bytes of the buffers of a thread */
    NEAR_BYTES = 24 << 10    /* of buffers that leave a part of a 32 KiB cache to x and y */
};

/* A call, divided among threads. each: bytes of the buffers of a thread. */
typedef struct slots_work {
    slots_call slots;
    const transform_kernels *kernels;
    size_t block, each; /* block: transforms that are computed together */
} slots_work;

/* Returns the product of the radices of a call. */
static size_t points_of(const fft_pass_call *c) {
    const fft_radix *const last = c->radices + c->count - 1;
    return last->s * last->points->p;
}

/* Returns the bytes of the buffers. width: the numbers of a slot. */
static size_t buffer_bytes(const fft_pass_call *c, size_t m, size_t width, bool across) {
    const size_t numbers = across ? 2 * c->n * width : 2 * c->n + c->n / m * width;
    return 2 * weft_dtype_size(c->dtype) * numbers;
}

/* Sets the members of a call but its buffers and its twiddles. Returns false if other kernels are faster. Lanes that
 * are transforms need no exchange of lanes between the passes, but more buffers; and lanes without a transform cost
 * as much as others. */
static bool choose(const cpu_context *ctx, const fft_pass_call *c, slots_work *w) {
    w->kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    const size_t width = 2 * w->kernels->lanes, m = points_of(c), length = c->n / m;
    if (c->n > BUFFERS_BYTES || c->count > SLOT_PASSES) return false;
    const bool can_along = length >= 4 && length % width == 0 && 2 * m > width;
    const bool near = c->batch >= width && buffer_bytes(c, m, width, true) <= NEAR_BYTES;
    const bool across = near || !can_along;
    if (!can_along && 2 * c->batch < width) return false;
    w->slots = (slots_call){.call = c, .m = m, .length = length, .across = across, .to = c->batch};
    w->block = across ? width : 1;
    for (size_t i = 0, rest = across ? c->n : c->n / width; i < c->count; i++)
        w->slots.rest[i] = rest /= c->radices[i].points->p;
    w->each = (buffer_bytes(c, m, width, across) + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT;
    return w->each <= BUFFERS_BYTES;
}

static void run_part(void *self, int part, int parts) {
    const slots_work *const w = self;
    const size_t batch = w->slots.call->batch, blocks = (batch - 1) / w->block + 1;
    const size_t end = min_u64(blocks * ((size_t)part + 1) / (size_t)parts * w->block, batch);
    const size_t at_once = (UNINTERRUPTED / w->slots.call->n / w->block + 1) * w->block;
    slots_call slots = w->slots;
    slots.buffer = (char *)slots.buffer + (size_t)part * w->each;
    slots.to = blocks * (size_t)part / (size_t)parts * w->block;
    while (slots.to < end && !cpu_cancelled()) {
        slots.from = slots.to;
        slots.to = end - slots.from < at_once ? end : slots.from + at_once;
        w->kernels->slots(&slots);
    }
}

bool cpu_fft_takes_whole(const void *state, const fft_pass_call *c) {
    slots_work w;
    return choose(state, c, &w);
}

weft_status cpu_fft_whole(cpu_context *ctx, const fft_pass_call *c, weft_error *error) {
    slots_work w;
    const transform_plan *plan;
    (void)choose(ctx, c, &w);
    const int log = transform_log2(w.slots.length);
    RETURN_IF_ERROR(cpu_transform_plan(ctx, c->dtype, TRANSFORM_PLAIN, log, false, &plan, error));
    w.slots.twiddles = plan->twiddles;
    const size_t values = c->n * c->batch;
    const int threads = values <= UNINTERRUPTED ? 1 : transform_threads(ctx, 2 * values * weft_dtype_size(c->dtype));
    RETURN_IF_ERROR(cpu_workspace(ctx, (size_t)threads * w.each, &w.slots.buffer, error));
    if (values <= UNINTERRUPTED)
        w.kernels->slots(&w.slots);
    else
        transform_share(threads, run_part, &w);
    return WEFT_OK;
}
