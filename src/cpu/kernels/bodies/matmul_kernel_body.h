/* Matrix product kernels: elements of type ELEMENT, accumulation chains of REAL in vectors VECTOR. The includer
 * defines these, FUSED (fused multiply-add of REAL), FUSED_TERM (that of a product of two ELEMENTs) and OF(name). A
 * term of a chain is one fused multiply-add. A kernel processes its terms in order and continues from the stored
 * sums, so that k can be blocked for the caches. */
#define WIDTH (sizeof(VECTOR) / sizeof(REAL))

#include "cpu/kernels/bodies/transpose_body.h"

/* --------------------------------------------------------------------------------- packing */

/* Returns WIDTH elements as REAL. loaded_tail returns `count` elements and then zeros. */
INLINE VECTOR OF(loaded)(const ELEMENT *x) {
    ELEMENT v __attribute__((vector_size(WIDTH * sizeof(ELEMENT))));
    memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, VECTOR);
}

INLINE VECTOR OF(loaded_tail)(const ELEMENT *x, size_t count) {
    ELEMENT v[WIDTH] = {0};
    for (size_t l = 0; l < count; l++) v[l] = x[l];
    return OF(loaded)(v);
}

/* Packs at most WIDTH lanes whose terms are contiguous, by transposing WIDTH terms at a time. Prefetches the lanes of
 * the next panel, because each lane is too short for the processor to detect the stream early. Missing lanes are
 * filled with the first lane and never read. Stores whole vectors: up to WIDTH - 1 elements after those of the
 * lanes are overwritten, and must be written later. */
INLINE void OF(pack_transposed)(const ELEMENT *x, size_t ld, size_t lanes, size_t terms, REAL *to, size_t width) {
    VECTOR rows[WIDTH];
    size_t t = 0;
    for (; t + WIDTH <= terms; t += WIDTH) {
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++) {
            const ELEMENT *row = x + (l < lanes ? l : 0) * ld + t;
            __builtin_prefetch(row + width * ld, 0, 2);
            rows[l] = OF(loaded)(row);
        }
        OF(transpose)(rows);
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) memcpy(to + (t + i) * width, &rows[i], sizeof rows[i]);
    }
    if (t == terms) return;
    for (size_t l = 0; l < WIDTH; l++) rows[l] = OF(loaded_tail)(x + (l < lanes ? l : 0) * ld + t, terms - t);
    OF(transpose)(rows);
    for (size_t i = 0; i < terms - t; i++) memcpy(to + (t + i) * width, &rows[i], sizeof rows[i]);
}

/* Packs whole panels of `width` lanes, a multiple of WIDTH, if the lanes of a term are contiguous. Reads terms of all
 * panels one after another, so that the memory that is read is contiguous for long enough to be prefetched. */
INLINE void OF(pack_panels)(const ELEMENT *x, size_t ld, size_t panels, size_t terms, REAL *to, size_t width) {
    for (size_t t = 0; t < terms; t++, x += ld)
        for (size_t i = 0; i < panels; i++)
            for (size_t l = 0; l < width; l += WIDTH) {
                const ELEMENT *from = x + i * width + l;
                const VECTOR v = OF(loaded)(from);
                __builtin_prefetch(from + PACKED_AHEAD * ld, 0, 2);
                memcpy(to + (i * terms + t) * width + l, &v, sizeof v);
            }
}

/* Packs `terms` terms of `lanes` rows of A or columns of B into panels of `width` lanes. A panel contains `width`
 * contiguous elements per term. The values of lanes after the last one are never read. */
static void OF(matmul_pack)(const void *from, size_t ld, bool across, size_t lanes, size_t terms, void *to,
                            size_t width) {
    const ELEMENT *x = from;
    REAL *panel = to;
    size_t first = 0;
    for (size_t panels; across && width % WIDTH == 0 && first + width <= lanes; first += panels * width) {
        panels = (lanes - first) / width < PACKED_PANELS ? (lanes - first) / width : PACKED_PANELS;
        OF(pack_panels)(x + first, ld, panels, terms, panel + first * terms, width);
    }
    panel += first * terms;
    for (; first < lanes; first += width, panel += width * terms) {
        const size_t left = lanes - first < width ? lanes - first : width;
        if (across && left == width) {
            for (size_t t = 0; t < terms; t++)
                for (size_t l = 0; l < width; l++) panel[t * width + l] = (REAL)x[t * ld + first + l];
        } else if (across) {
            for (size_t t = 0; t < terms; t++)
                for (size_t l = 0; l < width; l++) panel[t * width + l] = l < left ? (REAL)x[t * ld + first + l] : 0;
        } else {
            for (size_t l = 0; l < width; l += WIDTH) OF(pack_transposed)
            (l < left ? x + (first + l) * ld : x, ld, l < left ? left - l : 0, terms, panel + l, width);
        }
    }
}

/* ---------------------------------------------------------------------------------- chains */

INLINE VECTOR OF(matmul_term)(VECTOR x, VECTOR y, VECTOR s) {
    for (size_t l = 0; l < WIDTH; l++) s[l] = FUSED_TERM(x[l], y[l], s[l]);
    return s;
}

/* Returns p, but hides its origin from the compiler. Otherwise the compiler loads a whole vector and extracts its
 * elements by shuffles, which occupy the ports of the multiply-adds. */
INLINE const REAL *OF(hidden)(const REAL *p) {
    __asm__("" : "+r"(p));
    return p;
}

/* Adds one term to the chains of a tile. */
INLINE void OF(tile_term)(const REAL *x, const REAL *y, VECTOR (*s)[TILE_VECTORS]) {
    VECTOR v[TILE_VECTORS];
#pragma GCC unroll 4
    for (size_t j = 0; j < TILE_VECTORS; j++) memcpy(&v[j], y + j * WIDTH, sizeof v[j]);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILE_ROWS; i++) {
        const VECTOR u = OF(hidden)(x)[i] - (VECTOR){0};
#pragma GCC unroll 4
        for (size_t j = 0; j < TILE_VECTORS; j++) s[i][j] = OF(matmul_term)(u, v[j], s[i][j]);
    }
}

/* Computes a tile of TILE_ROWS x TILE_VECTORS vectors, which stay in registers. Prefetches two lines per TILE_TERMS
 * terms: more at once would fill the buffers of lines in transit, and loads would wait. */
static void OF(matmul_tile)(size_t terms, const void *a, const void *b, bool first, void *sums, const void *next) {
    enum { STEP_A = TILE_ROWS, STEP_B = TILE_VECTORS * WIDTH };
    const REAL *x = a;
    const REAL *y = b;
    REAL *at = sums;
    VECTOR s[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < TILE_VECTORS; j++) {
            s[i][j] = (VECTOR){0};
            if (!first) memcpy(&s[i][j], at + (i * TILE_VECTORS + j) * WIDTH, sizeof s[i][j]);
        }
    for (size_t line = 0; FMA_INSTRUCTION && terms >= TILE_TERMS;
         line += 64, terms -= TILE_TERMS, x += TILE_TERMS * STEP_A, y += TILE_TERMS * STEP_B) {
#pragma GCC unroll 8
        for (size_t t = 0; t < TILE_TERMS; t++) {
            if (t == TILE_TERMS / 4) __builtin_prefetch((const char *)(at + STEP_A * STEP_B) + line, 1);
            if (t == TILE_TERMS * 3 / 4) __builtin_prefetch((const char *)next + line, 0, 2);
            OF(tile_term)(x + t * STEP_A, y + t * STEP_B, s);
        }
    }
    for (; terms > 0; terms--, x += STEP_A, y += STEP_B) OF(tile_term)(x, y, s);
#pragma GCC unroll 16
    for (size_t i = 0; i < TILE_ROWS; i++)
#pragma GCC unroll 4
        for (size_t j = 0; j < TILE_VECTORS; j++)
            memcpy(at + (i * TILE_VECTORS + j) * WIDTH, &s[i][j], sizeof s[i][j]);
}

/* Adds WIDTH terms to the chains of a group of rows, which are ld apart: transposes squares of WIDTH rows. */
INLINE void OF(add_squares)(const ELEMENT *row, size_t ld, const REAL *y, VECTOR s[GEMV_VECTORS(REAL)]) {
    VECTOR rows[WIDTH];
#pragma GCC unroll 2
    for (size_t j = 0; j < GEMV_VECTORS(REAL); j++) {
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++, row += ld) {
            __builtin_prefetch((const char *)row + GEMV_AHEAD, 0, 2);
            rows[l] = OF(loaded)(row);
        }
        OF(transpose)(rows);
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) s[j] = OF(matmul_term)(rows[i], OF(hidden)(y)[i] - (VECTOR){0}, s[j]);
    }
}

/* Adds the last terms, less than WIDTH. */
INLINE void OF(add_last)(const ELEMENT *x, size_t ld, size_t terms, const REAL *y, VECTOR s[GEMV_VECTORS(REAL)]) {
    VECTOR rows[WIDTH];
    for (size_t j = 0; j < GEMV_VECTORS(REAL); j++) {
        for (size_t l = 0; l < WIDTH; l++) rows[l] = OF(loaded_tail)(x + (j * WIDTH + l) * ld, terms);
        OF(transpose)(rows);
        for (size_t i = 0; i < terms; i++) s[j] = OF(matmul_term)(rows[i], OF(hidden)(y)[i] - (VECTOR){0}, s[j]);
    }
}

/* Matrix-vector product, if a row of A is contiguous. Every load reads a row in order. */
static void OF(matmul_gemv_rows)(size_t parts, size_t terms, const void *a, size_t ld, const void *b, bool first,
                                 void *sums, size_t step) {
    const ELEMENT *x = a;
    const REAL *y = b;
    for (REAL *to = sums; parts > 0; parts--, to += step) {
        VECTOR s[GEMV_VECTORS(REAL)];
        size_t left = terms;
        for (size_t j = 0; j < GEMV_VECTORS(REAL); j++) s[j] = (VECTOR){0};
        if (!first) memcpy(s, to, sizeof s);
        for (; left >= WIDTH; left -= WIDTH, x += WIDTH, y += WIDTH) OF(add_squares)(x, ld, y, s);
        if (left > 0) OF(add_last)(x, ld, left, y, s);
        memcpy(to, s, sizeof s);
        x += left;
        y += left;
    }
}

/* Adds `terms` terms to the sums of `lanes` rows of a matrix-vector product, at most WIDTH. */
INLINE void OF(add_terms)(size_t lanes, size_t terms, const ELEMENT *x, size_t ld, const VECTOR *u, bool first,
                          REAL *sums) {
    VECTOR s = {0};
    if (!first) memcpy(&s, sums, sizeof s);
    for (size_t t = 0; t < terms; t++, x += ld)
        s = OF(matmul_term)(lanes < WIDTH ? OF(loaded_tail)(x, lanes) : OF(loaded)(x), u[t], s);
    memcpy(sums, &s, sizeof s);
}

INLINE void OF(add_columns)(size_t rows, size_t terms, const ELEMENT *x, size_t ld, const REAL *y, bool first,
                            REAL *sums) {
    VECTOR u[GEMV_COLUMNS];
    for (size_t t = 0; t < terms; t++) u[t] = y[t] - (VECTOR){0};
    size_t i = 0;
    for (; i + WIDTH <= rows; i += WIDTH) OF(add_terms)(WIDTH, terms, x + i, ld, u, first, sums + i);
    if (i < rows) OF(add_terms)(rows - i, terms, x + i, ld, u, first, sums + i);
}

/* Matrix-vector product, if a column of A is contiguous. Reads few columns at a time, each of them contiguously. */
static void OF(matmul_gemv_columns)(size_t rows, size_t terms, const void *a, size_t ld, const void *b, bool first,
                                    void *sums) {
    const ELEMENT *x = a;
    const REAL *y = b;
    size_t t = 0;
    for (; t + GEMV_COLUMNS <= terms; t += GEMV_COLUMNS)
        OF(add_columns)(rows, GEMV_COLUMNS, x + t * ld, ld, y + t, first && t == 0, sums);
    if (t < terms) OF(add_columns)(rows, terms - t, x + t * ld, ld, y + t, first && t == 0, sums);
}

/* -------------------------------------------------------------------------------- epilogue */

/* Combines the sums of two parts (ORDER.md 13.2). */
static void OF(matmul_combine)(size_t n, void *sums, const void *others) {
    REAL *s = sums;
    const REAL *t = others;
    for (size_t i = 0; i < n; i++) s[i] += t[i];
}

static ELEMENT OF(matmul_rounded)(REAL v) { return v == v ? (ELEMENT)v : (ELEMENT)CANONICAL_NAN; }

/* Computes elements of C from their sums (ORDER.md 13.3). */
static void OF(matmul_finish)(double alpha, double beta, size_t rows, size_t columns, const void *sums, size_t ld,
                              void *c, size_t ldc) {
    const REAL *s = sums;
    const REAL by = (REAL)alpha, old = (REAL)beta;
    ELEMENT *to = c;
    for (size_t i = 0; i < rows; i++, s += ld, to += ldc) {
        if (beta == 0)
            for (size_t j = 0; j < columns; j++) to[j] = OF(matmul_rounded)(by * s[j]);
        else
            for (size_t j = 0; j < columns; j++) to[j] = OF(matmul_rounded)(FUSED(by, s[j], old * (REAL)to[j]));
    }
}

/* Computes C = beta C. */
static void OF(matmul_scale)(double beta, size_t columns, void *c) {
    const REAL old = (REAL)beta;
    ELEMENT *to = c;
    for (size_t j = 0; j < columns; j++) to[j] = beta == 0 ? 0 : OF(matmul_rounded)(old * (REAL)to[j]);
}

#undef WIDTH
