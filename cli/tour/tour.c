/* weft tour: options, machines, the sequence of the sections, the verdict. Each section is in tour_<section>.c;
 * shared functions are in tour_machines.c. */
#include "cli/tour/tour.h"
#include "cli/progress.h"
#include "cli/tour/tour_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t FULL = 100000000, QUICK = 1000000, LEAST = 1000;
static const size_t MOST = sizeof(size_t) > 4 ? (size_t)10000000000 : SIZE_MAX;
enum { MEASURED_RUNS = 3, COLUMNS = 100 };
/* Model of the tour's run time, in units of the specification's time per element of a sum: a constant, and a factor
 * per element. */
static const double FIXED_SUMS = 2.4e9, SUMS_EACH = 900;

/* ------------------------------------------------------------------------------- machines */

static bool add_shown(tour *t, const char *id) {
    tour_machine *m = &t->machines[t->count];
    cli_options on_device = *t->options;
    on_device.device = id;
    if (cli_open("tour", &on_device, &m->ctx) != CLI_DONE) return false;
    snprintf(m->label, sizeof m->label, "%s", weft_device(m->ctx));
    m->shown = true;
    m->gpu = measure_is_gpu(m->ctx);
    t->count++;
    return true;
}

/* Adds a witness. Omits it if it is not available here (some builds have no cpu:base), so that it is not listed. */
static void add_witness(tour *t, const char *id, const char *label) {
    tour_machine *m = &t->machines[t->count];
    if (weft_open(&m->ctx, id) != WEFT_OK) return;
    weft_set_threads(m->ctx, 1);
    snprintf(m->label, sizeof m->label, "%s", label);
    t->count++;
}

static bool open_machines(tour *t) {
    char ids[MEASURE_DEVICES][32];
    const size_t count = measure_devices(t->options, ids);
    for (size_t i = 0; i < count; i++)
        if (!add_shown(t, ids[i])) return false;
    add_witness(t, "cpu:base", "cpu:base with 1 thread");
    add_witness(t, "ref", "the specification");
    return true;
}

static void close_machines(tour *t) {
    tour_release(t);
    for (int i = 0; i < t->count; i++) weft_close(t->machines[i].ctx);
}

/* ------------------------------------------------------------------------------ appearance */

/* Prints `first` followed by the text, in lines of at most COLUMNS characters, indented by the length of `first`. A
 * longer word gets its own line. */
static void print_wrapped(const char *first, const char *text) {
    const size_t indent = strlen(first);
    size_t column = indent;
    fputs(first, stdout);
    while (*text) {
        const size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)word, text);
        column += word;
        text += word + strspn(text + word, " ");
    }
    putchar('\n');
}

/* Finds the path of this command, or its name. */
static void find_self(char *path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0)
        path[length] = '\0';
    else
        snprintf(path, size, "weft");
}

static weft_status sum_some(void *state) {
    static float x[1 << 16], sum;
    return weft_reduce(state, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, sizeof x / sizeof *x, x, &sum);
}

/* Predicts the tour's run time in seconds. Most of the time is that of the specification, which is the last machine.
 * The time of its sum is measured and scaled by FIXED_SUMS and SUMS_EACH. */
static double predict_seconds(const tour *t) {
    double seconds = 0;
    (void)measure(sum_some, t->machines[t->count - 1].ctx, MEASURED_RUNS, 0.01, &seconds);
    return seconds / (1 << 16) * (FIXED_SUMS + SUMS_EACH * (double)t->n);
}

static void print_start(const tour *t) {
    char self[4096], text[200];
    const double seconds = predict_seconds(t);
    find_self(self, sizeof self);
    if (seconds < 90)
        snprintf(text, sizeof text, "This takes about %.0f seconds", 5 * ceil(seconds / 5));
    else
        snprintf(text, sizeof text, "This takes about %.0f minutes", ceil(seconds / 60));
    printf("\n  %s, with arrays of %zu elements%s.\n  The command weft is %s\n", text, t->n,
           t->n > QUICK ? "; --quick is shorter" : "", self);
}

static void print_next(void) {
    puts("\nTry next:\n"
         "  weft help                  list all commands\n"
         "  weft verify --level tiny   compare every operation with its specification\n"
         "  weft sum FILE.npy --bits   print a sum and its bits, to compare with another machine");
}

static void print_machines(const tour *t) {
    char text[256];
    printf("weft %s, order version %d\n\n", weft_version(), weft_order_version());
    for (int i = 0; i < t->count; i++) {
        if (!t->machines[i].shown) continue;
        measure_describe(t->machines[i].ctx, t->options->threads, text, sizeof text);
        printf("  %-8s %s\n", t->machines[i].label, text);
    }
    for (int i = 0; i < t->count; i++)
        if (t->machines[i].gpu) return;
    weft_context *gpu;
    if (t->options->device && strcmp(t->options->device, "auto") != 0) return;
    if (weft_open(&gpu, "cuda") != WEFT_OK) print_wrapped("  no GPU   ", weft_last_error(NULL));
    weft_close(gpu);
}

static int print_verdict(const tour *t) {
    char names[1024], verdict[1200];
    tour_names(t, names, sizeof names);
    if (t->different)
        snprintf(verdict, sizeof verdict, "Verdict: %d of %d results DIFFER between %s.", t->different, t->compared,
                 names);
    else if (t->compared == 0)
        snprintf(verdict, sizeof verdict, "Verdict: nothing was compared, there is only %s.", names);
    else
        snprintf(verdict, sizeof verdict, "Verdict: %d comparisons, not one bit differs between %s.", t->compared,
                 names);
    puts("");
    if (t->colours) fputs("\033[1m", stdout);
    print_wrapped("", verdict);
    if (t->colours) fputs("\033[0m", stdout);
    print_next();
    return t->different ? CLI_FAILED : CLI_DONE;
}

/* ------------------------------------------------------------------------------------ data */

/* Finds the readings that come with weft: in the installation of the command, or in the build tree. */
static void find_data(char *path, size_t size) {
    char self[4096];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash) *slash = '\0';
        snprintf(path, size, "%s/../share/weft/co2.npy", self);
        if (access(path, R_OK) == 0) return;
    }
    snprintf(path, size, "%s/co2.npy", WEFT_SOURCE_DATA);
}

static bool read_data(const char *path, npy_array *file) {
    npy_error error;
    if (!npy_read(path, file, &error)) {
        cli_error("tour", "%s: %s", path, error.message);
        return false;
    }
    if (file->n > 0) return true;
    cli_error("tour", "%s: has no elements: the tour requires at least one", path);
    return false;
}

/* --------------------------------------------------------------------------- known answers */

/* ------------------------------------------------------------------------------ all parts */

/* Returns true if two arrays of n elements fit in memory. The system's overcommit would otherwise end the process. */
static bool two_arrays_fit(size_t n) { return 2.0 * (double)n * sizeof(float) < tour_free_memory(); }

static bool run_sections(tour *t, const char *path, const npy_array *file) {
    float *x = two_arrays_fit(t->n) ? malloc(t->n * sizeof *x) : NULL;
    float *y = x ? malloc(t->n * sizeof *y) : NULL;
    bool done = y != NULL;
    if (!done)
        cli_error("tour", "cannot allocate memory for two arrays of %zu elements; try --quick", t->n);
    else {
        print_machines(t);
        print_start(t);
        fflush(stdout);
        done = tour_classic_dot(t) && tour_hard_sums(t, x) && tour_every_operation(t, path, file) &&
               tour_large_array(t, file, x, y);
    }
    free(x);
    free(y);
    /* these sections allocate their own arrays */
    return done && tour_scans(t) && tour_filter(t) && tour_sort(t) && tour_tridiag(t) && tour_products(t) &&
           tour_price(t) && tour_match(t) && tour_laplace(t);
}

static bool read_options(tour *t, int argc, char **argv) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        long long n = (long long)QUICK;
        if (option != 'q' &&
            (option != 'n' || !cli_number(argv[0], "--n", optarg, (long long)LEAST, (long long)MOST, &n)))
            return false;
        t->n = (size_t)n;
        t->n_given = option == 'n';
    }
    if (!t->n_given) t->n = tour_size(tour_free_memory(), t->n);
    if (t->options->json)
        cli_error(argv[0], "--json: not supported by the tour; use 'weft bench --json'");
    else if (argc - optind > 1)
        cli_error(argv[0], "unexpected argument %s: expected one file", argv[optind + 1]);
    else
        return true;
    return false;
}

int command_tour(const cli_options *options, int argc, char **argv) {
    tour t = {.options = options, .n = FULL};
    npy_array file;
    char path[4200];
    if (!read_options(&t, argc, argv)) return CLI_USAGE;
    if (optind < argc)
        snprintf(path, sizeof path, "%s", argv[optind]);
    else
        find_data(path, sizeof path);
    if (!read_data(path, &file)) return CLI_FAILED;
    t.colours = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    const bool done = open_machines(&t) && run_sections(&t, path, &file);
    const int code = done ? print_verdict(&t) : CLI_FAILED;
    close_machines(&t);
    npy_free(&file);
    return code;
}
