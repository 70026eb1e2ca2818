/* build/bench_cpu_fft_accuracy [--inverse] [--seeds N] [--most N]: errors of weft_fft and of FFTW, complex f32 and
 * f64.
 *
 * For each of 200 lengths (those of at most --most values), N arrays of normal random numbers (100 by default) are
 * transformed by weft, by FFTW with plans made by estimation and by measurement, and by FFTW in long double, whose
 * result counts as exact. The error of one array is relative, in the Euclidean norm. Prints the root mean square over
 * the arrays, in units of eps/2, weft's error divided by FFTW's, and a summary for each method of ORDER.md 14. FFTW's
 * plans by measurement differ from run to run, and with them its error. Takes minutes; `./x bench` does not run it.
 */
#include "cpu_timing.h"
#include "weft.h"

#include <fftw3.h>
#include <float.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { SEEDS = 100 };
enum { ESTIMATED, MEASURED, PLANS };
enum { RADIX_2, MIXED_RADICES, CHIRP, ALL, GROUPS };
static const char *const group_names[] = {"radix 2", "mixed radices", "chirp", "all"};
static const size_t lengths[] = {
    2,      3,      4,       5,       6,     7,     8,      9,      10,     11,     12,     13,     14,     15,
    16,     17,     19,      21,      23,    24,    25,     27,     29,     30,     31,     32,     34,     35,
    37,     40,     41,      43,      47,    48,    49,     53,     57,     59,     60,     61,     62,     64,
    67,     70,     71,      73,      79,    81,    83,     89,     96,     97,     100,    101,    103,    105,
    107,    109,    111,     113,     120,   121,   125,    127,    128,    131,    137,    149,    151,    157,
    169,    173,    181,     191,     192,   194,   199,    202,    210,    211,    223,    225,    243,    251,
    256,    257,    263,     289,     303,   307,   343,    353,    360,    361,    384,    401,    449,    499,
    500,    505,    509,     512,     521,   601,   625,    701,    720,    729,    768,    797,    961,    1000,
    1001,   1009,   1018,    1021,    1024,  1031,  1111,   1155,   1260,   1331,   1499,   1517,   1536,   2003,
    2020,   2039,   2048,    2053,    2187,  2197,  2209,   2310,   2401,   2520,   3000,   3001,   3072,   3125,
    4093,   4096,   4099,    5003,    5005,  5040,  5050,   6144,   6561,   7560,   8191,   8192,   8209,   9409,
    10000,  10007,  10010,   10100,   12288, 14641, 15015,  15625,  16381,  16384,  16411,  16807,  19683,  20011,
    20480,  24576,  27720,   28561,   30030, 32749, 32768,  40009,  40400,  49152,  50000,  59049,  60060,  65521,
    65536,  65537,  78125,   90090,   98304, 99991, 100000, 100100, 104729, 117649, 131071, 131072, 196608, 262144,
    393216, 524288, 1000000, 1048576,
};

/* Transforms of n values of one type. FFTW's inverse has no factor 1/n. */
typedef struct trial {
    bool f32, inverse;
    size_t n;
    void *x, *y;
    long double *wide, *exact;
    fftwf_plan plans_f32[PLANS];
    fftw_plan plans_f64[PLANS];
    fftwl_plan plan_wide;
} trial;

/* Errors of one length and type. */
typedef struct errors {
    double weft, fftw[PLANS];
} errors;

/* Errors of the lengths of a group (those that one method computes, or all), divided by FFTW's. */
typedef struct ratios {
    int count, at_most[PLANS];
    double least[PLANS], most[PLANS], log_sum[PLANS];
    size_t worst[PLANS];
} ratios;

static weft_context *ctx;

/* The method of ORDER.md 14 that computes n values. */
static int method_of(size_t n) {
    if ((n & (n - 1)) == 0) return RADIX_2;
    for (size_t p = 2; p <= 97; p++)
        while (n % p == 0) n /= p;
    return n == 1 ? MIXED_RADICES : CHIRP;
}

/* Creates the arrays and plans. A plan by estimation would be a measured one if FFTW remembered one. */
static void prepare(trial *t) {
    static const unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE};
    const int n = (int)t->n, sign = t->inverse ? FFTW_BACKWARD : FFTW_FORWARD;
    const size_t bytes = 2 * t->n * (t->f32 ? sizeof(float) : sizeof(double));
    t->x = fftw_malloc(bytes);
    t->y = fftw_malloc(bytes);
    t->wide = fftwl_malloc(2 * t->n * sizeof *t->wide);
    t->exact = fftwl_malloc(2 * t->n * sizeof *t->exact);
    if (!t->x || !t->y || !t->wide || !t->exact) stop("arrays", "cannot allocate memory");
    bool made = true;
    fftwf_forget_wisdom();
    fftw_forget_wisdom();
    for (int p = 0; p < PLANS; p++)
        if (t->f32)
            made &= (t->plans_f32[p] = fftwf_plan_dft_1d(n, t->x, t->y, sign, flags[p])) != NULL;
        else
            made &= (t->plans_f64[p] = fftw_plan_dft_1d(n, t->x, t->y, sign, flags[p])) != NULL;
    t->plan_wide = fftwl_plan_dft_1d(n, (void *)t->wide, (void *)t->exact, sign, FFTW_ESTIMATE);
    if (!made || !t->plan_wide) stop("FFTW", "a plan cannot be created");
}

static void release(trial *t) {
    for (int p = 0; p < PLANS; p++)
        if (t->f32)
            fftwf_destroy_plan(t->plans_f32[p]);
        else
            fftw_destroy_plan(t->plans_f64[p]);
    fftwl_destroy_plan(t->plan_wide);
    fftw_free(t->x);
    fftw_free(t->y);
    fftwl_free(t->wide);
    fftwl_free(t->exact);
}

static long double real(const trial *t, const void *v, size_t i) {
    return t->f32 ? (long double)((const float *)v)[i] : (long double)((const double *)v)[i];
}

/* Returns the square of the relative error of y times `factor`. */
static double square_error(const trial *t, double factor) {
    double error = 0, norm = 0;
    for (size_t i = 0; i < 2 * t->n; i++) {
        const double difference = (double)(real(t, t->y, i) * (long double)factor - t->exact[i]);
        error += difference * difference;
        norm += (double)(t->exact[i] * t->exact[i]);
    }
    return error / norm;
}

static void transform_by_fftw(const trial *t, int plan) {
    if (t->f32)
        fftwf_execute(t->plans_f32[plan]);
    else
        fftw_execute(t->plans_f64[plan]);
}

static errors errors_of(const trial *t, int seeds) {
    const weft_dtype dtype = t->f32 ? WEFT_F32 : WEFT_F64;
    errors sum = {0};
    for (int seed = 1; seed <= seeds; seed++) {
        if (weft_random(ctx, WEFT_NORMAL, dtype, (uint64_t)seed, 0, 0, 2 * t->n, 0, 1, t->x) != WEFT_OK ||
            weft_fft(ctx, t->inverse ? WEFT_C2C_INVERSE : WEFT_C2C, dtype, 1, t->n, t->x, t->y) != WEFT_OK)
            stop("weft", weft_last_error(ctx));
        for (size_t i = 0; i < 2 * t->n; i++) t->wide[i] = real(t, t->x, i);
        fftwl_execute(t->plan_wide);
        sum.weft += square_error(t, t->inverse ? (double)t->n : 1);
        for (int p = 0; p < PLANS; p++) {
            transform_by_fftw(t, p);
            sum.fftw[p] += square_error(t, 1);
        }
    }
    const double half_eps = (t->f32 ? FLT_EPSILON : DBL_EPSILON) / 2;
    for (int p = 0; p < PLANS; p++) sum.fftw[p] = sqrt(sum.fftw[p] / seeds) / half_eps;
    sum.weft = sqrt(sum.weft / seeds) / half_eps;
    return sum;
}

/* weft's error divided by FFTW's, or 1 if both are 0. */
static double ratio_of(const errors *e, int plan) { return e->weft == e->fftw[plan] ? 1 : e->weft / e->fftw[plan]; }

static void add(ratios *all, size_t n, const errors *e) {
    for (int p = 0; p < PLANS; p++) {
        const double ratio = ratio_of(e, p);
        all->at_most[p] += ratio <= 1;
        all->log_sum[p] += log(ratio);
        if (all->count == 0 || ratio < all->least[p]) all->least[p] = ratio;
        if (all->count > 0 && ratio <= all->most[p]) continue;
        all->most[p] = ratio;
        all->worst[p] = n;
    }
    all->count++;
}

static void row(trial *t, int seeds, ratios *groups) {
    prepare(t);
    const errors e = errors_of(t, seeds);
    const int method = method_of(t->n);
    printf("%-8zu %-14s %s %5d %8.3f %10.3f %7.3f %10.3f %7.3f\n", t->n, group_names[method], t->f32 ? "f32" : "f64",
           seeds, e.weft, e.fftw[ESTIMATED], ratio_of(&e, ESTIMATED), e.fftw[MEASURED], ratio_of(&e, MEASURED));
    fflush(stdout);
    add(&groups[method], t->n, &e);
    add(&groups[ALL], t->n, &e);
    release(t);
}

static void summary(const char *type, const ratios *groups) {
    static const char *const plan_names[] = {"estimated", "measured"};
    for (int p = 0; p < PLANS; p++)
        for (int m = 0; m < GROUPS; m++) {
            const ratios *r = &groups[m];
            if (r->count == 0) continue;
            printf("%s %-14s FFTW %-10s weft's error is at most FFTW's for %3d of %3d lengths; ratio %.3f to %.3f "
                   "(n = %zu), geometric mean %.3f\n",
                   type, group_names[m], plan_names[p], r->at_most[p], r->count, r->least[p], r->most[p], r->worst[p],
                   exp(r->log_sum[p] / r->count));
        }
}

int main(int argc, char **argv) {
    static ratios found[2][GROUPS];
    size_t most = SIZE_MAX;
    int seeds = SEEDS;
    bool inverse = false;
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--inverse") == 0)
            inverse = true;
        else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc)
            seeds = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--most") == 0 && i + 1 < argc)
            most = strtoull(argv[++i], NULL, 10);
        else
            stop(argv[i], "expected --inverse, --seeds N or --most N");
    if (LDBL_MANT_DIG < DBL_MANT_DIG + 8) stop("long double", "must be wider than double by 8 bits");
    if (seeds < 1) stop("--seeds", "expected a number of at least 1");
    if (weft_open(&ctx, "cpu") != WEFT_OK) stop("weft", weft_last_error(NULL));
    weft_set_threads(ctx, 1);
    printf("%s, %s, error in units of eps/2\n", fftw_version, inverse ? "inverse" : "forward");
    printf("%-8s %-14s %s %5s %8s %10s %7s %10s %7s\n", "n", "method", "   ", "seeds", "weft", "estimated", "ratio",
           "measured", "ratio");
    for (size_t i = 0; i < COUNT(lengths) && lengths[i] <= most; i++)
        for (int f64 = 0; f64 < 2; f64++)
            row(&(trial){.f32 = !f64, .inverse = inverse, .n = lengths[i]}, seeds, found[f64]);
    summary("f32", found[0]);
    summary("f64", found[1]);
    weft_close(ctx);
    return 0;
}
