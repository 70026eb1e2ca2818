/* weft_map and weft_map_views on the CPU, and the evaluation of formulas whose values a reduction or a scan reads.
 * Each thread has a part of the context's workspace, which contains the registers and leaves of the formula
 * (cpu/kernels/bodies/map_body.h). */
#include "core/order.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

enum {
    CHUNK = 1 << 15,        /* elements per work item */
    STREAM_BYTES = 1 << 25, /* results of at least this size use nontemporal stores, unless they overwrite an input */
    TILE_BYTES = 1 << 14,   /* bytes of values that are reduced at a time: whole tiles of ORDER.md 2.2 */
    LEVELS = 64             /* levels of the tree over these tiles */
};

static size_t workspace_bytes(const map_call *c, size_t value_bytes) {
    return (c->register_count + c->leaf_count) * MAP_BLOCK + value_bytes;
}

static weft_status hold_workspaces(cpu_context *ctx, const map_call *c, size_t value_bytes, weft_error *error) {
    void *workspace;
    return cpu_workspace(ctx, (size_t)ctx->threads * workspace_bytes(c, value_bytes), &workspace, error);
}

weft_status cpu_map_hold(cpu_context *ctx, const map_call *c, weft_error *error) {
    return hold_workspaces(ctx, c, TILE_BYTES, error);
}

/* Returns the calling thread's part of the workspace: values, then the blocks of registers and leaves. */
static char *own_workspace(const cpu_context *ctx, const map_call *c, size_t value_bytes) {
    return (char *)ctx->workspace + (size_t)cpu_thread_number() * workspace_bytes(c, value_bytes);
}

/* ---------------------------------------------------------------------------------- scanning */

weft_status cpu_map_hold_values(cpu_context *ctx, const map_call *c, size_t most, weft_error *error) {
    return hold_workspaces(ctx, c, most * weft_dtype_size(c->dtype), error);
}

map_values cpu_map_values(const cpu_context *ctx, const map_call *c, size_t most) {
    const size_t value_bytes = most * weft_dtype_size(c->dtype);
    char *const values = own_workspace(ctx, c, value_bytes);
    const map_values v = {&ctx->level->maps->of[c->dtype], c, values, values + value_bytes};
    v.formula->begin(c, v.workspace);
    return v;
}

const void *cpu_map_evaluate(const map_values *v, size_t first, size_t n) {
    v->formula->evaluate(v->call, MAP_STORE, first, n, v->workspace, v->values);
    return v->values;
}

/* ---------------------------------------------------------------------------------- reducing */

/* Appends `value` as tile number `done` to a binary counter of partial results: waiting[k] contains the value of
 * 2^k adjacent tiles if bit k of the number of tiles so far is set. */
static void count_in(partial *waiting, size_t done, partial value, combiner *combine) {
    size_t k = 0;
    for (; done >> k & 1; k++) {
        partial pair = waiting[k];
        combine(&pair, &value);
        value = pair;
    }
    waiting[k] = value;
}

/* Combines the remaining partial results of the counter, starting at the last tiles (ORDER.md 2.4). done >= 1. */
static partial count_out(const partial *waiting, size_t done, combiner *combine) {
    size_t k = 0;
    while (!(done >> k & 1)) k++;
    partial value = waiting[k];
    for (k++; k < LEVELS && done >> k; k++) {
        if (!(done >> k & 1)) continue;
        partial pair = waiting[k];
        combine(&pair, &value);
        value = pair;
    }
    return value;
}

void cpu_map_reduce_chunk(const cpu_context *ctx, const reduce_chunk *p, size_t size, kernel *run, combiner *combine,
                          partial *out) {
    const map_call *c = p->map;
    const map_kernel *formula = &ctx->level->maps->of[c->dtype];
    const size_t element = weft_dtype_size(c->dtype), tile = TILE_BYTES / size;
    char *const values = own_workspace(ctx, c, TILE_BYTES), *const workspace = values + TILE_BYTES;
    partial waiting[LEVELS];
    size_t done = 0;
    formula->begin(c, workspace);
    for (size_t at = 0; at < p->n; at += tile, done++) {
        reduce_chunk part = *p;
        partial value;
        part.x = values;
        part.first = p->first + at;
        part.n = p->n - at < tile ? p->n - at : tile;
        formula->evaluate(c, MAP_REDUCE, part.first * size / element, part.n * size / element, workspace, values);
        run(&part, &value);
        count_in(waiting, done, value, combine);
    }
    *out = count_out(waiting, done, combine);
}

/* ---------------------------------------------------------------------------------- weft_map */

bool cpu_map_reads(const map_call *c, const void *p) {
    for (size_t k = 0; k < c->leaf_count; k++)
        if (c->leaves[k].kind == LEAF_ARRAY && c->leaves[k].p == p) return true;
    return false;
}

/* Returns the bytes of the values in the type of the evaluation, which the number of threads depends on. */
static size_t evaluated_bytes(const map_call *c) {
    return c->n * weft_dtype_size(c->dtype) * (c->is_complex ? 2 : 1);
}

typedef struct evaluation {
    const cpu_context *ctx;
    const map_call *call;
    map_use use;
} evaluation;

static void run_chunks(void *self, parallel *p) {
    const evaluation *e = self;
    const map_call *c = e->call;
    const map_kernel *formula = &e->ctx->level->maps->of[c->dtype];
    const size_t size = weft_dtype_size(c->result);
    char *const workspace = own_workspace(e->ctx, c, TILE_BYTES);
    formula->begin(c, workspace);
    for (size_t i; parallel_next(p, &i);) {
        const size_t first = i * CHUNK, n = c->n - first < CHUNK ? c->n - first : CHUNK;
        formula->evaluate(c, e->use, first, n, workspace, (char *)c->out + first * size);
    }
}

weft_status cpu_map(void *state, const map_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const size_t bytes = c->n * weft_dtype_size(c->result);
    RETURN_IF_ERROR(cpu_map_hold(ctx, c, error));
    evaluation e = {ctx, c, bytes >= STREAM_BYTES && !cpu_map_reads(c, c->out) ? MAP_STREAM : MAP_STORE};
    cpu_plan_regions(1);
    cpu_parallel(cpu_threads_for(ctx->threads, evaluated_bytes(c)), (c->n - 1) / CHUNK + 1, PARALLEL_RANGES,
                 run_chunks, &e);
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------- weft_map_views */

enum { TURNED_ROWS = 16 }; /* rows of a box if an array is adjacent in memory down the columns */

/* The areas of a call: `rows` rows of `columns` columns, or what is left at the end of a dimension. */
typedef struct view_evaluation {
    const cpu_context *ctx;
    const map_views_call *views;
    map_use use;
    size_t all_rows, all_columns; /* lengths of the last two dimensions */
    size_t rows, columns, box_rows, box_columns;
    size_t bands, parts; /* areas down the columns and along the rows */
} view_evaluation;

/* Returns the lesser number, at least 1. */
static size_t at_most(size_t n, size_t all) { return max_u64(1, min_u64(n, all)); }

static size_t magnitude(ptrdiff_t distance) { return distance < 0 ? 0 - (size_t)distance : (size_t)distance; }

/* Returns true if an array has smaller distances down the columns than along the rows. */
static bool is_turned(const map_views_call *v) {
    const map_dimension *const inner = &v->dimensions[v->count - 1];
    for (size_t k = 0; v->count > 1 && k < v->map->leaf_count; k++)
        if (v->map->leaves[k].kind == LEAF_ARRAY && inner[-1].x[k] != 0 &&
            magnitude(inner[-1].x[k]) < magnitude(inner->x[k]))
            return true;
    return false;
}

/* Returns true if the values of each area are written with nontemporal stores. */
static bool can_stream(const view_evaluation *e) {
    const map_call *const c = e->views->map;
    const map_dimension *const inner = &e->views->dimensions[e->views->count - 1];
    const size_t part = weft_dtype_size(c->result), size = c->is_complex ? 2 * part : part;
    if (c->is_complex && (c->imaginary != (ptrdiff_t)part || c->result != c->dtype)) return false;
    const bool adjacent =
        inner->out == (ptrdiff_t)size && (e->rows == 1 || inner[-1].out == (ptrdiff_t)(e->all_columns * size));
    return adjacent && c->n * size >= STREAM_BYTES && !cpu_map_reads(c, c->out);
}

/* Chooses areas of about CHUNK values, and boxes of a block: parts of a row, several short rows, or, if an array is
 * turned, squares, so that all of a cache line is used. */
static void cut(view_evaluation *e) {
    const map_views_call *const v = e->views;
    const size_t lanes = MAP_BLOCK / weft_dtype_size(v->map->dtype);
    const bool turned = is_turned(v);
    e->all_columns = v->dimensions[v->count - 1].n;
    e->all_rows = v->count > 1 ? v->dimensions[v->count - 2].n : 1;
    e->box_columns = at_most(turned ? lanes / TURNED_ROWS : lanes, e->all_columns);
    e->box_rows = at_most(turned || e->all_columns <= lanes ? lanes / e->box_columns : 1, e->all_rows);
    e->columns = at_most(turned ? CHUNK / TURNED_ROWS : CHUNK, e->all_columns);
    e->rows = e->columns < e->all_columns ? e->box_rows : at_most(CHUNK / e->columns, e->all_rows);
    e->bands = (e->all_rows - 1) / e->rows + 1;
    e->parts = (e->all_columns - 1) / e->columns + 1;
    e->use = !turned && can_stream(e) ? MAP_STREAM : MAP_STORE;
}

static void run_areas(void *self, parallel *p) {
    const view_evaluation *e = self;
    const map_call *c = e->views->map;
    const map_kernel *formula = &e->ctx->level->maps->of[c->dtype];
    char *const workspace = own_workspace(e->ctx, c, TILE_BYTES);
    formula->begin(c, workspace);
    for (size_t i; parallel_next(p, &i);) {
        map_area area = {.outer = i / e->parts / e->bands,
                         .row = i / e->parts % e->bands * e->rows,
                         .column = i % e->parts * e->columns,
                         .box_rows = e->box_rows,
                         .box_columns = e->box_columns};
        area.rows = min_u64(e->rows, e->all_rows - area.row);
        area.columns = min_u64(e->columns, e->all_columns - area.column);
        formula->evaluate_views(e->views, e->use, &area, workspace);
    }
}

weft_status cpu_map_views(void *state, const map_views_call *v, weft_error *error) {
    cpu_context *ctx = state;
    view_evaluation e = {.ctx = ctx, .views = v};
    RETURN_IF_ERROR(cpu_map_hold(ctx, v->map, error));
    cut(&e);
    const size_t outer = v->map->n / (e.all_rows * e.all_columns);
    cpu_plan_regions(1);
    cpu_parallel(cpu_threads_for(ctx->threads, evaluated_bytes(v->map)), outer * e.bands * e.parts, PARALLEL_RANGES,
                 run_areas, &e);
    return WEFT_OK;
}
