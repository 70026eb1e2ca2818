/* build/bench_cpu_mkl [--threads N] [--only TEXT]: matrix products, complex transforms and random numbers compared
 * with MKL, on N threads (1 by default). --only runs the rows whose names contain TEXT. Prints the medians of
 * alternating rounds. Descriptors of transforms are created beforehand.
 *
 * MKL generates random numbers by Philox4x32-10, as weft does. Each thread has a stream that skips ahead to its part.
 */
#include "cpu_timing.h"
#include "weft.h"

#include <mkl.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 1001, ROUNDS_LEAST = 5, SAMPLES = 1 << 24, BATCH_VALUES = 1 << 14 };
static const double BUDGET_SECONDS = 0.5, ROUND_SECONDS = 1e-4;

typedef enum kind { PRODUCT, VECTOR, TRANSFORM, UNIFORM, NORMAL, NORMAL_ICDF, EXPONENTIAL } kind;

/* One row. n: order of the matrices, values of a transform, or number of samples. batch: number of transforms. */
typedef struct work {
    kind kind;
    weft_dtype dtype;
    size_t n, batch;
    const void *a, *b;
    void *c;
    DFTI_DESCRIPTOR_HANDLE descriptor;
} work;

static weft_context *ctx;
static int threads = 1;

/* -------------------------------------------------------------------------------------- weft */

static weft_status run_weft(const work *w) {
    const size_t n = w->n, columns = w->kind == VECTOR ? 1 : n;
    switch (w->kind) {
    case PRODUCT:
    case VECTOR:
        return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, w->dtype, WEFT_DEFAULT, n,
                           columns, n, NULL, w->a, n, w->b, columns, NULL, w->c, columns);
    case TRANSFORM: return weft_fft(ctx, WEFT_C2C, w->dtype, w->batch, n, w->a, w->c);
    case UNIFORM: return weft_random(ctx, WEFT_UNIFORM, w->dtype, 1, 0, 0, n, 0, 1, w->c);
    case EXPONENTIAL: return weft_random(ctx, WEFT_EXPONENTIAL, w->dtype, 1, 0, 0, n, 1, 0, w->c);
    default: return weft_random(ctx, WEFT_NORMAL, w->dtype, 1, 0, 0, n, 0, 1, w->c);
    }
}

static void call_weft(const work *w) {
    if (run_weft(w) != WEFT_OK) stop("weft", weft_last_error(ctx));
}

/* --------------------------------------------------------------------------------------- MKL */

static void product_f32(const work *w, MKL_INT n) {
    if (w->kind == VECTOR)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, n, n, 1, w->a, n, w->b, 1, 0, w->c, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->a, n, w->b, n, 0, w->c, n);
}

static void product_f64(const work *w, MKL_INT n) {
    if (w->kind == VECTOR)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1, w->a, n, w->b, 1, 0, w->c, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, w->a, n, w->b, n, 0, w->c, n);
}

static int samples_f32(const work *w, VSLStreamStatePtr stream, MKL_INT n, float *out) {
    switch (w->kind) {
    case UNIFORM: return vsRngUniform(VSL_RNG_METHOD_UNIFORM_STD, stream, n, out, 0, 1);
    case EXPONENTIAL: return vsRngExponential(VSL_RNG_METHOD_EXPONENTIAL_ICDF, stream, n, out, 0, 1);
    case NORMAL_ICDF: return vsRngGaussian(VSL_RNG_METHOD_GAUSSIAN_ICDF, stream, n, out, 0, 1);
    default: return vsRngGaussian(VSL_RNG_METHOD_GAUSSIAN_BOXMULLER2, stream, n, out, 0, 1);
    }
}

static int samples_f64(const work *w, VSLStreamStatePtr stream, MKL_INT n, double *out) {
    switch (w->kind) {
    case UNIFORM: return vdRngUniform(VSL_RNG_METHOD_UNIFORM_STD, stream, n, out, 0, 1);
    case EXPONENTIAL: return vdRngExponential(VSL_RNG_METHOD_EXPONENTIAL_ICDF, stream, n, out, 0, 1);
    case NORMAL_ICDF: return vdRngGaussian(VSL_RNG_METHOD_GAUSSIAN_ICDF, stream, n, out, 0, 1);
    default: return vdRngGaussian(VSL_RNG_METHOD_GAUSSIAN_BOXMULLER2, stream, n, out, 0, 1);
    }
}

static void samples(const work *w) {
    int failures = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failures)
    {
        const size_t t = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
        const size_t first = w->n * t / all, n = w->n * (t + 1) / all - first;
        VSLStreamStatePtr stream;
        failures += vslNewStream(&stream, VSL_BRNG_PHILOX4X32X10, 1) != VSL_STATUS_OK ||
                    vslSkipAheadStream(stream, (long long)first) != VSL_STATUS_OK;
        failures +=
            (w->dtype == WEFT_F32 ? samples_f32(w, stream, (MKL_INT)n, (float *)w->c + first)
                                  : samples_f64(w, stream, (MKL_INT)n, (double *)w->c + first)) != VSL_STATUS_OK;
        vslDeleteStream(&stream);
    }
    if (failures) stop("MKL", "random numbers failed");
}

static void call_mkl(const work *w) {
    if (w->kind == TRANSFORM) {
        if (DftiComputeForward(w->descriptor, (void *)w->a, w->c) != DFTI_NO_ERROR) stop("MKL", "a transform failed");
    } else if (w->kind > TRANSFORM)
        samples(w);
    else if (w->dtype == WEFT_F32)
        product_f32(w, (MKL_INT)w->n);
    else
        product_f64(w, (MKL_INT)w->n);
}

static DFTI_DESCRIPTOR_HANDLE descriptor_of(const work *w) {
    const MKL_LONG n = (MKL_LONG)w->n, batch = (MKL_LONG)w->batch;
    DFTI_DESCRIPTOR_HANDLE made = NULL;
    if (DftiCreateDescriptor(&made, w->dtype == WEFT_F32 ? DFTI_SINGLE : DFTI_DOUBLE, DFTI_COMPLEX, 1, n) ||
        DftiSetValue(made, DFTI_PLACEMENT, DFTI_NOT_INPLACE) ||
        DftiSetValue(made, DFTI_NUMBER_OF_TRANSFORMS, batch) || DftiSetValue(made, DFTI_FWD_DISTANCE, n) ||
        DftiSetValue(made, DFTI_BWD_DISTANCE, n) || DftiCommitDescriptor(made))
        stop("MKL", "a descriptor of a transform cannot be created");
    return made;
}

/* ------------------------------------------------------------------------------------- rounds */

static double seconds(void (*call)(const work *), const work *w, int calls) {
    const double start = now();
    for (int i = 0; i < calls; i++) call(w);
    return (now() - start) / calls;
}

/* Sets median to the medians of weft's and MKL's seconds per call. */
static void measure(const work *w, double median[2]) {
    static double taken[2][ROUNDS_MOST];
    int calls = 1, rounds = 0;
    call_mkl(w);
    while (seconds(call_weft, w, calls) * calls < ROUND_SECONDS) calls *= 2;
    for (const double start = now(); rounds < ROUNDS_LEAST || now() - start < BUDGET_SECONDS; rounds++) {
        if (rounds == ROUNDS_MOST) break;
        taken[0][rounds] = seconds(call_weft, w, calls);
        taken[1][rounds] = seconds(call_mkl, w, calls);
    }
    for (int i = 0; i < 2; i++) median[i] = median_of(taken[i], rounds);
}

static void *uniform(weft_dtype dtype, size_t n) {
    const size_t size = weft_dtype_size(dtype);
    void *x = aligned_alloc(64, (n * size + 63) / 64 * 64);
    if (!x) stop("arrays", "cannot allocate memory");
    if (weft_random(ctx, WEFT_UNIFORM, dtype, 2, 0, 0, n, -1, 1, x) != WEFT_OK) stop("weft", weft_last_error(ctx));
    return x;
}

/* Measures a row and prints it: GFLOP/s of products, microseconds of transforms, nanoseconds of a sample. */
static void row(const char *name, work w) {
    MKLVersion version;
    const size_t square = w.n * w.n, n = w.n, reals = 2 * n * w.batch;
    char elements[24] = "-";
    double median[2];
    mkl_get_version(&version);
    w.a = uniform(w.dtype, w.kind < TRANSFORM ? square : w.kind == TRANSFORM ? reals : 1);
    w.b = uniform(w.dtype, w.kind == PRODUCT ? square : w.kind == VECTOR ? n : 1);
    w.c = uniform(w.dtype, w.kind == PRODUCT ? square : w.kind == TRANSFORM ? reals : n);
    if (w.kind >= TRANSFORM) snprintf(elements, sizeof elements, "%zu", n);
    if (w.kind == TRANSFORM && (n & (n - 1)) == 0) snprintf(elements, sizeof elements, "2^%d", __builtin_ctzll(n));
    if (w.kind == TRANSFORM) w.descriptor = descriptor_of(&w);
    measure(&w, median);
    double value[2], work = 2e-9 * (double)n * (double)(w.kind == PRODUCT ? square : n);
    for (int i = 0; i < 2; i++)
        value[i] = w.kind < TRANSFORM    ? work / median[i]
                   : w.kind == TRANSFORM ? 1e6 * median[i]
                                         : 1e9 * median[i] / (double)n;
    const char *unit = w.kind < TRANSFORM ? "GFLOP/s" : w.kind == TRANSFORM ? "us" : "ns a sample";
    printf("%-46s %9s %2d %12.3f %-12s MKL %d.%d%-22s %12.3f %6.2fx\n", name, elements, threads, value[0], unit,
           version.MajorVersion, version.UpdateVersion,
           w.kind == NORMAL        ? ", Box-Muller"
           : w.kind == NORMAL_ICDF ? ", inverse function"
                                   : "",
           value[1], median[1] / median[0]);
    fflush(stdout);
    if (w.kind == TRANSFORM) DftiFreeDescriptor(&w.descriptor);
    free((void *)w.a);
    free((void *)w.b);
    free(w.c);
}

/* Rows of transforms of 2^4 to 2^22 values, 3 2^k and powers of ten: one transform, or a batch of `values` in all. */
static void transforms(const char *name, weft_dtype dtype, size_t values) {
    static const size_t lengths[] = {1 << 4,  1 << 6,  1 << 8,  1 << 10, 1 << 12, 1 << 14, 1 << 16,
                                     1 << 18, 1 << 20, 1 << 22, 12,      48,      192,     768,
                                     3072,    12288,   49152,   196608,  786432,  1000,    1000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (values == 0 || 2 * lengths[i] <= values)
            row(name,
                (work){
                    .kind = TRANSFORM, .dtype = dtype, .n = lengths[i], .batch = values ? values / lengths[i] : 1});
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        kind kind;
        size_t n;
    } rows[] = {
        {"matmul %s, 2048 x 2048", PRODUCT, 2048},
        {"matmul %s, 8192 x 8192 times a vector", VECTOR, 8192},
        {"random uniform %s", UNIFORM, SAMPLES},
        {"random normal %s", NORMAL, SAMPLES},
        {"random normal %s", NORMAL_ICDF, SAMPLES},
        {"random exponential %s", EXPONENTIAL, SAMPLES},
        {"fft one complex %s transform", TRANSFORM, 0},
        {"fft complex %s transforms, 2^14 values in all", TRANSFORM, BATCH_VALUES},
    };
    const char *only = "";
    char name[64], version[200];
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--threads") == 0)
            threads = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
    mkl_set_threading_layer(MKL_THREADING_GNU); /* the OpenMP runtime of this program */
    mkl_set_num_threads(threads);
    if (weft_open(&ctx, "cpu") != WEFT_OK || weft_set_threads(ctx, threads) != WEFT_OK) stop("weft", "no context");
    mkl_get_version_string(version, sizeof version);
    printf("%s\n", version);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int f64 = 0; f64 < 2; f64++) {
            const work w = {.kind = rows[r].kind, .dtype = f64 ? WEFT_F64 : WEFT_F32, .n = rows[r].n};
            snprintf(name, sizeof name, rows[r].name, f64 ? "f64" : "f32");
            if (!strstr(name, only)) continue;
            if (w.kind == TRANSFORM)
                transforms(name, w.dtype, w.n);
            else
                row(name, w);
        }
    weft_close(ctx);
    return 0;
}
