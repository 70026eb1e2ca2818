/* The backend "cpu". A call is split into chunks of 2^c tiles (ORDER.md 2). Threads claim chunks, a kernel reduces
 * a chunk to one partial value, and the partial values are combined by the tree that combines the tiles. The
 * kernels are compiled once per instruction set level (levels.def); all other code is compiled once. */
#ifndef WEFT_CPU_CPU_H
#define WEFT_CPU_CPU_H

#include "arith/even_bins.h"
#include "arith/match_set.h"
#include "arith/multigrid.h"
#include "arith/sort_code.h"
#include "core/backend.h"
#include "cpu/common/matmul_calls.h"

/* Name of the baseline instruction set. */
#if defined(__x86_64__)
#define WEFT_BASE_ISA "x86-64"
#elif defined(__aarch64__)
#define WEFT_BASE_ISA "armv8-a"
#else
#define WEFT_BASE_ISA "generic"
#endif

/* Input of a kernel: elements [0, n) at x (and y), which are elements first, first + 1, ... of the call. n >= 1.
 * Only the last chunk of a call may be shorter than 2^c tiles. */
typedef struct reduce_chunk {
    const void *x, *y;
    size_t n, first;
    double parameter;    /* mean for variance, scale factor for norm2 */
    bool locate;         /* min and max: also return the index */
    bool prefetch;       /* the array of the call is larger than a core's caches */
    const map_call *map; /* formula whose values are the elements of x, or NULL; kernels ignore it */
} reduce_chunk;

/* Partial result. For min and max it holds a key (cpu/kernels/bodies/extremes_body.h) and, if requested, an index. */
typedef struct partial {
    union {
        float f32;
        double f64;
        uint64_t u64;
    };
    size_t index;
} partial;

typedef void kernel(const reduce_chunk *p, partial *out);
/* Combines b, the partial result of the elements directly after those of a, into a. */
typedef void combiner(partial *a, const partial *b);

enum { DTYPES = WEFT_F64 + 1, ALL_DTYPES = WEFT_BF16 + 1, CHUNKS_MAX = 1024 }; /* DTYPES: without f16 and bf16 */

/* Kernels of one instruction set level, indexed by the element type. NULL where weft_reduce_result defines no
 * result. */
typedef struct sum_kernels {
    kernel *sum_f32, *prod_f32;
    kernel *sum_f64[DTYPES], *prod_f64[DTYPES], *magnitudes_f64[DTYPES];
} sum_kernels;

typedef struct product_kernels {
    kernel *dot_f32, *dot_f64[DTYPES];
    kernel *squares_f64[DTYPES], *deviations_f64[DTYPES];
    kernel *differences_f64[DTYPES]; /* f32 and f64 elements only */
} product_kernels;

/* Adds n terms of an exact sum (ORDER.md 30), 1 <= n <= 2^16, to a state whose words are less than 2^33, as the
 * words of the result are. */
typedef void exact_kernel(const void *x, const void *y, size_t n, int64_t *state);

typedef struct exact_kernels {
    exact_kernel *add[EXACT_PRODUCTS + 1][DTYPES]; /* f32 and f64 elements only */
} exact_kernels;

typedef struct integer_kernels {
    kernel *sum[DTYPES], *prod[DTYPES], *dot[DTYPES], *nonzeros[DTYPES];
    kernel *bits_and, *bits_or, *bits_xor; /* 64-bit words, for every element type */
} integer_kernels;

typedef struct extreme_kernels {
    kernel *lowest[DTYPES], *highest[DTYPES], *magnitude[DTYPES];
} extreme_kernels;

/* Parameters of one scan, as passed to its kernels. */
typedef struct scan_params {
    const void *init;       /* one value of the result type, or NULL for the operator's identity */
    uint64_t xor_mask;      /* applied to every element and every result: see cpu/kernels/scan.c */
    uint64_t infinity, nan; /* bits of floats, of the type in which values are combined */
    bool exclusive;
    bool streams; /* nontemporal stores: the result is larger than the caches */
} scan_params;

typedef union scan_state scan_state;
typedef union scan_totals scan_totals;

/* Kernels of one kind of scan. A part of an array starts from the state that the part before it left. Only the last
 * part may have a length that is not a multiple of a tile (cpu/common/scan_state.h). */
typedef struct scan_kernel {
    void (*begin)(const scan_params *params, scan_state *state);
    void (*totals)(const scan_params *params, const void *x, size_t tiles, scan_totals *totals);
    void (*pass)(const scan_totals *totals, size_t tiles,
                 scan_state *state); /* advances the state over `tiles` tiles */
    void (*scan)(const scan_params *params, const void *x, size_t n, scan_state *state, void *y);
    /* Scans each of the segments offsets[s] .. offsets[s + 1], s < count, independently. Skips segments longer than
     * `longest`. */
    void (*segments)(const scan_params *params, const void *x, const uint64_t *offsets, size_t count, size_t longest,
                     void *y);
} scan_kernel;

/* cpu/kernels/scan.def lists the members that are not NULL. */
typedef struct scan_kernels {
    scan_kernel sum[ALL_DTYPES], prod[ALL_DTYPES], wide_sum[ALL_DTYPES], wide_prod[ALL_DTYPES];
    scan_kernel single_sum[ALL_DTYPES], single_prod[ALL_DTYPES]; /* f32 results of f16 and bf16 */
    scan_kernel highest[ALL_DTYPES], bits_or[DTYPES], bits_xor[DTYPES];
} scan_kernels;

/* Computes n points of one row of a sweep from the row of the sweep before, `middle`, and its four adjacent
 * rows. */
typedef void stencil_row(size_t n, const void *middle, const void *south, const void *north, const void *below,
                         const void *above, void *to);

/* Row j of two adjacent planes before a sweep. middle, south, north: rows j, j - 1 and j + 1 of both. below, above:
 * row j of the planes below and above both. Unless `stored` is set, NaN need not be canonical. */
typedef struct stencil_pair {
    const void *middle[2], *south[2], *north[2], *below, *above;
    void *to[2];
    bool stored;
} stencil_pair;

typedef void stencil_pair_row(size_t n, const stencil_pair *rows); /* computes n points of both rows */

/* Rows of the right-hand side of a time step (ORDER.md 23.2). `before` and `after` may be NULL: a missing row
 * is 0. */
typedef struct heat_rows {
    void (*scale)(size_t n, double centre, const void *u, void *to);
    void (*side)(size_t n, double ratio, double centre, const void *before, const void *u, const void *after,
                 void *to);
} heat_rows;

typedef struct stencil_kernels {
    stencil_row *laplace_f32, *laplace_f64;
    stencil_pair_row *laplace_pair_f32, *laplace_pair_f64;
    heat_rows heat_f32, heat_f64;
} stencil_kernels;

/* Weights of one row of a multigrid level (arith/multigrid.h). `before` and `after` are arrays with one weight per
 * point along x, for the previous and the next point. */
typedef struct stencil_weights {
    const void *before, *after;
    double south, north, below, above;
} stencil_weights;

/* Adjacent rows of a row of n points. `right` (the right-hand side) and `weights` are used on all grids but the
 * first. */
typedef struct stencil_rows {
    size_t n;
    const void *south, *north, *below, *above, *right;
    const stencil_weights *weights;
} stencil_rows;

/* Row kernels of weft_laplace_solve for one type. The relax kernels update every other point, starting at
 * `first`. */
typedef struct relaxation_kernel {
    void (*relax)(const stencil_rows *rows, size_t first, double omega, void *row);
    void (*find_residual)(const stencil_rows *rows, const void *row, void *to);
    void (*relax_weighted)(const stencil_rows *rows, size_t first, double omega, void *row);
    void (*find_residual_weighted)(const stencil_rows *rows, const void *row, void *to);
    /* The combine kernels form a weighted sum of three (restriction) or two (interpolation) rows of n points.
     * `narrow` restricts such a sum along x, times `scale`, to a row of the next grid. `widen` interpolates such a
     * sum along x and adds it to `row`, a row of this grid. */
    void (*combine_three)(size_t n, const weft_parts *parts, const void *const from[3], void *to);
    void (*combine_two)(size_t n, const weft_shares *shares, const void *const from[2], void *to);
    void (*narrow)(weft_axis x, double scale, const void *from, void *to);
    void (*widen)(weft_axis x, const void *from, void *row);
} relaxation_kernel;

typedef struct relaxation_kernels {
    relaxation_kernel f32, f64;
} relaxation_kernels;

struct comparator;

/* Kernels of selections and runs. Elements to keep are marked in a bit mask: 64 elements per word, the first
 * element in the lowest bit, and 0 in the bits after the last element. Arrays are indexed by the signed integer
 * type of the element size, or by the float type. */
typedef struct selection_kernels {
    void (*nonzero)(const uint8_t *flags, size_t n, uint64_t *bits);
    void (*compare[ALL_DTYPES])(const struct comparator *c, const void *x, size_t n, uint64_t *bits);
    /* Marks the elements that differ from the element before them. With `first`, x[0] is the first element of the
     * array and is always marked. */
    void (*heads[DTYPES])(const void *x, size_t n, bool first, uint64_t *bits);
    size_t (*count)(const uint64_t *bits, size_t words);
    /* Copies the marked elements to y. `marked` is their number. Floats are copied as integers. */
    void (*compact[ALL_DTYPES])(const void *x, const uint64_t *bits, size_t marked, void *y);
    void (*indices)(size_t first, const uint64_t *bits, size_t words, uint64_t *y);
    /* Writes the distance of each marked element from the marked element before it: one value less than there are
     * marked elements. */
    void (*distances)(const uint64_t *bits, size_t words, uint64_t *y);
} selection_kernels;

/* Parameters of one segmented reduction, as passed to its kernels. */
typedef struct segment_params {
    const void *x;
    kernel *whole; /* kernel of weft_reduce, for segments longer than the kernel reduces itself */
    /* Exact sums only. */
    exact_kernel *add;
    bool mean;
    const void *init; /* as in segmented_call */
    size_t init_stride;
} segment_params;

/* Writes the reduction of each segment s < count to out[s]. Skips segments longer than `longest`, as
 * scan_kernel.segments does. Segments may be empty. */
typedef void segment_kernel(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                            void *out);

/* Indexed by operator and element type; NULL for combinations that are not defined. */
typedef struct segment_kernels {
    segment_kernel *reduce[WEFT_XOR + 1][DTYPES];
    segment_kernel *sum_f32_in_f64, *prod_f32_in_f64;
    segment_kernel *mean[DTYPES]; /* f64 */
} segment_kernels;

/* Exact sums and means of f32 and f64 elements. */
typedef struct exact_segment_kernels {
    segment_kernel *sum[DTYPES];
} exact_segment_kernels;

typedef union recurrence_maps recurrence_maps;
typedef union recurrence_state recurrence_state;

/* Adjacent rows of at most RECURRENCE_TILE elements. init may be NULL. With `streams`, v is written with nontemporal
 * stores, which are ordered before all later stores; then v must be neither s nor u. */
typedef struct recurrence_rows {
    const void *s, *u, *init;
    void *v;
    size_t n, rows;
    bool streams;
} recurrence_rows;

/* Kernels of the recurrences of one type in one direction. A row is split into parts; the length of all but the last
 * is a multiple of a tile. s, u and v point to the part's first element in the order of the recurrence. */
typedef struct recurrence_kernel {
    void (*begin)(const void *init, recurrence_state *state); /* starts a row; init may be NULL */
    void (*maps)(const void *s, const void *u, size_t n, recurrence_maps *maps);
    /* Computes the value before each of the part's tiles and advances the state over them. */
    void (*pass)(recurrence_maps *maps, size_t n, recurrence_state *state);
    /* Writes the map (recurrence_call.map) of a row of 16^k tiles after `pass` has advanced the state over all of
     * them. */
    void (*map)(const recurrence_state *state, size_t tiles, uint64_t *map);
    /* With `streams`, v is written with nontemporal stores; then v must be neither s nor u. */
    void (*run)(const recurrence_maps *maps, const void *s, const void *u, size_t n, bool streams, void *v);
    void (*end)(void); /* orders these stores before all later stores of the thread */
    /* Computes the first rows, and returns their number: if necessary, a multiple of the lanes of a vector. NULL if
     * there is no instruction for fma. */
    size_t (*rows)(const recurrence_rows *rows);
} recurrence_kernel;

typedef struct recurrence_kernels {
    recurrence_kernel f32[2], f64[2]; /* forward, reverse */
} recurrence_kernels;

/* Parameters of the mapping from an element to its bin. */
typedef struct bin_map {
    weft_even_bins even;
    const void *edges;     /* bins + 1 keys in ascending order, or NULL for even bins */
    const uint32_t *table; /* bin of every value of an 8-bit or 16-bit element type, or NULL */
} bin_map;

/* Indexed by the element type. `bins` writes the bin of each of x[0..n), and even.bins for elements outside all
 * bins. */
typedef struct histogram_kernels {
    void (*bins[DTYPES])(const bin_map *map, const void *x, size_t n, uint32_t *bin);
    /* Counts each of x[0..n) in one of four tables that start `stride` counters apart; stride 0: in one table. A
     * table has a counter for each of the bins, at most 2^30, and one for elements outside all bins. */
    void (*count_even[DTYPES])(const weft_even_bins *bins, const void *x, size_t n, uint32_t *counters,
                               size_t stride);
    /* Converts edges to keys that compare like their values: -0 = +0. */
    void (*keys[DTYPES])(const void *edges, size_t n, void *keys);
} histogram_kernels;

/* Kernels of weft_search_sorted, indexed by the element type. */
typedef struct search_kernels {
    void (*search[ALL_DTYPES])(weft_side side, const void *sorted, size_t n, const void *queries, size_t m,
                               uint64_t *positions);
} search_kernels;

/* Candidate for top-k. Keys are zero-extended to 64 bits and compare in the order of the elements. */
typedef struct candidate {
    uint64_t key, index;
} candidate;

enum {
    FILTER_BLOCK = 256, /* elements that a filter tests together */
    FILTER_COLUMNS = 32 /* element i is in column i % FILTER_COLUMNS */
};

/* Appends the elements of x[0..n) whose key XOR `xor_mask` is at least `least` to `list`, starting at list[*count],
 * and adds their number to *count. x[0] is element `first` of the call. Stops when fewer than FILTER_BLOCK entries of
 * list[capacity] are free. Returns the number of elements that were tested. */
typedef size_t filter(const void *x, size_t n, size_t first, uint64_t xor_mask, uint64_t least, candidate *list,
                      size_t *count, size_t capacity);

/* Returns a bound that the keys XOR `xor_mask` of at least k elements of x[0..n) reach: the k-th greatest of the
 * maxima of columns. k <= FILTER_COLUMNS. */
typedef uint64_t key_bound(const void *x, size_t n, uint64_t xor_mask, size_t k);
typedef struct filter_kernels {
    filter *filter[ALL_DTYPES];
    key_bound *bound[ALL_DTYPES];
} filter_kernels;

typedef struct level_transforms level_transforms; /* cpu/common/transform.h */

/* Kernels of weft_tridiag: cpu/common/tridiag_kernel.h. */
typedef struct tridiag_kernels tridiag_kernels;

/* Kernels of weft_tridiag_pivot: cpu/common/tridiag_pivot_kernel.h. */
typedef struct tridiag_pivot_kernels tridiag_pivot_kernels;
/* Kernels of weft_block_tridiag: cpu/common/block_tridiag_kernel.h. */
typedef struct block_kernels block_kernels;

/* Radix digit: at most SORT_BITS_MAX bits of the keys' codes (arith/sort_code.h), starting at bit `shift`. */
typedef struct sort_digit {
    unsigned shift, bits;
} sort_digit;
enum {
    SORT_BITS_MAX = 11,
    SORT_BUCKETS_MAX = 1 << SORT_BITS_MAX,
    SORT_LINE_BYTES = 64,
    SORT_LINES_BYTES = SORT_BUCKETS_MAX * SORT_LINE_BYTES
};

/* Contiguous part of the keys, with their values. */
typedef struct sort_part {
    const void *keys;
    /* NULL: no values, or the value of each key is its index, starting at `first`. */
    const void *values;
    size_t n, first;
    /* Write-combining buffers: SORT_LINES_BYTES for keys followed by SORT_LINES_BYTES for values. NULL: write
     * directly. */
    unsigned char *lines;
} sort_part;

/* Scatters each key (and value) to the next free slot of its digit's bucket. next[digit] is the index of that slot
 * in both outputs. */
typedef void sort_scatter(const weft_sort_rule *rule, sort_digit digit, const sort_part *part, size_t *next,
                          void *keys_out, void *values_out);

/* Payload that a scatter kernel writes: keys alone, keys with values of 1 to 16 bytes, or values of 4 or 8 bytes
 * alone. */
enum { SORT_KEYS, SORT_1, SORT_2, SORT_4, SORT_8, SORT_16, SORT_ONLY_4, SORT_ONLY_8, SORT_MOVES };

/* Kernels for keys of one width. */
typedef struct sort_kernel {
    void (*codes)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t *codes);
    /* Computes the AND (`all`) and the OR (`any`) of the codes. Stops early once the codes differ in all bits of
     * `window`. */
    void (*survey)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t window, uint64_t *all,
                   uint64_t *any);
    /* Counts the keys with each value of the digit. */
    void (*count)(const weft_sort_rule *rule, sort_digit digit, const void *keys, size_t n, size_t *counts);
    sort_scatter *scatter[SORT_MOVES];
} sort_kernel;

typedef struct sort_kernels {
    const sort_kernel *width[4]; /* keys of 1, 2, 4, 8 bytes */
} sort_kernels;

/* Chunk of keys with values of 1, 2, 4 or 8 bytes, which weft_scatter_reduce distributes by a digit of the keys, at
 * most SCATTER_BITS_MAX bits from bit digit.shift on. */
enum { SCATTER_BITS_MAX = 12, SCATTER_BUCKETS_MAX = 1 << SCATTER_BITS_MAX, SCATTER_LINE = 64 };
typedef struct scatter_part {
    const void *keys;
    const void *values; /* or none: the positions, from `first` on */
    size_t n, first;
    sort_digit digit;
    size_t *next; /* position of the next element of each bucket in the results */
    /* Buffers of SCATTER_LINE elements for each bucket, of the values and then of the 16-bit keys. NULL: write
     * directly. */
    char *lines;
    void *to_values; /* aligned to 64 bytes, as is to_keys */
    uint16_t *to_keys;
} scatter_part;

/* Kernels for keys of one width. */
typedef struct scatter_kernel {
    /* Returns bit 0 if a key of [first, end) is greater than `last`, and bit 1 if one is less than the key before it
     * (not for key 0). */
    unsigned (*survey)(const void *keys, size_t first, size_t end, uint64_t last);
    /* Adds the number of keys with each value of the digit to its count; n < 2^32. Returns true if a key is greater
     * than `last`. */
    bool (*count)(const void *keys, size_t n, uint64_t last, sort_digit digit, size_t *counts);
    /* Indexed by the logarithm of the bytes of a value. `pairs` also writes the lowest 16 bits of the keys. */
    void (*values[4])(const scatter_part *p);
    void (*pairs[4])(const scatter_part *p);
    void (*numbers[4])(const scatter_part *p);
} scatter_kernel;

typedef struct scatter_kernels {
    const scatter_kernel *width[3]; /* keys of 2, 4, 8 bytes */
} scatter_kernels;

/* Kernels that reduce columns: cpu/common/columns.h, and rows of lanes: cpu/common/lane_rows.h. */
typedef struct column_kernels column_kernels;
typedef struct lane_kernels lane_kernels;
/* Kernels of copies of views and of scans of columns: cpu/common/planes.h. */
typedef struct copy_kernels copy_kernels;
typedef struct scan_column_kernels scan_column_kernels;

/* Vectorized comparison sort of keys without values. It sorts the ranks of the keys. `other` is a separate buffer
 * for as many ranks. */
typedef struct sort_vector_kernel {
    /* Writes the ranks of all keys except NaNs, followed by the NaNs unchanged. Returns the number of ranks. */
    size_t (*rank)(const weft_sort_rule *rule, const void *keys, size_t n, void *ranks);
    /* Chooses `count` ascending splitters from a sample of the n > 0 keys. `workspace` is for SORT_SAMPLE
     * (count + 1) ranks. */
    void (*choose)(const weft_sort_rule *rule, const void *keys, size_t n, void *workspace, size_t count,
                   void *splitters);
    /* Partitions the ranks into `other` by bucket: below the first splitter, ..., not below the last. Writes the
     * count + 1 bucket sizes. */
    void (*part)(void *ranks, size_t n, void *other, size_t count, const void *splitters, size_t *sizes);
    /* Sorts the ranks and converts them back to keys in place. Overwrites `other`. */
    void (*finish)(const weft_sort_rule *rule, void *ranks, size_t n, void *other);
} sort_vector_kernel;
enum { SORT_SAMPLE = 64 };

typedef struct sort_vector_kernels {
    const sort_vector_kernel *width[4]; /* NULL: the instruction set level has no kernel for this width */
} sort_vector_kernels;

/* Converts the random words of samples first ... first + n - 1 of a call to values at `out`. */
typedef void sampler(const random_call *call, const uint32_t *words, uint64_t first, size_t n, void *out);

typedef struct sample_kernels {
    /* Generates the words of `blocks` Philox blocks, starting at block number `block`. */
    void (*words)(const random_call *call, uint64_t block, size_t blocks, uint32_t *words);
    sampler *f32[WEFT_BERNOULLI], *f64[WEFT_BERNOULLI]; /* indexed by distribution */
    sampler *bernoulli, *integers_32, *integers_64;
    sampler *normal_fast, *lognormal_fast; /* their words are those of 7 rounds; they use the words of whole pairs */
} sample_kernels;

/* Strips of consecutive Sobol points. A strip has 2^p points with `width` coordinates in all; each coordinate has
 * one position in the strip. Between consecutive strips every position is XORed with a word that depends only on
 * its position and on the number of trailing ones of the strip's number. */
enum { SOBOL_WIDTH_MOST = WEFT_SOBOL_DIMENSIONS };
typedef struct sobol_strips {
    size_t width; /* at most SOBOL_WIDTH_MOST */
    /* State of the next strip: upper and lower halves of the words before scrambling. f32 does not use `low`. */
    uint32_t *high, *low;
    const uint32_t *key_high, *key_low; /* one key per position */
    /* Entry k * width + position is the XOR word to apply after a strip whose number has k trailing ones. */
    const uint32_t *step_high, *step_low;
} sobol_strips;

/* Generates `count` strips, starting at strip number `strip`. */
typedef void sobol_maker(const sobol_strips *s, uint64_t strip, size_t count, void *out);

typedef struct sobol_kernels {
    sobol_maker *shifted_f32, *owen_f32, *shifted_f64, *owen_f64;
} sobol_kernels;

/* Tables for the coordinates of Sobol points with `bits`-bit numbers. The direction number of coordinate j for bit
 * b is directions[j * bits + b]; each coordinate has one key. */
typedef struct price_points {
    unsigned bits;
    uint64_t *directions, *keys;
} price_points;

/* Simulates paths [first, first + n) of a call; n is at most one tile. Writes the payoff of each path to v and, if
 * the call has a control variate, its value to controls. v[n..) and controls[n..) may be overwritten up to the end
 * of the tile. Points after the last path may be generated too. */
typedef void price_paths(const price_call *call, const price_points *points, uint64_t first, size_t n, double *v,
                         double *controls);

typedef struct price_kernels {
    price_paths *f32, *f64;
} price_kernels;

/* Kernels of weft_match_count. `positions` is the number of text positions to test, a multiple of MATCH_POSITIONS.
 * The three bytes after text[positions - 1] must be readable. */
enum { MATCH_POSITIONS = 64, MATCH_BLOCK = 4096 };
typedef struct match_kernels {
    uint32_t few; /* at most this many patterns are each compared with the whole text */
    /* Adds the number of occurrences of each pattern to its count. For at most `few` patterns of at most four
     * bytes. */
    void (*count_short)(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *counts);
    /* Sets the bit of every position where a pattern may begin. `positions` must be at most MATCH_BLOCK. */
    void (*mark)(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *bits);
} match_kernels;
enum { MAP_BLOCK = 4096 }; /* bytes of one block: one register or one leaf of a formula being evaluated */

/* Destination of a formula's values. */
typedef enum map_use {
    MAP_STORE,  /* result array of a call */
    MAP_STREAM, /* result array, written with nontemporal stores */
    MAP_REDUCE  /* temporary read by a reduction; NaNs are not canonicalized */
} map_use;

/* Values of a call on views: rows and columns of the last two dimensions, evaluated in boxes of at most MAP_BLOCK
 * bytes. A call of one dimension has one row. */
typedef struct map_area {
    size_t outer; /* number of the indices of the dimensions before the last two */
    size_t row, column, rows, columns, box_rows, box_columns;
} map_area;

/* Kernels of formulas that are evaluated in one type. */
typedef struct map_kernel {
    /* Initializes a thread's workspace. Must be called once per thread and call. */
    void (*begin)(const map_call *c, void *workspace);
    /* Computes the n values starting at element `first`. */
    void (*evaluate)(const map_call *c, map_use use, size_t first, size_t n, void *workspace, void *out);
    /* Writes the values of an area. MAP_STREAM requires adjacent ones, complex ones of the type of the evaluation. */
    void (*evaluate_views)(const map_views_call *v, map_use use, const map_area *area, void *workspace);
} map_kernel;

typedef struct map_kernels {
    map_kernel of[DTYPES];
} map_kernels;

/* Kernels that are compiled once per instruction set level, from src/cpu/kernels/<member>.c. */
#define EACH_KERNELS(DO, level)                      \
    DO(level, sum_kernels, sums)                     \
    DO(level, lane_kernels, lanes)                   \
    DO(level, product_kernels, products)             \
    DO(level, exact_kernels, exact)                  \
    DO(level, integer_kernels, integers)             \
    DO(level, extreme_kernels, extremes)             \
    DO(level, scan_kernels, scans)                   \
    DO(level, stencil_kernels, stencils)             \
    DO(level, relaxation_kernels, relaxations)       \
    DO(level, selection_kernels, selections)         \
    DO(level, segment_kernels, segments)             \
    DO(level, exact_segment_kernels, exact_segments) \
    DO(level, recurrence_kernels, recurrences)       \
    DO(level, histogram_kernels, histograms)         \
    DO(level, search_kernels, searches)              \
    DO(level, filter_kernels, filters)               \
    DO(level, matmul_kernels, matmuls)               \
    DO(level, level_transforms, transforms)          \
    DO(level, tridiag_kernels, tridiags)             \
    DO(level, tridiag_pivot_kernels, pivots)         \
    DO(level, block_kernels, block_tridiags)         \
    DO(level, sort_kernels, sorts)                   \
    DO(level, sort_vector_kernels, sort_vectors)     \
    DO(level, scatter_kernels, scatters)             \
    DO(level, column_kernels, columns)               \
    DO(level, copy_kernels, copies)                  \
    DO(level, scan_column_kernels, scan_columns)     \
    DO(level, sample_kernels, samples)               \
    DO(level, price_kernels, prices)                 \
    DO(level, match_kernels, matches)                \
    DO(level, map_kernels, maps)                     \
    DO(level, sobol_kernels, sobols)

/* An instruction set level. levels.def lists all levels in ascending order. */
#define MEMBER(level, type, member) const type *member;
typedef struct level {
    const char *name, *isa;
    bool (*usable)(void);
    EACH_KERNELS(MEMBER, )
    const matmul_kernel *grouped; /* exact f32 products with AMX, or NULL */
} level;
#undef MEMBER

/* Returns the best level that this machine supports if name is "", else the level with that name. Returns NULL if
 * the machine does not support it. Sets *known to false if this architecture has no level with that name. */
const level *cpu_find_level(const char *name, bool *known);

/* Asks the operating system, at the first call, for the tile registers of AMX. Returns false if it refuses. */
bool cpu_tiles_permitted(void);

/* Algorithms that have more than one variant (tune.def). */
typedef enum cpu_tunable {
#define TUNABLE(ID, operation, dtype, accumulate, variants) TUNE_##ID,
#include "cpu/runtime/tune.def"
    CPU_TUNABLES
} cpu_tunable;

enum { CPU_ALIGNMENT = 64 }; /* of all memory that a context allocates; a cache line */

typedef struct cpu_context {
    weft_heap *heap;
    const level *level;
    char id[16];
    int threads;
    size_t level2_bytes;         /* size of the level 2 cache of a core, or 0 if unknown */
    size_t chosen[CPU_TUNABLES]; /* index of the chosen variant */
    partial roots[CHUNKS_MAX];
    void *workspace; /* of cpu_workspace */
    size_t workspace_bytes;
    struct transform_tables *transforms; /* NULL until needed */
} cpu_context;

/* Sets *workspace to the context's workspace of at least `bytes` bytes, aligned to 64. The workspace grows and is
 * freed with the context. Its previous contents are lost. */
weft_status cpu_workspace(cpu_context *ctx, size_t bytes, void **workspace, weft_error *error);

/* Runs the kernel on every chunk of the call and combines the partial results in the canonical order. */
void cpu_run(cpu_context *ctx, weft_dtype dtype, kernel *run, combiner *combine, const reduce_chunk *whole,
             partial *out);

/* Allocates the workspace in which cpu_run evaluates the formula. */
weft_status cpu_map_hold(cpu_context *ctx, const map_call *c, weft_error *error);
/* Reduces one chunk whose elements are the values of p->map, evaluating the formula tile by tile. `size`: bytes of
 * one element as seen by the kernel. */
void cpu_map_reduce_chunk(const cpu_context *ctx, const reduce_chunk *p, size_t size, kernel *run, combiner *combine,
                          partial *out);

/* Evaluation of a formula in the calling thread's workspace. cpu_map_hold_values allocates workspace for at most
 * `most` values per thread. cpu_map_values returns the calling thread's part of it. */
typedef struct map_values {
    const map_kernel *formula;
    const map_call *call;
    char *values, *workspace;
} map_values;
weft_status cpu_map_hold_values(cpu_context *ctx, const map_call *c, size_t most, weft_error *error);
map_values cpu_map_values(const cpu_context *ctx, const map_call *c, size_t most);
/* Computes n values starting at element `first` and returns their address. */
const void *cpu_map_evaluate(const map_values *v, size_t first, size_t n);
/* Returns true if an array of the formula starts at p. */
bool cpu_map_reads(const map_call *c, const void *p);

/* Computes a += b. */
void cpu_add_f64(partial *a, const partial *b);

/* Operations, in the form of the backend's function table. */
#define BACKEND(stem) weft_status cpu_##stem(void *state, const stem##_call *call, weft_error *error);
#include "core/ops.def"

/* Returns the kernel of a scan and sets its parameters. */
const scan_kernel *cpu_scan_kernel(const cpu_context *ctx, const scan_call *c, scan_params *params);

/* Returns the kernel of a reduction of segments, and the one for whole arrays that it needs (segment_params.whole).
 * WEFT_MEAN: means in f64, for segments by offsets; an empty segment gives a NaN. */
segment_kernel *cpu_segment_kernel(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result,
                                   kernel **whole);
/* Returns the kernel of exact sums, or means, of segments of f32 or f64 elements, and segment_params.add. */
segment_kernel *cpu_exact_segment_kernel(const cpu_context *ctx, weft_dtype dtype, exact_kernel **add);

/* weft_tridiag on `threads` threads. cpu_tridiag_workspace returns the bytes of workspace, aligned to 64, that
 * cpu_tridiag_run requires at `scratch`. */
size_t cpu_tridiag_workspace(const cpu_context *ctx, const tridiag_call *c, int threads);
void cpu_tridiag_run(const cpu_context *ctx, const tridiag_call *c, int threads, void *scratch);

/* Computes the direction numbers of coordinate j (weft_sobol_directions). */
void cpu_sobol_directions(size_t j, unsigned bits, size_t stride, uint64_t *v);

/* tune.c */
const weft_tunable *cpu_tunables(size_t *count);
size_t cpu_chosen(const void *state, size_t tunable);
weft_status cpu_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
void cpu_model(const void *state, char name[128]);

#endif
