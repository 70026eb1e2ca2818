/* A backend is one struct of function pointers. The API (api.c) has checked every argument before
 * it calls one; a backend fails only for its machine: memory, driver, device.
 *
 * There are three: ref (the specification), cpu, and cuda, which is a plugin found at run time. */
#ifndef WEFT_CORE_BACKEND_H
#define WEFT_CORE_BACKEND_H

#include "core/error.h"
#include "core/matmul_piece.h"
#include "core/order.h"
#include "core/tridiag_part.h"
#include "formula/formula.h"
#include "weft.h"

#include <stdbool.h>

/* Raised whenever anything below changes: a plugin of another number is refused. */
#define WEFT_BACKEND_ABI 18

/* What a formula's steps read: an array, one value for all elements, or the element's index. */
typedef enum map_leaf_kind { LEAF_ARRAY, LEAF_VALUE, LEAF_INDEX } map_leaf_kind;

typedef struct map_leaf {
    map_leaf_kind kind;
    weft_dtype dtype; /* of an array: any type, but no float where the formula is evaluated in integers */
    const void *p;
    union { /* of a value: in the type of the evaluation, integers extended to 64 bits; of the index: element 0's */
        float f32;
        double f64;
        uint64_t u64;
    } value;
} map_leaf;

/* A formula over n elements. */
typedef struct map_call {
    weft_dtype dtype; /* that it is evaluated in: i32, i64, u32, u64, f32, f64 */
    size_t n;
    const map_step *steps;
    size_t step_count, register_count, leaf_count; /* at least one step and one register */
    const map_leaf *leaves;
    void *out; /* n values of dtype, == the p of arrays of that type, or apart; NULL where they are reduced */
} map_call;

/* One call of weft_reduce. `result` settles the accumulator: f64 for f32 elements means f64. */
typedef struct reduce_call {
    weft_op op;
    weft_dtype dtype, result;
    size_t n; /* >= 1 where the operator needs it (ops.def); else 0 is allowed */
    const void *x;
    void *out;
    const map_call *map; /* where the elements are a formula's values, and x is NULL; else NULL */
    /* NULL; or, of mean and norm2 with an f64 result: x is a part of a longer array, and the sum of its elements or
     * of their squares is wanted as the tree leaves it. *part is 1; or, for a norm2 that is taken again, the sum of
     * squares of the whole (ORDER.md 3.3). */
    const double *part;
} reduce_call;

typedef struct variance_call {
    weft_dtype dtype, result;
    size_t n, ddof; /* ddof < n */
    const void *x;
    void *out;
    /* NULL; or, with an f64 result and ddof 0: x is a part of an array of this mean, and its sum of squares is wanted
     * as the tree leaves it. */
    const double *mean;
} variance_call;

typedef struct dot_call {
    weft_dtype dtype, result;
    size_t n;
    const void *x, *y;
    void *out;
} dot_call;

typedef struct scan_call {
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t n; /* >= 1 */
    const void *x;
    const void *init;    /* one value of the result type in host memory, or NULL */
    void *y;             /* == x, or apart from it */
    const map_call *map; /* where the elements are a formula's values, and x is NULL; else NULL. Then y may be an
                            array of the formula that has the type of both */
    bool totals;         /* y gets a value for each 16^3 elements: their total (ORDER.md 6.2), as it is. n is a
                            multiple of that, op sum or prod, of floats; inclusive, without init or map */
} scan_call;

typedef struct laplace_call {
    weft_dtype dtype;
    size_t nx, ny, nz, sweeps; /* at least one point */
    const void *u;
    void *v;        /* == u, or apart from it */
    double *change; /* or NULL */
} laplace_call;

typedef struct laplace_solve_call {
    weft_laplace_method method;
    weft_dtype dtype;
    size_t nx, ny, nz; /* at least one point */
    double omega;      /* what the sweeps use: more than 0, less than 2 */
    size_t sweeps;     /* or cycles */
    const void *u;
    void *v;          /* == u, or apart from it */
    double *residual; /* of v, in host memory, or NULL */
} laplace_solve_call;

typedef enum select_kind { SELECT_VALUES, SELECT_INDICES, SELECT_PARTITION } select_kind;

typedef struct select_call {
    select_kind kind;
    bool by_flags;    /* else by comparison */
    weft_dtype dtype; /* WEFT_U8, and x NULL, for indices by flags, which need no elements */
    size_t n;         /* 0 is allowed, and means *count = 0 */
    const void *x;
    const uint8_t *flags;
    weft_comparison comparison; /* of an element with */
    const void *value;          /* in host memory */
    void *y;
    uint64_t *count;
} select_call;

/* Also weft_unique, which wants no lengths. */
typedef struct run_length_call {
    weft_dtype dtype;
    size_t n; /* 0 is allowed, and means *count = 0 */
    const void *x;
    void *values;
    uint64_t *lengths; /* NULL: not wanted */
    uint64_t *count;
} run_length_call;

/* What tells where segments begin. */
typedef enum segment_source { SEGMENTS_BY_OFFSETS, SEGMENTS_BY_HEADS, SEGMENTS_BY_KEYS } segment_source;

/* One call of the weft_segmented_ functions or of weft_reduce_by_key. Offsets are the one argument that the API
 * leaves unchecked, since only the backend can read them at speed: core/offsets.h. */
typedef struct segmented_call {
    const char *name; /* of the operation, for messages */
    weft_op op;       /* sum, prod, min, max, and, or, xor */
    bool scan;        /* y has a value for each element, else for each segment */
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t n; /* 0 is allowed, but for a scan */
    const void *x;
    void *y; /* of a scan: == x, or apart from it */
    segment_source source;
    size_t segments; /* by offsets: >= 1 */
    const uint64_t *offsets;
    const void *keys; /* by heads: of type u8 */
    weft_dtype key_dtype;
    void *unique_keys; /* by keys */
    uint64_t *count;   /* of a reduction by heads or keys: how many segments there are */
} segmented_call;

typedef struct recurrence_call {
    weft_dtype dtype; /* f32 or f64 */
    bool reverse;
    size_t rows, n; /* >= 1 */
    const void *s, *u;
    const void *init; /* a value for each row, or NULL */
    void *v;          /* == s or == u, or apart from both; apart from init */
    /* NULL; or, of one row of 16^k elements, k >= 3: their map's S and U (ORDER.md 9.2) are wanted here
     * too, in host memory, each as bits of the type. */
    uint64_t *map;
} recurrence_call;

/* Bins of one width, or between edges. A backend that has GPU memory checks the edges itself (core/edges.h). */
typedef struct histogram_call {
    weft_dtype dtype;
    size_t n;
    const void *x;
    size_t bins;                           /* 1 .. WEFT_BINS_MAX */
    const void *edges;                     /* bins + 1, ascending; NULL: even bins from lower to upper, */
    double lower_real, upper_real;         /* of floats, */
    uint64_t lower_integer, upper_integer; /* or of integers, sign-extended */
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

/* A matrix of a product as it lies in memory: rows of `ld` elements; one of a batch is `stride` elements behind the
 * one before. */
typedef struct matmul_operand {
    const void *p;
    size_t ld, stride;
    bool transposed; /* the factor is the transpose of what lies there */
} matmul_operand;

/* Row-major: C is m x n, op(A) m x k, op(B) k x n. With k = 0, which alpha = 0 becomes too, C = beta C. */
typedef struct matmul_call {
    weft_dtype dtype, accumulate; /* the elements' type, the type of the chains */
    size_t m, n, k, batch;        /* m, n, batch >= 1 */
    double alpha, beta;
    matmul_operand a, b;
    void *c;
    size_t ldc, stride_c;
    size_t part;               /* of k, by ORDER.md 13.2; k or more where it is not cut */
    const matmul_piece *piece; /* NULL; or what is done instead, with k >= 1 */
} matmul_call;

typedef struct fft_call {
    weft_dtype dtype;
    weft_fft_kind kind;
    size_t batch, n; /* batch >= 1; n a power of two */
    const void *x;
    void *y; /* == x for C2C, or apart from it */
} fft_call;

/* Values [first, first + count) of the full convolution, which has n + m - 1. */
typedef struct convolve_call {
    weft_dtype dtype;
    bool is_complex, correlate;
    size_t n; /* >= 1 */
    const void *x;
    size_t m; /* >= 1 */
    const void *h;
    size_t first, count; /* count >= 1 */
    void *y;
} convolve_call;

typedef struct tridiag_call {
    weft_dtype dtype; /* f32 or f64 */
    bool periodic;
    size_t systems, n;
    weft_lines a, b, c, d; /* a, b, c of distances 0 and 0: one value in host memory */
    void *x;               /* in d's distances; == d.p, or apart from it; any two of its elements are distinct */
    uint64_t *singular;
    const tridiag_part *part; /* NULL; or what is done instead, to one system, whose distances are 0 or 1 */
} tridiag_call;

/* Grids of n[0] x n[1] x n[2] points, 1 where there is no such dimension, one behind another. */
typedef struct heat_call {
    weft_dtype dtype; /* f32 or f64 */
    weft_heat_method method;
    size_t dimensions, n[WEFT_AXES_MAX], batch; /* 1 .. WEFT_AXES_MAX; all others >= 1 */
    double lambda[WEFT_AXES_MAX];               /* of dtype, from WEFT_HEAT_LAMBDA_LEAST to _GREATEST */
    size_t steps;
    const void *u;
    void *v; /* == u, or apart from it */
} heat_call;

/* weft_sort, weft_sort_pairs, weft_sort_bits. */
typedef struct sort_call {
    weft_dtype dtype;
    weft_order_of_sort order;
    unsigned first_bit, bits; /* those that count: all of them, unless the keys are integers */
    size_t n;                 /* >= 1 */
    const void *keys;
    void *sorted_keys;  /* == keys, or apart from all others */
    size_t value_bytes; /* 0: no values */
    const void *values;
    void *sorted_values; /* == values, or apart from all others */
} sort_call;

typedef struct argsort_call {
    weft_dtype dtype;
    weft_order_of_sort order;
    weft_dtype index; /* WEFT_U32 or WEFT_U64 */
    size_t n;         /* >= 1 */
    const void *keys;
    void *indices;
} argsort_call;

/* Samples first ... first + n - 1 of a stream: of a distribution, or integers, which have a 32-bit or 64-bit type. */
typedef struct random_call {
    bool integers;
    weft_distribution distribution;
    weft_dtype dtype;
    uint64_t seed, stream, first;
    size_t n;             /* >= 1, and first + n <= WEFT_SAMPLES_MAX */
    double a, b;          /* of a uniform distribution: its ends once rounded to dtype */
    uint64_t lower, last; /* of integers, sign-extended: lower + 0 ... last */
    void *out;
} random_call;

/* Points first ... first + n - 1. */
typedef struct sobol_call {
    weft_scrambling scrambling;
    weft_dtype dtype; /* f32 or f64 */
    uint64_t seed, stream, first;
    size_t dimensions, n; /* both >= 1, and first + n <= WEFT_SAMPLES_MAX */
    void *out;
} sobol_call;

/* One of the simulations that share a path's normals: the path itself, its mirror image, those of a difference. */
typedef struct price_leg {
    double weight; /* of what it pays in the path's value */
    double start[WEFT_ASSETS_MAX], drift[WEFT_ASSETS_MAX];
    double loading[WEFT_ASSETS_MAX][WEFT_ASSETS_MAX]; /* of normal j in the step of asset i, j <= i */
} price_leg;

typedef enum price_control { CONTROL_NONE, CONTROL_END, CONTROL_GEOMETRIC } price_control;

enum { PRICE_LEGS_MAX = 4, PRICE_SUMS = 5 };

/* ORDER.md 21 names these numbers. */
typedef struct price_call {
    weft_dtype dtype; /* f32 or f64 */
    weft_payoff payoff;
    weft_observed observed;
    weft_barrier barrier;
    weft_steps scheme;
    price_control control; /* with one leg, or two that are mirror images */
    size_t assets, steps;  /* >= 1 */
    uint64_t paths, seed;  /* paths >= 2 */
    uint64_t first, count; /* of the paths that are simulated: all of them, or, with sums, some (core/parts.h) */
    bool sobol;            /* paths are Sobol points of the seed and */
    uint64_t stream;       /* with Owen's scrambling; else by Philox */
    double strike, level, rate, maturity;
    double volatility; /* of the only asset, where the control is geometric */
    double weights[WEFT_ASSETS_MAX], centre[WEFT_ASSETS_MAX], width[WEFT_ASSETS_MAX];
    size_t legs;
    price_leg leg[PRICE_LEGS_MAX];
    double *estimate;    /* in host memory: the price and its standard error; or, with sums, not wanted */
    double *sums;        /* NULL; or in host memory: the sums of ORDER.md 21.6, in their order, are wanted instead */
    const double *given; /* NULL; or those sums over all paths, none of which is simulated then */
} price_call;

/* weft_match_count and weft_match_list. The patterns have been checked. */
typedef struct match_call {
    size_t n, first, end; /* first <= end <= n */
    const unsigned char *text;
    size_t patterns; /* 1 .. WEFT_PATTERNS_MAX, of 1 .. WEFT_PATTERN_BYTES_MAX bytes */
    const uint64_t *offsets;
    const unsigned char *bytes;
    bool fold_case, whole_word;
    uint64_t *counts; /* NULL: a list is wanted, */
    size_t capacity;
    uint64_t *positions;
    uint32_t *numbers;
    uint64_t *total;
} match_call;

/* Where memory lies, for a backend whose memory is not the host's. */
typedef enum memory_place {
    PLACE_HOST,   /* the host must lend a hand to copy it */
    PLACE_PINNED, /* host memory that the device copies from and to by itself */
    PLACE_DEVICE
} memory_place;

typedef struct weft_backend {
    int abi; /* WEFT_BACKEND_ABI */
    const char *name;

    /* Devices of this backend that can be opened now, and what they are. */
    int (*count)(void);
    weft_status (*describe)(int index, weft_device_info *info, weft_error *error);

    /* Opens a device; `which` is what stood after "name:" or "". *state is the backend's own. */
    weft_status (*open)(const char *which, void **state, weft_error *error);
    void (*close)(void *state);
    const char *(*id)(const void *state); /* "cuda:0" */

    weft_status (*set_threads)(void *state, int threads, weft_error *error);
    weft_status (*set_stream)(void *state, void *stream, weft_error *error);
    weft_status (*synchronize)(void *state, weft_error *error);
    size_t (*scratch_bytes)(const void *state);

    weft_status (*alloc)(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error);
    weft_status (*free)(void *state, weft_memory memory, void *p, weft_error *error);
    weft_status (*copy)(void *state, size_t bytes, const void *src, void *dst, weft_error *error);

    /* Copies that go on beside the context's work, for src/stream; all of them NULL for backends whose memory is the
     * host's. *transfer is the backend's own, and of use for one copy after another. A copy begins behind all that
     * the context's stream has been given, and that stream goes on without it until it is joined. WEFT_WORK copies
     * nothing: it lasts, on the context's stream, until it is joined. transfer_time waits for both, and gives when
     * `transfer` began and ended, in seconds from when `origin` began. transfer_close waits. */
    weft_status (*transfer_place)(void *state, const void *p, memory_place *place, weft_error *error);
    weft_status (*transfer_open)(void *state, void **transfer, weft_error *error);
    weft_status (*transfer_begin)(void *state, void *transfer, weft_lane lane, size_t bytes, const void *from,
                                  void *to, weft_error *error);
    weft_status (*transfer_join)(void *state, void *transfer, weft_error *error);
    weft_status (*transfer_wait)(void *state, void *transfer, weft_error *error);
    weft_status (*transfer_time)(void *state, void *transfer, void *origin, double *began, double *ended,
                                 weft_error *error);
    void (*transfer_close)(void *state, void *transfer);

    /* True when p is memory that only a GPU can read. NULL for backends that have none. */
    bool (*device_only)(const void *p);

    weft_status (*reduce)(void *state, const reduce_call *call, weft_error *error);
    weft_status (*variance)(void *state, const variance_call *call, weft_error *error);
    weft_status (*dot)(void *state, const dot_call *call, weft_error *error);
    weft_status (*scan)(void *state, const scan_call *call, weft_error *error);
    weft_status (*laplace)(void *state, const laplace_call *call, weft_error *error);
    weft_status (*laplace_solve)(void *state, const laplace_solve_call *call, weft_error *error);
    weft_status (*select)(void *state, const select_call *call, weft_error *error);
    weft_status (*run_length)(void *state, const run_length_call *call, weft_error *error);
    weft_status (*segmented)(void *state, const segmented_call *call, weft_error *error);
    weft_status (*recurrence)(void *state, const recurrence_call *call, weft_error *error);
    weft_status (*histogram)(void *state, const histogram_call *call, weft_error *error);
    weft_status (*top_k)(void *state, const top_k_call *call, weft_error *error);
    weft_status (*merge)(void *state, const merge_call *call, weft_error *error);
    weft_status (*search_sorted)(void *state, const search_sorted_call *call, weft_error *error);
    weft_status (*matmul)(void *state, const matmul_call *call, weft_error *error);
    weft_status (*fft)(void *state, const fft_call *call, weft_error *error);
    weft_status (*convolve)(void *state, const convolve_call *call, weft_error *error);
    weft_status (*tridiag)(void *state, const tridiag_call *call, weft_error *error);
    weft_status (*heat)(void *state, const heat_call *call, weft_error *error);
    weft_status (*sort)(void *state, const sort_call *call, weft_error *error);
    weft_status (*argsort)(void *state, const argsort_call *call, weft_error *error);
    weft_status (*random)(void *state, const random_call *call, weft_error *error);
    weft_status (*sobol)(void *state, const sobol_call *call, weft_error *error);
    weft_status (*price)(void *state, const price_call *call, weft_error *error);
    weft_status (*match)(void *state, const match_call *call, weft_error *error);
    weft_status (*map)(void *state, const map_call *call, weft_error *error);

    /* What can be done in several ways, the same list for every state (`chosen` is not used there), and the way that
     * a state takes. `everywhere`: also for calls that are too small for that way to be a good one. All NULL for
     * backends that have one way alone. */
    const weft_tunable *(*tunables)(size_t *count);
    size_t (*chosen)(const void *state, size_t tunable);
    weft_status (*choose)(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
    /* The maker's name of the state's device: what was measured on one holds on others of that name. */
    void (*model)(const void *state, char name[128]);
} weft_backend;

const weft_backend *weft_backend_ref(void);
const weft_backend *weft_backend_cpu(void);
/* The plugin's one exported function, found by name: */
#define WEFT_PLUGIN_ENTRY "weft_backend_cuda"
typedef const weft_backend *(*weft_plugin_entry)(void);

/* The registry (backend.c): the backend called `name`, loading its plugin when it has one. */
weft_status weft_find_backend(const char *name, const weft_backend **backend, weft_error *error);
/* The cuda backend if a context or a query has loaded it already, else NULL. Loads nothing. */
const weft_backend *weft_loaded_plugin(void);

#endif
