/* Passes of transforms whose length is not a power of two (ORDER.md 14.7 to 14.11). */
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

/* Numbers of an item, at least, except those of FFT_RADICES: positions (transform_kernels.pass). Parts of rows are
 * multiples of the complex numbers of a vector. */
enum { POSITIONS = 1 << 11, LANES_MOST = 8 };

/* A call, divided into items: parts of arrays or several whole arrays. */
typedef struct pass_work {
    const fft_pass_call *call;
    const transform_kernels *kernels;
    size_t arrays, positions; /* positions: of an array */
    size_t part, parts;       /* positions of a part; parts of an array */
    size_t at_once;           /* arrays of an item, if parts is 1 */
} pass_work;

static size_t positions_of(const fft_pass_call *c) {
    switch (c->kind) {
    case FFT_ROWS: return c->n / c->count;
    case FFT_PRODUCT: return c->count;
    case FFT_REDUCE: return c->to_real ? c->n : c->n / 2 + 1;
    default: return c->n;
    }
}

static void run_item(void *self, size_t item) {
    const pass_work *const w = self;
    if (w->parts > 1) {
        const size_t array = item / w->parts, from = item % w->parts * w->part, left = w->positions - from;
        w->kernels->pass(w->call, array, from, from + (left < w->part ? left : w->part));
        return;
    }
    const size_t first = item * w->at_once, left = w->arrays - first;
    for (size_t i = 0; i < (left < w->at_once ? left : w->at_once); i++)
        w->kernels->pass(w->call, first + i, 0, w->positions);
}

/* The positions of a pass of radix p are those of all arrays: they are divided like one array. */
static pass_work divided(const fft_pass_call *c) {
    const bool whole = c->kind == FFT_SPLIT || c->kind == FFT_COMBINE;
    const size_t least =
        c->kind == FFT_ROWS ? POSITIONS / c->count / LANES_MOST * LANES_MOST + LANES_MOST : POSITIONS;
    pass_work w = {.call = c, .arrays = c->batch, .positions = positions_of(c)};
    if (c->kind == FFT_RADICES) {
        w.arrays = 1;
        w.positions = c->batch * (c->n / c->radices->points->p);
    }
    w.part = whole || w.positions < 2 * least ? w.positions : least;
    w.parts = (w.positions - 1) / w.part + 1;
    w.at_once = POSITIONS / c->n + 1;
    return w;
}

static weft_status transform_rows(cpu_context *ctx, const fft_pass_call *c, weft_error *error) {
    const fft_call rows = {.dtype = c->dtype,
                           .kind = c->inverse ? WEFT_C2C_INVERSE : WEFT_C2C,
                           .batch = c->batch * c->count,
                           .n = c->n / c->count,
                           .x = c->x,
                           .y = (void *)c->x};
    return cpu_fft(ctx, &rows, error);
}

weft_status cpu_fft_pass(void *state, const fft_pass_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    if (c->whole) return cpu_fft_whole(ctx, c, error);
    if (c->batch == 1 && c->kind >= FFT_PRODUCT && c->n <= POSITIONS && positions_of(c) <= POSITIONS) {
        transform_kernels_of(ctx->level->transforms, c->dtype)->pass(c, 0, 0, positions_of(c)); /* no division */
        return WEFT_OK;
    }
    const size_t bytes = saturated_product(saturated_product(c->batch, c->n), 2 * weft_dtype_size(c->dtype));
    pass_work w = divided(c);
    const size_t items = w.parts > 1 ? w.arrays * w.parts : (w.arrays - 1) / w.at_once + 1;
    w.kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    if (c->kind == FFT_ROWS) RETURN_IF_ERROR(transform_rows(ctx, c, error)); /* the pass stores the columns */
    if (items == 1)
        run_item(&w, 0);
    else
        cpu_parallel_for(transform_threads(ctx, bytes), items, PARALLEL_RANGES, run_item, &w);
    return WEFT_OK;
}
