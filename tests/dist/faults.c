/* Must run under mpirun with at least 2 ranks. "arguments": ranks disagree, or one has invalid arguments or not
 * enough memory. All must get one status and message, nothing may be written, and the next call must work. "death":
 * one rank is killed during a sequence of calls, and the others must end. Usage: dist_faults arguments|death. */
#include <mpi.h>

#include "tests/dist/world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000 };

static const double POISON = -12345.0;

/* Checks that all ranks got the status and one message that contains `words`, and that `out` is unchanged. */
static void expect_failure(world *w, weft_status status, weft_status wanted, const char *words, double out) {
    char sentence[512] = "", first[512];
    snprintf(sentence, sizeof sentence, "%s", weft_dist_last_error(w->d));
    memcpy(first, sentence, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    world_expect(w, status == wanted && strcmp(sentence, first) == 0 && strstr(sentence, words) && out == POISON,
                 "status %s, wanted %s, \"%s\" should say \"%s\", out = %g", weft_status_name(status),
                 weft_status_name(wanted), sentence, words, out);
}

static weft_status sum(world *w, weft_slice slice, const double *x, double *out) {
    return weft_dist_reduce(w->d, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, slice, x, out);
}

/* Checks that calls work after a failure. */
static void expect_success(world *w, const double *x) {
    double out = POISON;
    const weft_status status = sum(w, weft_slice_of(N), x, &out);
    world_expect(w, status == WEFT_OK && out == (double)N * w->size, "a call after a failure: %s, %g",
                 weft_status_name(status), out);
}

static void check_slices(world *w, const double *x, bool last) {
    const uint64_t own = (uint64_t)N * (uint64_t)w->rank, all = (uint64_t)N * (uint64_t)w->size;
    double out = POISON;
    weft_status status = sum(w, (weft_slice){N, own + last, WEFT_NOT_GIVEN}, x, &out);
    expect_failure(w, status, WEFT_INVALID, "there is a gap", out);
    status = sum(w, (weft_slice){N, own - last, WEFT_NOT_GIVEN}, x, &out);
    expect_failure(w, status, WEFT_INVALID, "they overlap", out);
    status = sum(w, (weft_slice){N, own, all + last}, x, &out);
    expect_failure(w, status, WEFT_INVALID, "specified", out);
    status = sum(w, (weft_slice){N, WEFT_NOT_GIVEN, all + 7}, x, &out);
    expect_failure(w, status, WEFT_INVALID, "elements in total", out);
    status = sum(w, (weft_slice){last ? SIZE_MAX / 4 : N, WEFT_NOT_GIVEN, WEFT_NOT_GIVEN}, x, &out);
    expect_failure(w, status, WEFT_INVALID, "do not fit in memory", out);
    expect_success(w, x);
}

static void check_disagreement(world *w, const double *x, bool last) {
    const weft_slice slice = weft_slice_of(N);
    double out = POISON;
    weft_status status = weft_dist_reduce(w->d, last ? WEFT_PROD : WEFT_SUM, WEFT_F64, WEFT_DEFAULT, slice, x, &out);
    expect_failure(w, status, WEFT_INVALID, "op is sum on rank 0 and prod on rank", out);
    status = weft_dist_reduce(w->d, WEFT_MEAN, last ? WEFT_I64 : WEFT_F64, WEFT_DEFAULT, slice, x, &out);
    expect_failure(w, status, WEFT_INVALID, "dtype is f64 on rank 0 and i64 on rank", out);
    status = last ? weft_dist_variance(w->d, WEFT_F64, WEFT_DEFAULT, slice, 1, x, &out)
                  : weft_dist_dot(w->d, WEFT_F64, WEFT_DEFAULT, slice, x, x, &out);
    expect_failure(w, status, WEFT_INVALID, "rank 0 calls dot and rank", out);
    status = weft_dist_variance(w->d, WEFT_F64, WEFT_DEFAULT, slice, last, x, &out);
    expect_failure(w, status, WEFT_INVALID, "ddof is 0 on rank 0 and 1 on rank", out);
    expect_success(w, x);
}

/* Tests an option that differs in a number which is only compared by a hash. */
static void check_price(world *w, bool last) {
    const double start = last ? 1.5 : 1, volatility = 0.2;
    const weft_option option = {.size = sizeof option,
                                .strike = 1,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 1,
                                .start = &start,
                                .volatility = &volatility};
    weft_simulation simulation = {
        .size = sizeof simulation, .dtype = WEFT_F64, .steps = 2, .paths = 1000, .seed = last};
    weft_valuation v = {.size = sizeof v, .price = POISON};
    weft_status status = weft_dist_price(w->d, &option, &simulation, &v);
    expect_failure(w, status, WEFT_INVALID, "the seed is 0 on rank 0 and 1 on rank", v.price);
    simulation.seed = 0;
    status = weft_dist_price(w->d, &option, &simulation, &v);
    expect_failure(w, status, WEFT_INVALID, "the option's hash is", v.price);
    simulation.paths = 1;
    status = weft_dist_price(w->d, &option, &simulation, &v);
    expect_failure(w, status, WEFT_INVALID, "invalid number of paths 1: expected 2 to", v.price);
    status = weft_dist_price(w->d, last ? NULL : &option, last ? NULL : &simulation, &v);
    expect_failure(w, status, WEFT_INVALID, "invalid number of paths 1: expected 2 to", v.price);
}

/* On the last rank, a coefficient has another value or another step, or is missing. */
static void check_tridiag_rows(world *w, bool last) {
    const double off = last ? -1 : -0.5, middle = 3, rhs[] = {1, 2, 3};
    const weft_lines off_diagonal = {&off, 0, 0}, diagonal = {&middle, 0, 0}, missing = {NULL, 0, 0};
    double x[] = {POISON, POISON, POISON};
    uint64_t singular;
    weft_status status = weft_dist_tridiag_rows(w->d, WEFT_OPEN_ENDS, WEFT_F64, weft_slice_of(3), off_diagonal,
                                                diagonal, diagonal, rhs, x, &singular);
    expect_failure(w, status, WEFT_INVALID, "a is 0xbfe0000000000000 on rank 0 and 0xbff0000000000000 on rank", x[0]);
    status = weft_dist_tridiag_rows(w->d, WEFT_OPEN_ENDS, WEFT_F64, weft_slice_of(3), (weft_lines){rhs, 1 + last, 0},
                                    diagonal, diagonal, rhs, x, &singular);
    expect_failure(w, status, WEFT_INVALID, "a: invalid step 2", x[0]);
    status = weft_dist_tridiag_rows(w->d, WEFT_OPEN_ENDS, WEFT_F64, weft_slice_of(3), diagonal,
                                    last ? missing : diagonal, diagonal, rhs, x, &singular);
    expect_failure(w, status, WEFT_INVALID, "b is NULL", x[0]);
    status = weft_dist_tridiag_rows(w->d, WEFT_OPEN_ENDS, WEFT_I32, weft_slice_of(3), diagonal, diagonal, diagonal,
                                    rhs, x, &singular);
    expect_failure(w, status, WEFT_UNSUPPORTED, "tridiag requires f32 or f64", x[0]);
}

/* The exact variance of no elements. */
static void check_exact(world *w, const double *x) {
    double out = POISON;
    const weft_status status = weft_dist_variance(w->d, WEFT_F64, WEFT_EXACT_SUM, weft_slice_of(0), 0, x, &out);
    expect_failure(w, status, WEFT_EMPTY, "variance of 0 elements is undefined with ddof 0", out);
}

/* The last rank has other taps, no taps, or not enough memory for its results. */
static void check_convolve(world *w, const double *x, bool last) {
    const weft_slice slice = weft_slice_of(N);
    const double h[] = {1, last ? 3 : 2, -1};
    static double y[N] = {0};
    const struct {
        weft_dtype dtype;
        weft_field field;
        weft_convolve_mode mode;
        size_t m;
        const double *h;
        double *y;
        weft_status status;
        const char *words;
    } cases[] = {
        {last ? WEFT_F32 : WEFT_F64, WEFT_REAL, WEFT_SAME, 1, h, y, WEFT_INVALID, "dtype is f64 on rank 0 and f32"},
        {WEFT_F64, last ? WEFT_COMPLEX : WEFT_REAL, WEFT_SAME, 1, h, y, WEFT_INVALID,
         "the field is 0 on rank 0 and 1"},
        {WEFT_F64, WEFT_REAL, last ? WEFT_VALID : WEFT_SAME, 1, h, y, WEFT_INVALID, "the mode is 1 on rank 0 and 2"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 3 - last, h, y, WEFT_INVALID, "the number of taps is 3 on rank 0 and 2 on"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 3, h, y, WEFT_INVALID, "the filter's hash is 0x"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 1, last ? NULL : h, y, WEFT_INVALID, "h is NULL"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 1, h, last ? NULL : y, WEFT_INVALID, "y is NULL"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 1, h, last ? (double *)(uintptr_t)(x + N - 1) : y, WEFT_INVALID,
         "overlaps x"},
        {WEFT_F64, WEFT_REAL, WEFT_SAME, 0, h, y, WEFT_EMPTY, "and 0 values is undefined"},
        {WEFT_I32, WEFT_REAL, WEFT_SAME, 1, h, y, WEFT_UNSUPPORTED, "convolution requires f32 or f64"},
        {WEFT_F64, WEFT_REAL, (weft_convolve_mode)3, 1, h, y, WEFT_INVALID, "invalid convolution mode 3"},
    };
    y[0] = POISON;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weft_status status = weft_dist_convolve(w->d, cases[i].mode, cases[i].dtype, cases[i].field, slice, x,
                                                      cases[i].m, cases[i].h, cases[i].y);
        expect_failure(w, status, cases[i].status, cases[i].words, y[0]);
    }
    const weft_status status =
        weft_dist_correlate(w->d, WEFT_SAME, WEFT_F64, WEFT_REAL, weft_slice_of(last), x, 2, x, y);
    expect_failure(w, status, WEFT_UNSUPPORTED,
                   "2 taps exceed the 1 values: the distributed array must be the longer one", y[0]);
    expect_success(w, x);
}

static void check_fft(world *w, const double *x, bool last) {
    double y[4] = {POISON};
    weft_status status = weft_dist_fft(w->d, WEFT_C2C, WEFT_F64, weft_slice_of(1), last ? 1 : 2, x, y);
    expect_failure(w, status, WEFT_INVALID, "the number of values is 2 on rank 0 and 1 on rank", y[0]);
    status = weft_dist_fft(w->d, last ? WEFT_C2C_INVERSE : WEFT_C2C, WEFT_F64, weft_slice_of(1), 2, x, y);
    expect_failure(w, status, WEFT_INVALID, "the kind is 0 on rank 0 and 1 on rank", y[0]);
    status = weft_dist_fft(w->d, WEFT_C2C, WEFT_F64, weft_slice_of(1), 2, x, last ? NULL : y);
    expect_failure(w, status, WEFT_INVALID, "y is NULL", y[0]);
    status = weft_dist_fft(w->d, WEFT_C2C, WEFT_F64, weft_slice_of(1), 0, x, y);
    expect_failure(w, status, WEFT_INVALID, "fft of 0 values: at least 1 is required", y[0]);
    expect_success(w, x);
}

/* Transforms an array of 2 x R x 3 values on R ranks, of which each has a pencil of up to 6 values. */
static weft_status fft_axes(world *w, weft_fft_kind kind, weft_spectrum spectrum, size_t across, size_t batch,
                            const size_t *shape, const double *x, double *y) {
    return weft_dist_fft_axes(w->d, kind, spectrum, WEFT_F64, across, batch, 3, shape, x, y);
}

static void check_fft_axes(world *w, const double *x, bool last) {
    const weft_fft_kind kind = WEFT_C2C;
    const weft_spectrum natural = WEFT_SPECTRUM_NATURAL;
    const size_t all = (size_t)w->size, n[] = {2, all, 3}, other[] = {2, all + last, 3}, none[] = {2, all, 0};
    const size_t huge[] = {last ? SIZE_MAX / 8 : 2, all, 3};
    double y[2 * 2 * 2 * 3] = {POISON};
    expect_failure(w, fft_axes(w, last ? WEFT_C2C_INVERSE : kind, natural, all, 1, n, x, y), WEFT_INVALID,
                   "the kind is 0 on rank 0 and 1 on rank", y[0]);
    expect_failure(w, fft_axes(w, kind, (weft_spectrum)last, all, 1, n, x, y), WEFT_INVALID,
                   "the layout of the spectrum is 0 on rank 0 and 1 on rank", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, last ? 1 : all, 1, n, x, y), WEFT_INVALID,
                   "the number of ranks in a row of the grid is", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1 + last, n, x, y), WEFT_INVALID,
                   "the number of arrays is 1 on rank 0 and 2 on rank", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1, other, x, y), WEFT_INVALID, "the length of axis 1 is", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1, none, x, y), WEFT_INVALID,
                   "fft of 0 values: at least 1 is required", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1, last ? NULL : n, x, y), WEFT_INVALID, "shape is NULL", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1, huge, x, y), WEFT_INVALID, "do not fit in memory", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all + 1, 1, n, x, y), WEFT_INVALID,
                   "it must divide the number of ranks", y[0]);
    expect_failure(w, fft_axes(w, (weft_fft_kind)4, natural, all, 1, n, x, y), WEFT_INVALID, "invalid fft kind 4",
                   y[0]);
    expect_failure(w, fft_axes(w, kind, (weft_spectrum)2, all, 1, n, x, y), WEFT_INVALID, "invalid spectrum 2", y[0]);
    expect_failure(w, fft_axes(w, kind, natural, all, 1, n, last ? NULL : x, y), WEFT_INVALID, "x is NULL", y[0]);
    expect_failure(w, fft_axes(w, WEFT_R2C, natural, all, 1, n, last ? y : x, y), WEFT_INVALID, "y (", y[0]);
    weft_status status = weft_dist_fft_axes(w->d, kind, natural, WEFT_F64, 1, 1, last ? 3 : 2, n, x, y);
    expect_failure(w, status, WEFT_INVALID, "the length of axis 2 is 0 on rank 0 and 3 on rank", y[0]);
    status = weft_dist_fft_axes(w->d, kind, natural, WEFT_F64, 1, 1, 1, n, x, y);
    expect_failure(w, status, WEFT_INVALID, "invalid number of axes 1: expected 2 or 3", y[0]);
    status = weft_dist_fft_axes(w->d, kind, natural, WEFT_F64, all, 1, 2, n, x, y);
    expect_failure(w, status, WEFT_INVALID, "expected 1 for two axes", y[0]);
    status = weft_dist_fft_axes(w->d, kind, natural, last ? WEFT_I32 : WEFT_F64, all, 1, 3, n, x, y);
    expect_failure(w, status, WEFT_UNSUPPORTED, "fft requires f32 or f64", y[0]);
    expect_success(w, x);
}

/* Transforms `count` values on the first rank and on the last one, and none on others. */
static weft_status fft_values(world *w, weft_fft_kind kind, weft_spectrum spectrum, size_t count, const double *x,
                              double *y) {
    const bool any = w->rank == 0 || w->rank == w->size - 1;
    return weft_dist_fft_values(w->d, kind, spectrum, WEFT_F64, weft_slice_of(any ? count : 0), x, y);
}

static void check_fft_values(world *w, const double *x, bool last) {
    const weft_fft_kind kind = WEFT_C2C;
    const weft_spectrum natural = WEFT_SPECTRUM_NATURAL;
    const bool first = w->rank == 0;
    double y[64] = {POISON};
    expect_failure(w, fft_values(w, last ? WEFT_C2C_INVERSE : kind, natural, 2, x, y), WEFT_INVALID,
                   "the kind is 0 on rank 0 and 1 on rank", y[0]);
    expect_failure(w, fft_values(w, kind, (weft_spectrum)last, 2, x, y), WEFT_INVALID,
                   "the layout of the spectrum is 0 on rank 0 and 1 on rank", y[0]);
    expect_failure(w, fft_values(w, kind, natural, 0, x, y), WEFT_INVALID, "fft of 0 values: at least 1 is required",
                   y[0]);
    expect_failure(w, fft_values(w, kind, natural, 3, x, y), WEFT_UNSUPPORTED,
                   "fft_values of 6 values: the length must be a power of two", y[0]);
    expect_failure(w, fft_values(w, kind, natural, last ? SIZE_MAX / 32 : 2, x, y), WEFT_INVALID,
                   "do not fit in memory", y[0]);
    expect_failure(w, fft_values(w, WEFT_R2C, natural, 2, x, y), WEFT_UNSUPPORTED,
                   "only WEFT_C2C and WEFT_C2C_INVERSE are supported", y[0]);
    expect_failure(w, fft_values(w, (weft_fft_kind)4, natural, 2, x, y), WEFT_INVALID, "invalid fft kind 4", y[0]);
    expect_failure(w, fft_values(w, kind, (weft_spectrum)2, 2, x, y), WEFT_INVALID, "invalid spectrum 2", y[0]);
    expect_failure(w, fft_values(w, kind, natural, 2, first ? NULL : x, y), WEFT_INVALID, "x is NULL", y[0]);
    expect_failure(w, fft_values(w, kind, natural, 2, first ? y + 1 : x, y), WEFT_INVALID, "overlaps x", y[0]);
    expect_failure(w, fft_values(w, kind, WEFT_SPECTRUM_TRANSPOSED, 2, x, first ? NULL : y), WEFT_INVALID,
                   "y is NULL", y[0]);
    expect_success(w, x);
}

static weft_status scatter(world *w, weft_op op, weft_range range, size_t columns, size_t m, const double *x,
                           const int32_t *index, const double *init, double *out) {
    return weft_dist_scatter_reduce(w->d, op, range, WEFT_F64, WEFT_DEFAULT, WEFT_I32, weft_slice_of(N / columns),
                                    columns, m, x, index, init, out);
}

/* On the last rank, one argument differs, or an index is out of range. Its position is that in the whole array. */
static void check_scatter(world *w, const double *x, bool last) {
    enum { M = 64 };
    static int32_t index[N];
    static double out[M], init[M];
    static uint64_t counts[M];
    char words[80];
    const double *const missing = last ? NULL : x;
    const int32_t *const no_index = last ? NULL : index;
    const weft_range error = WEFT_RANGE_ERROR;
    weft_dist *const d = w->d;
    memset(index, 0, sizeof index);
    out[0] = POISON;
    weft_status status = scatter(w, last ? WEFT_MAX : WEFT_MIN, error, 1, M, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "op is min on rank 0 and max on rank", out[0]);
    status = scatter(w, WEFT_SUM, last ? WEFT_RANGE_SKIP : error, 1, M, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "range is 0 on rank 0 and 1 on rank", out[0]);
    status = scatter(w, WEFT_SUM, error, 1 + last, M, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "the number of columns is 1 on rank 0 and 2 on rank", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M - last, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "the number of targets is 64 on rank 0 and 63 on rank", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M, x, index, last ? init : NULL, out);
    expect_failure(w, status, WEFT_INVALID, "the presence of init is 0 on rank 0 and 1 on rank", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M, missing, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "x is NULL", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M, x, no_index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "index is NULL", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M, x, index, NULL, last ? NULL : out);
    expect_failure(w, status, WEFT_INVALID, "out is NULL", out[0]);
    status = scatter(w, WEFT_SUM, error, 1, M, last ? out : x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "out (", out[0]);
    status = scatter(w, WEFT_MEAN, error, 1, M, x, index, init, out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "mean cannot have init", out[0]);
    status = weft_dist_scatter_reduce(d, WEFT_SUM, error, WEFT_F64, WEFT_EXACT_SUM, WEFT_I32, weft_slice_of(N), 1, M,
                                      x, index, NULL, out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "scatter_reduce cannot accumulate in exact over ranks", out[0]);
    status = scatter(w, WEFT_SUM, error, SIZE_MAX / 4, M, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "do not fit in memory", out[0]);
    status = weft_dist_scatter_reduce(d, WEFT_SUM, error, WEFT_F64, WEFT_DEFAULT, last ? WEFT_U32 : WEFT_I32,
                                      weft_slice_of(N), 1, M, x, index, NULL, out);
    expect_failure(w, status, WEFT_INVALID, "the type of the indices is i32 on rank 0 and u32 on rank", out[0]);
    status = weft_dist_scatter_count(d, error, WEFT_F32, weft_slice_of(N), M, x, counts);
    expect_failure(w, status, WEFT_UNSUPPORTED, "requires i32, i64, u32 or u64 indices", out[0]);
    status = weft_dist_scatter_count(d, error, WEFT_I32, weft_slice_of(N), M, no_index, counts);
    expect_failure(w, status, WEFT_INVALID, "index is NULL", out[0]);
    status = weft_dist_scatter_count(d, error, WEFT_I32, weft_slice_of(N), M, index, last ? NULL : counts);
    expect_failure(w, status, WEFT_INVALID, "counts is NULL", out[0]);
    status = weft_dist_scatter_count(d, error, WEFT_I32, weft_slice_of(N), M + last, index, counts);
    expect_failure(w, status, WEFT_INVALID, "the number of targets is 64 on rank 0 and 65 on rank", out[0]);
    index[77] = last ? -3 : 1;
    index[78] = last ? M : 1;
    snprintf(words, sizeof words, "rank %d: index[%d] is -3: expected 0 to 63", w->size - 1, N * (w->size - 1) + 77);
    for (int op = WEFT_SUM; op <= WEFT_MAX; op++) { /* with and without an order */
        if (op != WEFT_SUM && op != WEFT_MAX) continue;
        status = scatter(w, (weft_op)op, error, 1, M, x, index, NULL, out);
        expect_failure(w, status, WEFT_INVALID, words, out[0]);
    }
    status = weft_dist_scatter_count(d, error, WEFT_I32, weft_slice_of(N), M, index, counts);
    expect_failure(w, status, WEFT_INVALID, words, out[0]);
    status = scatter(w, WEFT_SUM, WEFT_RANGE_SKIP, 1, M, x, index, NULL, out);
    const double first = w->rank == 0 ? (double)(N - 2) * w->size : 0;
    world_expect(w, status == WEFT_OK && (w->size > M || out[0] == first), "scatter_reduce after failures: %s, %g",
                 weft_status_name(status), out[0]);
}

/* Multiplies matrices on a grid of one row: every rank has one column of C. k is the number of ranks, so each has one
 * column of A too. */
static weft_status multiply(world *w, size_t across, weft_slice rows, weft_slice columns, size_t k, const double *a,
                            double *c) {
    static const double b[] = {1, 2, 3, 4, 5, 6};
    return weft_dist_matmul_blocks(w->d, WEFT_F64, WEFT_DEFAULT, across, rows, columns, k, NULL, a, b, NULL, c);
}

static void check_blocks(world *w, bool last) {
    const size_t all = (size_t)w->size;
    const uint64_t own = (uint64_t)w->rank, any = WEFT_NOT_GIVEN;
    const weft_slice rows = {3, 0, 3}, one = {1, own, all};
    const double a[] = {1, 2, 3, 4, 5, 6};
    double c[] = {POISON, POISON, POISON, POISON, POISON, POISON};
    expect_failure(w, multiply(w, 0, rows, one, all, a, c), WEFT_INVALID, "per row of the grid 0", c[0]);
    expect_failure(w, multiply(w, all + 1, rows, one, all, a, c), WEFT_INVALID, "it must divide the number of ranks",
                   c[0]);
    expect_failure(w, multiply(w, last ? 1 : all, rows, one, all, a, c), WEFT_INVALID,
                   "the number of ranks in a row of the grid is", c[0]);
    expect_failure(w, multiply(w, all, weft_slice_of(3 + last), one, all, a, c), WEFT_INVALID,
                   "both are in the same row of the grid", c[0]);
    expect_failure(w, multiply(w, all, (weft_slice){3, last ? 1 : any, 3}, one, all, a, c), WEFT_INVALID,
                   "begin at 1, but those before end at 0", c[0]);
    expect_failure(w, multiply(w, all, (weft_slice){3, any, last ? 4 : 3}, one, all, a, c), WEFT_INVALID,
                   "the slices have 3 elements in total", c[0]);
    expect_failure(w, multiply(w, all, rows, (weft_slice){1, own + last, any}, all, a, c), WEFT_INVALID,
                   "the columns of rank", c[0]);
    expect_failure(w, multiply(w, all, rows, (weft_slice){1, own, all + last}, all, a, c), WEFT_INVALID,
                   "columns in total, but rank", c[0]);
    expect_failure(w, multiply(w, 1, weft_slice_of(1), weft_slice_of(1 + last), 1, a, c), WEFT_INVALID,
                   "both are in the same column of the grid", c[0]);
    expect_failure(w, multiply(w, all, rows, one, all + last, a, c), WEFT_INVALID, "k is", c[0]);
    expect_failure(w, multiply(w, all, rows, one, all, last ? NULL : a, c), WEFT_INVALID, "A is NULL", c[0]);
    expect_failure(w, multiply(w, all, rows, one, all, last ? c + 1 : a, c), WEFT_INVALID, "overlaps", c[0]);
    expect_failure(w, multiply(w, all, rows, weft_slice_of(last ? SIZE_MAX / 8 : 1), all, a, c), WEFT_INVALID,
                   "do not fit in memory", c[0]);
    expect_failure(
        w, weft_dist_matmul(w->d, WEFT_F64, WEFT_DEFAULT, weft_slice_of(1), 2 + last, all, NULL, a, a, NULL, c),
        WEFT_INVALID, "matmul: n is 2 on rank 0 and 3 on rank", c[0]);
    const weft_status status = multiply(w, all, rows, one, all, a, c);
    world_expect(w, status == WEFT_OK && c[0] != POISON, "a product after failures: %s", weft_status_name(status));
}

/* An allocator whose block number `left`, from 0, is missing. */
typedef struct scarce {
    int left;
    bool failed;
} scarce;

static void *take(void *user, weft_memory where, size_t bytes, size_t alignment, void *stream) {
    scarce *const s = user;
    (void)where, (void)stream;
    s->failed = s->left == 0;
    return s->left-- == 0 ? NULL : aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void give(void *user, weft_memory where, void *p, size_t bytes, void *stream) {
    (void)user, (void)where, (void)bytes, (void)stream;
    free(p);
}

/* The last rank is refused each of its allocations in turn, with and without an order of the elements. */
static void check_scatter_memory(world *w, const double *x, bool last) {
    static int32_t index[N];
    static double out[N];
    scarce s;
    const weft_allocator allocator = {.size = sizeof allocator, .user = &s, .allocate = take, .release = give};
    char words[20];
    for (int i = 0; i < N; i++) index[i] = i % 7;
    snprintf(words, sizeof words, "rank %d: ", w->size - 1);
    for (int op = 0; op < 2; op++) {
        weft_status status = WEFT_OUT_OF_MEMORY;
        int k = 0;
        for (; k < 40 && status != WEFT_OK; k++) {
            s = (scarce){.left = last ? k : INT32_MAX};
            (void)weft_set_allocator(w->ctx, &allocator);
            status = scatter(w, op ? WEFT_MAX : WEFT_SUM, WEFT_RANGE_ERROR, 1, 8, x, index, NULL, out);
            if (status != WEFT_OK)
                expect_failure(w, status, WEFT_OUT_OF_MEMORY, words, POISON);
            else
                world_expect(w, !s.failed, "scatter_reduce does not need all its memory");
            (void)weft_set_allocator(w->ctx, NULL);
        }
        world_expect(w, status == WEFT_OK && k > 4, "status %s after %d allocations", weft_status_name(status), k);
    }
}

/* Transforms an array of several axes, or of one, with a weft_dist of its own, whose workspaces come from the
 * allocator. */
static weft_status transform_with(world *w, const weft_allocator *allocator, scarce *s, int left, bool axes,
                                  const double *x, const char *words) {
    const size_t n[] = {2, (size_t)w->size, 3};
    double y[2 * 256];
    world own = *w;
    *s = (scarce){.left = INT32_MAX};
    if (weft_open(&own.ctx, "cpu") != WEFT_OK || weft_set_allocator(own.ctx, allocator) != WEFT_OK ||
        weft_dist_open(&own.d, own.ctx, MPI_COMM_WORLD) != WEFT_OK)
        abort();
    s->left = left;
    const weft_status status = axes ? fft_axes(&own, WEFT_C2C, WEFT_SPECTRUM_NATURAL, (size_t)w->size, 1, n, x, y)
                                    : fft_values(&own, WEFT_C2C, WEFT_SPECTRUM_NATURAL, 256, x, y);
    if (status != WEFT_OK) expect_failure(&own, status, WEFT_OUT_OF_MEMORY, words, POISON);
    weft_dist_close(own.d);
    weft_close(own.ctx);
    w->checks = own.checks;
    w->failures = own.failures;
    return status;
}

/* The last rank is refused each of its allocations in turn: workspaces, and scratch memory between exchanges. */
static void check_transform_memory(world *w, bool axes, const double *x, bool last) {
    scarce s;
    const weft_allocator allocator = {.size = sizeof allocator, .user = &s, .allocate = take, .release = give};
    char words[20];
    weft_status status = WEFT_OUT_OF_MEMORY;
    int k = 0;
    snprintf(words, sizeof words, "rank %d: ", w->size - 1);
    for (; k < 40 && status != WEFT_OK; k++)
        status = transform_with(w, &allocator, &s, last ? k : INT32_MAX, axes, x, words);
    world_expect(w, status == WEFT_OK && !s.failed && k > 3, "%s: status %s after %d allocations",
                 axes ? "fft_axes" : "fft_values", weft_status_name(status), k);
}

static void expect_no_ranks(world *w, weft_context *const *ctx, int count, const char *words) {
    weft_dist *ranks[2] = {w->d, w->d};
    const weft_status status = weft_dist_open_threads(ranks, ctx, count);
    world_expect(w, status == WEFT_INVALID && strstr(weft_dist_last_error(NULL), words), "threads: \"%s\"",
                 weft_dist_last_error(NULL));
}

static void check_threads(world *w) {
    weft_context *const same[] = {w->ctx, w->ctx}, *const missing[] = {w->ctx, NULL};
    expect_no_ranks(w, same, 0, "invalid number of ranks 0");
    expect_no_ranks(w, NULL, 2, "ctx is NULL");
    expect_no_ranks(w, same, 2, "ranks 0 and 1 have the same context: each rank requires its own");
    expect_no_ranks(w, missing, 2, "rank 1: ctx is NULL");
}

static void check_one_rank(world *w, const double *x, bool last) {
    const weft_slice slice = weft_slice_of(N);
    double out = POISON;
    weft_status status = sum(w, slice, last ? NULL : x, &out);
    expect_failure(w, status, WEFT_INVALID, "x is NULL", out);
    status = sum(w, slice, last ? (const double *)((const char *)x + 1) : x, &out);
    expect_failure(w, status, WEFT_INVALID, "not aligned", out);
    status = weft_dist_reduce(w->d, WEFT_AND, WEFT_F64, WEFT_DEFAULT, slice, x, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: and requires integer elements", out);
    status = weft_dist_reduce(w->d, WEFT_SUM, WEFT_F16, WEFT_EXACT_SUM, slice, x, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: sum of f16 cannot accumulate in exact", out);
    status = weft_dist_dot(w->d, WEFT_BF16, WEFT_EXACT_SUM, slice, x, x, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: sum of bf16 cannot accumulate in exact", out);
    status = weft_dist_scan(w->d, WEFT_MAX, WEFT_INCLUSIVE, WEFT_F16, WEFT_F32, slice, x, NULL, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: scan with max of f16 cannot accumulate in f32", out);
    status = weft_dist_matmul(w->d, WEFT_F16, WEFT_DEFAULT, slice, 1, 1, NULL, x, x, NULL, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: products over ranks require f32 or f64 elements, not f16",
                   out);
    status = weft_dist_recurrence(w->d, WEFT_FORWARD, WEFT_F16, slice, x, x, NULL, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: recurrence requires f32 or f64 elements, not f16", out);
    status = weft_dist_scatter_reduce(w->d, WEFT_MEAN, WEFT_RANGE_SKIP, WEFT_F16, WEFT_DEFAULT, WEFT_I64, slice, 1, 1,
                                      x, x, NULL, &out);
    expect_failure(w, status, WEFT_UNSUPPORTED, "rank 0: scatter_reduce: mean of f16 must accumulate in f32 or f64",
                   out);
    status = weft_dist_reduce(w->d, WEFT_MIN, WEFT_F64, WEFT_DEFAULT, weft_slice_of(0), NULL, &out);
    expect_failure(w, status, WEFT_EMPTY, "min of 0 elements", out);
    status = weft_dist_agree(w->d, last ? WEFT_INTERNAL : WEFT_OK, "it is late");
    expect_failure(w, status, WEFT_INTERNAL, "it is late", out);
    expect_success(w, x);
}

/* Tests a last rank that passes more keys than there is memory for copies of. The keys are not read before the
 * allocation fails. */
static void check_memory(world *w, double *x, bool last) {
    const size_t n = last ? (size_t)1 << 44 : N;
    uint64_t count = 0;
    weft_status status = weft_dist_sort(w->d, WEFT_ASCENDING, WEFT_F64, weft_slice_of(n), x, x);
    expect_failure(w, status, WEFT_OUT_OF_MEMORY, "cannot allocate memory for two copies of 17592186044416 keys",
                   POISON);
    status =
        weft_dist_scatter_count(w->d, WEFT_RANGE_SKIP, WEFT_I32, weft_slice_of(0), (size_t)1 << 59, NULL, &count);
    expect_failure(w, status, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the counts of 576460752303423488",
                   POISON);
    expect_success(w, x);
}

int main(int argc, char **argv) {
    char *device[] = {argv[0], "cpu", NULL};
    world w = world_open(2, device);
    double x[N], out;
    const bool last = w.rank == w.size - 1;
    for (size_t i = 0; i < N; i++) x[i] = 1;
    if (argc > 1 && strcmp(argv[1], "death") == 0) {
        for (int i = 0;; i++) {
            if (last && i == 100) (void)raise(SIGKILL);
            if (sum(&w, weft_slice_of(N), x, &out) != WEFT_OK) return 1;
        }
    }
    check_slices(&w, x, last);
    check_disagreement(&w, x, last);
    check_one_rank(&w, x, last);
    check_price(&w, last);
    check_tridiag_rows(&w, last);
    check_exact(&w, x);
    check_convolve(&w, x, last);
    check_fft(&w, x, last);
    check_fft_axes(&w, x, last);
    check_fft_values(&w, x, last);
    check_transform_memory(&w, true, x, last);
    check_transform_memory(&w, false, x, last);
    check_blocks(&w, last);
    check_scatter(&w, x, last);
    check_scatter_memory(&w, x, last);
    check_threads(&w);
    check_memory(&w, x, last);
    return world_close(&w);
}
