/* Entry point of the weft command: takes the options that belong to every command out of argv, at any position, then
 * finds the verb and runs it. */
#include "cli/cli.h"
#include "cli/io/input.h"
#include "cli/io/json.h"
#include "cli/options.h"
#include "cli/ranks.h"
#include "cli/signals.h"
#include "cli/verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4096 };

/* ------------------------------------------------------------------------ global options */

/* Returns true if some machine can have a device of this name. weft_open checks whether this machine has it. */
static bool is_device(const char *text) {
    static const char *const names[] = {"auto",   "cpu",     "cpu:base", "cpu:v2", "cpu:v3",
                                        "cpu:v4", "cpu:amx", "cuda",     "ref"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], text) == 0) return true;
    const size_t prefix = strlen("cuda:"), digits = strncmp(text, "cuda:", prefix) ? 0 : strlen(text + prefix);
    return digits > 0 && strspn(text + prefix, "0123456789") == digits;
}

static bool read_device(const char *text, cli_options *options) {
    options->device = text;
    if (is_device(text)) return true;
    cli_error(NULL, "--device %s: expected one of auto, cpu, cpu:base, cpu:v2 to cpu:v4, cpu:amx, cuda, cuda:N, ref",
              text);
    return false;
}

static bool read_threads(const char *text, cli_options *options) {
    long long threads;
    if (!cli_number(NULL, "--threads", text, 0, MOST_THREADS, &threads)) return false;
    options->threads = (int)threads;
    return true;
}

/* Parses "512M": bytes, or K, M, G or T; each unit is 1024 times the one before. */
static bool read_memory(const char *text, cli_options *options) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const unsigned long long count = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    const bool digits = *text >= '0' && *text <= '9' && end[unit != NULL] == '\0';
    options->memory = (size_t)count << shift;
    if (digits && errno == 0 && count > 0 && options->memory >> shift == count) return true;
    cli_error(NULL, "--memory %s: expected a number of bytes such as 512M, with the unit K, M, G, T or none", text);
    return false;
}

typedef struct invocation {
    cli_options options;
    bool help, version, wrong;
    char **rest; /* argv without the global options; terminated by NULL */
    int count;
} invocation;

/* Returns the global option that the word `text` gives, as --NAME, --NAME=VALUE or -X, or NULL. */
static const cli_option *find_global(const char *text) {
    for (const cli_option *option = NULL; (option = option_next(option, "*"));) {
        const size_t length = strlen(option->name);
        const bool same = strncmp(text, "--", 2) == 0 && strncmp(text + 2, option->name, length) == 0;
        if (same && (text[2 + length] == '\0' || (text[2 + length] == '=' && *option->argument))) return option;
        if (*option->letter && text[0] == '-' && strcmp(text + 1, option->letter) == 0) return option;
    }
    return NULL;
}

/* Returns the argument of the option `name` at argv[*i], and moves *i to its last word. Returns NULL after printing
 * the error if there is none. */
static const char *take_argument(char **argv, int *i, const char *name) {
    const char *value = strchr(argv[*i], '=');
    if (value) return value + 1;
    if (argv[*i + 1]) return argv[++*i];
    cli_error(NULL, "option --%s requires an argument", name);
    return NULL;
}

/* Stores the global option. Prints the error and returns false if its argument is invalid. */
static bool read_global(invocation *in, const cli_option *option, const char *text) {
    switch (option->key) {
    case 'd': return read_device(text, &in->options);
    case 't': return read_threads(text, &in->options);
    case 'm': return read_memory(text, &in->options);
    case 'i': return input_option(option->name, text);
    case 'p': return in->options.mpi = true;
    case 'b': return in->options.bits = true;
    case 'j': return in->options.json = true;
    case 'q': return in->options.quiet = true;
    default: return in->help = true;
    }
}

/* Reads argv[*i] if it is a global option, and moves *i to its last word. Returns false if it is not one. */
static bool take_global(invocation *in, char **argv, int *i) {
    const cli_option *option = find_global(argv[*i]);
    if (!option) return false;
    const char *text = *option->argument ? take_argument(argv, i, option->name) : "";
    in->wrong = !text || !read_global(in, option, text);
    return true;
}

/* Splits argv into global options and the rest. A single getopt_long could not do this: a command's own options are
 * unknown before its name is. Nothing is taken after "--". */
static void read_arguments(invocation *in, char **argv) {
    int i = 1;
    for (; argv[i] && !in->wrong && strcmp(argv[i], "--") != 0; i++) {
        if (take_global(in, argv, &i)) continue;
        if (in->count == 0 && strcmp(argv[i], "--version") == 0) {
            in->version = true;
            continue;
        }
        if (in->count == 0 && argv[i][0] == '-') {
            cli_error(NULL, "unknown option %s; see 'weft help'", argv[i]);
            in->wrong = true;
            return;
        }
        in->rest[in->count++] = argv[i];
    }
    if (in->wrong) return;
    if (argv[i] && in->count == 0) i++; /* "weft -- sum x.npy" */
    for (; argv[i]; i++) in->rest[in->count++] = argv[i];
}

/* -------------------------------------------------------------------------------- running */

int command_version(const cli_options *options, int argc, char **argv) {
    if (argc > 1) {
        cli_error(argv[0], "unexpected argument %s", argv[1]);
        return CLI_USAGE;
    }
    if (!options->json) {
        printf("weft %s, order version %d\n", weft_version(), weft_order_version());
        return CLI_DONE;
    }
    json_begin_object(NULL);
    json_text("version", weft_version());
    json_integer("order", weft_order_version());
    json_end();
    return CLI_DONE;
}

static int run(const invocation *in) {
    static char *version[] = {"version", NULL};
    if (in->version) return command_version(&in->options, 1, version);
    if (in->count == 0) {
        verb_overview(in->help ? stdout : stderr);
        return in->help ? CLI_DONE : CLI_USAGE;
    }
    const verb *verb = verb_find(in->rest[0]);
    if (!verb) return CLI_USAGE;
    in->rest[0] = (char *)verb->name; /* the spelling that commands print */
    if (!in->help && in->options.mpi && !ranks_can(verb->name)) return CLI_USAGE;
    if (!in->help && !input_ready(verb->name, in->options.quiet)) return CLI_USAGE;
    if (!in->help) return verb->run(&in->options, in->count, in->rest);
    verb_help(stdout, verb);
    return CLI_DONE;
}

/* Checks that all output was written; a full disk is detected here at the latest. */
static int finish(const invocation *in, int code) {
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != CLI_DONE) return code;
    cli_error(in->count ? in->rest[0] : NULL, "standard output: %s", strerror(errno));
    return CLI_FAILED;
}

int main(int argc, char **argv) {
    signals_install();
    invocation in = {.rest = calloc((size_t)argc + 1, sizeof *argv)};
    if (!in.rest) {
        cli_error(NULL, "cannot allocate memory for the arguments");
        return CLI_FAILED;
    }
    read_arguments(&in, argv);
    const int code = in.wrong ? CLI_USAGE : finish(&in, run(&in));
    free(in.rest);
    if (code != CLI_DONE && signals_caught()) signals_die(signals_caught());
    return code;
}
