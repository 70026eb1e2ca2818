#include "cli/options.h"

#include "weft.h"

#include <string.h>

const cli_option CLI_OPTIONS[OPTION_COUNT] = {
#define OPTION(commands, key, name, letter, argument, values, help) \
    {commands, key, name, letter, argument, values, help},
#include "cli/commands.def"
};

const char *option_stem(const char *command) {
    static const char *const reductions[] = {
#define REDUCE(ID, name, domain, result, empty, help) #name,
#include "core/ops.def"
    };
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (strcmp(command, reductions[i]) == 0) return "reduce";
    return command;
}

bool option_applies(const cli_option *option, const char *command) {
    const char *const stem = option_stem(command);
    const size_t length = strlen(stem);
    for (const char *word = option->commands; *word; word += strspn(word, " ")) {
        const size_t end = strcspn(word, " ");
        if (end == length && memcmp(word, stem, length) == 0) return true;
        word += end;
    }
    return false;
}

const cli_option *option_next(const cli_option *option, const char *command) {
    for (option = option ? option + 1 : CLI_OPTIONS; option < CLI_OPTIONS + OPTION_COUNT; option++)
        if (option_applies(option, command)) return option;
    return NULL;
}

void option_table(const char *command, struct option table[2 * OPTION_COUNT + 1],
                  char letters[2 * OPTION_COUNT + 2]) {
    size_t count = 0;
    *letters++ = ':';
    for (const cli_option *option = CLI_OPTIONS; option < CLI_OPTIONS + OPTION_COUNT; option++) {
        if (!option_applies(option, command)) continue;
        const int takes = *option->argument ? required_argument : no_argument;
        const char *const names[] = {option->name, option->letter};
        for (int i = 0; i < 1 + (*option->letter && strcmp(option->name, option->letter) != 0); i++) {
            table[count++] = (struct option){names[i], takes, NULL, option->key};
            if (names[i][1]) continue;
            *letters++ = *names[i];
            if (takes == required_argument) *letters++ = ':';
        }
    }
    table[count] = (struct option){0};
    *letters = '\0';
}

enum { LINE = 100, HEADING = 64 };

/* Writes, for example, "-o, --output Y.npy" and returns its length. */
static int print_heading(char text[HEADING], const cli_option *option) {
    const char *const argument = option->argument, *const space = *argument ? " " : "";
    if (strcmp(option->name, option->letter) == 0)
        return snprintf(text, HEADING, "-%s%s%s", option->name, space, argument);
    return snprintf(text, HEADING, "%s%s%s--%s%s%s", *option->letter ? "-" : "", option->letter,
                    *option->letter ? ", " : "", option->name, space, argument);
}

/* Prints `text`, broken at spaces, between columns `indent` and LINE. */
static void print_wrapped(FILE *out, const char *text, int indent) {
    for (int column = indent; *text;) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > LINE) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

void option_print(FILE *out, const char *command) {
    char heading[HEADING];
    int width = 0;
    for (const cli_option *option = NULL; (option = option_next(option, command));) {
        const int length = print_heading(heading, option);
        if (length > width) width = length;
    }
    for (const cli_option *option = NULL; (option = option_next(option, command));) {
        print_heading(heading, option);
        fprintf(out, "  %-*s  ", width, heading);
        print_wrapped(out, option->help, width + 4);
    }
}
