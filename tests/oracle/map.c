/* Compares formulas with C code in every type; with random formulas whose value is computed while they are generated,
 * which checks precedence; and weft_map_reduce with weft_map followed by weft_reduce, bit for bit. */
#include "tests/oracle/oracle.h"

#include <stdlib.h>
#include <tgmath.h>

enum { N = 500, NAMES = 3 };
static weft_context *ctx;

static weft_expr *compiled(const char *formula) {
    weft_expr *expr = NULL;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_OK);
    return expr;
}

/* Selects those of the bindings x, y, a that the formula uses. */
static size_t chosen(const weft_expr *expr, const weft_binding *all, weft_binding *bindings) {
    size_t count = 0;
    const char *name;
    for (size_t v = 0; (name = weft_expr_variable(expr, v)); v++)
        for (int i = 0; i < NAMES; i++)
            if (strcmp(name, all[i].name) == 0) bindings[count++] = all[i];
    return count;
}

/* ----------------------------------------------------------------------------- reference in C */

static void check(const char *formula, const char *input, weft_dtype dtype, const weft_binding *all,
                  const void *wanted) {
    static uint64_t out[N];
    const size_t size = weft_dtype_size(dtype);
    weft_binding bindings[NAMES];
    weft_expr *const expr = compiled(formula);
    const size_t count = chosen(expr, all, bindings);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, N, bindings, count, out), WEFT_OK);
    for (size_t i = 0; i < N; i++) {
        const char *found = (const char *)out + i * size, *right = (const char *)wanted + i * size;
        if (!EXPECT(memcmp(found, right, size) == 0, "%s in %s of %s: element %zu", formula, weft_dtype_name(dtype),
                    input, i))
            break;
    }
    weft_expr_free(expr);
}

/* Formulas for all types. Where C would overflow, integers use unsigned arithmetic. */
#define COMPARISONS                               \
    FORMULA("x < y", x < y)                       \
    FORMULA("x <= y", x <= y)                     \
    FORMULA("x > y", x > y)                       \
    FORMULA("x >= y", x >= y)                     \
    FORMULA("x == y || x != a", x == y || x != a) \
    FORMULA("x && !y", x && !y)                   \
    FORMULA("x ? y : a", x != 0 ? y : a)          \
    FORMULA("y", y)                               \
    FORMULA("i", i)                               \
    FORMULA("a", a)                               \
    FORMULA("min(x, y)", least(x, y))             \
    FORMULA("max(x, y)", greatest(x, y))

#define ARITHMETIC(P)                                                    \
    FORMULA("x + y", (P)x + (P)y)                                        \
    FORMULA("x - y*x", (P)x - (P)y * (P)x)                               \
    FORMULA("x*y + y*x - a", (P)x *(P)y + (P)y * (P)x - (P)a)            \
    FORMULA("a*x^2 + y*x + a", (P)a *((P)x * (P)x) + (P)y * (P)x + (P)a) \
    FORMULA("x^7", ((P)x * (P)x * (P)x) * ((P)x * (P)x * (P)x) * (P)x)   \
    FORMULA("x^6", ((P)x * (P)x * (P)x) * ((P)x * (P)x * (P)x))          \
    FORMULA("x^4", ((P)x * (P)x) * ((P)x * (P)x))                        \
    FORMULA("x^0 + x^1", 1 + (P)x)                                       \
    FORMULA("-x^2", -((P)x * (P)x))                                      \
    FORMULA("-x", -(P)x)                                                 \
    FORMULA("x*i + 3", (P)x *(P)i + 3)                                   \
    FORMULA("x < y ? x - y : y - x", x < y ? (P)x - (P)y : (P)y - (P)x)

#define REALS                                                                                     \
    COMPARISONS ARITHMETIC(T) FORMULA("x/y", x / y) FORMULA("x^-3", 1 / ((x * x) * x))            \
        FORMULA("abs(x) + floor(y)", fabs(x) + floor(y)) FORMULA("sqrt(abs(x))", sqrt(fabs(x)))   \
            FORMULA("fma(x, y, a)", fma(x, y, a)) FORMULA("0.1*x + 1e-3", (T)0.1L * x + (T)1e-3L) \
                FORMULA("x*1e30*1e-30", x *(T)1e30L * (T)1e-30L) FORMULA("x - 16777217", x - (T)16777217)

#define WIDE_INTEGERS                                                                             \
    COMPARISONS ARITHMETIC(uint64_t) FORMULA("x/y", y == 0                    ? 0                 \
                                                    : y == (T)-1 && (T)-1 < 1 ? (T) - (uint64_t)x \
                                                                              : x / y)            \
        FORMULA("abs(x)", x < 1 ? (T) - (uint64_t)x : x) FORMULA("floor(x)", x)

#define T float
#define OF(name) name##_f32
#define DTYPE WEFT_F32
#define FORMULAS REALS
#define IS_NAN(x) isnan(x)
#define IS_NEGATIVE(x) signbit(x)
#define STORED(v) (v != v ? oracle_nan_f32 : v)
static float oracle_nan_f32;
#include "tests/oracle/map_body.h"

#define T double
#define OF(name) name##_f64
#define DTYPE WEFT_F64
#define FORMULAS REALS
#define IS_NAN(x) isnan(x)
#define IS_NEGATIVE(x) signbit(x)
#define STORED(v) (v != v ? oracle_nan_f64 : v)
static double oracle_nan_f64;
#include "tests/oracle/map_body.h"

#define T int32_t
#define OF(name) name##_i32
#define DTYPE WEFT_I32
#define FORMULAS WIDE_INTEGERS
#define IS_NAN(x) 0
#define IS_NEGATIVE(x) 0
#define STORED(v) (v)
#include "tests/oracle/map_body.h"

#define T int64_t
#define OF(name) name##_i64
#define DTYPE WEFT_I64
#define FORMULAS WIDE_INTEGERS
#define IS_NAN(x) 0
#define IS_NEGATIVE(x) 0
#define STORED(v) (v)
#include "tests/oracle/map_body.h"

#define T uint32_t
#define OF(name) name##_u32
#define DTYPE WEFT_U32
#define FORMULAS WIDE_INTEGERS
#define IS_NAN(x) 0
#define IS_NEGATIVE(x) 0
#define STORED(v) (v)
#include "tests/oracle/map_body.h"

#define T uint64_t
#define OF(name) name##_u64
#define DTYPE WEFT_U64
#define FORMULAS WIDE_INTEGERS
#define IS_NAN(x) 0
#define IS_NEGATIVE(x) 0
#define STORED(v) (v)
#include "tests/oracle/map_body.h"

static void same_in_c(void) {
    const uint32_t nan32 = 0x7fc00000;
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000);
    memcpy(&oracle_nan_f32, &nan32, sizeof nan32);
    memcpy(&oracle_nan_f64, &nan64, sizeof nan64);
    for (int kind = 0; kind < INPUT_COUNT; kind++) {
        const input_kind k = (input_kind)kind;
        if (input_fits(k, WEFT_F32)) compare_f32(k), compare_f64(k);
        if (input_fits(k, WEFT_I32)) compare_i32(k), compare_i64(k), compare_u32(k), compare_u64(k);
    }
}

/* ---------------------------------------------------------------------------- random formulas */

typedef struct made {
    char text[2000];
    double value;
    int precedence; /* precedence of the operator that is applied last */
} made;

static uint64_t turn;
static unsigned draw(unsigned n) { return (unsigned)(input_random(99, turn++) % n); }

static const double X = 1.25, Y = -3;

/* Appends `part`, in parentheses if its precedence is lower than `least`; sometimes also without need. */
static void put(made *to, const made *part, int least) {
    const bool wrapped = part->precedence < least || draw(8) == 0;
    const size_t used = strlen(to->text);
    snprintf(to->text + used, sizeof to->text - used, wrapped ? "(%s)" : "%s", part->text);
}

static void add(made *to, const char *text) {
    const size_t used = strlen(to->text);
    snprintf(to->text + used, sizeof to->text - used, draw(2) ? "%s" : " %s ", text);
}

enum { CHOICE, OR, AND, EQUALITY, ORDER, SUM, PRODUCT, UNARY, POWER, PRIMARY };

static double chain(double x, unsigned power) {
    double product = x;
    unsigned bit = 1;
    while (bit * 2 <= power) bit *= 2;
    for (bit /= 2; bit; bit /= 2) {
        product *= product;
        if (power & bit) product *= x;
    }
    return power ? product : 1;
}

static void make_leaf(made *m) {
    static const struct {
        const char *text;
        double value;
    } leaves[] = {{"x", 1.25}, {"y", -3}, {"i", 0}, {"2", 2}, {"0.5", 0.5}, {"1e1", 10}, {".25", 0.25}, {"3.", 3}};
    const unsigned k = draw(8);
    *m = (made){.value = leaves[k].value, .precedence = PRIMARY};
    snprintf(m->text, sizeof m->text, "%s", leaves[k].text);
}

static void make(made *m, int depth);

static void make_binary(made *m, int depth) {
    static const struct {
        const char *sign;
        int precedence;
    } signs[] = {{"||", OR},   {"&&", AND},   {"==", EQUALITY}, {"!=", EQUALITY}, {"<", ORDER},   {"<=", ORDER},
                 {">", ORDER}, {">=", ORDER}, {"+", SUM},       {"-", SUM},       {"*", PRODUCT}, {"/", PRODUCT}};
    made a, b;
    const unsigned k = draw(12);
    make(&a, depth - 1);
    make(&b, depth - 1);
    const double p = a.value, q = b.value;
    const double values[] = {
        p != 0 || q != 0, p != 0 && q != 0, p == q, p != q, p<q, p <= q, p> q, p >= q, p + q, p - q, p * q, p / q};
    *m = (made){.value = values[k], .precedence = signs[k].precedence};
    put(m, &a, signs[k].precedence);
    add(m, signs[k].sign);
    put(m, &b, signs[k].precedence + 1);
}

static void make_choice(made *m, int depth) {
    made c, a, b;
    make(&c, depth - 1);
    make(&a, depth - 1);
    make(&b, depth - 1);
    *m = (made){.value = c.value != 0 ? a.value : b.value, .precedence = CHOICE};
    put(m, &c, OR);
    add(m, "?");
    put(m, &a, CHOICE);
    add(m, ":");
    put(m, &b, CHOICE);
}

static void make_prefix(made *m, int depth) {
    const bool minus = draw(2);
    made a;
    make(&a, depth - 1);
    *m = (made){.value = minus ? -a.value : a.value == 0, .precedence = UNARY};
    add(m, minus ? "-" : "!");
    put(m, &a, UNARY);
}

static void make_power(made *m, int depth) {
    const unsigned power = draw(12);
    char text[16];
    made a;
    make(&a, depth - 1);
    *m = (made){.value = chain(a.value, power), .precedence = POWER};
    put(m, &a, PRIMARY);
    add(m, "^");
    snprintf(text, sizeof text, "%u", power);
    add(m, text);
}

static void make(made *m, int depth) {
    if (depth == 0) return make_leaf(m);
    switch (draw(8)) {
    case 0: return make_choice(m, depth);
    case 1: return make_prefix(m, depth);
    case 2: return make_power(m, depth);
    case 3: return make_leaf(m);
    default: return make_binary(m, depth);
    }
}

static void random_formulas(void) {
    const weft_binding all[] = {{"x", WEFT_F64, NULL, &X}, {"y", WEFT_F64, NULL, &Y}, {"a", WEFT_F64, NULL, &X}};
    for (int turns = 0; turns < 4000; turns++) {
        weft_binding bindings[NAMES];
        double out = 0;
        made m;
        make(&m, 1 + (int)draw(4));
        weft_expr *const expr = compiled(m.text);
        if (!expr) continue;
        const size_t count = chosen(expr, all, bindings);
        EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F64, 1, bindings, count, &out), WEFT_OK);
        EXPECT((out != out && m.value != m.value) || memcmp(&out, &m.value, sizeof out) == 0,
               "%s is %.17g, not %.17g", m.text, m.value, out);
        weft_expr_free(expr);
    }
}

/* -------------------------------------------------------------------------------------- fused */

/* Checks that weft_map_reduce has the bits of the two separate calls. */
static void check_fused(const weft_expr *expr, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const weft_binding *bindings, size_t count, void *values) {
    uint64_t apart = 0, fused = 0;
    EXPECT_STATUS(ctx, weft_map(ctx, expr, dtype, n, bindings, count, values), WEFT_OK);
    EXPECT_STATUS(ctx, weft_reduce(ctx, op, dtype, accumulate, n, values, &apart), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map_reduce(ctx, op, expr, dtype, accumulate, n, bindings, count, &fused), WEFT_OK);
    EXPECT(apart == fused, "%s in %s of %zu elements: 0x%llx fused, 0x%llx in two calls", weft_op_name(op),
           weft_dtype_name(dtype), n, (unsigned long long)fused, (unsigned long long)apart);
}

static void fused(bool threaded) {
    static const size_t sizes[] = {1, 100, 4097, 12289, 70001};
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_U64};
    enum { MOST = 70001 };
    int16_t *x = malloc(MOST * sizeof *x);
    double *values = malloc(MOST * sizeof *values);
    weft_expr *const expr = compiled("(x*x - 7*x + i)*(x > 3 ? 1 : -1)");
    const weft_binding binding = {"x", WEFT_I16, x, NULL};
    input_fill(INPUT_PATTERNS, WEFT_I16, 5, MOST, x);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int threads = 1; threads <= (threaded ? 7 : 1); threads += 3)
            for (int t = 0; t < 4; t++)
                for (int op = 0; op <= WEFT_NORMINF; op++) {
                    weft_dtype type;
                    if (weft_reduce_result((weft_op)op, types[t], WEFT_DEFAULT, &type) != WEFT_OK) continue;
                    EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
                    check_fused(expr, (weft_op)op, types[t], WEFT_DEFAULT, sizes[s], &binding, 1, values);
                }
    check_fused(expr, WEFT_SUM, WEFT_F32, WEFT_F64, MOST, &binding, 1, values);
    weft_expr_free(expr);
    free(x);
    free(values);
}

/* Checks that weft_map_scan has the bits of the two separate calls, with chunks for several threads and in place. */
static void fused_scans(bool threaded) {
    enum { MOST = 400001 };
    static const weft_op ops[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX};
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_U64};
    int16_t *x = malloc(MOST * sizeof *x);
    char *apart = malloc(MOST * sizeof(double)), *once = malloc(MOST * sizeof(double));
    weft_expr *const expr = compiled("(x*x - 7*x + i)*(x > 3 ? 1 : -1)"), *const next = compiled("y + 1");
    const weft_binding binding = {"x", WEFT_I16, x, NULL};
    input_fill(INPUT_PATTERNS, WEFT_I16, 6, MOST, x);
    for (int k = 0; k < 32; k++) {
        const weft_dtype type = types[k / 4 % 4];
        const weft_op op = ops[k % 4];
        const weft_scan_kind kind = k % 3 ? WEFT_INCLUSIVE : WEFT_EXCLUSIVE;
        const size_t n = k < 16 ? MOST : 5000, size = weft_dtype_size(type);
        const weft_binding here = {"y", type, once, NULL};
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threaded ? 1 + k % 3 : 1), WEFT_OK);
        EXPECT_STATUS(ctx, weft_map(ctx, expr, type, n, &binding, 1, apart), WEFT_OK);
        EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, type, WEFT_DEFAULT, n, apart, NULL, apart), WEFT_OK);
        EXPECT_STATUS(ctx, weft_map_scan(ctx, op, kind, expr, type, WEFT_DEFAULT, n, &binding, 1, NULL, once),
                      WEFT_OK);
        EXPECT(memcmp(apart, once, n * size) == 0, "%s in %s of %zu elements", weft_op_name(op),
               weft_dtype_name(type), n);
        const weft_binding there = {"y", type, apart, NULL};
        EXPECT_STATUS(ctx, weft_map(ctx, next, type, n, &there, 1, apart), WEFT_OK);
        EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, type, WEFT_DEFAULT, n, apart, NULL, apart), WEFT_OK);
        EXPECT_STATUS(ctx, weft_map_scan(ctx, op, kind, next, type, WEFT_DEFAULT, n, &here, 1, NULL, once), WEFT_OK);
        EXPECT(memcmp(apart, once, n * size) == 0, "%s in %s, in place", weft_op_name(op), weft_dtype_name(type));
    }
    weft_expr_free(expr);
    weft_expr_free(next);
    free(x);
    free(apart);
    free(once);
}

/* Checks a result that is larger than the caches, at several alignments and in place. */
static void long_results(void) {
    enum { LONG = 9000001, POSITIONS = 3 };
    float *x = malloc(LONG * sizeof *x), *out = malloc((LONG + POSITIONS) * sizeof *out);
    weft_expr *const expr = compiled("x + 1");
    const weft_binding binding = {"x", WEFT_F32, x, NULL};
    EXPECT_STATUS(ctx, weft_set_threads(ctx, 2), WEFT_OK);
    for (size_t i = 0; i < LONG; i++) x[i] = (float)(i % 1000003);
    for (size_t position = 0; position < POSITIONS; position++) {
        size_t wrong = 0;
        EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F32, LONG, &binding, 1, out + position), WEFT_OK);
        for (size_t i = 0; i < LONG; i++) wrong += out[position + i] != x[i] + 1;
        EXPECT(wrong == 0, "%zu of %d values are wrong at position %zu", wrong, (int)LONG, position);
    }
    EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F32, LONG, &binding, 1, x), WEFT_OK);
    EXPECT(memcmp(x, out + POSITIONS - 1, LONG * sizeof *x) == 0, "in place is something else");
    weft_expr_free(expr);
    free(x);
    free(out);
}

/* ----------------------------------------------------------------------- elementary functions */

/* Checks that f32 results are f64 results rounded once, and that f64 results are near the C library's long double.
 * (Exact definition and accuracy: ORDER.md 18.) */
static void elementary(void) {
    static const char *const formulas[] = {"exp(x)", "log(x)", "sin(x)", "cos(x)", "erf(x)", "pow(abs(x), 1/3)"};
    for (int f = 0; f < 6; f++) {
        weft_expr *const expr = compiled(formulas[f]);
        for (int k = -200; k <= 200; k++) {
            const float x = (float)k * 0.37f;
            const weft_binding binding = {"x", WEFT_F32, NULL, &x};
            const long double v = x;
            const long double truths[] = {exp(v), log(v), sin(v), cos(v), erf(v), pow(fabs(v), 1.0L / 3)};
            float narrow;
            double found;
            EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F64, 1, &binding, 1, &found), WEFT_OK);
            EXPECT(fabs((long double)found - truths[f]) <= 0x1p-51L * fabs(truths[f]) || isinf(truths[f]) ||
                       isnan(found),
                   "%s at %g is %.17g", formulas[f], (double)x, found);
            EXPECT(isnan(found) == isnan(truths[f]) && (!isinf(truths[f]) || found == truths[f]), "%s at %g is %g",
                   formulas[f], (double)x, found);
            EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F32, 1, &binding, 1, &narrow), WEFT_OK);
            EXPECT(f == 5 || narrow == (float)found || found != found, "%s at %g in f32 is %.9g", formulas[f],
                   (double)x, (double)narrow);
        }
        weft_expr_free(expr);
    }
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    same_in_c();
    random_formulas();
    const bool is_ref = strcmp(weft_device(ctx), "ref") == 0;
    fused(!is_ref);
    fused_scans(!is_ref);
    if (!is_ref) long_results();
    elementary();
    weft_close(ctx);
    return expect_end();
}
