/* weft_convolve and weft_correlate: choice of kernels, and workspace (ORDER.md 15). */
#include "cuda/convolve/convolve_kernels.h"
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/transforms.h"

#include <string.h>

static const char NAME[] = "convolve";
static const size_t NUMBERS_MOST = (size_t)1 << 27; /* maximum bytes of the items processed at a time */

typedef struct convolve_work {
    gpu *g;
    const convolve_call *call;
    convolve_params j;
    bool direct, swapped, in_passes;
    int log;            /* log2 of a block's size */
    size_t real, value; /* bytes per real number and per value */
    size_t items;       /* number of items per round of passes */
    size_t copy_bytes, filter_bytes, numbers_bytes;
} convolve_work;

static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* --------------------------------------------------------------------------------- planning */

static fft_launch blocks_launch(const convolve_work *w) {
    return cuda_convolve_blocks(w->call->dtype, w->call->is_complex, w->log, &w->j);
}

/* Divides the call into blocks, and decides whether one fits in a multiprocessor. */
static void plan_blocks(convolve_work *w) {
    const convolve_call *c = w->call;
    const int most = c->dtype == WEFT_F32 ? BLOCK_LOG_F32 : BLOCK_LOG_F64;
    w->j.size = weft_convolve_block(w->j.n + w->j.m - 1, w->j.m, w->real);
    w->j.step = w->j.size - w->j.m + 1;
    w->j.scale = 1 / (double)w->j.size;
    w->log = gpu_log2(w->j.size);
    const uint64_t results = w->j.step * (c->is_complex ? 1 : 2);
    w->j.item = c->first / results;
    w->j.items = w->j.row_items = (c->first + c->count - 1) / results + 1 - w->j.item;
    w->in_passes = w->log > most || blocks_launch(w).shared_bytes > w->g->shared_bytes;
    w->filter_bytes = aligned(w->j.size * 2 * w->real);
    if (!w->in_passes) return;
    const size_t fit = NUMBERS_MOST / (w->j.size * 2 * w->real);
    w->items = fit == 0 ? 1 : fit < w->j.items ? fit : w->j.items;
    w->numbers_bytes = w->items * w->j.size * 2 * w->real;
}

static void plan(convolve_work *w, gpu *g, const convolve_call *c) {
    memset(w, 0, sizeof *w);
    w->g = g;
    w->call = c;
    w->real = cuda_type_bytes(c->dtype);
    w->value = c->is_complex ? 2 * w->real : w->real;
    w->swapped = c->n < c->m;
    w->j.n = w->swapped ? c->m : c->n;
    w->j.m = w->swapped ? c->n : c->m;
    w->j.first = c->first;
    w->j.count = c->count;
    w->j.rows = c->rows;
    w->direct = w->j.m <= WEFT_CONVOLVE_DIRECT;
    w->copy_bytes = c->correlate ? aligned(c->filters * c->m * w->value) : 0;
    if (!w->direct) plan_blocks(w);
}

/* ---------------------------------------------------------------------------------- running */

static weft_status launch(const convolve_work *w, const fft_launch &l, const convolve_params &j, weft_error *error) {
    return gpu_launch(w->g, NAME, &l, &j, error);
}

/* Writes the filters in reverse order (complex: conjugated) to `copy`. */
static weft_status turn(const convolve_work *w, const void *h, void *copy, weft_error *error) {
    convolve_params j = w->j;
    j.h = h;
    j.m = w->call->m;
    j.rows = w->call->filters;
    j.filter = copy;
    return launch(w, cuda_convolve_turn(w->call->dtype, w->call->is_complex, &j), j, error);
}

/* Convolves rows by transforms, each block in one multiprocessor. new_taps: its taps are not those of the row before.
 */
static weft_status in_blocks(const convolve_work *w, bool new_taps, weft_error *error) {
    const convolve_call *c = w->call;
    if (new_taps)
        RETURN_IF_ERROR(launch(w, cuda_convolve_block_filter(c->dtype, c->is_complex, w->log, &w->j), w->j, error));
    return launch(w, blocks_launch(w), w->j, error);
}

/* Runs the passes along columns, forward or backward. */
static weft_status column_passes(const convolve_work *w, const convolve_params &j, const pass_list &passes, bool back,
                                 weft_error *error) {
    fft_params f;
    memset(&f, 0, sizeof f);
    f.x = f.y = j.numbers;
    f.table = j.table;
    f.batch = j.items ? j.items : 1;
    f.n = f.x_step = f.y_step = j.size;
    f.x_aligned = f.y_aligned = true;
    for (int k = 0; k + 1 < passes.count; k++) {
        const int i = back ? passes.count - 2 - k : k;
        f.blocks = 1;
        for (int before = 0; before < i; before++) f.blocks <<= passes.log[before];
        const fft_launch l =
            back ? cuda_convolve_columns_back(w->call->dtype, passes.log[i], &f)
                 : cuda_fft_columns(w->call->dtype, passes.log[i], (unsigned)w->g->multiprocessors, &f);
        RETURN_IF_ERROR(gpu_launch(w->g, NAME, &l, &f, error));
    }
    return WEFT_OK;
}

/* Processes the taps if j.items is 0, and j.items items otherwise. */
static weft_status run_items(const convolve_work *w, convolve_params j, weft_error *error) {
    const convolve_call *c = w->call;
    const pass_list passes = gpu_passes(w->g, w->log, FFT_PASS_LOG_MAX);
    const int row_log = passes.log[passes.count - 1];
    j.blocks = j.size >> row_log;
    RETURN_IF_ERROR(launch(w, cuda_convolve_fill(c->dtype, c->is_complex, &j), j, error));
    RETURN_IF_ERROR(column_passes(w, j, passes, false, error));
    if (j.items == 0) return launch(w, cuda_convolve_row_filter(c->dtype, row_log, &j), j, error);
    RETURN_IF_ERROR(launch(w, cuda_convolve_row_product(c->dtype, row_log, &j), j, error));
    RETURN_IF_ERROR(column_passes(w, j, passes, true, error));
    return launch(w, cuda_convolve_give(c->dtype, c->is_complex, &j), j, error);
}

/* Convolves a row by transforms in passes over memory. */
static weft_status in_passes(const convolve_work *w, bool new_taps, weft_error *error) {
    convolve_params j = w->j;
    j.items = 0;
    if (new_taps) RETURN_IF_ERROR(run_items(w, j, error));
    for (uint64_t done = 0; done < w->j.items; done += w->items) {
        j.item = w->j.item + done;
        j.items = w->j.items - done < w->items ? w->j.items - done : w->items;
        RETURN_IF_ERROR(run_items(w, j, error));
    }
    return WEFT_OK;
}

static const char *row_at(const void *p, uint64_t row, uint64_t step, const convolve_work *w) {
    return (const char *)p + row * step * w->value;
}

/* Convolves all rows by transforms: at once if they have the same taps and blocks are short, else one after another.
 */
static weft_status by_transform(convolve_work *w, weft_error *error) {
    const convolve_params first = w->j;
    const bool same_taps = w->j.h_step == 0;
    if (same_taps && w->log <= ROWS_LOG && !w->in_passes) {
        w->j.items *= w->j.rows;
        return in_blocks(w, true, error);
    }
    w->j.rows = 1;
    for (uint64_t row = 0; row < first.rows; row++) {
        const bool new_taps = row == 0 || !same_taps;
        w->j.x = row_at(first.x, row, first.x_step, w);
        w->j.h = row_at(first.h, row, first.h_step, w);
        w->j.y = (char *)first.y + row * first.count * w->value;
        RETURN_IF_ERROR(w->in_passes ? in_passes(w, new_taps, error) : in_blocks(w, new_taps, error));
    }
    return WEFT_OK;
}

static weft_status run(convolve_work *w, const gpu_array *arrays, char *scratch, weft_error *error) {
    const convolve_call *c = w->call;
    const void *x = arrays[0].at, *h = arrays[1].at;
    const uint64_t h_step = c->filters > 1 ? c->m : 0;
    if (c->correlate) {
        RETURN_IF_ERROR(turn(w, h, scratch, error));
        h = scratch;
    }
    w->j.x = w->swapped ? h : x;
    w->j.h = w->swapped ? x : h;
    w->j.x_step = w->swapped ? h_step : c->n;
    w->j.h_step = w->swapped ? c->n : h_step;
    w->j.y = arrays[2].at;
    w->j.x_aligned = (uintptr_t)w->j.x % w->value == 0;
    w->j.y_aligned = (uintptr_t)w->j.y % w->value == 0;
    w->j.filter = scratch + w->copy_bytes;
    w->j.numbers = scratch + w->copy_bytes + w->filter_bytes;
    if (w->direct) return launch(w, cuda_convolve_direct(c->dtype, c->is_complex, &w->j), w->j, error);
    return by_transform(w, error);
}

weft_status cuda_convolve(void *state, const convolve_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    convolve_work w;
    void *scratch;
    plan(&w, g, c);
    gpu_array arrays[] = {{"x", c->x, c->rows * c->n * w.value, ARRAY_IN, false, NULL},
                          {"h", c->h, c->filters * c->m * w.value, ARRAY_IN, false, NULL},
                          {"y", c->y, c->rows * c->count * w.value, ARRAY_OUT, false, NULL}};
    if (!w.direct) RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, w.log, &w.j.table, error));
    RETURN_IF_ERROR(
        arrays_copy_in(g, NAME, arrays, 3, w.copy_bytes + w.filter_bytes + w.numbers_bytes, &scratch, error));
    RETURN_IF_ERROR(run(&w, arrays, (char *)scratch, error));
    return arrays_copy_out(g, NAME, arrays, 3, error);
}
