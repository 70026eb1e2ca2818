/* The backend "cpu". A call is cut in chunks of 2^c tiles, threads take chunks, a kernel turns a chunk
 * into one partial value, and the partial values join by the same tree as the tiles do. The kernels
 * are compiled once for each level of the instruction set; everything else once. */
#ifndef WEFT_CPU_CPU_H
#define WEFT_CPU_CPU_H

#include "arith/even_bins.h"
#include "arith/match_set.h"
#include "arith/multigrid.h"
#include "arith/sort_code.h"
#include "core/backend.h"
#include "cpu/matmul_calls.h"

/* What the base level is called. */
#if defined(__x86_64__)
#define WEFT_BASE_ISA "x86-64"
#elif defined(__aarch64__)
#define WEFT_BASE_ISA "armv8-a"
#else
#define WEFT_BASE_ISA "generic"
#endif

/* What a kernel is given: elements [0, n) at x (and y), which are elements first, first+1, ... of the
 * call. n >= 1. Only the last chunk of a call is shorter than 2^c tiles. */
typedef struct piece {
    const void *x, *y;
    size_t n, first;
    double parameter;    /* the mean for variance, the scale for norm2 */
    bool locate;         /* min and max: the index is wanted too */
    const map_call *map; /* where x is what this formula gives; else NULL. Kernels do not see it */
} piece;

/* A partial result. Minimum and maximum have a key (cpu/kernels/extremes_body.h) and, if wanted, an index. */
typedef struct partial {
    union {
        float f32;
        double f64;
        uint64_t u64;
    };
    size_t index;
} partial;

typedef void kernel(const piece *p, partial *out);
/* Joins b, which stands behind a, to a. */
typedef void joiner(partial *a, const partial *b);

enum { DTYPES = WEFT_F64 + 1, CHUNKS_MAX = 1024 };

/* The kernels of one level, by the elements' type; NULL where weft_reduce_result has nothing. */
typedef struct sum_kernels {
    kernel *sum_f32, *prod_f32;
    kernel *sum_f64[DTYPES], *prod_f64[DTYPES], *magnitudes_f64[DTYPES];
} sum_kernels;

typedef struct product_kernels {
    kernel *dot_f32, *dot_f64[DTYPES];
    kernel *squares_f64[DTYPES], *deviations_f64[DTYPES];
    kernel *differences_f64[DTYPES]; /* of floats */
} product_kernels;

typedef struct integer_kernels {
    kernel *sum[DTYPES], *prod[DTYPES], *dot[DTYPES], *nonzeros[DTYPES];
    kernel *bits_and, *bits_or, *bits_xor; /* 8 bytes wide, whatever the type */
} integer_kernels;

typedef struct extreme_kernels {
    kernel *lowest[DTYPES], *highest[DTYPES], *magnitude[DTYPES];
} extreme_kernels;

/* One scan, as its kernels see it. */
typedef struct scan_job {
    const void *init;       /* one value of the result's type, or NULL for the join's identity */
    uint64_t flip;          /* bits turned in every element and result: see cpu/kernels/scans.c */
    uint64_t infinity, nan; /* as bits of the result's type, where that is a float */
    bool exclusive;
    bool streams; /* the result is too long for the caches, and goes past them */
} scan_job;

typedef union scan_state scan_state;
typedef union scan_totals scan_totals;

/* The kernels of one kind of scan. A part of an array is begun where the state before it says; only the
 * last part may have other than whole tiles (cpu/scan_state.h). */
typedef struct scan_kernel {
    void (*begin)(const scan_job *job, scan_state *state);
    void (*totals)(const scan_job *job, const void *x, size_t tiles, scan_totals *totals);
    void (*pass)(const scan_totals *totals, size_t tiles, scan_state *state); /* carries the state over tiles */
    void (*scan)(const scan_job *job, const void *x, size_t n, scan_state *state, void *y);
    /* Segments offsets[s] .. offsets[s + 1], s < count, each by itself; those longer than `longest` are left out. */
    void (*segments)(const scan_job *job, const void *x, const uint64_t *offsets, size_t count, size_t longest,
                     void *y);
} scan_kernel;

/* Which of these there are: cpu/kernels/scans.def. */
typedef struct scan_kernels {
    scan_kernel sum[DTYPES], prod[DTYPES], wide_sum[DTYPES], wide_prod[DTYPES];
    scan_kernel highest[DTYPES], bits_or[DTYPES], bits_xor[DTYPES];
} scan_kernels;

/* A row of n points of a sweep, from its own row of the sweep before and the four beside it. */
typedef void stencil_row(size_t n, const void *middle, const void *south, const void *north, const void *below,
                         const void *above, void *to);

/* Rows of the right side of a step in time (ORDER.md 23.2); `before` and `after` may be NULL. */
typedef struct heat_rows {
    void (*scale)(size_t n, double centre, const void *u, void *to);
    void (*side)(size_t n, double ratio, double centre, const void *before, const void *u, const void *after,
                 void *to);
} heat_rows;

typedef struct stencil_kernels {
    stencil_row *laplace_f32, *laplace_f64;
    heat_rows heat_f32, heat_f64;
} stencil_kernels;

/* The weights of a row of a grid of multigrid (arith/multigrid.h): along x those of each point. */
typedef struct stencil_weights {
    const void *before, *behind;
    double south, north, below, above;
} stencil_weights;

/* What stands round a row of n points, and on all but the first grid the right-hand side and weights. */
typedef struct stencil_rows {
    size_t n;
    const void *south, *north, *below, *above, *right;
    const stencil_weights *weights;
} stencil_rows;

/* The rows of weft_laplace_solve, for one type. A `relax` takes every other point from `first` on. */
typedef struct relaxation_kernel {
    void (*relax)(const stencil_rows *rows, size_t first, double omega, void *row);
    void (*find_residual)(const stencil_rows *rows, const void *row, void *to);
    void (*relax_weighted)(const stencil_rows *rows, size_t first, double omega, void *row);
    void (*find_residual_weighted)(const stencil_rows *rows, const void *row, void *to);
    /* Rows of n points become one; a row goes to the next grid, or comes from there. */
    void (*join_three)(size_t n, const weft_parts *parts, const void *const from[3], void *to);
    void (*join_two)(size_t n, const weft_shares *shares, const void *const from[2], void *to);
    void (*narrow)(weft_axis x, double scale, const void *from, void *to);
    void (*widen)(weft_axis x, const void *from, void *row);
} relaxation_kernel;

typedef struct relaxation_kernels {
    relaxation_kernel f32, f64;
} relaxation_kernels;

struct comparator;

/* The kernels of selections and runs, which mark the elements to keep by bits, 64 a word, the first in the lowest;
 * the bits behind the last element are 0. By the signed integer type of the elements' size, or the float. */
typedef struct selection_kernels {
    void (*nonzero)(const uint8_t *flags, size_t n, uint64_t *bits);
    void (*compare[DTYPES])(const struct comparator *c, const void *x, size_t n, uint64_t *bits);
    /* Elements that differ from the one before them; x[0] always does when it is the `first` of all. */
    void (*heads[DTYPES])(const void *x, size_t n, bool first, uint64_t *bits);
    size_t (*count)(const uint64_t *bits, size_t words);
    /* Moves the elements that are marked, so many of them, to y. Floats are moved as integers. */
    void (*compact[DTYPES])(const void *x, const uint64_t *bits, size_t marked, void *y);
    void (*indices)(size_t first, const uint64_t *bits, size_t words, uint64_t *y);
    /* How far each marked element lies behind the one before it: one value less than there are. */
    void (*distances)(const uint64_t *bits, size_t words, uint64_t *y);
} selection_kernels;

/* One segmented reduction, as its kernels see it. */
typedef struct fold_job {
    const void *x;
    kernel *whole; /* that of weft_reduce, for segments of more than a few elements */
} fold_job;

/* Writes the value of each segment, as scan_kernel.segments does; segments may be empty. */
typedef void fold_kernel(const fold_job *job, const uint64_t *offsets, size_t count, size_t longest, void *out);

/* By operator and type of the elements; NULL where there is none. */
typedef struct fold_kernels {
    fold_kernel *fold[WEFT_XOR + 1][DTYPES];
    fold_kernel *sum_f32_in_f64, *prod_f32_in_f64;
} fold_kernels;

typedef union recurrence_maps recurrence_maps;
typedef union recurrence_state recurrence_state;

/* The kernels of the recurrences of one type in one direction. A row is cut in parts of whole tiles, the last one
 * but for its end; s, u and v point to a part's first element in the direction, from which the others follow. */
typedef struct recurrence_kernel {
    void (*begin)(const void *init, recurrence_state *state); /* before a row; init may be NULL */
    void (*maps)(const void *s, const void *u, size_t n, recurrence_maps *maps);
    /* Finds the values before the part's tiles, and carries the state over them. */
    void (*pass)(recurrence_maps *maps, size_t n, recurrence_state *state);
    /* The map of a row of 16^k tiles, which the state has been carried over: recurrence_call's. */
    void (*map)(const recurrence_state *state, size_t tiles, uint64_t *map);
    /* With `streams` past the caches, where v is neither s nor u. */
    void (*run)(const recurrence_maps *maps, const void *s, const void *u, size_t n, bool streams, void *v);
} recurrence_kernel;

typedef struct recurrence_kernels {
    recurrence_kernel f32[2], f64[2]; /* forward, reverse */
} recurrence_kernels;

/* Which bin an element is in. */
typedef struct bin_map {
    weft_even_bins even;
    const void *edges;     /* bins + 1 keys in the elements' order, or NULL: even bins */
    const uint32_t *table; /* the bin of every value that the elements' type has, or NULL */
} bin_map;

/* By the elements' type: the bins of x[0..n), even.bins for those in none. */
typedef struct histogram_kernels {
    void (*bins[DTYPES])(const bin_map *map, const void *x, size_t n, uint32_t *bin);
    /* The keys of edges, by value: -0 = +0. */
    void (*keys[DTYPES])(const void *edges, size_t n, void *keys);
} histogram_kernels;

/* By the elements' type: weft_search_sorted. */
typedef struct search_kernels {
    void (*search[DTYPES])(weft_side side, const void *sorted, size_t n, const void *queries, size_t m,
                           uint64_t *positions);
} search_kernels;

/* An element that may be among the largest: keys, extended to 64 bits, are in the elements' order. */
typedef struct candidate {
    uint64_t key, index;
} candidate;

enum { FILTER_BLOCK = 256 }; /* elements that a filter looks at together */

/* Appends those of x[0..n), elements first, first + 1, ... of the call, whose key with the bits `flip` turned is
 * `least` or more to list[*count..), as long as there is room for a block below list[capacity]. Returns how many
 * elements it has looked at. */
typedef size_t filter(const void *x, size_t n, size_t first, uint64_t flip, uint64_t least, candidate *list,
                      size_t *count, size_t capacity);
typedef struct filter_kernels {
    filter *filter[DTYPES];
} filter_kernels;

typedef struct level_transforms level_transforms; /* cpu/transform.h */

/* Those of weft_tridiag: cpu/tridiag_kernel.h. */
typedef struct tridiag_kernels tridiag_kernels;

/* A digit of a sort: some bits of the keys' codes (arith/sort_code.h), at most SORT_BITS_MAX of them. */
typedef struct sort_digit {
    unsigned shift, bits;
} sort_digit;
enum {
    SORT_BITS_MAX = 11,
    SORT_BUCKETS_MAX = 1 << SORT_BITS_MAX,
    SORT_LINE_BYTES = 64,
    SORT_LINES_BYTES = SORT_BUCKETS_MAX * SORT_LINE_BYTES
};

/* A part of the keys, and their values. */
typedef struct sort_part {
    const void *keys;
    const void *values; /* NULL: none, or each key's index; the first has `first` */
    size_t n, first;
    unsigned char *lines; /* room for SORT_LINES_BYTES of keys, and for as many of values; NULL: write directly */
} sort_part;

/* Moves each key, and its value, to where its digit's bucket goes on; next[digit] is the place in the outputs. */
typedef void sort_scatter(const weft_sort_rule *rule, sort_digit digit, const sort_part *part, size_t *next,
                          void *keys_out, void *values_out);

/* What is moved: keys alone, keys with values of 1 to 16 bytes, or values of 4 or 8 bytes alone. */
enum { SORT_KEYS, SORT_1, SORT_2, SORT_4, SORT_8, SORT_16, SORT_ONLY_4, SORT_ONLY_8, SORT_MOVES };

/* The kernels for keys of one width. */
typedef struct sort_kernel {
    void (*codes)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t *codes);
    /* The bits that all codes have, and those that any has; stops when the codes differ in all of `window`. */
    void (*survey)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t window, uint64_t *all,
                   uint64_t *any);
    /* How many keys have each digit. */
    void (*count)(const weft_sort_rule *rule, sort_digit digit, const void *keys, size_t n, size_t *counts);
    sort_scatter *scatter[SORT_MOVES];
} sort_kernel;

typedef struct sort_kernels {
    const sort_kernel *width[4]; /* of 1, 2, 4, 8 bytes */
} sort_kernels;

/* Sorting keys alone by comparing vectors of their ranks. What is called other is room for as many ranks, apart. */
typedef struct sort_vector_kernel {
    /* The ranks of the keys that are numbers, then the NaNs as they are. Returns how many are numbers. */
    size_t (*rank)(const weft_sort_rule *rule, const void *keys, size_t n, void *ranks);
    /* `count` ascending splitters of n > 0 keys; `room` is for SORT_SAMPLE (count + 1) ranks. */
    void (*choose)(const weft_sort_rule *rule, const void *keys, size_t n, void *room, size_t count, void *splitters);
    /* Moves ranks to `other` by their buckets: below the first splitter, ..., not below the last. */
    void (*part)(void *ranks, size_t n, void *other, size_t count, const void *splitters, size_t *sizes);
    /* Makes sorted keys of ranks; `other` is lost. */
    void (*finish)(const weft_sort_rule *rule, void *ranks, size_t n, void *other);
} sort_vector_kernel;
enum { SORT_SAMPLE = 64 };

typedef struct sort_vector_kernels {
    const sort_vector_kernel *width[4]; /* NULL: the level has no instructions for it */
} sort_vector_kernels;

/* Samples first ... first + n - 1 of a call, made of its words, at out. */
typedef void sampler(const random_call *call, const uint32_t *words, uint64_t first, size_t n, void *out);

typedef struct sample_kernels {
    /* The words of so many blocks of Philox from `block` on. */
    void (*words)(const random_call *call, uint64_t block, size_t blocks, uint32_t *words);
    sampler *f32[WEFT_BERNOULLI], *f64[WEFT_BERNOULLI]; /* by distribution */
    sampler *bernoulli, *integers_32, *integers_64;
} sample_kernels;

/* Strips of Sobol points, which lie one behind another: 2^p points, `width` coordinates in all, each a place of the
 * strip. From a strip to the next every place changes by a word that depends on the strip's number alone. */
enum { SOBOL_WIDTH_MOST = WEFT_SOBOL_DIMENSIONS };
typedef struct sobol_strips {
    size_t width;         /* at most SOBOL_WIDTH_MOST */
    uint32_t *high, *low; /* of the next strip: the halves of the words, before scrambling; low is not used for f32 */
    const uint32_t *key_high, *key_low;   /* of each place */
    const uint32_t *step_high, *step_low; /* k * width places on: what changes behind a strip whose number ends in
                                             k ones */
} sobol_strips;

/* Makes `count` strips from number `strip` on. */
typedef void sobol_maker(const sobol_strips *s, uint64_t strip, size_t count, void *out);

typedef struct sobol_kernels {
    sobol_maker *shifted_f32, *owen_f32, *shifted_f64, *owen_f64;
} sobol_kernels;

/* Of the coordinates of Sobol points whose numbers have so many bits: direction numbers, that of coordinate j for bit
 * b at [j * bits + b], and keys. */
typedef struct price_points {
    unsigned bits;
    uint64_t *directions, *keys;
} price_points;

/* Simulates paths [first, first + n) of a call, at most a tile: what each pays, and, where the call has one, its
 * control. The room behind v[n) and controls[n) up to a whole tile may be used, and so may points behind the last. */
typedef void price_paths(const price_call *call, const price_points *points, uint64_t first, size_t n, double *v,
                         double *controls);

typedef struct price_kernels {
    price_paths *f32, *f64;
} price_kernels;

/* The kernels of weft_match_count. `places`, a multiple of MATCH_PLACES, are text[0..places); three bytes behind the
 * last one are read too. */
enum { MATCH_PLACES = 64, MATCH_BLOCK = 4096 };
typedef struct match_kernels {
    uint32_t few; /* patterns that are compared each with all of the text */
    /* Adds to the counts of few patterns, of up to four bytes, the places where they begin. */
    void (*count_short)(const weft_match_set *set, const unsigned char *text, size_t places, uint64_t *counts);
    /* The bits of the places, at most MATCH_BLOCK of them, where some pattern may begin. */
    void (*mark)(const weft_match_set *set, const unsigned char *text, size_t places, uint64_t *bits);
} match_kernels;
enum { MAP_BLOCK = 4096 }; /* bytes of a register or a leaf of a formula that is evaluated */

/* What becomes of a formula's values. */
typedef enum map_use {
    MAP_STORE,  /* the result of a call */
    MAP_STREAM, /* likewise, past the caches */
    MAP_REDUCE  /* read by a reduction at once; NaNs are as they came */
} map_use;

/* The kernels of formulas that are evaluated in one type. */
typedef struct map_kernel {
    void (*begin)(const map_call *c, void *room); /* once for a thread and its room */
    void (*evaluate)(const map_call *c, map_use use, size_t first, size_t n, void *room,
                     void *out); /* n from first */
} map_kernel;

typedef struct map_kernels {
    map_kernel of[DTYPES];
} map_kernels;

/* The kernels that are compiled once for each level, from src/cpu/<member>.c. */
#define EACH_KERNELS(DO, level)                  \
    DO(level, sum_kernels, sums)                 \
    DO(level, product_kernels, products)         \
    DO(level, integer_kernels, integers)         \
    DO(level, extreme_kernels, extremes)         \
    DO(level, scan_kernels, scans)               \
    DO(level, stencil_kernels, stencils)         \
    DO(level, relaxation_kernels, relaxations)   \
    DO(level, selection_kernels, selections)     \
    DO(level, fold_kernels, folds)               \
    DO(level, recurrence_kernels, recurrences)   \
    DO(level, histogram_kernels, histograms)     \
    DO(level, search_kernels, searches)          \
    DO(level, filter_kernels, filters)           \
    DO(level, matmul_kernels, matmuls)           \
    DO(level, level_transforms, transforms)      \
    DO(level, tridiag_kernels, tridiags)         \
    DO(level, sort_kernels, sorts)               \
    DO(level, sort_vector_kernels, sort_vectors) \
    DO(level, sample_kernels, samples)           \
    DO(level, price_kernels, prices)             \
    DO(level, match_kernels, matches)            \
    DO(level, map_kernels, maps)                 \
    DO(level, sobol_kernels, sobols)

/* A level of the instruction set. levels.def lists them, the least demanding first. */
#define MEMBER(level, type, member) const type *member;
typedef struct level {
    const char *name, *isa;
    bool (*usable)(void);
    EACH_KERNELS(MEMBER, )
} level;
#undef MEMBER

/* The best level this machine has, for name ""; else the level called so, NULL when the machine lacks
 * it. *known tells whether there is such a level for this architecture at all. */
const level *cpu_find_level(const char *name, bool *known);

/* What can be done in several ways (tune.def). */
typedef enum cpu_tunable {
#define TUNABLE(ID, operation, dtype, accumulate, variants) TUNE_##ID,
#include "cpu/tune.def"
    CPU_TUNABLES
} cpu_tunable;

typedef struct cpu_context {
    const level *level;
    char id[16];
    int threads;
    size_t chosen[CPU_TUNABLES]; /* numbers of variants */
    partial roots[CHUNKS_MAX];
    void *room; /* of cpu_room */
    size_t room_bytes;
    struct transform_tables *transforms; /* NULL until needed */
} cpu_context;

/* `bytes` of scratch memory, aligned to 64; the context's own, which grows and stays. What it held is lost. */
weft_status cpu_room(cpu_context *ctx, size_t bytes, void **room, weft_error *error);

/* Runs `run` on every chunk of the whole call and joins the chunks' values in the canonical order. */
void cpu_run(cpu_context *ctx, weft_dtype dtype, kernel *run, joiner *join, const piece *whole, partial *out);

/* Scratch memory for a formula, in which cpu_run finds p->map evaluated. */
weft_status cpu_map_hold(cpu_context *ctx, const map_call *c, weft_error *error);
/* One chunk of a call whose elements are p->map's values: they are computed tile by tile, and reduced. `size`: bytes
 * of what the kernel takes for an element. */
void cpu_map_fold(const cpu_context *ctx, const piece *p, size_t size, kernel *run, joiner *join, partial *out);

/* Scratch memory for at most so many values of a formula in every thread, and the calling thread's part of it. */
typedef struct map_values {
    const map_kernel *formula;
    const map_call *call;
    char *values, *room;
} map_values;
weft_status cpu_map_hold_values(cpu_context *ctx, const map_call *c, size_t most, weft_error *error);
map_values cpu_map_values(const cpu_context *ctx, const map_call *c, size_t most);
/* Puts the values at elements first, first + 1, ... there, n of them, and tells where. */
const void *cpu_map_evaluate(const map_values *v, size_t first, size_t n);
/* Whether an array of the formula is at p. */
bool cpu_map_reads(const map_call *c, const void *p);

/* a becomes a + b. */
void cpu_add_f64(partial *a, const partial *b);

/* The operations, as the backend's table has them. */
weft_status cpu_laplace(void *state, const laplace_call *call, weft_error *error);
weft_status cpu_laplace_solve(void *state, const laplace_solve_call *call, weft_error *error);
weft_status cpu_reduce(void *state, const reduce_call *call, weft_error *error);
weft_status cpu_variance(void *state, const variance_call *call, weft_error *error);
weft_status cpu_dot(void *state, const dot_call *call, weft_error *error);
weft_status cpu_scan(void *state, const scan_call *call, weft_error *error);
weft_status cpu_select(void *state, const select_call *call, weft_error *error);
weft_status cpu_run_length(void *state, const run_length_call *call, weft_error *error);
weft_status cpu_segmented(void *state, const segmented_call *call, weft_error *error);

/* The kernel of a scan, and its job. */
const scan_kernel *cpu_scan_kernel(const cpu_context *ctx, const scan_call *c, scan_job *job);
weft_status cpu_recurrence(void *state, const recurrence_call *call, weft_error *error);
weft_status cpu_histogram(void *state, const histogram_call *call, weft_error *error);
weft_status cpu_top_k(void *state, const top_k_call *call, weft_error *error);
weft_status cpu_merge(void *state, const merge_call *call, weft_error *error);
weft_status cpu_search_sorted(void *state, const search_sorted_call *call, weft_error *error);
weft_status cpu_matmul(void *state, const matmul_call *call, weft_error *error);
weft_status cpu_fft(void *state, const fft_call *call, weft_error *error);
weft_status cpu_convolve(void *state, const convolve_call *call, weft_error *error);
weft_status cpu_tridiag(void *state, const tridiag_call *call, weft_error *error);
weft_status cpu_heat(void *state, const heat_call *call, weft_error *error);

/* Of weft_tridiag by so many threads: bytes of scratch memory, aligned to 64, and the call itself. */
size_t cpu_tridiag_room(const cpu_context *ctx, const tridiag_call *c, int threads);
void cpu_tridiag_run(const cpu_context *ctx, const tridiag_call *c, int threads, void *scratch);
weft_status cpu_sort(void *state, const sort_call *call, weft_error *error);
weft_status cpu_argsort(void *state, const argsort_call *call, weft_error *error);
weft_status cpu_random(void *state, const random_call *call, weft_error *error);
weft_status cpu_sobol(void *state, const sobol_call *call, weft_error *error);
weft_status cpu_price(void *state, const price_call *call, weft_error *error);
weft_status cpu_match(void *state, const match_call *call, weft_error *error);
weft_status cpu_map(void *state, const map_call *call, weft_error *error);

/* weft_sobol_directions of coordinate j. */
void cpu_sobol_directions(size_t j, unsigned bits, size_t stride, uint64_t *v);

/* tune.c */
const weft_tunable *cpu_tunables(size_t *count);
size_t cpu_chosen(const void *state, size_t tunable);
weft_status cpu_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
void cpu_model(const void *state, char name[128]);

/* Cores that this process may use. */
int cpu_cores(void);
/* Threads by default: OMP_NUM_THREADS, else cpu_cores. */
int cpu_default_threads(void);
/* Fills in what is known of the processor, its caches and the memory. */
void cpu_describe_machine(weft_device_info *info);

#endif
