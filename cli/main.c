/* Entry point of the weft command: takes the options that belong to every command out of argv, at any position, then
 * finds the verb and runs it. */
#include "cli/cli.h"
#include "cli/io/input.h"
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
    static const char *const names[] = {"auto", "cpu", "cpu:base", "cpu:v2", "cpu:v3", "cpu:v4", "cuda", "ref"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], text) == 0) return true;
    const size_t prefix = strlen("cuda:"), digits = strncmp(text, "cuda:", prefix) ? 0 : strlen(text + prefix);
    return digits > 0 && strspn(text + prefix, "0123456789") == digits;
}

static bool read_device(const char *text, cli_options *options) {
    options->device = text;
    if (is_device(text)) return true;
    cli_error(NULL, "--device %s: expected one of auto, cpu, cpu:base, cpu:v2 to cpu:v4, cuda, cuda:N, ref", text);
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

/* If argv[*i] is the option `name` with an argument, "--name VALUE" or "--name=VALUE", moves *i to its last word and
 * returns the argument. Returns NULL otherwise. */
static const char *take_value(invocation *in, char **argv, int *i, const char *name) {
    const size_t length = strlen(name);
    if (strncmp(argv[*i], name, length) != 0) return NULL;
    if (argv[*i][length] == '=') return argv[*i] + length + 1;
    if (argv[*i][length]) return NULL;
    if (argv[*i + 1]) return argv[++*i];
    cli_error(NULL, "option %s requires an argument", name);
    in->wrong = true;
    return NULL;
}

static bool take_flag(char **argv, int i, const char *name, bool *flag) {
    if (strcmp(argv[i], name) != 0) return false;
    return *flag = true;
}

/* Reads argv[*i] if it is a global option. */
static bool take_option(invocation *in, char **argv, int *i) {
    const char *text = take_value(in, argv, i, "--device");
    if (text) return in->wrong = !read_device(text, &in->options), true;
    if (!in->wrong && (text = take_value(in, argv, i, "--threads")))
        return in->wrong = !read_threads(text, &in->options), true;
    if (!in->wrong && (text = take_value(in, argv, i, "--memory")))
        return in->wrong = !read_memory(text, &in->options), true;
    for (const char *const *name = INPUT_OPTIONS; *name && !in->wrong; name++)
        if ((text = take_value(in, argv, i, *name))) return in->wrong = !input_option(*name, text), true;
    return in->wrong || take_flag(argv, *i, "--json", &in->options.json) ||
           take_flag(argv, *i, "--quiet", &in->options.quiet) || take_flag(argv, *i, "--bits", &in->options.bits) ||
           take_flag(argv, *i, "--mpi", &in->options.mpi) || take_flag(argv, *i, "--help", &in->help) ||
           take_flag(argv, *i, "-h", &in->help);
}

/* Splits argv into global options and the rest. A single getopt_long could not do this: a command's own options are
 * unknown before its name is. Nothing is taken after "--". */
static void read_arguments(invocation *in, char **argv) {
    int i = 1;
    for (; argv[i] && !in->wrong && strcmp(argv[i], "--") != 0; i++) {
        if (take_option(in, argv, &i)) continue;
        if (in->count == 0 && take_flag(argv, i, "--version", &in->version)) continue;
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
    if (options->json)
        printf("{\"version\": \"%s\", \"order\": %d}\n", weft_version(), weft_order_version());
    else
        printf("weft %s, order version %d\n", weft_version(), weft_order_version());
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
