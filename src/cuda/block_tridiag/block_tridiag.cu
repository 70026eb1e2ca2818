/* weft_block_tridiag and weft_pentadiag: launches and workspace (ORDER.md 27, 28). A level is reduced to its
 * separators, which are the next level, until the systems fit into shared memory or have at most 32 block rows; then
 * the levels are expanded. */
#include "cuda/block_tridiag/block_tridiag_params.h"
#include "cuda/runtime/arrays.h"

#include <string.h>

enum { LINES = 6, RIGHT = LINES - 1, ARRAYS = LINES + 2, FAULT_BYTES = 256 };

static uint64_t div_up(uint64_t n, uint64_t part) { return (n - 1) / part + 1; }

/* Parameters common to all launches of one call. */
typedef struct solver {
    const gpu *g;
    bool f32;
    size_t k, size; /* rows of a block, bytes per value */
} solver;

static weft_status check_blocks(const block_params &j, uint64_t blocks, weft_error *error) {
    RETURN_IF(blocks > INT32_MAX, WEFT_UNSUPPORTED,
              "block_tridiag of %llu systems of %llu block rows: too many for one kernel launch",
              (unsigned long long)j.systems, (unsigned long long)j.n);
    return WEFT_OK;
}

static weft_status launch(const solver *s, block_pass pass, const block_params &j, weft_error *error) {
    const uint64_t blocks = div_up(j.systems * (pass == BLOCK_SOLVE ? 1 : j.chunks), BLOCK_THREADS);
    RETURN_IF_ERROR(check_blocks(j, blocks, error));
    CUDA_TRY(block_launch(pass, s->f32, s->k, j, (unsigned)blocks, s->g->stream), "block_tridiag");
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------- shared memory */

/* Sizes that determine how systems are solved in shared memory. */
typedef struct systems_shape {
    size_t k, size; /* rows of a block, bytes per value */
    uint64_t n;     /* block rows */
    bool pairs, interleaved;
} systems_shape;

static bool is_team(const systems_shape *s) { return s->n > BLOCK_BASE; }

/* Returns the bytes of shared memory per system. */
static size_t staged_bytes(const systems_shape *s) {
    const size_t row = BLOCK_ROW_VALUES(s->k, s->pairs), separator = BLOCK_ROW_VALUES(s->k, false);
    if (!is_team(s)) return BLOCK_PITCH(s->n * row) * s->size;
    return div_up(s->n, BLOCK_CHUNK) * (BLOCK_PITCH(BLOCK_CHUNK * row) + BLOCK_PITCH(separator)) * s->size;
}

/* Returns the number of systems that a block solves in shared memory, or 0 if they are not solved there: longer
 * systems, and short ones whose rows are read well by a thread each. Four blocks fit on a multiprocessor if they have
 * enough systems then: a warp, or 32 bytes of x in adjacent systems. */
static uint32_t staged_side(const gpu *g, const systems_shape *s) {
    const size_t own = 1024; /* bytes of shared memory that each block occupies in addition */
    if (s->n > BLOCK_BASE * BLOCK_CHUNK || (!is_team(s) && s->interleaved)) return 0;
    const size_t bytes = staged_bytes(s), quarter = (g->shared_bytes - 3 * own) / 4 / bytes;
    if (!is_team(s)) {
        const size_t warps = quarter / 32 < BLOCK_STAGED_THREADS / 32 ? quarter / 32 : BLOCK_STAGED_THREADS / 32;
        return warps ? (uint32_t)warps * 32 : 64 * bytes <= g->shared_bytes ? 32 : 0;
    }
    const size_t chunks = div_up(s->n, BLOCK_CHUNK), most = BLOCK_TEAM_THREADS / 2 / chunks;
    const size_t sector = div_up(32, (s->pairs ? 1 : s->k) * s->size);
    const size_t side = quarter < most ? quarter : most;
    if (side >= sector) return (uint32_t)(side / sector * sector);
    const size_t all = g->shared_bytes / bytes;
    return (uint32_t)(all < sector ? all : sector);
}

static systems_shape shape_of(const solver *s, const block_params &j) {
    return systems_shape{s->k, s->size, j.n, j.pentadiagonal, j.interleaved};
}

static weft_status launch_staged(const solver *s, block_params *j, weft_error *error) {
    const systems_shape shape = shape_of(s, *j);
    const void *const kernel = block_staged_kernel(s->f32, s->k, j->pentadiagonal, is_team(&shape));
    void *arguments[] = {j};
    j->chunks = is_team(&shape) ? div_up(j->n, BLOCK_CHUNK) : 1;
    const uint64_t blocks = div_up(j->systems, j->side), threads = div_up(j->side * j->chunks, 32) * 32;
    RETURN_IF_ERROR(check_blocks(*j, blocks, error));
    RETURN_IF_ERROR(gpu_allow_shared(s->g, kernel, "block_tridiag", error));
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments,
                              j->side * staged_bytes(&shape), s->g->stream),
             "block_tridiag");
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- levels */

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
    const systems_shape shape = shape_of(s, j);
    j.side = staged_side(s->g, &shape);
    if (j.side) return launch_staged(s, &j, error);
    if (j.n <= BLOCK_BASE) return launch(s, BLOCK_SOLVE, j, error);
    j.chunks = div_up(j.n, BLOCK_CHUNK);
    char *const rest = take_separators(s, &j, scratch);
    RETURN_IF_ERROR(launch(s, BLOCK_REDUCE, j, error));
    RETURN_IF_ERROR(launch(s, BLOCK_LINK, j, error));
    RETURN_IF_ERROR(solve(s, separators_of(j, s->k), rest, error));
    return launch(s, BLOCK_EXPAND, j, error);
}

/* ---------------------------------------------------------------------------------- a call */

/* Returns the values of an element of line i. */
static size_t values_of(const block_tridiag_call *c, int i) {
    if (c->pentadiagonal) return 1;
    return i == RIGHT ? c->block : c->block * c->block;
}

/* Returns the block rows of a system. */
static uint64_t rows_of(const block_tridiag_call *c) { return c->n ? div_up(c->n, c->pentadiagonal ? 2 : 1) : 0; }

static bool is_interleaved(const block_tridiag_call *c) { return c->d.line < c->d.step; }

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

/* Returns the bytes of workspace for the levels of separators. */
static size_t scratch_bytes(const gpu *g, const block_tridiag_call *c) {
    size_t values = 0;
    systems_shape s = {c->block, cuda_type_bytes(c->dtype), rows_of(c), c->pentadiagonal, is_interleaved(c)};
    while (s.n > BLOCK_BASE && !staged_side(g, &s)) {
        s.n = div_up(s.n, BLOCK_CHUNK);
        s.pairs = false;
        values += values_per_chunk(s.k) * c->systems * s.n;
    }
    return FAULT_BYTES + values * s.size;
}

/* All arrays are in device memory. */
static weft_status run(const gpu *g, const block_tridiag_call *c, void *scratch, weft_error *error) {
    const uint64_t per_row = c->pentadiagonal ? 2 : 1, n = rows_of(c);
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
        j.interleaved = is_interleaved(c);
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
    RETURN_IF_ERROR(arrays_copy_in(g, name, arrays, ARRAYS, scratch_bytes(g, c), &scratch, error));
    for (int i = 0; i < LINES; i++)
        if (arrays[i].p) in[i]->p = arrays[i].at;
    there.x = arrays[LINES].at;
    there.singular = (uint64_t *)arrays[LINES + 1].at;
    RETURN_IF_ERROR(run(g, &there, scratch, error));
    return arrays_copy_out(g, name, arrays, ARRAYS, error);
}
