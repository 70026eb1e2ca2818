/* weft ladder: runs the classic kernels, from the first version to the optimized one. */
#include "cli/io/json.h"
#include "cli/ladder/ladder_climb.h"
#include "cli/nearest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct ladder {
    const cli_options *options;
    const ladder_topic_text *topic; /* NULL: all topics, or their list */
    bool all, faulty;
    long long n, seed;
    const char *dtype, *rung, *show, *plot;
    ladder_schedule schedule;
    ladder_machine_info machines[LADDER_MACHINES];
    size_t machine_count;
} ladder;

/* --------------------------------------------------------------------------------- names */

static const char *topic_name(size_t i) { return LADDER_TOPICS[i].name; }

static const ladder_topic_text *find_topic(const char *name) {
    for (size_t i = 0; i < LADDER_TOPIC_COUNT; i++)
        if (same_name(LADDER_TOPICS[i].name, name)) return &LADDER_TOPICS[i];
    const char *nearest = nearest_name(name, topic_name, LADDER_TOPIC_COUNT);
    if (nearest)
        cli_error("ladder", "unknown topic '%s'; did you mean '%s'?", name, nearest);
    else
        cli_error("ladder", "unknown topic '%s'; 'weft ladder' lists the topics", name);
    return NULL;
}

static const ladder_topic_text *named_rungs; /* parameter of rung_name, which only takes an index */
static const char *rung_name(size_t i) { return named_rungs->rungs[i].name; }

static const ladder_rung_text *look_up(const ladder_topic_text *topic, const char *name) {
    for (size_t i = 0; i < topic->rung_count; i++)
        if (same_name(topic->rungs[i].name, name)) return &topic->rungs[i];
    return NULL;
}

static const ladder_rung_text *find_rung(const ladder_topic_text *topic, const char *name) {
    const ladder_rung_text *rung = look_up(topic, name);
    if (rung) return rung;
    named_rungs = topic;
    const char *nearest = nearest_name(name, rung_name, topic->rung_count);
    if (nearest) {
        cli_error("ladder", "%s has no rung '%s'; did you mean '%s'?", topic->name, name, nearest);
        return NULL;
    }
    char names[1024] = "";
    for (size_t i = 0; i < topic->rung_count; i++) {
        strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
        strncat(names, rung_name(i), sizeof names - strlen(names) - 1);
    }
    cli_error("ladder", "%s has no rung '%s': expected one of %s", topic->name, name, names);
    return NULL;
}

/* Returns true if `type` is one of the words of `types`. */
static bool is_among(const char *types, const char *type) {
    const size_t length = strlen(type);
    for (const char *at = types; at && *at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
        if (length == strcspn(at, " ") && memcmp(at, type, length) == 0) return true;
    return false;
}

static weft_dtype dtype_of(const char *name) {
    weft_dtype dtype = WEFT_F32;
#define TYPE(ID, type, ctype, kind, npy) \
    if (strcmp(name, #type) == 0) dtype = WEFT_##ID;
#include "core/types.def"
    return dtype;
}

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
    case 'n': return cli_number("ladder", "--n", optarg, 1, 10000000000, &l->n);
    case 's': return cli_number("ladder", "--seed", optarg, 0, 4294967295, &l->seed);
    case 'S': return read_schedule(l, optarg);
    case 't': return l->dtype = optarg, true;
    case 'r': return l->rung = optarg, true;
    case 'w': return l->show = optarg, true;
    case 'p': return l->plot = optarg, true;
    default: return false;
    }
}

static bool usage(const char *sentence) {
    cli_error("ladder", "%s", sentence);
    return false;
}

/* Checks for options that exclude each other. */
static bool check_options(const ladder *l) {
    const char *const device = l->options->device;
    if (l->all && l->topic) return usage("--all cannot be combined with a topic");
    if (!l->topic && (l->rung || l->show)) return usage("--rung and --show require a topic");
    if (!l->topic && l->plot) return usage("--plot requires a topic");
    if (!l->topic && l->dtype) return usage("--dtype requires a topic");
    if (device && strncmp(device, "ref", 3) == 0)
        return usage("--device ref: the ladder supports only cpu (the executor, which simulates a GPU) and cuda");
    if (l->dtype && !is_among(l->topic->types, l->dtype)) {
        cli_error("ladder", "--dtype %s: %s supports only %s", l->dtype, l->topic->name, l->topic->types);
        return false;
    }
    if (l->rung && !find_rung(l->topic, l->rung)) return false;
    return !l->show || find_rung(l->topic, l->show);
}

static bool read_options(ladder *l, int argc, char **argv) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(l, option)) return false;
    if (LADDER_TOPIC_COUNT == 0) return usage("this build has no ladder: it was built without python3");
    if (argc - optind > 1) {
        cli_error("ladder", "unexpected argument %s: expected one topic or --all", argv[optind + 1]);
        return false;
    }
    if (optind < argc && !(l->topic = find_topic(argv[optind]))) return false;
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
    const char *const device = l->options->device ? l->options->device : "auto";
    const bool automatic = strcmp(device, "auto") == 0, cpu = strcmp(device, "cpu") == 0;
    weft_context *gpu = NULL;
    if (automatic && weft_open(&gpu, "cuda") == WEFT_OK) weft_close(gpu);
    if ((automatic || cpu) && !add_machine(l, "executor", cpu || !gpu)) return false;
    return cpu || (automatic && !gpu) || add_machine(l, "cuda", !automatic);
}

/* -------------------------------------------------------------------------------- running */

static void keep_row(void *state, const ladder_row *row) {
    ladder_result *const r = state;
    const ladder_rung_text *const text = look_up(r->topic, row->rung);
    if (!text || r->count == LADDER_RUNGS_MAX) return;
    struct ladder_outcome *const kept = &r->rungs[r->count++];
    kept->text = text;
    kept->row = *row;
    snprintf(kept->said, sizeof kept->said, "%s", row->said);
    kept->row.rung = text->name;
    kept->row.said = kept->said;
}

static bool is_good(const ladder_result *r) {
    for (size_t i = 0; i < r->count; i++)
        if (r->rungs[i].row.verdict == LADDER_WRONG) return false;
    return true;
}

static bool write_plot(const ladder *l, const ladder_result *r) {
    npy_error error;
    if (!l->plot || ladder_chart_write(l->plot, r, &error)) return true;
    cli_error("ladder", "%s: %s", l->plot, error.message);
    return false;
}

static int climb_on(ladder *l, const ladder_topic_text *topic, const ladder_machine_info *machine) {
    char first[8], error[800];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(topic->types, " "), topic->types);
    static ladder_result r;
    r = (ladder_result){.topic = topic, .machine = machine, .dtype = l->dtype ? l->dtype : first};
    r.n = l->n ? (size_t)l->n : machine->gpu ? topic->gpu_n : topic->executor_n;
    const ladder_call call = {topic->name, l->rung,          r.n, dtype_of(r.dtype), l->faulty,
                              l->schedule, (unsigned)l->seed};
    if (!machine->climb(&call, keep_row, &r, error, sizeof error)) {
        cli_error("ladder", "%s: %s", topic->name, error);
        return CLI_FAILED;
    }
    (l->options->json ? ladder_print_json : ladder_print)(&r);
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
    puts("\n'weft ladder TOPIC' runs one, and 'weft ladder TOPIC --show RUNG' prints a rung's source.");
}

int command_ladder(const cli_options *options, int argc, char **argv) {
    ladder l = {.options = options, .seed = 1};
    if (!read_options(&l, argc, argv)) return CLI_USAGE;
    if (l.show) {
        fputs(look_up(l.topic, l.show)->source, stdout);
        return CLI_DONE;
    }
    if (l.topic || l.all) return climb(&l);
    list_topics();
    return CLI_DONE;
}
