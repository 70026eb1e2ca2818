/* weft ladder: runs the classic kernels, from the first version to the optimized one. */
#include "cli/io/json.h"
#include "cli/ladder/ladder_learner.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct ladder {
    const cli_options *options;
    const ladder_topic_text *topic; /* NULL: all topics, or their list */
    bool all, faulty, exercises, watch, accesses;
    long long n, seed, seconds;
    const char *dtype, *rung, *show, *plot;
    ladder_schedule schedule;
    ladder_machine_info machines[LADDER_MACHINES];
    size_t machine_count;
} ladder;

/* -------------------------------------------------------------------------------- options */

static bool read_schedule(ladder *l, const char *text) {
    static const char *const names[] = {"forward", "backward", "random"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        l->schedule = (ladder_schedule)i;
        return true;
    }
    cli_error("ladder", "--schedule %s: expected forward, backward or random", text);
    return false;
}

static bool read_option(ladder *l, int option) {
    switch (option) {
    case 'a': return l->all = true;
    case 'f': return l->faulty = true;
    case 'A': return l->accesses = true;
    case 'n': return cli_number("ladder", "--n", optarg, 1, 10000000000, &l->n);
    case 's': return cli_number("ladder", "--seed", optarg, 0, 4294967295, &l->seed);
    case 'S': return read_schedule(l, optarg);
    case 't': return l->dtype = optarg, true;
    case 'r': return l->rung = optarg, true;
    case 'w': return l->show = optarg, true;
    case 'p': return l->plot = optarg, true;
    case 'e': return l->exercises = true;
    case 'W': return l->watch = true;
    case 'l': return cli_number("ladder", "--limit", optarg, 1, 86400, &l->seconds);
    default: return false;
    }
}

static bool usage(const char *sentence) {
    cli_error("ladder", "%s", sentence);
    return false;
}

static bool check_device(const ladder *l) {
    const char *const device = l->options->device;
    if (!device || strncmp(device, "ref", 3) != 0) return true;
    return usage("--device ref: the ladder supports only cpu (the executor, which simulates a GPU) and cuda");
}

/* Checks for options that exclude each other. */
static bool check_options(const ladder *l) {
    if (l->all && l->topic) return usage("--all cannot be combined with a topic");
    if (!l->topic && (l->rung || l->show)) return usage("--rung and --show require a topic");
    if (l->accesses && !l->rung) return usage("--accesses requires --rung");
    if (l->accesses && l->options->json) return usage("--accesses cannot be combined with --json");
    if (l->accesses && l->options->device && strcmp(l->options->device, "cuda") == 0)
        return usage("--accesses requires --device cpu: only the executor sees the accesses of a kernel");
    if (!l->topic && l->plot) return usage("--plot requires a topic");
    if (!l->topic && l->dtype) return usage("--dtype requires a topic");
    if (!check_device(l)) return false;
    if (l->dtype && !ladder_takes(l->topic, l->dtype)) {
        cli_error("ladder", "--dtype %s: %s supports only %s", l->dtype, l->topic->name, l->topic->types);
        return false;
    }
    if (l->rung && !ladder_find_rung(l->topic, l->rung)) return false;
    return !l->show || ladder_find_rung(l->topic, l->show);
}

static const char *const VERBS[] = {"new", "try", "hint", "grade"};

static bool is_verb(const char *word) {
    for (size_t i = 0; i < sizeof VERBS / sizeof *VERBS; i++)
        if (strcmp(word, VERBS[i]) == 0) return true;
    return false;
}

static bool read_options(ladder *l, int argc, char **argv) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(l, option)) return false;
    if (LADDER_TOPIC_COUNT == 0) return usage("this build has no ladder: it was built without python3");
    if (optind < argc && is_verb(argv[optind])) return check_device(l);
    if (argc - optind > 1) {
        cli_error("ladder", "unexpected argument %s: expected one topic or --all", argv[optind + 1]);
        return false;
    }
    if (optind < argc && !(l->topic = ladder_find_topic(argv[optind]))) return false;
    return check_options(l);
}

/* ------------------------------------------------------------------------------- machines */

/* Adds the machine if it can be used. Otherwise prints the error if it was requested. */
static bool add_machine(ladder *l, const char *which, bool wanted) {
    char error[600];
    if (ladder_machine_load(which, &l->machines[l->machine_count], error, sizeof error)) {
        l->machine_count++;
        return true;
    }
    if (wanted) cli_error("ladder", "%s", error);
    return !wanted;
}

static bool find_machines(ladder *l) {
    const char *const device = l->accesses ? "cpu" : l->options->device ? l->options->device : "auto";
    const bool automatic = strcmp(device, "auto") == 0, cpu = strcmp(device, "cpu") == 0;
    weft_context *gpu = NULL;
    if (automatic && weft_open(&gpu, "cuda") == WEFT_OK) weft_close(gpu);
    if ((automatic || cpu) && !add_machine(l, "executor", cpu || !gpu)) return false;
    return cpu || (automatic && !gpu) || add_machine(l, "cuda", !automatic);
}

/* -------------------------------------------------------------------------------- running */

static void keep_row(void *state, const ladder_row *row) {
    ladder_result *const r = state;
    const ladder_rung_text *const text = ladder_look_up(r->topic, row->rung);
    if (!text || r->count == LADDER_RUNGS_MAX) return;
    struct ladder_outcome *const kept = &r->rungs[r->count++];
    kept->text = text;
    kept->row = *row;
    snprintf(kept->said, sizeof kept->said, "%s", row->said);
    kept->row.rung = text->name;
    kept->row.said = kept->said;
    if (row->access_count) ladder_accesses_keep(row);
}

static bool is_good(const ladder_result *r) {
    for (size_t i = 0; i < r->count; i++)
        if (r->rungs[i].row.verdict == LADDER_WRONG) return false;
    return true;
}

static bool write_plot(const ladder *l, const ladder_result *r) {
    npy_error error;
    if (!l->plot || (l->accesses ? ladder_accesses_write(l->plot, &error) : ladder_chart_write(l->plot, r, &error)))
        return true;
    cli_error("ladder", "%s: %s", l->plot, error.message);
    return false;
}

static int climb_on(ladder *l, const ladder_topic_text *topic, const ladder_machine_info *machine) {
    char first[8], error[800];
    ladder_first_type(topic, first);
    static ladder_result r;
    r = (ladder_result){.topic = topic, .machine = machine, .dtype = l->dtype ? l->dtype : first};
    r.n = l->n ? (size_t)l->n : machine->gpu ? topic->gpu_n : topic->executor_n;
    const ladder_call call = {topic->name, l->rung,   r.n,         ladder_dtype(r.dtype),
                              l->accesses, l->faulty, l->schedule, (unsigned)l->seed};
    if (!machine->climb(&call, keep_row, &r, error, sizeof error)) {
        cli_error("ladder", "%s: %s", topic->name, error);
        return CLI_FAILED;
    }
    (l->options->json ? ladder_print_json : ladder_print)(&r);
    if (l->accesses) ladder_accesses_print();
    fflush(stdout);
    /* Draws the results of the last machine only, which is the GPU if there is one. */
    if (machine == &l->machines[l->machine_count - 1] && !write_plot(l, &r)) return CLI_FAILED;
    return is_good(&r) ? CLI_DONE : CLI_FAILED;
}

/* Prints the date (UTC), which is part of a stored measurement. */
static void print_head(void) {
    const time_t now = time(NULL);
    struct tm day;
    char date[16] = "";
    if (gmtime_r(&now, &day)) (void)strftime(date, sizeof date, "%F", &day);
    json_begin_command("ladder");
    json_text("version", weft_version());
    json_text("date", date);
    json_begin_array("results");
}

static int climb(ladder *l) {
    int code = CLI_DONE;
    if (!find_machines(l)) return CLI_FAILED;
    if (l->options->json) print_head();
    for (size_t t = 0; t < LADDER_TOPIC_COUNT; t++)
        for (size_t m = 0; m < l->machine_count; m++)
            if (!l->topic || l->topic == &LADDER_TOPICS[t])
                if (climb_on(l, &LADDER_TOPICS[t], &l->machines[m]) != CLI_DONE) code = CLI_FAILED;
    if (l->options->json) {
        json_end();
        json_end();
    }
    return code;
}

static void list_topics(void) {
    puts("The ladder: the classic CUDA kernels, step by step. Start with 'weft ladder first-steps'.\n");
    for (size_t i = 0; i < LADDER_TOPIC_COUNT; i++) {
        const ladder_topic_text *const t = &LADDER_TOPICS[i];
        printf("  %-14s %-58s %2zu rungs; %s\n", t->name, t->title, t->rung_count, t->types);
    }
    puts("\n'weft ladder TOPIC' runs one, and 'weft ladder TOPIC --show RUNG' prints a rung's source.\n"
         "'weft ladder --exercises' lists the exercises.");
}

/* Runs `weft ladder VERB OPERAND...`. */
static int run_verb(const ladder *l, const char *word, int count, char **operands) {
    const ladder_trial trial = {.options = l->options,
                                .n = l->n,
                                .seed = (unsigned)l->seed,
                                .dtype = l->dtype,
                                .seconds = (int)l->seconds,
                                .watch = l->watch,
                                .compare = strcmp(word, "try") == 0};
    if (strcmp(word, "new") == 0) return ladder_new(count, operands);
    if (strcmp(word, "hint") == 0) return ladder_hint(count, operands, l->all);
    return (strcmp(word, "try") == 0 ? ladder_try : ladder_grade)(&trial, count, operands);
}

int command_ladder(const cli_options *options, int argc, char **argv) {
    ladder l = {.options = options, .seed = 1, .seconds = 60};
    if (!read_options(&l, argc, argv)) return CLI_USAGE;
    if (optind < argc && is_verb(argv[optind]))
        return run_verb(&l, argv[optind], argc - optind - 1, argv + optind + 1);
    if (l.exercises) return ladder_list_exercises(l.topic), CLI_DONE;
    if (l.show) {
        fputs(ladder_look_up(l.topic, l.show)->source, stdout);
        return CLI_DONE;
    }
    if (l.topic || l.all) return climb(&l);
    list_topics();
    return CLI_DONE;
}
