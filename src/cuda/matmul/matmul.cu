/* weft_matmul on a GPU: copies of the matrices, choice of a kernel, launches (ORDER.md 13). */
#include "cuda/matmul/matmul_exact.h"
#include "cuda/matmul/matmul_kernels.h"
#include "cuda/runtime/arrays.h"

#include <string.h>

enum { A, B, C, ARRAYS, COMBINE_THREADS = 256 };
#define BLOCKS_MAX 0x7fffffffu
#ifndef PAIRS_FROM /* chains from which on a thread computes two of them, in products with a vector */
#define PAIRS_FROM ((uint64_t)1 << 17)
#endif
#define SUMS_MAX ((uint64_t)1 << 24) /* about the number of parts' sums in the workspace; at least one product's */

static uint64_t div_up(uint64_t n, uint64_t size) { return (n - 1) / size + 1; }

static weft_status launch(const gpu *g, const void *kernel, uint64_t blocks, uint32_t threads, size_t shared,
                          void **arguments, weft_error *error) {
    RETURN_IF(blocks > BLOCKS_MAX, WEFT_INVALID, "matmul requires %llu blocks: a GPU supports at most %u in a launch",
              (unsigned long long)blocks, BLOCKS_MAX);
    RETURN_IF_ERROR(gpu_allow_shared(g, kernel, "matmul", error));
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), arguments, shared, g->stream), "matmul");
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- the memory */

/* Returns the bytes from the first element of the batch's matrices to the end of the last one. */
static size_t extent(const matmul_call *c, size_t rows, size_t width, size_t ld, size_t stride) {
    return rows && width ? ((c->batch - 1) * stride + (rows - 1) * ld + width) * cuda_type_bytes(c->dtype) : 0;
}

static void list_arrays(const matmul_call *c, const matmul_step *step, gpu_array arrays[ARRAYS]) {
    const matmul_operand *a = &c->a, *b = &c->b;
    const size_t in =
        a->transposed ? extent(c, c->k, c->m, a->ld, a->stride) : extent(c, c->m, c->k, a->ld, a->stride);
    const size_t by =
        b->transposed ? extent(c, c->n, c->k, b->ld, b->stride) : extent(c, c->k, c->n, b->ld, b->stride);
    const bool runs = !step || step->stage != MATMUL_END, ends = !step || !runs;
    memset(arrays, 0, ARRAYS * sizeof *arrays);
    arrays[A].name = "A", arrays[A].p = a->p, arrays[A].bytes = runs ? in : 0, arrays[A].use = ARRAY_IN;
    arrays[B].name = "B", arrays[B].p = b->p, arrays[B].bytes = runs ? by : 0, arrays[B].use = ARRAY_IN;
    arrays[C].name = "C", arrays[C].p = c->c, arrays[C].bytes = ends ? extent(c, c->m, c->n, c->ldc, c->stride_c) : 0;
    arrays[C].use = c->beta == 0 ? ARRAY_OUT : ARRAY_BOTH;
}

/* Copies C to host memory row by row. Memory between its rows belongs to the caller and is not written. */
static weft_status return_c(const gpu *g, const matmul_call *c, const gpu_array *array, weft_error *error) {
    const size_t size = cuda_type_bytes(c->dtype);
    if (!array->on_host || array->bytes == 0) return WEFT_OK;
    for (size_t i = 0; i < c->batch; i++) {
        const size_t at = i * c->stride_c * size;
        CUDA_TRY(cudaMemcpy2DAsync((char *)array->p + at, c->ldc * size, (const char *)array->at + at, c->ldc * size,
                                   c->n * size, c->m, cudaMemcpyDeviceToHost, g->stream),
                 "matmul");
    }
    CUDA_TRY(cudaStreamSynchronize(g->stream), "matmul");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ parameters */

static bool has_vectors(const void *p, uint64_t ld, uint64_t stride, size_t size) {
    return ((uintptr_t)p | ld * size | stride * size) % 16 == 0;
}

static matmul_factor factor_of(const matmul_call *c, const matmul_operand *x, const void *at, bool across) {
    matmul_factor f;
    f.p = at;
    f.ld = x->ld;
    f.stride = x->stride;
    f.across = across;
    f.vectors = has_vectors(at, x->ld, c->batch > 1 ? x->stride : 0, cuda_type_bytes(c->dtype));
    return f;
}

/* Returns the parameters for the whole batch. With m = 1 and n > 1 it computes C' = B' A', so that a vector is always
 * the second factor. */
static matmul_params params_of(const matmul_call *c, const gpu_array arrays[ARRAYS]) {
    matmul_params j;
    memset(&j, 0, sizeof j);
    const matmul_factor a = factor_of(c, &c->a, arrays[A].at, c->a.transposed);
    const matmul_factor b = factor_of(c, &c->b, arrays[B].at, !c->b.transposed);
    const bool transposed = c->m == 1 && c->n > 1;
    j.a = transposed ? b : a;
    j.b = transposed ? a : b;
    j.m = transposed ? c->n : c->m;
    j.n = transposed ? 1 : c->n;
    j.c = arrays[C].at;
    j.ldc = transposed ? 1 : c->ldc;
    j.stride_c = c->stride_c;
    j.vectors_c = has_vectors(j.c, j.ldc, c->batch > 1 ? j.stride_c : 0, cuda_type_bytes(c->dtype));
    j.k = c->k;
    j.part = c->part;
    j.parts = c->k ? (uint32_t)div_up(c->k, c->part) : 1;
    j.alpha = c->alpha;
    j.beta = c->beta;
    return j;
}

/* Returns the parameters for `items` products of the batch, starting at product `first`. */
static matmul_params items_of(const matmul_call *c, const matmul_params *all, uint64_t first, uint64_t items) {
    const size_t size = cuda_type_bytes(c->dtype);
    matmul_params j = *all;
    j.items = items;
    j.a.p = (const char *)j.a.p + first * j.a.stride * size;
    j.b.p = (const char *)j.b.p + first * j.b.stride * size;
    j.c = (char *)j.c + first * j.stride_c * size;
    return j;
}

/* ------------------------------------------------------------------------------------ kernels */

/* Returns the relative efficiency of shape i, or 0 to exclude it. The shape that was measured fastest on large
 * products gets the value `lead`. `alone`: no multiprocessor has more than one block. */
static double efficiency_of(const gpu *g, const matmul_call *c, const matmul_tile_launch *list, int i, bool alone) {
    const double lead = 1.1, own = alone ? list[i].alone : list[i].efficiency;
    const cuda_choice *chosen = &g->chosen[TUNE_MATMUL_F32];
    if (c->accumulate != WEFT_F32 || chosen->variant == 0) return own;
    if ((size_t)i == chosen->variant - 1) return lead;
    return chosen->everywhere ? 0 : own;
}

/* Returns the shape with the least estimated time, or NULL if none fits in shared memory. The estimate assumes that
 * blocks run in waves of one block per multiprocessor. */
static const matmul_tile_launch *choose(const gpu *g, const matmul_call *c, const matmul_params *j) {
    const matmul_tile_launch *list, *best = NULL;
    double least = 0;
    const int count = cuda_matmul_tiles(c->dtype, c->accumulate, &list);
    for (int i = 0; i < count; i++) {
        const matmul_tile_launch *l = &list[i];
        const double blocks = (double)div_up(j->m, l->rows) * (double)div_up(j->n, l->columns) * j->parts * j->items;
        const double held = (double)g->multiprocessors, waves = (double)(uint64_t)((blocks + held - 1) / held);
        const double efficiency = efficiency_of(g, c, list, i, waves == 1);
        const double cost = waves * l->rows * l->columns / efficiency;
        if (l->shared_bytes[j->a.across][j->b.across] > g->shared_bytes || efficiency == 0) continue;
        if (best && cost >= least) continue;
        best = l;
        least = cost;
    }
    return best;
}

static weft_status run_tiles(const gpu *g, const matmul_call *c, matmul_params *j, weft_error *error) {
    const matmul_tile_launch *l = choose(g, c, j);
    RETURN_IF(!l, WEFT_INTERNAL, "matmul: no kernel fits in %zu bytes of shared memory", g->shared_bytes);
    j->row_tiles = div_up(j->m, l->rows);
    j->column_tiles = div_up(j->n, l->columns);
    void *arguments[] = {j};
    return launch(g, j->resumed ? l->resumed : l->kernels[j->a.across][j->b.across],
                  j->row_tiles * j->column_tiles * j->parts * j->items, l->threads,
                  l->shared_bytes[j->a.across][j->b.across], arguments, error);
}

static weft_status run_vector(const gpu *g, const matmul_call *c, matmul_params *j, weft_error *error) {
    const bool in_pairs = j->a.vectors && j->m % 2 == 0 && j->m * j->parts * j->items >= PAIRS_FROM;
    const matmul_vector_launch l = cuda_matmul_vector(c->dtype, c->accumulate, j->a.across, in_pairs);
    const uint64_t members = div_up(j->m, l.member) * j->parts * j->items;
    void *arguments[] = {j};
    return launch(g, l.kernel, div_up(members, l.members), l.threads, l.shared_bytes, arguments, error);
}

/* Combines the parts' sums in passes that alternate between j.sums and `spare`, until one sum per element is left.
 * The last pass writes C. */
static weft_status combine_parts(const gpu *g, const matmul_call *c, const matmul_params *all, void *spare,
                                 weft_error *error) {
    matmul_params j = *all;
    while (j.parts > 0) {
        const uint32_t groups = (uint32_t)div_up(j.parts, MATMUL_COMBINED);
        void *to = groups > 1 ? spare : NULL;
        void *arguments[] = {&j, &to};
        RETURN_IF_ERROR(launch(g, cuda_matmul_combine_kernel(c->dtype, c->accumulate),
                               div_up(j.m * j.n * groups * j.items, COMBINE_THREADS), COMBINE_THREADS, 0, arguments,
                               error));
        spare = j.sums;
        j.sums = to;
        j.parts = groups > 1 ? groups : 0;
    }
    return WEFT_OK;
}

static weft_status run_items(const gpu *g, const matmul_call *c, const matmul_step *step, matmul_params *j,
                             void *spare, weft_error *error) {
    if (c->k == 0) {
        void *arguments[] = {j};
        return launch(g, cuda_matmul_scale_kernel(c->dtype, c->accumulate),
                      div_up(j->m * j->n * j->items, COMBINE_THREADS), COMBINE_THREADS, 0, arguments, error);
    }
    if (!step || step->stage != MATMUL_END)
        RETURN_IF_ERROR(j->n == 1 ? run_vector(g, c, j, error) : run_tiles(g, c, j, error));
    const bool ends = step ? step->stage == MATMUL_END : j->parts > 1;
    return ends ? combine_parts(g, c, j, spare, error) : WEFT_OK;
}

/* Computes the products, or one stage if `step` is not NULL. */
static weft_status run(gpu *g, const matmul_call *c, const matmul_step *step, weft_error *error) {
    const current_device scope(g->device);
    gpu_array arrays[ARRAYS];
    list_arrays(c, step, arrays);
    const uint64_t parts = c->k ? div_up(c->k, c->part) : 1, values = c->m * c->n * parts;
    uint64_t slots = c->batch;
    if (parts > 1 && slots > div_up(SUMS_MAX, values)) slots = div_up(SUMS_MAX, values);
    const bool keeps = parts > 1 && !step;
    const size_t sums_bytes = keeps ? slots * values * cuda_type_bytes(c->accumulate) : 0;
    const size_t spare_bytes = parts > MATMUL_COMBINED ? slots * c->m * c->n * div_up(parts, MATMUL_COMBINED) *
                                                             cuda_type_bytes(c->accumulate)
                                                       : 0;
    const size_t spare_at = div_up(sums_bytes + 1, 256) * 256;
    void *sums;
    RETURN_IF_ERROR(
        arrays_copy_in(g, "matmul", arrays, ARRAYS, parts > 1 ? spare_at + spare_bytes : 0, &sums, error));
    matmul_params all = params_of(c, arrays);
    all.resumed = step && step->stage == MATMUL_GO_ON;
    for (uint64_t first = 0; first < c->batch; first += slots) {
        matmul_params j = items_of(c, &all, first, c->batch - first < slots ? c->batch - first : slots);
        j.sums = step ? step->sums : keeps ? sums : NULL;
        RETURN_IF_ERROR(run_items(g, c, step, &j, (char *)sums + spare_at, error));
    }
    RETURN_IF_ERROR(return_c(g, c, &arrays[C], error));
    return arrays_copy_out(g, "matmul", arrays, C, error);
}

/* Maximum bytes of the workspace of an exact product, if its smallest block fits; less if memory is short. The
 * emulated GPU of the tests uses small blocks. */
#ifndef EXACT_BYTES
#define EXACT_BYTES ((size_t)4 << 30)
#endif
#define EXACT_BYTES_MIN ((size_t)64 << 20)

/* Computes an exact product (ORDER.md 31). */
static weft_status run_exact(gpu *g, const matmul_call *c, weft_error *error) {
    const current_device scope(g->device);
    gpu_array arrays[ARRAYS];
    void *workspace;
    size_t limit = EXACT_BYTES;
    list_arrays(c, NULL, arrays);
    exact_plan plan = cuda_matmul_exact_plan(c, limit);
    weft_status status = arrays_copy_in(g, "matmul", arrays, ARRAYS, plan.bytes, &workspace, error);
    while (status == WEFT_OUT_OF_MEMORY && limit > EXACT_BYTES_MIN) {
        limit /= 2;
        plan = cuda_matmul_exact_plan(c, limit);
        status = arrays_copy_in(g, "matmul", arrays, ARRAYS, plan.bytes, &workspace, error);
    }
    RETURN_IF_ERROR(status);
    const matmul_factor a = factor_of(c, &c->a, arrays[A].at, c->a.transposed);
    const matmul_factor b = factor_of(c, &c->b, arrays[B].at, !c->b.transposed);
    RETURN_IF_ERROR(cuda_matmul_exact(g, c, &plan, &a, &b, arrays[C].at, workspace, error));
    RETURN_IF_ERROR(return_c(g, c, &arrays[C], error));
    return arrays_copy_out(g, "matmul", arrays, C, error);
}

weft_status cuda_matmul(void *state, const matmul_call *c, weft_error *error) {
    if (c->accumulate == WEFT_EXACT_SUM) return run_exact((gpu *)state, c, error);
    return run((gpu *)state, c, NULL, error);
}

weft_status cuda_matmul_stage(void *state, const matmul_stage_call *c, weft_error *error) {
    return run((gpu *)state, &c->product, &c->step, error);
}
