/* Generator of the manual page and of the completions. Each function prints the lines that replace one line @NAME@ of
 * a template. */
#ifndef WEFT_CLI_PAGES_H
#define WEFT_CLI_PAGES_H

#include "cli/options.h"

#include <stdio.h>

/* A command, from cli/commands.def and core/ops.def. */
typedef struct page_command {
    const char *name, *operands, *summary, *text;
    bool operation;
} page_command;
extern const page_command PAGE_COMMANDS[];
extern const size_t PAGE_COMMAND_COUNT;

/* File names that are completed for an argument or an operand. */
typedef enum page_files { FILES_NONE, FILES_NPY, FILES_ANY, FILES_DIRECTORIES } page_files;
/* Returns the kind of file that an argument's name represents: X.npy, FILE, FILE.svg or DIR. */
page_files page_argument_files(const char *argument);
/* Returns the kind of files that the operands of `command` name, without the arguments of its options. */
page_files page_operand_files(const page_command *command);

/* Returns the words that are completed for the first operand of `command`, separated by spaces, or "". */
const char *page_operand(const char *command);

/* Prints the help of an option up to the first semicolon. Characters of `special` follow a backslash; each single
 * quotation mark is printed as `quote`. */
void page_print_brief(FILE *out, const cli_option *option, const char *special, const char *quote);

/* A marker of a template. */
typedef struct page_marker {
    const char *name;
    void (*print)(FILE *out);
} page_marker;
/* Markers of each template, ended by an empty entry. */
extern const page_marker BASH_MARKERS[], FISH_MARKERS[], MAN_MARKERS[], ZSH_MARKERS[];

#endif
