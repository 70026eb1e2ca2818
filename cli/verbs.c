#include "cli/verbs.h"

#include "cli/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* The operands and text of an operation, by the stem of its line in core/ops.def. */
#define OPERATION(stem, operands, text)                \
    static const char operands_of_##stem[] = operands; \
    static const char text_of_##stem[] = text;
#include "cli/commands.def"

static const verb COMMANDS[] = {
#define COMMAND(name, operands, summary, text) {#name, operands, summary, text, command_##name},
#include "cli/commands.def"
};
static const verb OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, operands_of_reduce, help, text_of_reduce, command_reduce},
#define CALL(stem, help) {#stem, operands_of_##stem, help, text_of_##stem, command_##stem},
#include "core/ops.def"
};
enum {
    COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS,
    VERB_COUNT = COMMAND_COUNT + sizeof OPERATIONS / sizeof *OPERATIONS
};

static const verb *verb_at(int i) { return i < COMMAND_COUNT ? &COMMANDS[i] : &OPERATIONS[i - COMMAND_COUNT]; }

/* ------------------------------------------------------------------------------- by name */

enum { ALIAS_COUNT = 320, ALIAS_LENGTH = 24 };

/* The names of aliases.def, one each. */
typedef struct alias {
    char name[ALIAS_LENGTH];
    const char *sentence;
} alias;
static alias aliases[ALIAS_COUNT];
static size_t alias_count;

static void add_aliases(const char *names, const char *sentence) {
    while (*names && alias_count < ALIAS_COUNT) {
        const size_t length = strcspn(names, " ");
        aliases[alias_count].sentence = sentence;
        snprintf(aliases[alias_count++].name, ALIAS_LENGTH, "%.*s", (int)length, names);
        names += length + strspn(names + length, " ");
    }
}

static void list_aliases(void) {
#define ALIAS(names, sentence) add_aliases(names, sentence);
#include "cli/aliases.def"
}

static const alias *find_alias(const char *name) {
    for (size_t i = 0; i < alias_count; i++)
        if (same_name(aliases[i].name, name)) return &aliases[i];
    return NULL;
}

static const verb *find_verb(const char *name) {
    for (int i = 0; i < VERB_COUNT; i++)
        if (same_name(verb_at(i)->name, name)) return verb_at(i);
    return NULL;
}

static const char *any_name(size_t i) {
    return i < VERB_COUNT ? verb_at((int)i)->name : aliases[i - VERB_COUNT].name;
}

/* Says what a name that is no command probably means. Aliases count among the names that it can be a misspelling of:
 * "medain" is one of median, which is no command, and so must not lead to mean. */
static void suggest(const char *name) {
    char lower[64];
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof lower; length++)
        lower[length] = (char)tolower((unsigned char)name[length]);
    lower[length] = '\0';
    list_aliases();
    const char *meant =
        find_verb(lower) || find_alias(lower) ? lower : nearest_name(lower, any_name, VERB_COUNT + alias_count);
    const alias *other = meant ? find_alias(meant) : NULL;
    if (other && meant == lower)
        cli_error(NULL, "there is no command '%s'; %s", name, other->sentence);
    else if (other)
        cli_error(NULL, "there is no command '%s'; did you mean '%s'? %s", name, other->name, other->sentence);
    else if (meant)
        cli_error(NULL, "there is no command '%s'; did you mean '%s'?", name, find_verb(meant)->name);
    else
        cli_error(NULL, "there is no command '%s'; 'weft help' lists them", name);
}

const verb *verb_find(const char *name) {
    const verb *found = find_verb(name);
    if (!found) suggest(name);
    return found;
}

/* ---------------------------------------------------------------------------------- help */

static const char GLOBAL_OPTIONS[] =
    "Options, before or after the command\n"
    "  --device D    auto (a GPU if there is one, else the CPU), cpu, cuda, cuda:1, ...,\n"
    "                ref (the specification itself: slow). Never changes a result.\n"
    "  --threads N   CPU threads; 0, the default, takes all cores. Never changes a result.\n"
    "  --memory M    512M, 8G, ...: larger files are read in pieces (streaming) or sorted by parts, in\n"
    "                buffers of so much; half of the machine's memory by default. Never changes a result.\n"
    "  --raw T       input files are raw elements of that type (f32, ...) in little endian, without a header\n"
    "  --column C    input files are CSV or TSV tables with a header; read the column of that name or number\n"
    "  --as T        of the type T, f64 unless given\n"
    "  --missing nan an empty field of it is NaN, not an error. Files called *.npy are .npy files nevertheless.\n"
    "  --mpi         with mpirun: the ranks share a reduction, variance, dot, scan or sort. Never changes a result.\n"
    "  --bits        print the bits of a value too, in hexadecimal\n"
    "  --json        print one JSON object\n"
    "  --quiet       no progress bar\n";

static void print_verbs(FILE *out, const verb *verbs, int count) {
    for (int i = 0; i < count; i++) fprintf(out, "  %-16s %s\n", verbs[i].name, verbs[i].summary);
}

void verb_overview(FILE *out) {
    fputs("weft: sums, extremes, norms, prefix scans, sorts and more of .npy arrays, with the same bits on "
          "every machine\n\n"
          "  weft [OPTIONS] COMMAND ...\n\n"
          "Examples\n"
          "  weft tour --quick                     see it work\n"
          "  weft sum x.npy                        print the sum\n"
          "  weft dot x.npy y.npy --bits           and its bits, to compare with another machine's\n"
          "  weft mean x.npy --device cpu --json   for a program to read\n\n"
          "Commands\n",
          out);
    print_verbs(out, COMMANDS, COMMAND_COUNT);
    fputs("\nOperations on .npy files\n", out);
    print_verbs(out, OPERATIONS, VERB_COUNT - COMMAND_COUNT);
    fprintf(out,
            "\n%s\n'weft help COMMAND' says more; in names '-' and '_' are the same.\nExit code: 0 done, 1 the work "
            "failed, 2 the call was wrong.\n",
            GLOBAL_OPTIONS);
}

/* Prints `text` with the verb's name in the place of "%s". */
static void print_text(FILE *out, const char *text, const char *name) {
    const char *place = strstr(text, "%s");
    if (place)
        fprintf(out, "%.*s%s%s", (int)(place - text), text, name, place + 2);
    else
        fputs(text, out);
}

void verb_help(FILE *out, const verb *verb) {
    fprintf(out, "weft %s: %s\n\n  weft %s %s\n\n", verb->name, verb->summary, verb->name, verb->operands);
    print_text(out, verb->text, verb->name);
    fprintf(out, "\n%s", GLOBAL_OPTIONS);
}

int command_help(const cli_options *options, int argc, char **argv) {
    static const struct option list[] = {{"list", no_argument, NULL, 'l'}, {0}};
    bool names = false;
    (void)options;
    for (int option; (option = cli_next_option(argc, argv, list)) != -1; names = true)
        if (option != 'l') return CLI_USAGE;
    if (argc - optind > 1) {
        cli_error(argv[0], "%s: one command at a time", argv[optind + 1]);
        return CLI_USAGE;
    }
    if (names) {
        for (int i = 0; i < VERB_COUNT; i++) puts(verb_at(i)->name);
        return CLI_DONE;
    }
    if (optind == argc) {
        verb_overview(stdout);
        return CLI_DONE;
    }
    const verb *about = verb_find(argv[optind]);
    if (!about) return CLI_USAGE;
    verb_help(stdout, about);
    return CLI_DONE;
}
