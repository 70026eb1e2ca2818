/* First two sections of the tour: sums whose exact value is known. */
#include "cli/io/plain.h"
#include "cli/tour/tour.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const operation *named(const char *name) { return operation_find(name, strlen(name)); }

bool tour_classic_dot(tour *t) {
    enum { N = 1024 };
    float a[N], b[N];
    tour_result result;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 2;
    }
    tour_heading(t, "1  The classic dot product: a = 0, 1, ..., 1023 and b = 2, in f32");
    const operands in = {.dtype = WEFT_F32, .n = N, .x = a, .y = b};
    if (!tour_run(t, named("dot"), &in, false, &result)) return false;
    const bool exact = result.value.f32 == (float)(N * (N - 1));
    printf("\n  a . b = %s, bits %s; N(N-1) = %d; exact: %s; same bits: %s\n",
           value_decimal(result.type, &result.value).text, value_bits(result.type, &result.value).text, N * (N - 1),
           tour_mark(t, exact), tour_mark(t, result.same));
    t->compared++;
    t->different += !exact;
    return true;
}

/* Sums multiples of 2^-27 as integers: exact for values below 1 and n below 2^36. */
enum { FRACTION_BITS = 27 };

static int64_t exact_sum(size_t n, const float *x) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += (int64_t)((double)x[i] * (1 << FRACTION_BITS));
    return sum;
}

/* Returns |value - exact| / exact. Subtracts the integer parts first, so that no digits are lost. */
static double relative_error(double value, int64_t exact) {
    const int64_t whole = exact >> FRACTION_BITS;
    const double fraction = (double)(exact & ((1 << FRACTION_BITS) - 1)) / (1 << FRACTION_BITS);
    return fabs(value - (double)whole - fraction) / ((double)whole + fraction);
}

static void print_row(const char *what, const char *value, double error, const char *note) {
    printf("    %-34s %20s   ", what, value);
    if (error > 0)
        printf("%8.1e", error);
    else
        printf("%8s", "0");
    printf("   %s\n", note);
}

static void print_exact(int64_t exact) {
    const int64_t fraction = exact & ((1 << FRACTION_BITS) - 1);
    char text[40];
    snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64, exact >> FRACTION_BITS,
             (int64_t)((double)fraction / (1 << FRACTION_BITS) * 1e6));
    print_row("exact, in integers", text, 0, "");
}

static void print_weft(const tour *t, const char *what, const tour_result *result, int64_t exact) {
    char note[80];
    const double v = result->type == WEFT_F32 ? (double)result->value.f32 : result->value.f64;
    snprintf(note, sizeof note, "%s", tour_mark(t, result->same));
    print_row(what, value_decimal(result->type, &result->value).text, relative_error(v, exact), note);
}

static bool sum_array(tour *t, const char *what, const float *x) {
    tour_result in_f32, in_f64;
    operands in = {.dtype = WEFT_F32, .n = t->n, .x = x};
    const double naive = plain_loop(named("sum"), t->n, x, NULL);
    const int64_t exact = exact_sum(t->n, x);
    const bool done = tour_upload(t, WEFT_F32, t->n, x, NULL) && tour_run(t, named("sum"), &in, false, &in_f32) &&
                      (in.accumulate = WEFT_F64, tour_run(t, named("sum"), &in, false, &in_f64));
    tour_release(t);
    if (!done) return false;
    char text[40];
    snprintf(text, sizeof text, "%s", value_decimal(WEFT_F32, &(value){.f32 = (float)naive}).text);
    printf("\n  %-36s %20s   %8s   same bits\n", what, "sum", "error");
    print_exact(exact);
    print_row("plain C loop, float s += x[i]", text, relative_error(naive, exact), "");
    print_weft(t, "weft, f32", &in_f32, exact);
    print_weft(t, "weft, f32 accumulated in f64", &in_f64, exact);
    return true;
}

/* The SplitMix64 generator (G. Steele, D. Lea, C. Flood, 2014). */
void tour_fill_uniform(size_t n, float *x) {
    uint64_t state = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        x[i] = (float)((z ^ (z >> 31)) >> 40) * 0x1p-24f;
    }
}

bool tour_hard_sums(tour *t, float *x) {
    char heading[100];
    snprintf(heading, sizeof heading, "2  Sums of %zu f32 values, where a plain loop goes wrong", t->n);
    tour_heading(t, heading);
    for (size_t i = 0; i < t->n; i++) x[i] = 0.1f;
    if (!sum_array(t, "0.1f, again and again", x)) return false;
    tour_fill_uniform(t->n, x);
    return sum_array(t, "uniform in [0, 1)", x);
}
