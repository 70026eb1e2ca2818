/* weft on a CPU compared with OpenMP simd loops, OpenBLAS and the C++ standard library, in one run:
 *
 *     build/bench_cpu [--json] [--quick] [--threads N] [--only TEXT]
 *
 * --only runs the rows whose names contain TEXT.
 *
 * Each row consists of rounds in which weft, its peer and a loop that only reads the input (the ceiling) alternate.
 * In a round each waits until the threads of the previous one are asleep and makes one call that is not measured, so
 * that its own threads are awake; then it is measured. The medians of the rounds are printed as GB/s of input read.
 * For a scan, a sort (of random elements), a recurrence and a merge of two sorted halves they are GB/s read and
 * written, and the ceiling is a copy. Long arrays (2^26 elements) are in memory, short ones (2^14) in the caches of
 * one core. */
#include "cpu_openmp_peer.h"
#include "cpu_timing.h"
#include "weft.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WEFT_BENCH_OPENBLAS
#include <cblas.h>
#endif
#ifdef WEFT_BENCH_STD_SCAN
#include "cpu_scan_peer.h"
#include "cpu_sort_peer.h"
#endif

enum { ROUNDS_MAX = 31, LONG_LOG2 = 26, SORT_LOG2 = 24, QUICK_LOG2 = 23, SHORT_LOG2 = 14 };

static weft_context *ctx;
static weft_expr *square; /* x*x, for map_scan and map_reduce */
static double sink;       /* accumulates the results of peers, so that the compiler cannot remove their loops */

static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}

/* ----------------------------------------------------------------------------------- peers */

#ifdef WEFT_BENCH_OPENBLAS

static double blas_dot_f32(const void *x, const void *y, size_t n, int threads) {
    openblas_set_num_threads(threads);
    return cblas_sdot((blasint)n, x, 1, y, 1);
}

static double blas_dot_f64(const void *x, const void *y, size_t n, int threads) {
    openblas_set_num_threads(threads);
    return cblas_ddot((blasint)n, x, 1, y, 1);
}

static double blas_norm2_f64(const void *x, const void *y, size_t n, int threads) {
    (void)y;
    openblas_set_num_threads(threads);
    return cblas_dnrm2((blasint)n, x, 1);
}

#endif

/* Computes the result of map_scan in two calls with an intermediate array. y has capacity for both results. */
static double map_then_scan_f32(const void *x, const void *y, size_t n, int threads) {
    const weft_binding of_x = {"x", WEFT_F32, x, NULL};
    float *const sums = (float *)y, *const between = sums + n;
    (void)threads; /* the context has them */
    ok(weft_map(ctx, square, WEFT_F32, n, &of_x, 1, between));
    ok(weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, between, NULL, sums));
    return 0;
}

enum { TARGETS = 1 << 10 };

/* Returns n random indices below TARGETS for scatter_reduce. They are made once: all calls have the same n. */
static const uint32_t *targets_of(size_t n) {
    static uint32_t *targets;
    if (targets) return targets;
    if (!(targets = malloc(n * sizeof *targets))) stop("indices", "cannot allocate memory");
    uint32_t r = 1;
    for (size_t i = 0; i < n; i++) {
        r = r * 1664525 + 1013904223;
        targets[i] = r >> 22;
    }
    return targets;
}

/* Adds the elements of each target in a plain loop on one thread. */
static double loop_scatter_f32(const void *x, const void *y, size_t n, int threads) {
    const uint32_t *const index = targets_of(n);
    float *const sums = (float *)y;
    (void)threads;
    memset(sums, 0, TARGETS * sizeof *sums);
    for (size_t i = 0; i < n; i++) sums[index[i]] += ((const float *)x)[i];
    return (double)sums[0];
}

enum { COLUMNS = 64 };

/* Returns the numbers below n in random order. They are made once for each of the two lengths that are used. */
static const uint32_t *permutation_of(size_t n) {
    static uint32_t *known[2];
    static size_t lengths[2];
    const int k = lengths[0] != 0 && lengths[0] != n;
    if (lengths[k] == n) return known[k];
    uint32_t *const p = malloc(n * sizeof *p);
    if (!p) stop("indices", "cannot allocate memory");
    uint64_t r = 1;
    for (size_t i = 0; i < n; i++) {
        r = r * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t j = (size_t)(r >> 32) % (i + 1);
        p[i] = p[j];
        p[j] = (uint32_t)i;
    }
    free(known[k]);
    known[k] = p;
    lengths[k] = n;
    return p;
}

static double loop_gather_f32(const void *x, const void *y, size_t n, int threads) {
    const uint32_t *const index = permutation_of(n);
    (void)threads;
    for (size_t i = 0; i < n; i++) ((float *)y)[i] = ((const float *)x)[index[i]];
    return 0;
}

static double loop_put_f32(const void *x, const void *y, size_t n, int threads) {
    const uint32_t *const index = permutation_of(n);
    (void)threads;
    for (size_t i = 0; i < n; i++) ((float *)y)[index[i]] = ((const float *)x)[i];
    return 0;
}

/* The same with rows of COLUMNS elements. */
static double copy_gather_f32(const void *x, const void *y, size_t n, int threads) {
    const uint32_t *const index = permutation_of(n / COLUMNS);
    (void)threads;
    for (size_t i = 0; i < n / COLUMNS; i++)
        memcpy((float *)y + i * COLUMNS, (const float *)x + index[i] * (size_t)COLUMNS, COLUMNS * sizeof(float));
    return 0;
}

static double copy_scatter_f32(const void *x, const void *y, size_t n, int threads) {
    const uint32_t *const index = permutation_of(n / COLUMNS);
    (void)threads;
    for (size_t i = 0; i < n / COLUMNS; i++)
        memcpy((float *)y + index[i] * (size_t)COLUMNS, (const float *)x + i * COLUMNS, COLUMNS * sizeof(float));
    return 0;
}

/* ------------------------------------------------------------------------------------ rows */

typedef enum function {
    REDUCE,
    EXACT,    /* REDUCE with exact sums */
    LANES_16, /* weft_reduce_lanes */
    LANES_128,
    VARIANCE,
    EXACT_VARIANCE,
    MAP_REDUCE, /* of x*x */
    EXACT_MAP_REDUCE,
    HISTOGRAM,
    MATCH, /* PEER_WORDS in the bytes */
    DOT,
    EXACT_DOT,
    SCAN,
    MAP_SCAN, /* of x*x */
    SELECT,   /* the elements above 0, which are half of all */
    SCATTER,  /* sums of random indices below TARGETS; the indices count as an array */
    MERGE,
    TOP_K,
    SORT,
    GATHER_ROWS, /* of COLUMNS elements, in random order */
    SCATTER_ROWS,
    RECURRENCE,
    ROWS,
    GATHER, /* of elements in random order; the indices count as an array */
    PUT
} function;

typedef struct row {
    const char *name;
    function function;
    weft_op op; /* for REDUCE, EXACT, LANES_..., MAP_REDUCE and SCAN */
    weft_dtype dtype;
    bool alone; /* a short array on one thread; otherwise a long array on all threads */
    int passes; /* passes over the input */
    const char *peer_name;
    peer *peer;
} row;

static const row rows[] = {
    {"sum f32", REDUCE, WEFT_SUM, WEFT_F32, false, 1, "OpenMP simd", openmp_sum_f32},
    {"sum f64", REDUCE, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_sum_f64},
    {"sum f32 exact", EXACT, WEFT_SUM, WEFT_F32, false, 1, "OpenMP simd", openmp_sum_f32},
    {"sum f64 exact", EXACT, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_sum_f64},
    {"sum f32 L16", LANES_16, WEFT_SUM, WEFT_F32, false, 1, "OpenMP simd", openmp_sum_f32},
    {"sum f32 L128", LANES_128, WEFT_SUM, WEFT_F32, false, 1, "OpenMP simd", openmp_sum_f32},
    {"sum f64 L16", LANES_16, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_sum_f64},
    {"sum f64 L128", LANES_128, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_sum_f64},
    {"sum i32", REDUCE, WEFT_SUM, WEFT_I32, false, 1, "OpenMP simd", openmp_sum_i32},
    {"sum u8", REDUCE, WEFT_SUM, WEFT_U8, false, 1, "OpenMP simd", openmp_sum_u8},
    {"min f32", REDUCE, WEFT_MIN, WEFT_F32, false, 1, "OpenMP simd", openmp_min_f32},
    {"max f32", REDUCE, WEFT_MAX, WEFT_F32, false, 1, "OpenMP simd", openmp_max_f32},
    {"max i32", REDUCE, WEFT_MAX, WEFT_I32, false, 1, "OpenMP simd", openmp_max_i32},
    {"recurrence f32", RECURRENCE, WEFT_SUM, WEFT_F32, false, 1, "C loop", loop_recurrence_f32},
    {"recurrence f64", RECURRENCE, WEFT_SUM, WEFT_F64, false, 1, "C loop", loop_recurrence_f64},
    {"in rows f64", ROWS, WEFT_SUM, WEFT_F64, false, 1, "OpenMP over rows", openmp_recurrences_f64},
    {"map_scan f32", MAP_SCAN, WEFT_SUM, WEFT_F32, false, 1, "map, then scan", map_then_scan_f32},
    {"map_scan f32", MAP_SCAN, WEFT_SUM, WEFT_F32, true, 1, "map, then scan", map_then_scan_f32},
    {"mean f32", REDUCE, WEFT_MEAN, WEFT_F32, false, 1, "OpenMP simd", openmp_mean_f32},
    {"variance f64", VARIANCE, WEFT_SUM, WEFT_F64, false, 2, "OpenMP simd", openmp_variance_f64},
    {"variance f64 exact", EXACT_VARIANCE, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_variance_f64},
    {"map_reduce f64", MAP_REDUCE, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_squares_f64},
    {"map_reduce f64 exact", EXACT_MAP_REDUCE, WEFT_SUM, WEFT_F64, false, 1, "OpenMP simd", openmp_squares_f64},
    {"bins 256 f32", HISTOGRAM, WEFT_SUM, WEFT_F32, false, 1, "OpenMP", openmp_histogram_f32},
    {"scatter_reduce f32", SCATTER, WEFT_SUM, WEFT_F32, false, 1, "C loop", loop_scatter_f32},
    {"gather f32", GATHER, WEFT_SUM, WEFT_F32, false, 1, "C loop", loop_gather_f32},
    {"gather 64 f32", GATHER_ROWS, WEFT_SUM, WEFT_F32, false, 1, "C memcpy", copy_gather_f32},
    {"scatter f32", PUT, WEFT_SUM, WEFT_F32, false, 1, "C loop", loop_put_f32},
    {"scatter 64 f32", SCATTER_ROWS, WEFT_SUM, WEFT_F32, false, 1, "C memcpy", copy_scatter_f32},
    {"4 words u8", MATCH, WEFT_SUM, WEFT_U8, false, 1, "memmem, OpenMP", memmem_match_u8},
    {"sum f32", REDUCE, WEFT_SUM, WEFT_F32, true, 1, "OpenMP simd", openmp_sum_f32},
    {"sum f64", REDUCE, WEFT_SUM, WEFT_F64, true, 1, "OpenMP simd", openmp_sum_f64},
    {"max f32", REDUCE, WEFT_MAX, WEFT_F32, true, 1, "OpenMP simd", openmp_max_f32},
    {"select f32", SELECT, WEFT_SUM, WEFT_F32, false, 1, "C loop, if", branching_select_f32},
    {"select f32", SELECT, WEFT_SUM, WEFT_F32, false, 1, "C, no branch", branchless_select_f32},
    {"select f32", SELECT, WEFT_SUM, WEFT_F32, true, 1, "C, no branch", branchless_select_f32},
#ifdef WEFT_BENCH_OPENBLAS
    {"dot f32", DOT, WEFT_SUM, WEFT_F32, false, 1, "OpenBLAS sdot", blas_dot_f32},
    {"dot f64", DOT, WEFT_SUM, WEFT_F64, false, 1, "OpenBLAS ddot", blas_dot_f64},
    {"dot f32 exact", EXACT_DOT, WEFT_SUM, WEFT_F32, false, 1, "OpenBLAS sdot", blas_dot_f32},
    {"dot f64 exact", EXACT_DOT, WEFT_SUM, WEFT_F64, false, 1, "OpenBLAS ddot", blas_dot_f64},
    {"norm2 f64", REDUCE, WEFT_NORM2, WEFT_F64, false, 1, "OpenBLAS dnrm2", blas_norm2_f64},
    {"dot f32", DOT, WEFT_SUM, WEFT_F32, true, 1, "OpenBLAS sdot", blas_dot_f32},
    {"dot f64", DOT, WEFT_SUM, WEFT_F64, true, 1, "OpenBLAS ddot", blas_dot_f64},
    {"norm2 f64", REDUCE, WEFT_NORM2, WEFT_F64, true, 1, "OpenBLAS dnrm2", blas_norm2_f64},
#endif
#ifdef WEFT_BENCH_STD_SCAN
    {"scan f32", SCAN, WEFT_SUM, WEFT_F32, false, 1, "std par_unseq", std_scan_f32},
    {"scan f64", SCAN, WEFT_SUM, WEFT_F64, false, 1, "std par_unseq", std_scan_f64},
    {"scan i32", SCAN, WEFT_SUM, WEFT_I32, false, 1, "std par_unseq", std_scan_i32},
    {"scan f32", SCAN, WEFT_SUM, WEFT_F32, true, 1, "std unseq", std_scan_f32},
    {"scan f64", SCAN, WEFT_SUM, WEFT_F64, true, 1, "std unseq", std_scan_f64},
    {"scan i32", SCAN, WEFT_SUM, WEFT_I32, true, 1, "std unseq", std_scan_i32},
    {"sort u32", SORT, WEFT_SUM, WEFT_U32, false, 1, "std par_unseq", std_sort_u32},
    {"sort f64", SORT, WEFT_SUM, WEFT_F64, false, 1, "std par_unseq", std_sort_f64},
    {"sort u32", SORT, WEFT_SUM, WEFT_U32, true, 1, "std unseq", std_sort_u32},
    {"merge f32", MERGE, WEFT_SUM, WEFT_F32, false, 1, "std par_unseq", std_merge_f32},
    {"top 100 f32", TOP_K, WEFT_SUM, WEFT_F32, false, 1, "std nth_element", std_top_100_f32},
#endif
};

/* ------------------------------------------------------------------------------- measuring */

/* Work of one row: the called function, its arrays, and the number of threads. */
typedef struct work {
    const row *row;
    size_t n;
    const void *x;
    void *y; /* NULL if there is one array; for SCAN, RECURRENCE, ROWS and SELECT, the result */
    int threads;
} work;

/* Returns the number of arrays that are read or written. */
static size_t arrays(const row *r) { return r->function >= RECURRENCE ? 3 : r->function >= DOT ? 2 : 1; }

/* Runs rows of a recurrence. x contains the n elements of s followed by the n elements of u. */
static void call_recurrence(const work *w, size_t rows, size_t n) {
    const char *const u = (const char *)w->x + w->n * weft_dtype_size(w->row->dtype);
    ok(weft_recurrence(ctx, WEFT_FORWARD, w->row->dtype, rows, n, w->x, u, NULL, w->y));
}

static void call_match(const work *w) {
    static const char *const list[] = PEER_WORDS;
    static const uint64_t offsets[] = {0, 4, 8, 12, 16};
    char bytes[17];
    uint64_t counts[4];
    snprintf(bytes, sizeof bytes, "%s%s%s%s", list[0], list[1], list[2], list[3]);
    const weft_patterns words = {4, offsets, bytes};
    ok(weft_match_count(ctx, w->n, w->x, 0, w->n, &words, WEFT_MATCH_BYTES, counts));
}

static void call_gather(const work *w, size_t columns) {
    const size_t n = w->n / columns;
    ok(weft_gather(ctx, WEFT_RANGE_ERROR, w->row->dtype, WEFT_U32, n, columns, n, w->x, permutation_of(n), w->y));
}

static void call_scatter(const work *w, size_t columns) {
    const size_t n = w->n / columns;
    ok(weft_scatter(ctx, WEFT_RANGE_ERROR, w->row->dtype, WEFT_U32, n, columns, n, w->x, permutation_of(n), w->y));
}

static void call_map_scan(const work *w) {
    const weft_binding of_x = {"x", w->row->dtype, w->x, NULL};
    ok(weft_map_scan(ctx, w->row->op, WEFT_INCLUSIVE, square, w->row->dtype, WEFT_DEFAULT, w->n, &of_x, 1, NULL,
                     w->y));
}

static void call_map_reduce(const work *w, weft_dtype accumulate) {
    const weft_binding of_x = {"x", w->row->dtype, w->x, NULL};
    double out;
    ok(weft_map_reduce(ctx, w->row->op, square, w->row->dtype, accumulate, w->n, &of_x, 1, &out));
}

static void call_weft(const work *w) {
    enum { BINS = 256 };
    const row *r = w->row;
    const float zero = 0;
    const float low = -1, high = 1;
    uint64_t out, counts[BINS];
    switch (r->function) {
    case REDUCE: ok(weft_reduce(ctx, r->op, r->dtype, WEFT_DEFAULT, w->n, w->x, &out)); break;
    case EXACT: ok(weft_reduce(ctx, r->op, r->dtype, WEFT_EXACT_SUM, w->n, w->x, &out)); break;
    case LANES_16: ok(weft_reduce_lanes(ctx, r->op, r->dtype, WEFT_DEFAULT, w->n, 16, w->x, &out)); break;
    case LANES_128: ok(weft_reduce_lanes(ctx, r->op, r->dtype, WEFT_DEFAULT, w->n, 128, w->x, &out)); break;
    case EXACT_DOT: ok(weft_dot(ctx, r->dtype, WEFT_EXACT_SUM, w->n, w->x, w->y, &out)); break;
    case VARIANCE: ok(weft_variance(ctx, r->dtype, WEFT_DEFAULT, w->n, 1, w->x, &out)); break;
    case EXACT_VARIANCE: ok(weft_variance(ctx, r->dtype, WEFT_EXACT_SUM, w->n, 1, w->x, &out)); break;
    case MAP_REDUCE: call_map_reduce(w, WEFT_DEFAULT); break;
    case EXACT_MAP_REDUCE: call_map_reduce(w, WEFT_EXACT_SUM); break;
    case DOT: ok(weft_dot(ctx, r->dtype, WEFT_DEFAULT, w->n, w->x, w->y, &out)); break;
    case HISTOGRAM: ok(weft_histogram_even(ctx, r->dtype, w->n, w->x, BINS, &low, &high, counts)); break;
    case MATCH: call_match(w); break;
    case MERGE: ok(weft_merge(ctx, r->dtype, w->n / 2, w->x, w->n / 2, (const float *)w->x + w->n / 2, w->y)); break;
    case SCATTER:
        ok(weft_scatter_reduce(ctx, r->op, WEFT_RANGE_ERROR, r->dtype, WEFT_DEFAULT, WEFT_U32, w->n, 1, TARGETS, w->x,
                               targets_of(w->n), NULL, w->y));
        break;
    case GATHER: call_gather(w, 1); break;
    case GATHER_ROWS: call_gather(w, COLUMNS); break;
    case PUT: call_scatter(w, 1); break;
    case SCATTER_ROWS: call_scatter(w, COLUMNS); break;
    case TOP_K: ok(weft_top_k(ctx, WEFT_LARGEST, r->dtype, w->n, w->x, 100, w->y, NULL)); break;
    case SCAN: ok(weft_scan(ctx, r->op, WEFT_INCLUSIVE, r->dtype, WEFT_DEFAULT, w->n, w->x, NULL, w->y)); break;
    case MAP_SCAN: call_map_scan(w); break;
    case SELECT: ok(weft_select_if(ctx, WEFT_GT, r->dtype, w->n, w->x, &zero, w->y, &out)); break;
    case RECURRENCE: call_recurrence(w, 1, w->n); break;
    case ROWS: call_recurrence(w, w->n / PEER_ROW, PEER_ROW); break;
    case SORT: ok(weft_sort(ctx, WEFT_ASCENDING, r->dtype, w->n, w->x, w->y)); break;
    }
}

static void call_peer(const work *w) { sink += w->row->peer(w->x, w->y, w->n, w->threads); }

static void call_ceiling(const work *w) {
    if (w->row->function >= SCAN) { /* copies as many bytes in total, half of them reads */
        openmp_copy(w->x, w->y, arrays(w->row) * w->n * weft_dtype_size(w->row->dtype) / 2, w->threads);
        return;
    }
    for (int pass = 0; pass < w->row->passes; pass++)
        sink += openmp_read(w->x, w->y, w->n * weft_dtype_size(w->row->dtype), w->threads);
}

/* Waits until the threads of all libraries are asleep. Those of GCC's OpenMP poll for new work for 3 to 15 ms, which
 * depends on the CPU, and would take time from the threads of the next library. */
static void wait_for_idle_threads(void) {
    const struct timespec longest = {0, 20 * 1000 * 1000};
    nanosleep(&longest, NULL);
}

/* Returns the seconds of one call, averaged over `calls` calls after one that is not measured. */
static double measure(void (*call)(const work *), const work *w, int calls) {
    if (w->threads > 1) wait_for_idle_threads();
    call(w);
    const double start = now();
    for (int i = 0; i < calls; i++) call(w);
    return (now() - start) / calls;
}

static void print_row(const work *w, bool json, bool first, double weft, double other, double ceiling) {
    if (json)
        printf("%s  {\"name\": \"%s\", \"measure\": \"GB/s\", \"n\": %zu, \"threads\": %d, \"weft\": %.6g, "
               "\"peer_name\": \"%s\", \"peer\": %.6g, \"ratio\": %.4f, \"of_ceiling\": %.4f}",
               first ? "" : ",\n", w->row->name, w->n, w->threads, weft, w->row->peer_name, other, weft / other,
               weft / ceiling);
    else
        printf("%-13s %10zu %7d %9.2f  %-15s %9.2f %6.2fx %8.1f %%\n", w->row->name, w->n, w->threads, weft,
               w->row->peer_name, other, weft / other, 100 * weft / ceiling);
    fflush(stdout);
}

static void measure_row(const work *w, int rounds, bool json, bool first) {
    const function f = w->row->function;
    const double moved = f == SELECT  ? 1.5
                         : f == TOP_K ? 1
                                      : (double)arrays(w->row); /* number of arrays read and written */
    const double bytes = (double)(w->n * weft_dtype_size(w->row->dtype)) * moved * w->row->passes;
    const int calls = w->row->alone ? 200 : 1;
    double weft[ROUNDS_MAX], other[ROUNDS_MAX], reader[ROUNDS_MAX];
    ok(weft_set_threads(ctx, w->threads));
    for (int i = 0; i < rounds; i++) {
        weft[i] = bytes / 1e9 / measure(call_weft, w, calls);
        other[i] = bytes / 1e9 / measure(call_peer, w, calls);
        reader[i] = bytes / 1e9 / measure(call_ceiling, w, calls);
    }
    print_row(w, json, first, median_of(weft, rounds), median_of(other, rounds), median_of(reader, rounds));
}

/* ------------------------------------------------------------------------------------ main */

/* Fills p with keys for sorts: random bits for 32-bit types, random integers converted to f64. */
static void fill_random(weft_dtype dtype, void *p, size_t n) {
    uint64_t r = 1;
    for (size_t i = 0; i < n; i++) {
        r = r * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (dtype == WEFT_F64)
            ((double *)p)[i] = (double)(int64_t)(r ^ r >> 29);
        else
            ((uint32_t *)p)[i] = (uint32_t)(r >> 32);
    }
}

static void fill(weft_dtype dtype, void *p, size_t n, int threads) {
    if (dtype == WEFT_F32) openmp_fill_f32(p, n, threads);
    if (dtype == WEFT_F64) openmp_fill_f64(p, n, threads);
    if (dtype == WEFT_I32) openmp_fill_i32(p, n, threads);
    if (dtype == WEFT_U8) openmp_fill_i32(p, n / 4, threads);
}

int main(int argc, char **argv) {
    bool json = false, quick = false, first = true;
    weft_device_info cpu = {.size = sizeof cpu};
    const char *only = "";
    int threads = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            stop(argv[i], "not known; there are --json, --quick, --threads N and --only TEXT");
    }
    if (weft_open(&ctx, "cpu") != WEFT_OK) stop("weft", weft_last_error(NULL));
    ok(weft_describe_device(0, &cpu));
    ok(weft_expr_compile(ctx, "x*x", &square));
    if (threads < 1) threads = cpu.cores;
    const size_t longest = (size_t)1 << (quick ? QUICK_LOG2 : LONG_LOG2);
    void *x, *y;
    ok(weft_alloc(ctx, WEFT_DEVICE, longest * sizeof(double), &x));
    ok(weft_alloc(ctx, WEFT_DEVICE, longest * sizeof(double), &y));

    if (json)
        printf("{\"device\": \"%s\", \"isa\": \"%s\", \"version\": \"%s\", \"rows\": [\n", cpu.name, cpu.isa,
               weft_version());
    else
        printf("weft %s on %s, %s\n%-13s %10s %7s %9s  %-15s %9s %7s %10s\n", weft_version(), cpu.name, cpu.isa,
               "operation", "elements", "threads", "GB/s", "peer", "GB/s", "ratio", "of ceiling");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        if (!strstr(r->name, only)) continue;
        const size_t most = r->function == SORT && !quick ? (size_t)1 << SORT_LOG2 : longest;
        const size_t n = r->alone ? (size_t)1 << SHORT_LOG2 : r->function >= RECURRENCE ? longest / 2 : most;
        const size_t filled = r->function >= RECURRENCE ? 2 * n : n;
        const work w = {r, n, x, r->function >= DOT ? y : NULL, r->alone ? 1 : threads};
        fill(r->dtype, x, filled, w.threads);
        fill(r->dtype, y, filled, w.threads);
        if (r->function == SORT) fill_random(r->dtype, x, n);
#ifdef WEFT_BENCH_STD_SCAN
        if (r->function == MERGE) std_sorted_halves_f32(x, n);
#endif
        measure_row(&w, quick ? 5 : r->alone ? ROUNDS_MAX : 11, json, first);
        first = false;
    }
    if (json) printf("\n]}\n");
    weft_free(ctx, WEFT_DEVICE, x);
    weft_free(ctx, WEFT_DEVICE, y);
    weft_expr_free(square);
    weft_close(ctx);
    return sink == 0.5; /* never true; it only uses `sink` */
}
