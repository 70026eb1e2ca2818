/* A backend is one struct of function pointers. The API (src/core/api_*.c) checks every argument before it calls a
 * backend, so a backend fails only for reasons of the machine: memory, driver, device.
 *
 * There are three backends: ref (the specification), cpu, and cuda, which is a plugin loaded at run time. */
#ifndef WEFT_CORE_BACKEND_H
#define WEFT_CORE_BACKEND_H

#include "core/allocator.h"
#include "core/error.h"
#include "core/map_call.h"
#include "core/matmul_step.h"
#include "core/order.h"
#include "core/tridiag_part.h"
#include "core/view_calls.h"
#include "weft.h"

#include <stdbool.h>

/* Must be raised whenever anything below, in core/map_call.h or core/view_calls.h, changes: a plugin with another
 * number is refused. */
#define WEFT_BACKEND_ABI 39

/* One call of weft_reduce. `result` determines the accumulator: f64 for f32 elements means f64. */
typedef struct reduce_call {
    weft_op op;
    weft_dtype dtype, result;
    size_t n; /* >= 1 for operators that require elements (ops.def); else 0 is allowed */
    const void *x;
    void *out;
    /* Formula whose values are the elements; then x is NULL. Else NULL. */
    const map_call *map;
} reduce_call;

/* One call of weft_reduce_lanes: a sum or a product of f32 or f64 elements in the type `result`. */
typedef struct reduce_lanes_call {
    weft_op op;
    weft_dtype dtype, result;
    size_t n, lanes; /* n may be 0; lanes from 1 to WEFT_REDUCE_LANES_MAX */
    const void *x;
    void *out;
} reduce_lanes_call;

typedef struct variance_call {
    weft_dtype dtype, result;
    size_t n, ddof; /* ddof < n */
    const void *x;
    void *out;
} variance_call;

typedef struct dot_call {
    weft_dtype dtype, result;
    size_t n;
    const void *x, *y;
    void *out;
} dot_call;

/* One call of weft_reduce, weft_variance, weft_dot or weft_map_reduce that accumulates exactly, or the exact sum of a
 * part of an array. EXACT_VARIANCE is a finish of EXACT_VALUES only, with the sum of their squares as a second sum.
 */
typedef struct exact_call {
    exact_terms terms;
    exact_finish finish;
    weft_dtype dtype;  /* f32 or f64 */
    size_t n, ddof;    /* n >= 1. EXACT_VARIANCE: ddof < n */
    const void *x, *y; /* y: EXACT_PRODUCTS only */
    void *out;         /* one value of dtype, or NULL */
    int64_t *state;    /* if out is NULL: the sum, WEFT_EXACT_WORDS words in host memory */
    /* Formula whose values are the elements; then x is NULL, and the call has one sum. Else NULL. */
    const map_call *map;
} exact_call;

typedef struct scan_call {
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t n; /* >= 1 */
    const void *x;
    const void *init; /* one value of the result type in host memory, or NULL */
    void *y;          /* == x, or does not overlap x */
    /* Formula whose values are the elements; then x is NULL. Then y may be an array of the formula if the type of the
     * array, dtype and result are equal. Else NULL. */
    const map_call *map;
} scan_call;

typedef struct laplace_call {
    weft_dtype dtype;
    size_t nx, ny, nz, sweeps; /* at least one point */
    const void *u;
    void *v;        /* == u, or does not overlap u */
    double *change; /* or NULL */
} laplace_call;

typedef struct laplace_solve_call {
    weft_laplace_method method;
    weft_dtype dtype;
    size_t nx, ny, nz; /* at least one point */
    double omega;      /* relaxation factor of the sweeps: 0 < omega < 2 */
    size_t sweeps;     /* number of sweeps, or of cycles */
    const void *u;
    void *v;          /* == u, or does not overlap u */
    double *residual; /* residual of v, in host memory; or NULL */
} laplace_solve_call;

typedef enum select_kind { SELECT_VALUES, SELECT_INDICES, SELECT_PARTITION } select_kind;

typedef struct select_call {
    select_kind kind;
    bool by_flags; /* keep elements by flags; else by comparison */
    /* WEFT_U8, with x NULL, for indices by flags, which read no elements. */
    weft_dtype dtype;
    size_t n; /* if 0, *count = 0 */
    const void *x;
    const uint8_t *flags;
    weft_comparison comparison; /* compares each element with *value */
    const void *value;          /* in host memory */
    void *y;
    uint64_t *count;
} select_call;

/* Also weft_unique, which leaves `lengths` NULL. */
typedef struct run_length_call {
    weft_dtype dtype;
    size_t n; /* if 0, *count = 0 */
    const void *x;
    void *values;
    uint64_t *lengths; /* or NULL */
    uint64_t *count;
} run_length_call;

/* Specifies how segments are delimited. */
typedef enum segment_source { SEGMENTS_BY_OFFSETS, SEGMENTS_BY_HEADS, SEGMENTS_BY_KEYS } segment_source;

/* One call of a weft_segmented_ function or of weft_reduce_by_key. The API does not check the values of the
 * offsets, because only the backend can read them fast: the backend checks them (core/offsets.h). */
typedef struct segmented_call {
    const char *name; /* name of the operation, for messages */
    weft_op op;       /* sum, prod, min, max, and, or, xor; cpu only: mean with result f64, by offsets */
    bool scan;        /* y has one value per element; else one per segment */
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t n; /* 0 is allowed, except for a scan */
    const void *x;
    void *y; /* scan: == x, or does not overlap x */
    segment_source source;
    size_t segments; /* SEGMENTS_BY_OFFSETS: number of segments, >= 1 */
    const uint64_t *offsets;
    const void *keys; /* SEGMENTS_BY_HEADS: type u8 */
    weft_dtype key_dtype;
    void *unique_keys; /* SEGMENTS_BY_KEYS only */
    uint64_t *count;   /* reduction by heads or keys: receives the number of segments */
    bool exact;        /* exact sums of f32 or f64 (ORDER.md 30); by offsets also exact means */
    /* Exact sums by offsets: segment s has the further term init[s * init_stride], and is this value if it is empty.
     * May be equal to y. Else NULL. */
    const void *init;
    size_t init_stride;
} segmented_call;

/* One call of weft_scatter_reduce or weft_scatter_count. The backend checks the values of the indices
 * (core/indices.h). */
typedef struct scatter_reduce_call {
    weft_op op; /* sum, prod, min, max, and, or, xor, mean */
    weft_range range;
    weft_dtype dtype, result, index_dtype; /* index_dtype: i32, i64, u32 or u64 */
    bool exact;                            /* exact sums or means of f32 or f64 (ORDER.md 30) */
    size_t n, columns, m;                  /* 0 is allowed; n * columns and m * columns do not overflow */
    const void *x, *index;
    const void *init; /* m * columns values of the result type: == out, or does not overlap out; or NULL */
    void *out;
    uint64_t *counts; /* m counts; then x, init and out are NULL, and columns is 1. NULL: a reduction */
} scatter_reduce_call;

/* One call of weft_gather or weft_scatter. The backend checks the values of the indices (core/indices.h). */
typedef struct gather_call {
    bool scatter; /* out[index[i]] = x[i]; else out[i] = x[index[i]] */
    weft_range range;
    weft_dtype index_dtype; /* i32, i64, u32 or u64 */
    size_t n, m;            /* number of indices, n >= 1; number of rows of the array that they refer to */
    size_t row_bytes;       /* 0 is allowed; n * row_bytes and m * row_bytes do not overflow */
    const void *x, *index;
    void *out; /* overlaps neither x nor index */
} gather_call;

typedef struct recurrence_call {
    weft_dtype dtype; /* f32 or f64 */
    bool reverse;
    size_t rows, n; /* >= 1 */
    const void *s, *u;
    const void *init; /* one value per row, or NULL */
    void *v;          /* == s, == u, or overlaps neither; must not overlap init */
} recurrence_call;

/* Bins of equal width, or bins between edges. A backend that has GPU memory checks the edges itself
 * (core/edges.h). */
typedef struct histogram_call {
    weft_dtype dtype;
    /* 1, or more if the backend has GPU memory. Rows of x and of counts follow one another without gaps. */
    size_t rows;
    size_t n; /* elements of a row */
    const void *x;
    size_t bins; /* 1 .. WEFT_BINS_MAX */
    /* bins + 1 values of the type, of f16 and bf16 elements f32, ascending. NULL: even bins from lower to upper. */
    const void *edges;
    double lower_real, upper_real;         /* bounds of even bins, for floats */
    uint64_t lower_integer, upper_integer; /* bounds of even bins, for integers, sign-extended */
    uint64_t *counts;
} histogram_call;

typedef struct top_k_call {
    weft_dtype dtype;
    weft_extreme extreme;
    size_t n;
    const void *x;
    size_t k; /* 1 .. n */
    void *values;
    uint64_t *indices; /* or NULL */
} top_k_call;

typedef struct merge_call {
    weft_dtype dtype;
    size_t na; /* na + nb >= 1 */
    const void *a;
    size_t nb;
    const void *b;
    void *y;
} merge_call;

typedef struct search_sorted_call {
    weft_dtype dtype;
    weft_side side;
    size_t n;
    const void *sorted;
    size_t m; /* >= 1 */
    const void *queries;
    uint64_t *positions;
} search_sorted_call;

/* Storage of a matrix operand: rows of `ld` elements; consecutive matrices of a batch are `stride` elements
 * apart. */
typedef struct matmul_operand {
    const void *p;
    size_t ld, stride;
    bool transposed; /* the factor is the transpose of the stored matrix */
} matmul_operand;

/* Row-major: C is m x n, op(A) m x k, op(B) k x n. With k = 0, C = beta C; the API also sets k = 0 if alpha = 0. */
typedef struct matmul_call {
    weft_dtype dtype, accumulate; /* type of the elements, type of the accumulation chains */
    size_t m, n, k, batch;        /* m, n, batch >= 1 */
    double alpha, beta;
    matmul_operand a, b;
    void *c;
    size_t ldc, stride_c;
    size_t part; /* terms per part of k (ORDER.md 13.2); >= k if k is not split */
} matmul_call;

typedef struct fft_call {
    weft_dtype dtype;
    weft_fft_kind kind;
    size_t batch, n; /* batch >= 1; n a power of two, unless the backend has no fft_pass */
    /* 0: the values of a transform are adjacent. Else `batch` arrays of n rows and so many columns are transformed
     * along their columns; only complex ones, and only if the backend's fft_takes_columns returns true. */
    size_t columns;
    const void *x;
    void *y; /* C2C: == x, or does not overlap x; else does not overlap x */
} fft_call;

/* A part of a transform of `blocks` times n values, after the first log2(blocks) stages of ORDER.md 14.3: computes
 * the other stages for the blocks m(first), ..., m(first + count - 1), where m reverses the digits of a block's
 * number. They follow one another at x, which may be overwritten and is aligned to complex numbers. Result f of the
 * i-th of them, in natural order, is value f * count + i of y. An inverse transform uses the conjugates of the
 * twiddles, and its results are multiplied by 1 / (blocks n). */
typedef struct fft_blocks_call {
    weft_dtype dtype;
    bool inverse;
    size_t blocks, n;    /* powers of two; blocks >= 2, n >= 16 */
    size_t first, count; /* count >= 1 */
    void *x, *y;         /* must not overlap */
} fft_blocks_call;

/* Kind of a pass of a transform whose length is not a power of two (ORDER.md 14.7 to 14.11). Each processes `batch`
 * arrays. */
typedef enum fft_pass_kind {
    FFT_RADICES, /* 14.8: `count` passes over n complex values. y != x, unless their radices have the product n */
    /* 14.8: transforms `count` rows of n / count values each, and stores them as the columns of y. y != x; x is
     * overwritten, and its rows follow one another without gaps. */
    FFT_ROWS,
    FFT_CHIRP,   /* 14.10: n complex values; only if fft_takes_whole accepts the call. y may be x */
    FFT_PRODUCT, /* n complex values are multiplied by `factors`; zeros follow, up to `count` values. y may be x */
    FFT_SPLIT,   /* 14.5: from the transforms of n pairs to n + 1 complex values. y == x */
    FFT_COMBINE, /* 14.6: from n + 1 complex values to n pairs. y != x */
    FFT_EXTEND, /* 14.11: n odd; from n real values, or (to_real) (n + 1)/2 complex ones, to n complex ones. y != x */
    FFT_REDUCE  /* 14.11: n odd; from n complex values to (n + 1)/2 complex ones, or (to_real) n real ones. y != x */
} fft_pass_kind;

/* Most prime factor of a length that 14.8 transforms. */
enum { FFT_RADIX_MOST = 97 };

/* C(j) and S(j) of 14.9, j <= p/2. They are values of the type. */
typedef struct fft_points {
    size_t p;
    double cosine[FFT_RADIX_MOST / 2 + 1], sine[FFT_RADIX_MOST / 2 + 1];
} fft_points;

/* A pass of radix p. */
typedef struct fft_radix {
    size_t s; /* the product of the radices of earlier passes */
    const fft_points *points;
    const void *twiddles; /* W(c q, s p) at entry (c - 1) s + q; NULL: no products, in the first pass of all */
} fft_radix;

typedef struct fft_pass_call {
    fft_pass_kind kind;
    weft_dtype dtype;
    size_t batch, n, count; /* FFT_CHIRP: count is M */
    const void *x;
    void *y;
    size_t x_step, y_step; /* distances of arrays, in reals */
    bool to_real;          /* FFT_EXTEND, FFT_REDUCE */
    bool inverse;          /* FFT_ROWS */
    bool whole;            /* FFT_RADICES of all passes: then FFT_ROWS, in the same call. y may be x */
    bool exchange_in,
        exchange_out; /* FFT_RADICES, FFT_CHIRP, FFT_PRODUCT: exchange the parts of each number of x, or of y */
    double scale;     /* FFT_RADICES, FFT_CHIRP, FFT_PRODUCT: factor of the numbers of y; 0: none */
    const fft_radix *radices; /* FFT_RADICES; in host memory */
    /* FFT_RADICES: W(q r, n) for each value of y, or NULL. FFT_CHIRP: g. FFT_SPLIT, FFT_COMBINE: W(f, 2 n), f <= n/2.
     */
    const void *factors;
    const void *filter; /* FFT_CHIRP: H */
} fft_pass_call;

/* Computes values [first, first + count) of the full convolution, which has n + m - 1 values, for each row of x. Rows
 * follow one another: those of x and h without gaps, and their results in y. */
typedef struct convolve_call {
    weft_dtype dtype;
    bool is_complex, correlate;
    size_t rows;    /* >= 1 */
    size_t filters; /* 1: all rows are convolved with the same h; rows: each one with its own */
    size_t n;       /* of a row, >= 1 */
    const void *x;
    size_t m; /* of a filter, >= 1 */
    const void *h;
    size_t first, count; /* count >= 1 */
    void *y;
} convolve_call;

/* Computes a part of the full convolution of each of `matrices` arrays of two dimensions, of rows and columns, with
 * the filter h: values [first, first + count) along both axes (ORDER.md 15.4). The members that are pairs are numbers
 * of rows and of columns; distances are in values. */
typedef struct convolve2d_call {
    weft_dtype dtype; /* f32 or f64 */
    bool is_complex, correlate;
    weft_border border;
    const void *fill; /* one value, in host memory; WEFT_BORDER_FILL only */
    size_t matrices;  /* >= 1 */
    size_t n[2];      /* of x, both >= 1 */
    const void *x;    /* adjacent columns */
    size_t x_row, x_matrix;
    size_t m[2]; /* of h, both >= 1; at most WEFT_CONVOLVE2D_DIRECT taps unless the backend has no fft_pass */
    /* Without gaps. NULL: the values are those of x, extended by its border: e of ORDER.md 15.4. m is 1 x 1 and
     * `first` may then be negative. Only for backends that have fft_pass. */
    const void *h;
    ptrdiff_t first[2];
    size_t count[2]; /* both >= 1 */
    void *y;         /* without gaps */
} convolve2d_call;

typedef struct tridiag_call {
    weft_dtype dtype; /* f32 or f64 */
    bool periodic;
    size_t systems, n;
    /* For a, b and c, step = line = 0 means one value, in host memory. */
    weft_lines a, b, c, d;
    /* Layout of d: step and line of d. == d.p, or does not overlap d. No two elements may have the same address. */
    void *x;
    uint64_t *singular;
} tridiag_call;

typedef tridiag_call tridiag_pivot_call;

/* weft_block_tridiag, weft_pentadiag. */
typedef struct block_tridiag_call {
    weft_dtype dtype; /* f32 or f64 */
    bool periodic;
    /* true: the system is pentadiagonal. The elements of all lines are scalars, and block is 2. false: the elements
     * of a line are blocks, and e and f are not used. */
    bool pentadiagonal;
    size_t block;      /* 2 .. WEFT_BLOCK_TRIDIAG_MAX */
    size_t systems, n; /* n: elements per line; even if both pentadiagonal and periodic */
    /* step = line = 0 means one element, in host memory, except for d. */
    weft_lines e, a, b, c, f, d;
    /* Layout of d: step and line of d. == d.p, or does not overlap d. No two elements may have the same address. */
    void *x;
    uint64_t *singular;
} block_tridiag_call;

/* `batch` consecutive grids of n[0] x n[1] x n[2] points; n[i] is 1 for unused dimensions. */
typedef struct heat_call {
    weft_dtype dtype; /* f32 or f64 */
    weft_heat_method method;
    size_t dimensions, n[WEFT_AXES_MAX], batch; /* dimensions: 1 .. WEFT_AXES_MAX; all others >= 1 */
    double lambda[WEFT_AXES_MAX]; /* values of type dtype, WEFT_HEAT_LAMBDA_LEAST to WEFT_HEAT_LAMBDA_GREATEST */
    size_t steps;
    const void *u;
    void *v; /* == u, or does not overlap u */
} heat_call;

/* weft_sort, weft_sort_pairs, weft_sort_bits. */
typedef struct sort_call {
    weft_dtype dtype;
    weft_order_of_sort order;
    unsigned first_bit, bits; /* bits of the keys to sort by: all bits, unless the keys are integers */
    size_t n;                 /* >= 1 */
    const void *keys;
    void *sorted_keys;  /* == keys, or overlaps no other array */
    size_t value_bytes; /* 0: no values */
    const void *values;
    void *sorted_values; /* == values, or overlaps no other array */
} sort_call;

typedef struct argsort_call {
    weft_dtype dtype;
    weft_order_of_sort order;
    weft_dtype index; /* WEFT_U32 or WEFT_U64 */
    size_t n;         /* >= 1 */
    const void *keys;
    void *indices;
} argsort_call;

/* Samples first ... first + n - 1 of a stream, from a distribution or as integers. Integers have a 32-bit or 64-bit
 * type. */
typedef struct random_call {
    bool integers;
    weft_distribution distribution;
    weft_dtype dtype;
    uint64_t seed, stream, first;
    size_t n;             /* >= 1, and first + n <= WEFT_SAMPLES_MAX */
    double a, b;          /* uniform distribution: its bounds, rounded once to dtype */
    uint64_t lower, last; /* integers: lowest and greatest value, sign-extended */
    void *out;
} random_call;

/* Sobol points first ... first + n - 1. */
typedef struct sobol_call {
    weft_scrambling scrambling;
    weft_dtype dtype; /* f32 or f64 */
    uint64_t seed, stream, first;
    size_t dimensions, n; /* both >= 1, and first + n <= WEFT_SAMPLES_MAX */
    void *out;
} sobol_call;

/* One of the simulations that share the normals of a path: the path itself, its antithetic path, or the paths of a
 * finite difference. */
typedef struct price_leg {
    double weight; /* factor of this leg's payoff in the value of the path */
    double start[WEFT_ASSETS_MAX], drift[WEFT_ASSETS_MAX];
    double loading[WEFT_ASSETS_MAX][WEFT_ASSETS_MAX]; /* [i][j]: factor of normal j in the step of asset i, j <= i */
} price_leg;

typedef enum price_control { CONTROL_NONE, CONTROL_END, CONTROL_GEOMETRIC } price_control;

enum { PRICE_LEGS_MAX = 4, PRICE_SUMS = 5 };

/* A pricing simulation, whose sums over paths and whose estimate are two calls. ORDER.md 21 defines the members. */
typedef struct price_call {
    weft_dtype dtype; /* f32 or f64 */
    weft_payoff payoff;
    weft_observed observed;
    weft_barrier barrier;
    weft_steps scheme;
    price_control control; /* CONTROL_NONE unless there is one leg, or two antithetic legs */
    size_t assets, steps;  /* >= 1 */
    uint64_t paths, seed;  /* paths >= 2 */
    bool fast;             /* normals of normal_fast (ORDER.md 19.4); only f32 and not sobol */
    bool sobol;            /* paths are scrambled Sobol points; else Philox */
    uint64_t stream;       /* stream of the scrambling, if sobol */
    double strike, level, rate, maturity;
    /* Volatility of the only asset, for CONTROL_GEOMETRIC. */
    double volatility;
    double weights[WEFT_ASSETS_MAX], centre[WEFT_ASSETS_MAX], width[WEFT_ASSETS_MAX];
    size_t legs;
    price_leg leg[PRICE_LEGS_MAX];
} price_call;

/* weft_match_count and weft_match_list. The API has checked the patterns. */
typedef struct match_call {
    size_t n, first, end; /* first <= end <= n */
    const unsigned char *text;
    size_t patterns; /* 1 .. WEFT_PATTERNS_MAX, of 1 .. WEFT_PATTERN_BYTES_MAX bytes */
    const uint64_t *offsets;
    const unsigned char *bytes;
    bool fold_case, whole_word;
    uint64_t *counts; /* NULL: write a list (the members below) */
    size_t capacity;
    uint64_t *positions;
    uint32_t *numbers;
    uint64_t *total;
} match_call;

/* -------------------------------------------------------------------- parts of operations
 *
 * Calls for src/stream and src/dist, which have only a part of the elements at a time. */

/* Sums the elements of a part of a longer array in f64 (op mean), their magnitudes (norm1) or their squares (norm2),
 * by the tree of ORDER.md 2. */
typedef struct part_sum_call {
    weft_op op;
    weft_dtype dtype;
    size_t n; /* >= 1 */
    const void *x;
    const map_call *map; /* formula whose values are the elements; then x is NULL. Else NULL. */
    /* norm2: 1, or, if the squares are summed again with scaling, the first sum of all elements (ORDER.md 3.3). */
    double squares;
    double *sum;
} part_sum_call;

/* Sums the squared deviations of the elements of a part from the mean of the whole array (ORDER.md 4). */
typedef struct part_deviations_call {
    weft_dtype dtype;
    size_t n; /* >= 1 */
    const void *x;
    double mean;
    double *sum;
} part_deviations_call;

/* Computes the totals of aligned blocks of 16^3 floats (ORDER.md 6.2), with sum or prod. */
typedef struct scan_totals_call {
    weft_op op;
    weft_dtype dtype, result;
    size_t blocks; /* >= 1 */
    const void *x;
    void *totals; /* one value of type `result` per block */
} scan_totals_call;

/* Computes one row of 16^k elements, k >= 3, and its map (ORDER.md 9.2). */
typedef struct recurrence_map_call {
    recurrence_call row; /* rows = 1 */
    uint64_t *map;       /* in host memory: receives S and U of the map, as bit patterns of the type */
} recurrence_map_call;

/* Computes one stage of a product whose terms are distributed over calls. */
typedef struct matmul_stage_call {
    matmul_call product; /* one product without transposes; k >= 1 */
    matmul_step step;
} matmul_stage_call;

/* Computes one stage of a system whose rows are distributed over calls. */
typedef struct tridiag_stage_call {
    tridiag_call rows; /* one system; step is 0 or 1 */
    tridiag_part part;
} tridiag_stage_call;

/* Computes the sums of ORDER.md 21.6, in their order, over paths [first, first + count) of a simulation. */
typedef struct price_sums_call {
    const price_call *price;
    uint64_t first, count; /* count >= 1; first is a multiple of a tile */
    double *sums;          /* in host memory: PRICE_SUMS values */
} price_sums_call;

/* Computes the price and its standard error from the sums over all paths. */
typedef struct price_estimate_call {
    const price_call *price;
    const double *sums;
    double *estimate; /* in host memory: 2 values */
} price_estimate_call;

/* Kind of memory, for a backend whose memory is not the host's. */
typedef enum memory_kind {
    MEMORY_PAGEABLE, /* pageable host memory: copies are staged by the host */
    MEMORY_PINNED,   /* page-locked host memory: copied by DMA */
    MEMORY_DEVICE
} memory_kind;

typedef struct weft_backend {
    int abi; /* WEFT_BACKEND_ABI */
    const char *name;

    /* Number of devices of this backend that can be opened now, and their properties. */
    int (*count)(void);
    weft_status (*describe)(int index, weft_device_info *info, weft_error *error);

    /* Opens a device. `which` is the text after "name:", or "". `heap` contains the caller's allocator and must
     * outlive *state, which belongs to the backend. close releases all blocks of the heap. */
    weft_status (*open)(const char *which, weft_heap *heap, void **state, weft_error *error);
    void (*close)(void *state);
    const char *(*id)(const void *state); /* "cuda:0" */

    weft_status (*set_threads)(void *state, int threads, weft_error *error);
    weft_status (*set_stream)(void *state, void *stream, weft_error *error);
    weft_status (*synchronize)(void *state, weft_error *error);
    size_t (*scratch_bytes)(const void *state);
    /* Frees the scratch memory that grows, before the allocator is changed. */
    weft_status (*release_scratch)(void *state, weft_error *error);

    weft_status (*alloc)(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error);
    weft_status (*free)(void *state, weft_memory memory, void *p, weft_error *error);
    weft_status (*copy)(void *state, size_t bytes, const void *src, void *dst, weft_error *error);

    /* Asynchronous copies, overlapped with the work of the context's stream, for src/stream. All NULL for backends
     * whose memory is the host's. *transfer belongs to the backend and can be reused for later copies. A copy
     * starts after all work submitted to the context's stream before transfer_begin. The stream does not wait for
     * the copy until transfer_join. WEFT_WORK copies nothing: it measures the context's stream from transfer_begin
     * to transfer_join. transfer_time waits for both transfers and returns the start and end of `transfer`, in
     * seconds since the start of `origin`. transfer_close waits for the transfer. */
    weft_status (*transfer_memory_kind)(void *state, const void *p, memory_kind *kind, weft_error *error);
    weft_status (*transfer_open)(void *state, void **transfer, weft_error *error);
    weft_status (*transfer_begin)(void *state, void *transfer, weft_lane lane, size_t bytes, const void *from,
                                  void *to, weft_error *error);
    weft_status (*transfer_join)(void *state, void *transfer, weft_error *error);
    weft_status (*transfer_wait)(void *state, void *transfer, weft_error *error);
    weft_status (*transfer_time)(void *state, void *transfer, void *origin, double *began, double *ended,
                                 weft_error *error);
    void (*transfer_close)(void *state, void *transfer);

    /* Returns true if p is memory that only a GPU can access. NULL for backends without such memory. */
    bool (*device_only)(const void *p);

    /* Operations. */
#define BACKEND(stem) weft_status (*stem)(void *state, const stem##_call *call, weft_error *error);
#include "core/ops.def"
    /* Returns true if `fft` can compute this call, which has columns. NULL: none. */
    bool (*fft_takes_columns)(const void *state, const fft_call *call);
    /* A pass of a transform. NULL: `fft` takes any length. */
    weft_status (*fft_pass)(void *state, const fft_pass_call *call, weft_error *error);
    /* Returns how many of `count` passes over n values, at least 1, one FFT_RADICES call should compute. NULL: 1. */
    size_t (*fft_radices)(size_t n, size_t count, const fft_radix *radices);
    /* Returns true if a call that is `whole`, or FFT_CHIRP, is possible, and should be made. NULL: never. */
    bool (*fft_takes_whole)(const void *state, const fft_pass_call *call);

    /* Algorithms with several variants. `tunables` returns one list for all states, without `chosen`; `chosen`
     * returns the variant that a state uses. With `everywhere`, the variant is also used for calls below the size
     * from which it pays off. All NULL for backends without variants. */
    const weft_tunable *(*tunables)(size_t *count);
    size_t (*chosen)(const void *state, size_t tunable);
    weft_status (*choose)(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
    /* Writes the product name of the state's device. Tuning results are valid for all devices of that name. */
    void (*model)(const void *state, char name[128]);
} weft_backend;

const weft_backend *weft_backend_ref(void);
const weft_backend *weft_backend_cpu(void);
/* The only function that the plugin exports; looked up by name. */
#define WEFT_PLUGIN_ENTRY "weft_backend_cuda"
typedef const weft_backend *(*weft_plugin_entry)(void);

/* Finds the backend `name` in the registry (backend.c); loads its plugin if it has one. */
weft_status weft_find_backend(const char *name, const weft_backend **backend, weft_error *error);

#endif
