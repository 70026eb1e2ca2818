/* FFT tables and kernels that the CPU's transforms and convolutions share.
 *
 * A transform of n = 2^k values is computed in two passes, with n = rows x columns and value c of row r at index r
 * * columns + c. The first pass computes the upper stages of ORDER.md 14.3 along the columns; the lanes of a vector
 * are adjacent columns. The second pass computes the lower stages along the rows; the lanes of a vector are rows
 * whose results are adjacent in natural order. A tile is the columns or rows of one vector. Its intermediate values
 * are in a buffer of one vector per row (or column), so no stage moves values across lanes. Short transforms use a
 * single plain pass. */
#ifndef WEFT_CPU_TRANSFORM_H
#define WEFT_CPU_TRANSFORM_H

#include "cpu/runtime/cpu.h"

/* Tables for one length and the lane count of one instruction set level. The real type is that of the kernels. */
typedef struct transform_plan {
    size_t n, rows, columns; /* rows = 0: too short for two passes */
    size_t lanes;            /* complex values per vector */
    void *twiddles;          /* T[0 .. rows / 2), or T[0 .. n / 2) for a plain transform; at least T[0] */
    void *lane_twiddles;     /* twiddles of the second pass, tile by tile, in the order of their use */
    size_t tile_twiddles;    /* vectors of lane_twiddles per tile */
    void *half_twiddles;     /* T[m(f)], f <= n / 2, for a real transform of 2n values; NULL until needed */
} transform_plan;

/* One pass over tiles [from, to), or a whole short transform. */
typedef struct transform_pass {
    const transform_plan *plan;
    bool inverse;   /* use the conjugates of the twiddles */
    double scale;   /* factor for the results */
    const void *x;  /* input */
    void *y;        /* output */
    const void *by; /* product: transform of the filter, in tile order */
    void *buffer;   /* buffer of a tile */
    size_t from, to;
} transform_pass;

/* Part of a direct convolution: values [from, to) of the full result. */
typedef struct direct_slice {
    const void *x, *h; /* signal and taps */
    size_t n, m, from, to;
    void *y; /* address of value `from` */
} direct_slice;

/* One block (real: two blocks) of a convolution by transforms: fill_block copies the signal to z, store_block
 * copies the results from z to y. */
typedef struct block_slice {
    bool is_complex;
    const void *x;
    size_t n, m, size; /* values of the signal, of the taps, and of the block */
    size_t q;          /* number of the (first) block */
    void *z;           /* values of the block */
    size_t first, count;
    void *y; /* values [first, first + count) of the full convolution */
} block_slice;

typedef struct transform_kernels {
    size_t lanes;
    void (*plain)(const transform_pass *p);   /* short transform: x to y, all values */
    void (*columns)(const transform_pass *p); /* first pass: x to y; y may be x */
    void (*rows)(const transform_pass *p);    /* second pass: x to y in natural order, scaled */
    void (*filter)(const transform_pass *p);  /* second pass: x to y in tile order, scaled */
    void (*product)(
        const transform_pass *p); /* second pass, multiplication by `by`, inverse second pass: x to y; y must be x */
    void (*columns_back)(const transform_pass *p); /* inverse first pass: x to y; y must be x */
    void (*split)(const transform_pass *p);        /* converts a transform of pairs to that of reals, in place in y */
    void (*combine)(const transform_pass *p);      /* inverse of split, x to y */
    void (*direct_real)(const direct_slice *s);
    void (*direct_complex)(const direct_slice *s);
    void (*fill_block)(const block_slice *s);
    void (*store_block)(const block_slice *s);
} transform_kernels;

/* Kernels of one instruction set level for both element types. */
struct level_transforms {
    const transform_kernels *f32, *f64;
};

enum { TRANSFORM_LENGTHS = 64 };

/* FFT tables of a context. */
typedef struct transform_tables {
    transform_plan plans[2][TRANSFORM_LENGTHS]; /* indexed by type (f32, f64) and log2 n; n = 0: no plan yet */
    void *turns, *far_turns;                    /* tables of twiddle factors: see transform_tables.c */
    int far_log;
    size_t bytes; /* bytes of all tables */
} transform_tables;

/* Finds or creates the plan for 2^n_log values; with `half`, including half_twiddles. */
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

/* Returns k with its lowest `digits` bits in reverse order. */
static inline size_t transform_mirrored(size_t k, int digits) {
    size_t m = 0;
    for (int i = 0; i < digits; i++) m |= (k >> i & 1) << (digits - 1 - i);
    return m;
}

#endif
