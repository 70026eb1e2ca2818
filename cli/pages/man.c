/* The lists of operations, commands and options of the manual page, in mdoc. */
#include "cli/pages/pages.h"

#include <string.h>

/* Prints the `length` first bytes of `text` as one line of mdoc. */
static void print_bytes(FILE *out, const char *text, size_t length) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; length; text++, length--) {
        if (*text == '-' || *text == '\\') fputc('\\', out);
        fputc(*text == '\\' ? 'e' : *text, out);
    }
    fputc('\n', out);
}

static void print_text(FILE *out, const char *text) { print_bytes(out, text, strlen(text)); }

/* Prints lines of text. Lines keep their line breaks if they begin with a space, or if `all_literal`; an empty line
 * separates paragraphs. */
static void print_lines(FILE *out, const char *text, bool all_literal) {
    bool literal = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool becomes_literal = all_literal || *text == ' ';
        if (becomes_literal != literal) fputs(literal ? ".Ed\n" : ".Bd -literal -compact\n", out);
        literal = becomes_literal;
        if (length)
            print_bytes(out, text, length);
        else
            fputs(".Pp\n", out);
        text += length + (text[length] == '\n');
    }
    if (literal) fputs(".Ed\n", out);
}

/* Prints an item for each command of one kind: for a reduction its summary, for others the operands and the text. */
static void print_items(FILE *out, bool operations) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        const page_command *const c = &PAGE_COMMANDS[i];
        if (c->operation != operations) continue;
        fprintf(out, ".It Cm %s\n", c->name);
        const bool reduction = c->operation && !*c->text;
        if (!reduction) print_lines(out, c->operands, true);
        print_lines(out, *c->text ? c->text : c->summary, false);
    }
}

static void print_operations(FILE *out) { print_items(out, true); }
static void print_commands(FILE *out) { print_items(out, false); }

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

const page_marker MAN_MARKERS[] = {{"man_operations", print_operations},
                                   {"man_commands", print_commands},
                                   {"man_globals", print_globals},
                                   {"man_options", print_options},
                                   {0}};
