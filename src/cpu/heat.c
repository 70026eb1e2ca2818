/* weft_heat on the CPU (ORDER.md 23).
 *
 * If no axis has more than TRIDIAG_ALONE points, a sweep reads each line once, computes its right-hand side, solves
 * it and writes it back, in the caller's layout. A thread makes the sweeps along x and y of a plane one after the
 * other, while the plane is in its cache. Lines of one dimension, and planes of two, are independent: a thread makes
 * all steps of each.
 *
 * Longer axes, and Crank-Nicolson in two dimensions, need a second grid for the right-hand side: for each axis in
 * turn, it is computed row by row, then the lines are solved with the solver of weft_tridiag. Long lines of one
 * dimension are independent: each thread takes a group of lines that fits in its cache through all steps. In all
 * other cases the threads share each sweep. */
#include "arith/heat.h"
#include "core/types.h"
#include "cpu/common/tridiag_kernel.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    GROUP_BYTES = 1 << 18, /* bytes of a group of lines, without its right-hand side */
    CHUNK = 1 << 14        /* points of a row per work item */
};

/* A call, or a group of its lines: values that are constant over all sweeps. */
typedef struct stepper {
    const cpu_context *ctx;
    const heat_call *call;
    const heat_rows *rows;
    size_t size, batch; /* bytes of a point; number of grids */
    int threads;
    char *d, *scratch; /* right-hand side; workspace of the solver */
    const char *u;
    char *v;
} stepper;

/* --------------------------------------------------------------------------------- right sides */

/* One pass over the grids `from`, writing the grids `to`. */
typedef struct pass {
    const stepper *s;
    weft_heat_pass plan;
    const char *from;
    char *to;
} pass;

static size_t chunks_of_row(const pass *p) { return (p->plan.n[0] - 1) / CHUNK + 1; }

/* Computes points [i, i + n) of a row of the right-hand side. The adjacent points are `back` bytes before and
 * `ahead` bytes after each point; 0: there is none. */
static void side(const pass *p, size_t i, size_t n, size_t back, size_t ahead, const char *from, char *to) {
    const size_t size = p->s->size;
    const char *u = from + i * size;
    if (n == 0) return;
    p->s->rows->side(n, p->plan.ratio, p->plan.centre, back ? u - back : NULL, u, ahead ? u + ahead : NULL,
                     to + i * size);
}

/* Computes points [i, end) of a row of the right-hand side along x. The first and the last point of the row have
 * only one adjacent point. */
static void side_along(const pass *p, size_t i, size_t end, const char *from, char *to) {
    const size_t size = p->s->size, last = p->plan.n[0] - 1;
    if (i == 0) side(p, i++, 1, 0, last ? size : 0, from, to);
    const size_t inner = end < last ? end : last;
    if (i < inner) side(p, i, inner - i, size, size, from, to);
    if (end > last && last > 0) side(p, last, 1, size, 0, from, to);
}

static void do_chunk(void *self, size_t item) {
    const pass *p = self;
    const weft_heat_pass *plan = &p->plan;
    const size_t chunks = chunks_of_row(p), i = item % chunks * CHUNK, size = p->s->size;
    const size_t end = plan->n[0] - i < CHUNK ? plan->n[0] : i + CHUNK;
    const weft_heat_row row = weft_heat_find_row(plan, item / chunks);
    const char *from = p->from + row.from * size;
    char *to = p->to + row.to * size;
    if (plan->use == WEFT_HEAT_COPY) {
        memcpy(to + i * size, from + i * size, (end - i) * size);
    } else if (plan->use == WEFT_HEAT_SCALE) {
        p->s->rows->scale(end - i, plan->centre, from + i * size, to + i * size);
    } else if (plan->neighbour_axis == 0) {
        side_along(p, i, end, from, to);
    } else {
        const size_t step = plan->from.step[plan->neighbour_axis] * size,
                     position = row.position[plan->neighbour_axis];
        side(p, i, end - i, position ? step : 0, position + 1 < plan->n[plan->neighbour_axis] ? step : 0, from, to);
    }
}

static void run_pass(pass *p) {
    const size_t items = p->plan.n[1] * p->plan.n[2] * p->plan.batch * chunks_of_row(p);
    cpu_parallel_for(p->s->threads, items, PARALLEL_RANGES, do_chunk, p);
}

/* -------------------------------------------------------------------------------------- sweeps */

/* Matrix entries for one axis in both types: off-diagonal, diagonal. */
typedef struct coefficients {
    double f64[2];
    float f32[2];
} coefficients;

static coefficients coefficients_of(const heat_call *c, size_t axis) {
    coefficients k;
    k.f64[0] = -1;
    k.f64[1] = weft_heat_diagonal(c->dtype == WEFT_F32, c->method == WEFT_CRANK_NICOLSON, c->lambda[axis]);
    for (int i = 0; i < 2; i++) k.f32[i] = (float)k.f64[i];
    return k;
}

/* Returns the tridiagonal systems along an axis, with right-hand side s->d and solution x. */
static tridiag_call systems_of(const stepper *s, size_t axis, coefficients *k, void *x, uint64_t *singular) {
    const heat_call *c = s->call;
    const bool f32 = c->dtype == WEFT_F32;
    const size_t n = c->n[axis], systems = weft_heat_points(c->n, s->batch) / n;
    *k = coefficients_of(c, axis);
    const weft_lines off_diagonal = {f32 ? (const void *)&k->f32[0] : &k->f64[0], 0, 0};
    const weft_lines middle = {f32 ? (const void *)&k->f32[1] : &k->f64[1], 0, 0};
    const weft_lines d = {s->d, axis ? systems : 1, axis ? 1 : n};
    return (tridiag_call){c->dtype, false, systems, n, off_diagonal, middle, off_diagonal, d, x, singular};
}

static void solve(const stepper *s, size_t axis, void *x) {
    coefficients k;
    uint64_t singular;
    const tridiag_call systems = systems_of(s, axis, &k, x, &singular);
    cpu_tridiag_run(s->ctx, &systems, s->threads, s->scratch);
}

/* State of the loop over the steps. After the first sweep the grids are in v, in the layout of the axis that was
 * swept last. */
typedef struct stepping {
    const stepper *s;
    pass p;
    weft_heat_layout own;
} stepping;

static void run_step(void *self, size_t step) {
    stepping *const t = self;
    const stepper *s = t->s;
    const heat_call *c = s->call;
    const bool f32 = c->dtype == WEFT_F32, doubled = c->method == WEFT_CRANK_NICOLSON;
    pass *const p = &t->p;
    for (size_t axis = 0; axis < c->dimensions; axis++) {
        weft_heat_plan(&p->plan, f32, doubled, c->dimensions, c->lambda, axis);
        const bool last = step + 1 == c->steps && axis + 1 == c->dimensions;
        const bool away = last && !weft_heat_same_layout(&p->plan.to, &t->own);
        run_pass(p);
        solve(s, axis, away ? s->d : s->v);
        p->from = s->v;
        p->plan.from = p->plan.to;
        if (away) {
            p->plan.use = WEFT_HEAT_COPY;
            p->plan.to = t->own;
            p->from = s->d;
            p->to = s->v;
            run_pass(p);
        }
    }
}

static void run_steps(const stepper *s) {
    const size_t *n = s->call->n;
    stepping t = {.s = s, .own = weft_heat_layout_of(n, s->batch, 0)};
    t.p = (pass){.s = s, .plan = {.n = {n[0], n[1], n[2]}, .batch = s->batch}, .from = s->u, .to = s->d};
    t.p.plan.from = t.own;
    cpu_parallel_for(1, s->call->steps, PARALLEL_IN_ORDER, run_step, &t);
}

/* --------------------------------------------------------------------------------- memory, threads */

/* Returns the bytes of the right-hand side and of the solver's workspace, for the axis that needs most. */
static size_t workspace_of(const stepper *s) {
    const size_t d = (weft_heat_points(s->call->n, s->batch) * s->size + 63) / 64 * 64;
    size_t most = 0;
    for (size_t axis = 0; axis < s->call->dimensions; axis++) {
        coefficients k;
        const tridiag_call systems = systems_of(s, axis, &k, NULL, NULL);
        const size_t workspace = cpu_tridiag_workspace(s->ctx, &systems, s->threads);
        if (workspace > most) most = workspace;
    }
    return d + most;
}

static void use_workspace(stepper *s, char *workspace) {
    s->d = workspace;
    s->scratch = workspace + (weft_heat_points(s->call->n, s->batch) * s->size + 63) / 64 * 64;
}

/* Returns the number of lines per group, or 0 if the threads should share each sweep. */
static size_t lines_of_group(const cpu_context *ctx, const heat_call *c, size_t size, int threads) {
    const tridiag_kernels *kernels = ctx->level->tridiags;
    const size_t width = c->dtype == WEFT_F32 ? kernels->f32.width : kernels->f64.width;
    const size_t fit = GROUP_BYTES / size / c->n[0] / width * width;
    return c->dimensions == 1 && c->batch >= (size_t)threads * width ? fit : 0;
}

/* Groups of independent lines; a thread takes a group through all steps. */
typedef struct groups {
    const stepper *whole;
    size_t lines, workspace; /* lines per group; workspace per thread in bytes */
    char *workspaces;
} groups;

static void run_group(void *self, size_t i) {
    const groups *g = self;
    const size_t first = i * g->lines, left = g->whole->batch - first;
    stepper s = *g->whole;
    s.batch = left < g->lines ? left : g->lines;
    s.u += first * s.call->n[0] * s.size;
    s.v += first * s.call->n[0] * s.size;
    use_workspace(&s, g->workspaces + g->workspace * (size_t)cpu_thread_number());
    run_steps(&s);
}

/* ----------------------------------------------------------------------------- sweeps in place */

enum {
    PLANES_A_THREAD = 4, /* planes per thread from which the threads share planes, not lines */
    STEPS_AT_ONCE = 256  /* steps of a line between two checks for cancellation */
};

/* Solution of short lines, in the caller's layout: constants of each axis, and workspace. */
typedef struct line_stepper {
    const heat_call *call;
    const tridiag_kernel *kernel;
    size_t size; /* bytes of a point */
    int threads;
    tridiag_side side[WEFT_AXES_MAX];
    const char *factors[WEFT_AXES_MAX];
    char *workspaces; /* TRIDIAG_WORKSPACE_BYTES per thread */
} line_stepper;

/* Sweeps along one axis, from grids or a plane `from` to `to`. The lines are in blocks of `lines`; those of a block
 * are adjacent. A thread solves `group` lines at a time. */
typedef struct sweep {
    const line_stepper *s;
    size_t axis, lines, group, items, steps;
    const char *from;
    char *to;
} sweep;

static sweep sweep_of(const line_stepper *s, size_t axis, size_t planes, size_t steps, const char *from, char *to) {
    const size_t *n = s->call->n;
    const size_t lines[WEFT_AXES_MAX] = {n[1] * planes, n[0], n[0] * n[1]};
    const size_t blocks[WEFT_AXES_MAX] = {1, planes, planes / n[2]};
    const size_t width = s->kernel->width, group = axis ? TRIDIAG_RUN_BYTES / s->size : width;
    return (sweep){s, axis, lines[axis], group, ceil_div(lines[axis], group) * blocks[axis], steps, from, to};
}

static void solve_group_of_lines(void *self, size_t i) {
    const sweep *w = self;
    const line_stepper *s = w->s;
    const size_t n = s->call->n[w->axis], groups = ceil_div(w->lines, w->group);
    const size_t block = i / groups, first = i % groups * w->group, line = w->axis ? 1 : n;
    const size_t at = (block * w->lines * n + first * line) * s->size;
    tridiag_lanes in = {.count = min_u64(w->group, w->lines - first),
                        .rows = n,
                        .d = {w->from + at, w->axis ? w->lines : 1, line},
                        .workspace = s->workspaces + (size_t)cpu_thread_number() * TRIDIAG_WORKSPACE_BYTES};
    for (size_t done = 0; done < w->steps && !cpu_cancelled(); done += STEPS_AT_ONCE, in.d.p = w->to + at)
        s->kernel->make_steps(&in, s->factors[w->axis], &s->side[w->axis], min_u64(STEPS_AT_ONCE, w->steps - done),
                              w->to + at);
}

static void run_sweep(sweep w) { cpu_parallel_for(w.s->threads, w.items, PARALLEL_RANGES, solve_group_of_lines, &w); }

static void run_sweep_alone(sweep w) {
    for (size_t i = 0; i < w.items && !cpu_cancelled(); i++) solve_group_of_lines(&w, i);
}

/* Sweeps along x and y of planes, from the grids `from`. */
typedef struct planes {
    const line_stepper *s;
    size_t steps;
    const char *from;
} planes;

static void step_plane(void *self, size_t i) {
    const planes *p = self;
    const size_t *n = p->s->call->n, at = i * n[0] * n[1] * p->s->size;
    const char *from = p->from + at;
    char *const to = (char *)p->s->call->v + at;
    for (size_t step = 0; step < p->steps && !cpu_cancelled(); step++, from = to) {
        run_sweep_alone(sweep_of(p->s, 0, 1, 1, from, to));
        run_sweep_alone(sweep_of(p->s, 1, 1, 1, to, to));
    }
}

static size_t planes_of(const heat_call *c) { return c->n[2] * c->batch; }

static bool shares_planes(const line_stepper *s) {
    return s->call->dimensions > 1 && planes_of(s->call) >= PLANES_A_THREAD * (size_t)s->threads;
}

static void run_line_step(void *self, size_t step) {
    const line_stepper *s = self;
    const heat_call *c = s->call;
    const size_t count = planes_of(c);
    const char *from = step ? c->v : c->u;
    planes all = {s, 1, from};
    if (shares_planes(s)) {
        cpu_parallel_for(s->threads, count, PARALLEL_RANGES, step_plane, &all);
    } else {
        run_sweep(sweep_of(s, 0, count, 1, from, c->v));
        run_sweep(sweep_of(s, 1, count, 1, c->v, c->v));
    }
    if (c->dimensions == 3) run_sweep(sweep_of(s, 2, count, 1, c->v, c->v));
}

static void run_line_steps(line_stepper *s) {
    const heat_call *c = s->call;
    planes all = {s, c->steps, c->u};
    cpu_plan_regions(1);
    if (c->dimensions == 1)
        run_sweep(sweep_of(s, 0, planes_of(c), c->steps, c->u, c->v));
    else if (c->dimensions == 2 && shares_planes(s))
        cpu_parallel_for(s->threads, planes_of(c), PARALLEL_RANGES, step_plane, &all);
    else
        cpu_parallel_for(1, c->steps, PARALLEL_IN_ORDER, run_line_step, s);
}

/* Returns true if all lines are short and the right-hand side of a line depends on this line only. Rows along x that
 * do not fill a vector are left to the other method, whose lines are adjacent across rows. */
static bool has_short_lines(const heat_call *c, const tridiag_kernel *kernel) {
    if (c->dimensions == 2 && c->method == WEFT_CRANK_NICOLSON) return false;
    if (c->dimensions > 1 && c->n[0] < kernel->width) return false;
    for (size_t axis = 0; axis < c->dimensions; axis++)
        if (c->n[axis] > TRIDIAG_ALONE) return false;
    return true;
}

static size_t line_workspace(const line_stepper *s) {
    return WEFT_AXES_MAX * TRIDIAG_FACTORS_BYTES + (size_t)s->threads * TRIDIAG_WORKSPACE_BYTES;
}

/* Computes the constants of all axes. Returns false if a matrix loses a pivot. */
static bool prepare_lines(line_stepper *s, char *workspace) {
    const heat_call *c = s->call;
    const bool f32 = c->dtype == WEFT_F32, doubled = c->method == WEFT_CRANK_NICOLSON;
    bool good = true;
    for (size_t axis = 0; axis < c->dimensions; axis++) {
        weft_heat_pass plan = {.n = {c->n[0], c->n[1], c->n[2]}, .batch = c->batch};
        const coefficients k = coefficients_of(c, axis);
        char *const factors = workspace + axis * TRIDIAG_FACTORS_BYTES;
        weft_heat_plan(&plan, f32, doubled, c->dimensions, c->lambda, axis);
        s->side[axis] = (tridiag_side){plan.use == WEFT_HEAT_SIDE, plan.centre, plan.ratio};
        s->factors[axis] = factors;
        good &= f32 ? s->kernel->factor(&k.f32[0], &k.f32[1], &k.f32[0], c->n[axis], factors)
                    : s->kernel->factor(&k.f64[0], &k.f64[1], &k.f64[0], c->n[axis], factors);
    }
    s->workspaces = workspace + WEFT_AXES_MAX * TRIDIAG_FACTORS_BYTES;
    return good;
}

/* ------------------------------------------------------------------------------------- the call */

static weft_status step_by_passes(cpu_context *ctx, const heat_call *c, int threads, weft_error *error) {
    const stencil_kernels *kernels = ctx->level->stencils;
    stepper s = {.ctx = ctx,
                 .call = c,
                 .rows = c->dtype == WEFT_F32 ? &kernels->heat_f32 : &kernels->heat_f64,
                 .size = weft_dtype_size(c->dtype),
                 .batch = c->batch,
                 .threads = threads,
                 .u = c->u,
                 .v = c->v};
    void *workspace;
    const size_t lines = lines_of_group(ctx, c, s.size, threads);
    if (lines) {
        s.threads = 1;
        s.batch = lines < c->batch ? lines : c->batch;
    }
    const size_t each = workspace_of(&s);
    RETURN_IF_ERROR(cpu_workspace(ctx, each * (lines ? (size_t)threads : 1), &workspace, error));
    s.batch = c->batch;
    if (lines) {
        groups all = {&s, lines, each, workspace};
        cpu_plan_regions(1);
        cpu_parallel_for(threads, (c->batch - 1) / lines + 1, PARALLEL_IN_ORDER, run_group, &all);
        return WEFT_OK;
    }
    use_workspace(&s, workspace);
    cpu_plan_regions(1);
    run_steps(&s);
    return WEFT_OK;
}

weft_status cpu_heat(void *state, const heat_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const tridiag_kernels *kernels = ctx->level->tridiags;
    const tridiag_kernel *kernel = c->dtype == WEFT_F32 ? &kernels->f32 : &kernels->f64;
    const size_t size = weft_dtype_size(c->dtype), bytes = weft_heat_points(c->n, c->batch) * size;
    const int threads = cpu_threads_for(ctx->threads, bytes);
    line_stepper s = {.call = c, .kernel = kernel, .size = size, .threads = threads};
    void *workspace;
    if (c->steps == 0) {
        memmove(c->v, c->u, bytes);
        return WEFT_OK;
    }
    if (!has_short_lines(c, kernel)) return step_by_passes(ctx, c, threads, error);
    RETURN_IF_ERROR(cpu_workspace(ctx, line_workspace(&s), &workspace, error));
    if (!prepare_lines(&s, workspace)) return step_by_passes(ctx, c, threads, error);
    run_line_steps(&s);
    return WEFT_OK;
}
