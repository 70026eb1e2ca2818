/* weft_tridiag on the CPU (ORDER.md 16): assignment of systems and chunks to vector lanes, workspace, and threads.
 *
 * Systems of at most 512 rows are solved with one system per vector lane. Longer systems are reduced chunk by
 * chunk. The lanes are then interleaved systems, or otherwise chunks of one system. The separators are solved by
 * the same function. Finally the chunks are eliminated a second time, with known separators. The chunks of long
 * systems are distributed over the threads. Many systems are processed in groups that fit in a core's cache, so
 * that the second elimination reads from the cache. */
#include "core/types.h"
#include "cpu/common/tridiag_items.h"
#include "cpu/common/tridiag_kernel.h"

#include <string.h>

enum {
    LINK_ROWS = 1 << 12,   /* separators per work item of the link step */
    GROUP_BYTES = 1 << 20, /* bytes of the inputs of a group of systems that one thread solves */
    ARRAYS = 5,            /* a, b, c, d and x */
    SEPARATORS = 4,        /* arrays of the separators */
    REDUCED = 7,
    ALIGNMENT = 64,
    FAR_BYTES = 1 << 22,   /* inputs above this size are prefetched */
    STREAM_BYTES = 1 << 25 /* results above this size use nontemporal stores, unless they overwrite d */
};

/* Systems at one level: those of the caller, or the separators of the level before. */
typedef struct level_of_rows {
    weft_lines a, b, c, d;
    void *x; /* in the layout of d */
    size_t systems, n;
    /* first_system: number of the first system in the call. scale: rows of the call per row of this level. */
    size_t first_system, scale;
    size_t first_row; /* number of the first row in its level */
} level_of_rows;

/* Values that are constant over all levels. */
typedef struct solver {
    const tridiag_kernel *kernel;
    size_t size, n;    /* bytes of an element; rows of the caller's systems */
    bool far, streams; /* inputs of the call are prefetched; its x is written with nontemporal stores */
    bool periodic, begins,
        ends; /* begins: a of the first row is taken as +0; ends: c of the last row is taken as +0 */
    /* x of the separator before the first row. NULL: +0, or in a periodic system the x of the last chunk's
     * separator. */
    const void *before;
    int threads;
    size_t workspace; /* of solve_item, per thread, in bytes */
    _Atomic uint64_t faults;
} solver;

/* Parameters that the parallel steps of a level share. */
typedef struct step {
    solver *s;
    const level_of_rows *rows;
    bool by_systems; /* lanes are systems, not chunks */
    /* chunks: per system. lanes: of an item. across: items for all systems, or for the chunks of one system. */
    size_t chunks, lanes, across;
    const void *factors; /* factors of the common matrix of all systems; or NULL */
    char *workspaces;    /* workspace of solve_item, per thread */
    /* Results of all chunks: system after system, or interleaved if by_systems. */
    tridiag_reduced reduced;
} step;

/* Runs item(t, i, thread) for i < count. `rows`: approximate rows per item. */
static void for_each(const step *t, size_t count, size_t rows, tridiag_item *item) {
    tridiag_for_each(t->s->threads, count, count * rows * t->s->size * ARRAYS, item, t);
}

/* ------------------------------------------------------------------------------ lanes of an item */

/* Returns the lines of one vector: they start at `row` of `system`. If lanes are chunks, consecutive lanes are
 * lane_rows rows apart. */
static weft_lines moved(const step *t, weft_lines lines, size_t system, size_t row, size_t lane_rows) {
    const size_t line = t->by_systems ? lines.line : lane_rows * lines.step;
    return (weft_lines){tridiag_at(lines.p, system * lines.line + row * lines.step, t->s->size), lines.step, line};
}

/* Returns `count` lanes, starting at chunk j of `system`. */
static tridiag_lanes lanes_of(const step *t, size_t system, size_t j, size_t count) {
    const level_of_rows *rows = t->rows;
    const size_t first = j * WEFT_TRIDIAG_CHUNK, all = t->s->kernel->width;
    const size_t last_chunk = t->by_systems ? j : j + count - 1;
    const bool at_end = last_chunk + 1 == t->chunks;
    return (tridiag_lanes){
        .count = count,
        .rows = min_u64(rows->n - first, WEFT_TRIDIAG_CHUNK),
        .a = moved(t, rows->a, system, first, WEFT_TRIDIAG_CHUNK),
        .b = moved(t, rows->b, system, first, WEFT_TRIDIAG_CHUNK),
        .c = moved(t, rows->c, system, first, WEFT_TRIDIAG_CHUNK),
        .d = moved(t, rows->d, system, first, WEFT_TRIDIAG_CHUNK),
        .without_a = t->s->begins && j == 0 ? (t->by_systems ? all : 1) : 0,
        .with_c = t->s->ends && at_end ? (t->by_systems ? 0 : count - 1) : all,
        .far = t->s->far && t->by_systems && rows->scale == 1,
        .streams = t->s->streams && rows->scale == 1,
        .position = {.first_system = rows->first_system + system,
                     .lane_systems = t->by_systems,
                     .first_row = rows->first_row + first,
                     .lane_rows = t->by_systems ? 0 : WEFT_TRIDIAG_CHUNK,
                     .scale = rows->scale,
                     .n = t->s->n,
                     .faults = &t->s->faults},
    };
}

/* Returns the lanes of item i; sets *first to the index of their first result. A shorter last chunk is an item
 * of its own. */
static tridiag_lanes lanes_of_item(const step *t, size_t i, size_t *first) {
    const size_t width = t->lanes, group = i % t->across, rest = i / t->across;
    if (t->by_systems) { /* rest: number of the chunk */
        *first = rest * t->rows->systems + group * width;
        return lanes_of(t, group * width, rest, min_u64(width, t->rows->systems - group * width));
    }
    const size_t full = t->rows->n / WEFT_TRIDIAG_CHUNK, j = group * width < full ? group * width : full;
    *first = rest * t->chunks + j;
    return lanes_of(t, rest, j, j < full ? min_u64(width, full - j) : 1);
}

static size_t items(const step *t) { return t->across * (t->by_systems ? t->chunks : t->rows->systems); }

/* Sets *lanes to those of item i and *first to the index of their first result, and *next to the lanes of the item
 * after it if they are to be prefetched. */
static void find_lanes(const step *t, size_t i, tridiag_lanes *lanes, tridiag_lanes *next, size_t *first) {
    size_t first_of_next;
    *lanes = lanes_of_item(t, i, first);
    if (!lanes->far || i + 1 == items(t)) return;
    *next = lanes_of_item(t, i + 1, &first_of_next);
    lanes->next = next;
}

/* ------------------------------------------------------------------------------- a level */

static tridiag_reduced reduced_from(const step *t, size_t i) {
    const tridiag_reduced *p = &t->reduced;
    const size_t size = t->s->size;
    return (tridiag_reduced){tridiag_at(p->a, i, size),       tridiag_at(p->b, i, size),
                             tridiag_at(p->c, i, size),       tridiag_at(p->d, i, size),
                             tridiag_at(p->first_a, i, size), tridiag_at(p->first_c, i, size),
                             tridiag_at(p->first_d, i, size)};
}

static void reduce_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    size_t first;
    (void)thread;
    tridiag_lanes in, next;
    find_lanes(t, i, &in, &next, &first);
    const tridiag_reduced out = reduced_from(t, first);
    t->s->kernel->reduce(&in, &out);
}

/* Combines separators first .. first + count - 1 with the first rows of the chunks from `next` on. */
static void link_reduced(const step *t, size_t first, size_t next, size_t count) {
    const tridiag_reduced separators = reduced_from(t, first), followers = reduced_from(t, next);
    t->s->kernel->link(count, &separators, &followers);
}

/* Combines adjacent separators of one system. */
static void link_part(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    (void)thread;
    const size_t parts = (t->chunks - 1) / LINK_ROWS + 1; /* per system */
    const size_t system = i / parts * t->chunks, from = i % parts * LINK_ROWS;
    const size_t last = t->chunks - 1;
    link_reduced(t, system + from, system + from + 1, min_u64(last - from, LINK_ROWS));
    if (t->s->periodic && last - from < LINK_ROWS) link_reduced(t, system + last, system, 1);
}

/* by_systems: combines the separators of chunk i of all systems. */
static void link_chunk(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    (void)thread;
    const size_t systems = t->rows->systems, next = i + 1 < t->chunks ? i + 1 : 0;
    if (next || t->s->periodic) link_reduced(t, i * systems, next * systems, systems);
}

/* Computes x of the rows of an item. The x of the separators is in reduced.d. */
static void expand_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    size_t result;
    (void)thread;
    tridiag_lanes in, next;
    find_lanes(t, i, &in, &next, &result);
    const size_t size = t->s->size, systems = t->rows->systems;
    const size_t system = t->by_systems ? result % systems : result / t->chunks;
    const size_t chunk = t->by_systems ? result / systems : result % t->chunks;
    const size_t one = t->by_systems ? systems : 1; /* distance between the results of adjacent chunks */
    const char *own = tridiag_at(t->reduced.d, result, size);
    _Alignas(64) char before[TRIDIAG_RUN_BYTES] = {0}; /* one value per lane */
    if (chunk > 0) {
        memcpy(before, own - one * size, in.count * size);
    } else {
        const size_t lanes = t->by_systems ? in.count : 1;
        if (t->s->periodic) memcpy(before, own + (t->chunks - 1) * one * size, lanes * size);
        if (t->s->before) memcpy(before, t->s->before, size);
        memcpy(before + lanes * size, own, (in.count - lanes) * size);
    }
    const weft_lines d = t->rows->d;
    const size_t first = system * d.line + chunk * WEFT_TRIDIAG_CHUNK * d.step;
    t->s->kernel->expand(&in, before, own, tridiag_at(t->rows->x, first, size));
}

/* Returns the bytes of workspace for solve_alone on `threads` threads. */
static size_t alone_workspace(const solver *s, int threads) {
    return ALIGNMENT + TRIDIAG_FACTORS_BYTES + (size_t)threads * s->workspace;
}

/* Solves systems of at most TRIDIAG_ALONE rows, one per vector lane. */
static void solve_item(const void *of, size_t i, size_t thread) {
    const step *const t = of;
    const size_t system = i * t->lanes;
    tridiag_lanes in = lanes_of(t, system, 0, min_u64(t->lanes, t->rows->systems - system));
    in.rows = t->rows->n;
    in.workspace = t->workspaces + thread * t->s->workspace;
    const size_t after = system + in.count, left = t->rows->systems - after;
    const tridiag_lanes next = lanes_of(t, after, 0, min_u64(t->lanes, left));
    if (in.far && left) in.next = &next;
    void *const x = tridiag_at(t->rows->x, system * t->rows->d.line, t->s->size);
    if (t->factors)
        t->s->kernel->solve_factored(&in, t->factors, x);
    else
        t->s->kernel->solve(&in, t->s->periodic, x);
}

/* Returns the elements of workspace for the separators of all levels of systems of n rows. */
static size_t scratch_of(size_t systems, size_t n) {
    size_t values = 0;
    for (; n > TRIDIAG_ALONE; n = ceil_div(n, WEFT_TRIDIAG_CHUNK))
        values += REDUCED * ceil_div(n, WEFT_TRIDIAG_CHUNK);
    return systems * values;
}

/* Returns the number of systems per item: one vector, or several vectors if adjacent systems are adjacent in memory.
 * At least `items` items are made, and their number is a multiple of it. `rows`: rows per system in the workspace. */
static size_t systems_of_item(const solver *s, const level_of_rows *level, size_t rows, size_t items) {
    const size_t width = s->kernel->width, vector = width * s->size, vectors = ceil_div(level->systems, width);
    if (level->d.line != 1) return width;
    const size_t fit = min_u64(TRIDIAG_RUN_BYTES / vector, s->workspace / tridiag_workspace(1, rows, vector));
    return ceil_div(vectors, ceil_div(ceil_div(vectors, fit), items) * items) * width;
}

static bool is_constant(weft_lines lines) { return lines.step == 0 && lines.line == 0; }

/* Solves systems of at most TRIDIAG_ALONE rows. If all have one constant matrix, its elimination is computed once.
 * `scratch` must have alone_workspace bytes. */
static void solve_alone(step *t, char *scratch) {
    const tridiag_kernel *kernel = t->s->kernel;
    const level_of_rows *rows = t->rows;
    const bool one_matrix = is_constant(rows->a) && is_constant(rows->b) && is_constant(rows->c);
    char *const factors = scratch + (ALIGNMENT - (uintptr_t)scratch % ALIGNMENT) % ALIGNMENT;
    t->workspaces = factors + TRIDIAG_FACTORS_BYTES;
    t->chunks = 1;
    t->lanes = systems_of_item(t->s, rows, rows->n, (size_t)t->s->threads);
    if (one_matrix && !t->s->periodic && rows->systems > kernel->width &&
        kernel->factor(rows->a.p, rows->b.p, rows->c.p, rows->n, factors))
        t->factors = factors;
    for_each(t, ceil_div(rows->systems, t->lanes), t->lanes * rows->n, solve_item);
}

/* Returns the step that reduces or expands the chunks of `rows`. */
static step step_of(solver *s, const level_of_rows *rows) {
    const size_t chunks = ceil_div(rows->n, WEFT_TRIDIAG_CHUNK), width = s->kernel->width;
    step t = {.s = s, .rows = rows, .chunks = chunks};
    t.by_systems = rows->d.line == 1 && rows->systems >= width;
    t.lanes = t.by_systems ? systems_of_item(s, rows, WEFT_TRIDIAG_CHUNK, 1) : width;
    t.across = t.by_systems ? ceil_div(rows->systems, t.lanes)
                            : ceil_div(rows->n / WEFT_TRIDIAG_CHUNK, width) + (rows->n % WEFT_TRIDIAG_CHUNK != 0);
    return t;
}

static void reduce_chunks(const step *t) {
    for_each(t, items(t), t->lanes * WEFT_TRIDIAG_CHUNK, reduce_item);
    if (t->by_systems)
        for_each(t, t->chunks, t->rows->systems, link_chunk);
    else
        for_each(t, t->rows->systems * ceil_div(t->chunks, LINK_ROWS), min_u64(t->chunks, LINK_ROWS), link_part);
}

static void expand_chunks(const step *t) { for_each(t, items(t), t->lanes * WEFT_TRIDIAG_CHUNK, expand_item); }

static void solve_level(solver *s, const level_of_rows *rows, char *scratch) {
    step t = step_of(s, rows);
    const size_t chunks = t.chunks, count = rows->systems * chunks;
    if (rows->n <= TRIDIAG_ALONE) {
        t.by_systems = true;
        solve_alone(&t, scratch);
        return;
    }
    void **const reduced[REDUCED] = {&t.reduced.a,       &t.reduced.b,       &t.reduced.c,      &t.reduced.d,
                                     &t.reduced.first_a, &t.reduced.first_c, &t.reduced.first_d};
    for (int i = 0; i < REDUCED; i++, scratch += count * s->size) *reduced[i] = scratch;
    reduce_chunks(&t);
    const size_t step = t.by_systems ? rows->systems : 1, line = t.by_systems ? 1 : chunks;
    const level_of_rows separators = {.a = {t.reduced.a, step, line},
                                      .b = {t.reduced.b, step, line},
                                      .c = {t.reduced.c, step, line},
                                      .d = {t.reduced.d, step, line},
                                      .x = t.reduced.d,
                                      .systems = rows->systems,
                                      .n = chunks,
                                      .first_system = rows->first_system,
                                      .scale = rows->scale * WEFT_TRIDIAG_CHUNK};
    solve_level(s, &separators, scratch);
    expand_chunks(&t);
}

/* ------------------------------------------------------------------------------- a call */

/* Returns systems [first, first + count) of a call. */
static level_of_rows part_of(const tridiag_call *c, size_t first, size_t count) {
    const size_t size = weft_dtype_size(c->dtype);
    const weft_lines lines[] = {c->a, c->b, c->c, c->d, {c->x, c->d.step, c->d.line}};
    weft_lines part[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        part[i] = (weft_lines){tridiag_at(lines[i].p, first * lines[i].line, size), lines[i].step, lines[i].line};
    return (level_of_rows){.a = part[0],
                           .b = part[1],
                           .c = part[2],
                           .d = part[3],
                           .x = (void *)part[4].p,
                           .systems = count,
                           .n = c->n,
                           .first_system = first,
                           .scale = 1};
}

/* Returns the number of systems that one thread solves at a time, or 0 if the threads share the work within all
 * systems. */
static size_t systems_of_group(const tridiag_call *c, const solver *s) {
    if (c->n <= TRIDIAG_ALONE || s->threads < 2 || c->systems < (size_t)s->threads) return 0;
    const size_t even = ceil_div(c->systems, (size_t)s->threads), width = s->kernel->width;
    if (c->d.line == 1 && even > width) return min_u64(TRIDIAG_RUN_BYTES / s->size, ceil_div(even, width) * width);
    const size_t fit = GROUP_BYTES / (c->n * s->size * (ARRAYS - 1));
    return min_u64(min_u64(fit, even), width);
}

/* Groups of systems; one thread solves each group. */
typedef struct groups {
    const tridiag_call *call;
    solver *s;
    size_t group, workspace; /* systems per group; workspace of a thread in bytes */
    char *scratch;
} groups;

static void solve_group(void *self, size_t i) {
    const groups *g = self;
    const size_t first = i * g->group;
    const level_of_rows part = part_of(g->call, first, min_u64(g->group, g->call->systems - first));
    solve_level(g->s, &part, g->scratch + g->workspace * (size_t)cpu_thread_number());
}

static void solve_groups(const tridiag_call *c, solver *s, size_t group, size_t workspace, char *scratch) {
    const int threads = s->threads;
    groups g = {c, s, group, workspace, scratch};
    s->threads = 1;
    cpu_plan_regions(1);
    cpu_parallel_for(threads, ceil_div(c->systems, group), PARALLEL_IN_ORDER, solve_group, &g);
}

static solver solver_of(const cpu_context *ctx, const tridiag_call *c, int threads) {
    const tridiag_kernels *kernels = ctx->level->tridiags;
    const size_t bytes = c->systems * c->n * weft_dtype_size(c->dtype);
    return (solver){.kernel = c->dtype == WEFT_F32 ? &kernels->f32 : &kernels->f64,
                    .size = weft_dtype_size(c->dtype),
                    .n = c->n,
                    .far = bytes * (ARRAYS - 1) > FAR_BYTES,
                    .streams = c->x != c->d.p && bytes > STREAM_BYTES,
                    .periodic = c->periodic,
                    .begins = !c->periodic,
                    .ends = !c->periodic,
                    .threads = threads,
                    .workspace =
                        max_u64(TRIDIAG_WORKSPACE_BYTES, min_u64(ctx->level2_bytes / 2, 2 * TRIDIAG_WORKSPACE_BYTES)),
                    .faults = UINT64_MAX};
}

/* Returns the bytes of workspace of a thread that solves a group, or of the whole call if group is 0. */
static size_t workspace_of(const tridiag_call *c, const solver *s, size_t group) {
    const size_t levels = scratch_of(group ? group : c->systems, c->n) * s->size;
    return ceil_div(levels + alone_workspace(s, group ? 1 : s->threads), ALIGNMENT) * ALIGNMENT;
}

size_t cpu_tridiag_workspace(const cpu_context *ctx, const tridiag_call *c, int threads) {
    const solver s = solver_of(ctx, c, threads);
    const size_t group = systems_of_group(c, &s);
    return workspace_of(c, &s, group) * (group ? (size_t)threads : 1);
}

void cpu_tridiag_run(const cpu_context *ctx, const tridiag_call *c, int threads, void *scratch) {
    solver s = solver_of(ctx, c, threads);
    const size_t group = systems_of_group(c, &s), workspace = workspace_of(c, &s, group);
    const level_of_rows all = part_of(c, 0, c->systems);
    if (group)
        solve_groups(c, &s, group, workspace, scratch);
    else
        solve_level(&s, &all, scratch);
    *c->singular = tridiag_singular(atomic_load(&s.faults), c->n);
}

/* Returns the bytes of workspace for one stage. TRIDIAG_REDUCE stores the first rows of the chunks there. */
static size_t workspace_of_stage(const tridiag_call *c, tridiag_stage stage, const solver *s) {
    const size_t size = s->size;
    switch (stage) {
    case TRIDIAG_REDUCE: return (REDUCED - SEPARATORS) * ceil_div(c->n, WEFT_TRIDIAG_CHUNK) * size;
    case TRIDIAG_EXPAND: return 0;
    case TRIDIAG_LEVEL: break;
    }
    return scratch_of(1, c->n) * size + alone_workspace(s, s->threads);
}

static void run_stage(const tridiag_call *c, const tridiag_part *p, solver *s, char *scratch) {
    level_of_rows rows = part_of(c, 0, 1);
    rows.scale = (size_t)p->scale;
    rows.first_row = (size_t)p->first;
    step t = step_of(s, &rows);
    const size_t bytes = t.chunks * s->size;
    t.reduced =
        (tridiag_reduced){.a = p->separators[0], .b = p->separators[1], .c = p->separators[2], .d = p->separators[3]};
    switch (p->stage) {
    case TRIDIAG_LEVEL: solve_level(s, &rows, scratch); return;
    case TRIDIAG_EXPAND: expand_chunks(&t); return;
    case TRIDIAG_REDUCE: break;
    }
    t.reduced.first_a = scratch;
    t.reduced.first_c = scratch + bytes;
    t.reduced.first_d = scratch + 2 * bytes;
    reduce_chunks(&t);
    for (size_t i = 0; i < REDUCED - SEPARATORS; i++)
        memcpy((char *)p->head + i * s->size, scratch + i * bytes, s->size);
}

static int threads_of(const cpu_context *ctx, const tridiag_call *c) {
    return cpu_threads_for(ctx->threads, saturated_product(c->systems * c->n, weft_dtype_size(c->dtype) * ARRAYS));
}

weft_status cpu_tridiag_stage(void *state, const tridiag_stage_call *call, weft_error *error) {
    cpu_context *ctx = state;
    const tridiag_call *c = &call->rows;
    const tridiag_part *p = &call->part;
    solver s = solver_of(ctx, c, threads_of(ctx, c));
    void *scratch;
    RETURN_IF_ERROR(cpu_workspace(ctx, workspace_of_stage(c, p->stage, &s), &scratch, error));
    s.n = (size_t)p->whole;
    s.begins = p->begins;
    s.ends = p->ends;
    s.before = p->before;
    run_stage(c, p, &s, scratch);
    *p->fault = atomic_load(&s.faults);
    return WEFT_OK;
}

weft_status cpu_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const int threads = threads_of(ctx, c);
    void *scratch;
    if (c->systems * c->n == 0) {
        *c->singular = UINT64_MAX;
        return WEFT_OK;
    }
    RETURN_IF_ERROR(cpu_workspace(ctx, cpu_tridiag_workspace(ctx, c, threads), &scratch, error));
    cpu_tridiag_run(ctx, c, threads, scratch);
    return WEFT_OK;
}
