/* weft_tridiag: choice of kernels, launches, workspace (ORDER.md 16). */
#include "cuda/runtime/arrays.h"
#include "cuda/tridiag/tridiag_call.h"

#include <string.h>

enum {
    INPUTS = 4,
    FAULT_BYTES = TRIDIAG_FAULT_BYTES,
    EVEN = 4 /* a line of separators is padded to a multiple of this number of elements */
};

static size_t div_up(size_t n, size_t part) { return (n - 1) / part + 1; }

/* Parameters common to all launches of one call. */
typedef struct solver {
    gpu *g;
    bool f32;
    size_t size; /* bytes per element */
} solver;

/* ---------------------------------------------------------------------------------- launches */

static bool on_16_bytes(const solver *s, const tridiag_params *j, const tridiag_lines &l) {
    return l.constant || (((uintptr_t)l.p | (j->systems > 1 ? l.line * s->size : 0)) % 16 == 0);
}

static weft_status launch(const solver *s, const tridiag_params *j, const void *kernel, uint64_t blocks,
                          uint32_t threads, size_t shared, weft_error *error) {
    return tridiag_launch(s->g, "tridiag", kernel, j, j, blocks, threads, shared, error);
}

/* Sets the members that depend on the size and the addresses of the systems. */
static void shape(const solver *s, tridiag_params *j) {
    const uint64_t absent = div_up(j->n, TRIDIAG_CHUNK) * TRIDIAG_CHUNK - j->n;
    const tridiag_lines x = {j->x, j->d.step, j->d.line, false, 0, 0};
    j->chunks = div_up(j->n, TRIDIAG_CHUNK);
    j->vectors = absent * s->size % 16 == 0 && on_16_bytes(s, j, j->a) && on_16_bytes(s, j, j->b) &&
                 on_16_bytes(s, j, j->c) && on_16_bytes(s, j, j->d) && on_16_bytes(s, j, x);
}

/* Returns the smallest power of two that is at least n. */
static uint32_t power_of_two(uint64_t n) {
    uint32_t power = 1;
    while (power < n) power *= 2;
    return power;
}

/* Launches warps with one row, or one chunk, per lane. */
static weft_status launch_warps(const solver *s, tridiag_params *j, weft_error *error) {
    const bool is_short = j->n <= TRIDIAG_BASE, constant = j->a.constant && j->b.constant && j->c.constant;
    j->side = power_of_two(is_short ? j->n : j->chunks);
    const uint64_t warps = div_up(j->systems, 32 / j->side), blocks = div_up(warps, TRIDIAG_THREADS / 32);
    const size_t shared = (constant ? 1 : INPUTS) * (TRIDIAG_THREADS / 32) * TRIDIAG_WARP_ROWS * s->size;
    if (is_short) return launch(s, j, tridiag_short_kernel(s->f32), blocks, TRIDIAG_THREADS, 0, error);
    return launch(s, j, tridiag_warp_kernel(s->f32, constant), blocks, TRIDIAG_THREADS, shared, error);
}

/* Launches blocks with one chunk per thread. */
static weft_status launch_blocks(const solver *s, tridiag_params *j, bool adjacent, weft_error *error) {
    const uint32_t chunks = (uint32_t)j->chunks, fit = TRIDIAG_GATHER_THREADS(s->size) / chunks;
    j->side = adjacent ? 1 : fit < TRIDIAG_SIDE ? fit : TRIDIAG_SIDE;
    j->lanes = power_of_two(chunks);
    const uint32_t threads = (j->side * chunks + 31) / 32 * 32, pitch = (chunks + 31) / 32 * 32;
    const size_t tiles = adjacent ? INPUTS * threads * TRIDIAG_CHUNK * s->size : 0;
    return launch(s, j, tridiag_block_kernel(s->f32, adjacent), div_up(j->systems, j->side), threads,
                  tiles + 7 * j->side * pitch * s->size, error);
}

/* Launches one of the two kernels of long systems; adjacent blocks have `overlap` chunks in common. */
static weft_status launch_long(const solver *s, const tridiag_params *j, const void *kernel, bool adjacent,
                               uint32_t overlap, weft_error *error) {
    const uint32_t side = adjacent ? 1 : TRIDIAG_SIDE;
    const uint64_t blocks = div_up(j->chunks, TRIDIAG_LONG_THREADS / side - overlap) * div_up(j->systems, side);
    const size_t shared = adjacent ? INPUTS * TRIDIAG_LONG_THREADS * TRIDIAG_CHUNK * s->size : 0;
    return launch(s, j, kernel, blocks, TRIDIAG_LONG_THREADS, shared, error);
}

/* ---------------------------------------------------------------------------------- levels */

/* Returns true if the systems are solved by one launch. */
static bool fits_a_block(size_t size, bool adjacent, size_t n) {
    const size_t chunks = div_up(n, TRIDIAG_CHUNK);
    return n <= TRIDIAG_BASE || (adjacent ? chunks <= TRIDIAG_BLOCK_THREADS(size) : chunks <= TRIDIAG_BASE);
}

/* Returns the number of elements of workspace for the levels of separators. */
static size_t scratch_elements(size_t size, bool adjacent, size_t systems, size_t n) {
    size_t elements = 0;
    while (!fits_a_block(size, adjacent, n)) {
        n = div_up(n, TRIDIAG_CHUNK);
        elements += INPUTS * systems * (div_up(n, EVEN) * EVEN);
    }
    return elements;
}

static weft_status solve(const solver *s, tridiag_params *j, bool adjacent, char *scratch, weft_error *error) {
    shape(s, j);
    if (adjacent ? j->n <= TRIDIAG_WARP_ROWS : j->n <= TRIDIAG_BASE) return launch_warps(s, j, error);
    if (fits_a_block(s->size, adjacent, j->n)) return launch_blocks(s, j, adjacent, error);
    const size_t line = div_up(j->chunks, EVEN) * EVEN, bytes = j->systems * line * s->size;
    j->out_step = adjacent ? 1 : j->systems;
    j->out_line = adjacent ? line : 1;
    void **const out[INPUTS] = {&j->out_a, &j->out_b, &j->out_c, &j->out_d};
    for (int i = 0; i < INPUTS; i++, scratch += bytes) *out[i] = scratch;
    RETURN_IF_ERROR(launch_long(s, j, tridiag_reduce_kernel(s->f32, adjacent), adjacent, 1, error));
    tridiag_params above = *j;
    tridiag_lines *const lines[INPUTS] = {&above.a, &above.b, &above.c, &above.d};
    for (int i = 0; i < INPUTS; i++) *lines[i] = tridiag_lines{*out[i], j->out_step, j->out_line, false, 0, 0};
    above.n = j->chunks;
    above.x = j->out_d; /* in place */
    above.scale = j->scale * TRIDIAG_CHUNK;
    RETURN_IF_ERROR(solve(s, &above, adjacent, scratch, error));
    return launch_long(s, j, tridiag_expand_kernel(s->f32, adjacent), adjacent, 0, error);
}

/* ---------------------------------------------------------------------------------- a call */

size_t gpu_tridiag_scratch(const tridiag_call *c) {
    if (c->systems == 0 || c->n == 0) return FAULT_BYTES;
    const size_t size = cuda_type_bytes(c->dtype);
    const tridiag_params j = tridiag_params_of(c);
    return FAULT_BYTES + scratch_elements(size, tridiag_all_adjacent(&j), c->systems, c->n) * size;
}

weft_status gpu_tridiag_solve(gpu *g, const tridiag_call *c, void *scratch, weft_error *error) {
    const solver s = {g, c->dtype == WEFT_F32, cuda_type_bytes(c->dtype)};
    uint64_t *const faults = c->singular ? (uint64_t *)scratch : NULL;
    if (faults) CUDA_TRY(cudaMemsetAsync(faults, 0xff, sizeof *faults, g->stream), "tridiag");
    if (c->systems && c->n) {
        tridiag_params j = tridiag_params_of(c);
        j.faults = faults;
        RETURN_IF_ERROR(solve(&s, &j, tridiag_all_adjacent(&j), (char *)scratch + FAULT_BYTES, error));
    }
    return faults ? tridiag_report_first(g, "tridiag", faults, c->n, c->singular, error) : WEFT_OK;
}

/* ---------------------------------------------------------------------------------- stages */

/* Returns the parameters of a stage's launches. */
static tridiag_params params_of_stage(const tridiag_call *c, const tridiag_part *p) {
    tridiag_params j = tridiag_params_of(c);
    j.begins = p->begins;
    j.ends = p->ends;
    j.full_n = p->whole;
    j.scale = p->scale;
    j.first = p->first;
    void **const out[INPUTS] = {&j.out_a, &j.out_b, &j.out_c, &j.out_d};
    for (int i = 0; i < INPUTS; i++) *out[i] = p->separators[i];
    j.out_step = 1;
    j.head = p->head;
    if (p->before) j.before = tridiag_lines_of(c, weft_lines{p->before, 0, 0}, true);
    return j;
}

/* Launches a stage. All arrays except `before` must be in device memory. */
static weft_status launch_stage(gpu *g, const tridiag_call *c, const tridiag_part *p, char *scratch,
                                weft_error *error) {
    const solver s = {g, c->dtype == WEFT_F32, cuda_type_bytes(c->dtype)};
    const bool reduces = p->stage == TRIDIAG_REDUCE;
    tridiag_params j = params_of_stage(c, p);
    j.faults = p->fault;
    CUDA_TRY(cudaMemsetAsync(j.faults, 0xff, sizeof *j.faults, g->stream), "tridiag");
    if (p->stage == TRIDIAG_LEVEL) return solve(&s, &j, tridiag_all_adjacent(&j), scratch, error);
    shape(&s, &j);
    return launch_long(&s, &j, reduces ? tridiag_reduce_kernel(s.f32, true) : tridiag_expand_kernel(s.f32, true),
                       true, reduces ? 1 : 0, error);
}

enum { STAGE_ARRAYS = 2 * INPUTS + 3 };

/* Lists the arrays of a stage. Those that it does not use are NULL. */
static void list_stage_arrays(const tridiag_call *c, const tridiag_part *p, gpu_array arrays[STAGE_ARRAYS]) {
    static const char *const names[STAGE_ARRAYS] = {"a", "b", "c", "d", "a", "b", "c", "d", "x", "head", "fault"};
    const weft_lines in[INPUTS] = {c->a, c->b, c->c, c->d};
    const bool reduces = p->stage == TRIDIAG_REDUCE, expands = p->stage == TRIDIAG_EXPAND;
    const size_t size = cuda_type_bytes(c->dtype), bytes = c->n * size, chunks = div_up(c->n, TRIDIAG_CHUNK) * size;
    memset(arrays, 0, STAGE_ARRAYS * sizeof *arrays);
    for (int i = 0; i < INPUTS; i++) {
        const bool used = reduces || (expands && i == INPUTS - 1);
        arrays[i] = gpu_array{names[i], tridiag_is_constant(in[i]) ? NULL : in[i].p, bytes, ARRAY_IN, false, NULL};
        arrays[INPUTS + i] =
            gpu_array{names[i], used ? p->separators[i] : NULL, chunks, reduces ? ARRAY_OUT : ARRAY_IN, false, NULL};
    }
    arrays[2 * INPUTS] = gpu_array{names[8], reduces ? NULL : c->x, bytes, ARRAY_OUT, false, NULL};
    arrays[2 * INPUTS + 1] = gpu_array{names[9], reduces ? p->head : NULL, 3 * size, ARRAY_OUT, false, NULL};
    arrays[2 * INPUTS + 2] = gpu_array{names[10], p->fault, sizeof *p->fault, ARRAY_OUT, false, NULL};
}

weft_status cuda_tridiag_stage(void *state, const tridiag_stage_call *call, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const tridiag_call *c = &call->rows;
    gpu_array arrays[STAGE_ARRAYS];
    tridiag_part part = call->part; /* with device addresses */
    tridiag_call there = *c;        /* with device addresses */
    weft_lines *const in[INPUTS] = {&there.a, &there.b, &there.c, &there.d};
    void *scratch;
    list_stage_arrays(c, &call->part, arrays);
    RETURN_IF_ERROR(arrays_copy_in(g, "tridiag", arrays, STAGE_ARRAYS, gpu_tridiag_scratch(c), &scratch, error));
    for (int i = 0; i < INPUTS; i++) {
        if (arrays[i].p) in[i]->p = arrays[i].at;
        part.separators[i] = arrays[INPUTS + i].at;
    }
    there.x = arrays[2 * INPUTS].at;
    part.head = arrays[2 * INPUTS + 1].at;
    part.fault = (uint64_t *)arrays[2 * INPUTS + 2].at;
    RETURN_IF_ERROR(launch_stage(g, &there, &part, (char *)scratch + FAULT_BYTES, error));
    return arrays_copy_out(g, "tridiag", arrays, STAGE_ARRAYS, error);
}

weft_status cuda_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    return tridiag_run((gpu *)state, "tridiag", c, gpu_tridiag_scratch(c), gpu_tridiag_solve, error);
}
