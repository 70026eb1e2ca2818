/* Tests arguments that weft_expr_compile, weft_map, weft_map_reduce and weft_map_scan reject: the error messages with
 * their carets, and that nothing was written. Compiles 100000 lines of random symbols and evaluates those that are
 * valid formulas. */
#include "tests/expect.h"
#include "verify/inputs.h"

#include <stdlib.h>

enum { N = 8, POISON = 0x5a };
static weft_context *ctx;
static double x[N], y[N], out[N];
static int32_t k[N];

/* Checks that the message ends with the formula's line and a caret under `position`. */
static void refused_at(const char *formula, const char *words, int position) {
    weft_expr *expr = (weft_expr *)x;
    char end[256];
    EXPECT_ERROR(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_INVALID, words);
    EXPECT(expr == NULL, "%s: there is a formula", formula);
    snprintf(end, sizeof end, "\n  %s\n  %*s", formula, position + 1, "^");
    const size_t length = strlen(weft_last_error(ctx)), tail = strlen(end);
    EXPECT(length > tail && strcmp(weft_last_error(ctx) + length - tail, end) == 0,
           "the sentence ends otherwise than\"%s\":\n%s", end, weft_last_error(ctx));
}

static void grammar(void) {
    refused_at("", "expected a value, found the end of the formula", 0);
    refused_at("x +", "expected a value, found the end of the formula", 3);
    refused_at("x +* y", "expected a value", 3);
    refused_at("(x", "expected ')', found the end of the formula", 2);
    refused_at("(x y)", "expected ')'", 3);
    refused_at("x y", "expected an operator or the end of the formula", 2);
    refused_at("x = y", "expected an operator or the end of the formula", 2);
    refused_at("x & y", "expected an operator or the end of the formula", 2);
    refused_at("x)", "or the end of the formula", 1);
    refused_at("2x", "expected an operator after the number", 1);
    refused_at("1.2.3", "expected an operator after the number", 3);
    refused_at("1e", "expected an operator after the number", 1);
    refused_at("x ? y", "expected ':', found the end of the formula", 5);
    refused_at("x + sine(y)", "unknown function sine", 4);
    refused_at("i(2)", "unknown function i", 0);
    refused_at("x*sqrt", "expected '(', found the end of the formula", 6);
    refused_at("min(x)", "min requires 2 arguments, not 1", 5);
    refused_at("fma(x, y)", "fma requires 3 arguments, not 2", 8);
    refused_at("sqrt(x, y)", "too many arguments: sqrt requires 1 argument", 6);
    refused_at("sqrt()", "expected a value", 5);
    refused_at("1e999", "1e999 is greater than the largest f64", 0);
    refused_at("x + $", "expected a value", 4);
    refused_at(".", "expected a value", 0);
}

/* Returns `count` repetitions of a text, followed by `end`. */
static char *repeated(const char *text, size_t count, const char *end) {
    char *line = malloc(strlen(text) * count + strlen(end) + 1), *to = line;
    for (size_t i = 0; i < count; i++) to += sprintf(to, "%s", text);
    strcpy(to, end);
    return line;
}

static void limit(const char *text, size_t count, const char *end, bool fits, const char *words) {
    weft_expr *expr;
    char *line = repeated(text, count, end);
    if (fits)
        EXPECT_STATUS(ctx, weft_expr_compile(ctx, line, &expr), WEFT_OK);
    else
        EXPECT_ERROR(ctx, weft_expr_compile(ctx, line, &expr), WEFT_INVALID, words);
    weft_expr_free(expr);
    free(line);
}

static void limits(void) {
    weft_expr *expr;
    char names[1024] = "x";
    for (int i = 0; i < 64; i++) sprintf(names + strlen(names), "+v%d", i);
    limit(" ", 4094, "x", true, "");
    limit(" ", 4095, "x", false, "more than 4095 characters");
    limit("-", 64, "x", true, "");
    limit("-", 65, "x", false, "nested more than 64 levels deep");
    limit("abs(", 5000, "x", false, "more than 4095 characters");
    limit("(", 1000, "x", false, "nested more than 64 levels deep");
    limit("x?", 100, "x", false, "nested more than 64 levels deep");
    limit("2^", 100, "x", false, "nested more than 64 levels deep");
    limit("x+", 256, "x", true, "");
    limit("x+", 257, "x", false, "more than 256 steps");
    limit("-x*(", 14, "x*x))))))))))))))", true, "");
    limit("-x*(", 15, "x*x)))))))))))))))", false, "more than 16 intermediate values");
    limit("a", 63, "", true, "");
    limit("a", 64, "", false, "the name has 64 characters");
    limit("1", 64, "", false, "the number has 64 characters");
    EXPECT_ERROR(ctx, weft_expr_compile(ctx, names, &expr), WEFT_INVALID, "more than 64 distinct names and numbers");
}

static void names(void) {
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "b*x + sqrt(b) + i - a_1 + 2", &expr), WEFT_OK);
    EXPECT(weft_expr_variable_count(expr) == 3, "%zu names", weft_expr_variable_count(expr));
    EXPECT(strcmp(weft_expr_variable(expr, 0), "b") == 0 && strcmp(weft_expr_variable(expr, 1), "x") == 0 &&
               strcmp(weft_expr_variable(expr, 2), "a_1") == 0 && !weft_expr_variable(expr, 3),
           "the names are %s, %s, %s", weft_expr_variable(expr, 0), weft_expr_variable(expr, 1),
           weft_expr_variable(expr, 2));
    weft_expr_free(expr);
    weft_expr_free(NULL);
    EXPECT(weft_expr_variable_count(NULL) == 0 && !weft_expr_variable(NULL, 0), "no formula has names");
    EXPECT_ERROR(ctx, weft_expr_compile(ctx, NULL, &expr), WEFT_INVALID, "formula is NULL");
    EXPECT_ERROR(ctx, weft_expr_compile(ctx, "x", NULL), WEFT_INVALID, "expr is NULL");
    EXPECT_ERROR(NULL, weft_expr_compile(NULL, "x", &expr), WEFT_INVALID, "");
}

/* ------------------------------------------------------------------------------------- calls */

static void refused(const char *formula, weft_dtype dtype, size_t n, const weft_binding *bindings, size_t count,
                    void *to, weft_status status, const char *words) {
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, formula, &expr), WEFT_OK);
    EXPECT_ERROR(ctx, weft_map(ctx, expr, dtype, n, bindings, count, to), status, words);
    weft_expr_free(expr);
}

static void bindings(void) {
    const weft_binding of_x = {"x", WEFT_F64, x, NULL}, of_k = {"x", WEFT_I32, k, NULL};
    const weft_binding two[] = {{"x", WEFT_F64, x, NULL}, {"y", WEFT_F64, y, NULL}};
    const weft_binding twice[] = {{"x", WEFT_F64, x, NULL}, {"x", WEFT_F64, y, NULL}};
    const weft_binding both = {"x", WEFT_F64, x, y}, none = {"x", WEFT_F64, NULL, NULL};
    const weft_binding nameless = {NULL, WEFT_F64, x, NULL}, typeless = {"x", (weft_dtype)11, x, NULL};
    const weft_binding half = {"x", WEFT_F16, x, NULL}, scalar = {"x", WEFT_BF16, NULL, x};
    const weft_binding askew = {"x", WEFT_F64, (char *)x + 4, NULL};
    refused("x + y", WEFT_F64, N, &of_x, 1, out, WEFT_INVALID, "the variable y of the formula is not bound");
    refused("x", WEFT_F64, N, two, 2, out, WEFT_INVALID, "y is bound, but the formula has no variable of this name");
    refused("x", WEFT_F64, N, twice, 2, out, WEFT_INVALID, "the variable x is bound twice");
    refused("x", WEFT_F64, N, NULL, 1, out, WEFT_INVALID, "bindings is NULL");
    refused("x", WEFT_F64, N, &nameless, 1, out, WEFT_INVALID, "the name of binding 0 is NULL");
    refused("x", WEFT_F64, N, &typeless, 1, out, WEFT_INVALID, "x: invalid dtype 11");
    refused("x", WEFT_I32, N, &half, 1, out, WEFT_UNSUPPORTED, "x is f16, which cannot be evaluated in i32");
    refused("x", WEFT_U64, N, &scalar, 1, out, WEFT_UNSUPPORTED, "x is bf16, which cannot be evaluated in u64");
    refused("x", WEFT_BF16, N, &half, 1, x, WEFT_INVALID, "overlaps x");
    refused("x", WEFT_F16, N, &half, 1, (char *)x + 2, WEFT_INVALID, "overlaps x");
    refused("x", WEFT_F16, N, &of_x, 1, (char *)out + 1, WEFT_INVALID, "out is at");
    refused("1e39*x", WEFT_F16, N, &half, 1, out, WEFT_INVALID, "1e39 is greater than the largest f32");
    refused("x", WEFT_F64, N, &both, 1, out, WEFT_INVALID, "the variable x is bound to both an array and a scalar");
    refused("x", WEFT_F64, N, &none, 1, out, WEFT_INVALID, "x is NULL");
    refused("x", WEFT_F64, N, &askew, 1, out, WEFT_INVALID, "x is at");
    refused("x", WEFT_F64, N, &of_x, 1, NULL, WEFT_INVALID, "out is NULL");
    refused("x", WEFT_F64, N, &of_x, 1, (char *)out + 4, WEFT_INVALID, "out is at");
    refused("x", WEFT_F64, N, &of_x, 1, x + 1, WEFT_INVALID, "overlaps x");
    refused("x", WEFT_F32, N, &of_x, 1, x, WEFT_INVALID, "overlaps x");
    refused("x", WEFT_F64, SIZE_MAX / 8, &of_k, 1, out, WEFT_INVALID, "do not fit in memory");
    refused("x", WEFT_I64, N, &of_x, 1, out, WEFT_UNSUPPORTED, "x is f64, which cannot be evaluated in i64");
    refused("x", WEFT_I16, N, &of_x, 1, out, WEFT_UNSUPPORTED,
            "evaluated in f32, f64, i32, i64, u32 or u64, not in i16");
    refused("x", WEFT_DEFAULT, N, &of_x, 1, out, WEFT_INVALID, "invalid dtype 0");
    refused("x + sqrt(x)", WEFT_I32, N, &of_k, 1, out, WEFT_UNSUPPORTED,
            "sqrt is not defined for i32\n  x + sqrt(x)\n      ^");
    refused("x^x", WEFT_I32, N, &of_k, 1, out, WEFT_UNSUPPORTED, "pow is not defined for i32");
    refused("x + 2.5", WEFT_I32, N, &of_k, 1, out, WEFT_INVALID,
            "2.5 is not an integer, but the formula is evaluated in i32");
    refused("2147483648", WEFT_I32, N, NULL, 0, out, WEFT_INVALID, "2147483648 is out of range for i32");
    refused("-2147483649", WEFT_I32, N, NULL, 0, out, WEFT_INVALID, "-2147483649 is out of range for i32");
    refused("18446744073709551616", WEFT_U64, N, NULL, 0, out, WEFT_INVALID, "is out of range for u64");
    refused("1e39*i", WEFT_F32, N, NULL, 0, out, WEFT_INVALID, "1e39 is greater than the largest f32\n  1e39*i\n  ^");
    EXPECT_ERROR(ctx, weft_map(ctx, NULL, WEFT_F64, N, &of_x, 1, out), WEFT_INVALID, "expr is NULL");
    EXPECT_ERROR(NULL, weft_map(NULL, NULL, WEFT_F64, N, &of_x, 1, out), WEFT_INVALID, "");
}

static void reductions(void) {
    const weft_binding of_x = {"x", WEFT_F64, x, NULL};
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x*x", &expr), WEFT_OK);
#define REFUSED(op, dtype, accumulate, n, out, status, words) \
    EXPECT_ERROR(ctx, weft_map_reduce(ctx, op, expr, dtype, accumulate, n, &of_x, 1, out), status, words)
    REFUSED((weft_op)16, WEFT_F64, WEFT_DEFAULT, N, out, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_AND, WEFT_F64, WEFT_DEFAULT, N, out, WEFT_UNSUPPORTED, "and requires integer elements");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_I64, N, out, WEFT_UNSUPPORTED, "cannot accumulate in i64");
    REFUSED(WEFT_SUM, WEFT_F16, WEFT_DEFAULT, N, out, WEFT_UNSUPPORTED,
            "evaluated in f32, f64, i32, i64, u32 or u64");
    REFUSED(WEFT_MIN, WEFT_F64, WEFT_DEFAULT, 0, out, WEFT_EMPTY, "min of 0 elements is undefined");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, NULL, WEFT_INVALID, "out is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x + 1, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, WEFT_F64, WEFT_DEFAULT, N, x, WEFT_INVALID, "overlaps x");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_map_reduce(NULL, WEFT_SUM, expr, WEFT_F64, WEFT_DEFAULT, N, &of_x, 1, out), WEFT_INVALID,
                 "");
    EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F64, 0, &of_x, 1, NULL), WEFT_OK);
    weft_expr_free(expr);
}

static void scans(void) {
    const weft_binding of_x = {"x", WEFT_F64, x, NULL}, of_f = {"x", WEFT_F32, x, NULL};
    weft_expr *expr;
    EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x*x", &expr), WEFT_OK);
#define REFUSED(op, kind, type, accumulate, n, binding, init, y, status, words) \
    EXPECT_ERROR(ctx, weft_map_scan(ctx, op, kind, expr, type, accumulate, n, &binding, 1, init, y), status, words)
    REFUSED((weft_op)16, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, out, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_MEAN, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, out, WEFT_UNSUPPORTED,
            "invalid operator mean");
    REFUSED(WEFT_XOR, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, out, WEFT_UNSUPPORTED,
            "requires integer elements");
    REFUSED(WEFT_SUM, (weft_scan_kind)2, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, out, WEFT_INVALID,
            "invalid scan kind 2");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_BF16, WEFT_DEFAULT, N, of_x, NULL, out, WEFT_UNSUPPORTED,
            "evaluated in f32, f64, i32, i64, u32 or u64, not in bf16");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_I64, N, of_x, NULL, out, WEFT_UNSUPPORTED,
            "cannot accumulate in i64");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, NULL, WEFT_INVALID, "y is NULL");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, N, of_x, NULL, x + 1, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_F64, N, of_f, NULL, x, WEFT_INVALID, "overlaps x");
    REFUSED(WEFT_SUM, WEFT_INCLUSIVE, WEFT_F64, WEFT_DEFAULT, SIZE_MAX / 8, of_x, NULL, out, WEFT_INVALID,
            "do not fit in memory");
#undef REFUSED
    EXPECT_STATUS(ctx,
                  weft_map_scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, expr, WEFT_F64, WEFT_DEFAULT, 0, &of_x, 1, NULL, NULL),
                  WEFT_OK);
    weft_expr_free(expr);
}

/* -------------------------------------------------------------------------- whatever comes in */

/* Writes a line of random words: some that are valid in formulas, and others. */
static void random_line(uint64_t seed, char *line) {
    static const char *const words[] = {
        "x",    "y",    "i",   "1",   "2.5", "-3", "1e300", "(",    ")",  "(",  ")", "+",    "-",    "*",
        "/",    "^",    "?",   ":",   "<",   ">=", "==",    "!",    "&&", "||", ",", "min(", "abs(", "fma(",
        "exp(", "pow(", "x+y", "x^5", " ",   "\t", "$",     "\377", ".",  "e",  "=", "&",    "sqrt"};
    const size_t count = input_random(seed, 0) % 24;
    *line = '\0';
    for (size_t i = 1; i <= count; i++) strcat(line, words[input_random(seed, i) % (sizeof words / sizeof *words)]);
}

static void whatever(void) {
    const weft_binding all[] = {{"x", WEFT_F64, x, NULL}, {"y", WEFT_F64, y, NULL}, {"e", WEFT_F64, NULL, y}};
    size_t formulas = 0;
    for (uint64_t seed = 0; seed < 100000; seed++) {
        weft_binding bound[3];
        double result[N + 1];
        size_t count = 0;
        char line[24 * 8];
        weft_expr *expr;
        random_line(seed, line);
        if (weft_expr_compile(ctx, line, &expr) != WEFT_OK) {
            EXPECT(weft_last_error(ctx)[0] && !expr, "line %llu left no sentence", (unsigned long long)seed);
            continue;
        }
        formulas++;
        for (size_t v = 0; v < weft_expr_variable_count(expr); v++)
            for (int i = 0; i < 3; i++)
                if (strcmp(all[i].name, weft_expr_variable(expr, v)) == 0) bound[count++] = all[i];
        memset(result, POISON, sizeof result);
        if (count == weft_expr_variable_count(expr)) {
            EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F64, N, bound, count, result), WEFT_OK);
            EXPECT(((unsigned char *)&result[N])[0] == POISON, "%s wrote after the end of its result", line);
        }
        weft_expr_free(expr);
    }
    EXPECT(formulas > 1000, "only %zu random lines were formulas", formulas);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) x[i] = y[i] = (double)i, k[i] = (int32_t)i;
    memset(out, POISON, sizeof out);
    grammar();
    limits();
    names();
    bindings();
    reductions();
    scans();
    for (size_t i = 0; i < sizeof out; i++)
        EXPECT(((unsigned char *)out)[i] == POISON, "a call that failed wrote byte %zu of its output", i);
    whatever();
    weft_close(ctx);
    return expect_end();
}
