#include "cli/verbs.h"

#include "cli/nearest.h"
#include "cli/options.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Operands, help text and examples of an operation, by the stem of its line in core/ops.def. */
#define OPERATION(stem, operands, text, examples)      \
    static const char operands_of_##stem[] = operands; \
    static const char text_of_##stem[] = text;         \
    static const char examples_of_##stem[] = examples;
#include "cli/commands.def"

static const verb COMMANDS[] = {
#define COMMAND(name, operands, summary, text, examples) {#name, operands, summary, text, examples, command_##name},
#include "cli/commands.def"
};
static const verb OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, operands_of_reduce, help, text_of_reduce, examples_of_reduce, command_reduce},
#define CALL(stem, form, reads, passes, writes, help) \
    {#stem, operands_of_##stem, help, text_of_##stem, examples_of_##stem, command_##stem},
#include "core/ops.def"
#define VIEW_COMMAND(name, operands, summary, text, examples) \
    {#name, operands, summary, text, examples, command_##name},
#include "cli/commands.def"
};
enum {
    COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS,
    VERB_COUNT = COMMAND_COUNT + sizeof OPERATIONS / sizeof *OPERATIONS
};

static const verb *verb_at(int i) { return i < COMMAND_COUNT ? &COMMANDS[i] : &OPERATIONS[i - COMMAND_COUNT]; }

bool verb_is_operation(const verb *verb) {
    for (int i = COMMAND_COUNT; i < VERB_COUNT; i++)
        if (verb_at(i) == verb) return true;
    return false;
}

/* ------------------------------------------------------------------------------- by name */

enum { ALIAS_COUNT = 340, ALIAS_LENGTH = 24 };

/* A name of aliases.def. Each of its names is one entry. */
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

/* Prints a suggestion for a name that is not a command. Aliases are candidates too: "medain" is a misspelling of
 * median, which is not a command, and so mean must not be suggested. */
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
        cli_error(NULL, "unknown command '%s'; %s", name, other->sentence);
    else if (other)
        cli_error(NULL, "unknown command '%s'; did you mean '%s'? %s", name, other->name, other->sentence);
    else if (meant)
        cli_error(NULL, "unknown command '%s'; did you mean '%s'?", name, find_verb(meant)->name);
    else
        cli_error(NULL, "unknown command '%s'; 'weft help' lists the commands", name);
}

const verb *verb_find(const char *name) {
    const verb *found = find_verb(name);
    if (!found) suggest(name);
    return found;
}

/* ---------------------------------------------------------------------------------- help */

static void print_globals(FILE *out) {
    fputs("\nGlobal options (before or after the command):\n", out);
    option_print(out, "*");
    fputs("\n"
          "--device, --threads, --memory and --mpi never change a result. --mpi supports reductions, variance,\n"
          "dot, scan, sort, price and bench. Files named *.npy are read as .npy even with --raw or --column.\n",
          out);
}

static void print_verbs(FILE *out, const verb *verbs, int count) {
    for (int i = 0; i < count; i++) fprintf(out, "  %-16s %s\n", verbs[i].name, verbs[i].summary);
}

void verb_overview(FILE *out) {
    fputs("Usage: weft [OPTIONS] COMMAND [ARGUMENTS]\n\n"
          "Compute reductions, prefix scans, sorts and other data-parallel operations on .npy arrays, with\n"
          "the same bits on every machine.\n\n"
          "Commands:\n",
          out);
    print_verbs(out, COMMANDS, COMMAND_COUNT);
    fputs("\nOperations on .npy files:\n", out);
    print_verbs(out, OPERATIONS, VERB_COUNT - COMMAND_COUNT);
    print_globals(out);
    fputs("\n"
          "Examples:\n"
          "  weft tour --quick                     demonstrate every operation\n"
          "  weft sum x.npy                        print the sum of an array\n"
          "  weft dot x.npy y.npy --bits           also print the bits, to compare machines\n"
          "  weft mean x.npy --device cpu --json   print JSON for a program\n\n"
          "'weft help COMMAND' prints the help of a command. '-' and '_' are equivalent in command names.\n"
          "Exit code: 0 for success, 1 if the work failed, 2 if the call was wrong.\n",
          out);
}

/* Prints `text` with "%s" replaced by the verb's name. */
static void print_text(FILE *out, const char *text, const char *name) {
    const char *mark = strstr(text, "%s");
    if (mark)
        fprintf(out, "%.*s%s%s", (int)(mark - text), text, name, mark + 2);
    else
        fputs(text, out);
}

void verb_help(FILE *out, const verb *verb) {
    fprintf(out, "Usage: weft %s%s%s\n\n%c%s.\n\n%s", verb->name, *verb->operands ? " " : "", verb->operands,
            toupper((unsigned char)*verb->summary), verb->summary + 1, verb->text);
    if (option_next(NULL, verb->name)) {
        fputs(*verb->text ? "\nOptions:\n" : "Options:\n", out);
        option_print(out, verb->name);
    }
    if (*verb->examples) {
        fputc('\n', out);
        print_text(out, verb->examples, verb->name);
    }
    print_globals(out);
}

int command_help(const cli_options *options, int argc, char **argv) {
    bool names = false;
    (void)options;
    for (int option; (option = cli_next_option(argc, argv)) != -1; names = true)
        if (option != 'l') return CLI_USAGE;
    if (argc - optind > 1) {
        cli_error(argv[0], "unexpected argument %s: expected one command", argv[optind + 1]);
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
