/* weft_convolve and weft_correlate on the CPU (ORDER.md 15). */
#include "core/order.h"
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

/* One call: the longer input is the signal, the shorter one provides the taps. */
typedef struct convolve_work {
    const convolve_call *call;
    const transform_kernels *kernels;
    const transform_plan *plan;
    size_t size;               /* bytes of a real or complex value */
    const void *signal, *taps; /* n and m values, m <= n */
    size_t n, m;
    size_t block;    /* points per transform block */
    size_t from, to; /* items [from, to): an item is a block, or a pair of blocks for real values */
    /* filter: transform of the taps. workspace: per thread, the values of an item, then its transform buffer. */
    char *filter, *workspace;
    size_t numbers_bytes, buffer_bytes;
} convolve_work;

static size_t rounded(size_t bytes) { return round_up(bytes, 64); }

/* ------------------------------------------------------------------------------------ roles */

/* Computes h' of ORDER.md 15.1: h reversed and conjugated. */
static void turn_filter(const convolve_call *c, void *to) {
    const size_t parts = c->is_complex ? 2 : 1;
    for (size_t i = 0; i < c->m * parts; i++) {
        const size_t from = (c->m - 1 - i / parts) * parts + i % parts;
        if (c->dtype == WEFT_F32)
            ((float *)to)[i] = i % parts ? -((const float *)c->h)[from] : ((const float *)c->h)[from];
        else
            ((double *)to)[i] = i % parts ? -((const double *)c->h)[from] : ((const double *)c->h)[from];
    }
}

static void give_roles(convolve_work *w, const void *filter) {
    const convolve_call *c = w->call;
    const bool swapped = c->n < c->m;
    w->signal = swapped ? filter : c->x;
    w->taps = swapped ? c->x : filter;
    w->n = swapped ? c->m : c->n;
    w->m = swapped ? c->n : c->m;
}

/* ----------------------------------------------------------------------------------- direct */

enum {
    DIRECT_AT_ONCE = 1 << 20, /* values between two checks for cancellation */
    STREAM_BYTES = 1 << 25    /* results above this size use nontemporal stores */
};

static void direct_part(void *self, int part, int parts) {
    const convolve_work *w = self;
    const convolve_call *c = w->call;
    direct_slice s = {
        .x = w->signal, .h = w->taps, .n = w->n, .m = w->m, .streams = c->count * w->size > STREAM_BYTES};
    const size_t share = c->count / (size_t)parts, rest = c->count % (size_t)parts;
    const size_t from = c->first + share * (size_t)part + ((size_t)part < rest ? (size_t)part : rest);
    const size_t end = from + share + ((size_t)part < rest);
    for (s.from = from; s.from < end && !cpu_cancelled(); s.from = s.to) {
        s.to = end - s.from < DIRECT_AT_ONCE ? end : s.from + DIRECT_AT_ONCE;
        s.y = (char *)c->y + (s.from - c->first) * w->size;
        (c->is_complex ? w->kernels->direct_complex : w->kernels->direct_real)(&s);
    }
}

/* ---------------------------------------------------------------------------- by transforms */

static block_slice slice_of(const convolve_work *w, size_t item, void *z) {
    const convolve_call *c = w->call;
    return (block_slice){.is_complex = c->is_complex,
                         .x = w->signal,
                         .n = w->n,
                         .m = w->m,
                         .size = w->block,
                         .q = c->is_complex ? item : 2 * item,
                         .z = z,
                         .first = c->first,
                         .count = c->count,
                         .y = c->y};
}

/* Transforms the taps as a block of a signal that is convolved with one tap. */
static void transform_filter(const convolve_work *w, void *z, const transform_team *team) {
    block_slice s = slice_of(w, 0, z);
    s.x = w->taps;
    s.n = w->m;
    s.m = 1;
    w->kernels->fill_block(&s);
    transform_pass p = {.plan = w->plan, .scale = 1 / (double)w->block, .x = z, .y = z};
    transform_run(w->kernels->columns, &p, true, team);
    p.y = w->filter;
    transform_run(w->kernels->filter, &p, false, team);
}

static void convolve_item(const convolve_work *w, size_t item, void *z, const transform_team *team) {
    const block_slice s = slice_of(w, item, z);
    const transform_pass p = {.plan = w->plan, .x = z, .y = z, .by = w->filter};
    w->kernels->fill_block(&s);
    transform_run(w->kernels->columns, &p, true, team);
    transform_run(w->kernels->product, &p, false, team);
    transform_run(w->kernels->columns_back, &p, true, team);
    w->kernels->store_block(&s);
}

static void convolve_part(void *self, int part, int parts) {
    const convolve_work *w = self;
    char *z = w->workspace + (size_t)part * (w->numbers_bytes + w->buffer_bytes);
    const transform_team alone = {1, z + w->numbers_bytes, w->buffer_bytes};
    for (size_t item = w->from + (size_t)part; item < w->to && !cpu_cancelled(); item += (size_t)parts)
        convolve_item(w, item, z, &alone);
}

/* Chooses the blocks of the call and computes their workspace in bytes. Sets *apart if every thread transforms its
 * own items; otherwise all threads share each transform. */
static weft_status plan_blocks(cpu_context *ctx, convolve_work *w, int threads, bool *apart, size_t *bytes,
                               weft_error *error) {
    const convolve_call *c = w->call;
    const size_t real = weft_dtype_size(c->dtype);
    w->block = weft_convolve_block(w->n + w->m - 1, w->m, real);
    const size_t step = (w->block - w->m + 1) * (c->is_complex ? 1 : 2);
    w->from = c->first / step;
    w->to = (c->first + c->count - 1) / step + 1;
    *apart = w->to - w->from >= (size_t)threads;
    RETURN_IF_ERROR(
        cpu_transform_plan(ctx, c->dtype, TRANSFORM_PASSES, transform_log2(w->block), false, &w->plan, error));
    w->numbers_bytes = 2 * w->block * real;
    w->buffer_bytes = transform_buffer_bytes(w->plan, c->dtype);
    *bytes = w->numbers_bytes * (1 + (*apart ? (size_t)threads : 1)) + (size_t)threads * w->buffer_bytes;
    return WEFT_OK;
}

static void by_transform(convolve_work *w, int threads, bool apart) {
    if (apart) {
        const transform_team alone = {1, w->workspace + w->numbers_bytes, w->buffer_bytes};
        transform_filter(w, w->workspace, &alone);
        transform_share(threads, convolve_part, w);
        return;
    }
    const transform_team team = {threads, w->workspace + w->numbers_bytes, w->buffer_bytes};
    transform_filter(w, w->workspace, &team);
    for (size_t item = w->from; item < w->to && !cpu_cancelled(); item++) convolve_item(w, item, w->workspace, &team);
}

weft_status cpu_convolve(void *state, const convolve_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t real = weft_dtype_size(c->dtype), size = c->is_complex ? 2 * real : real;
    const size_t copy_bytes = c->correlate ? rounded(c->m * size) : 0;
    convolve_work w = {.call = c, .size = size, .kernels = transform_kernels_of(ctx->level->transforms, c->dtype)};
    const int threads = transform_threads(ctx, saturated_product(c->count, 2 * size));
    size_t bytes = 0;
    void *workspace;
    bool apart = true;
    give_roles(&w, c->h);
    const bool direct = w.m <= WEFT_CONVOLVE_DIRECT;
    if (!direct) RETURN_IF_ERROR(plan_blocks(ctx, &w, threads, &apart, &bytes, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, copy_bytes + bytes, &workspace, error));
    w.filter = (char *)workspace + copy_bytes;
    w.workspace = w.filter + w.numbers_bytes;
    if (c->correlate) {
        turn_filter(c, workspace);
        give_roles(&w, workspace);
    }
    if (direct)
        transform_share(threads, direct_part, &w);
    else
        by_transform(&w, threads, apart);
    return WEFT_OK;
}
