/* Section on sorts: random keys, and their indices in sorted order. Every element is compared. */
#include "cli/progress.h"
#include "cli/tour/tour.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PART is the length of the sort that the specification runs, because it is slow. The other machines run it too. */
enum { MOST = 1 << 24, PART = 200000, LEAST_RUNS = 3 };
static const double BUDGET_SECONDS = 0.1;

/* One sort on the machines. `found` and `other` have capacity for n results. */
typedef struct sort_row {
    bool indices; /* argsort */
    size_t n;
    const uint32_t *keys;
    uint32_t *found; /* result of the first machine */
    uint32_t *other; /* result of each other machine in turn */
    double seconds[TOUR_MACHINES];
    bool same;
} sort_row;

/* --------------------------------------------------------------------- on every machine */

/* State of the function passed to measure(). */
typedef struct call {
    const sort_row *row;
    const tour_machine *machine;
    uint32_t *to;
} call;

static weft_status call_sort(void *state) {
    const call *c = state;
    weft_context *ctx = c->machine->ctx;
    const size_t n = c->row->n;
    const void *const keys = c->machine->x ? c->machine->x : c->row->keys;
    const weft_status status = c->row->indices ? weft_argsort(ctx, WEFT_ASCENDING, WEFT_U32, WEFT_U32, n, keys, c->to)
                                               : weft_sort(ctx, WEFT_ASCENDING, WEFT_U32, n, keys, c->to);
    return status == WEFT_OK ? weft_synchronize(ctx) : status;
}

/* Runs the sort on a machine. A GPU that has a copy of the keys also writes to its own memory; the result is then
 * copied to `to`. */
static weft_status sort_on(const sort_row *row, const tour_machine *m, uint32_t *to, double *seconds) {
    call c = {row, m, m->y ? m->y : to};
    const weft_status status = m->shown ? measure(call_sort, &c, LEAST_RUNS, BUDGET_SECONDS, seconds) : call_sort(&c);
    return status == WEFT_OK && m->y ? weft_copy(m->ctx, row->n * sizeof *to, m->y, to) : status;
}

static bool run_row(tour *t, sort_row *row) {
    row->same = true;
    progress_start(t->options, row->indices ? "argsort" : "sort");
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        if (i > 0 && row->n > PART && strcmp(weft_device(m->ctx), "ref") == 0) continue;
        progress_at(i, t->count);
        if (sort_on(row, m, i ? row->other : row->found, &row->seconds[i]) != WEFT_OK) return tour_machine_failed(m);
        if (i == 0) continue;
        const bool same = memcmp(row->found, row->other, row->n * sizeof *row->found) == 0;
        t->compared++;
        t->different += !same;
        row->same = row->same && same;
    }
    progress_end();
    return true;
}

/* -------------------------------------------------------------------------------- checking */

static uint64_t mixed(uint64_t x) {
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Returns true if result i may follow the one before it: indices are ordered by their keys, and by their values if
 * the keys are equal. */
static bool follows(const sort_row *row, size_t i) {
    const uint32_t a = row->found[i - 1], b = row->found[i];
    if (!row->indices) return a <= b;
    if (a >= row->n || b >= row->n) return false;
    const uint32_t p = row->keys[a], q = row->keys[b];
    return p < q || (p == q && a < b);
}

/* Returns true if the result is ordered and a permutation of the keys, or of their indices. A permutation is checked
 * by the sum of a hash of each element. */
static bool is_right(const sort_row *row) {
    uint64_t before = 0, after = 0;
    bool ascends = true;
    for (size_t i = 0; i < row->n; i++) {
        before += mixed(row->indices ? i : row->keys[i]);
        after += mixed(row->found[i]);
        ascends = ascends && (i == 0 || follows(row, i));
    }
    return ascends && before == after;
}

static int compare_keys(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return (p > q) - (p < q);
}

/* Returns the seconds that the C library's qsort takes. Overwrites row->other. */
static double plain_seconds(const sort_row *row) {
    memcpy(row->other, row->keys, row->n * sizeof *row->keys);
    const double start = cli_seconds();
    qsort(row->other, row->n, sizeof *row->other, compare_keys);
    return cli_seconds() - start;
}

/* -------------------------------------------------------------------------------- printing */

static void print_head(const tour *t, const int *columns, int count) {
    printf("  %-28s %5s %7s", "", "", "qsort");
    for (int c = 0; c < count; c++) printf(" | %-18s", t->machines[columns[c]].label);
    printf("\n  %-28s %5s %7s", "", "right", "ms");
    for (int c = 0; c < count; c++) printf(" |%7s %6s%5s", "ms", "Mkey/s", "x");
    puts(" same");
}

static void print_row(const tour *t, const sort_row *row, bool right, double plain, const int *columns, int count) {
    char what[60];
    snprintf(what, sizeof what, "%s of %zu u32", row->indices ? "argsort" : "sort", row->n);
    printf("  %-28s %5s %7.1f", what, tour_mark(t, right), 1e3 * plain);
    for (int c = 0; c < count; c++) {
        const double seconds = row->seconds[columns[c]], times = plain / seconds;
        printf(" |%7.*f %6.0f%5.*f", seconds < 0.1 ? 3 : 1, 1e3 * seconds, 1e-6 * (double)row->n / seconds,
               times < 9.95 ? 1 : 0, times);
    }
    printf(" %s\n", tour_mark(t, row->same));
    fflush(stdout);
}

static bool show_row(tour *t, sort_row *row, double plain, const int *columns, int count) {
    const bool done = tour_upload(t, WEFT_U32, row->n, row->keys, row->keys) && run_row(t, row);
    tour_release(t);
    if (!done) return false;
    const bool right = is_right(row);
    t->compared++;
    t->different += !right;
    print_row(t, row, right, plain, columns, count);
    return true;
}

static bool show_rows(tour *t, sort_row *row, size_t n) {
    int columns[2];
    const int count = tour_columns(t, columns);
    const size_t sizes[] = {n < PART ? n : PART, n};
    print_head(t, columns, count);
    for (int s = n > PART ? 0 : 1; s < 2; s++) {
        row->n = sizes[s];
        const double plain = plain_seconds(row);
        for (int indices = 0; indices < 2; indices++) {
            row->indices = indices;
            if (!show_row(t, row, plain, columns, count)) return false;
        }
    }
    return true;
}

bool tour_sort(tour *t) {
    char heading[100];
    const size_t n = t->n < MOST ? t->n : MOST;
    uint32_t *const keys = malloc(n * sizeof *keys), *const found = calloc(n, sizeof *found);
    uint32_t *const other = calloc(n, sizeof *other);
    sort_row row = {.keys = keys, .found = found, .other = other};
    bool done = keys && found && other;
    snprintf(heading, sizeof heading, "7  Sorting %zu random keys", n);
    tour_heading(t, heading);
    puts("\n  Right: in order, equal keys by their indices, and a permutation by a checksum. The specification\n"
         "  sorts no more than 200000. x: times as fast as the C library's qsort, which sorts no indices.\n");
    if (!done) cli_error("tour", "cannot allocate memory for three arrays of %zu keys; try --quick", n);
    for (size_t i = 0; done && i < n; i++) keys[i] = (uint32_t)mixed(i);
    done = done && show_rows(t, &row, n);
    free(keys);
    free(found);
    free(other);
    return done;
}
