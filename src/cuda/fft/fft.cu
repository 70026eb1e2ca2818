/* weft_fft: the sequence of passes over memory (ORDER.md 14). */
#include "cuda/fft/fft_passes.h"
#include "cuda/fft/transforms.h"

#include <string.h>

static const char NAME[] = "fft";
static const size_t SCRATCH_MOST = (size_t)1 << 28; /* bytes between passes; larger batches are processed in parts */

typedef struct fft_work {
    gpu *g;
    const fft_call *call;
    int log; /* log2 of the length of the complex transform */
    bool real_side, long_transform;
    fft_params j; /* parameters common to all launches */
    size_t real;
} fft_work;

static bool is_aligned(const void *p, size_t bytes) { return (uintptr_t)p % bytes == 0; }

static weft_status run(const fft_work *w, fft_launch launch, const fft_params *j, weft_error *error) {
    return gpu_launch(w->g, NAME, &launch, j, error);
}

/* Returns the passes of a transform. Real transforms have no pass of more than FFT_PASS_LOG_MAX stages. If passes
 * differ, the long ones are the last in R2C, and in C2C if only the first would exceed FFT_PASS_LOG_MAX. */
static pass_list passes_of(const fft_work *w) {
    const bool f32 = w->call->dtype == WEFT_F32;
    const pass_list list = gpu_passes(w->g, w->log, f32 && !w->real_side ? FFT_PASS_LOG_F32 : FFT_PASS_LOG_MAX);
    const int last = list.count - 1;
    const bool exceeds = list.log[0] > FFT_PASS_LOG_MAX && list.log[last] <= FFT_PASS_LOG_MAX;
    if (w->call->kind != WEFT_R2C && !exceeds) return list;
    pass_list reversed = list;
    for (int i = 0; i <= last; i++) reversed.log[i] = list.log[last - i];
    return reversed;
}

/* Transforms arrays in several passes. `between` is workspace for the numbers between passes. */
static weft_status transform_long(const fft_work *w, const fft_params *j, void *between, weft_error *error) {
    const weft_dtype dtype = w->call->dtype;
    const unsigned blocks = (unsigned)w->g->multiprocessors;
    const pass_list passes = passes_of(w);
    const int last = passes.count - 1;
    fft_params pass = *j;
    pass.y = between;
    pass.y_step = j->n;
    pass.y_aligned = true;
    pass.blocks = 1;
    for (int i = 0; i < last; i++) {
        const bool combine = i == 0 && w->call->kind == WEFT_C2R;
        RETURN_IF_ERROR(run(w,
                            combine ? cuda_fft_combine_columns(dtype, passes.log[i], blocks, &pass)
                                    : cuda_fft_columns(dtype, passes.log[i], blocks, &pass),
                            &pass, error));
        pass.x = between;
        pass.x_step = j->n;
        pass.x_aligned = true;
        pass.swap_in = false;
        pass.blocks <<= passes.log[i];
    }
    pass.y = j->y;
    pass.y_step = j->y_step;
    pass.y_aligned = j->y_aligned;
    return run(w,
               w->call->kind == WEFT_R2C ? cuda_fft_split_rows(dtype, passes.log[last], blocks, &pass)
                                         : cuda_fft_rows(dtype, passes.log[last], blocks, &pass),
               &pass, error);
}

/* Transforms one part of the batch. */
static weft_status transform_part(const fft_work *w, fft_params j, void *between, weft_error *error) {
    const weft_dtype dtype = w->call->dtype;
    if (w->long_transform) return transform_long(w, &j, between, error);
    if (w->call->kind == WEFT_C2R) {
        fft_params combine = j;
        combine.y = between;
        combine.y_step = j.n;
        combine.y_aligned = true;
        RETURN_IF_ERROR(run(w, cuda_fft_combine(dtype, &combine), &combine, error));
        j.x = between;
        j.x_step = j.n;
        j.x_aligned = true;
    }
    RETURN_IF_ERROR(run(w, cuda_fft_full(dtype, w->log, &j), &j, error));
    if (w->call->kind != WEFT_R2C) return WEFT_OK;
    j.x_aligned = j.y_aligned;
    return run(w, cuda_fft_split(dtype, &j), &j, error);
}

static fft_params describe(const fft_work *w, const void *x, void *y, const void *table) {
    const fft_call *c = w->call;
    const bool inverse = c->kind == WEFT_C2C_INVERSE || c->kind == WEFT_C2R;
    fft_params j;
    memset(&j, 0, sizeof j);
    j.x = x;
    j.y = y;
    j.table = table;
    j.n = (uint64_t)1 << w->log;
    j.x_step = c->kind == WEFT_C2R ? j.n + 1 : j.n;
    j.y_step = c->kind == WEFT_R2C ? j.n + 1 : j.n;
    j.scale = inverse ? 1 / (double)c->n : 1;
    j.x_aligned = is_aligned(x, 2 * w->real);
    j.y_aligned = is_aligned(y, 2 * w->real);
    j.swap_in = j.swap_out = inverse;
    return j;
}

/* Copies the values of transforms of length one, to or from a real value: the result is that value. */
static weft_status copy_values(const fft_work *w, const void *x, void *y, weft_error *error) {
    fft_params j;
    memset(&j, 0, sizeof j);
    j.x = x;
    j.y = y;
    j.batch = w->call->batch;
    return run(w, cuda_fft_single(w->call->dtype, w->call->kind == WEFT_R2C, &j), &j, error);
}

static weft_status transform_all(const fft_work *w, const void *x, void *y, const void *table, void *between,
                                 size_t part, weft_error *error) {
    if (w->real_side && w->call->n == 1) return copy_values(w, x, y, error);
    const fft_params all = describe(w, x, y, table);
    for (size_t first = 0; first < w->call->batch; first += part) {
        fft_params j = all;
        j.x = (const char *)x + first * j.x_step * 2 * w->real;
        j.y = (char *)y + first * j.y_step * 2 * w->real;
        j.batch = w->call->batch - first < part ? w->call->batch - first : part;
        RETURN_IF_ERROR(transform_part(w, j, between, error));
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- columns */

/* Sets the launch of a call that has columns. */
static fft_launch find_columns(const gpu *g, const fft_call *c, fft_params *j) {
    j->batch = c->batch;
    j->columns = c->columns;
    j->x_step = j->y_step = c->n * c->columns;
    return cuda_fft_axis(c->dtype, gpu_log2(c->n), (unsigned)g->multiprocessors, j);
}

bool cuda_fft_takes_columns(const void *state, const fft_call *c) {
    const gpu *const g = (const gpu *)state;
    const size_t bytes = 2 * cuda_type_bytes(c->dtype);
    fft_params j;
    memset(&j, 0, sizeof j);
    if (c->columns > UINT32_MAX / bytes || c->batch > INT32_MAX) return false;
    const fft_launch launch = find_columns(g, c, &j);
    return launch.kernel && launch.shared_bytes <= g->shared_bytes && launch.blocks <= INT32_MAX;
}

static weft_status transform_columns(const fft_work *w, const void *x, void *y, const void *table,
                                     weft_error *error) {
    fft_params j = describe(w, x, y, table);
    const fft_launch launch = find_columns(w->g, w->call, &j);
    return run(w, launch, &j, error);
}

/* ----------------------------------------------------------------------------------- call */

/* Returns true if a transform requires several passes over memory. */
static bool takes_passes(const gpu *g, const fft_call *c, int log) {
    const int most = c->dtype == WEFT_F32 ? FFT_FULL_LOG_F32 : FFT_FULL_LOG_F64;
    if (log > most || (log >= most - 1 && c->batch < FFT_FULL_BATCH)) return true;
    fft_params j;
    memset(&j, 0, sizeof j);
    j.batch = c->batch;
    return cuda_fft_full(c->dtype, log, &j).shared_bytes > g->shared_bytes;
}

weft_status cuda_fft(void *state, const fft_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    fft_work w;
    w.g = g;
    w.call = c;
    w.real_side = c->kind >= WEFT_R2C;
    w.log = gpu_log2(w.real_side && c->n > 1 ? c->n / 2 : c->n);
    w.long_transform = c->columns == 0 && takes_passes(g, c, w.log);
    w.real = cuda_type_bytes(c->dtype);
    const size_t numbers = ((size_t)1 << w.log) * 2 * w.real, most = SCRATCH_MOST / numbers;
    const size_t part = most == 0 ? 1 : most < c->batch ? most : c->batch;
    const size_t columns = c->columns ? c->columns : 1;
    const size_t values = c->batch * columns * (w.real_side ? 2 * (c->n / 2 + 1) : 2 * c->n) * w.real;
    const size_t reals = c->batch * c->n * w.real;
    gpu_array arrays[] = {{"x", c->x, c->kind == WEFT_R2C ? reals : values, ARRAY_IN, false, NULL},
                          {"y", c->y, c->kind == WEFT_C2R ? reals : values, ARRAY_OUT, false, NULL}};
    const void *table;
    void *between;
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, gpu_log2(c->n), &table, error));
    RETURN_IF_ERROR(arrays_copy_in(g, NAME, arrays, 2, w.long_transform || c->kind == WEFT_C2R ? part * numbers : 0,
                                   &between, error));
    RETURN_IF_ERROR(c->columns ? transform_columns(&w, arrays[0].at, arrays[1].at, table, error)
                               : transform_all(&w, arrays[0].at, arrays[1].at, table, between, part, error));
    return arrays_copy_out(g, NAME, arrays, 2, error);
}
