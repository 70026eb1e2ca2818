/* weft_tridiag on the CPU (ORDER.md 16): which lanes vectors have, scratch memory, and several threads.
 *
 * Systems of at most 512 rows are solved as many at a time as a vector has lanes. Of longer ones the chunks are
 * eliminated, the lanes being systems that lie interleaved, or else chunks of one system; the separators are solved
 * by the same function; and the chunks are eliminated once more, now that their ends are known. Long systems share
 * their chunks among the threads; many systems are taken in groups that fit in a core's cache, so that the second
 * elimination reads from there. */
#include "cpu/parallel.h"
#include "cpu/tridiag_kernel.h"

#include <stdatomic.h>
#include <string.h>

enum {
    ALONE_BYTES = 1 << 17, /* below this, waking threads costs more than it gains */
    LINK_ROWS = 1 << 12,   /* separators that are linked at a time */
    GROUP_BYTES = 1 << 20, /* of the inputs of a group of systems that one thread takes */
    ARRAYS = 5,            /* a, b, c, d and x */
    SEPARATORS = 4,        /* arrays of them */
    PIECES = 7,
    ALIGNMENT = 64
};

/* Systems at one level: the caller's, or the separators of the level before. */
typedef struct level_of_rows {
    weft_lines a, b, c, d;
    void *x; /* in the distances of d */
    size_t systems, n;
    size_t first_system, scale; /* what the first system is in the call, and how many of its rows a row stands for */
    size_t first_row;           /* what the first row is in its level */
} level_of_rows;

/* What does not change from level to level. */
typedef struct solver {
    const tridiag_kernel *kernel;
    size_t size, n;              /* bytes of an element, rows of the caller's systems */
    bool periodic, begins, ends; /* begins, ends: a of the first row, c of the last, are +0 */
    const void *before;          /* x of the separator before the first row; NULL: +0, or that of the last chunk */
    int threads;
    _Atomic uint64_t faults;
} solver;

/* What the parallel steps of a level share. */
typedef struct step {
    solver *s;
    const level_of_rows *rows;
    bool by_systems;       /* lanes are systems, not chunks */
    size_t chunks, across; /* of a system; groups of lanes that lie side by side: systems, or whole chunks */
    const void *factors;   /* of systems of one matrix; or NULL */
    char *rooms;           /* of the threads that solve systems in vectors */
    tridiag_pieces pieces; /* of all chunks: the systems one behind another, or interleaved by_systems */
} step;

static void *at(const void *p, size_t index, size_t size) { return (char *)p + index * size; }

typedef struct items_of_step {
    const step *step;
    void (*item)(const step *t, size_t i, size_t thread);
    bool alone;
} items_of_step;

static void run_item(void *items, size_t i) {
    const items_of_step *s = items;
    s->item(s->step, i, s->alone ? 0 : (size_t)cpu_thread_number());
}

/* Runs item(step, i, thread) for i < count, each of which has about so many rows. Threads are numbered from 0. */
static void for_each(const step *t, size_t count, size_t rows, void (*item)(const step *, size_t, size_t)) {
    const bool is_little = count * rows * t->s->size * ARRAYS < ALONE_BYTES;
    const int threads = is_little ? 1 : t->s->threads;
    cpu_parallel_for(threads, count, PARALLEL_RANGES, run_item, &(items_of_step){t, item, threads == 1});
}

/* ------------------------------------------------------------------------ what lanes there are */

/* Parts of `part` elements, which is not 0, in n. */
static size_t whole(size_t n, size_t part) { return n && part ? (n - 1) / part + 1 : 0; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* The lines of one system or row, and lanes in other distances. */
static weft_lines moved(const step *t, weft_lines lines, size_t system, size_t row, size_t lane_rows) {
    const size_t line = t->by_systems ? lines.line : lane_rows * lines.step;
    return (weft_lines){at(lines.p, system * lines.line + row * lines.step, t->s->size), lines.step, line};
}

/* `count` lanes from chunk j of `system` on. */
static tridiag_lanes lanes_of(const step *t, size_t system, size_t j, size_t count) {
    const level_of_rows *rows = t->rows;
    const size_t first = j * WEFT_TRIDIAG_CHUNK, all = t->s->kernel->width;
    const size_t last_chunk = t->by_systems ? j : j + count - 1;
    const bool at_end = last_chunk + 1 == t->chunks;
    return (tridiag_lanes){
        .count = count,
        .rows = least(rows->n - first, WEFT_TRIDIAG_CHUNK),
        .a = moved(t, rows->a, system, first, WEFT_TRIDIAG_CHUNK),
        .b = moved(t, rows->b, system, first, WEFT_TRIDIAG_CHUNK),
        .c = moved(t, rows->c, system, first, WEFT_TRIDIAG_CHUNK),
        .d = moved(t, rows->d, system, first, WEFT_TRIDIAG_CHUNK),
        .without_a = t->s->begins && j == 0 ? (t->by_systems ? all : 1) : 0,
        .with_c = t->s->ends && at_end ? (t->by_systems ? 0 : count - 1) : all,
        .place = {.first_system = rows->first_system + system,
                  .lane_systems = t->by_systems,
                  .first_row = rows->first_row + first,
                  .lane_rows = t->by_systems ? 0 : WEFT_TRIDIAG_CHUNK,
                  .scale = rows->scale,
                  .n = t->s->n,
                  .faults = &t->s->faults},
    };
}

/* The lanes of item i, and in *piece the first of their pieces. A last chunk that is shorter goes alone. */
static tridiag_lanes lanes_of_item(const step *t, size_t i, size_t *piece) {
    const size_t width = t->s->kernel->width, group = i % t->across, rest = i / t->across;
    if (t->by_systems) { /* rest: the chunk */
        *piece = rest * t->rows->systems + group * width;
        return lanes_of(t, group * width, rest, least(width, t->rows->systems - group * width));
    }
    const size_t full = t->rows->n / WEFT_TRIDIAG_CHUNK, j = group * width < full ? group * width : full;
    *piece = rest * t->chunks + j;
    return lanes_of(t, rest, j, j < full ? least(width, full - j) : 1);
}

static size_t items(const step *t) { return t->across * (t->by_systems ? t->chunks : t->rows->systems); }

/* ------------------------------------------------------------------------------- a level */

static tridiag_pieces pieces_from(const step *t, size_t i) {
    const tridiag_pieces *p = &t->pieces;
    const size_t size = t->s->size;
    return (tridiag_pieces){at(p->a, i, size),      at(p->b, i, size),       at(p->c, i, size),
                            at(p->d, i, size),      at(p->first_a, i, size), at(p->first_c, i, size),
                            at(p->first_d, i, size)};
}

static void reduce_item(const step *t, size_t i, size_t thread) {
    size_t piece;
    (void)thread;
    const tridiag_lanes in = lanes_of_item(t, i, &piece);
    const tridiag_pieces out = pieces_from(t, piece);
    t->s->kernel->reduce(&in, &out);
}

/* Links separators first .. first + count - 1 with the first rows of the chunks from `next` on. */
static void link_pieces(const step *t, size_t first, size_t next, size_t count) {
    const tridiag_pieces separators = pieces_from(t, first), followers = pieces_from(t, next);
    t->s->kernel->link(count, &separators, &followers);
}

/* Some adjacent separators of a system. */
static void link_part(const step *t, size_t i, size_t thread) {
    (void)thread;
    const size_t parts = (t->chunks - 1) / LINK_ROWS + 1; /* of a system */
    const size_t system = i / parts * t->chunks, from = i % parts * LINK_ROWS;
    const size_t last = t->chunks - 1;
    link_pieces(t, system + from, system + from + 1, least(last - from, LINK_ROWS));
    if (t->s->periodic && last - from < LINK_ROWS) link_pieces(t, system + last, system, 1);
}

/* by_systems: the separators of chunk i of all systems. */
static void link_chunk(const step *t, size_t i, size_t thread) {
    (void)thread;
    const size_t systems = t->rows->systems, next = i + 1 < t->chunks ? i + 1 : 0;
    if (next || t->s->periodic) link_pieces(t, i * systems, next * systems, systems);
}

/* The separators' x has taken the place of their d. */
static void expand_item(const step *t, size_t i, size_t thread) {
    size_t piece;
    (void)thread;
    const tridiag_lanes in = lanes_of_item(t, i, &piece);
    const size_t size = t->s->size, systems = t->rows->systems;
    const size_t system = t->by_systems ? piece % systems : piece / t->chunks;
    const size_t chunk = t->by_systems ? piece / systems : piece % t->chunks;
    const size_t one = t->by_systems ? systems : 1; /* from a chunk's piece to the next chunk's */
    const char *own = at(t->pieces.d, piece, size);
    _Alignas(64) char before[64] = {0}; /* a vector's lanes */
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
    t->s->kernel->expand(&in, before, own, at(t->rows->x, first, size));
}

/* Bytes of scratch memory of a thread that solves systems in vectors. */
static size_t solving_room(const tridiag_kernel *kernel, size_t size) {
    return TRIDIAG_ROOM_VECTORS * kernel->width * size;
}

/* Bytes of scratch memory for solve_alone by so many threads. */
static size_t alone_room(const solver *s, int threads) {
    return ALIGNMENT + TRIDIAG_FACTORS_BYTES + (size_t)threads * solving_room(s->kernel, s->size);
}

/* Systems that fit in vectors, as many at a time as these have lanes. */
static void solve_item(const step *t, size_t i, size_t thread) {
    const size_t width = t->s->kernel->width, system = i * width;
    tridiag_lanes in = lanes_of(t, system, 0, least(width, t->rows->systems - system));
    in.rows = t->rows->n;
    in.room = t->rooms + thread * solving_room(t->s->kernel, t->s->size);
    void *const x = at(t->rows->x, system * t->rows->d.line, t->s->size);
    if (t->factors)
        t->s->kernel->solve_factored(&in, t->factors, x);
    else
        t->s->kernel->solve(&in, t->s->periodic, x);
}

/* Elements of scratch memory for systems of n rows. */
static size_t scratch_of(size_t systems, size_t n) {
    size_t values = 0;
    for (; n > TRIDIAG_ALONE; n = whole(n, WEFT_TRIDIAG_CHUNK)) values += PIECES * whole(n, WEFT_TRIDIAG_CHUNK);
    return systems * values;
}

static bool is_constant(weft_lines lines) { return lines.step == 0 && lines.line == 0; }

/* Systems that fit in vectors. Many of one matrix share what elimination makes of it. `scratch` has alone_room. */
static void solve_alone(step *t, char *scratch) {
    const tridiag_kernel *kernel = t->s->kernel;
    const level_of_rows *rows = t->rows;
    const bool one_matrix = is_constant(rows->a) && is_constant(rows->b) && is_constant(rows->c);
    char *const factors = scratch + (ALIGNMENT - (uintptr_t)scratch % ALIGNMENT) % ALIGNMENT;
    t->rooms = factors + TRIDIAG_FACTORS_BYTES;
    t->chunks = 1;
    if (one_matrix && !t->s->periodic && rows->systems > kernel->width &&
        kernel->factor(rows->a.p, rows->b.p, rows->c.p, rows->n, factors))
        t->factors = factors;
    for_each(t, whole(rows->systems, kernel->width), kernel->width * rows->n, solve_item);
}

/* The step that takes the chunks of rows. */
static step step_of(solver *s, const level_of_rows *rows) {
    const size_t chunks = whole(rows->n, WEFT_TRIDIAG_CHUNK), width = s->kernel->width;
    step t = {.s = s, .rows = rows, .chunks = chunks};
    t.by_systems = rows->d.line == 1 && rows->systems >= width;
    t.across = t.by_systems ? whole(rows->systems, width)
                            : whole(rows->n / WEFT_TRIDIAG_CHUNK, width) + (rows->n % WEFT_TRIDIAG_CHUNK != 0);
    return t;
}

static void reduce_chunks(const step *t) {
    for_each(t, items(t), t->s->kernel->width * WEFT_TRIDIAG_CHUNK, reduce_item);
    if (t->by_systems)
        for_each(t, t->chunks, t->rows->systems, link_chunk);
    else
        for_each(t, t->rows->systems * whole(t->chunks, LINK_ROWS), least(t->chunks, LINK_ROWS), link_part);
}

static void expand_chunks(const step *t) {
    for_each(t, items(t), t->s->kernel->width * WEFT_TRIDIAG_CHUNK, expand_item);
}

static void solve_level(solver *s, const level_of_rows *rows, char *scratch) {
    step t = step_of(s, rows);
    const size_t chunks = t.chunks, count = rows->systems * chunks;
    if (rows->n <= TRIDIAG_ALONE) {
        t.by_systems = true;
        solve_alone(&t, scratch);
        return;
    }
    void **const pieces[PIECES] = {&t.pieces.a,       &t.pieces.b,       &t.pieces.c,      &t.pieces.d,
                                   &t.pieces.first_a, &t.pieces.first_c, &t.pieces.first_d};
    for (int i = 0; i < PIECES; i++, scratch += count * s->size) *pieces[i] = scratch;
    reduce_chunks(&t);
    const size_t step = t.by_systems ? rows->systems : 1, line = t.by_systems ? 1 : chunks;
    const level_of_rows separators = {.a = {t.pieces.a, step, line},
                                      .b = {t.pieces.b, step, line},
                                      .c = {t.pieces.c, step, line},
                                      .d = {t.pieces.d, step, line},
                                      .x = t.pieces.d,
                                      .systems = rows->systems,
                                      .n = chunks,
                                      .first_system = rows->first_system,
                                      .scale = rows->scale * WEFT_TRIDIAG_CHUNK};
    solve_level(s, &separators, scratch);
    expand_chunks(&t);
}

/* ------------------------------------------------------------------------------- a call */

/* `count` systems of a call from `first` on. */
static level_of_rows part_of(const tridiag_call *c, size_t first, size_t count) {
    const size_t size = weft_dtype_size(c->dtype);
    const weft_lines lines[] = {c->a, c->b, c->c, c->d, {c->x, c->d.step, c->d.line}};
    weft_lines part[ARRAYS];
    for (int i = 0; i < ARRAYS; i++)
        part[i] = (weft_lines){at(lines[i].p, first * lines[i].line, size), lines[i].step, lines[i].line};
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

/* Systems that one thread takes at a time; 0: the threads share the work inside all systems instead. */
static size_t systems_of_group(const tridiag_call *c, const solver *s) {
    if (c->n <= TRIDIAG_ALONE || s->threads < 2 || c->systems < (size_t)s->threads) return 0;
    const size_t fit = GROUP_BYTES / (c->n * s->size * (ARRAYS - 1));
    const size_t even = whole(c->systems, (size_t)s->threads);
    return least(least(fit, even), s->kernel->width);
}

/* Groups of systems, which one thread each solves. */
typedef struct groups {
    const tridiag_call *call;
    solver *s;
    size_t group, room; /* systems of a group; scratch memory of a thread */
    char *scratch;
} groups;

static void solve_group(void *self, size_t i) {
    const groups *g = self;
    const size_t first = i * g->group;
    const level_of_rows part = part_of(g->call, first, least(g->group, g->call->systems - first));
    solve_level(g->s, &part, g->scratch + g->room * (size_t)cpu_thread_number());
}

static void solve_groups(const tridiag_call *c, solver *s, size_t group, size_t room, char *scratch) {
    const int threads = s->threads;
    groups g = {c, s, group, room, scratch};
    s->threads = 1;
    cpu_plan_regions(1);
    cpu_parallel_for(threads, whole(c->systems, group), PARALLEL_IN_ORDER, solve_group, &g);
}

static solver solver_of(const cpu_context *ctx, const tridiag_call *c, int threads) {
    const tridiag_kernels *kernels = ctx->level->tridiags;
    return (solver){.kernel = c->dtype == WEFT_F32 ? &kernels->f32 : &kernels->f64,
                    .size = weft_dtype_size(c->dtype),
                    .n = c->n,
                    .periodic = c->periodic,
                    .begins = !c->periodic,
                    .ends = !c->periodic,
                    .threads = threads,
                    .faults = UINT64_MAX};
}

/* Scratch memory of a thread that solves a group, or else of all that there are. */
static size_t room_of(const tridiag_call *c, const solver *s, size_t group) {
    const size_t levels = scratch_of(group ? group : c->systems, c->n) * s->size;
    return whole(levels + alone_room(s, group ? 1 : s->threads), ALIGNMENT) * ALIGNMENT;
}

size_t cpu_tridiag_room(const cpu_context *ctx, const tridiag_call *c, int threads) {
    const solver s = solver_of(ctx, c, threads);
    const size_t group = systems_of_group(c, &s);
    return room_of(c, &s, group) * (group ? (size_t)threads : 1);
}

void cpu_tridiag_run(const cpu_context *ctx, const tridiag_call *c, int threads, void *scratch) {
    solver s = solver_of(ctx, c, threads);
    const size_t group = systems_of_group(c, &s), room = room_of(c, &s, group);
    const level_of_rows all = part_of(c, 0, c->systems);
    if (group)
        solve_groups(c, &s, group, room, scratch);
    else
        solve_level(&s, &all, scratch);
    const uint64_t fault = atomic_load(&s.faults);
    *c->singular = fault == UINT64_MAX ? fault : fault / (2 * c->n) * c->n + fault % c->n;
}

/* Scratch memory of a stage on some rows of a system: to reduce, what their chunks' first rows are. */
static size_t room_of_stage(const tridiag_call *c, const solver *s) {
    const size_t size = s->size;
    switch (c->part->stage) {
    case TRIDIAG_REDUCE: return (PIECES - SEPARATORS) * whole(c->n, WEFT_TRIDIAG_CHUNK) * size;
    case TRIDIAG_EXPAND: return 0;
    case TRIDIAG_LEVEL: break;
    }
    return scratch_of(1, c->n) * size + alone_room(s, s->threads);
}

static void run_stage(const tridiag_call *c, solver *s, char *scratch) {
    const tridiag_part *p = c->part;
    level_of_rows rows = part_of(c, 0, 1);
    rows.scale = (size_t)p->scale;
    rows.first_row = (size_t)p->first;
    step t = step_of(s, &rows);
    const size_t bytes = t.chunks * s->size;
    t.pieces =
        (tridiag_pieces){.a = p->separators[0], .b = p->separators[1], .c = p->separators[2], .d = p->separators[3]};
    switch (p->stage) {
    case TRIDIAG_LEVEL: solve_level(s, &rows, scratch); return;
    case TRIDIAG_EXPAND: expand_chunks(&t); return;
    case TRIDIAG_REDUCE: break;
    }
    t.pieces.first_a = scratch;
    t.pieces.first_c = scratch + bytes;
    t.pieces.first_d = scratch + 2 * bytes;
    reduce_chunks(&t);
    for (size_t i = 0; i < PIECES - SEPARATORS; i++)
        memcpy((char *)p->head + i * s->size, scratch + i * bytes, s->size);
}

/* A stage on some rows of a system that is spread. */
static weft_status run_part(cpu_context *ctx, const tridiag_call *c, int threads, weft_error *error) {
    const tridiag_part *p = c->part;
    solver s = solver_of(ctx, c, threads);
    void *scratch;
    FORWARD(cpu_room(ctx, room_of_stage(c, &s), &scratch, error));
    s.n = (size_t)p->whole;
    s.begins = p->begins;
    s.ends = p->ends;
    s.before = p->before;
    run_stage(c, &s, scratch);
    *p->fault = atomic_load(&s.faults);
    return WEFT_OK;
}

weft_status cpu_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t values = c->systems * c->n;
    const bool alone = values * weft_dtype_size(c->dtype) * ARRAYS < ALONE_BYTES;
    const int threads = alone ? 1 : ctx->threads;
    void *scratch;
    if (values == 0) {
        *c->singular = UINT64_MAX;
        return WEFT_OK;
    }
    if (c->part) return run_part(ctx, c, threads, error);
    FORWARD(cpu_room(ctx, cpu_tridiag_room(ctx, c, threads), &scratch, error));
    cpu_tridiag_run(ctx, c, threads, scratch);
    return WEFT_OK;
}
