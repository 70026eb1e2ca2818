/* weft_dist_tridiag_rows: solves one system whose rows are distributed over the ranks. At each level of ORDER.md 16.2
 * a chunk belongs to the rank that has its first row. Rows of the chunk in the slices of other ranks, at most 15, are
 * copied to that rank. Each rank eliminates its own chunks. Its last separator also requires the first row of the
 * next chunk, which the next rank sends. The separators are the rows of the next level, distributed in the same way.
 * A level of at most GATHERED rows is gathered and solved by every rank.
 *
 *     rows       0     16     32     48           rank 0 begins chunks 0, 1 and 2, and fetches the rest of chunk 2
 *     rank 0     |------------|---                rank 1 begins chunk 3, and receives x of its rows of chunk 2
 *     rank 1                      ---|------|     level 1: rank 0 has separators 0, 1 and 2, rank 1 has 3 */
#include "core/byte_order.h"
#include "core/fpmode.h"
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = WEFT_TRIDIAG_CHUNK,
    CHUNK_BITS = 4,
    ROWS = 4,           /* arrays of a row: a, b, c, d */
    HEAD = 3,           /* values of the first row of a chunk, in terms of separators: l, c, d */
    VALUE = 8,          /* maximum size of a value, in bytes */
    GATHERED = 1 << 12, /* maximum number of rows of a level that every rank solves */
    ALIGNMENT = 256
};

_Static_assert(1 << CHUNK_BITS == CHUNK, "a chunk's rows");

/* Data that is common to all levels. */
typedef struct spread {
    weft_dist *d;
    weft_dtype dtype;
    bool periodic;
    size_t size;          /* bytes of an element */
    uint64_t whole;       /* rows of the system */
    uint64_t seen, fault; /* seen: fault reported by the last stage; fault: minimum of all of them */
    char *few; /* host memory of a gathered level: own rows, all rows as received, and sorted (x overwrites d) */
} spread;

/* One level, as seen by this rank. */
typedef struct level {
    unsigned number;
    weft_lines lines[ROWS]; /* a, b, c and d of this rank's rows */
    char *x;
    extent tiles, ragged;   /* rows of this rank's whole chunks, and of the chunk that ends in another slice */
    size_t chunks;          /* number of chunks, whole and ragged */
    char *separators[ROWS]; /* a, b, c and d of these chunks' separators; x overwrites d */
    _Alignas(VALUE) char cut[ROWS + 1][CHUNK * VALUE]; /* rows of the ragged chunk, and their x */
} level;

/* ---------------------------------------------------------------------------------- levels */

static uint64_t at_level(uint64_t row, unsigned number) {
    const unsigned bits = CHUNK_BITS * number;
    return (row + (UINT64_C(1) << bits) - 1) >> bits;
}

/* Sets d->begin to the slices of the rows of level `number`. */
static void enter_level(const spread *s, unsigned number) {
    weft_dist *const d = s->d;
    uint64_t end = 0;
    for (int r = 0; r < d->size; end += d->records[r++].count) d->begin[r] = at_level(end, number);
    d->begin[d->size] = at_level(end, number);
}

static size_t count_chunks(const weft_dist *d, int rank) {
    return (size_t)(at_level(d->begin[rank + 1], 1) - at_level(d->begin[rank], 1));
}

static size_t padded(size_t bytes) { return round_up(bytes, ALIGNMENT); }

/* Returns the bytes of this rank's separators at all levels. */
static size_t separator_bytes(const spread *s) {
    size_t bytes = 0;
    for (unsigned number = 0;; number++) {
        enter_level(s, number);
        if (dist_total(s->d) <= GATHERED) break;
        bytes += ROWS * padded(count_chunks(s->d, s->d->rank) * s->size);
    }
    enter_level(s, 0);
    return bytes;
}

/* Returns the chunk of the current level that begins in the slice of `rank` and ends in another, or an empty range.
 * d->begin must be that of the level, so every rank can compute it. */
static extent ragged_chunk(const weft_dist *d, int rank, size_t size) {
    (void)size;
    return dist_ragged_tile(d, rank, CHUNK);
}

static bool is_ragged(const weft_dist *d) {
    for (int r = 0; r < d->size; r++) {
        const extent e = ragged_chunk(d, r, 0);
        if (e.first < e.end) return true;
    }
    return false;
}

/* Returns the nearest rank after `rank` (step 1) or before it (step -1) that begins a chunk. In a periodic system
 * the search wraps around and may return `rank` itself. Returns -1 if there is none. */
static int neighbour(const spread *s, int rank, int step) {
    const weft_dist *const d = s->d;
    for (int i = 1; i <= d->size; i++) {
        const int r = rank + i * step, round = (r + d->size) % d->size;
        if (r != round && !s->periodic) return -1;
        if (count_chunks(d, round) > 0) return round;
    }
    return -1;
}

/* ---------------------------------------------------------------------------------- stages */

/* Returns the parameters of a stage on rows `of` of the level. */
static tridiag_part part_of(spread *s, const level *l, tridiag_stage stage, extent of) {
    const bool open = !s->periodic;
    tridiag_part p = {.stage = stage,
                      .begins = open && of.first == 0,
                      .ends = open && of.end == dist_total(s->d),
                      .first = of.first,
                      .scale = UINT64_C(1) << (CHUNK_BITS * l->number),
                      .whole = s->whole,
                      .fault = &s->seen};
    const size_t before = (size_t)(of.first / CHUNK - l->tiles.first / CHUNK);
    for (int i = 0; i < ROWS && stage != TRIDIAG_LEVEL; i++) p.separators[i] = l->separators[i] + before * s->size;
    return p;
}

/* Returns `line` advanced by `at` elements. */
static weft_lines moved(const spread *s, weft_lines line, size_t at) {
    return (weft_lines){(const char *)line.p + at * line.step * s->size, line.step, 0};
}

/* Runs stage p on n rows and updates s->fault. */
static weft_status run_stage(spread *s, weft_context *ctx, const weft_lines lines[ROWS], size_t n, void *x,
                             const tridiag_part *p) {
    const weft_boundary boundary = p->stage == TRIDIAG_LEVEL && s->periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS;
    const weft_status status =
        weft_part_tridiag(ctx, boundary, s->dtype, n, lines[0], lines[1], lines[2], lines[3], x, p);
    if (status == WEFT_OK && s->seen < s->fault) s->fault = s->seen;
    return ctx == s->d->ctx ? dist_took(s->d, status) : dist_took_host(s->d, status);
}

/* Runs a stage on this rank's whole chunks. */
static weft_status run_whole(spread *s, const level *l, const tridiag_part *p) {
    const size_t at = (size_t)(l->tiles.first - dist_first(s->d));
    weft_lines lines[ROWS];
    for (int i = 0; i < ROWS; i++) lines[i] = moved(s, l->lines[i], at);
    return run_stage(s, s->d->ctx, lines, (size_t)(l->tiles.end - l->tiles.first), l->x + at * s->size, p);
}

/* Runs a stage on the ragged chunk, in host memory. `separator` is the separator of that chunk. */
static weft_status run_cut(spread *s, level *l, tridiag_part *p, char separator[ROWS][VALUE]) {
    weft_lines lines[ROWS];
    for (int i = 0; i < ROWS; i++) {
        lines[i] = l->lines[i].step ? (weft_lines){l->cut[i], 1, 0} : l->lines[i];
        p->separators[i] = separator[i];
    }
    return run_stage(s, s->d->host, lines, (size_t)(l->ragged.end - l->ragged.first), l->cut[ROWS], p);
}

/* -------------------------------------------------------------------------------- reducing */

/* Completes a separator (b, c, d) with the first row of the next chunk. */
static void combine_f32(void *own, const void *head) {
    float v[HEAD], next[HEAD];
    memcpy(v, own, sizeof v);
    memcpy(next, head, sizeof next);
    const float combined[HEAD] = {fmaf(-v[1], next[0], v[0]), -(v[1] * next[1]), fmaf(-v[1], next[2], v[2])};
    memcpy(own, combined, sizeof combined);
}

static void combine_f64(void *own, const void *head) {
    double v[HEAD], next[HEAD];
    memcpy(v, own, sizeof v);
    memcpy(next, head, sizeof next);
    const double combined[HEAD] = {fma(-v[1], next[0], v[0]), -(v[1] * next[1]), fma(-v[1], next[2], v[2])};
    memcpy(own, combined, sizeof combined);
}

/* Completes separator `at` of this rank, in any memory. */
static weft_status combine(const spread *s, const level *l, size_t at, const void *head) {
    char own[HEAD * VALUE];
    for (size_t i = 0; i < HEAD; i++)
        RETURN_IF_ERROR(dist_copy(s->d, s->size, l->separators[1 + i] + at * s->size, own + i * s->size));
    const weft_fpmode mode = weft_fpmode_enter();
    if (s->dtype == WEFT_F32)
        combine_f32(own, head);
    else
        combine_f64(own, head);
    weft_fpmode_leave(mode);
    for (size_t i = 0; i < HEAD; i++)
        RETURN_IF_ERROR(dist_copy(s->d, s->size, own + i * s->size, l->separators[1 + i] + at * s->size));
    return WEFT_OK;
}

/* Computes the separator of the ragged chunk, which follows those of the whole chunks. Then completes the last whole
 * chunk's separator with the first row of the ragged chunk. */
static weft_status reduce_cut(spread *s, level *l, void *head) {
    const size_t last = l->chunks - 1;
    _Alignas(VALUE) char own[ROWS][VALUE];
    tridiag_part p = part_of(s, l, TRIDIAG_REDUCE, l->ragged);
    p.head = head;
    RETURN_IF_ERROR(run_cut(s, l, &p, own));
    for (int i = 0; i < ROWS; i++)
        RETURN_IF_ERROR(dist_copy(s->d, s->size, own[i], l->separators[i] + last * s->size));
    return last > 0 ? combine(s, l, last - 1, head) : WEFT_OK;
}

/* Computes the separators of this rank's chunks, and the first row of its first chunk. The last separator still
 * lacks the first row of the next rank's chunk. */
static weft_status reduce_chunks(spread *s, level *l, char head[HEAD * VALUE]) {
    _Alignas(VALUE) char after[HEAD * VALUE];
    const bool whole = l->tiles.first < l->tiles.end;
    if (whole) {
        tridiag_part p = part_of(s, l, TRIDIAG_REDUCE, l->tiles);
        p.head = head;
        RETURN_IF_ERROR(run_whole(s, l, &p));
    }
    return l->ragged.first < l->ragged.end ? reduce_cut(s, l, whole ? after : head) : WEFT_OK;
}

static weft_status reduce_level(spread *s, level *l) {
    weft_dist *const d = s->d;
    _Alignas(VALUE) char head[HEAD * VALUE] = {0};
    const int next = l->chunks ? neighbour(s, d->rank, 1) : -1;
    for (int i = 0; i < ROWS && is_ragged(d); i++)
        if (l->lines[i].step) RETURN_IF_ERROR(dist_fetch(d, s->size, ragged_chunk, l->lines[i].p, l->cut[i]));
    RETURN_IF_ERROR(dist_agree(d, reduce_chunks(s, l, head)));
    RETURN_IF_ERROR(dist_gather(d, head, d->roots, sizeof head, "gathering first rows"));
    return dist_agree(d, next < 0 ? WEFT_OK : combine(s, l, l->chunks - 1, d->roots + HEAD * next));
}

/* ------------------------------------------------------------------------------- expanding */

/* Computes x of this rank's rows between the separators. `before` is x of the separator before the first chunk. */
static weft_status expand_chunks(spread *s, level *l, const char *before) {
    _Alignas(VALUE) char own[ROWS][VALUE], last[VALUE];
    const bool whole = l->tiles.first < l->tiles.end;
    if (whole) {
        tridiag_part p = part_of(s, l, TRIDIAG_EXPAND, l->tiles);
        p.before = before;
        RETURN_IF_ERROR(run_whole(s, l, &p));
    }
    if (l->ragged.first == l->ragged.end) return WEFT_OK;
    const char *const x = l->separators[ROWS - 1] + (l->chunks - 1) * s->size;
    tridiag_part p = part_of(s, l, TRIDIAG_EXPAND, l->ragged);
    p.before = whole ? last : before;
    RETURN_IF_ERROR(dist_copy(s->d, s->size, x, own[ROWS - 1]));
    if (whole) RETURN_IF_ERROR(dist_copy(s->d, s->size, x - s->size, last));
    return run_cut(s, l, &p, own);
}

/* Copies to l->x the solution of this rank's rows in chunks that cross a slice border. `all` contains the ragged
 * chunk of every rank. */
static weft_status take_cut(const spread *s, const level *l, const char *all) {
    const weft_dist *const d = s->d;
    const uint64_t begin = dist_first(d), end = d->begin[d->rank + 1], chunk = begin / CHUNK * CHUNK;
    const uint64_t stop = l->tiles.first;
    int owner = d->rank;
    if (begin < stop) {
        while (d->begin[owner] > chunk) owner--;
        RETURN_IF_ERROR(dist_copy(s->d, (size_t)(stop - begin) * s->size,
                                  all + (size_t)owner * CHUNK * VALUE + (begin - chunk) * s->size, l->x));
    }
    if (l->ragged.first == l->ragged.end) return WEFT_OK;
    return dist_copy(s->d, (size_t)(end - l->ragged.first) * s->size, l->cut[ROWS],
                     l->x + (l->ragged.first - begin) * s->size);
}

static weft_status expand_level(spread *s, level *l) {
    weft_dist *const d = s->d;
    _Alignas(VALUE) char last[VALUE] = {0}, before[VALUE] = {0};
    const int previous = l->chunks ? neighbour(s, d->rank, -1) : -1;
    weft_status status = WEFT_OK;
    if (l->chunks) status = dist_copy(d, s->size, l->separators[ROWS - 1] + (l->chunks - 1) * s->size, last);
    RETURN_IF_ERROR(dist_agree(d, status));
    RETURN_IF_ERROR(dist_gather(d, last, d->roots, sizeof last, "gathering separators"));
    if (previous >= 0) memcpy(before, d->roots + previous, sizeof before);
    RETURN_IF_ERROR(dist_agree(d, expand_chunks(s, l, before)));
    if (!is_ragged(d)) return WEFT_OK;
    RETURN_IF_ERROR(dist_gather(d, l->cut[ROWS], d->roots, CHUNK * VALUE, "gathering rows"));
    return dist_agree(d, take_cut(s, l, (const char *)d->roots));
}

/* ------------------------------------------------------------------------- a level of few rows */

/* Copies `rows` values of a line to host memory. */
static weft_status gather_line(const spread *s, weft_lines line, size_t rows, char *to) {
    if (line.step) return dist_copy(s->d, rows * s->size, line.p, to);
    for (size_t i = 0; i < rows; i++) memcpy(to + i * s->size, line.p, s->size);
    return WEFT_OK;
}

/* Sorts the gathered rows by array. `told` contains, rank by rank, the four arrays of the rank's rows. */
static void sort_out(const spread *s, const char *told, char *const arrays[ROWS]) {
    const weft_dist *const d = s->d;
    for (int r = 0; r < d->size; r++) {
        const size_t bytes = (size_t)(d->begin[r + 1] - d->begin[r]) * s->size, at = (size_t)d->begin[r] * s->size;
        for (int i = 0; i < ROWS; i++, told += bytes) memcpy(arrays[i] + at, told, bytes);
    }
}

static weft_status solve_gathered(spread *s, const level *l, char *const arrays[ROWS]) {
    weft_dist *const d = s->d;
    weft_lines lines[ROWS];
    for (int i = 0; i < ROWS; i++) lines[i] = (weft_lines){arrays[i], 1, 0};
    const tridiag_part p = part_of(s, l, TRIDIAG_LEVEL, (extent){0, dist_total(d)});
    RETURN_IF_ERROR(run_stage(s, d->host, lines, (size_t)dist_total(d), arrays[ROWS - 1], &p));
    const size_t first = (size_t)dist_first(d), rows = (size_t)d->begin[d->rank + 1] - first;
    return dist_copy(d, rows * s->size, arrays[ROWS - 1] + first * s->size, l->x);
}

static weft_status gather_level(spread *s, const level *l) {
    weft_dist *const d = s->d;
    const size_t all = ROWS * GATHERED * VALUE, rows = (size_t)(d->begin[d->rank + 1] - dist_first(d));
    char *const own = s->few, *const told = own + all;
    char *arrays[ROWS];
    weft_status status = WEFT_OK;
    for (int i = 0; i < ROWS; i++) {
        arrays[i] = told + all + (size_t)i * GATHERED * VALUE;
        if (status == WEFT_OK) status = gather_line(s, l->lines[i], rows, own + (size_t)i * rows * s->size);
    }
    RETURN_IF_ERROR(dist_agree(d, status));
    for (int r = 0; r < d->size; r++) d->counts[r] = (int)((d->begin[r + 1] - d->begin[r]) * ROWS * s->size);
    RETURN_IF_ERROR(dist_gather_parts(d, own, told, "gathering rows"));
    sort_out(s, told, arrays);
    return dist_agree(d, solve_gathered(s, l, arrays));
}

/* --------------------------------------------------------------------------------- a system */

/* Solves a level. `workspace` is for the separators of this level and of all levels above. */
static weft_status solve_level(spread *s, level *l, char *workspace) {
    weft_dist *const d = s->d;
    level above = {.number = l->number + 1};
    enter_level(s, l->number);
    if (dist_total(d) <= GATHERED) return gather_level(s, l);
    l->tiles = dist_whole_tiles(d, d->rank, CHUNK);
    l->ragged = ragged_chunk(d, d->rank, 0);
    l->chunks = count_chunks(d, d->rank);
    for (int i = 0; i < ROWS; i++, workspace += padded(l->chunks * s->size)) {
        l->separators[i] = workspace;
        above.lines[i] = (weft_lines){workspace, 1, 0};
    }
    above.x = l->separators[ROWS - 1];
    RETURN_IF_ERROR(reduce_level(s, l));
    RETURN_IF_ERROR(solve_level(s, &above, workspace));
    enter_level(s, l->number);
    return expand_level(s, l);
}

static weft_status hold_workspaces(spread *s, char **workspace) {
    weft_error *error = &s->d->error;
    const size_t bytes = separator_bytes(s);
    const weft_status status = dist_workspace(s->d, 0, bytes, workspace);
    s->few = malloc(3 * (size_t)ROWS * GATHERED * VALUE);
    RETURN_IF(!s->few || status == WEFT_OUT_OF_MEMORY, WEFT_OUT_OF_MEMORY,
              "cannot allocate %zu bytes for the separators of the rank's rows", bytes);
    return status;
}

/* Finds the first fault of all ranks. */
static weft_status find_fault(const spread *s, uint64_t *singular) {
    weft_dist *const d = s->d;
    uint64_t first = UINT64_MAX;
    RETURN_IF_ERROR(dist_gather(d, &s->fault, d->roots, sizeof s->fault, "exchanging the first singular row"));
    for (int r = 0; r < d->size; r++)
        if (d->roots[r] < first) first = d->roots[r];
    *singular = first == UINT64_MAX ? first : first % s->whole;
    return WEFT_OK;
}

static weft_status run_spread(spread *s, level *l, uint64_t *singular) {
    char *workspace;
    RETURN_IF_ERROR(dist_agree(s->d, hold_workspaces(s, &workspace)));
    RETURN_IF_ERROR(solve_level(s, l, workspace));
    RETURN_IF_ERROR(dist_finish(s->d, WEFT_OK));
    return find_fault(s, singular);
}

/* ------------------------------------------------------------------------------- the call */

static weft_status check_line(weft_dist *d, const char *name, weft_lines line, size_t n, size_t size) {
    weft_error *error = &d->error;
    RETURN_IF(line.step > 1, WEFT_INVALID,
              "%s: invalid step %zu: the rows of a slice require a step of 1, or 0 for a constant", name, line.step);
    if (line.step == 0) RETURN_IF_ERROR(dist_check_host(d, name, line.p));
    return dist_check_array(d, name, line.p, line.step ? n : 1, size);
}

static weft_status check_rows(const spread *s, weft_boundary boundary, size_t n, const level *l,
                              const uint64_t *singular) {
    static const char *const names[ROWS] = {"a", "b", "c", "rhs"};
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const weft_lines none = {NULL, 1, 0};
    uint64_t unused;
    RETURN_IF_ERROR(
        dist_took(d, weft_tridiag(d->ctx, boundary, s->dtype, 0, 0, none, none, none, none, NULL, &unused)));
    RETURN_IF(!singular, WEFT_INVALID, "singular is NULL");
    for (int i = 0; i < ROWS; i++) RETURN_IF_ERROR(check_line(d, names[i], l->lines[i], n, s->size));
    RETURN_IF_ERROR(dist_check_array(d, "x", l->x, n, s->size));
    for (int i = 0; i < ROWS; i++)
        if (i < ROWS - 1 || l->lines[i].p != l->x)
            RETURN_IF_ERROR(dist_check_apart(d, "x", l->x, n * s->size, names[i], l->lines[i].p,
                                             (l->lines[i].step ? n : 1) * s->size));
    return WEFT_OK;
}

/* Returns the bits of the constant of a line with step 0, otherwise 0. */
static uint64_t bits_of(const spread *s, weft_status checked, weft_lines line) {
    return checked == WEFT_OK && line.step == 0 ? bits_load(line.p, s->size) : 0;
}

weft_status weft_dist_tridiag_rows(weft_dist *d, weft_boundary boundary, weft_dtype dtype, weft_slice rows,
                                   weft_lines a, weft_lines b, weft_lines c, const void *rhs, void *x,
                                   uint64_t *singular) {
    if (!d) return WEFT_INVALID;
    const weft_lines right = {rhs, 1, 0};
    spread s = {.d = d,
                .dtype = dtype,
                .periodic = boundary == WEFT_PERIODIC,
                .size = weft_dtype_size(dtype),
                .fault = UINT64_MAX};
    level l = {.lines = {a, b, c, right}, .x = x};
    const weft_status checked = check_rows(&s, boundary, rows.count, &l, singular);
    const agreed list[] = {{"dtype", AS_TYPE, dtype},
                           {"periodic", AS_NUMBER, boundary},
                           {"the step of a", AS_NUMBER, a.step},
                           {"the step of b", AS_NUMBER, b.step},
                           {"the step of c", AS_NUMBER, c.step},
                           {"a", AS_BITS, bits_of(&s, checked, a)},
                           {"b", AS_BITS, bits_of(&s, checked, b)},
                           {"c", AS_BITS, bits_of(&s, checked, c)}};
    RETURN_IF_ERROR(dist_begin(d, "tridiag_rows", list, AGREED_MAX, rows, checked));
    s.whole = dist_total(d);
    if (s.whole == 0) *singular = UINT64_MAX;
    if (s.whole == 0) return WEFT_OK;
    if (d->size == 1)
        return dist_finish(
            d, dist_took(d, weft_tridiag(d->ctx, boundary, dtype, 1, rows.count, a, b, c, right, x, singular)));
    const weft_status status = run_spread(&s, &l, singular);
    free(s.few);
    return status;
}
