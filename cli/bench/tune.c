/* weft tune: measures the variants of the operations on a device and stores the fastest. */
#include "cli/bench/tune.h"
#include "cli/io/json.h"

#include "cli/bench/measure.h"
#include "cli/io/value.h"
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 5, LEAST_RUNS = 2, MOST_VARIANTS = 32, MOST_TUNABLES = 16, MOST_EDGE = 1 << 15 };
static const double BUDGET_SECONDS = 0.06; /* of a variant in a round */
/* Minimum speedup of a variant over the first one; a smaller gain is attributed to noise. */
static const double LEAST_GAIN = 1.02;

typedef struct request {
    bool list, check, dry_run, reset;
    tune_check_options suite;
    size_t edge;       /* 0: by device */
    char **operations; /* all if `count` is 0 */
    int count;
} request;

typedef struct row {
    bool possible, same;  /* the device supports the variant; its bits equal those of the first variant */
    double times[ROUNDS]; /* seconds; the median of each round */
    double seconds;       /* their median */
} row;

/* Measurements of a tunable. */
typedef struct result {
    weft_tunable tunable;
    bool measured;
    char problem[64];
    const char *unit;
    double work;
    row rows[MOST_VARIANTS];
    size_t best;
} result;

typedef struct tuning {
    const cli_options *options;
    const char *command;
    const request *request;
    weft_context *ctx;
    char path[4096];
    result results[MOST_TUNABLES];
    size_t count;
    size_t answers; /* results compared by the check */
} tuning;

/* ------------------------------------------------------------------------------- the request */

static bool read_request(int argc, char **argv, request *r) {
    long long edge = 0, every = 1;
    bool all = false;
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == 'l') r->list = true;
        if (option == 'c') r->check = true;
        if (option == 'L') r->suite.level = optarg;
        if (option == 'd') r->dry_run = true;
        if (option == 'r') r->reset = true;
        if (option == 'a') all = true;
        if (option == 'e' && !cli_number(argv[0], "--every", optarg, 1, INT32_MAX, &every)) return false;
        if (option == '?' || (option == 's' && !cli_number(argv[0], "--size", optarg, 3, MOST_EDGE, &edge)))
            return false;
    }
    r->edge = (size_t)edge;
    r->suite.every = (size_t)every;
    r->operations = argv + optind;
    r->count = argc - optind;
    for (int i = 0; i < r->count; i++)
        if (!tune_can(r->operations[i])) {
            cli_error(argv[0], "%s cannot be tuned: expected laplace or matmul", r->operations[i]);
            return false;
        }
    if (all && r->count) {
        cli_error(argv[0], "--all cannot be combined with the operation %s", r->operations[0]);
        return false;
    }
    return true;
}

static bool is_wanted(const request *r, const char *operation) {
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->operations[i], operation) == 0) return true;
    return r->count == 0;
}

static int fail(const tuning *t) {
    cli_error(t->command, "%s: %s", weft_device(t->ctx), weft_last_error(t->ctx));
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------- measuring */

static weft_status measure_variant(tune_problem *p, size_t index, size_t variant, int round, row *r,
                                   uint64_t *first) {
    uint64_t hash;
    weft_status status = weft_tune_choose(p->ctx, index, variant);
    if (status == WEFT_UNSUPPORTED) return WEFT_OK;
    if (status == WEFT_OK) status = measure(tune_problem_run, p, LEAST_RUNS, BUDGET_SECONDS, &r->times[round]);
    if (status == WEFT_OK && round == 0) {
        status = tune_problem_hash(p, &hash);
        if (variant == 0) *first = hash;
        r->same = hash == *first;
    }
    r->possible = status == WEFT_OK;
    return status;
}

/* Measures all variants in turn, ROUNDS times, so that a change of the machine's speed affects all of them. */
static weft_status measure_rounds(tune_problem *p, size_t index, result *r) {
    const size_t count = r->tunable.count;
    uint64_t first = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t v = 0; v < count; v++) {
            progress_at((double)((size_t)round * count + v), (double)(ROUNDS * count));
            const weft_status status = measure_variant(p, index, v, round, &r->rows[v], &first);
            if (status != WEFT_OK) return status;
        }
    return WEFT_OK;
}

/* Returns the speedup of a variant over the first one in the same round: the least one, except for one round. */
static double gain_of(const result *r, size_t variant) {
    double least = HUGE_VAL, second = HUGE_VAL;
    for (int i = 0; i < ROUNDS; i++) {
        const double gain = r->rows[0].times[i] / r->rows[variant].times[i];
        second = gain < least ? least : gain < second ? gain : second;
        least = gain < least ? gain : least;
    }
    return second;
}

/* Returns the first variant, unless another one is faster by at least LEAST_GAIN. */
static size_t best_of(const result *r) {
    size_t best = 0;
    double most = LEAST_GAIN;
    for (size_t v = 1; v < r->tunable.count; v++) {
        const double gain = r->rows[v].possible ? gain_of(r, v) : 0;
        if (gain >= most) best = v, most = gain;
    }
    return best;
}

static weft_status measure_tunable(const tuning *t, size_t index, result *r) {
    tune_problem p;
    progress_start(t->options, "values");
    weft_status status = tune_problem_open(&p, t->ctx, &r->tunable, t->request->edge);
    progress_end();
    memcpy(r->problem, p.text, sizeof r->problem);
    r->unit = p.unit;
    r->work = p.work;
    progress_start(t->options, r->tunable.operation);
    if (status == WEFT_OK) status = measure_rounds(&p, index, r);
    progress_end();
    tune_problem_close(&p);
    r->measured = status == WEFT_OK;
    if (status != WEFT_OK) return status;
    for (size_t v = 0; v < r->tunable.count; v++) {
        double times[ROUNDS];
        memcpy(times, r->rows[v].times, sizeof times);
        r->rows[v].seconds = measure_median(times, ROUNDS);
    }
    r->best = best_of(r);
    return weft_tune_choose(t->ctx, index, r->best);
}

/* --------------------------------------------------------------------------------- printing */

static void print_result(const result *r) {
    const double best = r->rows[r->best].seconds;
    printf("%s of %s", r->tunable.operation, weft_dtype_name(r->tunable.dtype));
    if (r->tunable.accumulate != r->tunable.dtype) printf(" in %s", weft_dtype_name(r->tunable.accumulate));
    printf(", %s\n\n    %-18s %10s %12s %8s  %s\n", r->problem, "variant", "ms", r->unit, "of best", "same bits");
    for (size_t v = 0; v < r->tunable.count; v++) {
        const row *row = &r->rows[v];
        const char *mark = v == r->best ? "*" : " ";
        if (row->possible)
            printf("  %s %-18s %10.3f %12.1f %6.0f %%  %s\n", mark, r->tunable.variants[v], 1e3 * row->seconds,
                   r->work / row->seconds, 100 * best / row->seconds, row->same ? "yes" : "NO");
        else
            printf("  %s %-18s not on this device\n", mark, r->tunable.variants[v]);
    }
    putchar('\n');
}

static void print_list(const result *r) {
    printf("%-10s %s in %s:", r->tunable.operation, weft_dtype_name(r->tunable.dtype),
           weft_dtype_name(r->tunable.accumulate));
    for (size_t v = 0; v < r->tunable.count; v++)
        printf(" %s%s", r->tunable.variants[v], v == r->tunable.chosen ? "*" : "");
    putchar('\n');
}

static void print_json_result(const result *r) {
    json_begin_object(NULL);
    json_text("op", r->tunable.operation);
    json_text("dtype", weft_dtype_name(r->tunable.dtype));
    json_text("accumulate", weft_dtype_name(r->tunable.accumulate));
    json_text("chosen", r->tunable.variants[r->measured ? r->best : r->tunable.chosen]);
    if (r->measured) {
        json_text("problem", r->problem);
        json_text("unit", r->unit);
    }
    json_begin_array("variants");
    for (size_t v = 0; v < r->tunable.count; v++) {
        const row *row = &r->rows[v];
        json_begin_object(NULL);
        json_text("name", r->tunable.variants[v]);
        if (row->possible) {
            json_fixed("seconds", 9, row->seconds);
            json_fixed("rate", 3, r->work / row->seconds);
            json_bool("same_bits", row->same);
        }
        json_end();
    }
    json_end();
    json_end();
}

static void print_json(const tuning *t, bool stored) {
    json_begin_command("tune");
    json_text("device", weft_device(t->ctx));
    json_text("file", t->path);
    json_bool("stored", stored);
    json_count("checked", t->answers);
    json_begin_array("tunables");
    for (size_t i = 0; i < t->count; i++)
        if (is_wanted(t->request, t->results[i].tunable.operation)) print_json_result(&t->results[i]);
    json_end();
    json_end();
}

static void print_text(const tuning *t, bool stored) {
    for (size_t i = 0; i < t->count; i++) {
        const result *r = &t->results[i];
        if (r->measured) print_result(r);
        if (t->request->list && is_wanted(t->request, r->tunable.operation)) print_list(r);
    }
    if (t->request->check) printf("%zu answers of all variants have the bits of the specification\n", t->answers);
    if (t->request->list) printf("the stored variants are in %s\n", t->path);
    if (stored) printf("the variants with a * are stored in %s\n", t->path);
}

/* ---------------------------------------------------------------------------------- running */

/* Finds the tunables to measure. All errors in the arguments are reported before anything is measured. */
static int find_tunables(tuning *t) {
    t->count = weft_tune_count(t->ctx);
    if (weft_tune_file(t->ctx, t->path, sizeof t->path) != WEFT_OK && (t->count == 0 || !t->request->dry_run))
        return fail(t);
    for (size_t i = 0; i < t->count; i++) {
        t->results[i].tunable.size = sizeof(weft_tunable);
        if (weft_tune_describe(t->ctx, i, &t->results[i].tunable) != WEFT_OK) return fail(t);
    }
    return CLI_DONE;
}

/* Runs the agreement suite of every requested operation. */
static int check_all(tuning *t) {
    for (size_t i = 0; i < t->count; i++) {
        const char *operation = t->results[i].tunable.operation;
        const bool again = i && strcmp(t->results[i - 1].tunable.operation, operation) == 0;
        size_t answers;
        if (again || !is_wanted(t->request, operation)) continue;
        if (!tune_check(t->options, t->command, t->ctx, operation, &t->request->suite, &answers)) return CLI_FAILED;
        t->answers += answers;
    }
    return CLI_DONE;
}

static int measure_all(tuning *t) {
    for (size_t i = 0; i < t->count; i++)
        if (is_wanted(t->request, t->results[i].tunable.operation) &&
            measure_tunable(t, i, &t->results[i]) != WEFT_OK)
            return fail(t);
    return CLI_DONE;
}

/* Returns true if all variants give identical bits. A difference is a bug in weft; nothing is stored then. */
static bool all_same(const tuning *t) {
    for (size_t i = 0; i < t->count; i++)
        for (size_t v = 0; v < t->results[i].tunable.count; v++)
            if (t->results[i].rows[v].possible && !t->results[i].rows[v].same) {
                cli_error(t->command, "%s: the results of the variants %s and %s differ: nothing is stored",
                          t->results[i].tunable.operation, t->results[i].tunable.variants[v],
                          t->results[i].tunable.variants[0]);
                return false;
            }
    return true;
}

static int tune(tuning *t) {
    const request *r = t->request;
    int code = find_tunables(t);
    if (code == CLI_DONE && r->reset) {
        if (weft_tune_reset(t->ctx) != WEFT_OK) return fail(t);
        if (!t->options->json)
            printf("%s uses the built-in variants: %s does not exist\n", weft_device(t->ctx), t->path);
        return t->options->json ? print_json(t, false), CLI_DONE : CLI_DONE;
    }
    if (code == CLI_DONE && r->check) code = check_all(t);
    if (code == CLI_DONE && !r->list) code = measure_all(t);
    if (code != CLI_DONE) return code;
    const bool same = all_same(t), store = same && !r->list && !r->dry_run;
    if (store && weft_tune_save(t->ctx) != WEFT_OK) return fail(t);
    if (t->options->json)
        print_json(t, store);
    else
        print_text(t, store);
    return same ? CLI_DONE : CLI_FAILED;
}

int command_tune(const cli_options *options, int argc, char **argv) {
    request r = {.suite = {.level = "tiny"}};
    tuning t = {.options = options, .command = argv[0], .request = &r};
    if (!read_request(argc, argv, &r)) return CLI_USAGE;
    const int opened = cli_open(argv[0], options, &t.ctx);
    if (opened != CLI_DONE) return opened;
    const int code = tune(&t);
    weft_close(t.ctx);
    return code;
}
