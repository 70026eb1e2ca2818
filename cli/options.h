/* Options of the command, from cli/commands.def: their getopt tables and their part of `weft help`. */
#ifndef WEFT_CLI_OPTIONS_H
#define WEFT_CLI_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

/* A line of cli/commands.def, which describes the members. */
typedef struct cli_option {
    const char *commands;
    int key;
    const char *name, *letter, *argument, *values, *help;
} cli_option;

/* Number of lines of cli/commands.def. */
enum {
    OPTION_COUNT = 0
#define OPTION(commands, key, name, letter, argument, values, help) +1
#include "cli/commands.def"
};
extern const cli_option CLI_OPTIONS[OPTION_COUNT];

/* Returns true if `command`, or "*" for the global options, accepts the option. */
bool option_applies(const cli_option *option, const char *command);
/* Returns the first option of `command` after `option`, or the first one if `option` is NULL. Returns NULL
 * if there is none. */
const cli_option *option_next(const cli_option *option, const char *command);
/* Returns the stem of a command's line in cli/commands.def: "reduce" for each reduction operator, else its name. */
const char *option_stem(const char *command);

/* Writes the options of `command` to `table`, ends it with an empty entry, and writes their short names to `letters`
 * in the form that getopt_long expects. */
void option_table(const char *command, struct option table[2 * OPTION_COUNT + 1], char letters[2 * OPTION_COUNT + 2]);

/* Prints one line for each option of `command`, wrapped to at most 100 columns. */
void option_print(FILE *out, const char *command);

#endif
