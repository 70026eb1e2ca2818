/* weft_block_tridiag and weft_pentadiag on the CPU (ORDER.md 27, 28): assignment of systems and chunks to vector
 * lanes, workspace, and threads. Rows are block rows.
 *
 * Short systems are solved with one system per vector lane. Longer systems are reduced chunk by chunk. The lanes are
 * then interleaved systems, or otherwise chunks of one system. The separators are solved by the same function.
 * Finally the chunks are eliminated a second time, with known separators. The threads share the chunks of a system.
 * Of many systems, each thread solves a group at a time, so that the second elimination reads from its cache. */
#include "core/types.h"
#include "cpu/common/block_tridiag_kernel.h"
#include "cpu/common/tridiag_items.h"

#include <string.h>

enum {
    CHUNK = WEFT_BLOCK_TRIDIAG_CHUNK,
    LINK_ROWS = 1 << 10,   /* separators per work item of the link step of interleaved systems */
    GROUP_BYTES = 1 << 20, /* bytes of the inputs of a group of systems that one thread solves */
    COEFFICIENTS = 5,      /* e, a, b, c, f */
    ALIGNMENT = 64
};

/* Values that are constant over all levels. */
typedef struct solver {
    const block_kernel *kernel;
    size_t block, size; /* size: bytes of a value */
    size_t n;           /* rows of the caller's systems */
    bool periodic, odd; /* odd: the last row of the caller's systems contains one element */
    int threads;
    _Atomic uint64_t faults;
} solver;

/* Systems at one level: those of the caller, or the separators of the level before. Strides are in values. */
typedef struct level_of_rows {
    bool pentadiagonal;
    size_t elements; /* elements of a line per row: 2 if pentadiagonal, else 1 */
    weft_lines coefficients[COEFFICIENTS], d;
    void *x; /* in the layout of d */
    size_t systems, n;
    /* first_system: number of the first system in the call. scale: rows of the call per row of this level. */
    size_t first_system, scale;
} level_of_rows;

/* Parameters that the parallel steps of a level share. */
typedef struct step {
    solver *s;
    const level_of_rows *rows;
    bool by_systems; /* lanes are systems, not chunks */
    /* chunks: per system. full: chunks of one system that may be lanes of one vector; the rest is an item of its own.
     * across: number of vectors needed for all systems, or for the chunks of one system. */
    size_t chunks, full, across;
    char *workspaces; /* workspace of the kernel `solve`, per thread */
    size_t workspace; /* bytes of each */
    /* Results of all chunks: system after system, or interleaved if by_systems. */
    block_reduced reduced;
} step;

/* Runs item(t, i, thread) for i < count. `rows`: approximate rows per item. */
static void for_each(const step *t, size_t count, size_t rows, tridiag_item *item) {
    tridiag_for_each(t->s->threads, count, count * rows * block_row_values(t->s->block) * t->s->size, item, t);
}

/* ------------------------------------------------------------------------------ lanes of an item */

/* Returns the lines of one vector, which start at `row` of `system`. */
static weft_lines moved(const step *t, weft_lines lines, size_t system, size_t row) {
    const size_t per_row = t->rows->elements * lines.step;
    const size_t line = t->by_systems ? lines.line : CHUNK * per_row;
    return (weft_lines){tridiag_at(lines.p, system * lines.line + row * per_row, t->s->size), lines.step, line};
}

/* Returns `count` lanes of `length` rows, starting at chunk j of `system`. */
static block_lanes lanes_of(const step *t, size_t system, size_t j, size_t count, size_t length) {
    const level_of_rows *rows = t->rows;
    const size_t first = j * CHUNK, all = t->s->kernel->width;
    weft_lines lines[COEFFICIENTS];
    for (int i = 0; i < COEFFICIENTS; i++) lines[i] = moved(t, rows->coefficients[i], system, first);
    return (block_lanes){
        .count = count,
        .rows = length,
        .pentadiagonal = rows->pentadiagonal,
        .odd = rows->pentadiagonal && t->s->odd,
        .e = lines[0],
        .a = lines[1],
        .b = lines[2],
        .c = lines[3],
        .f = lines[4],
        .d = moved(t, rows->d, system, first),
        .without_a = !t->s->periodic && j == 0 ? (t->by_systems ? all : 1) : 0,
        .position = {.first_system = rows->first_system + system,
                     .lane_systems = t->by_systems,
                     .first_row = first,
                     .lane_rows = t->by_systems ? 0 : CHUNK,
                     .scale = rows->scale,
                     .n = t->s->n,
                     .faults = &t->s->faults},
    };
}

/* Returns the lanes of item i; sets *first to the index of their first result. */
static block_lanes lanes_of_item(const step *t, size_t i, size_t *first) {
    const size_t width = t->s->kernel->width, group = i % t->across, rest = i / t->across;
    if (t->by_systems) { /* rest: number of the chunk */
        *first = rest * t->rows->systems + group * width;
        return lanes_of(t, group * width, rest, min_u64(width, t->rows->systems - group * width),
                        min_u64(t->rows->n - rest * CHUNK, CHUNK));
    }
    const size_t j = min_u64(group * width, t->full), left = t->full - j;
    *first = rest * t->chunks + j;
    return lanes_of(t, rest, j, left ? min_u64(width, left) : 1, min_u64(t->rows->n - j * CHUNK, CHUNK));
}

static size_t items(const step *t) { return t->across * (t->by_systems ? t->chunks : t->rows->systems); }

/* ------------------------------------------------------------------------------- a level */

static block_reduced reduced_from(const step *t, size_t i) {
    const block_reduced *p = &t->reduced;
    const size_t vector = t->s->block * t->s->size, matrix = t->s->block * vector;
    return (block_reduced){tridiag_at(p->a, i, matrix),       tridiag_at(p->b, i, matrix),
                           tridiag_at(p->c, i, matrix),       tridiag_at(p->d, i, vector),
                           tridiag_at(p->first_l, i, matrix), tridiag_at(p->first_c, i, matrix),
                           tridiag_at(p->first_d, i, vector)};
}

static void reduce_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    size_t first;
    (void)thread;
    const block_lanes in = lanes_of_item(t, i, &first);
    const block_reduced out = reduced_from(t, first);
    t->s->kernel->reduce(&in, &out);
}

/* Completes separators first .. first + count - 1 with the first rows of the chunks from `next` on. */
static void link_reduced(const step *t, size_t first, size_t next, size_t count) {
    const block_reduced separators = reduced_from(t, first), followers = reduced_from(t, next);
    t->s->kernel->link(count, &separators, &followers);
}

/* Returns true if chunk j is one row, which the separator before it already refers to. */
static bool is_single(const step *t, size_t j) { return j * CHUNK + 1 == t->rows->n; }

/* Completes the separators of a system that are the last ones of their vectors. */
static void link_system(const void *of, size_t system, size_t thread) {
    const step *const t = of;
    (void)thread;
    const size_t first = system * t->chunks;
    for (size_t group = 1; group < t->across; group++) {
        const size_t j = min_u64(group * t->s->kernel->width, t->full);
        if (!is_single(t, j)) link_reduced(t, first + j - 1, first + j, 1);
    }
    if (t->s->periodic) link_reduced(t, first + t->chunks - 1, first, 1);
}

/* by_systems: completes separators of one chunk of all systems. */
static void link_chunk(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    (void)thread;
    const size_t systems = t->rows->systems, parts = ceil_div(systems, LINK_ROWS), j = i / parts;
    const size_t from = i % parts * LINK_ROWS, next = j + 1 < t->chunks ? j + 1 : 0;
    if (next ? !is_single(t, next) : t->s->periodic)
        link_reduced(t, j * systems + from, next * systems + from, min_u64(systems - from, LINK_ROWS));
}

/* Computes x of the rows of an item. The x of the separators is in reduced.d. */
static void expand_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    size_t result;
    (void)thread;
    const block_lanes in = lanes_of_item(t, i, &result);
    const size_t bytes = t->s->block * t->s->size, systems = t->rows->systems;
    const size_t system = t->by_systems ? result % systems : result / t->chunks;
    const size_t chunk = t->by_systems ? result / systems : result % t->chunks;
    const size_t one = t->by_systems ? systems : 1; /* distance between the results of adjacent chunks */
    const char *own = tridiag_at(t->reduced.d, result, bytes);
    char before[64 * WEFT_BLOCK_TRIDIAG_MAX] __attribute__((aligned(64))) = {0};
    if (chunk > 0) {
        memcpy(before, own - one * bytes, in.count * bytes);
    } else {
        const size_t lanes = t->by_systems ? in.count : 1;
        if (t->s->periodic) memcpy(before, own + (t->chunks - 1) * one * bytes, lanes * bytes);
        memcpy(before + lanes * bytes, own, (in.count - lanes) * bytes);
    }
    const weft_lines x = moved(t, (weft_lines){t->rows->x, t->rows->d.step, t->rows->d.line}, system, chunk * CHUNK);
    t->s->kernel->expand(&in, before, own, (void *)x.p);
}

/* Solves short systems, one per vector lane. */
static void solve_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    const size_t width = t->s->kernel->width, system = i * width;
    block_lanes in = lanes_of(t, system, 0, min_u64(width, t->rows->systems - system), t->rows->n);
    in.workspace = t->workspaces + thread * t->workspace;
    t->s->kernel->solve(&in, t->s->periodic, tridiag_at(t->rows->x, system * t->rows->d.line, t->s->size));
}

static size_t alone(const solver *s) { return block_alone(s->block, s->kernel->width, s->size); }

/* Returns the bytes of workspace of one thread in solve_item, for systems of n rows. */
static size_t solving_workspace(const solver *s, size_t n) {
    return block_workspace(s->block, n) * s->kernel->width * s->size;
}

/* Returns the bytes of workspace of solve_level on `threads` threads. */
static size_t level_workspace(const solver *s, size_t systems, size_t n, int threads) {
    size_t values = 0;
    for (; n > alone(s); n = ceil_div(n, CHUNK))
        values += ceil_div(n, CHUNK) * (block_row_values(s->block) + block_solved_values(s->block));
    return round_up(systems * values * s->size, ALIGNMENT) + (size_t)threads * solving_workspace(s, n);
}

static step step_of(solver *s, const level_of_rows *rows, size_t per_element) {
    const size_t width = s->kernel->width, elements = rows->elements * rows->n - (rows->pentadiagonal && s->odd);
    step t = {.s = s, .rows = rows, .chunks = ceil_div(rows->n, CHUNK), .full = elements / (rows->elements * CHUNK)};
    t.by_systems = rows->d.line == per_element && rows->systems >= width;
    t.across = t.by_systems ? ceil_div(rows->systems, width) : ceil_div(t.full, width) + (t.full < t.chunks);
    return t;
}

/* Divides the memory at `scratch` into the arrays of the results. Returns the end of it. */
static char *take_reduced(step *t, char *scratch) {
    const size_t count = t->rows->systems * t->chunks, vector = count * t->s->block * t->s->size;
    const size_t matrix = t->s->block * vector;
    void **const matrices[] = {&t->reduced.a, &t->reduced.b, &t->reduced.c, &t->reduced.first_l, &t->reduced.first_c};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++, scratch += matrix) *matrices[i] = scratch;
    t->reduced.d = scratch;
    t->reduced.first_d = scratch + vector;
    return scratch + 2 * vector;
}

/* Returns the separators as systems of the next level. */
static level_of_rows separators_of(const step *t) {
    const size_t step = t->by_systems ? t->rows->systems : 1, line = t->by_systems ? 1 : t->chunks;
    const size_t k = t->s->block, kk = k * k;
    return (level_of_rows){.elements = 1,
                           .coefficients = {{0},
                                            {t->reduced.a, step * kk, line * kk},
                                            {t->reduced.b, step * kk, line * kk},
                                            {t->reduced.c, step * kk, line * kk},
                                            {0}},
                           .d = {t->reduced.d, step * k, line * k},
                           .x = t->reduced.d,
                           .systems = t->rows->systems,
                           .n = t->chunks,
                           .first_system = t->rows->first_system,
                           .scale = t->rows->scale * CHUNK};
}

/* scratch is aligned to ALIGNMENT before `used` bytes of it. */
static void solve_level(solver *s, const level_of_rows *rows, char *scratch, size_t used) {
    step t = step_of(s, rows, rows->pentadiagonal ? 1 : s->block);
    if (rows->n <= alone(s)) {
        t.by_systems = true;
        t.workspaces = scratch + round_up(used, ALIGNMENT);
        t.workspace = solving_workspace(s, rows->n);
        for_each(&t, ceil_div(rows->systems, s->kernel->width), s->kernel->width * rows->n, solve_item);
        return;
    }
    used = (size_t)(take_reduced(&t, scratch + used) - scratch);
    for_each(&t, items(&t), s->kernel->width * CHUNK, reduce_item);
    if (t.by_systems)
        for_each(&t, t.chunks * ceil_div(rows->systems, LINK_ROWS), min_u64(rows->systems, LINK_ROWS), link_chunk);
    else
        for_each(&t, rows->systems, t.across, link_system);
    const level_of_rows separators = separators_of(&t);
    solve_level(s, &separators, scratch, used);
    for_each(&t, items(&t), s->kernel->width * CHUNK, expand_item);
}

/* ------------------------------------------------------------------------------- a call */

/* Returns systems [first, first + count) of a call. */
static level_of_rows part_of(const block_tridiag_call *c, const solver *s, size_t first, size_t count) {
    const weft_lines lines[COEFFICIENTS + 1] = {c->e, c->a, c->b, c->c, c->f, c->d};
    const size_t vector = c->pentadiagonal ? 1 : c->block, matrix = vector * vector;
    level_of_rows part = {.pentadiagonal = c->pentadiagonal,
                          .elements = c->pentadiagonal ? 2 : 1,
                          .x = tridiag_at(c->x, first * c->d.line * vector, s->size),
                          .systems = count,
                          .n = s->n,
                          .first_system = first,
                          .scale = 1};
    for (int i = 0; i <= COEFFICIENTS; i++) {
        const size_t values = i < COEFFICIENTS ? matrix : vector;
        const weft_lines l = {tridiag_at(lines[i].p, first * lines[i].line * values, s->size), lines[i].step * values,
                              lines[i].line * values};
        *(i < COEFFICIENTS ? &part.coefficients[i] : &part.d) = l;
    }
    return part;
}

/* Returns the number of systems that one thread solves at a time, or 0 if the threads share the work within all
 * systems. */
static size_t systems_of_group(const block_tridiag_call *c, const solver *s) {
    if (s->n <= alone(s) || s->threads < 2 || c->systems < (size_t)s->threads) return 0;
    const size_t fit = GROUP_BYTES / (s->n * s->size * block_row_values(c->block));
    const size_t even = ceil_div(c->systems, (size_t)s->threads);
    return min_u64(max_u64(fit, 1), min_u64(even, s->kernel->width));
}

/* Groups of systems; one thread solves each group. */
typedef struct groups {
    const block_tridiag_call *call;
    solver *s;
    size_t group, workspace; /* systems per group; workspace of a thread in bytes */
    char *scratch;
} groups;

static void solve_group(void *self, size_t i) {
    const groups *g = self;
    const size_t first = i * g->group;
    const level_of_rows part = part_of(g->call, g->s, first, min_u64(g->group, g->call->systems - first));
    solve_level(g->s, &part, g->scratch + g->workspace * (size_t)cpu_thread_number(), 0);
}

static void run(const block_tridiag_call *c, solver *s, size_t group, size_t workspace, char *scratch) {
    if (group) {
        const int threads = s->threads;
        groups g = {c, s, group, workspace, scratch};
        s->threads = 1;
        cpu_plan_regions(1);
        cpu_parallel_for(threads, ceil_div(c->systems, group), PARALLEL_IN_ORDER, solve_group, &g);
    } else {
        const level_of_rows all = part_of(c, s, 0, c->systems);
        solve_level(s, &all, scratch, 0);
    }
}

weft_status cpu_block_tridiag(void *state, const block_tridiag_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const block_kernels *kernels = ctx->level->block_tridiags;
    solver s = {.kernel = &(c->dtype == WEFT_F32 ? kernels->f32 : kernels->f64)[c->block - 2],
                .block = c->block,
                .size = weft_dtype_size(c->dtype),
                .n = c->pentadiagonal ? ceil_div(c->n, 2) : c->n,
                .periodic = c->periodic,
                .odd = c->pentadiagonal && c->n % 2 == 1,
                .faults = UINT64_MAX};
    void *scratch;
    *c->singular = UINT64_MAX;
    if (c->systems == 0 || c->n == 0) return WEFT_OK;
    s.threads =
        cpu_threads_for(ctx->threads, saturated_product(c->systems * s.n, block_row_values(c->block) * s.size));
    const size_t group = systems_of_group(c, &s);
    const int together = group ? 1 : s.threads;
    const size_t workspace = round_up(level_workspace(&s, group ? group : c->systems, s.n, together), ALIGNMENT);
    RETURN_IF_ERROR(cpu_workspace(ctx, workspace * (group ? (size_t)s.threads : 1), &scratch, error));
    run(c, &s, group, workspace, scratch);
    const uint64_t fault = atomic_load(&s.faults);
    if (fault != UINT64_MAX) *c->singular = fault / (2 * s.n) * c->n + fault % s.n * (c->pentadiagonal ? 2 : 1);
    return WEFT_OK;
}
