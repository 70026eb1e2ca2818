/* Compares prefix scans of floats with prefix sums in 113-bit precision, and operations whose order does not matter
 * with a plain loop; and tests the rules of ORDER.md 6 as literal expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { N = 20557 };
static weft_context *ctx;
static uint64_t x[N], y[N + 1], z[N + 1], other[N]; /* capacity for elements of any type */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double real(weft_dtype dtype, const void *v, size_t i) { return (double)oracle_element(dtype, v, i); }

static uint64_t bits(weft_dtype dtype, const void *v, size_t i) {
    const size_t size = weft_dtype_size(dtype);
    uint64_t b = 0;
    memcpy(&b, (const char *)v + i * size, size);
    return b;
}

static void run(weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *init,
                void *to) {
    EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, dtype, accumulate, n, x, init, to), WEFT_OK);
}

/* ------------------------------------------------------------------------------- accuracy */

/* Checks |y[i] - exact| <= 5 ceil(log2(i + 2) / 4) eps/2 sum of |x[0..i]|, docs/ops/scan.md "Accuracy". */
static void check_bound(weft_dtype dtype, weft_dtype accumulate, input_kind kind, size_t n) {
    const weft_dtype result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const double unit = (result == WEFT_F32 ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    wide sum = 0, magnitudes = 0;
    run(WEFT_SUM, WEFT_INCLUSIVE, dtype, accumulate, n, NULL, y);
    for (size_t i = 0; i < n; i++) {
        const wide element = oracle_element(dtype, x, i);
        sum += element;
        magnitudes += oracle_magnitude(element);
        const wide bound = 5 * ceil(log2((double)i + 2) / 4) * unit * magnitudes;
        if (oracle_magnitude((wide)real(result, y, i) - sum) <= bound) continue;
        EXPECT(false, "sum of %s, n = %zu, input %s: y[%zu] = %a, exact %a, bound %g", weft_dtype_name(dtype), n,
               input_name(kind), i, real(result, y, i), (double)sum, (double)bound);
        return;
    }
    EXPECT(n > 0, "nothing was checked");
}

static void accuracy(void) {
    static const input_kind kinds[] = {INPUT_MIXED, INPUT_UNIFORM, INPUT_CANCEL, INPUT_EQUAL, INPUT_SIGNED_ZEROS};
    static const size_t sizes[] = {1, 15, 16, 17, 257, 4096, 4097, N};
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            input_fill(kinds[k], WEFT_F32, k + s, sizes[s], x);
            check_bound(WEFT_F32, WEFT_DEFAULT, kinds[k], sizes[s]);
            check_bound(WEFT_F32, WEFT_F64, kinds[k], sizes[s]);
            input_fill(kinds[k], WEFT_F64, k + s, sizes[s], x);
            check_bound(WEFT_F64, WEFT_DEFAULT, kinds[k], sizes[s]);
        }
}

/* -------------------------------------------------------------------- order does not matter */

/* Returns true if b precedes a: by value, -0 before +0. */
static bool precedes(weft_dtype dtype, const void *v, size_t a, size_t b) {
    const wide p = oracle_element(dtype, v, a), q = oracle_element(dtype, v, b);
    if (p != q || !type_is_real(dtype)) return q < p;
    return signbit(real(dtype, v, b)) && !signbit(real(dtype, v, a));
}

/* Finds the minimum or maximum of x[0..i] for each i, as the index of that element. */
static void check_extremes(weft_op op, weft_dtype dtype, size_t n, input_kind kind) {
    size_t best = 0;
    run(op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n, NULL, y);
    for (size_t i = 0; i < n; i++) {
        const bool nan = type_is_real(dtype) && isnan(real(dtype, x, best));
        const bool better = op == WEFT_MIN ? precedes(dtype, x, best, i) : precedes(dtype, x, i, best);
        if (!nan && (better || (type_is_real(dtype) && isnan(real(dtype, x, i))))) best = i;
        uint64_t wanted = bits(dtype, x, best);
        if (type_is_real(dtype) && isnan(real(dtype, x, best))) oracle_store(dtype, NAN, &wanted);
        if (bits(dtype, y, i) == wanted) continue;
        EXPECT(false, "%s of %s, n = %zu, input %s: y[%zu] = 0x%" PRIx64 ", wanted 0x%" PRIx64, weft_op_name(op),
               weft_dtype_name(dtype), n, input_name(kind), i, bits(dtype, y, i), wanted);
        return;
    }
    EXPECT(n > 0, "nothing was checked");
}

static uint64_t joined(weft_op op, uint64_t a, uint64_t b) {
    switch (op) {
    case WEFT_SUM: return a + b;
    case WEFT_PROD: return a * b;
    case WEFT_AND: return a & b;
    case WEFT_OR: return a | b;
    default: return a ^ b;
    }
}

/* Checks integers. They wrap in the width of the result, which equals the low bits of a 64-bit loop. */
static void check_integers(weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n, input_kind kind) {
    const weft_dtype result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const uint64_t mask = UINT64_MAX >> (64 - 8 * weft_dtype_size(result));
    uint64_t value = 0;
    run(op, WEFT_INCLUSIVE, dtype, accumulate, n, NULL, y);
    for (size_t i = 0; i < n; i++) {
        const wide element = oracle_element(dtype, x, i);
        const uint64_t whole = element < 0 ? -(uint64_t)-element : (uint64_t)element;
        value = i ? joined(op, value, whole) : whole;
        if (bits(result, y, i) == (value & mask)) continue;
        EXPECT(false, "%s of %s in %s, n = %zu, input %s: y[%zu] = 0x%" PRIx64 ", wanted 0x%" PRIx64,
               weft_op_name(op), weft_dtype_name(dtype), weft_dtype_name(result), n, input_name(kind), i,
               bits(result, y, i), value & mask);
        return;
    }
    EXPECT(n > 0, "nothing was checked");
}

static void check_type(weft_dtype dtype, input_kind kind, size_t n) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_AND, WEFT_OR, WEFT_XOR};
    check_extremes(WEFT_MIN, dtype, n, kind);
    check_extremes(WEFT_MAX, dtype, n, kind);
    if (type_is_real(dtype)) return;
    for (size_t o = 0; o < COUNT(ops); o++) check_integers(ops[o], dtype, WEFT_DEFAULT, n, kind);
    for (size_t o = 0; o < 2 && dtype != WEFT_I64 && dtype != WEFT_U64; o++)
        check_integers(ops[o], dtype, dtype < WEFT_U8 ? WEFT_I64 : WEFT_U64, n, kind);
}

static void orderless(void) {
    static const size_t sizes[] = {1, 16, 17, 4097, N};
    for (int d = WEFT_I8; d <= WEFT_BF16; d++)
        for (int k = 0; k < INPUT_COUNT; k++)
            for (size_t s = 0; s < COUNT(sizes); s++) {
                if (d == WEFT_EXACT_SUM || !input_fits((input_kind)k, (weft_dtype)d)) continue;
                input_fill((input_kind)k, (weft_dtype)d, 1 + s, sizes[s], x);
                check_type((weft_dtype)d, (input_kind)k, sizes[s]);
            }
}

/* ---------------------------------------------------------------------------- floats of 16 bits */

/* Checks that sums and products of f16 or bf16 have the bits of those of the same numbers as f32, or as f64, rounded
 * once. */
static void check_halves(weft_op op, weft_dtype dtype, weft_dtype accumulate, input_kind kind, size_t n,
                         const void *init) {
    const weft_dtype combined = accumulate == WEFT_F64 ? WEFT_F64 : WEFT_F32;
    const weft_dtype result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const size_t size = weft_dtype_size(combined);
    uint64_t first = 0;
    for (int way = WEFT_INCLUSIVE; way <= WEFT_EXCLUSIVE; way++) {
        run(op, (weft_scan_kind)way, dtype, accumulate, n, init, y);
        for (size_t i = 0; i < n; i++) oracle_store(combined, real(dtype, x, i), (char *)other + i * size);
        if (init) oracle_store(combined, real(result, init, 0), &first);
        EXPECT_STATUS(
            ctx, weft_scan(ctx, op, (weft_scan_kind)way, combined, WEFT_DEFAULT, n, other, init ? &first : NULL, z),
            WEFT_OK);
        for (size_t i = 0; i < n; i++) {
            uint64_t wanted = 0;
            oracle_store(result, real(combined, z, i), &wanted);
            if (bits(result, y, i) == wanted) continue;
            EXPECT(false, "%s of %s, n = %zu, input %s: y[%zu] = 0x%" PRIx64 ", wanted 0x%" PRIx64, weft_op_name(op),
                   weft_dtype_name(dtype), n, input_name(kind), i, bits(result, y, i), wanted);
            return;
        }
    }
}

static void halves(void) {
    static const weft_dtype types[] = {WEFT_F16, WEFT_BF16}, accumulates[] = {WEFT_DEFAULT, WEFT_F32, WEFT_F64};
    static const size_t sizes[] = {1, 2, 15, 16, 17, 257, 4097, N};
    for (size_t t = 0; t < COUNT(types); t++)
        for (int k = 0; k < INPUT_COUNT; k++)
            for (size_t s = 0; s < COUNT(sizes); s++)
                for (size_t a = 0; a < COUNT(accumulates) && input_fits((input_kind)k, types[t]); a++) {
                    const weft_dtype result = a > 0 ? accumulates[a] : types[t];
                    uint64_t init = 0;
                    input_fill((input_kind)k, types[t], 1 + s, sizes[s], x);
                    input_fill(INPUT_MIXED, result, s, 1, &init);
                    check_halves(WEFT_SUM, types[t], accumulates[a], (input_kind)k, sizes[s], NULL);
                    check_halves(WEFT_SUM, types[t], accumulates[a], (input_kind)k, sizes[s], &init);
                    check_halves(WEFT_PROD, types[t], accumulates[a], (input_kind)k, sizes[s], s % 2 ? &init : NULL);
                }
}

/* -------------------------------------------------------------------------------- properties */

/* Checks that inclusive y[i] is exclusive y[i + 1], that the scan of a prefix is a prefix of the scan, and that a
 * scan in place has identical bits. */
static void check_properties(weft_op op, weft_dtype dtype, const void *init, size_t n, input_kind kind) {
    static const size_t parts[] = {1, 15, 16, 17, 255, 4095, 4096, 4097, 8193, 16385};
    const size_t size = weft_dtype_size(dtype);
    const char *const name = weft_op_name(op), *const type = weft_dtype_name(dtype);
    run(op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n, init, y);
    run(op, WEFT_EXCLUSIVE, dtype, WEFT_DEFAULT, n, init, z);
    EXPECT(memcmp(y, (char *)z + size, (n - 1) * size) == 0, "%s of %s, n = %zu, input %s: exclusive is not shifted",
           name, type, n, input_name(kind));
    if (init && !(type_is_float(dtype) && isnan(real(dtype, init, 0))))
        EXPECT(memcmp(z, init, size) == 0, "%s of %s: exclusive y[0] is not the initial value", name, type);
    for (size_t p = 0; p < COUNT(parts) && parts[p] < n; p++) {
        run(op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, parts[p], init, z);
        EXPECT(memcmp(y, z, parts[p] * size) == 0, "%s of %s, input %s: the scan of %zu is not that of %zu", name,
               type, input_name(kind), parts[p], n);
    }
    memcpy(z, x, n * size);
    EXPECT_STATUS(ctx, weft_scan(ctx, op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n, z, init, z), WEFT_OK);
    EXPECT(memcmp(y, z, n * size) == 0, "%s of %s, n = %zu, input %s: in place is not the same", name, type, n,
           input_name(kind));
}

static void properties(void) {
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX};
    static const input_kind kinds[] = {INPUT_MIXED, INPUT_NEAR_ONE, INPUT_NAN_ONE, INPUT_NEGATIVE_ZEROS,
                                       INPUT_LARGEST};
    for (size_t o = 0; o < COUNT(ops); o++)
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (int d = WEFT_F32; d <= WEFT_F64; d++) {
                uint64_t init;
                input_fill(kinds[k], (weft_dtype)d, 77, 1, &init);
                input_fill(kinds[k], (weft_dtype)d, 1, N, x);
                check_properties(ops[o], (weft_dtype)d, NULL, N, kinds[k]);
                check_properties(ops[o], (weft_dtype)d, &init, N, kinds[k]);
            }
}

/* Checks that a NaN at `where` does not change the values before it, and that all values from there on are NaN. */
static void check_nan(weft_op op, weft_dtype dtype, size_t where) {
    const uint64_t nan = dtype == WEFT_F32 ? 0xff812345 : UINT64_C(0xfff0123456789abc);
    const uint64_t canonical = dtype == WEFT_F32 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000);
    const size_t size = weft_dtype_size(dtype);
    input_fill(INPUT_UNIFORM, dtype, 5, N, x);
    run(op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, N, NULL, z);
    memcpy((char *)x + where * size, &nan, size);
    run(op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, N, NULL, y);
    EXPECT(memcmp(y, z, where * size) == 0, "%s of %s: a NaN at %zu changes what is before it", weft_op_name(op),
           weft_dtype_name(dtype), where);
    size_t i = where;
    while (i < N && bits(dtype, y, i) == canonical) i++;
    EXPECT(i == N, "%s of %s: a NaN at %zu, and y[%zu] is 0x%" PRIx64, weft_op_name(op), weft_dtype_name(dtype),
           where, i, bits(dtype, y, i % N));
}

static void not_a_number(void) {
    static const size_t positions[] = {0, 1, 14, 15, 16, 255, 256, 4096, 5000, 16383, N - 1};
    for (size_t p = 0; p < COUNT(positions); p++)
        for (weft_op op = WEFT_SUM; op <= WEFT_MAX; op++) {
            check_nan(op, WEFT_F32, positions[p]);
            check_nan(op, WEFT_F64, positions[p]);
        }
}

/* --------------------------------------------------------------------------------- literals */

static void is(const double *wanted, size_t n, const char *what) {
    for (size_t i = 0; i < n; i++)
        EXPECT(memcmp(&wanted[i], (double *)y + i, sizeof *wanted) == 0, "%s: y[%zu] = %a, wanted %a", what, i,
               ((double *)y)[i], wanted[i]);
}

static void scan64(weft_op op, weft_scan_kind kind, const double *from, size_t n, const double *init) {
    memcpy(x, from, n * sizeof *from);
    run(op, kind, WEFT_F64, WEFT_DEFAULT, n, init, y);
}

/* ORDER.md 6.3 and 6.4: -0.0 is the identity of sums; +0.0 is only the first value of an exclusive scan. */
static void zeros(void) {
    const double minus[] = {-0.0, -0.0, -0.0}, plus = 0.0, negative = -0.0;
    scan64(WEFT_SUM, WEFT_INCLUSIVE, minus, 3, NULL);
    is((const double[]){-0.0, -0.0, -0.0}, 3, "sum of -0");
    scan64(WEFT_SUM, WEFT_EXCLUSIVE, minus, 3, NULL);
    is((const double[]){0.0, -0.0, -0.0}, 3, "exclusive sum of -0");
    scan64(WEFT_SUM, WEFT_INCLUSIVE, minus, 3, &plus);
    is((const double[]){0.0, 0.0, 0.0}, 3, "sum of -0 from +0");
    scan64(WEFT_SUM, WEFT_EXCLUSIVE, minus, 3, &negative);
    is((const double[]){-0.0, -0.0, -0.0}, 3, "exclusive sum of -0 from -0");
    const double mixed[] = {0.0, -0.0, 0.0};
    scan64(WEFT_MIN, WEFT_INCLUSIVE, mixed, 3, NULL);
    is((const double[]){0.0, -0.0, -0.0}, 3, "min of zeros");
    scan64(WEFT_MAX, WEFT_INCLUSIVE, mixed, 3, &negative);
    is((const double[]){0.0, 0.0, 0.0}, 3, "max of zeros");
}

static void beginnings(void) {
    const double one[] = {3, 5};
    scan64(WEFT_PROD, WEFT_EXCLUSIVE, one, 2, NULL);
    is((const double[]){1, 3}, 2, "exclusive product");
    scan64(WEFT_MIN, WEFT_EXCLUSIVE, one, 2, NULL);
    is((const double[]){INFINITY, 3}, 2, "exclusive minimum");
    scan64(WEFT_MAX, WEFT_EXCLUSIVE, one, 2, NULL);
    is((const double[]){-INFINITY, 3}, 2, "exclusive maximum");
    static const struct {
        weft_op op;
        weft_dtype dtype;
        uint64_t first;
    } rows[] = {
        {WEFT_SUM, WEFT_I8, 0},           {WEFT_PROD, WEFT_U64, 1},     {WEFT_MIN, WEFT_I8, 0x7f},
        {WEFT_MAX, WEFT_I8, 0x80},        {WEFT_MIN, WEFT_U16, 0xffff}, {WEFT_MAX, WEFT_U16, 0},
        {WEFT_AND, WEFT_I32, 0xffffffff}, {WEFT_OR, WEFT_I32, 0},       {WEFT_XOR, WEFT_U8, 0},
        {WEFT_MIN, WEFT_I64, INT64_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        run(rows[i].op, WEFT_EXCLUSIVE, rows[i].dtype, WEFT_DEFAULT, 2, NULL, y);
        EXPECT(bits(rows[i].dtype, y, 0) == rows[i].first, "exclusive %s of %s begins with 0x%" PRIx64,
               weft_op_name(rows[i].op), weft_dtype_name(rows[i].dtype), bits(rows[i].dtype, y, 0));
    }
}

/* Checks cases in which the order of operations matters. In a group of 16, adjacent elements are combined first, then
 * pairs, fours and eights. The prefix of the previous groups is combined last, and the initial value before that. */
static void order(void) {
    const double h = 0x1p-53; /* 1 + h is 1, and 1 + (h + h) is not */
    const double pairs[] = {1, h, h, h};
    scan64(WEFT_SUM, WEFT_INCLUSIVE, pairs, 4, NULL);
    is((const double[]){1, 1, 1 + 2 * h, 1 + 2 * h}, 4, "sums in a group");
    double groups[18] = {1};
    groups[16] = groups[17] = h;
    scan64(WEFT_SUM, WEFT_INCLUSIVE, groups, 18, NULL);
    EXPECT(((double *)y)[16] == 1 && ((double *)y)[17] == 1 + 2 * h, "sums after a group: %a, %a", ((double *)y)[16],
           ((double *)y)[17]);
    const double init = 1;
    scan64(WEFT_SUM, WEFT_INCLUSIVE, (const double[]){h, h}, 2, &init);
    is((const double[]){1, 1 + 2 * h}, 2, "sums from an initial value");
    static double many[4097];
    many[0] = many[256] = h, many[4096] = 1;
    scan64(WEFT_SUM, WEFT_INCLUSIVE, many, 4097, NULL);
    EXPECT(((double *)y)[4096] == 1 + 2 * h, "a level more: %a", ((double *)y)[4096]);
}

/* ------------------------------------------------------------------------------ long results */

/* Checks results larger than the caches, which the CPU backend writes with other stores, at every alignment. */
static void long_results(void) {
    const size_t n = ((size_t)1 << 24) + 77, most = 16;
    int16_t *from = malloc(n * sizeof *from), *to = malloc((n + most + 1) * sizeof *to);
    EXPECT(from && to, "cannot allocate memory for %zu elements", n);
    for (size_t i = 0; from && i < n; i++) from[i] = (int16_t)(i * i ^ i >> 7);
    for (size_t position = 0; from && to && position <= most; position += position < 3 ? 1 : 4) {
        uint16_t sum = 0;
        size_t wrong = 0;
        memset(to, 0x5a, (n + most + 1) * sizeof *to);
        EXPECT_STATUS(ctx,
                      weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_I16, WEFT_DEFAULT, n, from, NULL, to + position),
                      WEFT_OK);
        for (size_t i = 0; i < n; i++) {
            sum = (uint16_t)(sum + (uint16_t)from[i]);
            wrong += (uint16_t)to[position + i] != sum;
        }
        EXPECT(wrong == 0, "%zu of %zu sums at position %zu are wrong", wrong, n, position);
        for (size_t i = 0; i < position; i++) EXPECT(to[i] == 0x5a5a, "position %zu: written before y", position);
        EXPECT(to[position + n] == 0x5a5a, "position %zu: written after the end of y", position);
    }
    free(from);
    free(to);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    accuracy();
    orderless();
    halves();
    properties();
    not_a_number();
    zeros();
    beginnings();
    order();
    long_results();
    weft_close(ctx);
    return expect_end();
}
