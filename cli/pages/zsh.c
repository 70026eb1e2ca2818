/* Parts of the zsh completion. */
#include "cli/pages/pages.h"

#include <string.h>

static const char *const COMPLETED[] = {[FILES_NONE] = "",
                                        [FILES_NPY] = "_files -g \"*.npy\"",
                                        [FILES_ANY] = "_files",
                                        [FILES_DIRECTORIES] = "_files -/"};

/* Prints the specification of an option for _arguments. */
static void print_option(FILE *out, const cli_option *option) {
    if (strcmp(option->name, option->letter) == 0)
        fprintf(out, "'-%s[", option->name);
    else if (*option->letter)
        fprintf(out, "'(-%s --%s)'{-%s,--%s}'[", option->letter, option->name, option->letter, option->name);
    else
        fprintf(out, "'--%s[", option->name);
    page_print_brief(out, option, "[]\\", "'\\''");
    fputc(']', out);
    if (*option->argument) {
        fprintf(out, ":%s:", option->argument);
        if (*option->values)
            fprintf(out, "(%s)", option->values);
        else
            fputs(COMPLETED[page_argument_files(option->argument)], out);
    }
    fputc('\'', out);
}

static void print_globals(FILE *out) {
    for (const cli_option *option = NULL; (option = option_next(option, "*"));) {
        fputs("        ", out);
        print_option(out, option);
        fputc('\n', out);
    }
}

static void print_commands(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        fprintf(out, "        '%s:", PAGE_COMMANDS[i].name);
        for (const char *c = PAGE_COMMANDS[i].summary; *c; c++) {
            if (*c == '\'')
                fputs("'\\''", out);
            else
                fprintf(out, *c == ':' ? "\\%c" : "%c", *c);
        }
        fputs("'\n", out);
    }
}

/* Prints what is completed for the operands of `command`. */
static void print_operands(FILE *out, const page_command *command) {
    const char *const words = page_operand(command->name);
    const page_files files = page_operand_files(command);
    if (strcmp(command->name, "ladder") == 0)
        fprintf(out, " '1:topic: _weft_topics %s'", words);
    else if (*words)
        fprintf(out, " '1:operand:(%s)'", words);
    if (files != FILES_NONE) fprintf(out, " '*:file:%s'", COMPLETED[files]);
}

static void print_arguments(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) {
        const page_command *const command = &PAGE_COMMANDS[i];
        if (strcmp(command->name, "help") == 0) continue; /* in the template */
        fprintf(out, "        %s)\n            _arguments $global", command->name);
        for (const cli_option *option = NULL; (option = option_next(option, command->name));) {
            fputs(" \\\n                ", out);
            print_option(out, option);
        }
        print_operands(out, command);
        fputs("\n            ;;\n", out);
    }
}

const page_marker ZSH_MARKERS[] = {
    {"zsh_globals", print_globals}, {"zsh_commands", print_commands}, {"zsh_arguments", print_arguments}, {0}};
