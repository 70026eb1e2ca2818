/* Tests every operation of libweft_dist on random partitions of arrays, compared bit for bit with the result that
 * each rank computes alone. Seed 0 omits cases that take long on an emulated GPU. Usage: mpirun ... dist_agreement
 * DEVICE [SEED]; or, with ranks that are threads: dist_agreement DEVICE SEED THREADS. */
#include <mpi.h>

#include "tests/dist/grids.h"
#include "tests/dist/pencils.h"
#include "tests/dist/scans.h"
#include "tests/dist/spectra.h"
#include "tests/dist/world.h"

#include <stdlib.h>
#include <string.h>

static bool is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }

/* ------------------------------------------------------------------------------ reductions */

static void check_reduce(world *w, weft_op op, weft_dtype dtype, weft_dtype accumulate, const cut *c, const void *x) {
    uint64_t one = 0, many = 0;
    weft_dtype result;
    if (weft_reduce_result(op, dtype, accumulate, &result) != WEFT_OK) return;
    const weft_status alone = weft_reduce(w->alone, op, dtype, accumulate, c->total, x, &one);
    const weft_status together =
        weft_dist_reduce(w->d, op, dtype, accumulate, world_slice(w, c), world_part(w, c, dtype, x), &many);
    world_expect(w, alone == together && one == many, "%s of %s, %zu elements: 0x%llx, alone 0x%llx",
                 weft_op_name(op), weft_dtype_name(dtype), c->total, (unsigned long long)many,
                 (unsigned long long)one);
}

static void check_dot(world *w, weft_dtype dtype, weft_dtype accumulate, const cut *c, const void *x, const void *y) {
    uint64_t one = 0, many = 0;
    (void)weft_dot(w->alone, dtype, accumulate, c->total, x, y, &one);
    const weft_status status = weft_dist_dot(w->d, dtype, accumulate, world_slice(w, c), world_part(w, c, dtype, x),
                                             world_part(w, c, dtype, y), &many);
    world_expect(w, status == WEFT_OK && one == many, "dot of %s, %zu elements", weft_dtype_name(dtype), c->total);
}

static void check_variance(world *w, weft_dtype dtype, weft_dtype accumulate, const cut *c, const void *x) {
    uint64_t one = 0, many = 0;
    const weft_status alone = weft_variance(w->alone, dtype, accumulate, c->total, 1, x, &one);
    const weft_status together =
        weft_dist_variance(w->d, dtype, accumulate, world_slice(w, c), 1, world_part(w, c, dtype, x), &many);
    world_expect(w, alone == together && one == many, "variance of %s, %zu elements", weft_dtype_name(dtype),
                 c->total);
}

static void check_reductions(world *w, weft_dtype dtype, size_t n) {
    const bool widens = dtype == WEFT_F32 || is_half(dtype);
    void *const x = world_array(w, dtype, n), *const y = world_array(w, dtype, n);
    const cut c = world_cut(w, n);
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++) {
        check_reduce(w, (weft_op)op, dtype, WEFT_DEFAULT, &c, x);
        if (is_half(dtype)) check_reduce(w, (weft_op)op, dtype, WEFT_F32, &c, x);
        if (widens) check_reduce(w, (weft_op)op, dtype, WEFT_F64, &c, x);
        check_reduce(w, (weft_op)op, dtype, WEFT_EXACT_SUM, &c, x); /* or both refuse it */
    }
    if (dtype == WEFT_F32 || dtype == WEFT_F64) check_dot(w, dtype, WEFT_EXACT_SUM, &c, x, y);
    check_variance(w, dtype, WEFT_EXACT_SUM, &c, x);
    check_dot(w, dtype, WEFT_DEFAULT, &c, x, y);
    check_variance(w, dtype, WEFT_DEFAULT, &c, x);
    for (int wide = WEFT_F32; wide <= WEFT_F64 && widens; wide++) {
        check_dot(w, dtype, (weft_dtype)wide, &c, x, y);
        check_variance(w, dtype, (weft_dtype)wide, &c, x);
    }
    free(x);
    free(y);
}

/* Checks sums of squares that leave the range of f64 at either end. */
static void check_norms(world *w, double scale) {
    double x[5000];
    for (size_t i = 0; i < 5000; i++) x[i] = scale * (double)(world_draw(w) >> 40);
    const cut c = world_cut(w, 5000);
    check_reduce(w, WEFT_NORM2, WEFT_F64, WEFT_DEFAULT, &c, x);
}

/* ------------------------------------------------------------------------- arrays as results */

static void check_sort(world *w, weft_dtype dtype, weft_order_of_sort order, bool few, size_t n) {
    unsigned char *const x = world_array(w, is_half(dtype) ? WEFT_U16 : dtype, n); /* with NaNs of all bits */
    void *const one = world_memory(n, 8);
    const size_t size = weft_dtype_size(dtype);
    const cut c = world_cut(w, n);
    void *const many = world_result(w, n, 8);
    for (size_t i = 3; few && i < n; i++) memcpy(x + i * size, x + world_draw(w) % 3 * size, size);
    (void)weft_sort(w->alone, order, dtype, n, x, one);
    const weft_status status =
        weft_dist_sort(w->d, order, dtype, world_slice(w, &c), world_part(w, &c, dtype, x), many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, dtype, one, many), "sort of %s, %zu elements",
                 weft_dtype_name(dtype), n);
    free(x);
    free(one);
}

static void check_random(world *w, size_t n) {
    void *const one = world_memory(n, 8);
    const uint64_t first = world_draw(w) >> 8;
    const int32_t lower = -7, upper = 1000;
    const cut c = world_cut(w, n);
    void *const many = world_result(w, n, 8);
    (void)weft_random(w->alone, WEFT_NORMAL, WEFT_F32, 5, 1, first, n, 0, 1, one);
    weft_status status = weft_dist_random(w->d, WEFT_NORMAL, WEFT_F32, 5, 1, first, world_slice(w, &c), 0, 1, many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, WEFT_F32, one, many), "random, %zu samples", n);
    (void)weft_random_integers(w->alone, WEFT_I32, 5, 1, first, n, &lower, &upper, one);
    status = weft_dist_random_integers(w->d, WEFT_I32, 5, 1, first, world_slice(w, &c), &lower, &upper, many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, WEFT_I32, one, many), "random integers, %zu samples", n);
    free(one);
}

/* ---------------------------------------------------------------- recurrences and systems */

/* Returns factors near 1, some of them 0, so that values neither vanish nor overflow quickly. */
static void *draw_factors(world *w, weft_dtype dtype, size_t n) {
    char *const p = world_memory(n, weft_dtype_size(dtype));
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = world_draw(w);
        const double v = r % 300 == 0 ? 0 : (double)(r >> 11) * 0x1p-52 - 1;
        const float narrow = (float)v;
        memcpy(p + i * weft_dtype_size(dtype), dtype == WEFT_F32 ? (const void *)&narrow : &v,
               weft_dtype_size(dtype));
    }
    return p;
}

static void check_recurrence(world *w, weft_dtype dtype, weft_direction direction, bool wild, size_t n) {
    void *const s = wild ? world_array(w, dtype, n) : draw_factors(w, dtype, n), *const u = world_array(w, dtype, n);
    void *const one = world_memory(n, 8);
    void *const start = world_array(w, dtype, 1);
    const void *const init = world_draw(w) % 2 ? start : NULL;
    const cut c = world_cut(w, n);
    void *const own_s = world_copy(w, &c, dtype, s), *const own_u = world_copy(w, &c, dtype, u);
    void *const apart = world_result(w, n, 8), *const targets[] = {apart, own_s, own_u};
    void *const many = targets[world_draw(w) % 3];
    (void)weft_recurrence(w->alone, direction, dtype, 1, n, s, u, init, one);
    const weft_status status =
        weft_dist_recurrence(w->d, direction, dtype, world_slice(w, &c), own_s, own_u, init, many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, dtype, one, many), "recurrence in %s, direction %d, %zu",
                 weft_dtype_name(dtype), (int)direction, n);
    free(s);
    free(u);
    free(start);
    free(one);
}

/* Checks systems of 40 rows. In some runs, one system loses a pivot. */
static void check_tridiag(world *w, size_t systems) {
    enum { ROWS = 40 };
    const size_t n = systems * ROWS;
    double *const a = world_memory(n, 8), *const b = world_memory(n, 8), *const rhs = world_memory(n, 8);
    double *const one = world_memory(n, 8);
    uint64_t first = 1, firsts = 2;
    const cut c = world_cut(w, systems);
    double *const many = world_result(w, n, 8);
    const size_t begin = c.begin[w->rank] * ROWS, own = c.begin[w->rank + 1] * ROWS - begin;
    for (size_t i = 0; i < n; i++) {
        a[i] = (double)(world_draw(w) >> 11) * 0x1p-53;
        b[i] = 2.5 + a[i];
        rhs[i] = (double)(world_draw(w) >> 11) * 0x1p-52 - 1;
    }
    if (n && world_draw(w) % 2) b[world_draw(w) % systems * ROWS] = 0;
    const weft_lines lines[] = {{a, 1, ROWS}, {b, 1, ROWS}, {rhs, 1, ROWS}};
    const size_t bytes = own * sizeof *one;
    const weft_lines parts[] = {{world_put(w, bytes, a + begin), 1, ROWS},
                                {world_put(w, bytes, b + begin), 1, ROWS},
                                {world_put(w, bytes, rhs + begin), 1, ROWS}};
    (void)weft_tridiag(w->alone, WEFT_OPEN_ENDS, WEFT_F64, systems, ROWS, lines[0], lines[1], lines[0], lines[2], one,
                       &first);
    const weft_status status = weft_dist_tridiag(w->d, WEFT_OPEN_ENDS, WEFT_F64, world_slice(w, &c), ROWS, parts[0],
                                                 parts[1], parts[0], parts[2], many, &firsts);
    world_expect(w, status == WEFT_OK && first == firsts && world_same(w, bytes, one + begin, many),
                 "tridiag, %zu systems", systems);
    free(a);
    free(b);
    free(rhs);
    free(one);
}

/* Flaw of a system: none; a lost pivot; a lost pivot in the system of separators of separators; an infinite element.
 */
typedef enum flaw { SOUND, LOST, LOST_ABOVE, INFINITE, FLAWS } flaw;

/* Stores a number in element i of an array of type `dtype`. */
static void set_element(void *p, weft_dtype dtype, size_t i, double v) {
    if (dtype == WEFT_F32)
        ((float *)p)[i] = (float)v;
    else
        ((double *)p)[i] = v;
}

/* Checks one system. a and c may be constants. Flaws are at random positions, so that a border may be near. */
static void check_tridiag_rows(world *w, weft_dtype dtype, weft_boundary boundary, bool constants, flaw kind,
                               size_t n) {
    const size_t size = weft_dtype_size(dtype);
    char *const a = world_memory(n + 1, size), *const b = world_memory(n + 1, size),
                *const rhs = world_memory(n, size);
    char *const one = world_memory(n, size);
    uint64_t first = 1, firsts = 2;
    const cut c = world_cut(w, n);
    const size_t begin = c.begin[w->rank] * size, bytes = c.begin[w->rank + 1] * size - begin;
    for (size_t i = 0; i < n; i++) {
        set_element(a, dtype, i, (double)(world_draw(w) >> 11) * 0x1p-53 - 0.75);
        set_element(b, dtype, i, 2.5 + (double)(world_draw(w) >> 11) * 0x1p-53);
        set_element(rhs, dtype, i, (double)(world_draw(w) >> 11) * 0x1p-52 - 1);
    }
    for (int i = 0; i < 2 && n && kind == LOST; i++) set_element(b, dtype, world_draw(w) % n / 16 * 16, 0);
    if (n && kind == LOST_ABOVE) {
        const size_t i = world_draw(w) % n / 256 * 256 + 15;
        if (i < n) set_element(a, dtype, i, 0);
        if (i < n) set_element(b, dtype, i, 0);
    }
    if (n && kind == INFINITE) set_element(rhs, dtype, world_draw(w) % n, 1e300 * 1e300);
    const weft_lines off = {a, !constants, 0}, middle = {b, 1, 0}, right = {rhs, 1, 0};
    char *const many = world_put(w, bytes, rhs + begin); /* in place */
    const weft_lines own_off = {constants ? a : world_put(w, bytes, a + begin), !constants, 0};
    const weft_lines own_middle = {world_put(w, bytes, b + begin), 1, 0};
    (void)weft_tridiag(w->alone, boundary, dtype, 1, n, off, middle, off, right, one, &first);
    const weft_status status = weft_dist_tridiag_rows(w->d, boundary, dtype, world_slice(w, &c), own_off, own_middle,
                                                      own_off, many, many, &firsts);
    world_expect(w, status == WEFT_OK && first == firsts && world_same(w, bytes, one + begin, many),
                 "tridiag in %s of %zu rows, boundary %d, flaw %d: fault at %llu, alone %llu", weft_dtype_name(dtype),
                 n, (int)boundary, (int)kind, (unsigned long long)firsts, (unsigned long long)first);
    free(a);
    free(b);
    free(rhs);
    free(one);
}

static void check_long_systems(world *w, size_t n) {
    for (int k = 0; k < 4 * FLAWS; k++)
        check_tridiag_rows(w, k & 1 ? WEFT_F32 : WEFT_F64, k & 2 ? WEFT_PERIODIC : WEFT_OPEN_ENDS,
                           world_draw(w) % 2 && k / 4 != LOST_ABOVE, (flaw)(k / 4), n);
}

/* Checks ranges of planes, including thin ones, of a grid. One plane may be the whole grid. Sometimes runs in place.
 */
static void check_laplace(world *w, weft_dtype dtype, size_t planes, size_t sweeps) {
    enum { NX = 13, NY = 5 };
    const size_t n = planes * NX * NY, size = weft_dtype_size(dtype);
    char *const u = world_array(w, dtype, n), *const one = world_memory(n, 8);
    const cut c = world_cut(w, planes);
    char *const many = world_result(w, n, 8);
    const size_t begin = c.begin[w->rank] * NX * NY * size, end = c.begin[w->rank + 1] * NX * NY * size;
    const void *const part = world_put(w, end - begin, u + begin);
    void *const to = world_draw(w) % 3 ? many : (void *)part;
    (void)weft_laplace(w->alone, dtype, NX, NY, planes, sweeps, u, one, NULL);
    const weft_status status = weft_dist_laplace(w->d, dtype, NX, NY, world_slice(w, &c), sweeps, part, to);
    world_expect(w, status == WEFT_OK && world_same(w, end - begin, one + begin, to),
                 "laplace, %zu planes, %zu sweeps%s", planes, sweeps, to == many ? "" : ", in place");
    free(u);
    free(one);
}

/* ---------------------------------------------------------------- transforms and filters */

static void check_fft(world *w, weft_dtype dtype, weft_fft_kind kind, size_t batch, size_t n) {
    const size_t size = weft_dtype_size(dtype), half = 2 * (n / 2 + 1);
    const size_t in = size * (kind == WEFT_R2C ? n : kind == WEFT_C2R ? half : 2 * n);
    const size_t out = size * (kind == WEFT_C2R ? n : kind == WEFT_R2C ? half : 2 * n);
    char *const x = world_array(w, dtype, batch * in / size), *const one = world_memory(batch, out);
    const cut c = world_cut(w, batch);
    const size_t begin = c.begin[w->rank], own = c.begin[w->rank + 1] - begin;
    char *const from = world_put(w, own * in, x + begin * in);
    char *const many = in == out && world_draw(w) % 2 ? from : world_result(w, own, out);
    (void)weft_fft(w->alone, kind, dtype, batch, n, x, one);
    const weft_status status = weft_dist_fft(w->d, kind, dtype, world_slice(w, &c), n, from, many);
    world_expect(w, status == WEFT_OK && world_same(w, own * out, one + begin * out, many),
                 "fft of kind %d in %s, %zu arrays of %zu", (int)kind, weft_dtype_name(dtype), batch, n);
    free(x);
    free(one);
}

static void check_convolve(world *w, bool correlate, weft_dtype dtype, weft_field field, weft_convolve_mode mode,
                           size_t n, size_t m) {
    const size_t parts = field == WEFT_COMPLEX ? 2 : 1, size = parts * weft_dtype_size(dtype);
    const size_t count = mode == WEFT_FULL ? n + m - 1 : mode == WEFT_SAME ? n : n - m + 1;
    char *const x = world_array(w, dtype, parts * n), *const h = world_array(w, dtype, parts * m);
    char *const one = world_memory(count, size);
    const cut c = world_cut(w, n);
    const size_t begin = c.begin[w->rank], next = w->rank + 1 == w->size ? count : c.begin[w->rank + 1];
    const size_t first = begin < count ? begin : count, own = (next < count ? next : count) - first;
    const size_t held = c.begin[w->rank + 1] - begin;
    char *const alone =
        world_memory(held + 2 * n, size); /* surrounded by values that differ from those of adjacent ranks */
    memcpy(alone + n * size, x + begin * size, held * size);
    const void *const part = world_put(w, held * size, alone + n * size);
    char *const many = world_result(w, own, size);
    (void)(correlate ? weft_correlate : weft_convolve)(w->alone, mode, dtype, field, n, x, m, h, one);
    const weft_status status = (correlate ? weft_dist_correlate : weft_dist_convolve)(
        w->d, mode, dtype, field, world_slice(w, &c), part, m, h, many);
    world_expect(w, status == WEFT_OK && world_same(w, own * size, one + first * size, many),
                 "convolve in %s, field %d, mode %d, correlate %d: %zu values, %zu taps", weft_dtype_name(dtype),
                 (int)field, (int)mode, (int)correlate, n, m);
    free(x);
    free(h);
    free(one);
    free(alone);
}

/* Checks filters with lengths on both sides of the limit for blocks, and as long as the signal. */
static void check_signals(world *w, size_t n) {
    static const size_t taps[] = {1, 2, 11, 64, 65, 100, 700, 5000};
    for (int k = 0; k < 4; k++)
        check_fft(w, k & 1 ? WEFT_F32 : WEFT_F64, (weft_fft_kind)k, n % 23, n % 3 ? (size_t)1 << n % 9 : n % 120 + 1);
    for (unsigned k = 0; k < 24 && n > 0; k++) {
        const size_t some = taps[world_draw(w) % 8], m = some < n ? some : n;
        check_convolve(w, world_draw(w) % 2, k & 1 ? WEFT_F32 : WEFT_F64, k & 2 ? WEFT_COMPLEX : WEFT_REAL,
                       (weft_convolve_mode)(k / 4 % 3), n, m);
    }
}

/* ------------------------------------------------------------------------------- formulas */

static void check_map(world *w, weft_dtype dtype, size_t n) {
    static const char formula[] = "a * s + b * (i + 1)";
    void *const a = world_array(w, WEFT_I16, n), *const b = world_array(w, dtype, n);
    void *const one = world_memory(n, 8);
    const float s = 3;
    const cut c = world_cut(w, n);
    void *const many = world_result(w, n, 8);
    const weft_binding whole[] = {{"a", WEFT_I16, a, NULL}, {"s", WEFT_F32, NULL, &s}, {"b", dtype, b, NULL}};
    const weft_binding part[] = {{"a", WEFT_I16, world_part(w, &c, WEFT_I16, a), NULL},
                                 {"s", WEFT_F32, NULL, &s},
                                 {"b", dtype, world_part(w, &c, dtype, b), NULL}};
    weft_expr *expr;
    double sum = 0, sums = 0;
    (void)weft_expr_compile(w->alone, formula, &expr);
    (void)weft_map(w->alone, expr, dtype, n, whole, 3, one);
    weft_status status = weft_dist_map(w->d, formula, dtype, world_slice(w, &c), part, 3, many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, dtype, one, many), "map in %s, %zu elements",
                 weft_dtype_name(dtype), n);
    (void)weft_map_reduce(w->alone, WEFT_NORM2, expr, dtype, WEFT_F64, n, whole, 3, &sum);
    status = weft_dist_map_reduce(w->d, WEFT_NORM2, formula, dtype, WEFT_F64, world_slice(w, &c), part, 3, &sums);
    world_expect(w, status == WEFT_OK && memcmp(&sum, &sums, sizeof sum) == 0, "map_reduce in %s, %zu elements",
                 weft_dtype_name(dtype), n);
    (void)weft_map_reduce(w->alone, WEFT_SUM, expr, dtype, WEFT_EXACT_SUM, n, whole, 3, &sum);
    status = weft_dist_map_reduce(w->d, WEFT_SUM, formula, dtype, WEFT_EXACT_SUM, world_slice(w, &c), part, 3, &sums);
    world_expect(w, status == WEFT_OK && memcmp(&sum, &sums, sizeof sum) == 0, "exact map_reduce in %s, %zu elements",
                 weft_dtype_name(dtype), n);
    weft_expr_free(expr);
    free(a);
    free(b);
    free(one);
}

/* -------------------------------------------------------------------------------- counts */

static void check_histogram(world *w, size_t n) {
    float *const x = world_memory(n, sizeof *x);
    const float edges[] = {-1, 0, 0.25F, 1, 7}, lower = -2, upper = 2;
    uint64_t one[100], many[100];
    for (size_t i = 0; i < n; i++) x[i] = (float)((double)(world_draw(w) >> 40) * 0x1p-22 - 2);
    const cut c = world_cut(w, n);
    (void)weft_histogram(w->alone, WEFT_F32, n, x, 4, edges, one);
    weft_status status =
        weft_dist_histogram(w->d, WEFT_F32, world_slice(w, &c), world_part(w, &c, WEFT_F32, x), 4, edges, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, 4 * sizeof *one) == 0, "histogram, %zu elements", n);
    (void)weft_histogram_even(w->alone, WEFT_F32, n, x, 100, &lower, &upper, one);
    status = weft_dist_histogram_even(w->d, WEFT_F32, world_slice(w, &c), world_part(w, &c, WEFT_F32, x), 100, &lower,
                                      &upper, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, sizeof one) == 0, "histogram_even, %zu elements", n);
    (void)weft_histogram(w->alone, WEFT_BF16, n, x, 4, edges, one);
    status =
        weft_dist_histogram(w->d, WEFT_BF16, world_slice(w, &c), world_part(w, &c, WEFT_BF16, x), 4, edges, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, 4 * sizeof *one) == 0, "histogram of bf16, %zu elements",
                 n);
    (void)weft_histogram_even(w->alone, WEFT_BF16, n, x, 100, &lower, &upper, one);
    status = weft_dist_histogram_even(w->d, WEFT_BF16, world_slice(w, &c), world_part(w, &c, WEFT_BF16, x), 100,
                                      &lower, &upper, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, sizeof one) == 0, "histogram_even of bf16, %zu elements",
                 n);
    free(x);
}

typedef struct scattered {
    weft_op op;
    weft_range range;
    weft_dtype dtype, accumulate, result, index_dtype;
    size_t n, columns, m;
    bool init;
} scattered;

/* Draws indices. Some targets have many elements and some, target 1 among them, have none. Some indices are out of
 * range if the call skips them. */
static void *draw_indices(world *w, const scattered *c) {
    char *const p = world_memory(c->n, 8);
    const size_t size = weft_dtype_size(c->index_dtype);
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t r = world_draw(w);
        uint64_t j = r % 3 == 0 ? c->m / 3 : r % 3 == 1 ? r / 64 % c->m : r / 64 % c->m / 2;
        if (j == 1) j = 0;
        if (r % 64 == 0 && c->range == WEFT_RANGE_SKIP) j = r % 128 == 0 ? c->m : UINT64_MAX;
        const uint32_t narrow = (uint32_t)j;
        memcpy(p + i * size, size == 4 ? (const void *)&narrow : &j, size);
    }
    return p;
}

static void check_scatter(world *w, const scattered *c) {
    const size_t row = c->columns * weft_dtype_size(c->dtype), size = weft_dtype_size(c->index_dtype);
    const size_t width = c->columns * weft_dtype_size(c->result);
    char *const x = world_array(w, c->dtype, c->n * c->columns), *const index = draw_indices(w, c);
    char *const first = world_array(w, c->result, c->m * c->columns), *const one = world_memory(c->m, width);
    if (c->m > 1) memset(first + width, 0xff, width); /* a NaN, which must keep its bits because target 1 is empty */
    const cut rows = world_cut(w, c->n);
    const size_t begin = rows.begin[w->rank], own = rows.begin[w->rank + 1] - begin;
    const weft_slice share = weft_dist_share(w->d, c->m);
    const void *const own_x = world_put(w, own * row, x + begin * row), *const own_index = world_put(
                                                                            w, own * size, index + begin * size);
    char *const own_first = world_put(w, share.count * width, first + share.offset * width);
    char *const many = world_draw(w) % 2 ? own_first : world_result(w, share.count, width);
    weft_status status = weft_scatter_reduce(w->alone, c->op, c->range, c->dtype, c->accumulate, c->index_dtype, c->n,
                                             c->columns, c->m, x, index, c->init ? first : NULL, one);
    world_expect(w, status == WEFT_OK, "scatter_reduce alone: %s", weft_last_error(w->alone));
    status = weft_dist_scatter_reduce(w->d, c->op, c->range, c->dtype, c->accumulate, c->index_dtype,
                                      world_slice(w, &rows), c->columns, c->m, own_x, own_index,
                                      c->init ? own_first : NULL, many);
    world_expect(w, status == WEFT_OK && world_same(w, share.count * width, one + share.offset * width, many),
                 "scatter_reduce with %s of %s, %zu rows of %zu columns, %zu targets, indices of %s",
                 weft_op_name(c->op), weft_dtype_name(c->dtype), c->n, c->columns, c->m,
                 weft_dtype_name(c->index_dtype));
    free(x);
    free(index);
    free(first);
    free(one);
}

static void check_scatter_count(world *w, const scattered *c) {
    const size_t size = weft_dtype_size(c->index_dtype);
    char *const index = draw_indices(w, c);
    uint64_t *const one = world_memory(c->m, sizeof *one), *const many = world_memory(c->m, sizeof *many);
    const cut rows = world_cut(w, c->n);
    const size_t begin = rows.begin[w->rank], own = rows.begin[w->rank + 1] - begin;
    const void *const own_index = world_put(w, own * size, index + begin * size);
    (void)weft_scatter_count(w->alone, c->range, c->index_dtype, c->n, c->m, index, one);
    const weft_status status =
        weft_dist_scatter_count(w->d, c->range, c->index_dtype, world_slice(w, &rows), c->m, own_index, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, c->m * sizeof *one) == 0, "scatter_count of %zu indices",
                 c->n);
    free(index);
    free(one);
    free(many);
}

/* Checks all operators, with more and fewer targets than rows, and with fewer targets than ranks. */
static void check_scatters(world *w, weft_dtype dtype, size_t n) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR, WEFT_MEAN};
    static const weft_dtype indices[] = {WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    const size_t targets[] = {1, 2, 30, n / 20 + 1, 2 * n + 3};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (int wide = 0; wide < 2 + is_half(dtype); wide++) {
            scattered c = {.op = ops[i],
                           .range = world_draw(w) % 2 ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR,
                           .dtype = dtype,
                           .accumulate = wide == 2 ? WEFT_F32
                                         : wide    ? WEFT_F64
                                                   : WEFT_DEFAULT,
                           .index_dtype = indices[world_draw(w) % 4],
                           .n = n,
                           .columns = world_draw(w) % 2 ? 1 : 3,
                           .m = targets[world_draw(w) % 5],
                           .init = ops[i] != WEFT_MEAN && world_draw(w) % 2};
            if (weft_reduce_result(c.op, dtype, c.accumulate, &c.result) != WEFT_OK) continue;
            if (c.op == WEFT_MEAN && is_half(c.result)) continue;
            check_scatter(w, &c);
            if (i < 2) check_scatter_count(w, &c);
        }
}

/* Checks words of 1 to 256 letters, some of which cross many borders. */
static void check_match(world *w, unsigned flags, size_t n) {
    char *const text = world_memory(n, 1), bytes[300];
    const uint64_t offsets[] = {0, 1, 4, 260};
    const weft_patterns patterns = {3, offsets, bytes};
    uint64_t one[3], many[3];
    for (size_t i = 0; i < n; i++) text[i] = world_draw(w) % 4 ? 'a' : "aB "[world_draw(w) % 3];
    for (size_t i = n / 3; i < n / 3 + 700 && i < n; i++) text[i] = 'a';
    memset(bytes, 'a', sizeof bytes);
    bytes[2] = 'b';
    const cut c = world_cut(w, n);
    (void)weft_match_count(w->alone, n, text, 0, n, &patterns, flags, one);
    const weft_status status =
        weft_dist_match_count(w->d, world_slice(w, &c), world_part(w, &c, WEFT_U8, text), &patterns, flags, many);
    world_expect(w, status == WEFT_OK && memcmp(one, many, sizeof one) == 0, "match, %zu bytes, flags %u", n, flags);
    free(text);
}

/* ------------------------------------------------------------------------------- paths */

static void check_price(world *w, weft_option option, weft_simulation simulation) {
    weft_valuation one = {.size = sizeof one}, many = {.size = sizeof many, .price = 1};
    const weft_status alone = weft_price(w->alone, &option, &simulation, &one);
    const weft_status together = weft_dist_price(w->d, &option, &simulation, &many);
    world_expect(w, alone == WEFT_OK && together == WEFT_OK && memcmp(&one, &many, sizeof one) == 0,
                 "price, %llu paths: %a, alone %a", (unsigned long long)simulation.paths, many.price, one.price);
}

static void check_prices(world *w) {
    static const double start[] = {1, 1.5}, volatility[] = {0.1, 0.3}, correlation[] = {1, 0.5, 0.5, 1};
    static const uint64_t paths[] = {2, 3, 2047, 2048, 2049, 10000, 70001};
    const weft_option asian = {.size = sizeof asian,
                               .payoff = WEFT_CALL,
                               .observed = WEFT_OBSERVE_MEAN,
                               .strike = 1,
                               .rate = 0.05,
                               .maturity = 1,
                               .assets = 1,
                               .start = start,
                               .volatility = volatility};
    const weft_option corridor = {.size = sizeof corridor,
                                  .payoff = WEFT_CORRIDOR,
                                  .width = 0.1,
                                  .rate = 0.05,
                                  .maturity = 1,
                                  .assets = 2,
                                  .start = start,
                                  .volatility = volatility,
                                  .correlation = correlation};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const weft_simulation s = {
            .size = sizeof s, .dtype = i % 2 ? WEFT_F32 : WEFT_F64, .steps = 3, .paths = paths[i], .seed = i};
        check_price(w, asian, s);
        check_price(w, corridor,
                    (weft_simulation){.size = sizeof(weft_simulation),
                                      .dtype = s.dtype,
                                      .scheme = WEFT_EULER,
                                      .steps = 2,
                                      .paths = paths[i],
                                      .antithetic = 1,
                                      .greeks = 1});
    }
    check_price(w, asian,
                (weft_simulation){
                    .size = sizeof(weft_simulation), .dtype = WEFT_F64, .steps = 2, .paths = 30000, .control = 1});
    check_price(
        w, asian,
        (weft_simulation){
            .size = sizeof(weft_simulation), .dtype = WEFT_F32, .steps = 2, .paths = 16384, .scramblings = 4});
}

static void check_all(world *w) {
    static const size_t lengths[] = {0, 1, 2, 7, 100, 2047, 2048, 4097, 9000, 70000, 300001};
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I8,  WEFT_I32,
                                       WEFT_U16, WEFT_I64, WEFT_F16, WEFT_BF16};
    const bool is_short = w->state == 0;
    for (size_t k = 0; k + is_short < sizeof lengths / sizeof *lengths; k++) {
        const size_t n = lengths[k];
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            check_reductions(w, types[t], n);
            check_sort(w, types[t], t % 2 ? WEFT_DESCENDING : WEFT_ASCENDING, world_draw(w) % 2, n);
            check_scatters(w, types[t], n);
        }
        check_scans(w, n);
        check_random(w, n);
        check_map(w, WEFT_F32, n);
        check_map(w, WEFT_F64, n);
        check_histogram(w, n);
        for (int k = 0; k < 8; k++)
            check_recurrence(w, k & 1 ? WEFT_F32 : WEFT_F64, k & 2 ? WEFT_FORWARD : WEFT_REVERSE, k & 4, n);
        check_signals(w, n);
        check_tridiag(w, n % 101);
        check_long_systems(w, n);
        check_laplace(w, WEFT_F32, 1 + n % 37, k);
        check_laplace(w, WEFT_F64, 1 + k, 3 * k);
        for (unsigned flags = 0; flags < 4; flags++) check_match(w, flags, n);
    }
    if (!is_short) check_long_scans(w);
    for (size_t sweeps = 1; sweeps < 20; sweeps += 4) check_laplace(w, WEFT_F32, 700, sweeps);
    check_norms(w, 1e-280);
    check_norms(w, 1e280);
    check_prices(w);
    check_products(w, is_short);
    check_pencils(w, is_short);
    check_spectra(w, is_short);
}

int main(int argc, char **argv) {
    if (argc > 3) return world_run_threads(atoi(argv[3]), argv[1], strtoull(argv[2], NULL, 10), check_all);
    world w = world_open(argc, argv);
    check_all(&w);
    return world_close(&w);
}
