/* weft_convolve and weft_correlate on the CPU (ORDER.md 15). */
#include "core/order.h"
#include "core/types.h"
#include "cpu/common/transform_run.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

/* One call: the longer input of a row is its signal, the shorter one provides the taps. */
typedef struct convolve_work {
    const convolve_call *call;
    const transform_kernels *kernels;
    const transform_plan *plan;
    size_t size;           /* bytes of a real or complex value */
    bool swapped;          /* the filters are longer than the rows */
    const char *x, *h;     /* h: the filters, turned if the call is a correlation */
    size_t n, m;           /* values of a signal and taps, m <= n */
    size_t block;          /* points per transform block */
    size_t from, to;       /* items [from, to) of a row: an item is a block, or a pair of blocks for real values */
    size_t row, same_taps; /* rows [row, row + same_taps) are convolved with the same taps, by transforms */
    /* filter: transform of the taps. workspace: per thread, the values of an item, then its transform buffer. */
    char *filter, *workspace;
    size_t numbers_bytes, buffer_bytes;
} convolve_work;

static size_t rounded(size_t bytes) { return round_up(bytes, 64); }

/* ------------------------------------------------------------------------------------ roles */

/* Sets the filters to those of the call, or to turned ones in `copies`. */
static void set_filters(convolve_work *w, char *copies) {
    const convolve_call *c = w->call;
    const size_t bytes = c->m * w->size;
    w->h = c->correlate ? copies : c->h;
    if (!c->correlate) return;
    for (size_t i = 0; i < c->filters; i++)
        transform_turn_taps(c->dtype, c->is_complex, c->m, (const char *)c->h + i * bytes, copies + i * bytes);
}

static const char *x_of(const convolve_work *w, size_t row) { return w->x + row * w->call->n * w->size; }
static const char *h_of(const convolve_work *w, size_t row) {
    return w->call->filters > 1 ? w->h + row * w->call->m * w->size : w->h;
}
static const char *signal_of(const convolve_work *w, size_t row) { return w->swapped ? h_of(w, row) : x_of(w, row); }
static const char *taps_of(const convolve_work *w, size_t row) { return w->swapped ? x_of(w, row) : h_of(w, row); }
static char *results_of(const convolve_work *w, size_t row) {
    return (char *)w->call->y + row * w->call->count * w->size;
}

/* ----------------------------------------------------------------------------------- direct */

enum {
    DIRECT_AT_ONCE = 1 << 20, /* values between two checks for cancellation */
    STREAM_BYTES = 1 << 25    /* results above this size use nontemporal stores */
};

/* Computes results [from, to), numbered through all rows. */
static void direct_results(const convolve_work *w, size_t from, size_t to) {
    const convolve_call *c = w->call;
    direct_slice s = {.n = w->n, .m = w->m, .rows = 1, .streams = c->count * w->size > STREAM_BYTES};
    size_t row = from / c->count, at = from % c->count;
    for (; from < to; from += s.to - s.from, at = 0, row++) {
        s.x = signal_of(w, row);
        s.h = taps_of(w, row);
        s.from = c->first + at;
        s.to = s.from + (size_t)min_u64(c->count - at, to - from);
        s.y = results_of(w, row) + at * w->size;
        (c->is_complex ? w->kernels->direct_complex : w->kernels->direct_real)(&s);
    }
}

static void direct_part(void *self, int part, int parts) {
    const convolve_work *w = self;
    const size_t all = w->call->rows * w->call->count, share = all / (size_t)parts, rest = all % (size_t)parts;
    const size_t from = share * (size_t)part + ((size_t)part < rest ? (size_t)part : rest);
    const size_t end = from + share + ((size_t)part < rest);
    for (size_t i = from; i < end && !cpu_cancelled(); i += DIRECT_AT_ONCE)
        direct_results(w, i, end - i < DIRECT_AT_ONCE ? end : i + DIRECT_AT_ONCE);
}

/* ---------------------------------------------------------------------------- by transforms */

static block_slice slice_of(const convolve_work *w, size_t row, size_t item, void *z) {
    const convolve_call *c = w->call;
    return (block_slice){.is_complex = c->is_complex,
                         .x = signal_of(w, row),
                         .n = w->n,
                         .m = w->m,
                         .size = w->block,
                         .q = c->is_complex ? item : 2 * item,
                         .z = z,
                         .first = c->first,
                         .count = c->count,
                         .y = results_of(w, row)};
}

/* Transforms the taps as a block of a signal that is convolved with one tap. */
static void transform_filter(const convolve_work *w, void *z, const transform_team *team) {
    block_slice s = slice_of(w, w->row, 0, z);
    s.x = taps_of(w, w->row);
    s.n = w->m;
    s.m = 1;
    w->kernels->fill_block(&s);
    transform_pass p = {.plan = w->plan, .scale = 1 / (double)w->block, .x = z, .y = z};
    transform_run(w->kernels->columns, &p, true, team);
    p.y = w->filter;
    transform_run(w->kernels->filter, &p, false, team);
}

/* Returns the number of items of the rows with the same taps. */
static size_t items_of(const convolve_work *w) { return w->same_taps * (w->to - w->from); }

static void convolve_item(const convolve_work *w, size_t item, void *z, const transform_team *team) {
    const size_t items = w->to - w->from;
    const block_slice s = slice_of(w, w->row + item / items, w->from + item % items, z);
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
    for (size_t item = (size_t)part; item < items_of(w) && !cpu_cancelled(); item += (size_t)parts)
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
    w->same_taps = w->swapped || c->filters > 1 ? 1 : c->rows;
    *apart = items_of(w) >= (size_t)threads;
    RETURN_IF_ERROR(
        cpu_transform_plan(ctx, c->dtype, TRANSFORM_PASSES, transform_log2(w->block), false, &w->plan, error));
    w->numbers_bytes = 2 * w->block * real;
    w->buffer_bytes = transform_buffer_bytes(w->plan, c->dtype);
    *bytes = w->numbers_bytes * (1 + (*apart ? (size_t)threads : 1)) + (size_t)threads * w->buffer_bytes;
    return WEFT_OK;
}

/* Convolves the rows with the same taps. */
static void by_transform(convolve_work *w, int threads, bool apart) {
    if (apart) {
        const transform_team alone = {1, w->workspace + w->numbers_bytes, w->buffer_bytes};
        transform_filter(w, w->workspace, &alone);
        transform_share(threads, convolve_part, w);
        return;
    }
    const transform_team team = {threads, w->workspace + w->numbers_bytes, w->buffer_bytes};
    transform_filter(w, w->workspace, &team);
    for (size_t item = 0; item < items_of(w) && !cpu_cancelled(); item++) convolve_item(w, item, w->workspace, &team);
}

weft_status cpu_convolve(void *state, const convolve_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t real = weft_dtype_size(c->dtype), size = c->is_complex ? 2 * real : real;
    const size_t copy_bytes = c->correlate ? rounded(c->filters * c->m * size) : 0;
    convolve_work w = {.call = c,
                       .size = size,
                       .kernels = transform_kernels_of(ctx->level->transforms, c->dtype),
                       .swapped = c->n < c->m,
                       .x = c->x,
                       .n = (size_t)max_u64(c->n, c->m),
                       .m = (size_t)min_u64(c->n, c->m)};
    const int threads = transform_threads(ctx, saturated_product(c->rows * c->count, 2 * size));
    size_t bytes = 0;
    void *workspace;
    bool apart = true;
    const bool direct = w.m <= WEFT_CONVOLVE_DIRECT;
    if (!direct) RETURN_IF_ERROR(plan_blocks(ctx, &w, threads, &apart, &bytes, error));
    RETURN_IF_ERROR(cpu_workspace(ctx, copy_bytes + bytes, &workspace, error));
    w.filter = (char *)workspace + copy_bytes;
    w.workspace = w.filter + w.numbers_bytes;
    set_filters(&w, workspace);
    if (direct)
        transform_share(threads, direct_part, &w);
    else
        for (; w.row < c->rows && !cpu_cancelled(); w.row += w.same_taps) by_transform(&w, threads, apart);
    return WEFT_OK;
}
