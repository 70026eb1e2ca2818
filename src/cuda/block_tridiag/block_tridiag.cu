/* weft_block_tridiag and weft_pentadiag: launches and workspace (ORDER.md 27, 28). A level is reduced to its
 * separators, which are the next level, until at most 32 block rows are left; then the levels are expanded. */
#include "cuda/block_tridiag/block_tridiag_params.h"
#include "cuda/runtime/arrays.h"

#include <string.h>

enum { LINES = 6, RIGHT = LINES - 1, ARRAYS = LINES + 2, FAULT_BYTES = 256 };

static uint64_t div_up(uint64_t n, uint64_t part) { return (n - 1) / part + 1; }

/* ---------------------------------------------------------------------------------- levels */

/* Parameters common to all launches of one call. */
typedef struct solver {
    const gpu *g;
    bool f32;
    size_t k, size; /* rows of a block, bytes per value */
} solver;

static weft_status launch(const solver *s, block_pass pass, const block_params &j, weft_error *error) {
    const uint64_t blocks = div_up(j.systems * (pass == BLOCK_SOLVE ? 1 : j.chunks), BLOCK_THREADS);
    RETURN_IF(blocks > INT32_MAX, WEFT_UNSUPPORTED,
              "block_tridiag of %llu systems of %llu block rows: too many for one kernel launch",
              (unsigned long long)j.systems, (unsigned long long)j.n);
    CUDA_TRY(block_launch(pass, s->f32, s->k, j, (unsigned)blocks, s->g->stream), "block_tridiag");
    return WEFT_OK;
}

/* Returns the values of the separators and first rows of one chunk. */
static size_t values_per_chunk(size_t k) { return 5 * k * k + 2 * k; }

/* Divides the memory at `scratch` into the arrays of the separators. Returns the end of it. */
static char *take_separators(const solver *s, block_params *j, char *scratch) {
    const size_t vector = j->systems * j->chunks * s->k * s->size, matrix = s->k * vector;
    void **const matrices[] = {&j->out.a, &j->out.b, &j->out.c, &j->out.first_l, &j->out.first_c};
    for (void **m : matrices) {
        *m = scratch;
        scratch += matrix;
    }
    j->out.d = scratch;
    j->out.first_d = scratch + vector;
    j->out.step = j->interleaved ? j->systems : 1;
    j->out.line = j->interleaved ? 1 : j->chunks;
    return scratch + 2 * vector;
}

/* Returns the separators as systems of the next level. */
static block_params separators_of(const block_params &j, size_t k) {
    block_params above = j;
    const uint64_t step = j.out.step, line = j.out.line;
    block_lines *const lines[] = {&above.a, &above.b, &above.c, &above.d};
    void *const from[] = {j.out.a, j.out.b, j.out.c, j.out.d};
    for (int i = 0; i < 4; i++) {
        const uint64_t values = i < 3 ? k * k : k;
        memset(lines[i], 0, sizeof *lines[i]);
        lines[i]->p = from[i];
        lines[i]->step = step * values;
        lines[i]->line = line * values;
    }
    above.pentadiagonal = false;
    above.n = j.chunks;
    above.x = j.out.d; /* in place */
    above.scale = j.scale * BLOCK_CHUNK;
    return above;
}

static weft_status solve(const solver *s, block_params j, char *scratch, weft_error *error) {
    if (j.n <= BLOCK_BASE) return launch(s, BLOCK_SOLVE, j, error);
    j.chunks = div_up(j.n, BLOCK_CHUNK);
    char *const rest = take_separators(s, &j, scratch);
    RETURN_IF_ERROR(launch(s, BLOCK_REDUCE, j, error));
    RETURN_IF_ERROR(launch(s, BLOCK_LINK, j, error));
    RETURN_IF_ERROR(solve(s, separators_of(j, s->k), rest, error));
    return launch(s, BLOCK_EXPAND, j, error);
}

/* Returns the bytes of workspace for the levels of separators. */
static size_t scratch_bytes(const block_tridiag_call *c, size_t n) {
    size_t values = 0;
    while (n > BLOCK_BASE) {
        n = div_up(n, BLOCK_CHUNK);
        values += values_per_chunk(c->block) * c->systems * n;
    }
    return FAULT_BYTES + values * cuda_type_bytes(c->dtype);
}

/* ---------------------------------------------------------------------------------- a call */

/* Returns the values of an element of line i. */
static size_t values_of(const block_tridiag_call *c, int i) {
    if (c->pentadiagonal) return 1;
    return i == RIGHT ? c->block : c->block * c->block;
}

static bool is_constant(weft_lines l, int i) { return i != RIGHT && l.step == 0 && l.line == 0; }

/* Returns the bytes from the first element to the last. */
static size_t span(const block_tridiag_call *c, weft_lines l, int i) {
    if (c->systems == 0 || c->n == 0) return 0;
    return ((c->systems - 1) * l.line + (c->n - 1) * l.step + 1) * values_of(c, i) * cuda_type_bytes(c->dtype);
}

static block_lines lines_of(const block_tridiag_call *c, weft_lines l, int i) {
    const size_t values = values_of(c, i);
    block_lines lines;
    memset(&lines, 0, sizeof lines);
    lines.constant = is_constant(l, i);
    lines.p = l.p;
    lines.step = l.step * values;
    lines.line = l.line * values;
    if (lines.constant && l.p) memcpy(lines.value, l.p, values * cuda_type_bytes(c->dtype));
    return lines;
}

/* All arrays are in device memory. */
static weft_status run(const gpu *g, const block_tridiag_call *c, void *scratch, weft_error *error) {
    const uint64_t per_row = c->pentadiagonal ? 2 : 1, n = c->n ? div_up(c->n, per_row) : 0;
    uint64_t *const faults = (uint64_t *)scratch;
    CUDA_TRY(cudaMemsetAsync(faults, 0xff, sizeof *faults, g->stream), "block_tridiag");
    if (c->systems && n) {
        block_params j;
        memset(&j, 0, sizeof j);
        const weft_lines in[LINES] = {c->e, c->a, c->b, c->c, c->f, c->d};
        block_lines *const out[LINES] = {&j.e, &j.a, &j.b, &j.c, &j.f, &j.d};
        for (int i = 0; i < LINES; i++) *out[i] = lines_of(c, in[i], i);
        j.x = c->x;
        j.systems = c->systems;
        j.n = j.full_n = n;
        j.elements = c->n;
        j.pentadiagonal = c->pentadiagonal;
        j.periodic = c->periodic;
        j.interleaved = c->d.line < c->d.step;
        j.faults = faults;
        j.scale = 1;
        const solver s = {g, c->dtype == WEFT_F32, c->block, cuda_type_bytes(c->dtype)};
        RETURN_IF_ERROR(solve(&s, j, (char *)scratch + FAULT_BYTES, error));
    }
    CUDA_TRY(block_launch_singular(faults, n, c->n, per_row, c->singular, g->stream), "block_tridiag");
    return WEFT_OK;
}

weft_status cuda_block_tridiag(void *state, const block_tridiag_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const char *const name = c->pentadiagonal ? "pentadiag" : "block_tridiag";
    static const char *const names[LINES] = {"e", "a", "b", "c", "f", "d"};
    block_tridiag_call there = *c; /* the call with device addresses */
    weft_lines *const in[LINES] = {&there.e, &there.a, &there.b, &there.c, &there.f, &there.d};
    const size_t x_bytes = span(c, c->d, RIGHT);
    const bool gaps = x_bytes != c->systems * c->n * values_of(c, RIGHT) * cuda_type_bytes(c->dtype);
    gpu_array arrays[ARRAYS];
    memset(arrays, 0, sizeof arrays);
    for (int i = 0; i < LINES; i++) {
        const void *const p = is_constant(*in[i], i) ? NULL : in[i]->p;
        arrays[i] = gpu_array{names[i], p, p ? span(c, *in[i], i) : 0, ARRAY_IN, false, NULL};
    }
    arrays[LINES] = gpu_array{"x", c->x, x_bytes, gaps ? ARRAY_BOTH : ARRAY_OUT, false, NULL};
    arrays[LINES + 1] = gpu_array{"singular", c->singular, sizeof *c->singular, ARRAY_OUT, false, NULL};
    void *scratch;
    const size_t rows = c->n / (c->pentadiagonal ? 2 : 1) + 1;
    RETURN_IF_ERROR(arrays_copy_in(g, name, arrays, ARRAYS, scratch_bytes(c, rows), &scratch, error));
    for (int i = 0; i < LINES; i++)
        if (arrays[i].p) in[i]->p = arrays[i].at;
    there.x = arrays[LINES].at;
    there.singular = (uint64_t *)arrays[LINES + 1].at;
    RETURN_IF_ERROR(run(g, &there, scratch, error));
    return arrays_copy_out(g, name, arrays, ARRAYS, error);
}
