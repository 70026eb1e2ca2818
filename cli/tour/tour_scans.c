/* Sections on prefix scans and recurrences, whose results are arrays. Every value is compared. */
#include "cli/io/plain.h"
#include "cli/progress.h"
#include "cli/tour/gnu_rand.h"
#include "cli/tour/tour.h"
#include "cli/tour/tour_size.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements computed by the specification, which is slow: a prefix of the scan. */
enum { PART = 1000000 };
enum { LEAST_RUNS = 3 };
static const double BUDGET_SECONDS = 0.1;

/* One scan on all machines. `found` and `other` have capacity for n results. */
typedef struct scan_row {
    weft_scan_kind kind;
    weft_dtype dtype;
    size_t n;
    const void *x;
    const void *u;                 /* u of a recurrence, whose s is x; NULL for a scan */
    void *found;                   /* result of the first machine */
    void *other;                   /* result of each other machine in turn */
    double seconds[TOUR_MACHINES]; /* medians, for machines that are shown; 0 if not timed */
    bool same;
} scan_row;

/* --------------------------------------------------------------------- on every machine */

/* State of the function passed to measure(). */
typedef struct call {
    const scan_row *row;
    const tour_machine *machine;
    size_t n;
    void *y;
} call;

static weft_status call_scan(void *state) {
    const call *c = state;
    const scan_row *row = c->row;
    const void *const x = c->machine->x ? c->machine->x : row->x;
    const void *const u = c->machine->z ? c->machine->z : row->u;
    const weft_status status =
        row->u ? weft_recurrence(c->machine->ctx, WEFT_FORWARD, row->dtype, 1, c->n, x, u, NULL, c->y)
               : weft_scan(c->machine->ctx, WEFT_SUM, row->kind, row->dtype, WEFT_DEFAULT, c->n, x, NULL, c->y);
    return status == WEFT_OK ? weft_synchronize(c->machine->ctx) : status;
}

/* Runs the scan on a machine. A GPU that has a copy of x also writes to its own memory; the result is then copied to
 * `to`. */
static weft_status scan_on(const scan_row *row, tour_machine *m, size_t n, void *to, bool timed, double *seconds) {
    const size_t bytes = n * weft_dtype_size(row->dtype);
    call c = {row, m, n, m->y ? m->y : to};
    const weft_status status =
        timed && m->shown ? measure(call_scan, &c, LEAST_RUNS, BUDGET_SECONDS, seconds) : call_scan(&c);
    return status == WEFT_OK && m->y ? weft_copy(m->ctx, bytes, m->y, to) : status;
}

static bool run_row(tour *t, scan_row *row, bool timed) {
    const size_t size = weft_dtype_size(row->dtype);
    row->same = true;
    progress_start(t->options, "scan");
    for (int i = 0; i < t->count; i++) {
        tour_machine *m = &t->machines[i];
        const bool part = i > 0 && strcmp(weft_device(m->ctx), "ref") == 0 && row->n > PART;
        const size_t n = part ? PART : row->n;
        progress_at(i, t->count);
        if (scan_on(row, m, n, i ? row->other : row->found, timed, &row->seconds[i]) != WEFT_OK)
            return tour_machine_failed(m);
        if (i == 0) continue;
        const bool same = memcmp(row->found, row->other, n * size) == 0;
        t->compared++;
        t->different += !same;
        row->same = row->same && same;
    }
    progress_end();
    return true;
}

/* --------------------------------------------------------------------------- known answers */

static float next_whole(gnu_rand *r) { return floorf((float)(1000 * (gnu_rand_next(r) / 2147483647.0))); }

static bool classic_scan(tour *t) {
    enum { N = 512, FIRST = 840, LAST = 259869 };
    float x[N], found[N], other[N];
    char value[60];
    gnu_rand r = gnu_rand_start();
    for (int i = 0; i < N; i++) x[i] = next_whole(&r);
    scan_row row = {.kind = WEFT_EXCLUSIVE, .dtype = WEFT_F32, .n = N, .x = x, .found = found, .other = other};
    if (!run_row(t, &row, false)) return false;
    snprintf(value, sizeof value, "out[1] %.0f, out[511] %.0f", (double)found[1], (double)found[N - 1]);
    tour_known(t, "exclusive, of 512 values floor(1000 rand), f32", value,
               tour_expect(t, found[1] == FIRST && found[N - 1] == LAST), row.same);
    return true;
}

static bool integer_scan(tour *t) {
    enum { N = 7587 };
    int32_t x[N], found[N], other[N];
    char value[60];
    gnu_rand r = gnu_rand_start();
    for (int i = 0; i < N; i++) x[i] = gnu_rand_next(&r) % 21 - 10;
    scan_row row = {.kind = WEFT_INCLUSIVE, .dtype = WEFT_I32, .n = N, .x = x, .found = found, .other = other};
    if (!run_row(t, &row, false)) return false;
    int64_t sum = 0;
    bool right = true;
    for (int i = 0; i < N; i++) {
        sum += x[i];
        right = right && found[i] == sum;
    }
    snprintf(value, sizeof value, "out[7586] %d", (int)found[N - 1]);
    tour_known(t, "inclusive, of 7587 integers in [-10, 10], i32", value, tour_expect(t, right), row.same);
    return true;
}

/* Fills s and u of the classic recurrence alternately with 2 rand() / RAND_MAX. */
static void fill_recurrence(size_t n, double *s, double *u) {
    gnu_rand r = gnu_rand_start();
    for (size_t i = 0; i < n; i++) {
        s[i] = 2 * (gnu_rand_next(&r) / 2147483647.0);
        u[i] = 2 * (gnu_rand_next(&r) / 2147483647.0);
    }
}

static bool classic_recurrence(tour *t) {
    enum { N = 100 };
    static const double FIRST = 0.788765853638186, LAST = 13.0469392478383;
    double s[N], u[N], found[N] = {0}, other[N];
    char value[60];
    fill_recurrence(N, s, u);
    scan_row row = {.dtype = WEFT_F64, .n = N, .x = s, .u = u, .found = found, .other = other};
    if (!run_row(t, &row, false)) return false;
    snprintf(value, sizeof value, "v[0] %.6f, v[99] %.6f", found[0], found[N - 1]);
    const bool right = fabs(found[0] - FIRST) < 1e-14 && fabs(found[N - 1] - LAST) < 1e-12;
    tour_known(t, "recurrence, of 100 values s, u = 2 rand, f64", value, tour_expect(t, right), row.same);
    return true;
}

/* ------------------------------------------------------------------------------ large arrays */

static void print_head(const tour *t, const int *columns, int count) {
    printf("\n  %-20s %14s %9s %6s", "", "", "greatest", "C loop");
    for (int c = 0; c < count; c++) printf(" | %-17s", t->machines[columns[c]].label);
    printf("\n  %-20s %14s %9s %6s", "", "last value", "error", "ms");
    for (int c = 0; c < count; c++) printf(" |%7s %5s%5s", "ms", "GB/s", "x");
    puts(" same");
}

static void print_values(const char *what, value_string last, double error, double seconds) {
    printf("  %-20s %14s ", what, last.text);
    if (error > 0)
        printf("%9.1e", error);
    else
        printf("%9s", "0");
    printf(" %6.1f", 1e3 * seconds);
}

static void print_times(const tour *t, const scan_row *row, double plain, const int *columns, int count) {
    const double bytes = (row->u ? 3.0 : 2.0) * (double)row->n * (double)weft_dtype_size(row->dtype);
    for (int c = 0; c < count; c++) {
        const double seconds = row->seconds[columns[c]], times = plain / seconds;
        printf(" |%7.*f %5.0f%5.*f", seconds < 0.1 ? 3 : 1, 1e3 * seconds, 1e-9 * bytes / seconds,
               times < 9.95 ? 1 : 0, times);
    }
    printf(" %s\n", tour_mark(t, row->same));
    fflush(stdout);
}

/* Copies the array to each GPU and allocates an output array there. */
static bool run_large(tour *t, scan_row *row) {
    bool done = tour_upload(t, row->dtype, row->n, row->x, row->x);
    for (int i = 0; i < t->count && done && row->u; i++) {
        tour_machine *m = &t->machines[i];
        const size_t bytes = row->n * weft_dtype_size(row->dtype);
        done = !m->gpu || measure_upload(m->ctx, bytes, row->u, &m->z) == WEFT_OK || tour_machine_failed(m);
    }
    done = done && run_row(t, row, true);
    tour_release(t);
    return done;
}

/* Sum of the first 10^8 integers of the classic example. */
static const size_t CLASSIC = 100000000;
static const double CLASSIC_SUM = 49951088794;

/* Scans integers. Each running sum below 2^53 is exact, so any error other than 0 is a bug. */
static bool whole_numbers(tour *t, scan_row *row, double *x, const int *columns, int count) {
    double *const y = row->found, error = 0;
    gnu_rand r = gnu_rand_start();
    for (size_t i = 0; i < row->n; i++) x[i] = (double)next_whole(&r);
    memset(y, 0,
           row->n *
               sizeof *y); /* touches the memory first, so that the plain loop's time does not include page faults */
    const double start = cli_seconds();
    plain_scan_f64(row->n, x, y);
    const double plain = cli_seconds() - start;
    row->dtype = WEFT_F64;
    if (!run_large(t, row)) return false;
    int64_t sum = 0;
    for (size_t i = 0; i < row->n; i++) {
        sum += (int64_t)x[i];
        error = fmax(error, fabs(y[i] - (double)sum));
    }
    tour_expect(t, error == 0 && (row->n != CLASSIC || y[row->n - 1] == CLASSIC_SUM));
    const value last = {.f64 = y[row->n - 1]};
    print_values("whole numbers, f64", value_decimal(WEFT_F64, &last), error, plain);
    print_times(t, row, plain, columns, count);
    return true;
}

/* Returns the largest relative error of the running sums of multiples of 2^-27 below 1, for n below 2^36. */
static double greatest_error(size_t n, const float *x, const float *y) {
    double greatest = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (int64_t)((double)x[i] * 0x1p27);
        const double exact = (double)sum * 0x1p-27;
        if (sum) greatest = fmax(greatest, fabs((double)y[i] - exact) / exact);
    }
    return greatest;
}

static bool uniform(tour *t, scan_row *row, float *x, const int *columns, int count) {
    float *const y = row->found;
    tour_fill_uniform(row->n, x);
    const double start = cli_seconds();
    plain_scan_f32(row->n, x, y);
    const double plain = cli_seconds() - start;
    const value last = {.f32 = y[row->n - 1]};
    print_values("C loop, uniform, f32", value_decimal(WEFT_F32, &last), greatest_error(row->n, x, y), plain);
    putchar('\n');
    row->dtype = WEFT_F32;
    if (!run_large(t, row)) return false;
    const value result = {.f32 = y[row->n - 1]};
    print_values("running sum, f32", value_decimal(WEFT_F32, &result), greatest_error(row->n, x, y), plain);
    print_times(t, row, plain, columns, count);
    return true;
}

/* Last value of the classic recurrence with 10^8 elements. */
static const double CLASSIC_LAST = 4.645624129;

/* Returns the largest relative error of the values above 1, compared with a loop in long double. */
static double recurrence_error(size_t n, const double *s, const double *u, const double *v) {
    long double exact = 0;
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        exact = (long double)s[i] * exact + (long double)u[i];
        if (exact > 1) greatest = fmax(greatest, fabs((double)(((long double)v[i] - exact) / exact)));
    }
    return greatest;
}

static bool recurrence(tour *t, scan_row *row, double *s, const int *columns, int count) {
    double *const v = row->found, *const u = malloc(row->n * sizeof *u);
    if (!u) {
        cli_error("tour", "cannot allocate memory for four arrays of %zu elements; try --quick", row->n);
        return false;
    }
    fill_recurrence(row->n, s, u);
    const double start = cli_seconds();
    plain_recurrence_f64(row->n, s, u, v);
    const double plain = cli_seconds() - start;
    row->dtype = WEFT_F64;
    row->u = u;
    const bool done = run_large(t, row);
    if (done) {
        const double error = recurrence_error(row->n, s, u, v);
        const value last = {.f64 = v[row->n - 1]};
        tour_expect(t, error < 1e-9 && (row->n != CLASSIC || fabs(last.f64 - CLASSIC_LAST) < 1e-9));
        print_values("recurrence, f64", value_decimal(WEFT_F64, &last), error, plain);
        print_times(t, row, plain, columns, count);
    }
    row->u = NULL;
    free(u);
    return done;
}

static bool large_scans(tour *t, size_t n) {
    int columns[2];
    const int count = tour_columns(t, columns);
    double *x = malloc(n * sizeof *x), *found = malloc(n * sizeof *found), *other = malloc(n * sizeof *other);
    scan_row row = {.kind = WEFT_INCLUSIVE, .n = n, .x = x, .found = found, .other = other};
    bool done = x && found && other;
    if (!done)
        cli_error("tour", "cannot allocate memory for three arrays of %zu elements; try --quick", n);
    else {
        print_head(t, columns, count);
        done = whole_numbers(t, &row, x, columns, count) && uniform(t, &row, (void *)x, columns, count) &&
               recurrence(t, &row, x, columns, count);
    }
    free(x);
    free(found);
    free(other);
    return done;
}

bool tour_scans(tour *t) {
    char heading[100];
    size_t n = t->n;
    while (4.0 * (double)n * sizeof(double) > 0.8 * tour_free_memory()) n /= 2;
    snprintf(heading, sizeof heading, "5  Prefix scans and recurrences, of %zu values", n);
    tour_heading(t, heading);
    puts("\n  Every running value is compared. The specification does the first 10^6, which are the start of the\n"
         "  whole. GB/s of reads and writes; x: times as fast as the C loop.\n");
    printf("    %-48s %-30s %5s  %s\n", "known answers", "", "right", "same");
    return classic_scan(t) && integer_scan(t) && classic_recurrence(t) && large_scans(t, n);
}
