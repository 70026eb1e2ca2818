/* Body of cpu/kernels/tridiag.c for one type. The includer defines EPSILON, LEAST, GREATEST and the macros that
 * tridiag_lanes_body.h requires. */
#include "cpu/kernels/bodies/tridiag_rows_body.h"

#include "cpu/kernels/bodies/tridiag_reciprocal_body.h"

/* -------------------------------------------------------------------------------- elimination */

/* Eliminates a chunk of k rows in place; the last row becomes the separator. Row i is reported in `lost` as first
 * + i. */
INLINE void OF(eliminate)(LANES *lost, size_t first, size_t k, OF(rows) v) {
    VECTOR a = OF(splat)(-1), c = OF(splat)(0), d = c;
    for (size_t i = 0; i + 1 < k; i++) {
        const VECTOR r = OF(reciprocal)(lost, first + i, OF(fused)(-v.a[i], c, v.b[i]), v.b[i]);
        d = OF(fused)(-v.a[i], d, v.d[i]) * r;
        a = -(v.a[i] * a) * r;
        c = v.c[i] * r;
        v.a[i] = a, v.c[i] = c, v.d[i] = d;
    }
    v.b[k - 1] = OF(fused)(-v.a[k - 1], c, v.b[k - 1]);
    v.d[k - 1] = OF(fused)(-v.a[k - 1], d, v.d[k - 1]);
    v.a[k - 1] = -(v.a[k - 1] * a);
}

/* Computes the first row of an eliminated chunk in terms of separators. */
INLINE void OF(first_row)(size_t k, OF(rows) v, VECTOR *a, VECTOR *c, VECTOR *d) {
    *a = *d = OF(splat)(0);
    *c = OF(splat)(-1);
    if (k == 1) return;
    *a = v.a[k - 2], *c = v.c[k - 2], *d = v.d[k - 2];
    for (size_t i = k - 2; i-- > 0;) {
        *a = OF(fused)(-v.c[i], *a, v.a[i]);
        *d = OF(fused)(-v.c[i], *d, v.d[i]);
        *c = -(v.c[i] * *c);
    }
}

/* Computes x of an eliminated chunk, in d. */
INLINE void OF(substitute)(size_t k, OF(rows) v, VECTOR before, VECTOR own) {
    v.d[k - 1] = own;
    for (size_t i = k - 1; i-- > 0;) v.d[i] = own = OF(fused)(-v.c[i], own, OF(fused)(-v.a[i], before, v.d[i]));
}

/* Combines the separator at index i with the first row of the next chunk. */
INLINE void OF(combine)(OF(rows) v, size_t i, VECTOR a, VECTOR c, VECTOR d) {
    const VECTOR own = v.c[i];
    v.b[i] = OF(fused)(-own, a, v.b[i]);
    v.d[i] = OF(fused)(-own, d, v.d[i]);
    v.c[i] = -(own * c);
}

/* ------------------------------------------------------------------------ at most 32 rows */

/* Returns the number in the whole system of row i: i itself (scale 1), or the separator of chunk i. */
INLINE size_t OF(number)(size_t i, size_t scale, size_t n) { return ((i + 1) * scale < n ? (i + 1) * scale : n) - 1; }

/* Coefficients and right-hand side of the last row of a periodic system, and the column e of its x in the other
 * rows. */
typedef struct OF(border) {
    VECTOR a, b, c, d, *e;
} OF(border);

/* Eliminates rows w - 1, 3 w - 1, ... of the rows w - 1, 2 w - 1, ... that are left. */
INLINE void OF(eliminate_half)(LANES *lost, size_t n, size_t w, size_t scale, size_t all, OF(rows) v,
                               const VECTOR *diagonal, VECTOR *e) {
    for (size_t i = w - 1; i < n; i += 2 * w) {
        const VECTOR r = OF(reciprocal)(lost, OF(number)(i, scale, all), v.b[i], diagonal[i]);
        v.a[i] *= r, v.c[i] *= r, v.d[i] *= r;
        if (e) e[i] *= r;
    }
    for (size_t i = 2 * w - 1; i < n; i += 2 * w) {
        const bool there = i + w < n;
        const size_t up = i - w, down = there ? i + w : i;
        const VECTOR zero = OF(splat)(0), a = v.a[i], c = v.c[i];
        v.a[i] = -(a * v.a[up]);
        v.b[i] = OF(fused)(-c, there ? v.a[down] : zero, OF(fused)(-a, v.c[up], v.b[i]));
        v.c[i] = -(c * (there ? v.c[down] : zero));
        v.d[i] = OF(fused)(-c, there ? v.d[down] : zero, OF(fused)(-a, v.d[up], v.d[i]));
        if (e) e[i] = OF(fused)(-c, there ? e[down] : zero, OF(fused)(-a, e[up], e[i]));
    }
}

/* Subtracts the eliminated first row, and the last row if it was eliminated, from the border row. */
INLINE void OF(eliminate_border)(OF(border) * border, OF(rows) v, size_t n, size_t w) {
    const size_t first = w - 1, last = n / w * w - 1;
    border->b = OF(fused)(-border->c, border->e[first], border->b);
    border->d = OF(fused)(-border->c, v.d[first], border->d);
    border->c = -(border->c * v.c[first]);
    if (n / w % 2 == 0) return;
    border->b = OF(fused)(-border->a, border->e[last], border->b);
    border->d = OF(fused)(-border->a, v.d[last], border->d);
    border->a = -(border->a * v.a[last]);
}

/* Solves n rows in the order of cyclic reduction, and then the border row of a periodic system, if there is one. x is
 * in d. */
static void OF(reduce_cyclically)(LANES *lost, size_t n, size_t scale, size_t all, OF(rows) v, OF(border) * border) {
    VECTOR diagonal[WEFT_TRIDIAG_BASE], last = OF(splat)(0);
    VECTOR *const e = border ? border->e : NULL;
    const VECTOR own = border ? border->b : last;
    size_t w = 1;
    memcpy(diagonal, v.b, n * sizeof *diagonal);
    v.a[0] = v.c[n - 1] = OF(splat)(0);
    for (; w <= n; w *= 2) {
        OF(eliminate_half)(lost, n, w, scale, all, v, diagonal, e);
        if (border) OF(eliminate_border)(border, v, n, w);
    }
    if (border) {
        last = border->d * OF(reciprocal)(lost, OF(number)(n, scale, all), border->b, own);
        v.d[n] = last;
    }
    while (w /= 2)
        for (size_t i = w - 1; i < n; i += 2 * w) {
            const VECTOR before = i >= w ? v.d[i - w] : OF(splat)(0), after = i + w < n ? v.d[i + w] : OF(splat)(0);
            if (border) v.d[i] = OF(fused)(-e[i], last, v.d[i]);
            v.d[i] = OF(fused)(-v.c[i], after, OF(fused)(-v.a[i], before, v.d[i]));
        }
}

/* Solves n rows, with x in d. They are the whole system, or the separators of a system of `all` rows. */
static void OF(solve_base)(LANES *lost, bool periodic, size_t n, size_t scale, size_t all, OF(rows) v) {
    VECTOR e[WEFT_TRIDIAG_BASE];
    if (!periodic) {
        OF(reduce_cyclically)(lost, n, scale, all, v, NULL);
        return;
    }
    if (n == 1) {
        v.d[0] *= OF(reciprocal)(lost, OF(number)(0, scale, all), (v.a[0] + v.b[0]) + v.c[0], v.b[0]);
        return;
    }
    OF(border) border = {v.a[n - 1], v.b[n - 1], v.c[n - 1], v.d[n - 1], e};
    for (size_t i = 0; i + 1 < n; i++) e[i] = OF(splat)(0);
    e[n - 2] = v.c[n - 2];
    e[0] = n == 2 ? v.a[0] + v.c[0] : v.a[0];
    OF(reduce_cyclically)(lost, n - 1, scale, all, v, &border);
}

/* ----------------------------------------------------------------------------------- kernels */

/* Maximum number of vectors per item. */
enum { OF(columns) = TRIDIAG_RUN_BYTES / VECTOR_BYTES, OF(pitch) = CHUNK + 1 };

INLINE weft_lines OF(lines_of)(weft_lines lines, size_t q) {
    return (weft_lines){(const REAL *)lines.p + q * WIDTH * lines.line, lines.step, lines.line};
}

INLINE size_t OF(count_of)(size_t count, size_t q) { return count - q * WIDTH < WIDTH ? count - q * WIDTH : WIDTH; }

/* Returns the lanes of vector q. */
INLINE tridiag_lanes OF(column)(const tridiag_lanes *in, size_t q) {
    tridiag_lanes one = *in;
    one.count = OF(count_of)(in->count, q);
    one.a = OF(lines_of)(in->a, q);
    one.b = OF(lines_of)(in->b, q);
    one.c = OF(lines_of)(in->c, q);
    one.d = OF(lines_of)(in->d, q);
    one.position.first_system += q * WIDTH * in->position.lane_systems;
    return one;
}

/* Returns the number of vectors whose rows are loaded or stored together. */
INLINE size_t OF(together)(weft_lines lines, size_t count) {
    return lines.line == 1 && count >= 2 * WIDTH ? count / WIDTH : 0;
}

/* Returns the four arrays in the workspace, one after another: `pitch` vectors for each vector of the lanes. */
INLINE OF(rows) OF(arrays_of)(const tridiag_lanes *in, VECTOR *workspace, size_t pitch) {
    const size_t array = ((in->count - 1) / WIDTH + 1) * pitch;
    return (OF(rows)){workspace, workspace + array, workspace + 2 * array, workspace + 3 * array};
}

/* Loads the rows of all vectors. Vector q of the lanes starts at v[q * pitch]. */
INLINE void OF(load_lines)(weft_lines lines, size_t count, size_t first, size_t rows, REAL none, VECTOR *v,
                           size_t pitch) {
    const REAL *p = (const REAL *)lines.p + first * lines.step;
    size_t q = OF(together)(lines, count);
    for (size_t i = 0; q > 0 && i < rows; i++)
        for (size_t l = 0; l < q; l++) memcpy(&v[l * pitch + i], p + i * lines.step + l * WIDTH, sizeof *v);
    for (; q * WIDTH < count; q++)
        OF(load)(OF(lines_of)(lines, q), OF(count_of)(count, q), first, rows, none, v + q * pitch);
}

/* Stores a row of `vectors` vectors with nontemporal stores, except for incomplete cache lines. */
INLINE void OF(stream_row)(REAL *to, size_t vectors, const VECTOR *v, size_t pitch) {
    enum { LINE = 64 };
    _Alignas(LINE) unsigned char workspace[LINE + TRIDIAG_RUN_BYTES];
    const size_t offset = (uintptr_t)to % LINE, end = vectors * VECTOR_BYTES, part_of_line = (LINE - offset) % LINE;
    unsigned char *const from = workspace + offset, *const x = (unsigned char *)to;
    for (size_t l = 0; l < vectors; l++) memcpy(from + l * VECTOR_BYTES, &v[l * pitch], VECTOR_BYTES);
    size_t i = part_of_line < end ? part_of_line : end;
    memcpy(x, from, i);
    for (; i + LINE <= end; i += LINE)
        for (size_t part = 0; part < LINE; part += VECTOR_BYTES) stream_vector(x + i + part, from + i + part);
    memcpy(x + i, from + i, end - i);
}

INLINE void OF(store_lines)(weft_lines lines, bool streams, void *to, size_t count, size_t first, size_t rows,
                            const VECTOR *v, size_t pitch) {
    REAL *p = (REAL *)to + first * lines.step;
    size_t q = OF(together)(lines, count);
    for (size_t i = 0; q > 0 && i < rows; i++)
        if (streams)
            OF(stream_row)(p + i * lines.step, q, v + i, pitch);
        else
            for (size_t l = 0; l < q; l++) memcpy(p + i * lines.step + l * WIDTH, &v[l * pitch + i], sizeof *v);
    if (streams) stream_fence();
    for (; q * WIDTH < count; q++) OF(store)
    (lines, (REAL *)to + q * WIDTH * lines.line, OF(count_of)(count, q), first, rows, v + q * pitch);
}

INLINE void OF(load_columns)(const tridiag_lanes *in, size_t first, size_t rows, OF(rows) v, size_t pitch,
                             size_t pitch_of_b) {
    const bool begins = first == 0, ends = first + rows == in->rows;
    OF(load_lines)(in->a, in->count, first, rows, 0, v.a, pitch);
    OF(load_lines)(in->b, in->count, first, rows, 1, v.b, pitch_of_b);
    OF(load_lines)(in->c, in->count, first, rows, 0, v.c, pitch);
    OF(load_lines)(in->d, in->count, first, rows, 0, v.d, pitch);
    for (size_t q = 0; q * WIDTH < in->count; q++) {
        for (size_t l = 0; begins && l < in->without_a; l++) v.a[q * pitch][l] = 0;
        for (size_t l = in->with_c; ends && l < WIDTH; l++) v.c[q * pitch + rows - 1][l] = 0;
    }
}

/* A full chunk uses code with a constant length. */
INLINE void OF(load_chunk)(const tridiag_lanes *in, size_t first, size_t k, OF(rows) v, size_t pitch,
                           size_t pitch_of_b) {
    if (k == CHUNK)
        OF(load_columns)(in, first, CHUNK, v, pitch, pitch_of_b);
    else
        OF(load_columns)(in, first, k, v, pitch, pitch_of_b);
}

/* Prefetches rows first .. end - 1 of adjacent lanes to the cache of level 2. */
INLINE void OF(prefetch_lines)(weft_lines lines, size_t count, size_t first, size_t end) {
    enum { LINE = 64, LEVEL_2 = 2 /* argument of __builtin_prefetch */ };
    for (size_t i = first; lines.line == 1 && i < end; i++) {
        const char *row = (const char *)((const REAL *)lines.p + i * lines.step);
        for (size_t at = 0; at < count * sizeof(REAL); at += LINE) __builtin_prefetch(row + at, 0, LEVEL_2);
    }
}

/* Prefetches part `number` of `parts` of the rows first .. first + rows - 1. */
INLINE void OF(prefetch_rows)(const tridiag_lanes *in, size_t first, size_t rows, size_t number, size_t parts) {
    const size_t from = first + rows * number / parts, end = first + rows * (number + 1) / parts;
    OF(prefetch_lines)(in->a, in->count, from, end);
    OF(prefetch_lines)(in->b, in->count, from, end);
    OF(prefetch_lines)(in->c, in->count, from, end);
    OF(prefetch_lines)(in->d, in->count, from, end);
}

INLINE void OF(eliminate_chunk)(LANES *lost, size_t first, size_t k, OF(rows) v) {
    if (k == CHUNK)
        OF(eliminate)(lost, first, CHUNK, v);
    else
        OF(eliminate)(lost, first, k, v);
}

/* Eliminates chunk j, whose k rows are in v, and combines its first row with the separator before it. */
INLINE void OF(eliminate_linked)(LANES *lost, size_t j, size_t k, OF(rows) v, OF(rows) separators) {
    VECTOR a, c, d;
    OF(eliminate_chunk)(lost, j * CHUNK, k, v);
    separators.a[j] = v.a[k - 1], separators.b[j] = v.b[k - 1], separators.c[j] = v.c[k - 1],
    separators.d[j] = v.d[k - 1];
    if (j == 0) return;
    OF(first_row)(k, v, &a, &c, &d);
    OF(combine)(separators, j - 1, a, c, d);
}

/* Solves the separators of a system of n rows. chunk: its first chunk after the elimination. */
static void OF(solve_separators)(LANES *lost, bool periodic, size_t n, OF(rows) chunk, OF(rows) separators) {
    const size_t chunks = (n - 1) / CHUNK + 1;
    if (periodic) {
        VECTOR a, c, d;
        OF(first_row)(CHUNK, chunk, &a, &c, &d);
        OF(combine)(separators, chunks - 1, a, c, d);
    }
    OF(solve_base)(lost, periodic, chunks, CHUNK, n, separators);
}

/* Computes x of chunk j of a system of n rows, which is in v after the elimination. */
INLINE void OF(substitute_linked)(bool periodic, size_t n, size_t j, OF(rows) v, OF(rows) separators) {
    const size_t k = n - j * CHUNK < CHUNK ? n - j * CHUNK : CHUNK, chunks = (n - 1) / CHUNK + 1;
    const VECTOR before = j ? separators.d[j - 1] : periodic ? separators.d[chunks - 1] : OF(splat)(0);
    OF(substitute)(k, v, before, separators.d[j]);
}

/* Solves systems of more than WEFT_TRIDIAG_BASE rows, one per lane of a vector. */
static void OF(solve_chunks)(const tridiag_lanes *in, bool periodic, LANES *lost, OF(rows) v) {
    const size_t n = in->rows;
    VECTOR workspace[4][WEFT_TRIDIAG_BASE];
    const OF(rows) separators = {workspace[0], workspace[1], workspace[2], workspace[3]};
    for (size_t first = 0; first < n; first += CHUNK) {
        const size_t k = n - first < CHUNK ? n - first : CHUNK;
        OF(load_chunk)(in, first, k, OF(after)(v, first), 0, 0);
        OF(eliminate_linked)(lost, first / CHUNK, k, OF(after)(v, first), separators);
    }
    OF(solve_separators)(lost, periodic, n, v, separators);
    for (size_t first = 0; first < n; first += CHUNK)
        OF(substitute_linked)(periodic, n, first / CHUNK, OF(after)(v, first), separators);
}

/* Solves the systems of one vector. */
static void OF(solve_column)(const tridiag_lanes *in, bool periodic, void *x) {
    const size_t n = in->rows;
    const OF(rows) v = OF(arrays_of)(in, in->workspace, n + 1);
    LANES lost = ~(LANES){0};
    if (n > WEFT_TRIDIAG_BASE) {
        OF(solve_chunks)(in, periodic, &lost, v);
    } else {
        for (size_t i = 0; i < n; i += CHUNK)
            OF(load_chunk)(in, i, n - i < CHUNK ? n - i : CHUNK, OF(after)(v, i), 0, 0);
        OF(solve_base)(&lost, periodic, n, 1, n, v);
    }
    OF(report_lost)(&in->position, in->count, lost);
    OF(finish)(&in->position, in->count, 0, n, 1, v.d);
    for (size_t i = 0; i < n; i += CHUNK)
        OF(store_lines)(in->d, in->streams, x, in->count, i, n - i < CHUNK ? n - i : CHUNK, v.d + i, n + 1);
}

/* Solves systems of at most WEFT_TRIDIAG_BASE rows in several vectors. */
static void OF(solve_base_columns)(const tridiag_lanes *in, bool periodic, void *x) {
    const size_t n = in->rows, columns = (in->count - 1) / WIDTH + 1, pitch = n + 1;
    const OF(rows) v = OF(arrays_of)(in, in->workspace, pitch);
    for (size_t i = 0; i < n; i += CHUNK)
        OF(load_chunk)(in, i, n - i < CHUNK ? n - i : CHUNK, OF(after)(v, i), pitch, pitch);
    for (size_t q = 0; q < columns; q++) {
        const tridiag_lanes one = OF(column)(in, q);
        LANES lost = ~(LANES){0};
        if (in->next) OF(prefetch_rows)(in->next, 0, n, q, columns);
        OF(solve_base)(&lost, periodic, n, 1, n, OF(after)(v, q * pitch));
        OF(report_lost)(&one.position, one.count, lost);
        OF(finish)(&one.position, one.count, 0, n, 1, v.d + q * pitch);
    }
    for (size_t i = 0; i < n; i += CHUNK)
        OF(store_lines)(in->d, in->streams, x, in->count, i, n - i < CHUNK ? n - i : CHUNK, v.d + i, pitch);
}

/* Solves systems of more than WEFT_TRIDIAG_BASE rows in several vectors. A chunk is prefetched while the one before
 * it is eliminated. The workspace contains b of one chunk only, because only the elimination reads it; the separators
 * fit in place of the rest. */
static void OF(solve_columns)(const tridiag_lanes *in, bool periodic, void *x) {
    const size_t n = in->rows, columns = (in->count - 1) / WIDTH + 1, pitch = n + 1, chunks = (n - 1) / CHUNK + 1;
    VECTOR *const w = in->workspace, *const ends = w + columns * (3 * pitch + OF(pitch));
    const OF(rows) v = {w, w + 3 * columns * pitch, w + columns * pitch, w + 2 * columns * pitch};
    const size_t side = columns * (chunks + 1);
    const OF(rows) separators = {ends, ends + side, ends + 2 * side, ends + 3 * side};
    LANES lost[OF(columns)];
    for (size_t q = 0; q < columns; q++) lost[q] = ~(LANES){0};
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK, left = n - first - k;
        const OF(rows) rows = {v.a + first, v.b, v.c + first, v.d + first};
        OF(load_chunk)(in, first, k, rows, pitch, OF(pitch));
        for (size_t q = 0; q < columns; q++) {
            const size_t at = q * pitch;
            const OF(rows) own = {rows.a + at, rows.b + q * OF(pitch), rows.c + at, rows.d + at};
            if (in->far && left)
                OF(prefetch_rows)(in, first + k, left < CHUNK ? left : CHUNK, q, columns);
            else if (in->next)
                OF(prefetch_rows)(in->next, 0, CHUNK, q, columns);
            OF(eliminate_linked)(&lost[q], j, k, own, OF(after)(separators, q * (chunks + 1)));
        }
    }
    for (size_t q = 0; q < columns; q++) {
        const tridiag_lanes one = OF(column)(in, q);
        OF(solve_separators)(&lost[q], periodic, n, OF(after)(v, q * pitch), OF(after)(separators, q * (chunks + 1)));
        OF(report_lost)(&one.position, one.count, lost[q]);
    }
    for (size_t j = 0; j < chunks; j++) {
        const size_t first = j * CHUNK, k = n - first < CHUNK ? n - first : CHUNK;
        for (size_t q = 0; q < columns; q++) {
            const tridiag_lanes one = OF(column)(in, q);
            const OF(rows) own = OF(after)(v, q * pitch + first);
            OF(substitute_linked)(periodic, n, j, own, OF(after)(separators, q * (chunks + 1)));
            OF(finish)(&one.position, one.count, first, k, 1, own.d);
        }
        OF(store_lines)(in->d, in->streams, x, in->count, first, k, v.d + first, pitch);
    }
}

static void OF(solve)(const tridiag_lanes *in, bool periodic, void *x) {
    if (in->count <= WIDTH)
        OF(solve_column)(in, periodic, x);
    else if (in->rows <= WEFT_TRIDIAG_BASE)
        OF(solve_base_columns)(in, periodic, x);
    else
        OF(solve_columns)(in, periodic, x);
}

/* Reduces the chunks of one vector; their results start at index `at`. */
INLINE void OF(reduce_column)(const tridiag_lanes *in, size_t k, OF(rows) v, const tridiag_reduced *out, size_t at) {
    const size_t bytes = in->count * sizeof(REAL);
    VECTOR a, c, d;
    LANES lost = ~(LANES){0};
    OF(eliminate)(&lost, 0, k, v);
    OF(first_row)(k, v, &a, &c, &d);
    OF(report_lost)(&in->position, in->count, lost);
    memcpy((REAL *)out->a + at, &v.a[k - 1], bytes);
    memcpy((REAL *)out->b + at, &v.b[k - 1], bytes);
    memcpy((REAL *)out->c + at, &v.c[k - 1], bytes);
    memcpy((REAL *)out->d + at, &v.d[k - 1], bytes);
    memcpy((REAL *)out->first_a + at, &a, bytes);
    memcpy((REAL *)out->first_c + at, &c, bytes);
    memcpy((REAL *)out->first_d + at, &d, bytes);
}

static void OF(reduce_columns)(const tridiag_lanes *in, const tridiag_reduced *out) {
    VECTOR workspace[4 * OF(columns) * OF(pitch)];
    const OF(rows) v = OF(arrays_of)(in, workspace, OF(pitch));
    const size_t columns = (in->count - 1) / WIDTH + 1;
    OF(load_chunk)(in, 0, in->rows, v, OF(pitch), OF(pitch));
    for (size_t q = 0; q < columns; q++) {
        const tridiag_lanes one = OF(column)(in, q);
        if (in->next) OF(prefetch_rows)(in->next, 0, in->next->rows, q, columns);
        OF(reduce_column)(&one, in->rows, OF(after)(v, q * OF(pitch)), out, q * WIDTH);
    }
}

/* A single vector has a small workspace, and code with a constant length for a full chunk. */
static void OF(reduce)(const tridiag_lanes *in, const tridiag_reduced *out) {
    VECTOR workspace[4][CHUNK];
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    if (in->count > WIDTH) {
        OF(reduce_columns)(in, out);
    } else if (in->rows == CHUNK) {
        OF(load_rows)(in, 0, CHUNK, v);
        OF(reduce_column)(in, CHUNK, v, out, 0);
    } else {
        OF(load_rows)(in, 0, in->rows, v);
        OF(reduce_column)(in, in->rows, v, out, 0);
    }
}

static void OF(link)(size_t count, const tridiag_reduced *separators, const tridiag_reduced *next) {
    REAL *b = separators->b, *c = separators->c, *d = separators->d;
    const REAL *first_a = next->first_a, *first_c = next->first_c, *first_d = next->first_d;
    for (size_t i = 0; i < count; i++) {
        const REAL own = c[i];
        b[i] = FUSED(-own, first_a[i], b[i]);
        d[i] = FUSED(-own, first_d[i], d[i]);
        c[i] = -(own * first_c[i]);
    }
}

/* Computes x of the chunks of one vector, in d. */
INLINE void OF(expand_column)(const tridiag_lanes *in, size_t k, OF(rows) v, const REAL *before, const REAL *own) {
    VECTOR x_before = {0}, x_own = {0};
    LANES lost = ~(LANES){0};
    memcpy(&x_before, before, in->count * sizeof(REAL));
    memcpy(&x_own, own, in->count * sizeof(REAL));
    OF(eliminate)(&lost, 0, k, v);
    OF(substitute)(k, v, x_before, x_own);
    OF(finish)(&in->position, in->count, 0, k, 1, v.d);
}

static void OF(expand_columns)(const tridiag_lanes *in, const REAL *before, const REAL *own, void *x) {
    VECTOR workspace[4 * OF(columns) * OF(pitch)];
    const OF(rows) v = OF(arrays_of)(in, workspace, OF(pitch));
    const size_t columns = (in->count - 1) / WIDTH + 1;
    OF(load_chunk)(in, 0, in->rows, v, OF(pitch), OF(pitch));
    for (size_t q = 0; q < columns; q++) {
        const tridiag_lanes one = OF(column)(in, q);
        if (in->next) OF(prefetch_rows)(in->next, 0, in->next->rows, q, columns);
        OF(expand_column)(&one, in->rows, OF(after)(v, q * OF(pitch)), before + q * WIDTH, own + q * WIDTH);
    }
    OF(store_lines)(in->d, in->streams, x, in->count, 0, in->rows, v.d, OF(pitch));
}

static void OF(expand)(const tridiag_lanes *in, const void *before, const void *own, void *x) {
    VECTOR workspace[4][CHUNK];
    const OF(rows) v = {workspace[0], workspace[1], workspace[2], workspace[3]};
    if (in->count > WIDTH) {
        OF(expand_columns)(in, before, own, x);
        return;
    }
    if (in->rows == CHUNK) {
        OF(load_rows)(in, 0, CHUNK, v);
        OF(expand_column)(in, CHUNK, v, before, own);
    } else {
        OF(load_rows)(in, 0, in->rows, v);
        OF(expand_column)(in, in->rows, v, before, own);
    }
    OF(store)(in->d, x, in->count, 0, in->rows, v.d);
}

#include "cpu/kernels/bodies/tridiag_factors_body.h"

#include "cpu/kernels/bodies/tridiag_lanes_end.h"
