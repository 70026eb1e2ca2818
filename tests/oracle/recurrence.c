/* Compares recurrences with a plain loop in 113-bit precision and with exact integers, and tests the rules of
 * ORDER.md 9 as literal expectations. */
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 20557 };
static weft_context *ctx;
static double s[N], u[N], v[N], w[N]; /* f64, also used for f32 */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double real(weft_dtype dtype, const void *x, size_t i) {
    return dtype == WEFT_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}
static void store(weft_dtype dtype, void *x, size_t i, double value) {
    if (dtype == WEFT_F32)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

static void run(weft_dtype dtype, weft_direction direction, size_t rows, size_t n, const void *init, void *to) {
    EXPECT_STATUS(ctx, weft_recurrence(ctx, direction, dtype, rows, n, s, u, init, to), WEFT_OK);
}

/* ------------------------------------------------------------------------------------ inputs */

typedef enum factors { UNIFORM, SLOW_DECAY, FAST_DECAY, ONES, SIGNS, NEAR_ONE, TO_TWO, WITH_ZEROS, FACTORS } factors;
static const char *const NAMES[] = {"uniform in [-1, 1]", "0.9999",       "0.25",      "1",
                                    "1 and -1",           "0.99 to 1.01", "in [0, 2]", "in [-1, 1], every 97th 0"};

/* Returns a number in [0, 1), from the upper half of a random number. */
static double fraction(uint64_t seed, size_t i) { return (double)(input_random(seed, i) >> 32) * 0x1p-32; }

static double factor(factors kind, size_t i) {
    const double r = fraction(1000 + (uint64_t)kind, i);
    switch (kind) {
    case SLOW_DECAY: return 0.9999;
    case FAST_DECAY: return 0.25;
    case ONES: return 1;
    case SIGNS: return r < 0.5 ? -1 : 1;
    case NEAR_ONE: return 0.99 + 0.02 * r;
    case TO_TWO: return 2 * r;
    case WITH_ZEROS: return i % 97 == 50 ? 0 : 2 * r - 1;
    default: return 2 * r - 1;
    }
}

static void fill(weft_dtype dtype, factors kind, size_t n) {
    for (size_t i = 0; i < n; i++) {
        store(dtype, s, i, factor(kind, i));
        store(dtype, u, i, 2 * fraction(77, i) - 1);
    }
}

/* ---------------------------------------------------------------------------------- accuracy */

/* Checks the bound in docs/ops/recurrence.md "Accuracy": a term u[j] s[j+1] ... s[i] has been rounded at most i - j +
 * 1
 * + 16 + 5 L times, where L = ceil(log16(i + 2)). `terms` is the sum of all their magnitudes, `aged` the sum of i - j
 * + 1 times their magnitudes. */
static void check_bound(weft_dtype dtype, weft_direction direction, factors kind, size_t n) {
    const double unit = (dtype == WEFT_F32 ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    const double least = dtype == WEFT_F32 ? (double)FLT_MIN : DBL_MIN;
    wide exact = 0.75, terms = 0.75, aged = 0;
    uint64_t init = 0;
    store(dtype, &init, 0, 0.75);
    run(dtype, direction, 1, n, &init, v);
    for (size_t k = 0; k < n; k++) {
        const size_t i = direction == WEFT_REVERSE ? n - 1 - k : k;
        const wide a = (wide)real(dtype, s, i), b = (wide)real(dtype, u, i);
        exact = a * exact + b;
        aged = oracle_magnitude(a) * (aged + terms) + oracle_magnitude(b);
        terms = oracle_magnitude(a) * terms + oracle_magnitude(b);
        const double times = 16 + 5 * ceil(log2((double)k + 2) / 4);
        const wide bound = (1 + 1e-3) * unit * (aged + times * terms) + least * unit * 64;
        if (oracle_magnitude((wide)real(dtype, v, i) - exact) <= bound) continue;
        EXPECT(false, "%s, s %s, n = %zu: v[%zu] = %a, exact %a, bound %g", weft_dtype_name(dtype), NAMES[kind], n, i,
               real(dtype, v, i), (double)exact, (double)bound);
        return;
    }
    EXPECT(n > 0, "nothing was checked");
}

static void accuracy(void) {
    static const size_t sizes[] = {1, 15, 16, 17, 257, 4096, 4097, N};
    for (int kind = 0; kind < FACTORS; kind++)
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (int d = WEFT_F32; d <= WEFT_F64; d++) {
                fill((weft_dtype)d, (factors)kind, sizes[k]);
                check_bound((weft_dtype)d, WEFT_FORWARD, (factors)kind, sizes[k]);
                check_bound((weft_dtype)d, WEFT_REVERSE, (factors)kind, sizes[k]);
            }
}

/* Checks integers that stay small, from s = -1, 0, 1. Nothing is rounded, so every value is that of the loop. */
static void whole_numbers(void) {
    for (int d = WEFT_F32; d <= WEFT_F64; d++) {
        const weft_dtype dtype = (weft_dtype)d;
        int64_t value = 0;
        size_t wrong = 0;
        for (size_t i = 0; i < N; i++) {
            store(dtype, s, i, (double)(int)(input_random(3, i) % 64) < 1 ? 0 : input_random(4, i) & 1 ? 1 : -1);
            store(dtype, u, i, (double)(input_random(5, i) % 201) - 100);
        }
        run(dtype, WEFT_FORWARD, 1, N, NULL, v);
        for (size_t i = 0; i < N; i++) {
            value = (int64_t)real(dtype, s, i) * value + (int64_t)real(dtype, u, i);
            wrong += real(dtype, v, i) != (double)value;
        }
        EXPECT(wrong == 0, "%zu of %d whole numbers of %s are wrong", wrong, N, weft_dtype_name(dtype));
    }
}

/* Checks results larger than the caches, which the CPU backend writes with other stores, at several alignments. */
static void long_results(void) {
    enum { POSITIONS_MAX = 9 };
    const size_t n = ((size_t)1 << 23) + 77;
    const float poison = -12345;
    float *factors = malloc(n * sizeof *factors), *terms = malloc(n * sizeof *terms);
    float *to = malloc((n + POSITIONS_MAX + 1) * sizeof *to);
    const bool there = EXPECT(factors && terms && to, "cannot allocate memory for %zu elements", n);
    for (size_t i = 0; there && i < n; i++) {
        const uint64_t r = input_random(8, i);
        factors[i] = r % 64 == 0 ? 0 : r & 64 ? 1 : -1;
        terms[i] = (float)(r >> 8 & 127) - 64;
    }
    for (size_t position = 0; there && position <= POSITIONS_MAX; position += 3) {
        const bool reverse = position % 2;
        const weft_direction direction = reverse ? WEFT_REVERSE : WEFT_FORWARD;
        float value = 0;
        size_t wrong = 0;
        for (size_t i = 0; i < n + POSITIONS_MAX + 1; i++) to[i] = poison;
        EXPECT_STATUS(ctx, weft_recurrence(ctx, direction, WEFT_F32, 1, n, factors, terms, NULL, to + position),
                      WEFT_OK);
        for (size_t k = 0; k < n; k++) {
            const size_t i = reverse ? n - 1 - k : k;
            value = factors[i] * value + terms[i];
            wrong += to[position + i] != value;
        }
        EXPECT(wrong == 0, "%zu of %zu values at position %zu are wrong", wrong, n, position);
        for (size_t i = 0; i < position; i++) EXPECT(to[i] == poison, "position %zu: written before v", position);
        EXPECT(to[position + n] == poison, "position %zu: written after the end of v", position);
    }
    free(factors);
    free(terms);
    free(to);
}

/* -------------------------------------------------------------------------------- properties */

static bool same(weft_dtype dtype, const void *a, const void *b, size_t n) {
    return memcmp(a, b, n * weft_dtype_size(dtype)) == 0;
}

static void reverse_inputs(weft_dtype dtype, void *x, size_t n) {
    for (size_t i = 0; i < n / 2; i++) {
        const double a = real(dtype, x, i);
        store(dtype, x, i, real(dtype, x, n - 1 - i));
        store(dtype, x, n - 1 - i, a);
    }
}

static void check_properties(weft_dtype dtype, factors kind) {
    static const size_t parts[] = {1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 8193, 16385};
    const size_t size = weft_dtype_size(dtype);
    const char *const type = weft_dtype_name(dtype);
    fill(dtype, kind, N);
    run(dtype, WEFT_FORWARD, 1, N, NULL, v);
    for (size_t p = 0; p < COUNT(parts); p++) {
        run(dtype, WEFT_FORWARD, 1, parts[p], NULL, w);
        EXPECT(same(dtype, v, w, parts[p]), "%s, s %s: the first %zu values are not those of %zu elements", type,
               NAMES[kind], parts[p], parts[p]);
    }
    memcpy(w, s, N * size);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_FORWARD, dtype, 1, N, w, u, NULL, w), WEFT_OK);
    EXPECT(same(dtype, v, w, N), "%s, s %s: v equal to s is not the same", type, NAMES[kind]);
    memcpy(w, u, N * size);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_FORWARD, dtype, 1, N, s, w, NULL, w), WEFT_OK);
    EXPECT(same(dtype, v, w, N), "%s, s %s: v equal to u is not the same", type, NAMES[kind]);
    reverse_inputs(dtype, s, N);
    reverse_inputs(dtype, u, N);
    run(dtype, WEFT_REVERSE, 1, N, NULL, w);
    reverse_inputs(dtype, w, N);
    EXPECT(same(dtype, v, w, N), "%s, s %s: reverse is not forward from the other end", type, NAMES[kind]);
}

/* Checks that a row has the bits of a separate call. */
static void check_rows(weft_dtype dtype, weft_direction direction, size_t n) {
    const size_t rows = N / n, size = weft_dtype_size(dtype);
    static double init[N];
    fill(dtype, NEAR_ONE, N);
    for (size_t r = 0; r < rows; r++) store(dtype, init, r, fraction(9, r));
    run(dtype, direction, rows, n, init, v);
    for (size_t r = 0; r < rows; r++) {
        const size_t at = r * n * size;
        const weft_status status = weft_recurrence(ctx, direction, dtype, 1, n, (char *)s + at, (char *)u + at,
                                                   (char *)init + r * size, (char *)w + at);
        if (!EXPECT_STATUS(ctx, status, WEFT_OK)) return;
    }
    EXPECT(same(dtype, v, w, rows * n), "%zu rows of %zu %s differ from single calls", rows, n,
           weft_dtype_name(dtype));
}

static void properties(void) {
    static const size_t lengths[] = {1, 3, 16, 17, 100, 256, 257, 1000, 4096, 5000, N};
    for (int d = WEFT_F32; d <= WEFT_F64; d++) {
        for (int kind = 0; kind < FACTORS; kind++) check_properties((weft_dtype)d, (factors)kind);
        for (size_t k = 0; k < COUNT(lengths); k++) {
            check_rows((weft_dtype)d, WEFT_FORWARD, lengths[k]);
            check_rows((weft_dtype)d, WEFT_REVERSE, lengths[k]);
        }
    }
}

/* Checks that up to 16 elements equal the plain loop. */
static void short_loops(void) {
    for (int kind = 0; kind < FACTORS; kind++) {
        double value = 0;
        fill(WEFT_F64, (factors)kind, 16);
        run(WEFT_F64, WEFT_FORWARD, 1, 16, NULL, v);
        for (size_t i = 0; i < 16; i++) {
            value = fma(s[i], value, u[i]);
            EXPECT(v[i] == value, "s %s: v[%zu] = %a, the loop has %a", NAMES[kind], i, v[i], value);
        }
    }
}

/* ------------------------------------------------------------------- zeros, infinities, NaN */

static void all(double factor, double term) {
    for (size_t i = 0; i < N; i++) s[i] = factor, u[i] = term;
}

/* Positions in groups, blocks and tiles. */
static const size_t POSITIONS[] = {0, 1, 14, 15, 16, 255, 256, 4096, 5000, 16383, N - 1};

/* Checks factors of 2, whose products overflow from 1024 elements on. Values that are exactly zero must stay zero. */
static void overflown_products(void) {
    all(2, 0);
    run(WEFT_F64, WEFT_FORWARD, 1, N, NULL, v);
    size_t i = 0;
    while (i < N && v[i] == 0) i++;
    EXPECT(i == N, "s = 2, u = 0, from 0: v[%zu] = %a", i, v[i % N]);
    for (size_t p = 0; p < COUNT(POSITIONS); p++) { /* zeros, then 1 and its halves */
        all(2, 0);
        const size_t at = POSITIONS[p];
        u[at] = 1;
        for (i = at + 1; i < N; i++) s[i] = 0.5;
        run(WEFT_F64, WEFT_FORWARD, 1, N, NULL, v);
        i = 0;
        while (i < N && v[i] == (i < at ? 0 : ldexp(1, -(int)(i - at < 1100 ? i - at : 1100)))) i++;
        EXPECT(i == N, "zeros, and 1 at %zu: v[%zu] = %a", at, i, v[i % N]);
    }
}

/* Checks that a factor 0 removes the influence of earlier elements: if they are finite, also if products have
 * overflowed. */
static void cut_off(void) {
    for (size_t p = 0; p < COUNT(POSITIONS); p++) {
        const size_t at = POSITIONS[p];
        all(1.5, 0);
        for (size_t i = 0; i < at; i++)
            s[i] = i % 2 ? 3 : 0.25; /* the values before are small, and so are their products */
        for (size_t i = at; i < N; i++) s[i] = 1, u[i] = 1;
        s[at] = 0;
        const double init = 5;
        run(WEFT_F64, WEFT_FORWARD, 1, N, &init, v);
        size_t i = at;
        while (i < N && v[i] == (double)(i - at + 1)) i++;
        EXPECT(i == N, "s[%zu] = 0: v[%zu] = %a", at, i, v[i % N]);
        all(1e300, 0);
        s[at] = 0;
        for (i = at; i < N; i++) u[i] = 1;
        for (i = at + 1; i < N; i++) s[i] = 1;
        run(WEFT_F64, WEFT_FORWARD, 1, N, NULL, v);
        i = at;
        while (i < N && v[i] == (double)(i - at + 1)) i++;
        EXPECT(i == N, "s[%zu] = 0 after products that overflow: v[%zu] = %a", at, i, v[i % N]);
    }
}

/* Checks that a NaN or infinity at `at` does not change the values before it. From it on no value is finite, and each
 * NaN is canonical. */
static void check_not_finite(bool in_factor, double what, size_t at, bool cut) {
    const uint64_t canonical = UINT64_C(0x7ff8000000000000);
    fill(WEFT_F64, UNIFORM, N);
    if (cut && at + 40 < N) s[at + 40] = 0; /* 0 times infinity or NaN is a NaN in the loop, too */
    run(WEFT_F64, WEFT_FORWARD, 1, N, NULL, w);
    (in_factor ? s : u)[at] = what;
    run(WEFT_F64, WEFT_FORWARD, 1, N, NULL, v);
    EXPECT(same(WEFT_F64, v, w, at), "%a at %zu changes what is before it", what, at);
    size_t i = at;
    for (; i < N && !isfinite(v[i]); i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        if (isnan(v[i]) && bits != canonical) break;
        if (isnan(what) && !isnan(v[i])) break;
    }
    EXPECT(i == N, "%s[%zu] = %a: v[%zu] = %a", in_factor ? "s" : "u", at, what, i, v[i % N]);
}

static void not_finite(void) {
    const double what[] = {-NAN, INFINITY, -INFINITY};
    for (size_t p = 1; p < COUNT(POSITIONS); p++)
        for (size_t k = 0; k < COUNT(what); k++)
            for (int cut = 0; cut < 2; cut++) {
                check_not_finite(false, what[k], POSITIONS[p], cut);
                check_not_finite(true, what[k], POSITIONS[p], cut);
            }
}

/* Checks products that underflow: the values that they multiply have decayed in the loop, too. */
static void underflown_products(void) {
    const double init = 0x1p100;
    all(0.5, 1);
    run(WEFT_F64, WEFT_FORWARD, 1, N, &init, v);
    size_t i = 200;
    while (i < N && v[i] == 2) i++;
    EXPECT(i == N, "s = 0.5, u = 1: v[%zu] = %a", i, v[i % N]);
    all(-0.125, 0);
    run(WEFT_F64, WEFT_FORWARD, 1, N, &init, v);
    i = 400;
    while (i < N && v[i] == 0) i++;
    EXPECT(i == N, "s = -0.125, u = 0: v[%zu] = %a", i, v[i % N]);
}

/* ---------------------------------------------------------------------------------- literals */

/* Checks cases in which the order of operations matters: the second group starts from the result of the first one's
 * map, not from its last value. */
static void order(void) {
    const double h = 0x1p-53; /* 1 + h is 1 and 1 + 3 h is 1 + 4 h, rounded to even */
    const double init = 1;
    for (size_t i = 0; i < 17; i++) s[i] = 1, u[i] = 0;
    u[0] = h, u[1] = 3 * h;
    run(WEFT_F64, WEFT_FORWARD, 1, 17, &init, v);
    EXPECT(v[0] == 1 && v[1] == 1 + 4 * h && v[15] == 1 + 4 * h, "in a group: %a, %a, %a", v[0], v[1], v[15]);
    u[1] = h;
    run(WEFT_F64, WEFT_FORWARD, 1, 17, &init, v);
    EXPECT(v[15] == 1 && v[16] == 1 + 2 * h, "after a group: %a, %a", v[15], v[16]);
}

/* Checks the classic recurrence: s and u are 2 rand() / RAND_MAX of the GNU C library without a call of srand(), s
 * before u. */
static void known(void) {
    static const double wanted[] = {0.788765853638186, 2.83224392237486, 5.55911811631788};
    uint32_t r[31] = {1};
    unsigned at = 3;
    for (int i = 1; i < 31; i++) r[i] = (uint32_t)((uint64_t)r[i - 1] * 16807 % 2147483647);
    for (int i = 0; i < 310 + 200; i++) {
        r[at] += r[(at + 28) % 31];
        const double value = 2 * ((double)(r[at] >> 1) / 2147483647.0);
        at = (at + 1) % 31;
        if (i >= 310) ((i - 310) % 2 ? u : s)[(i - 310) / 2] = value;
    }
    run(WEFT_F64, WEFT_FORWARD, 1, 100, NULL, v);
    for (size_t i = 0; i < COUNT(wanted); i++)
        EXPECT(fabs(v[i] - wanted[i]) <= 1e-14 * wanted[i], "v[%zu] = %.15g", i, v[i]);
    EXPECT(fabs(v[99] - 13.0469392478383) <= 1e-12, "v[99] = %.15g", v[99]);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    accuracy();
    whole_numbers();
    long_results();
    properties();
    short_loops();
    overflown_products();
    cut_off();
    not_finite();
    underflown_products();
    order();
    known();
    weft_close(ctx);
    return expect_end();
}
