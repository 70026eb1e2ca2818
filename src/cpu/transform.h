/* What the CPU's Fourier transforms and convolutions share: tables, and the kernels of a level.
 *
 * A transform of n = 2^k is done in two passes, n = rows x columns with value c of row r at r * columns + c. The
 * first runs the upper stages of ORDER.md 14.3 down the columns, as many columns at a time as a vector has
 * complex lanes; the second runs the lower stages along the rows, a vector's lanes being that many rows, whose
 * results are neighbours in the natural order. What a tile, the columns or rows of one vector, needs in between stays
 * in a buffer of one vector a row (or column), so no stage ever moves values across lanes. Short transforms are done
 * plainly. */
#ifndef WEFT_CPU_TRANSFORM_H
#define WEFT_CPU_TRANSFORM_H

#include "cpu/cpu.h"

/* Tables for one length, of one level's lanes. The real type is that of the kernels. */
typedef struct transform_plan {
    size_t n, rows, columns; /* rows 0: too short for two passes */
    size_t lanes;            /* complex values of a vector */
    void *twiddles;          /* T[0 .. rows / 2), or T[0 .. n / 2) when done plainly; at least T[0] */
    void *lane_twiddles;     /* of the second pass, tile by tile, in the order in which it uses them */
    size_t tile_twiddles;    /* of a tile, in vectors */
    void *half_twiddles;     /* T[m(f)], f <= n / 2: for a real transform of 2n; NULL until needed */
} transform_plan;

/* One pass over tiles [from, to), or all of a short transform. */
typedef struct transform_pass {
    const transform_plan *plan;
    bool inverse;   /* by the conjugates of the twiddles */
    double scale;   /* of the results */
    const void *x;  /* values as they are read, */
    void *y;        /* and written */
    const void *by; /* the filter's transform, in tiles */
    void *buffer;   /* a tile's */
    size_t from, to;
} transform_pass;

/* Slices of a direct convolution: y[i] for i in [from, to) of the full one. */
typedef struct direct_slice {
    const void *x, *h; /* signal and taps */
    size_t n, m, from, to;
    void *y; /* of value `from` */
} direct_slice;

/* Blocks of a convolution by transforms, between the signal and the block's numbers. */
typedef struct block_slice {
    bool is_complex;
    const void *x;
    size_t n, m, size; /* of the signal, of the taps, of the block */
    size_t q;          /* the (first) block's number */
    void *z;           /* its numbers */
    size_t first, count;
    void *y; /* values [first, first + count) of the full convolution */
} block_slice;

typedef struct transform_kernels {
    size_t lanes;
    void (*plain)(const transform_pass *p);        /* short: x to y, all of it */
    void (*columns)(const transform_pass *p);      /* first pass: x to y, which may be x */
    void (*rows)(const transform_pass *p);         /* second pass: x to y in natural order, scaled */
    void (*filter)(const transform_pass *p);       /* second pass: x to tiles at y, scaled */
    void (*product)(const transform_pass *p);      /* second pass, times `by`, undone: x to y, which is x */
    void (*columns_back)(const transform_pass *p); /* first pass undone: x to y, which is x */
    void (*split)(const transform_pass *p);        /* a transform of pairs becomes that of reals, y in place */
    void (*join)(const transform_pass *p);         /* and back, x to y */
    void (*direct_real)(const direct_slice *s);
    void (*direct_complex)(const direct_slice *s);
    void (*fill_block)(const block_slice *s);
    void (*store_block)(const block_slice *s);
} transform_kernels;

/* Both element types of a level. */
struct level_transforms {
    const transform_kernels *f32, *f64;
};

enum { TRANSFORM_LENGTHS = 64 };

/* The tables of a context. */
typedef struct transform_tables {
    transform_plan plans[2][TRANSFORM_LENGTHS]; /* f32, f64; by log2 n; n = 0 where there is none */
    void *turns, *far_turns;                    /* see transform_tables.c */
    int far_log;
    size_t bytes; /* held by all of this */
} transform_tables;

/* The plan for 2^n_log values; `half`: with half_twiddles. */
weft_status cpu_transform_plan(cpu_context *ctx, weft_dtype dtype, int n_log, bool half, const transform_plan **plan,
                               weft_error *error);
void cpu_transform_free(cpu_context *ctx);

static inline const transform_kernels *transform_kernels_of(const level_transforms *t, weft_dtype dtype) {
    return dtype == WEFT_F32 ? t->f32 : t->f64;
}

static inline int transform_log2(size_t n) {
    int log = 0;
    while (n >> log > 1) log++;
    return log;
}

/* The `digits` binary digits of k mirrored. */
static inline size_t transform_mirrored(size_t k, int digits) {
    size_t m = 0;
    for (int i = 0; i < digits; i++) m |= (k >> i & 1) << (digits - 1 - i);
    return m;
}

#endif
