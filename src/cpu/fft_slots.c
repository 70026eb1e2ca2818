/* Whole transforms of short arrays, in one call for all passes (kernels/bodies/slots_body.h). */
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

enum {
    UNINTERRUPTED = 1 << 12, /* values between two checks for cancellation, at least */
    BUFFERS_BYTES = 1 << 19, /* most bytes of the buffers of a thread */
    ACROSS_BYTES = 50 << 10  /* most bytes of buffers for lanes that are transforms, if the others are possible too */
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

/* Returns the numbers of a slot. */
static size_t width_of(const transform_kernels *kernels) { return 2 * kernels->lanes; }

/* Returns the bytes of the buffers of a thread. */
static size_t buffer_bytes(const fft_pass_call *c, size_t width, bool across) {
    const size_t numbers = across ? 2 * max_u64(c->n, width / 2) * width : 2 * c->n;
    return (2 * weft_dtype_size(c->dtype) * numbers + CPU_ALIGNMENT - 1) / CPU_ALIGNMENT * CPU_ALIGNMENT;
}

/* Returns how many parts of each row are computed like rows (slots_call.parts), so that more than half of the lanes
 * are used, if the lanes of a slot are adjacent numbers of a transform. */
static size_t parts_of(const fft_pass_call *c, size_t width) {
    size_t parts = 1;
    while (2 * parts * points_of(c) <= width) parts *= 2;
    return parts;
}

/* Returns true if the lanes of a slot can be adjacent numbers of a transform. The parts of a row must have four slots
 * or more. */
static bool takes_along(const fft_pass_call *c, size_t width) {
    const size_t parts = parts_of(c, width);
    return (c->n & ((parts > 1 ? 4 * parts * width : width) - 1)) == 0; /* powers of two */
}

/* Returns true if the lanes should be transforms. Then the rows need no exchange of lanes, but the buffers are
 * larger. */
static bool goes_across(const fft_pass_call *c, size_t width) {
    if (!takes_along(c, width)) return true;
    return c->batch >= width && buffer_bytes(c, width, true) <= ACROSS_BYTES;
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

/* Returns true if a call should be computed by transform_kernels.single. Its vectors contain interleaved numbers,
 * which takes more instructions than slots, but fewer lanes are left unused: by few transforms if the lanes of a slot
 * are transforms, else by short rows and above all by three rows. The limits were measured with AVX2 and AVX-512. */
static bool goes_singly(const transform_kernels *kernels, const fft_pass_call *c) {
    enum { LONG = 32 };
    const size_t width = width_of(kernels),
                 most = c->n < LONG && c->dtype == WEFT_F32 ? kernels->lanes / 2 : kernels->lanes;
    if (!kernels->single || c->kind == FFT_CHIRP || c->n > SINGLE_MOST || c->batch > most) return false;
    const size_t least = c->dtype == WEFT_F64 ? 12 : points_of(c) == 3 ? 16 + width : 15;
    return c->n < least * width || !takes_along(c, width);
}

/* Lanes without a transform cost as much as others. */
bool cpu_fft_takes_whole(const void *state, const fft_pass_call *c) {
    const cpu_context *const ctx = state;
    const transform_kernels *const kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    const size_t width = width_of(kernels);
    if (goes_singly(kernels, c)) return true;
    if (c->kind == FFT_CHIRP) return false;
    if (c->n < SLOT_LEAST || c->n > BUFFERS_BYTES || c->count > SLOT_PASSES) return false;
    if (2 * c->batch < width && !takes_along(c, width)) return false;
    return buffer_bytes(c, width, goes_across(c, width)) <= BUFFERS_BYTES;
}

/* Finds the twiddles of the rows of a call. */
static inline weft_status find_twiddles(cpu_context *ctx, const fft_pass_call *c, const void **twiddles,
                                        weft_error *error) {
    const int log = __builtin_ctzll(c->n);
    const transform_plan *plan =
        ctx->transforms ? &ctx->transforms->plans[c->dtype == WEFT_F64][TRANSFORM_PLAIN][log] : NULL;
    if (!plan || !plan->n)
        RETURN_IF_ERROR(cpu_transform_plan(ctx, c->dtype, TRANSFORM_PLAIN, log, false, &plan, error));
    *twiddles = plan->twiddles;
    return WEFT_OK;
}

static __attribute__((noinline)) weft_status transform_singly(cpu_context *ctx, const transform_kernels *kernels,
                                                              const fft_pass_call *c, weft_error *error) {
    const size_t size = c->dtype == WEFT_F64 ? sizeof(double) : sizeof(float);
    single_call w = {.call = c, .x = c->x, .scale = c->exchange_in ? 1 / (double)(c->n & -c->n) : 1};
    RETURN_IF_ERROR(find_twiddles(ctx, c, &w.twiddles, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, 2 * size * (SINGLE_BUFFERS * c->n + 32), &w.buffer, error));
    w.y = c->y;
    kernels->single(&w);
    for (size_t b = 1; b < c->batch; b++) {
        w.x = (const char *)w.x + c->x_step * size;
        w.y = (char *)w.y + c->y_step * size;
        kernels->single(&w);
    }
    return WEFT_OK;
}

static __attribute__((noinline)) weft_status transform_slots(cpu_context *ctx, const fft_pass_call *c,
                                                             weft_error *error) {
    slots_work w;
    w.kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    const size_t width = width_of(w.kernels), m = points_of(c), length = c->n & -c->n, values = c->n * c->batch;
    const bool across = goes_across(c, width), alone = values <= UNINTERRUPTED;
    const int threads = alone ? 1 : transform_threads(ctx, 2 * values * weft_dtype_size(c->dtype));
    w.slots.call = c;
    w.slots.m = m;
    w.slots.length = length;
    w.slots.rest[c->count - 1] = across ? length : length >> transform_log2(width);
    for (size_t i = c->count - 1; i > 0; i--) w.slots.rest[i - 1] = w.slots.rest[i] * c->radices[i].points->p;
    w.slots.across = across;
    w.slots.parts = parts_of(c, width);
    w.slots.from = 0;
    w.slots.to = c->batch;
    w.block = across ? width : 1;
    w.each = buffer_bytes(c, width, across);
    RETURN_IF_ERROR(find_twiddles(ctx, c, &w.slots.twiddles, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, (size_t)threads * w.each, &w.slots.buffer, error));
    if (alone)
        w.kernels->slots(&w.slots);
    else
        transform_share(threads, run_part, &w);
    return WEFT_OK;
}

/* The two functions are not inlined, so that a short call needs no memory for the variables of the other one. */
weft_status cpu_fft_whole(cpu_context *ctx, const fft_pass_call *c, weft_error *error) {
    const transform_kernels *const kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    return goes_singly(kernels, c) ? transform_singly(ctx, kernels, c, error) : transform_slots(ctx, c, error);
}
