/* The section OPTIONS of the manual page, in mdoc. */
#include "cli/pages/pages.h"

#include <string.h>

/* Prints `text` as one line of mdoc. */
static void print_text(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-' || *text == '\\') fputc('\\', out);
        fputc(*text == '\\' ? 'e' : *text, out);
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const cli_option *option) {
    fputs(".It", out);
    if (*option->letter) fprintf(out, " Fl %s", option->letter);
    if (strcmp(option->name, option->letter) != 0)
        fprintf(out, "%s Fl -%s", *option->letter ? " ," : "", option->name);
    if (*option->argument) fprintf(out, " Ar %s", option->argument);
    fputc('\n', out);
    print_text(out, option->help);
}

static void print_list(FILE *out, const char *command) {
    fputs(".Bl -tag -width Ds\n", out);
    for (const cli_option *option = NULL; (option = option_next(option, command));) print_option(out, option);
    fputs(".El\n", out);
}

static void print_globals(FILE *out) { print_list(out, "*"); }

/* Prints one list for all reduction operators and one for each other command that has options. */
static void print_options(FILE *out) {
    const char *stem = "";
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        const char *const name = PAGE_COMMANDS[i].name;
        if (!option_next(NULL, name) || strcmp(option_stem(name), stem) == 0) continue;
        stem = option_stem(name);
        if (strcmp(stem, "reduce") == 0)
            fputs(".Ss Options of the reductions, sum to norminf\n", out);
        else
            fprintf(out, ".Ss Options of %s\n", name);
        print_list(out, name);
    }
}

const page_marker MAN_MARKERS[] = {{"man_globals", print_globals}, {"man_options", print_options}, {0}};
