/* Parts of the fish completion. */
#include "cli/pages/pages.h"

#include <string.h>

static void print_names(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++)
        fprintf(out, "    %s%s\n", PAGE_COMMANDS[i].name, i + 1 < PAGE_COMMAND_COUNT ? " \\" : "");
}

/* Prints the rest of a line `complete` for an option. */
static void print_option(FILE *out, const cli_option *option) {
    if (*option->letter) fprintf(out, " -s %s", option->letter);
    if (strcmp(option->name, option->letter) != 0) fprintf(out, " -l %s", option->name);
    if (*option->argument)
        fputs(page_argument_files(option->argument) == FILES_NONE || *option->values ? " -x" : " -r", out);
    if (*option->values) fprintf(out, " -a '%s'", option->values);
    fputs(" -d '", out);
    page_print_brief(out, option, "\\", "\\'");
    fputs("'\n", out);
}

static void print_globals(FILE *out) {
    for (const cli_option *option = NULL; (option = option_next(option, "*"));) {
        fputs("complete -c weft", out);
        print_option(out, option);
    }
}

static void print_commands(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        fprintf(out, "complete -c weft -n \"not __fish_seen_subcommand_from $commands\" -a %s -d '",
                PAGE_COMMANDS[i].name);
        for (const char *c = PAGE_COMMANDS[i].summary; *c; c++) fprintf(out, *c == '\'' ? "\\%c" : "%c", *c);
        fputs("'\n", out);
    }
}

/* Prints what is completed for the operands of `command`. */
static void print_operands(FILE *out, const page_command *command) {
    const char *const words = page_operand(command->name);
    const page_files files = page_operand_files(command);
    if (*words) fprintf(out, "complete -c weft -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name, words);
    if (files == FILES_ANY) fprintf(out, "complete -c weft -n '__fish_seen_subcommand_from %s' -F\n", command->name);
    if (files == FILES_NPY)
        fprintf(out, "complete -c weft -n '__fish_seen_subcommand_from %s' -k -a '(__fish_complete_suffix .npy)'\n",
                command->name);
}

static void print_options(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        const char *const name = PAGE_COMMANDS[i].name;
        print_operands(out, &PAGE_COMMANDS[i]);
        for (const cli_option *option = NULL; (option = option_next(option, name));) {
            fprintf(out, "complete -c weft -n '__fish_seen_subcommand_from %s'", name);
            print_option(out, option);
        }
    }
}

const page_marker FISH_MARKERS[] = {{"fish_names", print_names},
                                    {"fish_globals", print_globals},
                                    {"fish_commands", print_commands},
                                    {"fish_options", print_options},
                                    {0}};
