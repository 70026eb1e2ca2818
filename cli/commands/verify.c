/* weft verify: runs the agreement suite on this machine's devices. */
#include "cli/io/json.h"
#include "cli/io/value.h"
#include "cli/nearest.h"
#include "cli/progress.h"
#include "verify/digest.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_JOBS = 4096 };

typedef struct request {
    match_options match;
    bool level_given, digest;
    const char *golden, *golden_write; /* directories */
} request;

static bool read_count(const char *command, const char *option, long long most, size_t *count) {
    long long number;
    if (!cli_number(command, option, optarg, 1, most, &number)) return false;
    *count = (size_t)number;
    return true;
}

static const match_operation *find_operation(const char *name) {
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++)
        if (same_name(name, MATCH_OPERATIONS[i].name)) return &MATCH_OPERATIONS[i];
    return NULL;
}

static bool read_request(int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == 'd') r->digest = true;
        if (option == 'f') r->match.first = true;
        if (option == 'g') r->golden = optarg;
        if (option == 'w') r->golden_write = optarg;
        if (option == '?') return false;
        if (option == 'e' && !read_count(argv[0], "--every", LLONG_MAX, &r->match.every)) return false;
        if (option == 'j' && !read_count(argv[0], "--jobs", MOST_JOBS, &r->match.jobs)) return false;
        if (option == 'l' && !match_read_level(optarg, &r->match.level)) {
            cli_error(argv[0], "--level %s: expected tiny, quick or full", optarg);
            return false;
        }
        if (option == 'l') r->level_given = true;
        if (option == 'o' && !(r->match.only = find_operation(optarg))) {
            cli_error(argv[0], "--op %s: unknown operation; 'weft help' lists them", optarg);
            return false;
        }
    }
    if (optind < argc) {
        cli_error(argv[0], "unexpected argument %s", argv[optind]);
        return false;
    }
    if (r->digest && (r->golden || r->golden_write || r->match.every || r->match.jobs || r->match.first)) {
        cli_error(argv[0], "--digest takes no option but --level and --op");
        return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------- printing */

static void print_table(const match_report *report, const match_operation *only) {
    printf("%-16s", "");
    for (size_t c = 0; c < report->column_count; c++) printf(" %14s", report->columns[c]);
    putchar('\n');
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++) {
        if (only && only != &MATCH_OPERATIONS[i]) continue;
        printf("%-16s", MATCH_OPERATIONS[i].name);
        for (size_t c = 0; c < report->column_count; c++) {
            const match_cell *cell = &report->cells[i][c];
            char text[40];
            snprintf(text, sizeof text, cell->differed ? "%zu DIFFER" : "%zu",
                     cell->differed ? cell->differed : cell->agreed);
            printf(" %14s", text);
        }
        putchar('\n');
    }
}

static void print_verdict(const match_report *report) {
    if (report->differed)
        printf("\n%zu of %zu answers DIFFER from the specification.\n", report->differed,
               report->agreed + report->differed);
    else
        printf("\nAll %zu answers have the bits of the specification, order version %d.\n", report->agreed,
               weft_order_version());
}

static void print_json_cell(const char *op, const char *device, const match_cell *cell) {
    if (cell->agreed + cell->differed == 0) return;
    json_begin_object(NULL);
    json_text("op", op);
    json_text("device", device);
    json_count("agreed", cell->agreed);
    json_count("differed", cell->differed);
    json_end();
}

static void print_json(const match_report *report) {
    json_begin_command("verify");
    json_integer("order", weft_order_version());
    json_count("agreed", report->agreed);
    json_count("differed", report->differed);
    json_begin_array("cells");
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++)
        for (size_t c = 0; c < report->column_count; c++)
            print_json_cell(MATCH_OPERATIONS[i].name, report->columns[c], &report->cells[i][c]);
    json_end();
    json_end();
}

/* --------------------------------------------------------------------------------- running */

static void print_json_golden(bool good, size_t lines) {
    json_begin_command("verify");
    json_integer("order", weft_order_version());
    json_bool("golden", good);
    json_count("lines", lines);
    json_end();
}

static int verify_golden(const cli_options *options, const char *command, const request *r) {
    const bool write = r->golden_write != NULL;
    const char *device = options->device ? options->device : "ref";
    char problem[512];
    size_t lines;
    const bool good = golden_run(write ? r->golden_write : r->golden, device, r->match.only, write, &lines, problem);
    if (!good) cli_error(command, "%s", problem);
    if (options->json)
        print_json_golden(good, lines);
    else if (good)
        printf("%s: %zu golden hashes %s, order version %d\n", device, lines, write ? "written" : "agree",
               weft_order_version());
    return good ? CLI_DONE : CLI_FAILED;
}

static void on_progress(void *self, double done, double all) {
    (void)self;
    progress_at(done, all);
}

/* ---------------------------------------------------------------------------------- digest */

static void print_digest_line(const cli_options *options, const char *name, const digest_line *line) {
    if (line->cases == 0) return;
    if (!options->json) {
        printf("%-16s %8zu cases  %s\n", name, line->cases, line->hash);
        return;
    }
    json_begin_object(NULL);
    json_text("op", name);
    json_count("cases", line->cases);
    json_text("sha256", line->hash);
    json_end();
}

static void print_digest(const cli_options *options, const char *level, const digest_line *lines, bool all) {
    const digest_line total = digest_total(lines);
    if (options->json) {
        json_begin_command("verify");
        json_integer("order", weft_order_version());
        json_text("level", level);
        json_begin_array("digest");
    } else {
        printf("order %d digest, level %s: SHA-256 of the results of each operation\n", weft_order_version(), level);
    }
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++)
        print_digest_line(options, MATCH_OPERATIONS[i].name, &lines[i]);
    if (all) print_digest_line(options, "(all)", &total);
    if (options->json) {
        json_end();
        json_end();
    }
}

static int verify_digest(const cli_options *options, const char *command, const request *r) {
    const digest_options wanted = {.level = r->level_given ? r->match.level : MATCH_TINY,
                                   .device = options->device ? options->device : "cpu",
                                   .threads = options->threads,
                                   .only = r->match.only,
                                   .progress = on_progress};
    digest_line *const lines = malloc(MATCH_OPERATION_COUNT * sizeof *lines);
    char problem[512] = "out of memory";
    progress_start(options, "verify");
    const bool good = lines && digest_run(&wanted, lines, problem);
    progress_end();
    if (good)
        print_digest(options, match_level_name(wanted.level), lines, !wanted.only);
    else
        cli_error(command, "%s", problem);
    free(lines);
    return good ? CLI_DONE : CLI_FAILED;
}

/* --------------------------------------------------------------------------------- devices */

/* Returns the number of cores of the CPU, which is the first device; each run of the specification uses one core. */
static size_t default_jobs(void) {
    weft_device_info cpu = {.size = sizeof cpu};
    return weft_describe_device(0, &cpu) == WEFT_OK && cpu.cores > 0 ? (size_t)cpu.cores : 1;
}

static int verify_devices(const cli_options *options, const char *command, request *r) {
    match_report report;
    char problem[512];
    r->match.device = options->device;
    r->match.threads = options->threads;
    if (r->match.jobs == 0) r->match.jobs = default_jobs();
    r->match.log = stderr;
    r->match.progress = on_progress;
    progress_start(options, "verify");
    const bool ran = match_run(&r->match, &report, problem);
    progress_end();
    if (!ran)
        cli_error(command, "%s", problem);
    else if (report.agreed + report.differed == 0)
        cli_error(command, "nothing was compared");
    else if (options->json)
        print_json(&report);
    else {
        print_table(&report, r->match.only);
        print_verdict(&report);
    }
    const bool good = ran && report.agreed > 0 && report.differed == 0;
    match_free(&report);
    return good ? CLI_DONE : CLI_FAILED;
}

int command_verify(const cli_options *options, int argc, char **argv) {
    request r = {.match.level = MATCH_QUICK};
    if (!read_request(argc, argv, &r)) return CLI_USAGE;
    setenv("WEFT_THREAD_BYTES", "4096", 0); /* checks short inputs on several threads too */
    if (r.digest) return verify_digest(options, argv[0], &r);
    if (r.golden_write || r.golden) return verify_golden(options, argv[0], &r);
    return verify_devices(options, argv[0], &r);
}
