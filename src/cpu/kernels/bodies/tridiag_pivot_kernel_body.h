/* Body of cpu/kernels/tridiag_pivot.c for one type. The includer defines the macros that tridiag_lanes_body.h
 * requires. */
#include "cpu/kernels/bodies/tridiag_rows_body.h"

#define EQUATION OF(equation)
#define RUN OF(run)

/* An equation per lane: coefficients of the columns, then the right-hand side. */
typedef struct EQUATION {
    VECTOR k[PIVOT_COLUMNS + 1];
} EQUATION;

typedef struct RUN {
    EQUATION list[2];
} RUN;

/* -------------------------------------------------------------------------------- elimination */

INLINE void OF(exchange)(LANES mask, EQUATION *a, EQUATION *b) {
#pragma GCC unroll 8
    for (int i = 0; i <= PIVOT_COLUMNS; i++) {
        const VECTOR other = a->k[i];
        a->k[i] = OF(select)(mask, b->k[i], other);
        b->k[i] = OF(select)(mask, other, b->k[i]);
    }
}

/* Eliminates the unknown of a column from the equations of a list (ORDER.md 26.1). */
INLINE void OF(eliminate_unknown)(EQUATION *list, size_t count, int column) {
#pragma GCC unroll 4
    for (size_t i = 1; i < count; i++) {
        const LANES greater = (LANES)(OF(magnitude)(list[i].k[column]) > OF(magnitude)(list[0].k[column]));
        OF(exchange)(greater, &list[0], &list[i]);
    }
#pragma GCC unroll 4
    for (size_t i = 1; i < count; i++) {
        const VECTOR m = -(list[i].k[column] / list[0].k[column]);
#pragma GCC unroll 8
        for (int k = 0; k <= PIVOT_COLUMNS; k++)
            if (k != column) list[i].k[k] = OF(fused)(m, list[0].k[k], list[i].k[k]);
    }
}

/* Returns the lanes in which all coefficients of a column are 0. */
INLINE LANES OF(all_zero)(const EQUATION *list, size_t count, int column) {
    LANES zero = ~(LANES){0};
    for (size_t i = 0; i < count; i++) zero &= (LANES)(list[i].k[column] == OF(splat)(0));
    return zero;
}

/* Returns true if a coefficient of the run is NaN, as after a lost pivot. */
INLINE bool OF(is_nan)(const RUN *run) {
    const VECTOR v = run->list[0].k[PIVOT_LEFT_1];
    return OF(any)(~(LANES)(v == v));
}

static void OF(report_lost_pivot)(const tridiag_tree *t, size_t system, size_t row) {
    tridiag_keep_first(t->faults, tridiag_fault(t->n, t->first_system + system, false, row));
}

/* --------------------------------------------------------------------------------- chunks */

/* Eliminates the inner unknowns of k rows. If `keep` is true, row r becomes the pivot equation of x[r - 1]: its
 * coefficients are a, b and c. If `lost` is not NULL, lost[r - 1] is set to the lanes in which the pivot is lost. */
INLINE void OF(sweep)(size_t k, OF(rows) v, EQUATION *list, bool keep, LANES *lost) {
    const VECTOR zero = OF(splat)(0);
    for (size_t r = 2; r < k; r++) {
        EQUATION three[3] = {list[0], list[1], {{zero, zero, v.a[r], v.b[r], v.c[r], zero, v.d[r]}}};
        if (lost) lost[r - 1] = OF(all_zero)(three, 3, PIVOT_INNER_0);
        OF(eliminate_unknown)(three, 3, PIVOT_INNER_0);
        if (keep) {
            v.a[r] = three[0].k[PIVOT_INNER_0];
            v.b[r] = three[0].k[PIVOT_INNER_1];
            v.c[r] = three[0].k[PIVOT_INNER_2];
            v.d[r] = three[0].k[PIVOT_COLUMNS];
        }
        for (int i = 0; i < 2; i++) {
            const EQUATION e = three[1 + i];
            list[i] = (EQUATION){{e.k[PIVOT_LEFT_0], e.k[PIVOT_LEFT_1], e.k[PIVOT_INNER_1], e.k[PIVOT_INNER_2], zero,
                                  zero, e.k[PIVOT_COLUMNS]}};
        }
    }
}

INLINE RUN OF(reduce_rows)(size_t k, OF(rows) v, LANES *lost) {
    const VECTOR zero = OF(splat)(0);
    RUN run = {
        {{{v.a[0], v.b[0], v.c[0], zero, zero, zero, v.d[0]}}, {{zero, v.a[1], v.b[1], v.c[1], zero, zero, v.d[1]}}}};
    OF(sweep)(k, v, run.list, false, lost);
    return run;
}

/* Computes x of k rows from x before, in and after the first and the last one. */
INLINE void OF(expand_rows)(size_t k, OF(rows) v, VECTOR before, VECTOR first, VECTOR last, VECTOR after, VECTOR *x) {
    const VECTOR zero = OF(splat)(0);
    EQUATION list[2] = {
        {{zero, zero, v.c[0], zero, zero, zero, OF(fused)(-v.b[0], first, OF(fused)(-v.a[0], before, v.d[0]))}},
        {{zero, zero, v.b[1], v.c[1], zero, zero, OF(fused)(-v.a[1], first, v.d[1])}}};
    OF(sweep)(k, v, list, true, NULL);
    x[0] = first;
    x[k - 1] = last;
    for (size_t r = k - 1; r-- > 1;) {
        const VECTOR own = OF(fused)(-v.b[r + 1], last, OF(fused)(-v.c[r + 1], after, v.d[r + 1])) / v.a[r + 1];
        after = last;
        x[r] = last = own;
    }
}

/* Consecutive chunks of one system, or one chunk of each system. */
typedef struct OF(group) {
    size_t chunk, chunks; /* chunks: of one system */
    tridiag_lanes lanes;
} OF(group);

INLINE weft_lines OF(moved)(weft_lines l, size_t row, bool systems) {
    return (weft_lines){(const REAL *)l.p + row * l.step, l.step, systems ? l.line : CHUNK * l.step};
}

/* Returns the group that starts with a chunk of the block. */
INLINE OF(group) OF(group_of)(const tridiag_block *in, const tridiag_tree *t, size_t chunk) {
    const bool systems = t->lanes > 1, is_last = chunk + 1 == t->runs;
    const size_t full = in->rows / CHUNK - (in->rows % CHUNK == 1 && in->rows > 1),
                 start = tridiag_pivot_first_row(in->rows, chunk);
    const size_t left = full - chunk, most = left < WIDTH ? left : WIDTH;
    const size_t count = !systems && chunk < full ? most : 1;
    const size_t rows = chunk < full ? CHUNK : is_last ? in->rows - start : CHUNK - 1;
    const size_t end = start + (count - 1) * CHUNK + rows, used = systems ? t->systems : count;
    return (OF(group)){
        chunk,
        count,
        {.count = used,
         .rows = rows,
         .a = OF(moved)(in->a, start, systems),
         .b = OF(moved)(in->b, start, systems),
         .c = OF(moved)(in->c, start, systems),
         .d = OF(moved)(in->d, start, systems),
         .without_a = in->begins && chunk == 0 ? (systems ? WIDTH : 1) : 0,
         .with_c = in->ends && end == in->rows ? (systems ? 0 : count - 1) : WIDTH,
         .position = {t->first_system, systems, in->first_row + start, systems ? 0 : CHUNK, 1, t->n, t->faults}}};
}

/* ----------------------------------------------------------------------------- tree of runs */

/* Returns the address of a value of a run, border or pair. */
INLINE REAL *OF(value)(const tridiag_tree *t, const void *array, int value, size_t index) {
    return (REAL *)array + (size_t)value * t->stride + index * t->lanes;
}

/* Loads `count` elements; the lanes that are left are 0. */
INLINE VECTOR OF(load_part)(const REAL *p, size_t count) {
    VECTOR v = {0};
    if (count == WIDTH)
        memcpy(&v, p, sizeof v);
    else
        memcpy(&v, p, count * sizeof *p);
    return v;
}

INLINE void OF(store_part)(REAL *p, size_t count, VECTOR v) {
    if (count == WIDTH)
        memcpy(p, &v, sizeof v);
    else
        memcpy(p, &v, count * sizeof *p);
}

/* Returns the elements `odd`, odd + 2, ... of two vectors. */
INLINE VECTOR OF(every_second)(VECTOR a, VECTOR b, size_t odd) {
#ifdef __clang__
    VECTOR v;
    for (size_t l = 0; l < WIDTH; l++) v[l] = l < WIDTH / 2 ? a[2 * l + odd] : b[2 * l + odd - WIDTH];
    return v;
#else
    LANES number = {0};
    for (size_t l = 0; l < WIDTH; l++) number[l] = (LANE)(2 * l + odd);
    return __builtin_shuffle(a, b, number);
#endif
}

/* Returns half 0 or 1 of the sequence a[0], b[0], a[1], b[1], ... */
INLINE VECTOR OF(interleaved)(VECTOR a, VECTOR b, size_t half) {
#ifdef __clang__
    VECTOR v;
    for (size_t l = 0; l < WIDTH; l++) v[l] = l % 2 ? b[half * (WIDTH / 2) + l / 2] : a[half * (WIDTH / 2) + l / 2];
    return v;
#else
    LANES number = {0};
    for (size_t l = 0; l < WIDTH; l++) number[l] = (LANE)(half * (WIDTH / 2) + l / 2 + l % 2 * WIDTH);
    return __builtin_shuffle(a, b, number);
#endif
}

/* Loads a value of the runs 0, 2, ... from p on, for `count` lanes, and of the runs 1, 3, ... that follow them. Lanes
 * that are left repeat the last runs. */
INLINE void OF(load_two)(const tridiag_tree *t, const REAL *p, size_t count, VECTOR *left, VECTOR *right) {
    REAL part[2 * WIDTH];
    VECTOR v[2];
    if (count < WIDTH) {
        for (size_t l = 0; l < 2 * WIDTH; l++) part[l] = p[l < 2 * count ? l : 2 * count - 2 + l % 2];
        p = part;
    }
    memcpy(v, p, sizeof v);
    *left = t->lanes > 1 ? v[0] : OF(every_second)(v[0], v[1], 0);
    *right = t->lanes > 1 ? v[1] : OF(every_second)(v[0], v[1], 1);
}

/* The columns of the values of a run's equation and of the two pivot equations of a border. */
static const int OF(run_columns)[] = {PIVOT_LEFT_0, PIVOT_LEFT_1, PIVOT_RIGHT_0, PIVOT_RIGHT_1, PIVOT_COLUMNS};
static const int OF(border_columns)[] = {PIVOT_BORDER_0, PIVOT_BORDER_1, PIVOT_LEFT_0,   PIVOT_LEFT_1, PIVOT_FAR_0,
                                         PIVOT_FAR_1,    PIVOT_COLUMNS,  PIVOT_BORDER_1, PIVOT_LEFT_0, PIVOT_LEFT_1,
                                         PIVOT_FAR_0,    PIVOT_FAR_1,    PIVOT_COLUMNS};
enum { OF(equation_values) = TRIDIAG_RUN_VALUES / 2, OF(first_pivot_values) = 7 };

INLINE void OF(store_run)(const tridiag_tree *t, size_t index, size_t count, const RUN *run) {
#pragma GCC unroll 10
    for (int i = 0; i < TRIDIAG_RUN_VALUES; i++) {
        const EQUATION *e = &run->list[i / OF(equation_values)];
        const int column = OF(run_columns)[i % OF(equation_values)];
        OF(store_part)(OF(value)(t, t->run, i, index), count, e->k[column]);
    }
}

INLINE void OF(store_border)(const tridiag_tree *t, size_t index, size_t count, const EQUATION *pivots) {
#pragma GCC unroll 13
    for (int i = 0; i < TRIDIAG_BORDER_VALUES; i++) {
        const VECTOR v = pivots[i / OF(first_pivot_values)].k[OF(border_columns)[i]];
        OF(store_part)(OF(value)(t, t->border, i, index), count, v);
    }
}

/* Loads the equations of two adjacent runs. */
INLINE void OF(load_equations)(const tridiag_tree *t, size_t index, size_t count, EQUATION *list) {
    const VECTOR zero = OF(splat)(0);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        VECTOR l[OF(equation_values)], r[OF(equation_values)];
#pragma GCC unroll 5
        for (int k = 0; k < OF(equation_values); k++)
            OF(load_two)(t, OF(value)(t, t->run, i * OF(equation_values) + k, index), count, &l[k], &r[k]);
        list[i] = (EQUATION){{l[0], l[1], l[2], l[3], zero, zero, l[4]}};
        list[2 + i] = (EQUATION){{zero, zero, r[0], r[1], r[2], r[3], r[4]}};
    }
}

/* Reports the unknowns of the borders of runs 2 index, 2 index + 1, ... that lost their pivots. `chunks`: per run. */
static __attribute__((noinline)) void OF(report_lost_borders)(const tridiag_tree *t, size_t index, size_t count,
                                                              size_t chunks) {
    EQUATION list[4];
    OF(load_equations)(t, 2 * index, count, list);
    const LANES first = OF(all_zero)(list, 4, PIVOT_BORDER_0);
    OF(eliminate_unknown)(list, 4, PIVOT_BORDER_0);
    const LANES second = OF(all_zero)(list + 1, 3, PIVOT_BORDER_1);
    for (size_t l = 0; l < (t->lanes > 1 ? t->systems : count); l++) {
        const size_t system = t->lanes > 1 ? l : 0, right = 2 * (t->lanes > 1 ? index : index + l) + 1;
        const size_t row = tridiag_pivot_first_row(t->n, t->first_chunk + right * chunks);
        if (first[l] || second[l]) OF(report_lost_pivot)(t, system, first[l] ? row - 1 : row);
    }
}

/* Combines runs 2 index, 2 index + 1, ... in `count` lanes. The border of the first one is number `border`. */
INLINE void OF(combine_runs)(const tridiag_tree *t, size_t index, size_t count, size_t chunks, size_t border) {
    EQUATION list[4];
    OF(load_equations)(t, 2 * index, count, list);
    OF(eliminate_unknown)(list, 4, PIVOT_BORDER_0);
    OF(eliminate_unknown)(list + 1, 3, PIVOT_BORDER_1);
    RUN run;
    for (int i = 0; i < 2; i++) {
        const VECTOR *k = list[2 + i].k;
        run.list[i] = (EQUATION){{k[PIVOT_LEFT_0], k[PIVOT_LEFT_1], k[PIVOT_FAR_0], k[PIVOT_FAR_1], k[PIVOT_FAR_0],
                                  k[PIVOT_FAR_1], k[PIVOT_COLUMNS]}};
    }
    if (OF(is_nan)(&run)) OF(report_lost_borders)(t, index, count, chunks);
    OF(store_run)(t, index, count, &run);
    OF(store_border)(t, border, count, list);
}

static void OF(combine)(const tridiag_tree *t) {
    const size_t size = t->lanes * sizeof(REAL);
    size_t border = 0, chunks = t->chunks;
    for (size_t m = t->runs; m > 1; m -= m / 2, chunks *= 2) {
        const size_t half = m / 2;
        if (t->lanes > 1)
            for (size_t k = 0; k < half; k++) OF(combine_runs)(t, k, WIDTH, chunks, border + k);
        else
            for (size_t k = 0; k < half; k += WIDTH)
                OF(combine_runs)(t, k, half - k < WIDTH ? half - k : WIDTH, chunks, border + k);
        for (int i = 0; m % 2 && i < TRIDIAG_RUN_VALUES; i++)
            memcpy(OF(value)(t, t->run, i, half), OF(value)(t, t->run, i, m - 1), size);
        border += half;
    }
}

/* ---------------------------------------------------------------------------------- solution */

/* Returns v, or NaN in the lanes in which the pivot is 0. */
INLINE VECTOR OF(unless_zero)(VECTOR pivot, VECTOR v) {
    return OF(select)((LANES)(pivot == OF(splat)(0)), (VECTOR)((LANES){0} + (LANE)NOT_A_NUMBER), v);
}

INLINE void OF(store_pair)(const tridiag_tree *t, size_t level, size_t index, VECTOR before, VECTOR after) {
    const size_t count = t->lanes > 1 ? WIDTH : 1;
    OF(store_part)(OF(value)(t, tridiag_pairs(t, level), 0, index), count, before);
    OF(store_part)(OF(value)(t, tridiag_pairs(t, level), 1, index), count, after);
}

/* Solves for the last two unknowns (ORDER.md 26.4). */
static void OF(solve)(const tridiag_tree *t, bool periodic) {
    const VECTOR zero = OF(splat)(0);
    const size_t count = t->lanes > 1 ? WIDTH : 1, level = tridiag_tree_levels(t->runs);
    EQUATION list[2];
    for (int i = 0; i < 2; i++) {
        VECTOR k[OF(equation_values)];
        for (int j = 0; j < OF(equation_values); j++)
            k[j] = OF(load_part)(OF(value)(t, t->run, i * OF(equation_values) + j, 0), count);
        list[i] = (EQUATION){{k[1] + k[3], k[0] + k[2], zero, zero, zero, zero, k[4]}};
    }
    const LANES first_lost = OF(all_zero)(list, 2, 0);
    OF(eliminate_unknown)(list, 2, 0);
    const LANES last_lost = OF(all_zero)(list + 1, 1, 1);
    const VECTOR last = OF(unless_zero)(list[1].k[1], list[1].k[PIVOT_COLUMNS] / list[1].k[1]);
    const VECTOR first = OF(fused)(-list[0].k[1], last, list[0].k[PIVOT_COLUMNS]) / list[0].k[0];
    for (size_t l = 0; l < (t->lanes > 1 ? t->systems : 1); l++)
        if (first_lost[l] || last_lost[l]) OF(report_lost_pivot)(t, l, first_lost[l] ? 0 : t->n - 1);
    OF(store_pair)(t, level, 0, periodic ? last : zero, first);
    OF(store_pair)(t, level, 1, last, periodic ? first : zero);
}

/* Computes the pairs of the borders within `count` lanes of runs, the first of which is number `index` of the level
 * above `level`. */
INLINE void OF(substitute_runs)(const tridiag_tree *t, size_t level, size_t index, size_t count, size_t border) {
    const void *above = tridiag_pairs(t, level + 1);
    VECTOR outer[4], b[TRIDIAG_BORDER_VALUES];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        static const int values[] = {0, 1, 0, 1};
        outer[i] = OF(load_part)(OF(value)(t, above, values[i], index + (size_t)i / 2), count);
    }
#pragma GCC unroll 13
    for (int i = 0; i < TRIDIAG_BORDER_VALUES; i++) b[i] = OF(load_part)(OF(value)(t, t->border, i, border), count);
    VECTOR before = b[6], after = b[12];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        after = OF(fused)(-b[8 + i], outer[i], after);
        before = OF(fused)(-b[2 + i], outer[i], before);
    }
    after = after / b[7];
    before = OF(fused)(-b[1], after, before) / b[0];
    if (t->lanes > 1) {
        OF(store_pair)(t, level, 2 * index, outer[0], outer[1]);
        OF(store_pair)(t, level, 2 * index + 1, before, after);
        return;
    }
    for (int i = 0; i < 2; i++) {
        REAL *to = OF(value)(t, tridiag_pairs(t, level), i, 2 * index);
        const VECTOR middle = i ? after : before;
        const VECTOR v[2] = {OF(interleaved)(outer[i], middle, 0), OF(interleaved)(outer[i], middle, 1)};
        memcpy(to, v, sizeof v);
    }
}

INLINE void OF(copy_pair)(const tridiag_tree *t, size_t level, size_t to, size_t from) {
    for (int i = 0; i < TRIDIAG_PAIR_VALUES; i++)
        memcpy(OF(value)(t, tridiag_pairs(t, level), i, to), OF(value)(t, tridiag_pairs(t, level + 1), i, from),
               t->lanes * sizeof(REAL));
}

static void OF(substitute)(const tridiag_tree *t) {
    size_t border = t->runs - 1; /* borders of all levels */
    for (size_t level = tridiag_tree_levels(t->runs); level-- > 0;) {
        const size_t m = ((t->runs - 1) >> level) + 1, half = m / 2;
        border -= half;
        if (t->lanes > 1)
            for (size_t k = 0; k < half; k++) OF(substitute_runs)(t, level, k, WIDTH, border + k);
        else
            for (size_t k = 0; k < half; k += WIDTH)
                OF(substitute_runs)(t, level, k, half - k < WIDTH ? half - k : WIDTH, border + k);
        OF(copy_pair)(t, level, 2 * half, half);
        if (m % 2) OF(copy_pair)(t, level, m, half + 1);
    }
}

/* ----------------------------------------------------------------------------------- blocks */

static __attribute__((noinline)) void OF(report_lost_rows)(const OF(group) * g, OF(rows) v) {
    LANES lost[CHUNK];
    (void)OF(reduce_rows)(g->lanes.rows, v, lost);
    for (size_t r = g->lanes.rows - 1; r-- > 1;)
        for (size_t l = 0; l < g->lanes.count; l++)
            if (lost[r][l]) tridiag_report(&g->lanes.position, l, false, r);
}

static void OF(reduce)(const tridiag_block *in, const tridiag_tree *t) {
    VECTOR workspace[4][CHUNK];
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    OF(group) g;
    for (size_t chunk = 0; chunk < t->runs; chunk += g.chunks) {
        RUN run;
        g = OF(group_of)(in, t, chunk);
        if (g.lanes.rows == CHUNK) {
            OF(load_rows)(&g.lanes, 0, CHUNK, v);
            run = OF(reduce_rows)(CHUNK, v, NULL);
        } else {
            OF(load_rows)(&g.lanes, 0, g.lanes.rows, v);
            run = OF(reduce_rows)(g.lanes.rows, v, NULL);
        }
        if (OF(is_nan)(&run)) OF(report_lost_rows)(&g, v);
        OF(store_run)(t, chunk, t->lanes > 1 ? WIDTH : g.chunks, &run);
    }
    OF(combine)(t);
}

static void OF(expand)(const tridiag_block *in, const tridiag_tree *t) {
    VECTOR workspace[5][CHUNK], outer[4];
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    VECTOR *const x = workspace[4];
    OF(group) g;
    OF(substitute)(t);
    for (size_t chunk = 0; chunk < t->runs; chunk += g.chunks) {
        g = OF(group_of)(in, t, chunk);
        const size_t count = t->lanes > 1 ? WIDTH : g.chunks, k = g.lanes.rows;
        for (int i = 0; i < 4; i++)
            outer[i] = OF(load_part)(OF(value)(t, tridiag_pairs(t, 0), i % 2, chunk + (size_t)i / 2), count);
        if (k == CHUNK) {
            OF(load_rows)(&g.lanes, 0, CHUNK, v);
            OF(expand_rows)(CHUNK, v, outer[0], outer[1], outer[2], outer[3], x);
        } else {
            OF(load_rows)(&g.lanes, 0, k, v);
            OF(expand_rows)(k, v, outer[0], outer[1], outer[2], outer[3], x);
        }
        OF(finish)(&g.lanes.position, g.lanes.count, 0, k, 1, x);
        OF(store)
        (g.lanes.d, (REAL *)in->x + ((const REAL *)g.lanes.d.p - (const REAL *)in->d.p), g.lanes.count, 0, k, x);
    }
}

static void OF(solve_row)(const tridiag_block *in, const tridiag_tree *t) {
    VECTOR workspace[4];
    const OF(rows) v = {&workspace[0], &workspace[1], &workspace[2], &workspace[3]};
    const OF(group) g = OF(group_of)(in, t, 0);
    OF(load_rows)(&g.lanes, 0, 1, v);
    const VECTOR p = (v.a[0] + v.b[0]) + v.c[0];
    VECTOR x = OF(unless_zero)(p, v.d[0] / p);
    for (size_t l = 0; l < g.lanes.count; l++)
        if (p[l] == 0) OF(report_lost_pivot)(t, l, 0);
    OF(finish)(&g.lanes.position, g.lanes.count, 0, 1, 1, &x);
    OF(store)(in->d, in->x, g.lanes.count, 0, 1, &x);
}

#undef EQUATION
#undef RUN
#include "cpu/kernels/bodies/tridiag_lanes_end.h"
