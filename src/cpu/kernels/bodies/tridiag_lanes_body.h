/* Vectors of rows, which the kernels of weft_tridiag and weft_tridiag_pivot share, for one type: transposing loads
 * and stores, reports of faults. The includer defines REAL, LANE (the unsigned integer of its size), FUSED,
 * NOT_A_NUMBER and INFINITE (bit patterns) and OF(name). */
#define WIDTH (VECTOR_BYTES / sizeof(REAL))
#define VECTOR OF(vector)
#define LANES OF(lanes)
#define CHUNK WEFT_TRIDIAG_CHUNK
#define NOWHERE ((LANE) ~(LANE)0)

typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef LANE LANES __attribute__((vector_size(VECTOR_BYTES)));

enum { OF(width) = WIDTH };

/* Rows, one per vector. After elimination by weft_tridiag a, c and d are L, C and D of ORDER.md 16.2. */
typedef struct OF(rows) {
    VECTOR *a, *b, *c, *d;
} OF(rows);

/* Returns the value in every lane; v - 0 is v, also for -0.0. */
INLINE VECTOR OF(splat)(REAL value) { return value - (VECTOR){0}; }

/* Returns fma(x, y, z) in each lane. */
INLINE VECTOR OF(fused)(VECTOR x, VECTOR y, VECTOR z) {
    for (size_t l = 0; l < WIDTH; l++) z[l] = FUSED(x[l], y[l], z[l]);
    return z;
}

INLINE VECTOR OF(magnitude)(VECTOR v) { return (VECTOR)((LANES)v & (NOWHERE >> 1)); }

/* Returns a in the lanes where the mask is set, else b. */
INLINE VECTOR OF(select)(LANES mask, VECTOR a, VECTOR b) { return (VECTOR)((mask & (LANES)a) | (~mask & (LANES)b)); }

INLINE bool OF(any)(LANES mask) {
    uint64_t words[VECTOR_BYTES / 8], all = 0;
    memcpy(words, &mask, sizeof words);
    for (size_t i = 0; i < VECTOR_BYTES / 8; i++) all |= words[i];
    return all != 0;
}

/* ------------------------------------------------------------------------------- transposing */

#ifndef __clang__
INLINE LANES OF(lane_numbers)(void) {
    static const LANE numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LANES v;
    memcpy(&v, numbers, sizeof v);
    return v;
}
#endif

/* Exchanges the off-diagonal blocks of `distance` lanes of two rows of a matrix: one step of a transposition. */
INLINE void OF(cross)(size_t distance, VECTOR *a, VECTOR *b) {
#ifdef __clang__
    VECTOR low, high;
    for (size_t l = 0; l < WIDTH; l++) {
        low[l] = l & distance ? (*b)[l - distance] : (*a)[l];
        high[l] = l & distance ? (*b)[l] : (*a)[l + distance];
    }
#else
    const LANES number = OF(lane_numbers)();
    const LANES other = (LANES)((number & (LANE)distance) != 0) & (LANE)(WIDTH - distance);
    const VECTOR low = __builtin_shuffle(*a, *b, number + other);
    const VECTOR high = __builtin_shuffle(*a, *b, number + other + (LANE)distance);
#endif
    *a = low;
    *b = high;
}

/* Transposes: lane l of vector i becomes lane i of vector l. */
INLINE void OF(transpose)(VECTOR *v) {
#pragma GCC unroll 4
    for (size_t distance = 1; distance < WIDTH; distance *= 2)
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++)
            if (!(i & distance)) OF(cross)(distance, &v[i], &v[i + distance]);
}

/* Return true if whole vectors can be loaded or stored across the lanes (one row of all lanes), or along them
 * (consecutive rows of one lane). */
INLINE bool OF(across)(weft_lines lines, size_t count) { return lines.line == 1 && count == WIDTH; }
INLINE bool OF(along)(weft_lines lines, size_t count, size_t rows) {
    return lines.step == 1 && count == WIDTH && rows == CHUNK;
}

/* Loads rows first .. first + rows - 1, at most a chunk, of `count` lanes; missing lanes are `none`. */
INLINE void OF(load)(weft_lines lines, size_t count, size_t first, size_t rows, REAL none, VECTOR *v) {
    const REAL *p = (const REAL *)lines.p + first * lines.step;
    if (lines.step == 0 && lines.line == 0) {
        for (size_t i = 0; i < rows; i++) v[i] = OF(splat)(*p);
    } else if (OF(across)(lines, count)) {
        for (size_t i = 0; i < rows; i++) memcpy(&v[i], p + i * lines.step, sizeof *v);
    } else if (OF(along)(lines, count, rows)) {
        for (size_t q = 0; q < CHUNK; q += WIDTH) {
            VECTOR block[WIDTH];
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) memcpy(&block[l], p + q + l * lines.line, sizeof *block);
            OF(transpose)(block);
#pragma GCC unroll 16
            for (size_t i = 0; i < WIDTH; i++) v[q + i] = block[i];
        }
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
        for (size_t q = 0; q < CHUNK; q += WIDTH) {
            VECTOR block[WIDTH];
#pragma GCC unroll 16
            for (size_t i = 0; i < WIDTH; i++) block[i] = v[q + i];
            OF(transpose)(block);
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) memcpy(p + q + l * lines.line, &block[l], sizeof *block);
        }
    } else {
        for (size_t i = 0; i < rows; i++)
            for (size_t l = 0; l < count; l++) p[i * lines.step + l * lines.line] = v[i][l];
    }
}

/* --------------------------------------------------------------------------------- reporting */

static void OF(report)(const tridiag_position *position, size_t lane, bool value, size_t row) {
    const size_t of_level = position->first_row + row + lane * position->lane_rows;
    const size_t last = (of_level + 1) * position->scale, number = (last < position->n ? last : position->n) - 1;
    const size_t system = position->first_system + lane * position->lane_systems;
    tridiag_report(position->faults, tridiag_fault(position->n, system, value, number));
}

/* Reports the first row of each lane that lost its pivot; lost[l] is NOWHERE if there is none. */
INLINE void OF(report_lost)(const tridiag_lanes *in, LANES lost) {
    if (!OF(any)(~lost)) return;
    for (size_t l = 0; l < in->count; l++)
        if (lost[l] != NOWHERE) OF(report)(&in->position, l, false, (size_t)lost[l]);
}

/* Canonicalizes the NaNs of x and reports values that are not finite. */
INLINE void OF(finish)(const tridiag_lanes *in, size_t first, size_t rows, VECTOR *x) {
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NOT_A_NUMBER);
    LANES odd = {0};
    for (size_t i = 0; i < rows; i++) {
        odd |= (LANES)(((LANES)x[i] & (LANE)INFINITE) == (LANE)INFINITE);
        x[i] = OF(select)((LANES)(x[i] == x[i]), x[i], nan);
    }
    if (!OF(any)(odd)) return;
    for (size_t l = 0; l < in->count; l++)
        for (size_t i = rows; i-- > 0;)
            if (((LANES)x[i] & (LANE)INFINITE)[l] == (LANE)INFINITE) OF(report)(&in->position, l, true, first + i);
}

/* ----------------------------------------------------------------------------------- rows */

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
