/* Rows of systems, one per vector, which the kernels of weft_tridiag and weft_tridiag_pivot share, for one type:
 * transposing loads and stores. The includer defines what tridiag_lanes_body.h requires. */
#include "cpu/kernels/bodies/tridiag_lanes_body.h"

#define CHUNK WEFT_TRIDIAG_CHUNK

/* After elimination by weft_tridiag a, c and d are L, C and D of ORDER.md 16.2. */
typedef struct OF(rows) {
    VECTOR *a, *b, *c, *d;
} OF(rows);

/* Return true if whole vectors can be loaded or stored across the lanes (one row of all lanes), or along them
 * (consecutive rows of one lane). */
INLINE bool OF(across)(weft_lines lines, size_t count) { return lines.line == 1 && count == WIDTH; }
INLINE bool OF(along)(weft_lines lines, size_t count, size_t rows) {
    return lines.step == 1 && count == WIDTH && rows == CHUNK;
}

/* Loads and stores a chunk of WIDTH lanes. Lane l starts at p + l * line, and its rows are consecutive. */
SQUARE_INLINE void OF(load_along)(const REAL *p, size_t line, VECTOR *v) {
    for (size_t q = 0; q < CHUNK; q += WIDTH) {
        VECTOR block[WIDTH];
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++) memcpy(&block[l], p + q + l * line, sizeof *block);
        OF(transpose)(block);
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) v[q + i] = block[i];
    }
}

SQUARE_INLINE void OF(store_along)(REAL *p, size_t line, const VECTOR *v) {
    for (size_t q = 0; q < CHUNK; q += WIDTH) {
        VECTOR block[WIDTH];
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) block[i] = v[q + i];
        OF(transpose)(block);
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++) memcpy(p + q + l * line, &block[l], sizeof *block);
    }
}

/* Loads rows first .. first + rows - 1, at most a chunk, of `count` lanes; missing lanes are `none`. */
INLINE void OF(load)(weft_lines lines, size_t count, size_t first, size_t rows, REAL none, VECTOR *v) {
    const REAL *p = (const REAL *)lines.p + first * lines.step;
    if (lines.step == 0 && lines.line == 0) {
        for (size_t i = 0; i < rows; i++) v[i] = OF(splat)(*p);
    } else if (OF(across)(lines, count)) {
        for (size_t i = 0; i < rows; i++) memcpy(&v[i], p + i * lines.step, sizeof *v);
    } else if (OF(along)(lines, count, rows)) {
        OF(load_along)(p, lines.line, v);
    } else {
        for (size_t i = 0; i < rows; i++) {
            REAL lane[WIDTH];
            for (size_t l = 0; l < WIDTH; l++) lane[l] = l < count ? p[i * lines.step + l * lines.line] : none;
            memcpy(&v[i], lane, sizeof *v);
        }
    }
}

INLINE void OF(store)(weft_lines lines, void *to, size_t count, size_t first, size_t rows, const VECTOR *v) {
    REAL *p = (REAL *)to + first * lines.step;
    if (OF(across)(lines, count)) {
        for (size_t i = 0; i < rows; i++) memcpy(p + i * lines.step, &v[i], sizeof *v);
    } else if (OF(along)(lines, count, rows)) {
        OF(store_along)(p, lines.line, v);
    } else {
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < count; l++) p[i * lines.step + l * lines.line] = v[i][l];
    }
}

/* Missing lanes get rows x = 0. */
INLINE void OF(load_rows)(const tridiag_lanes *in, size_t first, size_t rows, OF(rows) v) {
    OF(load)(in->a, in->count, first, rows, 0, v.a);
    OF(load)(in->b, in->count, first, rows, 1, v.b);
    OF(load)(in->c, in->count, first, rows, 0, v.c);
    OF(load)(in->d, in->count, first, rows, 0, v.d);
    for (size_t l = 0; first == 0 && l < in->without_a; l++) v.a[0][l] = 0;
    for (size_t l = in->with_c; first + rows == in->rows && l < WIDTH; l++) v.c[rows - 1][l] = 0;
}

INLINE OF(rows) OF(after)(OF(rows) v, size_t i) { return (OF(rows)){v.a + i, v.b + i, v.c + i, v.d + i}; }
