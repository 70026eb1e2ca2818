/* Passes of transforms whose length is not a power of two (ORDER.md 14.7 to 14.11). */
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

enum { POSITIONS = 1 << 11 }; /* positions of a part of an array, at least; see transform_kernels.pass */

typedef struct pass_work {
    const fft_pass_call *call;
    const transform_kernels *kernels;
    size_t positions, part, parts; /* positions of an array, of a part; parts of an array */
    size_t at_once;                /* arrays of an item, if parts is 1 */
} pass_work;

static size_t positions_of(const fft_pass_call *c) {
    switch (c->kind) {
    case FFT_RADIX: return c->n / c->points->p;
    case FFT_PRODUCT: return c->count;
    case FFT_REDUCE: return c->to_real ? c->n : c->n / 2 + 1;
    default: return c->n;
    }
}

static void run_item(void *self, size_t item) {
    const pass_work *const w = self;
    if (w->parts > 1) {
        const size_t array = item / w->parts, from = item % w->parts * w->part;
        const size_t left = w->positions - from;
        w->kernels->pass(w->call, array, from, from + (left < w->part ? left : w->part));
        return;
    }
    const size_t first = item * w->at_once, left = w->call->batch - first;
    for (size_t i = 0; i < (left < w->at_once ? left : w->at_once); i++)
        w->kernels->pass(w->call, first + i, 0, w->positions);
}

weft_status cpu_fft_pass(void *state, const fft_pass_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    const size_t n = positions_of(c),
                 bytes = saturated_product(saturated_product(c->batch, c->n), 2 * weft_dtype_size(c->dtype));
    const bool whole = n < 2 * POSITIONS || c->kind == FFT_SPLIT || c->kind == FFT_COMBINE;
    pass_work w = {.call = c, .kernels = transform_kernels_of(ctx->level->transforms, c->dtype), .positions = n};
    w.part = whole ? n : POSITIONS;
    w.parts = (n - 1) / w.part + 1;
    w.at_once = POSITIONS / n + 1;
    const size_t items = w.parts > 1 ? c->batch * w.parts : (c->batch - 1) / w.at_once + 1;
    (void)error;
    cpu_parallel_for(transform_threads(ctx, bytes), items, PARALLEL_RANGES, run_item, &w);
    return WEFT_OK;
}
