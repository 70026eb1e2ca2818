/* FFT tables and kernels that the CPU's transforms and convolutions share.
 *
 * A transform of n = 2^k values is computed in two passes, with n = rows x columns and value c of row r at index r
 * * columns + c. The first pass computes the upper stages of ORDER.md 14.3 along the columns; the lanes of a vector
 * are adjacent columns. The second pass computes the lower stages along the rows; the lanes of a vector are rows
 * whose results are adjacent in natural order. A tile is the columns or rows of one vector. Its intermediate values
 * are in a buffer of one vector per row (or column), so no stage moves values across lanes.
 *
 * With few threads, and if it is short, a transform is computed as a whole, in a buffer of n values
 * (kernels/bodies/whole_body.h): one thread needs less time for it than several threads for two passes. Short ones
 * are computed in registers (kernels/bodies/registers_body.h). Transforms of fewer values than two vectors are
 * computed value by value, or several at a time in the lanes of vectors
 * (kernels/bodies/plain_body.h). */
#ifndef WEFT_CPU_TRANSFORM_H
#define WEFT_CPU_TRANSFORM_H

#include "cpu/runtime/cpu.h"

/* The radices whose passes are functions of their own: X(3) X(5) ... */
#define FFT_EACH_SHORT_RADIX(X) X(3) X(5) X(7) X(11) X(13)

/* Way to compute a transform. */
typedef enum transform_way {
    TRANSFORM_PLAIN,     /* fewer values than two vectors */
    TRANSFORM_REGISTERS, /* 2^4 to 2^REGISTER_LOG values, with vectors of 32 bytes; to 2^REGISTER_LOG_V4, of 64 */
    TRANSFORM_WHOLE,     /* one call for all values */
    TRANSFORM_PASSES,    /* two passes over tiles */
    TRANSFORM_WAYS
} transform_way;

/* Tables for one length and the lane count of one instruction set level. The real type is that of the kernels. */
typedef struct transform_plan {
    transform_way way;
    size_t n, rows, columns; /* rows and columns: of TRANSFORM_PASSES */
    /* Blocks of the second pass: row i is block m(first + i) of `blocks`, where m reverses the digits. If `in_order`,
     * any number of rows are stored in the order of i; else all rows are, in the order of their blocks. */
    size_t blocks, first;
    bool in_order;
    size_t lanes; /* complex values per vector */
    /* Scales and slopes (ORDER.md 14.1) of T[0 .. first / 2), where first is rows, n / (2 lanes) (whole), n (plain).
     * The kernels compute the quarter turns. */
    void *twiddles;
    void *lane_twiddles;  /* twiddles of the second pass, tile by tile, in the order of their use */
    size_t tile_twiddles; /* vectors of lane_twiddles per tile */
    void *group_twiddles; /* twiddles within pairs of vectors, group by group, in the order of their use */
    size_t group_pairs;   /* pairs of vectors of group_twiddles per group */
    /* Twiddles of TRANSFORM_REGISTERS, in the order of kernels/bodies/registers_body.h, and those of inverse
     * transforms in the same block of memory. */
    void *register_twiddles[2];
    /* Scales and slopes of ORDER.md 14.5, f <= n / 2, for a real transform of 2n values; NULL until needed. They are
     * those of T[m(f)]. */
    void *half_twiddles;
} transform_plan;

/* One pass over tiles [from, to), or transforms [from, to) of a batch of contiguous arrays. */
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

/* Whole transforms [from, to) of n = m 2^k values with an odd m > 1 (kernels/bodies/slots_body.h), n >= SLOT_LEAST:
 * shorter ones are mostly loads and stores, which other kernels do without buffers. */
enum { SLOT_PASSES = 16, SLOT_LEAST = 6 };
typedef struct slots_call {
    const fft_pass_call *call; /* FFT_RADICES of all passes */
    size_t m, length;          /* length: 2^k */
    size_t rest[SLOT_PASSES];  /* R of each pass, in slots */
    bool across;               /* the lanes are transforms; false: 2^k must be a multiple of the reals of a vector */
    size_t parts;              /* of a row, which are computed like rows (OF(turned)) */
    const void *twiddles;      /* of transform_plan, for 2^k values */
    void *buffer;              /* two arrays of slots; with `across`, of at least half as many slots as lanes */
    size_t from, to;
} slots_call;

/* A whole transform of n values, as above with n <= SINGLE_MOST. The lanes of a vector are adjacent numbers of it
 * (kernels/bodies/single_body.h). */
enum { SINGLE_MOST = 1 << 11, SINGLE_BUFFERS = 4 };
typedef struct single_call {
    const fft_pass_call *call; /* FFT_RADICES of all passes; its arrays and its batch are not used */
    const void *twiddles;      /* of transform_plan, for 2^k values */
    double scale;              /* 2^-k */
    const void *x;
    void *y;
    void *buffer; /* of SINGLE_BUFFERS n + 32 numbers */
} single_call;

/* Part of a direct convolution: values [from, to) of the full result of a signal of n values with m taps. Or of a
 * row of a two-dimensional one, which is the sum of those of `rows` rows of x and of taps; all taps must then overlap
 * the rows. The rows of taps follow one another. x is the row for the first one, and each row for another one is
 * `row` values before the row for the one before it. */
typedef struct direct_slice {
    const void *x, *h; /* signal and taps */
    size_t n, m, from, to;
    size_t rows, row;
    void *y;      /* address of value `from` */
    bool streams; /* nontemporal stores: the arrays of the call are larger than the caches */
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
    void (*plain)(const transform_pass *p);     /* short transforms: x to y; y may be x */
    void (*registers)(const transform_pass *p); /* transforms in registers: x to y; y may be x; or NULL */
    void (*whole)(const transform_pass *p);     /* transforms as a whole: x to y; y may be x */
    void (*columns)(const transform_pass *p);   /* first pass: x to y; y may be x */
    void (*rows)(const transform_pass *p);      /* second pass: x to y in natural order, scaled */
    void (*filter)(const transform_pass *p);    /* second pass: x to y in tile order, scaled */
    void (*product)(
        const transform_pass *p); /* second pass, multiplication by `by`, inverse second pass: x to y; y must be x */
    void (*columns_back)(const transform_pass *p); /* inverse first pass: x to y; y must be x */
    void (*split)(const transform_pass *p);        /* converts a transform of pairs to that of reals, in place in y */
    void (*combine)(const transform_pass *p);      /* inverse of split, x to y */
    /* A part of a pass. FFT_RADICES: positions [from, to) of all arrays (kernels/bodies/radix_body.h). FFT_ROWS:
     * stores numbers [from, to) of all rows of an array as columns. FFT_SPLIT, FFT_COMBINE: an array. Others: numbers
     * [from, to) of the y of an array. */
    void (*pass)(const fft_pass_call *c, size_t array, size_t from, size_t to);
    void (*slots)(const slots_call *w);   /* whole transforms: x to y; y may be x */
    void (*single)(const single_call *w); /* a whole transform: x to y; y may be x; or NULL */
    void (*direct_real)(const direct_slice *s);
    void (*direct_complex)(const direct_slice *s);
    void (*fill_block)(const block_slice *s);
    void (*store_block)(const block_slice *s);
} transform_kernels;

/* Kernels of one instruction set level for both element types. */
struct level_transforms {
    const transform_kernels *f32, *f64;
};

/* SHORT_LOG: log2 of the values of the longest short call (fft.c). */
enum { TRANSFORM_LENGTHS = 64, BLOCK_PLANS = 2, SHORT_LOG = 12 };

/* FFT tables of a context. */
typedef struct transform_tables {
    /* Indexed by type (f32, f64), way and log2 n; n = 0: no plan yet. */
    transform_plan plans[2][TRANSFORM_WAYS][TRANSFORM_LENGTHS];
    /* One of `plans` for each type and log2 n of a short call, or NULL. */
    const transform_plan *of_short[2][SHORT_LOG + 1];
    transform_plan of_blocks[2][BLOCK_PLANS]; /* for fft_blocks */
    size_t next[2];                           /* index of the next one */
    void *turns, *far_turns;                  /* tables of twiddle factors: see transform_tables.c */
    int far_log;
    size_t bytes; /* bytes of all tables */
} transform_tables;

/* Returns the fastest way for 2^n_log values. */
transform_way cpu_transform_way(const cpu_context *ctx, weft_dtype dtype, int n_log);
/* Finds or creates the plan for 2^n_log values; with `half`, including half_twiddles. TRANSFORM_WHOLE requires
 * 4 lanes values, TRANSFORM_PASSES requires 16 and lanes * lanes. */
weft_status cpu_transform_plan(cpu_context *ctx, weft_dtype dtype, transform_way way, int n_log, bool half,
                               const transform_plan **plan, weft_error *error);
/* Finds or creates the plan for the blocks of a call. A context keeps those of the last BLOCK_PLANS calls. */
weft_status cpu_transform_blocks_plan(cpu_context *ctx, const fft_blocks_call *c, const transform_plan **plan,
                                      weft_error *error);
void cpu_transform_free(cpu_context *ctx);

/* weft_backend.fft_pass. */
weft_status cpu_fft_pass(void *state, const fft_pass_call *c, weft_error *error);

/* weft_backend.fft_takes_whole, and the call. */
bool cpu_fft_takes_whole(const void *state, const fft_pass_call *c);
weft_status cpu_fft_whole(cpu_context *ctx, const fft_pass_call *c, weft_error *error);

static inline const transform_kernels *transform_kernels_of(const level_transforms *t, weft_dtype dtype) {
    return dtype == WEFT_F32 ? t->f32 : t->f64;
}

/* Returns log2 n, rounded down. n must not be 0. */
static inline int transform_log2(size_t n) { return 63 - __builtin_clzll(n); }

/* Returns how many blocks the next sweep makes of each, if `middle` > 1 are to be made of each (TRANSFORM_REGISTERS).
 * 16 are made in two sweeps: so many vectors do not fit in the registers. */
static inline size_t transform_blocks_of(size_t middle) { return middle == 16 ? 4 : middle; }

/* Lanes of a pair of vectors (kernels/bodies/whole_body.h), of 2^width_log reals of `size` bytes each. Bit b of the
 * number of a value in the pair is bit transform_lane_bit of the number of its lane: the values are separated by
 * instructions that work within 16 bytes. */
static inline int transform_lane_bit(int b, int width_log, size_t size) {
    const int low = size == 4; /* bits below stay; the highest bit is inserted here */
    return b == width_log - 1 ? low : b < low ? b : b + 1;
}

/* Returns true if the exchange of this bit of the lane number also moves the next higher bit to its position and
 * inserts the new bit there. On x86-64, the exact exchange is not a single instruction for these bits. */
static inline bool transform_exchange_moves(int bit, int width_log, size_t size) {
    const int of_16_bytes = size == 4 ? 2 : 1; /* bit whose lanes are 16 bytes apart */
    return (bit == of_16_bytes || bit == of_16_bytes - 2) && bit + 1 < width_log;
}

/* Returns the position in the lane number, after `exchanges` exchanges, of the bit that exchange m inserted. Exchange
 * m is for bit width_log - 1 - m of the number of a value. */
static inline int transform_inserted_bit(int m, int exchanges, int width_log, size_t size) {
    const int bit = transform_lane_bit(width_log - 1 - m, width_log, size);
    if (transform_exchange_moves(bit, width_log, size)) return bit + 1;
    for (int later = m + 1; later < exchanges; later++)
        if (transform_lane_bit(width_log - 1 - later, width_log, size) == bit - 1 &&
            transform_exchange_moves(bit - 1, width_log, size))
            return bit - 1;
    return bit;
}

/* Returns the number of a row; those after the last one are the last one. */
static inline size_t transform_row(const transform_plan *plan, size_t row) {
    return row < plan->rows ? row : plan->rows - 1;
}

/* Vectors that a transform in registers keeps there (half of those of x86-64 with AVX-512, and without), and log2 of
 * the values of the longest one: others are as fast with kernels/bodies/whole_body.h, and need smaller tables. */
enum { REGISTER_VECTORS_V4 = 16, REGISTER_VECTORS = 8, REGISTER_LOG_V4 = 11, REGISTER_LOG = 10 };

/* Returns k with its lowest `digits` bits in reverse order. */
static inline size_t transform_mirrored(size_t k, int digits) {
    size_t m = 0;
    for (int i = 0; i < digits; i++) m |= (k >> i & 1) << (digits - 1 - i);
    return m;
}

/* Returns the block that a row of the second pass is. */
static inline size_t transform_block(const transform_plan *plan, size_t row) {
    return transform_mirrored(plan->first + row, transform_log2(plan->blocks));
}

#endif
