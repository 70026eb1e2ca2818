/* build/bench_cpu_price [--threads N] [--paths N]: weft_price on a CPU compared with plain loops on one thread, for
 * the classic double digital of 100 Euler steps. The loops take random bits from xorshift64* (S. Vigna, ACM TOMS 42,
 * 2016) and convert them to normals with the C library: by G. Box and M. Muller's pairs, and by P. Acklam's inverse
 * of the normal distribution function with one step of E. Halley's method using erfc, which is as accurate as weft's.
 * Prints the best of several rounds in which all alternate. */
#include "cpu_timing.h"
#include "weft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, STEPS = 100 };
static const double RATE = 0.05, SIGMA = 0.1, RHO = 0.5, TWO_PI = 6.283185307179586;

typedef double call(uint64_t paths);

static weft_context *ctx;

/* -------------------------------------------------------------------------------- the loops */

static uint64_t state = 88172645463325252U;

/* Returns a uniform number in (0, 1). */
static double uniform(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return ((double)(state * UINT64_C(2685821657736338717) >> 11) + 0.5) * 0x1p-53;
}

static void box_muller(double *a, double *b) {
    const double r = sqrt(-2 * log(uniform())), angle = TWO_PI * uniform();
    *a = r * cos(angle);
    *b = r * sin(angle);
}

static double tail(double q) {
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q + 3.754408661907416) *
                q +
            1);
}

static double middle(double q) {
    const double r = q * q;
    return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
              1.383577518672690e+02) *
                 r -
             3.066479806614716e+01) *
                r +
            2.506628277459239) *
           q /
           (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
              6.680131188771972e+01) *
                 r -
             1.328068155288572e+01) *
                r +
            1);
}

static double inverse(double p) {
    const double z = p < 0.02425       ? tail(sqrt(-2 * log(p)))
                     : p > 1 - 0.02425 ? -tail(sqrt(-2 * log(1 - p)))
                                       : middle(p - 0.5);
    const double u = (0.5 * erfc(-z * sqrt(0.5)) - p) * sqrt(TWO_PI) * exp(z * z / 2);
    return z - u / (1 + z * u / 2);
}

static void inverses(double *a, double *b) {
    *a = inverse(uniform());
    *b = inverse(uniform());
}

static inline double loop(uint64_t paths, void (*normals)(double *, double *)) {
    const double dt = 1.0 / STEPS, drift = RATE * dt, deviation = SIGMA * sqrt(dt), rest = sqrt(1 - RHO * RHO);
    uint64_t hits = 0;
    for (uint64_t p = 0; p < paths; p++) {
        double s1 = 1, s2 = 1, z1, z2;
        for (int i = 0; i < STEPS; i++) {
            normals(&z1, &z2);
            s1 *= 1 + drift + deviation * z1;
            s2 *= 1 + drift + deviation * (RHO * z1 + rest * z2);
        }
        hits += fabs(s1 - 1) < 0.1 && fabs(s2 - 1) < 0.1;
    }
    return exp(-RATE) * (double)hits / (double)paths;
}

static double loop_of_pairs(uint64_t paths) { return loop(paths, box_muller); }
static double loop_of_inverses(uint64_t paths) { return loop(paths, inverses); }

/* ------------------------------------------------------------------------------------- weft */

static double price(uint64_t paths, weft_dtype dtype) {
    const double start[] = {1, 1}, volatility[] = {SIGMA, SIGMA}, matrix[] = {1, RHO, RHO, 1};
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CORRIDOR,
                                .width = 0.1,
                                .rate = RATE,
                                .maturity = 1,
                                .assets = 2,
                                .start = start,
                                .volatility = volatility,
                                .correlation = matrix};
    const weft_simulation simulation = {
        .size = sizeof simulation, .dtype = dtype, .scheme = WEFT_EULER, .steps = STEPS, .paths = paths, .seed = 1};
    weft_valuation v = {.size = sizeof v};
    if (weft_price(ctx, &option, &simulation, &v) == WEFT_OK) return v.price;
    fprintf(stderr, "bench_cpu_price: %s\n", weft_last_error(ctx));
    exit(1);
}

static double weft_in_f32(uint64_t paths) { return price(paths, WEFT_F32); }
static double weft_in_f64(uint64_t paths) { return price(paths, WEFT_F64); }

static void compare(uint64_t paths) {
    static const struct {
        const char *name;
        call *run;
    } rows[] = {{"weft_price, f32", weft_in_f32},
                {"weft_price, f64", weft_in_f64},
                {"plain loop, log and cos", loop_of_pairs},
                {"plain loop, log and erfc", loop_of_inverses}};
    enum { COUNT = sizeof rows / sizeof *rows };
    double best[COUNT], value[COUNT];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < COUNT; i++) {
            const double begun = now();
            value[i] = rows[i].run(paths);
            const double took = now() - begun;
            if (round == 0 || took < best[i]) best[i] = took;
        }
    printf("%-28s %12s %12s %10s\n", "the classic", "price", "ns a normal", "x");
    for (int i = 0; i < COUNT; i++)
        printf("%-28s %12.6f %12.3f %10.2f\n", rows[i].name, value[i], 1e9 * best[i] / ((double)paths * 2 * STEPS),
               best[COUNT - 1] / best[i]);
}

int main(int argc, char **argv) {
    uint64_t paths = 100000;
    int threads = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) threads = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--paths") == 0) paths = strtoull(argv[i + 1], NULL, 10);
    }
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, threads) != WEFT_OK) {
        fprintf(stderr, "bench_cpu_price: %s\n", weft_last_error(NULL));
        return 1;
    }
    compare(paths);
    weft_close(ctx);
}
