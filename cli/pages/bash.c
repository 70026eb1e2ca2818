/* Parts of the bash completion. */
#include "cli/pages/pages.h"

#include <string.h>

static void print_globals(FILE *out) {
    for (const cli_option *option = NULL; (option = option_next(option, "*"));) fprintf(out, "--%s\n", option->name);
}

static void print_globals_with_argument(FILE *out) {
    const char *separator = "        ";
    for (const cli_option *option = NULL; (option = option_next(option, "*"));) {
        if (!*option->argument) continue;
        fprintf(out, "%s--%s", separator, option->name);
        separator = " | ";
    }
    fputs(")\n", out);
}

/* Prints the assignments of the words and the kind of files that are completed, and the end of a case. */
static void print_completed(FILE *out, const char *words, page_files files) {
    static const char *const kinds[] = {
        [FILES_NONE] = "", [FILES_NPY] = "npy", [FILES_ANY] = "any", [FILES_DIRECTORIES] = "directories"};
    fprintf(out, "words='%s' files='%s' ;;\n", words, kinds[files]);
}

/* Prints the case of one option of `command`, or of a global option if `command` is "*". */
static void print_argument(FILE *out, const cli_option *option, const char *command) {
    char before[64];
    snprintf(before, sizeof before, strcmp(command, "*") == 0 ? "*' '" : "'%s '", command);
    fputs("    ", out);
    if (strcmp(option->name, option->letter) != 0) fprintf(out, "%s--%s", before, option->name);
    if (*option->letter)
        fprintf(out, "%s%s-%s", strcmp(option->name, option->letter) ? " | " : "", before, option->letter);
    fputs(") ", out);
    print_completed(out, option->values, page_argument_files(option->argument));
}

static void print_arguments(FILE *out) {
    for (const cli_option *option = NULL; (option = option_next(option, "*"));)
        if (*option->argument) print_argument(out, option, "*");
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++)
        for (const cli_option *option = NULL; (option = option_next(option, PAGE_COMMANDS[i].name));)
            if (*option->argument) print_argument(out, option, PAGE_COMMANDS[i].name);
}

/* Prints the options and the operands of each command. */
static void print_commands(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        const page_command *const command = &PAGE_COMMANDS[i];
        fprintf(out, "        %s) options+='", command->name);
        for (const cli_option *option = NULL; (option = option_next(option, command->name));)
            fprintf(out, " %s%s", strcmp(option->name, option->letter) ? "--" : "-", option->name);
        fputs("' ", out);
        print_completed(out, page_operand(command->name), page_operand_files(command));
    }
}

const page_marker BASH_MARKERS[] = {{"bash_globals", print_globals},
                                    {"bash_globals_with_argument", print_globals_with_argument},
                                    {"bash_arguments", print_arguments},
                                    {"bash_commands", print_commands},
                                    {0}};
