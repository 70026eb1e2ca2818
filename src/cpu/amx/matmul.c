/* Exact f32 products (ORDER.md 31) by residues with AMX. The integers of the factors are reduced modulo 8 pairwise
 * coprime numbers of at most 8 bits, the residues are multiplied as matrices with sums in int32, and the Chinese
 * remainder theorem gives the integers of the product (K. Ozaki, Y. Uchino, T. Imamura, 2025: Ozaki scheme II).
 *
 * Packed lanes are in planes, one per modulus. A plane has the lanes 32 by 32 and their terms 64 by 64: two tile
 * registers of 1024 bytes, each 16 lanes with 64 terms. Sums have tiles of 32 x 32 elements: 8 planes, one per
 * modulus, and a ninth that is not used. Without it, one plane of all tiles would occupy an eighth of the sets of the
 * L2 cache. */
#include "arith/exact_product.h"
#include "cpu/amx/tiles.h"
#include "cpu/common/matmul_calls.h"
#include "cpu/kernels/bodies/matmul_exact_parts.h"

enum { MODULI = 8, PLANES = 9, SIDE = 2 * TILE_LANES, PLANE = SIDE * SIDE, DIGIT_BITS = 22 };

/* Sizes of the tests are small, so that small products have several of each. */
#ifdef WEFT_AMX_TEST
enum { ROWS = 64, TERMS = 192, COLUMNS = 128, LEAST_LANES = 1, LEAST_TERMS = 1 };
#else
enum {
    ROWS = 256,       /* rows of a group: with TERMS terms, those of one modulus fit in the L2 cache */
    TERMS = 2048,     /* terms per panel */
    COLUMNS = 1024,   /* maximum columns of a block */
    LEAST_LANES = 64, /* below these sizes, packing and the remainder theorem cost more than they gain */
    LEAST_TERMS = 128
};
#endif
enum { MOST_TERMS = 1 << 14 }; /* the integers of more terms could exceed half the product of the moduli */

#define LARGE_F32 12582912.0f /* 1.5 * 2^23: the sum with |x| <= 2^22 is rounded to an integer */
#define LARGE_F64 0x3p51

/* ----------------------------------------------------------------------------------------- moduli */

/* Digits of 22 bits: signed ones of an integer below 2^63 in magnitude, and those of PRODUCT. */
#define PRODUCT (UINT64_C(256) * 253 * 251 * 249 * 247 * 245 * 241 * 239)
#define DIGIT ((int64_t)1 << DIGIT_BITS)
#define HALF_DIGIT ((int64_t)1 << (DIGIT_BITS - 1))
#define LOW_DIGIT(v) ((((v) + HALF_DIGIT) & (DIGIT - 1)) - HALF_DIGIT)
#define HIGHER(v) (((v)-LOW_DIGIT(v)) >> DIGIT_BITS)
#define PRODUCT_DIGIT(i) ((double)(PRODUCT >> (i)*DIGIT_BITS & (i == 2 ? ~UINT64_C(0) : (uint64_t)DIGIT - 1)))

#define MODULUS(m, weight)                                                                                   \
    _Static_assert(PRODUCT % (m) == 0 && ((int64_t)(PRODUCT / (m) % (m)) * (weight) % (m) + (m)) % (m) == 1, \
                   "weight");
#include "arith/exact_moduli.def"

typedef struct modulus {
    float m, inverse; /* inverse: 1 / m */
    double share[3];  /* weight * PRODUCT / m: digits, the lowest first */
} modulus;

#define SHARE(m, weight) ((weight) * (int64_t)(PRODUCT / (m)))
static const modulus moduli[MODULI] = {
#define MODULUS(m, weight)                                                              \
    {m,                                                                                 \
     1.0f / (m),                                                                        \
     {(double)LOW_DIGIT(SHARE(m, weight)), (double)LOW_DIGIT(HIGHER(SHARE(m, weight))), \
      (double)HIGHER(HIGHER(SHARE(m, weight)))}},
#include "arith/exact_moduli.def"
};

/* ---------------------------------------------------------------------------------------- packing */

FIND_EXPONENTS(f32, uint32_t)

/* Computes the residues, in [-m / 2, m / 2], of 64 integers; those of different moduli are `plane` bytes apart. The
 * quotients q have errors below 1 / m. v - q m is v + q (256 - m) modulo 256, which bytes suffice for. */
static void reduce_line(const float *line, int8_t *to, size_t plane) {
    typedef uint8_t bytes __attribute__((vector_size(TILE_TERMS)));
    uint8_t low[TILE_TERMS];
    bytes v;
    for (size_t t = 0; t < TILE_TERMS; t++) { /* modulo 256 */
        const float quotient = fma_f32(line[t], 1.0f / 256, LARGE_F32) - LARGE_F32;
        low[t] = (uint8_t)weft_bits_f32(fma_f32(-quotient, 256, line[t]) + LARGE_F32);
    }
    memcpy(&v, low, sizeof v);
    memcpy(to, &v, sizeof v);
#pragma GCC unroll 8
    for (size_t r = 1; r < MODULI; r++) {
        const float inverse = moduli[r].inverse;
        for (size_t t = 0; t < TILE_TERMS; t++) low[t] = (uint8_t)weft_bits_f32(fma_f32(line[t], inverse, LARGE_F32));
        bytes q, sum = v;
        memcpy(&q, low, sizeof q);
        for (unsigned left = 256 - (unsigned)moduli[r].m; left > 0; left /= 2, q += q)
            if (left % 2) sum += q;
        memcpy(to + r * plane, &sum, sizeof sum);
    }
}

/* Returns the integer of x (31.1). */
INLINE float integer_of(float x, float first, float second) { return __builtin_rintf(x * first * second); }

/* A part of a line: `lanes` lanes with `terms` terms, from x on. first[l] * second[l] makes integers of lane l. */
typedef struct source {
    const float *x;
    size_t ld;
    bool across;
    size_t lanes, terms;
    float first[TILE_LANES], second[TILE_LANES];
} source;

/* Sets integers[l][t]. Missing ones are 0. */
static void load_integers(const source *s, float integers[TILE_LANES][TILE_TERMS]) {
    if (s->lanes < TILE_LANES || s->terms < TILE_TERMS) memset(integers, 0, TILE_BYTES * sizeof(float));
    for (size_t l = 0; l < s->lanes && !s->across; l++)
        for (size_t t = 0; t < s->terms; t++)
            integers[l][t] = integer_of(s->x[l * s->ld + t], s->first[l], s->second[l]);
    for (size_t t = 0; t < s->terms && s->across; t++)
        for (size_t l = 0; l < s->lanes; l++)
            integers[l][t] = integer_of(s->x[t * s->ld + l], s->first[l], s->second[l]);
}

/* Packs 16 rows of A: the 64 terms of a row are contiguous. */
static void pack_rows(const source *s, int8_t *to, size_t plane) {
    float integers[TILE_LANES][TILE_TERMS];
    load_integers(s, integers);
    for (size_t l = 0; l < TILE_LANES; l++) reduce_line(integers[l], to + l * TILE_TERMS, plane);
}

/* Interleaves 16 values of a and of b: a[0], b[0], a[1], b[1], ... A shuffle with constant lane numbers, which GCC
 * and Clang express differently. */
INLINE void zip(const float *a, const float *b, float *to) {
    typedef float floats __attribute__((vector_size(TILE_LANES * sizeof(float))));
    floats x, y, v;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
#pragma GCC unroll 2
    for (size_t half = 0; half < 2; half++) {
        const size_t from = half * TILE_LANES / 2;
#ifdef __clang__
        for (size_t l = 0; l < TILE_LANES; l++) v[l] = l % 2 ? y[from + l / 2] : x[from + l / 2];
#else
        uint32_t number __attribute__((vector_size(sizeof v))) = {0};
        for (size_t l = 0; l < TILE_LANES; l++) number[l] = (uint32_t)(from + l / 2 + (l % 2 ? TILE_LANES : 0));
        v = __builtin_shuffle(x, y, number);
#endif
        memcpy(to + half * TILE_LANES, &v, sizeof v);
    }
}

/* Sets the integers of 4 terms of 16 columns, which are adjacent in memory. */
static void load_adjacent(const source *s, const float *x, float *line) {
    float v[4][TILE_LANES], even[2 * TILE_LANES], odd[2 * TILE_LANES];
    for (size_t t = 0; t < 4; t++)
        for (size_t l = 0; l < TILE_LANES; l++) v[t][l] = integer_of(x[t * s->ld + l], s->first[l], s->second[l]);
    zip(v[0], v[2], even);
    zip(v[1], v[3], odd);
    zip(even, odd, line);
    zip(even + TILE_LANES, odd + TILE_LANES, line + 2 * TILE_LANES);
}

/* Packs 16 columns of B: 4 terms of the columns are contiguous. */
static void pack_columns(const source *s, int8_t *to, size_t plane) {
    float integers[TILE_LANES][TILE_TERMS], line[TILE_TERMS];
    const bool adjacent = s->across && s->lanes == TILE_LANES && s->terms == TILE_TERMS;
    if (!adjacent) load_integers(s, integers);
    for (size_t t = 0; t < TILE_TERMS; t += 4, to += TILE_TERMS) {
        if (adjacent) load_adjacent(s, s->x + t * s->ld, line);
        for (size_t l = 0; l < TILE_LANES && !adjacent; l++) memcpy(line + 4 * l, integers[l] + t, 4 * sizeof *line);
        reduce_line(line, to, plane);
    }
}

/* Lanes up to the next multiple of `width` and terms up to the next one of 64 are packed, missing ones as zeros. The
 * registers follow each other in the order of memory. */
static void pack(const void *from, size_t ld, bool across, bool of_a, const int *exponents, size_t lanes,
                 size_t terms, void *to, size_t width) {
    const size_t columns = (terms + TILE_TERMS - 1) / TILE_TERMS;
    const size_t rows = (lanes + width - 1) / width * (width / TILE_LANES), plane = rows * columns * TILE_BYTES;
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t row = across ? i % rows : i / columns, column = across ? i / rows : i % columns;
        const size_t lane = row * TILE_LANES < lanes ? row * TILE_LANES : lanes, term = column * TILE_TERMS;
        source s = {.ld = ld, .across = across};
        double first[TILE_LANES], second[TILE_LANES];
        s.lanes = lanes - lane < TILE_LANES ? lanes - lane : TILE_LANES;
        s.x = s.lanes == 0 ? from : (const float *)from + (across ? term * ld + lane : lane * ld + term);
        s.terms = terms - term < TILE_TERMS ? terms - term : TILE_TERMS;
        find_factors(exponents + lane, s.lanes, TILE_LANES, 24, first, second);
        for (size_t l = 0; l < TILE_LANES; l++) s.first[l] = (float)first[l], s.second[l] = (float)second[l];
        int8_t *tile = (int8_t *)to + ((row / 2 * columns + column) * 2 + row % 2) * TILE_BYTES;
        if (of_a)
            pack_rows(&s, tile, plane);
        else
            pack_columns(&s, tile, plane);
    }
}

/* ------------------------------------------------------------------------------------------ tiles */

/* Adds the products of `count` pairs of registers, each of 64 terms, to the sums of a tile of one modulus, or sets
 * the sums. Meanwhile prefetches the sums, and 256 bytes per pair from `next` on to the L2 cache. */
static void run_tile(size_t count, const int8_t *a, const int8_t *b, bool first, int32_t *sums, const int8_t *next) {
    enum { ROW = SIDE * sizeof *sums, LINE = 64 };
    const char *line = (const char *)sums;
    if (first) {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
    } else {
        TILE_LOAD(0, sums, ROW);
        TILE_LOAD(1, sums + TILE_LANES, ROW);
        TILE_LOAD(2, sums + TILE_LANES * SIDE, ROW);
        TILE_LOAD(3, sums + TILE_LANES * SIDE + TILE_LANES, ROW);
    }
    for (; count > 0; count--, a += 2 * TILE_BYTES, b += 2 * TILE_BYTES) {
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++) __builtin_prefetch(next + i * LINE, 0, 2);
        next += 4 * LINE;
        for (size_t i = 0; i < 2 && line < (const char *)(sums + PLANE); i++, line += LINE)
            __builtin_prefetch(line, 1, 3);
        TILE_LOAD(6, b, TILE_TERMS);
        TILE_LOAD(4, a, TILE_TERMS);
        TILE_MULTIPLY(0, 4, 6);
        TILE_LOAD(7, b + TILE_BYTES, TILE_TERMS);
        TILE_MULTIPLY(1, 4, 7);
        TILE_LOAD(5, a + TILE_BYTES, TILE_TERMS);
        TILE_MULTIPLY(2, 5, 6);
        TILE_MULTIPLY(3, 5, 7);
    }
    TILE_STORE(0, sums, ROW);
    TILE_STORE(1, sums + TILE_LANES, ROW);
    TILE_STORE(2, sums + TILE_LANES * SIDE, ROW);
    TILE_STORE(3, sums + TILE_LANES * SIDE + TILE_LANES, ROW);
}

/* Computes the sums of one modulus, 32 columns at a time. The rows stay in the L2 cache. Each of 8 tiles prefetches
 * an eighth of the next 32 columns. */
static void run_modulus(const matmul_group *g, size_t r) {
    const size_t terms = (g->terms + TILE_TERMS - 1) / TILE_TERMS * TILE_TERMS, strip = SIDE * terms;
    const int8_t *a = (const int8_t *)g->a + r * g->plane_a, *b = (const int8_t *)g->b + r * g->plane_b;
    for (size_t j = 0; j * SIDE < g->columns; j++) {
        const int8_t *next = b + ((j + 1) * SIDE < g->columns ? j + 1 : j) * strip;
        for (size_t i = 0; i * SIDE < g->rows; i++) {
            int32_t *sums = (int32_t *)g->sums + ((j * g->column_tiles + i) * PLANES + r) * PLANE;
            run_tile(terms / TILE_TERMS, a + i * strip, b + j * strip, g->first, sums, next + i % 8 * (strip / 8));
        }
    }
}

static void run_group(const matmul_group *g) {
    TILE_START();
    for (size_t r = 0; r < MODULI; r++) run_modulus(g, r);
    TILE_END();
}

/* ---------------------------------------------------------------------------------------- the end */

/* Computes the integers I of 31.2, as high + low, of a row of a tile. high is a multiple of 2^DIGIT_BITS. X, the sum
 * of sum * share, equals I modulo PRODUCT, and |I| is less than 0.33 products: I = X - q * PRODUCT, where q is the
 * integer nearest to X / PRODUCT. X has three digits below 2^53 in magnitude. All these f64 operations are exact,
 * except those of which q is the rounded result. */
INLINE void find_integers(const int32_t *sums, double *high, double *low) {
    const vector_f64 none = {0};
    const double scale = 1 / (double)PRODUCT;
    for (size_t j = 0; j < SIDE; j += EXACT_WIDTH) {
        vector_f64 x[3] = {none, none, none};
#pragma GCC unroll 8
        for (size_t r = 0; r < MODULI; r++) {
            int32_t word[EXACT_WIDTH];
            memcpy(word, sums + r * PLANE + j, sizeof word);
            vector_f64 s = none;
            for (size_t i = 0; i < EXACT_WIDTH; i++) s[i] = word[i];
#pragma GCC unroll 3
            for (size_t i = 0; i < 3; i++) x[i] = exact_term(s, moduli[r].share[i] - none, x[i]);
        }
        const vector_f64 ratio = x[2] * (scale * DIGIT * DIGIT) + x[1] * (scale * DIGIT);
        const vector_f64 q = (ratio + LARGE_F64) - LARGE_F64;
#pragma GCC unroll 3
        for (size_t i = 0; i < 3; i++) x[i] = exact_term(-q, PRODUCT_DIGIT(i) - none, x[i]);
        const vector_f64 moved = (x[0] + LARGE_F64 * DIGIT) - LARGE_F64 * DIGIT, rest = x[0] - moved;
        const vector_f64 upper = exact_term(x[2], (double)DIGIT - none, x[1] + moved * (1.0 / DIGIT)) * DIGIT;
        memcpy(high + j, &upper, sizeof upper);
        memcpy(low + j, &rest, sizeof rest);
    }
}

static void matmul_finish_amx(double alpha, double beta, const int *row_exponents, const int *column_exponents,
                              size_t rows, size_t columns, const void *sums, void *c, size_t ldc) {
    double high[SIDE], low[SIDE];
    float *to = c;
    for (size_t i = 0; i < rows; i++, to += ldc) {
        if (row_exponents[i] == WEFT_EXACT_SPECIAL) continue;
        find_integers((const int32_t *)sums + i * SIDE, high, low);
        exact_finish_row_f32(alpha, beta, row_exponents[i], column_exponents, columns, SIDE, low, high, DIGIT_BITS,
                             to);
    }
}

const matmul_kernel cpu_matmul_amx = {
    .bytes = PLANES * sizeof(int32_t),
    .packed = MODULI,
    .term_multiple = TILE_TERMS,
    .tile = {SIDE, SIDE, NULL},
    .find_exponents = matmul_find_exponents_f32,
    .pack_exact = pack,
    .finish_exact = matmul_finish_amx,
    .run_group = run_group,
    .group = {ROWS, TERMS, COLUMNS, LEAST_LANES, LEAST_TERMS, MOST_TERMS},
};
