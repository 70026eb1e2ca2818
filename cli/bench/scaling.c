/* Uses fewer than all ranks by giving elements only to the first ones; the others take part in each call with no
 * elements. Each time is that of the slowest rank. Results are compared bit for bit with those of one rank. */
#include "cli/bench/scaling.h"
#include "cli/bench/measure.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/picture.h"
#include "cli/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_CALLS = 5, MOST_CALLS = 101, MOST_OPERATIONS = 64, MOST_STEPS = 32 };
static const double BUDGET_SECONDS = 0.3;
static const size_t CPU_DEFAULT = (size_t)1 << 26, GPU_DEFAULT = (size_t)1 << 28;

/* Results of an operation on a number of ranks. */
typedef struct point {
    double strong, weak; /* seconds */
    uint64_t result;     /* of strong scaling: the bits of the value, or a hash of the array */
} point;

typedef struct scaling {
    ranks ranks;
    weft_context *ctx;
    size_t n, count, steps;
    const operation *operations[MOST_OPERATIONS];
    int on[MOST_STEPS]; /* number of ranks that have elements, per step */
    point points[MOST_OPERATIONS][MOST_STEPS];
} scaling;

/* Slices of the arrays for one measurement. */
typedef struct setting {
    weft_slice slice;
    void *x, *y, *to;
} setting;

/* ----------------------------------------------------------------------------- settings */

static weft_dtype element_type(const operation *o) {
    return o->integers ? WEFT_I32 : WEFT_F32; /* both have the same size */
}

/* Returns this rank's slice of `total` elements divided among the first `on` ranks. */
static weft_slice slice_on(const scaling *s, int on, uint64_t total) {
    const uint64_t rank = (uint64_t)s->ranks.library.rank(s->ranks.d), ranks = (uint64_t)on, more = total % ranks;
    if (rank >= ranks) return (weft_slice){0, total, total};
    const uint64_t first = total / ranks * rank + (rank < more ? rank : more);
    return (weft_slice){(size_t)(total / ranks + (rank < more)), first, total};
}

static weft_status fill(const scaling *s, const setting *t, void **x, uint64_t seed) {
    const weft_status status = weft_alloc(s->ctx, WEFT_DEVICE, (t->slice.count + 1) * sizeof(float), x);
    if (status != WEFT_OK || t->slice.count == 0) return status;
    return weft_random(s->ctx, WEFT_UNIFORM, WEFT_F32, seed, 0, t->slice.offset, t->slice.count, 1, 2, *x);
}

/* Allocates and fills the slices. Fails on all ranks if it fails on one. */
static weft_status prepare(const scaling *s, setting *t) {
    weft_status status = fill(s, t, &t->x, 1);
    if (status == WEFT_OK) status = fill(s, t, &t->y, 2);
    if (status == WEFT_OK) status = fill(s, t, &t->to, 3);
    return s->ranks.library.agree(s->ranks.d, status, weft_last_error(s->ctx));
}

static void release(const scaling *s, const setting *t) {
    (void)weft_free(s->ctx, WEFT_DEVICE, t->x);
    (void)weft_free(s->ctx, WEFT_DEVICE, t->y);
    (void)weft_free(s->ctx, WEFT_DEVICE, t->to);
}

/* ----------------------------------------------------------------------------- measuring */

static weft_status call(const scaling *s, const operation *o, const setting *t, value *out) {
    const operands in = {.dtype = element_type(o), .n = t->slice.count, .x = t->x, .y = t->y, .to = t->to};
    weft_dtype type;
    return ranks_apply_slices(&s->ranks, o, &in, t->slice, out, &type);
}

/* Times one call. *seconds is the time of the slowest rank, on all ranks. */
static weft_status time_call(const scaling *s, const operation *o, const setting *t, double *seconds) {
    const ranks_library *const l = &s->ranks.library;
    value out;
    weft_status status = l->agree(s->ranks.d, WEFT_OK, NULL);
    const double start = cli_seconds();
    if (status == WEFT_OK) status = call(s, o, t, &out);
    const double own = cli_seconds() - start;
    const weft_slice one = {1, WEFT_NOT_GIVEN, WEFT_NOT_GIVEN};
    return status == WEFT_OK ? l->reduce(s->ranks.d, WEFT_MAX, WEFT_F64, WEFT_DEFAULT, one, &own, seconds) : status;
}

static int compare(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Returns the median time of several calls after one that is not counted. All ranks make the same number of calls,
 * since all use the same times. */
static weft_status time_calls(const scaling *s, const operation *o, const setting *t, double *median) {
    double seconds[MOST_CALLS], sum = 0;
    int calls = 0;
    weft_status status = time_call(s, o, t, &seconds[0]);
    while (status == WEFT_OK && calls < MOST_CALLS && (calls < LEAST_CALLS || sum < BUDGET_SECONDS)) {
        status = time_call(s, o, t, &seconds[calls]);
        sum += seconds[calls++];
    }
    qsort(seconds, (size_t)calls, sizeof *seconds, compare);
    *median = calls ? seconds[calls / 2] : 0;
    return status;
}

/* Computes the bits of the value. For an array, computes a hash of every element and its index. */
static weft_status find_result(const scaling *s, const operation *o, const setting *t, uint64_t *result) {
    const weft_binding to = {"a", WEFT_U32, t->to, NULL};
    value out;
    memset(&out, 0, sizeof out);
    const weft_status status = call(s, o, t, &out);
    memcpy(result, &out, sizeof *result);
    if (status != WEFT_OK || o->is_value) return status;
    return s->ranks.library.map_reduce(s->ranks.d, WEFT_SUM, "a * (i + 1)", WEFT_U64, WEFT_DEFAULT, t->slice, &to, 1,
                                       result);
}

/* Times `total` elements on the first `on` ranks. Stores the result's bits in *result unless it is NULL. */
static weft_status measure_on(const scaling *s, const operation *o, int on, uint64_t total, double *seconds,
                              uint64_t *result) {
    setting t = {.slice = slice_on(s, on, total)};
    weft_status status = prepare(s, &t);
    if (status == WEFT_OK) status = time_calls(s, o, &t, seconds);
    if (status == WEFT_OK && result) status = find_result(s, o, &t, result);
    release(s, &t);
    return status;
}

static weft_status measure_all(scaling *s) {
    const uint64_t share = s->n / (uint64_t)s->on[s->steps - 1];
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->steps && status == WEFT_OK; k++) {
            point *const p = &s->points[i][k];
            status = measure_on(s, s->operations[i], s->on[k], s->n, &p->strong, &p->result);
            if (status == WEFT_OK)
                status = measure_on(s, s->operations[i], s->on[k], share * (uint64_t)s->on[k], &p->weak, NULL);
        }
    return status;
}

/* ------------------------------------------------------------------------------ printing */

/* Return the efficiency as a fraction of perfect scaling. Perfect strong scaling divides the time by the number of
 * ranks; perfect weak scaling keeps it constant. */
static double strong_share(const scaling *s, size_t i, size_t k) {
    return s->points[i][0].strong / s->points[i][k].strong / s->on[k];
}
static double weak_share(const scaling *s, size_t i, size_t k) { return s->points[i][0].weak / s->points[i][k].weak; }
static bool is_same(const scaling *s, size_t i, size_t k) { return s->points[i][k].result == s->points[i][0].result; }

static void print_table(const scaling *s) {
    printf("%d ranks of %s, blocks %s; ms, the median of the slowest rank\n", s->on[s->steps - 1],
           weft_device(s->ctx), s->ranks.library.blocks(s->ranks.d));
    printf("strong: %zu elements on all; weak: %zu on each\n\n  %-12s %5s %10s %8s %8s %10s %8s   same bits\n", s->n,
           s->n / (size_t)s->on[s->steps - 1], "operation", "ranks", "strong", "faster", "perfect", "weak",
           "perfect");
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->steps; k++)
            printf("  %-12s %5d %10.3f %7.2fx %6.0f %% %10.3f %6.0f %%   %s\n", k ? "" : s->operations[i]->name,
                   s->on[k], 1e3 * s->points[i][k].strong, s->points[i][0].strong / s->points[i][k].strong,
                   100 * strong_share(s, i, k), 1e3 * s->points[i][k].weak, 100 * weak_share(s, i, k),
                   is_same(s, i, k) ? "yes" : "NO");
}

static void print_json(const scaling *s) {
    json_begin_command("bench");
    json_integer("order", weft_order_version());
    json_text("device", weft_device(s->ctx));
    json_integer("ranks", s->on[s->steps - 1]);
    json_count("n", s->n);
    json_begin_array("rows");
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->steps; k++) {
            json_begin_object(NULL);
            json_text("op", s->operations[i]->name);
            json_integer("ranks", s->on[k]);
            json_fixed("strong_seconds", 9, s->points[i][k].strong);
            json_fixed("weak_seconds", 9, s->points[i][k].weak);
            json_bool("same", is_same(s, i, k));
            json_end();
        }
    json_end();
    json_end();
}

static bool draw(const scaling *s, const char *path) {
    scaling_line lines[MOST_OPERATIONS];
    npy_error error = {""};
    for (size_t i = 0; i < s->count; i++) {
        lines[i].name = s->operations[i]->name;
        for (size_t k = 0; k < s->steps; k++) {
            lines[i].strong[k] = strong_share(s, i, k);
            lines[i].weak[k] = weak_share(s, i, k);
        }
    }
    if (scaling_write(path, s->steps, s->on, s->count, lines, &error)) return true;
    cli_error("bench", "%s: %s", path, error.message);
    return false;
}

/* ---------------------------------------------------------------------------------- a call */

/* Prints on the first rank only. Only that rank can detect that the drawing could not be written. */
static int report(const scaling *s, const cli_options *options, const char *plot) {
    bool fine = true;
    if (ranks_first(&s->ranks)) {
        if (options->json)
            print_json(s);
        else
            print_table(s);
        fine = !plot || draw(s, plot);
    }
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->steps; k++) fine = fine && is_same(s, i, k);
    return ranks_agree(&s->ranks, fine);
}

/* Sets the numbers of ranks: 1, 2, 4, ..., all. */
static void find_steps(scaling *s) {
    const int all = s->ranks.library.size(s->ranks.d);
    for (int on = 1; on < all && s->steps + 1 < MOST_STEPS; on *= 2) s->on[s->steps++] = on;
    s->on[s->steps++] = all;
}

static int run(scaling *s, const cli_options *options, const char *plot) {
    find_steps(s);
    if (s->n == 0) s->n = measure_is_gpu(s->ctx) ? GPU_DEFAULT : CPU_DEFAULT;
    const size_t all = (size_t)s->on[s->steps - 1];
    if (s->n < all) s->n = all;
    if (measure_all(s) == WEFT_OK) return report(s, options, plot);
    if (ranks_first(&s->ranks)) cli_error("bench", "%s", ranks_last_error(&s->ranks));
    return CLI_FAILED;
}

static bool choose(scaling *s, const operation *const *operations, size_t count) {
    static const char *const names[] = {"sum", "variance", "dot", "scan", "sort"};
    for (; s->count < sizeof names / sizeof *names && count == 0; s->count++)
        s->operations[s->count] = operation_find(names[s->count], strlen(names[s->count]));
    for (; s->count < count; s->count++) {
        s->operations[s->count] = operations[s->count];
        if (ranks_spread(operations[s->count]->name)) continue;
        cli_error("bench", "--op %s: --mpi supports only reductions, variance, dot, scan and sort",
                  operations[s->count]->name);
        return false;
    }
    return true;
}

int scaling_bench(const cli_options *options, size_t n, const operation *const *operations, size_t count,
                  const char *plot) {
    scaling *const s = calloc(1, sizeof *s);
    int code = CLI_USAGE;
    if (!s) cli_error("bench", "cannot allocate memory for the results");
    if (!s) return CLI_FAILED;
    s->n = n;
    if (choose(s, operations, count)) {
        code = ranks_open(&s->ranks, "bench", options, &s->ctx);
        if (code == CLI_DONE) code = run(s, options, plot);
        ranks_close(&s->ranks);
        weft_close(s->ctx);
    }
    free(s);
    return code;
}
